"""`SharedPolicy`: one policy for many threads, which predicts in one batch for all that wait."""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import accumulate, pairwise

from sparring.networks import Position, Prediction
from sparring.policies.policy import Policy
from sparring.workers.combining import FlatCombiner


class SharedPolicy:
    """A policy whose `predict` may be called by many threads at once.

    One thread at a time predicts. The positions of threads that come meanwhile form the next batch.
    """

    def __init__(self, policy: Policy, largest_batch: int = 256) -> None:
        """`largest_batch`: positions of a batch, unless one request has more."""
        self.policy = policy
        self.batches = 0
        self.predicted = 0
        """Batches and positions so far."""
        self.seconds = 0.0
        """Time of all batches."""
        self._largest = largest_batch
        self._combiner: FlatCombiner[Sequence[Position], list[Prediction]] = FlatCombiner(
            self._predict, self._take
        )

    @property
    def name(self) -> str:
        """The policy's name."""
        return self.policy.name

    @property
    def game(self) -> str:
        """The policy's game."""
        return self.policy.game

    @property
    def waiting(self) -> int:
        """The number of calls that wait for the next batch."""
        return self._combiner.waiting

    def predict(self, positions: Sequence[Position]) -> list[Prediction]:
        """The policy's predictions. Raises its exceptions, in each thread of the batch."""
        return self._combiner.call(positions) if positions else []

    def _predict(self, requests: list[Sequence[Position]]) -> list[list[Prediction]]:
        began = time.perf_counter()
        try:
            joined = self.policy.predict([each for positions in requests for each in positions])
        finally:
            self.batches += 1
            self.predicted += sum(map(len, requests))
            self.seconds += time.perf_counter() - began
        return [joined[a:b] for a, b in pairwise(accumulate(map(len, requests), initial=0))]

    def _take(self, requests: list[Sequence[Position]]) -> int:
        sizes = accumulate(map(len, requests))
        return max(1, sum(size <= self._largest for size in sizes))
