"""A player's past turns: what it was told in each, and the boards that it may have been on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sparring._core import RbcBoardSet
from sparring.games import Move

SensedSquares = tuple[tuple[int, str | None], ...]
"""What a sense showed: squares and FEN letters."""


@dataclass
class PastTurn:
    """One turn of the player that is over."""

    opponent_capture: int | None
    """Where the opponent had captured before it."""
    seen: SensedSquares
    request: Move
    taken: Move
    captured: int | None
    boards: RbcBoardSet
    """The boards on which the player may have sensed and moved."""
    exact: bool
    """Whether these are all of them."""
    filtered_by: RbcBoardSet | None = None
    """The later set against which `boards` were last filtered."""

    def after(self) -> RbcBoardSet:
        """The boards once the player had moved."""
        return self.boards.after_move(self.request, self.taken, self.captured)

    def filter_by_later(self, later: RbcBoardSet, opponent_capture: int | None, threads: int) -> None:
        """Keeps the boards from which one of the later ones can come about (algorithm 4 of the paper)."""
        if self.filtered_by is later:
            return
        kept = self.boards.leading_to(later, self.taken, self.captured, opponent_capture, threads)
        if len(kept) < len(self.boards):  # otherwise the same object stays, and nothing before it changes
            self.boards = kept
        self.filtered_by = later

    def subsample(self, count: int, seed: int) -> None:
        """Keeps a random part of the boards."""
        self.boards = self.boards.subsample(count, seed)
        self.exact = False


class TurnHistory:
    """All past turns, with at most `limit` boards in memory: beyond that the largest sets are thinned out."""

    def __init__(self, limit: int, threads: int) -> None:
        self._turns: list[PastTurn] = []
        self._limit = limit
        self._threads = threads

    def __len__(self) -> int:
        return len(self._turns)

    def __getitem__(self, turn: int) -> PastTurn:
        return self._turns[turn]

    def __iter__(self) -> Iterator[PastTurn]:
        return iter(self._turns)

    def append(self, turn: PastTurn, seed: int) -> None:
        """Adds a turn that is over."""
        self._turns.append(turn)
        while sum(len(each.boards) for each in self._turns) > self._limit:
            largest = max(self._turns, key=lambda each: len(each.boards))
            largest.subsample(len(largest.boards) // 4, seed)

    def mark_inexact(self) -> None:
        """No set is known to be complete any more: what was observed contradicted itself."""
        for turn in self._turns:
            turn.exact = False

    def last_exact(self) -> int | None:
        """The last turn whose boards are all there."""
        return next((i for i in reversed(range(len(self))) if self._turns[i].exact), None)

    def replace(self, turns: Sequence[PastTurn]) -> None:
        """Puts other turns at the end, in the place of as many."""
        self._turns[len(self) - len(turns) :] = turns

    def filter_by_later(self, back_to: int, now: RbcBoardSet | None, opponent_capture: int | None) -> None:
        """Filters the past with what is known now, from the newest turn back to `back_to`.

        `now` are all boards that are possible after the opponent's answer to the newest turn, or None where
        they are not known. A set that is not complete filters nothing: what leads to none of its boards may
        lead to one that it lacks.
        """
        for turn in reversed(self._turns[back_to:]):
            if now is not None:
                turn.filter_by_later(now, opponent_capture, self._threads)
            now, opponent_capture = turn.boards if turn.exact else None, turn.opponent_capture
