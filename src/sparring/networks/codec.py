"""The Codec seam: between positions of a game and the tensors of a network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from sparring.networks.prediction import Position, Prediction

Tensors: TypeAlias = Mapping[str, NDArray[np.generic]]


class Codec(Protocol):
    """How one family of networks sees positions and says moves. Encoding and decoding are native."""

    game: str
    """The name of the game, as in `sparring.games.GAMES`."""

    def encode(self, positions: Sequence[Position]) -> Tensors:
        """The network's inputs by name, [len(positions), ...]."""
        ...

    def decode(self, positions: Sequence[Position], outputs: Tensors) -> list[Prediction]:
        """What the network's outputs mean for each position: probabilities over the legal moves only."""
        ...


@runtime_checkable
class SymmetryCodec(Protocol):
    """What a codec may have besides: showing the network a position from another side.

    Symmetry 0 changes nothing. All positions of a call to `apply_symmetry` or
    `invert_symmetry` have the symmetry.
    """

    def symmetries(self, position: Position) -> int:
        """In how many ways the position can be shown, itself included."""
        ...

    def apply_symmetry(self, positions: Sequence[Position], inputs: Tensors, symmetry: int) -> Tensors:
        """The inputs on the turned board."""
        ...

    def invert_symmetry(self, positions: Sequence[Position], outputs: Tensors, symmetry: int) -> Tensors:
        """The turned board's outputs as if the board had not been turned."""
        ...


@runtime_checkable
class RatingConditionedCodec(Protocol):
    """What a codec may have besides: telling the network how strong the players are."""

    @property
    def ratings(self) -> tuple[float, float] | None:
        """The lowest and the highest rating that may be told; None where the network is told none."""
        ...
