"""The Codec seam: between positions of a game and the tensors of a network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, TypeAlias

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
