"""The Codec protocol: positions of a game to network inputs, network outputs to predictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, Self, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from sparring.games import Move, move_name
from sparring.games.game import Position

__all__ = ["Position", "Prediction", "RankedMove"]


class RankedMove(NamedTuple):
    """A move of a prediction."""

    move: Move
    """The move's code."""
    probability: float
    text: str
    """The move in the notation of `Game.move_text`, such as `g1f3`; the code if the state is unknown."""
    name: str
    """The move as people write it, such as `Nf3`, `P-7f` or `D4`; the code if the state is unknown.
    `Game.parse_move` reads both."""


@dataclass(frozen=True)
class Prediction:
    """Probabilities over the legal moves of a position, and its expected result for the side to move."""

    moves: tuple[Move, ...]
    """The legal moves, ascending."""
    probabilities: NDArray[np.float32]
    """[len(moves)]; they sum to 1."""
    value: float | None = None
    """Expected result from -1 (loss) to 1 (win)."""
    wdl: tuple[float, float, float] | None = None
    """Probabilities of win, draw and loss."""
    lead: float | None = None
    """Go: expected lead in points."""
    moves_left: float | None = None
    """Expected number of plies to the end of the game."""
    state: Any = field(default=None, repr=False, compare=False)
    """The state that was predicted for; None if unknown."""
    ownership: NDArray[np.float32] | None = field(default=None, repr=False, compare=False)
    """Go: expected owner of each point, [points], from 1 (the side to move) to -1."""

    def top(self, count: int) -> list[RankedMove]:
        """The `count` most likely moves with their probabilities, texts and names, most likely first."""
        order = np.argsort(-self.probabilities, kind="stable")[:count]
        ranked, state = [], self.state
        for move, probability in ((self.moves[i], float(self.probabilities[i])) for i in order):
            text = str(move) if state is None else state.move_text(move)
            name = str(move) if state is None else move_name(state, move)
            ranked.append(RankedMove(move, probability, text, name))
        return ranked


Tensors: TypeAlias = Mapping[str, NDArray[np.generic]]


class Codec(Protocol):
    """Input encoding and output decoding of one family of networks. Both are native code."""

    game: str
    """The name of the game."""
    optional_outputs: frozenset[str]
    """The outputs that a network may lack."""

    def output_shapes(self, inputs: Tensors) -> Mapping[str, tuple[int, ...]]:
        """The shapes of the network's outputs by name for these inputs, without the batch dimension."""

    def encode(self, positions: Sequence[Position]) -> Tensors:
        """The network's inputs by name, each [positions, ...]."""

    def decode(self, positions: Sequence[Position], outputs: Tensors) -> list[Prediction]:
        """One prediction per position, with probabilities over the legal moves only."""


@runtime_checkable
class SymmetryCodec(Protocol):
    """A codec whose networks can be shown a board under its symmetries.

    Symmetry 0 is the identity. All positions of one call to `apply_symmetry` or `invert_symmetry` have the
    symmetry.
    """

    def symmetries(self, position: Position) -> int:
        """The number of symmetries of a position, the identity included."""

    def apply_symmetry(self, positions: Sequence[Position], inputs: Tensors, symmetry: int) -> Tensors:
        """The inputs of the transformed boards."""

    def invert_symmetry(self, positions: Sequence[Position], outputs: Tensors, symmetry: int) -> Tensors:
        """The outputs for transformed boards, mapped back to the original boards."""


@runtime_checkable
class RatingConditionedCodec(Protocol):
    """A codec whose networks are conditioned on the players' ratings."""

    @property
    def ratings(self) -> tuple[float, float] | None:
        """The lowest and the highest rating that the network accepts; None if it is not conditioned on
        ratings."""


# Positions and predictions as arrays: no Python object per position.
#
# Searches over many trees predict with these. `Network.predict` and `Policy.predict` are for everything else.


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
        ratings = [[None if np.isnan(r) else round(r) for r in pair] for pair in self.ratings.tolist()]
        clocks = [None if np.isnan(clock) else clock for clock in self.clocks.tolist()]
        return [
            Position(self.states[i], mine, theirs, clock)
            for i, ((mine, theirs), clock) in enumerate(zip(ratings, clocks, strict=True))
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
    leads: NDArray[np.float32] | None = None
    """[n]: Go: expected leads of the side to move, in points; None if the network has no score head."""

    @classmethod
    def of(cls, predictions: Sequence[Prediction]) -> Self:
        """The arrays of some predictions."""
        sizes = [len(prediction.moves) for prediction in predictions]
        offsets = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
        shares = [prediction.probabilities for prediction in predictions] or [np.zeros(0, np.float32)]
        values = [np.nan if prediction.value is None else prediction.value for prediction in predictions]
        leads = [prediction.lead for prediction in predictions if prediction.lead is not None]
        known = bool(leads) and len(leads) == len(predictions)
        return cls(
            np.concatenate(shares),
            offsets,
            np.array(values, np.float32),
            np.array(leads, np.float32) if known else None,
        )

    @classmethod
    def join(cls, parts: Sequence[Self]) -> Self:
        """The predictions of all parts, in order."""
        sizes = np.concatenate([np.diff(part.offsets) for part in parts])
        leads = [part.leads for part in parts if part.leads is not None]
        return cls(
            np.concatenate([part.probabilities for part in parts]),
            np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]),
            np.concatenate([part.values for part in parts]),
            np.concatenate(leads) if len(leads) == len(parts) else None,
        )


@runtime_checkable
class BatchCodec(Protocol):
    """A codec that encodes and decodes batches of positions."""

    def encode_batch(self, batch: PositionBatch) -> Tensors:
        """The network's inputs by name, each [positions, ...]. All boards are of one size."""

    def decode_batch(self, batch: PositionBatch, outputs: Tensors) -> PredictionBatch:
        """The predictions from the network's outputs."""
