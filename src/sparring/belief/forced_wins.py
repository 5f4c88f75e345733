"""Forced wins: the king is captured for certain, whichever of the possible boards is the true one."""

from __future__ import annotations

from sparring._core import RbcBoardSet
from sparring.games import Move


def winning_request(boards: RbcBoardSet) -> Move | None:
    """A request that captures the king on every board, at the player's move."""
    captures = boards.king_captures()
    return captures[0][0] if captures and captures[0][1] == len(boards) else None


def winning_senses(boards: RbcBoardSet, threads: int = 1) -> tuple[int, ...]:
    """The senses after which, whatever they show, some request captures the king for certain."""
    wins = boards.wins_after_sense(threads)
    return tuple(square for square in range(64) if len(boards) and wins[square] == len(boards))


def is_forced_win(boards: RbcBoardSet, threads: int = 1) -> bool:
    """Whether the player wins in its next turn for certain, the opponent being to move.

    Works out all the opponent's moves: for sets of some thousand boards at most.
    """
    return boards.is_forced_win(threads)
