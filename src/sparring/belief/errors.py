"""Errors of tracking: observations that the tracked boards do not fit."""

from __future__ import annotations


class Contradiction(ValueError):
    """An observation that no tracked board is consistent with. The tracker is unchanged."""

    def __init__(self, message: str, *, sampled: bool) -> None:
        super().__init__(message)
        self.sampled = sampled
        """True if the boards were a sample, which may have lost the true board. False if the set was
        complete, so that the observations contradict one another."""


class OutOfOrder(ValueError):
    """An observation that is not due, as after a lost one. The tracker is unchanged."""
