"""A player's past turns: what it was told in each, and the boards that it may have been on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sparring._core import RbcBoards
from sparring.games import Move

Seen = tuple[tuple[int, str | None], ...]
"""What a sense showed: squares and FEN letters."""


@dataclass
class Turn:
    """One turn of the player that is over."""

    lost: int | None
    """Where the opponent had captured before it."""
    seen: Seen
    request: Move
    taken: Move
    captured: int | None
    boards: RbcBoards
    """The boards on which the player may have sensed and moved."""
    exact: bool
    """Whether these are all of them."""
    narrowed_by: RbcBoards | None = None
    """The later set against which `boards` were last filtered."""

    def after(self) -> RbcBoards:
        """The boards once the player had moved."""
        return self.boards.after_move(self.request, self.taken, self.captured)

    def narrow(self, later: RbcBoards, lost: int | None, threads: int) -> None:
        """Keeps the boards from which one of the later ones can come about (algorithm 4 of the paper)."""
        if self.narrowed_by is later:
            return
        kept = self.boards.leading_to(later, self.taken, self.captured, lost, threads)
        if len(kept) < len(self.boards):  # otherwise the same object stays, and nothing before it changes
            self.boards = kept
        self.narrowed_by = later

    def thin(self, count: int, seed: int) -> None:
        """Keeps a random part of the boards."""
        self.boards = self.boards.keep(count, seed)
        self.exact = False


class Past:
    """All past turns, with at most `limit` boards in memory: beyond that the largest sets are thinned out."""

    def __init__(self, limit: int, threads: int) -> None:
        self._turns: list[Turn] = []
        self._limit = limit
        self._threads = threads

    def __len__(self) -> int:
        return len(self._turns)

    def __getitem__(self, turn: int) -> Turn:
        return self._turns[turn]

    def __iter__(self) -> Iterator[Turn]:
        return iter(self._turns)

    def append(self, turn: Turn, seed: int) -> None:
        """Adds a turn that is over."""
        self._turns.append(turn)
        while sum(len(each.boards) for each in self._turns) > self._limit:
            largest = max(self._turns, key=lambda each: len(each.boards))
            largest.thin(len(largest.boards) // 4, seed)

    def doubt(self) -> None:
        """No set is known to be complete any more: what was observed contradicted itself."""
        for turn in self._turns:
            turn.exact = False

    def last_exact(self) -> int | None:
        """The last turn whose boards are all there."""
        return next((i for i in reversed(range(len(self))) if self._turns[i].exact), None)

    def replace(self, turns: Sequence[Turn]) -> None:
        """Puts other turns at the end, in the place of as many."""
        self._turns[len(self) - len(turns) :] = turns

    def narrow(self, back_to: int, now: RbcBoards | None, lost: int | None) -> None:
        """Filters the past with what is known now, from the newest turn back to `back_to`.

        `now` are all boards that are possible after the opponent's answer to the newest turn, or None where
        they are not known. A set that is not complete filters nothing: what leads to none of its boards may
        lead to one that it lacks.
        """
        for turn in reversed(self._turns[back_to:]):
            if now is not None:
                turn.narrow(now, lost, self._threads)
            now, lost = turn.boards if turn.exact else None, turn.lost
