"""Positions in which known people moved, with the trunk's features of their likeliest moves, on a device."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper
from torch import Tensor

from sparring._core import lc0_policy_moves
from sparring.games import describe
from sparring.networks.conditioned import ConditionedCodec
from sparring.networks.style import trunk_output
from sparring.networks.torch_executor import TorchGraph
from sparring.training.person.choices import PersonGames, plain, unpack

CANDIDATES = 32
"""Moves of a position that are kept, the move played first, then the likeliest."""
_CHUNK = 1024
_BATCH = 2048
"""Positions that the network reads at once, at least."""
_TRUNK = "trunk"


@dataclass(frozen=True)
class DevicePositions:
    """Positions [n] of several people, one person after the other, each in the order of time."""

    person: Tensor
    """[n]: index of the person."""
    game: Tensor
    """[n]: index of the game among the person's."""
    labels: Tensor
    """[n, CANDIDATES]: policy labels, -1 for none."""
    logs: Tensor
    """[n, CANDIDATES]: log-probabilities of the network among all legal moves; -inf for none."""
    cells: Tensor
    """float16 [n, 64, c] for from-to, [n, CANDIDATES, c] for points: features of the squares, or of the
    candidates."""
    mean: Tensor
    """float16 [n, c]: mean over all cells."""


class TrunkReader:
    """Runs a network of people's moves and returns policy and trunk."""

    def __init__(self, model: onnx.ModelProto, codec: ConditionedCodec, device: torch.device) -> None:
        self.codec, self.device = codec, device
        layout = describe(codec.game).layout
        assert layout is not None
        self.layout = layout(codec.input_spec.history)
        name = trunk_output(model)
        extended = onnx.ModelProto()
        extended.CopyFrom(model)
        extended.graph.node.append(helper.make_node("Identity", [name], [_TRUNK]))
        extended.graph.output.append(helper.make_tensor_value_info(_TRUNK, TensorProto.FLOAT, None))
        self._graph = TorchGraph(extended).eval().to(device)

    def run(self, planes: np.ndarray[Any, Any], context: np.ndarray[Any, Any]) -> tuple[Tensor, Tensor]:
        """Logits [n, labels] and cells [n, cells, c]."""
        inputs = {
            "planes": torch.from_numpy(planes).to(self.device),
            "context": torch.from_numpy(context).to(self.device),
        }
        autocast = torch.autocast("cuda", torch.bfloat16, enabled=self.device.type == "cuda")
        with torch.no_grad(), autocast:
            out = self._graph(**inputs)
            trunk, n = out[_TRUNK].float(), len(planes)
            cells = trunk.flatten(2).transpose(1, 2) if trunk.dim() == 4 else trunk.reshape(n, 64, -1)
            return out["policy"].float(), cells

    def encoded(self, people: Sequence[PersonGames], every: int, threads: int) -> list[tuple[Any, ...]]:
        """One position in `every` of all games of these people, of their own moves, as inputs of the
        network."""
        with ThreadPoolExecutor(threads) as pool:
            jobs = [(number, person, every) for number, person in enumerate(people)]
            return [chunk for found in pool.map(self._encoded, jobs) for chunk in found]

    def positions(self, chunks: Sequence[tuple[Any, ...]]) -> DevicePositions:
        """The positions of `encoded`."""
        parts = [self._on_device(*_joined(few)) for few in _batches(chunks)]
        return DevicePositions(*(torch.cat([part[i] for part in parts]) for i in range(6)))

    def _encoded(self, job: tuple[int, PersonGames, int]) -> list[tuple[Any, ...]]:
        number, person, every = job
        samples = unpack(self.codec, person)
        mine = np.flatnonzero(samples.movers == np.array(person.sides)[samples.games])
        mine = mine[(samples.plies[mine] // 2 + samples.games[mine]) % every == 0]
        ratings = person.ratings()
        spec, found = self.codec.input_spec, []
        for begin in range(0, len(mine), _CHUNK):
            which = mine[begin : begin + _CHUNK]
            planes, _, labels, offsets, _, played, _ = samples.encode(
                which, spec.encoding, spec.history, None
            )
            games = samples.games[which]
            own, other = ratings[games].T
            other = np.where(np.isnan(other), own, other)
            komi = self.codec.komi(partial(plain, samples, which))
            context = spec.context(own, other, np.full(len(which), np.nan), komi)
            width = int(np.diff(offsets).max())
            table = np.full((len(which), width), -1, np.int64)
            spots = np.arange(width) < np.diff(offsets)[:, None]
            table[spots] = labels
            persons = np.full(len(which), number)
            found.append((persons, games, planes, context, table, played.astype(np.int64)))
        return found

    def _on_device(
        self, person: Any, games: Any, planes: Any, context: Any, table: Any, played: Any
    ) -> tuple[Tensor, ...]:
        logits, cells = self.run(planes, context)
        labels, chosen = (torch.from_numpy(each).to(self.device) for each in (table, played))
        missing = (labels < 0) | (labels >= logits.shape[1])
        logs = logits.gather(1, labels.clamp(0, logits.shape[1] - 1)).masked_fill(missing, -torch.inf)
        logs = logs.log_softmax(1)
        rows = torch.arange(len(logs), device=self.device)
        keep = min(CANDIDATES, logs.shape[1])
        first = logs.clone()
        first[rows, chosen] = 1.0  # the move played is always kept, in the first place
        places = first.topk(keep, dim=1).indices
        labels, logs = labels.gather(1, places), logs.gather(1, places)
        if keep < CANDIDATES:
            labels = torch.nn.functional.pad(labels, (0, CANDIDATES - keep), value=-1)
            logs = torch.nn.functional.pad(logs, (0, CANDIDATES - keep), value=-torch.inf)
        mean = cells.mean(1)
        if self.layout.head == "points":
            points = labels.clamp(0, cells.shape[1] - 1)
            cells = cells.gather(1, points[:, :, None].expand(-1, -1, cells.shape[2]))
        ok = torch.isfinite(logs[:, 0])  # a move without a label
        found = (
            torch.from_numpy(person).to(self.device),
            torch.from_numpy(games).to(self.device),
            labels.to(torch.int16),
            logs.half(),
            cells.half(),
            mean.half(),
        )
        return tuple(each[ok] for each in found)


def _batches(chunks: Sequence[tuple[Any, ...]]) -> Iterator[list[tuple[Any, ...]]]:
    """Chunks of about _BATCH positions together: few people have that many."""
    few: list[tuple[Any, ...]] = []
    for chunk in chunks:
        few.append(chunk)
        if sum(len(each[0]) for each in few) >= _BATCH:
            yield few
            few = []
    if few:
        yield few


def _joined(chunks: list[tuple[Any, ...]]) -> list[Any]:
    """One chunk of several; the tables of moves become equally wide."""
    width = max(chunk[4].shape[1] for chunk in chunks)
    columns = [list(column) for column in zip(*chunks, strict=True)]
    columns[4] = [
        np.pad(table, ((0, 0), (0, width - table.shape[1])), constant_values=-1) for table in columns[4]
    ]
    return [np.concatenate(column) for column in columns]


def squares_of_labels(device: torch.device) -> Tensor:
    """[2, labels]: the squares that each label of a from-to policy leads from and to."""
    return torch.from_numpy(np.array(lc0_policy_moves(), np.int64)[:, :2].T.copy()).to(device)
