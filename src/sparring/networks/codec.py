"""The Codec protocol: positions of a game to network inputs, network outputs to predictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from sparring.networks.prediction import Position, Prediction

Tensors: TypeAlias = Mapping[str, NDArray[np.generic]]


class Codec(Protocol):
    """Input encoding and output decoding of one family of networks. Both are native code."""

    game: str
    """The name of the game."""
    optional_outputs: frozenset[str]
    """The outputs that a network may lack."""

    def output_shapes(self, inputs: Tensors) -> Mapping[str, tuple[int, ...]]:
        """The shapes of the network's outputs by name for these inputs, without the batch dimension."""
        ...

    def encode(self, positions: Sequence[Position]) -> Tensors:
        """The network's inputs by name, each [positions, ...]."""
        ...

    def decode(self, positions: Sequence[Position], outputs: Tensors) -> list[Prediction]:
        """One prediction per position, with probabilities over the legal moves only."""
        ...


@runtime_checkable
class SymmetryCodec(Protocol):
    """A codec whose networks can be shown a board under its symmetries.

    Symmetry 0 is the identity. All positions of one call to `apply_symmetry` or `invert_symmetry` have the
    symmetry.
    """

    def symmetries(self, position: Position) -> int:
        """The number of symmetries of a position, the identity included."""
        ...

    def apply_symmetry(self, positions: Sequence[Position], inputs: Tensors, symmetry: int) -> Tensors:
        """The inputs of the transformed boards."""
        ...

    def invert_symmetry(self, positions: Sequence[Position], outputs: Tensors, symmetry: int) -> Tensors:
        """The outputs for transformed boards, mapped back to the original boards."""
        ...


@runtime_checkable
class RatingConditionedCodec(Protocol):
    """A codec whose networks are conditioned on the players' ratings."""

    @property
    def ratings(self) -> tuple[float, float] | None:
        """The lowest and the highest rating that the network accepts; None if it is not conditioned on
        ratings."""
        ...
