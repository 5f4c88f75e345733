"""Positions and predictions as arrays: no Python object per position.

Searches over many trees predict with these. `Network.predict` and `Policy.predict` are for everything else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from sparring.networks.codec import Tensors
from sparring.networks.prediction import Position, Prediction


@dataclass(frozen=True)
class PositionBatch:
    """n positions of one game."""

    states: Any
    """A native batch of states, such as ChessStates [n]."""
    ratings: NDArray[np.float64]
    """[n, 2]: the ratings of the player to move and of the opponent; NaN if unknown."""
    clocks: NDArray[np.float64]
    """[n]: seconds that the player to move has left; NaN if unknown."""

    def __len__(self) -> int:
        return len(self.states)

    def take(self, rows: NDArray[np.int64]) -> Self:
        """The positions with these indices."""
        return type(self)(self.states.take(rows), self.ratings[rows], self.clocks[rows])

    def positions(self) -> list[Position]:
        """The same as `Position` objects."""
        numbers = np.column_stack([self.ratings, self.clocks]).tolist()
        return [
            Position(self.states[i], _rating(mine), _rating(theirs), None if np.isnan(clock) else clock)
            for i, (mine, theirs, clock) in enumerate(numbers)
        ]


@dataclass(frozen=True)
class PredictionBatch:
    """The predictions for n positions."""

    probabilities: NDArray[np.float32]
    """The probabilities of all legal moves, position after position, moves ascending."""
    offsets: NDArray[np.int64]
    """[n + 1]: position i has the probabilities offsets[i] to offsets[i + 1]."""
    values: NDArray[np.float32]
    """[n]: expected results for the side to move, from -1 to 1; NaN if the network has no value head."""

    @classmethod
    def of(cls, predictions: Sequence[Prediction]) -> Self:
        """The arrays of some predictions."""
        sizes = [len(each.moves) for each in predictions]
        offsets = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
        shares = [each.probabilities for each in predictions] or [np.zeros(0, np.float32)]
        values = [np.nan if each.value is None else each.value for each in predictions]
        return cls(np.concatenate(shares), offsets, np.array(values, np.float32))

    @classmethod
    def join(cls, parts: Sequence[Self]) -> Self:
        """The predictions of all parts, in order."""
        sizes = np.concatenate([np.diff(part.offsets) for part in parts])
        return cls(
            np.concatenate([part.probabilities for part in parts]),
            np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]),
            np.concatenate([part.values for part in parts]),
        )


@runtime_checkable
class BatchCodec(Protocol):
    """A codec that encodes and decodes batches of positions."""

    def encode_batch(self, batch: PositionBatch) -> Tensors:
        """The network's inputs by name, each [positions, ...]. All boards are of one size."""
        ...

    def decode_batch(self, batch: PositionBatch, outputs: Tensors) -> PredictionBatch:
        """The predictions from the network's outputs."""
        ...


def _rating(number: float) -> int | None:
    return None if np.isnan(number) else round(number)
