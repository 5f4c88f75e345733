"""Limits of a `Tracker`."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class TrackerOptions:
    """Limits of a tracker. Raises ValueError."""

    limit: int = 9_000_000
    """Boards in the current set, 24 bytes each (about 50 more during an expansion)."""
    past_limit: int = 10_000_000
    """Boards in all past sets together."""
    threads: int = 0
    """Threads of an expansion; 0 for all cores."""
    seed: int = 0
    """Seed of the samples."""
    repair: bool = False
    """After a contradiction, continues with boards that are edited to fit the observation."""
    repaired: int = 500
    """Boards that are edited then; of more, a sample."""
    resampling_seconds: float = math.inf
    """Time after which no other sample is tried."""

    def __post_init__(self) -> None:
        for name in ("limit", "past_limit", "repaired"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} = {getattr(self, name)}: expected an integer >= 1")
        if self.threads < 0:
            raise ValueError(f"threads = {self.threads}: expected an integer >= 0 (0 for all cores)")
