"""What a tracker is allowed, and what it says of each observation."""

from __future__ import annotations

from dataclasses import dataclass


class Contradiction(ValueError):
    """What a tracker was told fits none of the boards that were possible. The tracker is as it was."""


@dataclass(frozen=True)
class TrackerOptions:
    """How much a tracker may do."""

    limit: int = 9_000_000
    """Boards of the current set; each takes 24 bytes, and some 50 while a set is worked out."""
    past_limit: int = 10_000_000
    """Boards of all past sets together."""
    threads: int = 0
    """Threads that work out successors; 0: as many as the machine has cores."""
    seed: int = 0
    """Decides which boards stay where not all can."""
    repair: bool = False
    """Whether to go on with boards made to fit where an observation contradicts all that there were."""

    def __post_init__(self) -> None:
        for name in ("limit", "past_limit"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}, where at least 1 is expected")
        if self.threads < 0:
            raise ValueError(f"threads is {self.threads}, where 0 (all cores) or more are expected")


@dataclass(frozen=True)
class BeliefUpdate:
    """What an observation did to the set of possible boards."""

    event: str
    """`opponent`, `sense` or `move`."""
    before: int
    """Boards before it."""
    after: int
    """Boards after it."""
    ruled_out: int | None
    """Boards that contradicted it; None where the opponent moved, since boards come and go at once, and where
    boards were made to fit."""
    exact: bool
    """Whether these are all boards that are possible."""
    note: str = ""
    """What else happened: a sample was taken, or boards were worked out anew."""
