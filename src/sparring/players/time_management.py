"""How long to think: a share of what is left that never runs out."""

from __future__ import annotations

from dataclasses import dataclass

_MOVES_TO_COME = 30
"""That a game is expected to go on for, where nobody says."""
_LARGEST_SHARE = 0.3
"""Of what is left, that one move may take."""


@dataclass(frozen=True)
class Clock:
    """A player's clock, in seconds."""

    remaining: float
    increment: float = 0.0
    """Added after every move."""
    moves_to_go: int | None = None
    """Until more time is added."""
    byoyomi: float = 0.0
    """For every move once the rest is used up."""


def allocate_time(clock: Clock, overhead: float = 0.1) -> float:
    """Seconds for the next move; `overhead` is what is lost on the way to the clock."""
    left = max(clock.remaining - overhead, 0.0)
    moves = _MOVES_TO_COME if clock.moves_to_go is None else max(clock.moves_to_go, 1)
    share = left / moves + 0.8 * clock.increment
    most = left if moves == 1 else _LARGEST_SHARE * left
    if clock.byoyomi:
        return max(min(share, most), 0.0) + max(clock.byoyomi - overhead, 0.0) * (1.0 if left <= 0 else 0.8)
    return max(min(share, most), 0.001)
