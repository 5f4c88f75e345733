"""Trains the value network of the search of chess lines (core/chess/value_network.hpp) on Lichess's scores.

A position of a game with `%eval` is an example if its side to move is not in check and the next move captures
nothing. The target is the win probability of the evaluation by Lichess's formula. Needs PyTorch.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray

from sparring.base.errors import BadFile
from sparring.games import load_game
from sparring.records import open_records
from sparring.records.record import Split
from sparring.training.config import OptimizationConfig
from sparring.training.task import PlainTaskConfig, StepLoss, Task, TaskBatch
from sparring.training.trainer import Trainer, TrainingProgress

INPUTS, WIDTH, BUCKETS = 768, 128, 8
"""The sizes of core/chess/value_network.hpp."""
_UNIT, _WEIGHT, _CENTIPAWNS = 255, 64, 400
_MOST_WEIGHT = 127 / _WEIGHT
_ODDS = 0.00368208
"""Lichess's factor of centipawns in the logarithm of the odds."""
_MOST_CENTIPAWNS = 2_500
_PIECES = 32
_BATCH, _RATE, _ERROR_POWER = 8_192, 3e-3, 2.2
_VALIDATION = 60_000
_TOGETHER = 20_000
_UNKNOWN = -32_768


@dataclass(frozen=True)
class Examples:
    """Positions with the evaluations of their side to move."""

    places: NDArray[np.int16]
    """[positions, 32]: inputs that are 1, seen by the side to move; padded with 768."""
    centipawns: NDArray[np.int16]
    validation: NDArray[np.bool_]
    """Whether the game belongs to the validation split, which is not trained on."""


def read_examples(games: Path) -> Examples:
    """The examples of a file of games. Raises BadFile if there are none."""
    parts = list(_parts(games))
    if not any(len(part.places) for part in parts):
        raise BadFile(f"{games}: no game has evaluations")
    return Examples(
        np.concatenate([part.places for part in parts]),
        np.concatenate([part.centipawns for part in parts]),
        np.concatenate([part.validation for part in parts]),
    )


def _parts(games: Path) -> Iterator[Examples]:
    states: list[Any] = []
    scores: list[int] = []
    validation: list[bool] = []
    for game in open_records(games):
        evaluations = list(islice(game.record.numbers("evals"), len(game)))
        if all(score is None for score in evaluations):
            continue
        held_out = game.split() is Split.VALIDATION
        for ply in range(1, len(game.states)):
            state, score = game.states[ply], evaluations[ply - 1]
            unusable = score is None or ply == len(game.states) - 1 or state.in_check
            states.append(state)
            scores.append(_UNKNOWN if score is None or unusable else score if state.to_move == 0 else -score)
            validation.append(held_out)
        if len(states) > _TOGETHER:
            yield _packed(states, scores, validation)
            states, scores, validation = [], [], []
    if states:
        yield _packed(states, scores, validation)


def _packed(states: list[Any], scores: list[int], validation: list[bool]) -> Examples:
    planes = np.asarray(load_game("chess").encode(states))[:, :12].reshape(len(states), INPUTS) > 0
    counts = planes.sum(1)
    rows, columns = np.nonzero(planes)
    places = np.full((len(states), _PIECES), INPUTS, np.int16)
    first = np.concatenate([[0], np.cumsum(counts)[:-1]])
    places[rows, np.arange(len(rows)) - first[rows]] = columns
    centipawns = np.array(scores, np.int16)
    quiet = np.append(counts[1:] == counts[:-1], False)  # the next move of the game captures nothing
    kept = quiet & (centipawns != _UNKNOWN)
    return Examples(places[kept], centipawns[kept], np.array(validation)[kept])


class _Network(torch.nn.Module):
    """The network with real numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.first = torch.nn.EmbeddingBag(INPUTS + 1, WIDTH, mode="sum", padding_idx=INPUTS)
        torch.nn.init.normal_(self.first.weight, 0, 0.06)
        with torch.no_grad():
            self.first.weight[INPUTS] = 0
        self.first_bias = torch.nn.Parameter(torch.full((WIDTH,), 0.2))
        self.last = torch.nn.Parameter(torch.randn(BUCKETS, 2 * WIDTH) * 0.1)
        self.last_bias = torch.nn.Parameter(torch.zeros(BUCKETS))

    def forward(self, own: torch.Tensor, other: torch.Tensor, bucket: torch.Tensor) -> torch.Tensor:
        """The logarithm of the odds [positions] of the side to move."""
        views = [self.first(places) + self.first_bias for places in (own, other)]
        units = torch.cat(views, 1).clamp(0, 1) ** 2
        output = (units * self.last[bucket]).sum(1) + self.last_bias[bucket]
        return output * _CENTIPAWNS * _ODDS

    def keep_in_range(self) -> None:
        """Limits the weights of the last layer to those of the file."""
        with torch.no_grad():
            self.last.clamp_(-_MOST_WEIGHT, _MOST_WEIGHT)

    def layers(self) -> dict[str, NDArray[Any]]:
        """The layers in integers, as the file has them."""
        with torch.no_grad():
            return {
                "first": np.round(self.first.weight[:INPUTS].numpy() * _UNIT).astype(np.int16),
                "first_bias": np.round(self.first_bias.numpy() * _UNIT).astype(np.int16),
                "last": np.round(self.last.numpy() * _WEIGHT).astype(np.int16),
                "last_bias": np.round(self.last_bias.numpy() * _UNIT * _WEIGHT).astype(np.int32),
            }


def _inputs(examples: Examples, rows: NDArray[np.int64]) -> tuple[torch.Tensor, ...]:
    own = torch.from_numpy(examples.places[rows].astype(np.int64))
    empty = own == INPUTS
    swapped = torch.where(own >= INPUTS // 2, own - INPUTS // 2, own + INPUTS // 2)
    other = torch.where(empty, own, (swapped // 64) * 64 + ((swapped % 64) ^ 56))
    bucket = torch.clamp(((~empty).sum(1) - 2) // 4, max=BUCKETS - 1)
    score = np.clip(examples.centipawns[rows].astype(np.float32), -_MOST_CENTIPAWNS, _MOST_CENTIPAWNS)
    return own, other, bucket, torch.sigmoid(torch.from_numpy(score) * _ODDS)


class LineNetworkTask(Task):
    """The task `line-network`: the win probability of a position, with the error to the power 2.2."""

    name: ClassVar[str] = "line-network"
    output: ClassVar[str] = "chess.npz"

    _network: _Network

    def __init__(self, examples: Examples, epochs: int, batch: int = _BATCH, seed: int = 1) -> None:
        self._examples = examples
        self._rows = np.flatnonzero(~examples.validation)
        self._epoch = max(1, len(self._rows) // batch)
        """Steps of a pass over the positions."""
        training = OptimizationConfig(
            steps=epochs * self._epoch,
            batch=batch,
            optimiser="adam",
            schedule="cosine",
            learning_rate=_RATE,
            warmup=0.08,
            final_rate=1 / 300,
            weight_decay=0.0,
            max_grad_norm=0.0,
            seed=seed,
            validate_every=self._epoch,
        )
        self.config = PlainTaskConfig("line-network", training)

    def make_model(self) -> torch.nn.Module:
        """Returns a network with random weights."""
        self._network = _Network()
        return self._network

    def batches(self, begin: Any) -> Generator[TaskBatch]:
        """Yields the positions in a new random order in every pass."""
        number, order = -1, self._rows
        for step in count(begin):
            if step // self._epoch != number:
                number = step // self._epoch
                order = self._order(number)
            yield self._batch(order, step)

    def example(self, begin: Any) -> TaskBatch:
        """Returns the batch of a step."""
        return self._batch(self._order(begin // self._epoch), begin)

    def loss(self, forward: Callable[..., Any], batch: TaskBatch) -> StepLoss:
        """Returns the mean of the error to a power. The weights of the last layer stay within what the file
        can express."""
        self._network.keep_in_range()
        own, other, bucket, target = batch.tensors
        wins = torch.sigmoid(forward(own, other, bucket))
        return StepLoss(((wins - target).abs() ** _ERROR_POWER).mean(), {})

    def validate(self, model: torch.nn.Module, step: int) -> dict[str, Any]:
        """Returns the errors in win probability on positions of games that are not trained on."""
        return dict(_errors(model, self._examples))

    def export(self, model: torch.nn.Module, metrics: dict[str, Any] | None, step: int) -> bytes:
        """Returns the file of the network with its layers in integers."""
        assert isinstance(model, _Network)
        model.keep_in_range()
        file = io.BytesIO()
        np.savez_compressed(file, **model.layers())  # type: ignore[arg-type]
        return file.getvalue()

    def _order(self, number: int) -> NDArray[np.int64]:
        return np.random.default_rng([self.config.training.seed, number]).permutation(self._rows)

    def _batch(self, order: NDArray[np.int64], step: int) -> TaskBatch:
        size = self.config.training.batch
        first = step % self._epoch * size
        return TaskBatch(_inputs(self._examples, np.sort(order[first : first + size])), step + 1)


def train(
    examples: Examples, epochs: int, folder: Path, report: Callable[[str], None], batch: int = _BATCH
) -> dict[str, Any]:
    """Trains a network in the folder of a run, or resumes the run there; `chess.npz` there is the result.

    Returns its errors in win probability on the validation positions.
    """
    run = Trainer(LineNetworkTask(examples, epochs, batch), folder, device="cpu")

    def show(progress: TrainingProgress) -> None:
        if progress.validation is not None and progress.step % run.config.training.validate_every == 0:
            report(f"step {progress.step} of {progress.steps}: {progress.validation}")

    run.train(show)
    return run.metrics or {}


def _errors(network: torch.nn.Module, examples: Examples) -> dict[str, float]:
    rows = np.flatnonzero(examples.validation)[:_VALIDATION]
    if not len(rows):
        return {}
    differences = []
    with torch.no_grad():
        for first in range(0, len(rows), _BATCH):
            own, other, bucket, target = _inputs(examples, rows[first : first + _BATCH])
            differences.append((torch.sigmoid(network(own, other, bucket)) - target).numpy())
    difference = np.concatenate(differences)
    return {
        "positions": len(rows),
        "mean_absolute_error": round(float(np.abs(difference).mean()), 5),
        "mean_squared_error": round(float((difference**2).mean()), 5),
    }
