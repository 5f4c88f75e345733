"""A policy that remembers its predictions: searches at neighbouring Theta meet mostly the same positions."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from sparring.networks import Position, Prediction
from sparring.networks.batches import PositionBatch, PredictionBatch
from sparring.policies import Policy
from sparring.policies.policy import predict_batch
from sparring.policies.segments import segment_offsets


class MemoizedPolicy:
    """A policy whose predictions for batches are kept, up to `limit` positions.

    A position is known by its state, the state before it, the ply, ratings and clock. Networks with a longer
    history may see two lines to one position as the same.
    """

    def __init__(self, policy: Policy, limit: int = 1_000_000) -> None:
        self._policy, self._limit = policy, limit
        self._known: dict[Hashable, tuple[NDArray[np.float32], float]] = {}
        self.hits = self.misses = 0

    @property
    def name(self) -> str:
        """The policy's name."""
        return self._policy.name

    @property
    def game(self) -> str:
        """The policy's game."""
        return self._policy.game

    def predict(self, positions: Sequence[Position]) -> list[Prediction]:
        """The policy's predictions, not remembered."""
        return self._policy.predict(positions)

    def predict_batch(self, batch: PositionBatch) -> PredictionBatch:
        """The predictions for a batch; only unknown positions are evaluated."""
        keys = _keys(batch)
        new = np.array([row for row, key in enumerate(keys) if key not in self._known], np.int64)
        self.hits, self.misses = self.hits + len(keys) - len(new), self.misses + len(new)
        fresh: dict[int, tuple[NDArray[np.float32], float]] = {}
        if len(new):
            found = predict_batch(self._policy, batch.take(new))
            for i, row in enumerate(new.tolist()):
                shares = found.probabilities[found.offsets[i] : found.offsets[i + 1]]
                fresh[row] = shares.copy(), float(found.values[i])
        parts = [fresh[row] if row in fresh else self._known[key] for row, key in enumerate(keys)]
        for row, entry in fresh.items():
            if len(self._known) < self._limit:
                self._known[keys[row]] = entry
        return PredictionBatch(
            np.concatenate([part[0] for part in parts]),
            segment_offsets([len(part[0]) for part in parts]),
            np.array([part[1] for part in parts], np.float32),
        )


def _keys(batch: PositionBatch) -> list[Hashable]:
    context = np.column_stack([batch.ratings, batch.clocks]).astype(np.float32)
    plies = batch.states.plies.tolist()
    keys: list[Hashable] = []
    for row, (ply, near) in enumerate(zip(plies, context, strict=True)):
        state = batch.states[row]
        before = state.previous
        keys.append((hash(state), 0 if before is None else hash(before), ply, near.tobytes()))
    return keys
