"""Predictions of several policies on people's moves: the data on which weights and temperatures are
fitted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparring.matching.positions import Sample
from sparring.matching.scores import SCORE_DTYPE, ProgressCallback
from sparring.policies import Policy, log_probabilities
from sparring.policies.segments import (
    Array,
    segment_log_softmax,
    segment_logsumexp,
    segment_offsets,
    segment_repeat,
    segment_sum,
)

_CHUNK = 2048


@dataclass(frozen=True)
class ChoiceData:
    """Discrete-choice data: every policy's distribution over the legal moves of each position, and the move
    played."""

    log_probabilities: NDArray[np.float32]
    """[policies, moves of all positions], clipped below at the logarithm of `policies.MIN_PROBABILITY`."""
    offsets: NDArray[np.int64]
    """[positions + 1]: position i has the moves offsets[i] to offsets[i + 1]."""
    played: NDArray[np.int64]
    """[positions]: the index of the move played, among all moves."""
    metadata: NDArray[np.void]
    """[positions] of `positions.METADATA_DTYPE`."""

    @staticmethod
    def of(log_probabilities: NDArray[np.float32], metadata: NDArray[np.void]) -> ChoiceData:
        """Choice data from the metadata of a sample and the log-probabilities [policies, moves] of policies
        on it."""
        offsets = segment_offsets(metadata["legal"])
        return ChoiceData(log_probabilities, offsets, offsets[:-1] + metadata["played"], metadata)

    def __len__(self) -> int:
        return len(self.played)

    def negative_log_likelihood(self, weights: ArrayLike) -> Array:
        """The negative log-likelihood in nats [positions] of the geometric pool with these weights
        [policies]."""
        logs = np.asarray(weights, np.float64) @ self.log_probabilities.astype(np.float64)
        return segment_logsumexp(logs, self.offsets) - logs[self.played]

    def subset(self, which: NDArray[np.integer]) -> ChoiceData:
        """The choice data of the positions with these indices."""
        sizes = np.diff(self.offsets)[which]
        offsets = segment_offsets(sizes)
        places = np.repeat(self.offsets[which] - offsets[:-1], sizes) + np.arange(offsets[-1])
        played = self.played[which] - self.offsets[which] + offsets[:-1]
        return ChoiceData(self.log_probabilities[:, places], offsets, played, self.metadata[which])

    def scores(self, logs: Array) -> NDArray[np.void]:
        """The scores [positions] (`SCORE_DTYPE`) of a policy with these unnormalised log-probabilities
        [moves]."""
        normal = segment_log_softmax(logs, self.offsets)
        shares, mine = np.exp(normal), segment_repeat(normal[self.played], self.offsets)
        earlier = np.arange(len(normal)) < segment_repeat(self.played, self.offsets)
        before = (normal > mine) | ((normal == mine) & earlier)
        found = np.zeros(len(self), SCORE_DTYPE)
        found["played"] = shares[self.played]
        found["top"] = np.maximum.reduceat(shares, self.offsets[:-1])
        found["entropy"] = -segment_sum(shares * normal, self.offsets)
        found["rank"] = np.add.reduceat(before.astype(np.int64), self.offsets[:-1])
        return found


def collect_choice_data(
    policies: Sequence[Policy], sample: Sample, on_progress: ProgressCallback = lambda _: None
) -> ChoiceData:
    """Evaluates every policy on every position of the sample."""
    logs: list[list[NDArray[np.float64]]] = [[] for _ in policies]
    for begin, positions in sample.batches(0, _CHUNK):
        for policy, found in zip(policies, logs, strict=True):
            found += [log_probabilities(prediction) for prediction in policy.predict(positions)]
        on_progress(begin + len(positions))
    return ChoiceData.of(
        np.stack([np.concatenate(found).astype(np.float32) for found in logs]),
        sample.metadata,
    )
