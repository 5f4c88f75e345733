"""A measurement beside its peer's."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One thing measured in the same run for us and for a library that people trust."""

    what: str
    peer: str
    ours: float
    theirs: float
    unit: str
    at_least: float
    """The ratio that we promise."""

    @property
    def ratio(self) -> float:
        """How many times as fast we are."""
        return self.ours / self.theirs
