"""What each sense would tell a player about the boards that are possible for it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparring._core import RbcBoardSet


@dataclass(frozen=True)
class SenseStatistics:
    """All 64 senses of a set of boards, each board equally likely. Arrays have shape [64]."""

    expected_sizes: NDArray[np.float64]
    """Boards that remain on average."""
    entropies: NDArray[np.float64]
    """Bits that the answer tells."""
    parts: NDArray[np.int64]
    """Different answers."""
    largest: NDArray[np.int64]
    """Boards that remain at worst."""
    undominated: tuple[int, ...]
    """The senses worth choosing among; none where all boards look alike."""


def sense_statistics(boards: RbcBoardSet, threads: int = 1) -> SenseStatistics:
    """Every sense of the set, in one pass. `boards.partition(square)` has the parts themselves."""
    values = boards.sense_values(threads)
    return SenseStatistics(
        expected_sizes=values[:, 0],
        entropies=values[:, 1],
        parts=values[:, 2].astype(np.int64),
        largest=values[:, 3].astype(np.int64),
        undominated=tuple(boards.undominated_senses()),
    )
