"""What a bot with a clock may compute in a turn: a budget that shrinks with the time left."""

from __future__ import annotations

import math
from dataclasses import dataclass

TIME_TROUBLE_SECONDS = 2.0
"""Below this time on the clock all parts of a budget shrink, so that a turn costs a few hundredths of it."""
LOW_TIME_SECONDS = 10.0
"""Below this time on the clock, the minimum number of boards is evaluated."""
_TRACKED_PER_SECOND, _LEAST_TRACKED = 5_000, 20_000
_TROUBLED_TRACKED_PER_SECOND, _LEAST_TROUBLED_TRACKED = 2_500, 50
_EVALUATED_PER_SECOND, _MAX_EVALUATED = 40, 6
_AT_ONCE_SECONDS = 0.005
"""Below this time nothing is evaluated."""
_REPAIRED_SHARE = 0.1
"""Boards that are edited after a contradiction: an edit takes as long as ten tracked boards or more."""
_RESAMPLING_SHARE = 0.2
"""Share of a low clock for other samples after a contradiction. In time trouble there are none."""


@dataclass(frozen=True)
class TimeBudget:
    """Bounds of the work of a turn. The defaults are those without a clock."""

    tracked: int | None = None
    """Maximum number of tracked boards; None for the configured one."""
    evaluated: int = _MAX_EVALUATED
    """Minimum number of boards to evaluate; the only number in time trouble. With one board a sense is
    chosen by its information alone, with none a move at random."""
    depth_reduction: int = 0
    """Plies by which evaluations are shallower than configured."""
    resampling_seconds: float = math.inf
    """Time for other samples of boards after a contradiction."""
    repaired: int | None = None
    """Maximum number of boards that are edited after a contradiction; None for the usual one."""
    troubled: bool = False
    """Whether larger sets are cut to `tracked`, too."""


def allot_budget(seconds: float) -> TimeBudget:
    """Returns the budget with so many seconds on the clock."""
    if seconds >= TIME_TROUBLE_SECONDS:
        return TimeBudget(
            tracked=int(max(seconds * _TRACKED_PER_SECOND, _LEAST_TRACKED)),
            resampling_seconds=math.inf if seconds >= LOW_TIME_SECONDS else _RESAMPLING_SHARE * seconds,
        )
    seconds = max(seconds, 0.0)
    tracked = max(int(seconds * _TROUBLED_TRACKED_PER_SECOND), _LEAST_TROUBLED_TRACKED)
    evaluated = math.ceil(_EVALUATED_PER_SECOND * max(seconds - _AT_ONCE_SECONDS, 0.0))
    return TimeBudget(
        tracked,
        evaluated=min(evaluated, _MAX_EVALUATED),
        depth_reduction=int(math.log2(TIME_TROUBLE_SECONDS / max(seconds, _AT_ONCE_SECONDS))),
        resampling_seconds=0.0,
        repaired=max(int(tracked * _REPAIRED_SHARE), 1),
        troubled=True,
    )
