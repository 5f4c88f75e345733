"""How much a strong policy adds to a human-like one on the validation split, by ways of combining them.

    python -m studies.student.blend_gain --data FOLDER --human human.pt --strong t1.xz --out FILE.json

Weights are fitted on half of the validation games and measured on the other half. Gains are in nats a move
and in top-1 accuracy over the human-like policy alone, with standard errors over games.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from studies.student.positions import Positions, Records, load_library, policy_moves, read_games
from studies.student.teacher import Teacher

_MOVES = 96
"""Moves of a position that are kept, likeliest first."""
_NOWHERE = -1e4


class Sample(NamedTuple):
    """n positions with both policies over the same moves."""

    human: Tensor
    """[n, moves]: log-probabilities, falling."""
    strong: Tensor
    """[n, moves]: log-probabilities of the same moves."""
    played: Tensor
    """[n]: which of the moves was played."""
    features: Tensor
    """[n, features]: of the position; the first is 1, the second the rating."""
    game: Tensor
    """[n]: the game."""
    group: Tensor
    """[n]: the rating group."""

    def where(self, mask: Tensor) -> Sample:
        """The positions of a mask."""
        return Sample(*(tensor[mask] for tensor in self))


def entropy(log_probabilities: Tensor) -> Tensor:
    """In nats."""
    return -(log_probabilities.exp() * log_probabilities).sum(1)


@torch.no_grad()
def sample_of(p: Positions, played: Tensor, human: Teacher, strong: Teacher) -> list[Tensor]:
    """The first four fields of a sample."""
    (ours, our_value), (theirs, their_value) = human(p), strong(p)
    top, order = ours.topk(min(_MOVES, ours.shape[1]), dim=1)
    same = theirs.gather(1, order)
    expected = [value[:, 0] - value[:, 2] for value in (our_value, their_value)]
    best = theirs.argmax(1, keepdim=True)
    features = [
        torch.ones_like(expected[0]),
        (p.ratings[:, 0] - 1500) / 400,
        (p.boards[:, 0] != 0).sum(1).float() / 16 - 1,
        entropy(ours),
        entropy(theirs),
        ours.gather(1, best)[:, 0].clamp(min=-8) / 4,
        expected[1],
        expected[1].abs(),
        (expected[0] - expected[1]).abs(),
        theirs.exp().amax(1),
    ]
    return [top, same.clamp(min=-20), (order == played[:, None]).int().argmax(1), torch.stack(features, 1)]


class Weights(nn.Module):
    """Logits: the sum of both log-probabilities with weights that depend on the position."""

    def __init__(self, used: int, hidden: int = 0, strong: bool = True) -> None:
        super().__init__()
        self.used, self.strong = used, strong
        layers: list[nn.Module] = [nn.Linear(used, 2)]
        if hidden:
            layers = [nn.Linear(used, hidden), nn.GELU(), nn.Linear(hidden, 2)]
        self.net = nn.Sequential(*layers)
        nn.init.zeros_(layers[-1].weight)  # type: ignore[arg-type]
        nn.init.zeros_(layers[-1].bias)  # type: ignore[arg-type]

    def forward(self, s: Sample) -> Tensor:
        """Logits of the blend, [n, moves]."""
        w = self.net(s.features[:, : self.used])
        blended: Tensor = (1 + w[:, :1]) * s.human
        return blended + w[:, 1:] * s.strong if self.strong else blended


class MoveScores(nn.Module):
    """Logits: the human-like policy's plus a correction, a network of both numbers of the move."""

    def __init__(self, features: int, hidden: int = 48) -> None:
        super().__init__()
        self.move, self.position = nn.Linear(5, hidden), nn.Linear(features, hidden)
        self.middle, self.out = nn.Linear(hidden, hidden), nn.Linear(hidden, 1)
        nn.init.zeros_(self.out.weight)

    def forward(self, s: Sample) -> Tensor:
        """Logits of the blend, [n, moves]."""
        h, t = s.human.clamp(min=-12), s.strong.clamp(min=-12)
        best = t - t.amax(1, keepdim=True)
        move = torch.stack([h / 4, t / 4, h.exp(), t.exp(), best / 4], dim=2)
        x = torch.relu(self.move(move) + self.position(s.features)[:, None])
        scores: Tensor = s.human + self.out(torch.relu(self.middle(x)))[..., 0]
        return scores


def logits_of(model: nn.Module, s: Sample) -> Tensor:
    """Log-probabilities of the blend."""
    return model(s).masked_fill(s.human < -1e3, _NOWHERE).log_softmax(1)  # type: ignore[no-any-return]


def fit(model: nn.Module, s: Sample, steps: int, batch: int = 8192) -> nn.Module:
    """Fits by likelihood with a falling rate."""
    model.to(s.human.device)
    adam = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=1e-3)
    for step in range(steps):
        for group in adam.param_groups:
            group["lr"] = 3e-3 * (1 - step / steps)
        part = s.where(torch.randint(len(s.played), (min(batch, len(s.played)),), device=s.played.device))
        loss = -logits_of(model, part).gather(1, part.played[:, None]).mean()
        adam.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        adam.step()
    return model


@torch.no_grad()
def gain(model: nn.Module, s: Sample) -> dict[str, Any]:
    """Gains over the human-like policy, with standard errors over games, overall and from 1600 up."""
    found: dict[str, Any] = {}
    parts = [
        s.where(chunk) for chunk in torch.split(torch.arange(len(s.played), device=s.played.device), 16384)
    ]
    ours = torch.cat([logits_of(model, part) for part in parts])
    nats = (ours - s.human).gather(1, s.played[:, None])[:, 0]
    hits = (ours.argmax(1) == s.played).float() - (s.human.argmax(1) == s.played).float()
    for name, mask in (("all", s.group > 0), ("1600-1900", s.group >= 1600)):
        for kind, values in (("nats", nats[mask]), ("top1", hits[mask])):
            found[f"{kind} {name}"] = _mean(values.double().cpu().numpy(), s.game[mask].cpu().numpy())
    return found


def _mean(values: np.ndarray[Any, Any], games: np.ndarray[Any, Any]) -> list[float]:
    """Mean over positions, and its standard error by games."""
    _, at = np.unique(games, return_inverse=True)
    off = np.bincount(at, values - values.mean())
    return [round(float(values.mean()), 5), round(float(np.sqrt((off**2).sum()) / len(values)), 5)]


def main() -> None:
    """Runs the command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--human", type=Path, required=True)
    parser.add_argument("--strong", type=Path, required=True)
    parser.add_argument("--positions", type=int, default=200_000)
    parser.add_argument("--games", type=int, default=0)
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--out", type=Path, required=True)
    o = parser.parse_args()
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    library = load_library(o.data / "libpool.so")
    moves = policy_moves(library)
    records = Records(read_games(o.data / "games.xz", o.games), library, 8, device)
    human, strong = (Teacher(path, moves, device) for path in (o.human, o.strong))
    order = torch.randperm(len(records.validation), generator=torch.Generator().manual_seed(0))
    indices = records.validation[order[: o.positions].to(device)]
    games = torch.from_numpy(np.searchsorted(records.games.offsets, indices.cpu().numpy(), side="right")).to(
        device
    )
    parts = [
        sample_of(records.positions(part), records.played(part), human, strong)
        for part in torch.split(indices, 2048)
    ]
    top, same, played, features = (torch.cat(each) for each in zip(*parts, strict=True))
    sample = Sample(top, same, played, features, games, records.group[indices])
    fitted, held = sample.where(games % 2 == 0), sample.where(games % 2 == 1)
    count = sample.features.shape[1]
    ways: dict[str, Callable[[], nn.Module]] = {
        "human alone, scaled by rating": lambda: Weights(2, strong=False),
        "human alone, scaled by position": lambda: Weights(count, 32, strong=False),
        "constant weights": lambda: Weights(1),
        "weights by rating": lambda: Weights(2),
        "weights by position, linear": lambda: Weights(count),
        "weights by position, network": lambda: Weights(count, 32),
        "correction by move, network": lambda: MoveScores(count),
    }
    base = sample.human.gather(1, sample.played[:, None])
    result: dict[str, Any] = {
        "positions": [len(fitted.played), len(held.played)],
        "games": [len(set(part.game.tolist())) for part in (fitted, held)],
        "human": {
            "nats": -base.mean().item(),
            "top1": (sample.human.argmax(1) == sample.played).float().mean().item(),
        },
        "gains": {},
    }
    for name, make in ways.items():
        result["gains"][name] = gain(fit(make(), fitted, o.steps), held)
        print(name, result["gains"][name], flush=True)
        o.out.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
