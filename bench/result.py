"""The result of a benchmark."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class BenchmarkResult:
    """A rate of ours and of a baseline, measured in the same run; higher is better."""

    label: str
    """The measured work; it identifies the row across runs."""
    baseline: str
    """The peer, or the target."""
    ours: float
    theirs: float
    unit: str
    min_ratio: float
    """The required ratio of ours to theirs; 0 for none."""

    @property
    def ratio(self) -> float:
        """Ours divided by theirs."""
        return self.ours / self.theirs
