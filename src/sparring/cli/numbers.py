"""Bounds of all numbers on the command line, beyond the range that an option states itself."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

from sparring.cli.errors import UserError

_LARGEST = 10**9
_LARGEST_SEED = (1 << 63) - 1
"""Native generators take 64 bits."""
_SEEDS = ("seed", "trial")
_PARALLEL = ("threads", "workers", "processes", "concurrency")
_MOST_PARALLEL = 1024
_RATINGS = ("rating", "my_rating", "opponent_rating")
"""The policy has their range (`ratings.check_rating_range`)."""


def with_checked_numbers(command: Callable[..., None]) -> Callable[..., None]:
    """The command, which raises UserError for a number that nothing can work with."""

    @functools.wraps(command)
    def checked(**given: Any) -> None:
        for name, value in given.items():
            check_number(f"--{name.replace('_', '-')}", name, value)
        command(**given)

    return checked


def check_number(shown: str, name: str, value: object) -> None:
    """Raises UserError unless the value of an option is finite and within its bounds; other types pass."""
    if isinstance(value, float) and not math.isfinite(value):
        raise UserError(f"{shown} {value}: expected a finite number")
    if isinstance(value, bool) or not isinstance(value, int) or name in _RATINGS:
        return
    low, high = -_LARGEST, _LARGEST
    if name in _SEEDS:
        low, high = 0, _LARGEST_SEED
    elif name in _PARALLEL:
        low, high = 0, _MOST_PARALLEL
    if not low <= value <= high:
        raise UserError(f"{shown} {_short(value)}: expected a whole number from {low} to {high}")


def _short(value: int) -> str:
    return str(value) if abs(value) < 10**30 else "with so many digits"
