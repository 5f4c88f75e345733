"""Analysis of a set of possible boards: information gain of senses, and forced captures of the king."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparring._core import RbcBoardSet
from sparring.games import Move


@dataclass(frozen=True)
class SenseStatistics:
    """Statistics of the 64 senses, with all boards equally likely.

    Arrays have shape [64], indexed by square.
    """

    expected_sizes: NDArray[np.float64]
    """Expected number of boards that remain."""
    entropies: NDArray[np.float64]
    """Entropy of the result in bits."""
    parts: NDArray[np.int64]
    """Number of different results."""
    largest: NDArray[np.int64]
    """Largest number of boards that can remain."""
    undominated: tuple[int, ...]
    """Squares of senses that no other sense includes; empty if all boards look the same."""


def sense_statistics(boards: RbcBoardSet, threads: int = 1) -> SenseStatistics:
    """Computes the statistics of all senses in one pass.

    `boards.partition(square)` has the parts themselves.
    """
    values = boards.sense_values(threads)
    return SenseStatistics(
        expected_sizes=values[:, 0],
        entropies=values[:, 1],
        parts=values[:, 2].astype(np.int64),
        largest=values[:, 3].astype(np.int64),
        undominated=tuple(boards.undominated_senses()),
    )


def winning_request(boards: RbcBoardSet) -> Move | None:
    """Returns a move request that captures the king on every board, or None. The player is to move."""
    captures = boards.king_captures()
    return captures[0][0] if captures and captures[0][1] == len(boards) else None


def winning_senses(boards: RbcBoardSet, threads: int = 1) -> tuple[int, ...]:
    """Returns the squares of senses after which, for every result, some request captures the king for
    certain."""
    wins = boards.wins_after_sense(threads)
    return tuple(square for square in range(64) if len(boards) and wins[square] == len(boards))


def is_forced_win(boards: RbcBoardSet, threads: int = 1) -> bool:
    """Returns True if the player captures the king in its next turn after every move of the opponent.

    The opponent is to move. All its moves are expanded: use this for at most some thousand boards.
    """
    return boards.is_forced_win(threads)
