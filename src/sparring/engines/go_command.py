"""The `go` command of UCI and USI."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sparring.players.time_management import allocate_time
from sparring.search import Clock

_NUMBERS = frozenset(
    ("wtime", "btime", "winc", "binc", "movestogo", "byoyomi", "nodes", "movetime", "depth", "mate")
)
_FLAGS = frozenset(("infinite", "ponder"))
_WORDS = _NUMBERS | _FLAGS | {"searchmoves"}


@dataclass(frozen=True)
class GoCommand:
    """The arguments of `go`. Times are in milliseconds, as the GUI sends them."""

    numbers: Mapping[str, int]
    infinite: bool = False
    ponder: bool = False
    moves: tuple[str, ...] = ()
    """The moves after `searchmoves`, as text."""
    unknown: tuple[str, ...] = ()
    """Words that are not part of the command."""

    @property
    def nodes(self) -> int | None:
        """The node limit; None if there is none."""
        return self.numbers.get("nodes")

    def clock(self, side: str) -> Clock | None:
        """The clock of a side, w or b; None without a clock."""
        if f"{side}time" not in self.numbers and "byoyomi" not in self.numbers:
            return None
        seconds = {key: value / 1000 for key, value in self.numbers.items()}
        return Clock(
            max(seconds.get(f"{side}time", 0.0), 0.0),
            max(seconds.get(f"{side}inc", 0.0), 0.0),
            self.numbers.get("movestogo"),
            max(seconds.get("byoyomi", 0.0), 0.0),
        )

    def seconds(self, side: str, overhead: float) -> float | None:
        """Time limit of the move; None without one. `overhead` is in seconds."""
        if self.infinite:
            return None
        if (milliseconds := self.numbers.get("movetime")) is not None:
            whole = max(milliseconds / 1000, 0.0)
            return max(whole - overhead, whole / 2)
        clock = self.clock(side)
        return None if clock is None else allocate_time(clock, overhead)


def parse_go(words: Sequence[str]) -> GoCommand:
    """Parses the words after `go`; unknown words are collected in `unknown`."""
    numbers: dict[str, int] = {}
    flags, moves, unknown = set(), [], []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word in _FLAGS:
            flags.add(word)
        elif word == "searchmoves":
            while rest and rest[0] not in _WORDS:
                moves.append(rest.pop(0))
        elif word in _NUMBERS and rest and (number := _whole(rest[0])) is not None:
            numbers[word] = number
            rest.pop(0)
        elif word == "mate" and rest[:1] == ["infinite"]:
            flags.add(rest.pop(0))
            numbers[word] = 0
        else:
            unknown.append(word)
    return GoCommand(numbers, "infinite" in flags, "ponder" in flags, tuple(moves), tuple(unknown))


def _whole(text: str) -> int | None:
    """An integer of at most 18 digits; None for anything else."""
    try:
        return int(text) if len(text) <= 18 else None
    except ValueError:
        return None
