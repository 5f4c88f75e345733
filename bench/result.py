"""What a benchmark reports."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class BenchmarkResult:
    """One thing measured for us and for the peer in the same run; more is better."""

    label: str
    baseline: str
    ours: float
    theirs: float
    unit: str
    min_ratio: float
    """The ratio that we promise."""

    @property
    def ratio(self) -> float:
        """How many times the peer's figure ours is."""
        return self.ours / self.theirs
