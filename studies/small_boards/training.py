"""Trains a network on labelled positions. A batch has boards of one size, in random symmetries."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from sparring.base.config import Source, from_table, read_toml
from sparring.games import describe
from sparring.games.description import ENCODING_VERSION, MOVE_NUMBERING
from sparring.training.batches import IGNORE_INDEX, TrainingBatch, losses
from sparring.training.config import TrainingConfig
from sparring.training.export import export
from sparring.training.model import layout_of, make_network
from sparring.training.task import StepLoss, Task, TaskBatch
from studies.small_boards.targets import UNKNOWN, mixtures

CONFIG = Path(__file__).with_name("small-go.toml")
_CHECKED = 16
"""One block in so many validates."""
_VALIDATED = 512
"""Positions of a validation, of each block."""
_LICENCE = "GPL-3.0-or-later for our part; the licence of its second teacher is not stated"
_TEACHERS = (
    "human-go (this project, from games of Fox and KGS, for weak ranks' policy; licence not stated), "
    "g170e-b15c192-s1672170752-d466197061 (a network of the KataGo project, for policy, value, ownership and "
    "lead; licence not stated)"
)
_LIMITATIONS = (
    "Boards of more than 13 rows were not trained, and 7x7, 8x8 and 10x10 to 12x12 little. No game of people "
    "was there to learn from."
)


@dataclass(frozen=True)
class Positions:
    """Labelled positions of one board size."""

    planes: NDArray[np.uint8]
    """[n, planes, rows, columns]."""
    context: NDArray[np.float32]
    legal: NDArray[np.bool_]
    """[n, points + 1]."""
    policy: NDArray[np.float32]
    """[n, points + 1]: the target."""
    wdl: NDArray[np.float32]
    ownership: NDArray[np.float32]
    lead: NDArray[np.float32]

    @property
    def size(self) -> int:
        """Rows of the board."""
        return int(self.planes.shape[-1])

    def __len__(self) -> int:
        return len(self.planes)


def read_positions(files: Sequence[Path]) -> Positions:
    """Reads blocks of one size, and mixes the targets."""
    columns: dict[str, list[NDArray[Any]]] = {}
    for file in files:
        with np.load(file) as block:
            ranks = np.where(np.isnan(block["rank"]), UNKNOWN, block["rank"])
            policy = mixtures(block["people"], block["judge"], block["legal"], ranks)
            for name in ("planes", "context", "legal", "wdl"):
                columns.setdefault(name, []).append(block[name])
            columns.setdefault("policy", []).append(policy)
            for name in ("ownership", "lead"):
                columns.setdefault(name, []).append(block[name].astype(np.float32))
    return Positions(**{name: np.concatenate(parts) for name, parts in columns.items()})


def turned(boards: NDArray[Any], symmetry: int) -> NDArray[Any]:
    """Boards [..., rows, columns] under one of 8 symmetries."""
    if symmetry & 4:
        boards = boards.swapaxes(-1, -2)
    if symmetry & 2:
        boards = boards[..., ::-1, :]
    return boards[..., ::-1] if symmetry & 1 else boards


def make_batch(at: Positions, rows: NDArray[np.int64], symmetries: NDArray[np.int64]) -> TrainingBatch:
    """The rows in their symmetries [n]."""
    n, size = len(rows), at.size
    planes, legal, policy = at.planes[rows], at.legal[rows], at.policy[rows]
    owners = at.ownership[rows]
    for symmetry in range(1, 8):
        chosen = symmetries == symmetry
        planes[chosen] = turned(planes[chosen], symmetry)
        for points in (legal, policy, owners):
            boards = points[chosen, : size * size].reshape(-1, size, size)
            points[chosen, : size * size] = turned(boards, symmetry).reshape(len(boards), size * size)
    ones, none = torch.ones(n), torch.zeros(n, dtype=torch.bool)
    return TrainingBatch(
        torch.from_numpy(planes),
        torch.from_numpy(at.context[rows]),
        torch.from_numpy(legal),
        torch.from_numpy(policy.argmax(axis=1)),
        torch.full((n,), IGNORE_INDEX),
        torch.from_numpy(policy),
        ones,
        none,
        torch.from_numpy(at.wdl[rows]),
        ones,
        torch.from_numpy(owners),
        torch.from_numpy(at.lead[rows, None]),
    )


class SmallBoardsTask(Task):
    """The task `small-boards`: the teachers' labels are the whole target."""

    name: ClassVar[str] = "small-boards"

    def __init__(self, blocks: Path, config: Path = CONFIG) -> None:
        self.config: TrainingConfig = from_table(
            TrainingConfig, {"name": config.stem, **read_toml(config)}, Source(config)
        )
        files = sorted(blocks.glob("*.npz"))
        checked = [file for file in files if int(file.stem.split("-")[0]) % _CHECKED == 0]
        self._checked = [read_positions([file]) for file in checked]
        by_size: dict[str, list[Path]] = {}
        for file in files:
            if file not in checked:
                by_size.setdefault(file.stem.split("-")[1], []).append(file)
        self._trained = [read_positions(of_size) for _, of_size in sorted(by_size.items())]
        sizes = np.array([len(at) for at in self._trained], np.float64)
        self._shares = sizes / sizes.sum()
        self.positions = int(sizes.sum())

    def make_model(self) -> nn.Module:
        """Returns the configured network with random weights."""
        return make_network(self.config)

    def batches(self, begin: Any) -> Generator[TaskBatch]:
        """Yields batches of drawn positions."""
        return (self.example(step) for step in count(begin))

    def example(self, begin: Any) -> TaskBatch:
        """Draws the positions of a step, all of one size."""
        training = self.config.training
        random = np.random.default_rng([training.seed, begin])
        at = self._trained[random.choice(len(self._trained), p=self._shares)]
        rows = random.integers(len(at), size=training.batch)
        batch = make_batch(at, rows, random.integers(8, size=len(rows)))
        return TaskBatch(tuple(batch), begin + 1)

    def loss(self, forward: Callable[..., Any], batch: TaskBatch) -> StepLoss:
        """Returns the loss, and how often the likeliest move is the teachers'."""
        found = self._losses(forward, TrainingBatch(*batch.tensors))
        return StepLoss(found.total, {"train_top1": found.hits.float().mean()})

    def validate(self, model: nn.Module, step: int) -> dict[str, Any]:
        """Returns the loss and the agreement on blocks that do not train."""
        totals, hits, count = 0.0, 0.0, 0
        for at in self._checked:
            rows = np.arange(min(len(at), _VALIDATED))
            found = self._losses(model, make_batch(at, rows, np.zeros(len(rows), np.int64)))
            totals += float(found.total) * len(rows)
            hits += float(found.hits.float().sum())
            count += len(rows)
        return {"loss": totals / max(count, 1), "top1": hits / max(count, 1), "positions": count}

    def export(self, model: nn.Module, metrics: dict[str, Any] | None, step: int) -> bytes:
        """Returns the network as an ONNX file."""
        accuracy = "not measured"
        if metrics is not None:
            share, count = metrics["top1"], metrics["positions"]
            accuracy = f"the teachers' likeliest move in {share:.3f} of {count:,} positions of other games"
        card = {
            "source": f"python -m studies small-boards-train, step {step:,}, {self.positions:,} positions",
            "teachers": _TEACHERS,
            "trained_on": self.config.about,
            "accuracy": accuracy,
            "licence": _LICENCE,
            "limitations": _LIMITATIONS,
        }
        return bytes(export(model, self.config, card).SerializeToString())

    def versions(self) -> dict[str, Any]:
        """Returns the versions of the input encoding and of move numbers."""
        game = describe(self.config.game)
        return {
            ENCODING_VERSION: game.encodings[layout_of(self.config).encoding],
            MOVE_NUMBERING: game.move_numbering,
        }

    def _losses(self, forward: Callable[..., Any], batch: TrainingBatch) -> Any:
        training = self.config.training
        with torch.autocast("cpu", torch.bfloat16, enabled=batch.planes.device.type == "cpu"):
            outputs: Sequence[Tensor] = forward(batch.planes, batch.context)
        return losses(outputs, batch, training.value_weight, training.fact_weight)
