"""Accuracy and nats a move on the test split, by rating, phase and clock, with intervals over games.

    python -m studies.student.evaluate maia3-5m=maia3.npz human=human.pt --games test.xz \
        --library libpool.so --out FILE.json

The games are packed by `pack_games TABLE test.xz --test`; of a table of the preset `maia` the positions are
those of `sparring measure matching`. Each network is compared with those before it. With `--clock` the
positions are those with a clock, and each student is measured without and with it. With `--scores FOLDER` the
scores of each network are written there, and read instead of measured where they are there already: networks
can be measured on different machines.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from studies.student.network import Student, encode_context, load_student, use_ranges
from studies.student.positions import (
    Positions,
    Records,
    load_library,
    policy_moves,
    read_games,
    student_tokens,
)
from studies.student.teacher import Teacher, log_policy

PHASES = ("opening", "middle game", "endgame")
SECONDS = (0, 10, 30, 60, 120, 300, 600)
"""Lower ends of the groups of clocks."""
_LONGEST_CLOCK = 7200.0
_LEAST_PLY, _LEAST_SECONDS = 10, 30
"""Earlier plies, and moves with less time left, are not measured (preset `maia`)."""
_MIDDLE_GAME = 20
_RESAMPLES = 2000
_BATCH, _CPU_BATCH = 2048, 64
_RULE_50 = 109
"""The plane of the rule-50 counter."""


@dataclass(frozen=True)
class Scores:
    """Of one network on n positions."""

    hits: NDArray[np.float64]
    """[n]: 1 if the move played was the likeliest."""
    nats: NDArray[np.float64]
    """[n]: minus the logarithm of its probability."""

    def save(self, path: Path) -> None:
        """Writes a file for `read_scores`."""
        path.parent.mkdir(parents=True, exist_ok=True)
        np.savez_compressed(path, hits=self.hits.astype(np.uint8), nats=self.nats.astype(np.float32))


def read_scores(path: Path) -> Scores:
    """Reads a file that `Scores.save` wrote."""
    with np.load(path) as file:
        return Scores(file["hits"].astype(np.float64), file["nats"].astype(np.float64))


def student_policy(student: Student, p: Positions, see_clock: bool = True) -> Tensor:
    """Log-probabilities [n, 1858] in float32."""
    known = (p.ratings >= 0).float()
    shown = (p.clock >= 0).float() * float(see_clock)
    context = encode_context(p.ratings, known, p.clock.clamp(min=0), shown)
    policy, _ = student(student_tokens(p, p.legal.any(1), torch.float32), context)
    return log_policy(policy, p.legal)


def onnx_policy(session: Any, p: Positions, see_clock: bool = True) -> Tensor:
    """Log-probabilities [n, 1858] of a student's ONNX file."""
    tokens = student_tokens(p, p.legal.any(1), torch.float32)
    tokens[..., _RULE_50] *= 100
    planes = tokens.transpose(1, 2).reshape(len(tokens), -1, 8, 8).round().to(torch.uint8)
    ratings, known = ((p.ratings - 600) / 2000).clamp(0, 1), (p.ratings >= 0).float()
    shown = (p.clock >= 0).float() * float(see_clock)
    columns = [ratings[:, 0], known[:, 0], ratings[:, 1], known[:, 1], p.clock.clamp(min=0) * shown, shown]
    inputs = {"planes": planes.numpy(), "context": torch.stack(columns, 1).numpy()}
    return log_policy(torch.from_numpy(session.run(["policy"], inputs)[0]), p.legal)


class Network:
    """A student (.pt or .onnx, the latter on a CPU), or a teacher's network (.npz or .xz)."""

    def __init__(
        self, path: Path, moves: NDArray[np.integer], device: torch.device, threads: int = 1
    ) -> None:
        self._policy: Callable[[Positions, bool], Tensor]
        if path.suffix == ".onnx":
            import onnxruntime  # the GPU machine may not have it

            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = threads
            session = onnxruntime.InferenceSession(str(path), options)
            self._policy = lambda p, see_clock: onnx_policy(session, p, see_clock)
        elif path.suffix == ".pt":
            student, ranges = load_student(path, device)
            use_ranges(student, ranges)
            self._policy = lambda p, see_clock: student_policy(student, p, see_clock)
        else:
            teacher = Teacher(path, moves, device)
            self._policy = lambda p, see_clock: teacher(p)[0]
        self._batch = _CPU_BATCH if device.type == "cpu" else _BATCH

    @torch.no_grad()
    def scores(self, records: Records, indices: Tensor, see_clock: bool = True) -> Scores:
        """Scores of the moves played."""
        hits, nats = [], []
        for part in torch.split(indices, self._batch):
            p, played = records.positions(part), records.played(part)
            said = self._policy(p, see_clock)
            hits.append((said.argmax(1) == played).double().cpu())
            nats.append(-said.gather(1, played[:, None])[:, 0].double().cpu())
        return Scores(torch.cat(hits).numpy(), torch.cat(nats).numpy())


def phases(records: Records, indices: Tensor) -> NDArray[np.int64]:
    """Indices among `PHASES`, as in `sparring measure matching`.

    The opening has 20 plies, the endgame at most six pieces beside kings and pawns.
    """
    found = []
    for part in torch.split(indices, 1 << 16):
        kind = (records.positions(part).boards[:, 0].long() - 1) % 6
        pieces = (records.positions(part).boards[:, 0] > 0) & (kind >= 1) & (kind <= 4)
        later = (records.ply[part] >= _MIDDLE_GAME).long()
        found.append(torch.where(pieces.sum(1) <= 6, 2, later).cpu())
    return torch.cat(found).numpy()


def seconds(clock: NDArray[np.floating]) -> NDArray[np.float64]:
    """Seconds of clocks in [0, 1]; negative if unknown."""
    return np.where(clock < 0, -1.0, np.expm1(clock * np.log1p(_LONGEST_CLOCK)))


class Bootstrap:
    """Means with 95 % intervals over games; the same resamples in every call."""

    def __init__(self, game: NDArray[np.int64], seed: int = 0) -> None:
        names, self._game = np.unique(game, return_inverse=True)
        self.games = len(names)
        draws = np.random.default_rng(seed).multinomial(
            self.games, np.full(self.games, 1 / self.games), _RESAMPLES
        )
        self._weights = np.concatenate([np.ones((1, self.games)), draws])

    def mean(self, values: NDArray[np.float64], group: NDArray[np.int64]) -> list[float]:
        """The mean of the means of the groups (negative: left out), and its interval."""
        parts = []
        for each in np.unique(group[group >= 0]):
            chosen = group == each
            sums = np.bincount(self._game[chosen], values[chosen], self.games)
            counts = np.bincount(self._game[chosen], minlength=self.games)
            with np.errstate(invalid="ignore", divide="ignore"):
                parts.append((self._weights @ sums) / (self._weights @ counts))
        means = np.nanmean(np.stack(parts), axis=0)
        return [round(float(x), 5) for x in (means[0], *np.nanpercentile(means[1:], [2.5, 97.5]))]


def table(scores: dict[str, Scores], game: NDArray[np.int64], group: NDArray[np.int64]) -> dict[str, Any]:
    """Means of each network, and differences from those before it, over groups (negative: left out)."""
    kept = group >= 0
    bootstrap = Bootstrap(game[kept])
    found: dict[str, Any] = {"games": bootstrap.games, "positions": int(kept.sum())}

    def mean(values: NDArray[np.float64]) -> list[float]:
        return bootstrap.mean(values[kept], group[kept])

    for i, (name, each) in enumerate(scores.items()):
        found[name] = {"top1": mean(each.hits), "nats": mean(each.nats)}
        for before, other in list(scores.items())[:i]:
            found[name][f"top1 less {before}"] = mean(each.hits - other.hits)
            found[name][f"nats less {before}"] = mean(each.nats - other.nats)
    return found


def report(scores: dict[str, Scores], columns: dict[str, NDArray[Any]]) -> dict[str, Any]:
    """All numbers: mean of the rating groups, then by rating, by phase and by clock."""
    game, group, phase, clock = (columns[name] for name in ("game", "group", "phase", "clock"))
    everything = np.zeros_like(group)

    def where(mask: NDArray[np.bool_]) -> dict[str, Any]:
        return table(scores, game, np.where(mask, everything, -1))

    found = {
        "mean of rating groups": table(scores, game, group),
        "all positions": where(everything == 0),
        "by rating": {str(int(each)): where(group == each) for each in np.unique(group[group >= 0])},
        "by phase": {name: where(phase == i) for i, name in enumerate(PHASES) if (phase == i).any()},
    }
    bounds = [*SECONDS, 1e9]
    found["by clock"] = {
        f"from {low} s": where(inside)
        for low, high in pairwise(bounds)
        if (inside := (clock >= low) & (clock < high)).any()
    }
    return found


def main() -> None:
    """Runs the command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("networks", nargs="+", help="NAME=FILE")
    parser.add_argument("--games", type=Path, required=True)
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--clock", action="store_true")
    parser.add_argument("--ratings", type=int, nargs=2, default=(1100, 2000), help="from, and below")
    parser.add_argument("--limit", type=int, default=0, help="number of positions; 0 for all")
    parser.add_argument("--every", type=int, default=1, help="one position in so many")
    parser.add_argument("--threads", type=int, default=4)
    parser.add_argument("--scores", type=Path, help="folder with the scores of each network")
    parser.add_argument("--out", type=Path, required=True)
    o = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    library = load_library(o.library)
    records = Records(read_games(o.games), library, o.threads, device)
    indices = records.test[records.ply[records.test] >= _LEAST_PLY]
    clock = seconds(records.clock[indices].cpu().numpy())
    group = records.group[indices].cpu().numpy()
    kept = (
        clock >= 0
        if o.clock
        else ((clock < 0) | (clock >= _LEAST_SECONDS)) & (group >= o.ratings[0]) & (group < o.ratings[1])
    )
    chosen = np.flatnonzero(kept)[:: o.every][: o.limit or None]
    indices = indices[torch.from_numpy(chosen).to(device)]
    columns = {
        "game": records.game[indices].cpu().numpy(),
        "group": group[chosen],
        "phase": phases(records, indices),
        "clock": clock[chosen],
    }
    scores: dict[str, Scores] = {}

    def measure(name: str, path: Path, see_clock: bool) -> None:
        file = o.scores / f"{name}.npz" if o.scores else None
        if file is not None and file.exists():
            scores[name] = read_scores(file)
            return
        network = Network(path, policy_moves(library), device, o.threads)
        scores[name] = network.scores(records, indices, see_clock)
        if file is not None:
            scores[name].save(file)

    for name, _, path in (each.partition("=") for each in o.networks):
        if o.clock and path.endswith((".pt", ".onnx")):
            measure(f"{name} without the clock", Path(path), see_clock=False)
        measure(name, Path(path), see_clock=True)
    o.out.write_text(json.dumps(report(scores, columns), indent=1) + "\n")


if __name__ == "__main__":
    main()
