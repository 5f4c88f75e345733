"""`Batch`: encoded positions of recorded games with moves, results, ratings and clocks, as NumPy arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

NO_LABEL = 0xFFFF
"""The label of a move that the policy of an encoding does not have: declaring a win in shogi."""


@dataclass(frozen=True)
class EncodedPositions:
    """Positions in one encoding."""

    planes: NDArray[np.generic]
    labels: NDArray[np.uint16]


@dataclass(frozen=True)
class Batch:
    """n positions with the moves played in them. Mirrored positions have mirrored moves."""

    planes: NDArray[np.generic]
    """The encoding, [n, ...]: for "planes" float32 [n, history * planes, rows, columns]; bytes where an
    encoding has whole numbers only. Packed, bits [n, bytes], the first in the lowest bit."""
    legal: NDArray[np.uint16]
    """Move codes of the legal moves of all positions, concatenated; ascending within a position."""
    labels: NDArray[np.uint16]
    """The policy label of each legal move; `NO_LABEL` if the encoding has none."""
    offsets: NDArray[np.int64]
    """[n + 1]: the legal moves of position i are legal[offsets[i] : offsets[i + 1]]."""
    move: NDArray[np.uint16]
    """[n]: move code of the move played."""
    index: NDArray[np.int32]
    """[n]: index of the move played among the legal moves of its position."""
    symmetry: NDArray[np.uint8]
    """[n]: symmetry of the board that was applied; 0 for the identity."""
    counts: NDArray[np.uint8]
    """[n, planes]: values of the planes that hold counts if packed; else [n, 0]."""
    extra_encodings: Mapping[str, EncodedPositions]
    """The same positions in the requested extra encodings, by name."""
    result: NDArray[np.float32]
    """[n]: score of the player to move, 1, 0.5 or 0; NaN when unknown."""
    rating: NDArray[np.int16]
    """[n]: rating of the player to move; -1 when unknown."""
    opponent_rating: NDArray[np.int16]
    rank: NDArray[np.str_]
    """[n]: rank of the player to move; empty when unknown."""
    opponent_rank: NDArray[np.str_]
    clock: NDArray[np.float32]
    """[n]: seconds left to the player to move after the move; NaN when unknown."""
    clock_before: NDArray[np.float32]
    """[n]: seconds left to the player to move before the move; NaN when unknown."""
    ply: NDArray[np.int32]
    """[n]: moves before the position."""
    mover: NDArray[np.int8]
    """[n]: the player to move, 0 or 1."""
    game: NDArray[np.int64]
    """[n]: identity of the game."""

    def __len__(self) -> int:
        return len(self.move)
