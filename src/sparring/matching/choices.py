"""All that several policies say about people's choices: what weights and temperatures are fitted on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparring.matching.positions import Sample
from sparring.matching.scores import Watcher
from sparring.policies import Policy, log_probabilities

_CHUNK = 2048


@dataclass(frozen=True)
class Choices:
    """Full distributions over legal moves, one position after the other."""

    log_probabilities: NDArray[np.float32]
    """[policies, moves of all positions], none below the logarithm of `policies.FLOOR`."""
    offsets: NDArray[np.int64]
    """[positions + 1]: position i has the moves from offsets[i] to offsets[i + 1]."""
    played: NDArray[np.int64]
    """[positions]: the place of the move that was played, among all moves."""
    facts: NDArray[np.void]
    """[positions] of `positions.FACTS`."""

    def negative_log_likelihood(self, weights: ArrayLike) -> NDArray[np.float64]:
        """[positions]: of the geometric pool with these weights [policies]."""
        logs = np.asarray(weights, np.float64) @ self.log_probabilities.astype(np.float64)
        return log_sums(logs, self.offsets) - logs[self.played]


def collect_choices(policies: Sequence[Policy], sample: Sample, watch: Watcher = lambda _: None) -> Choices:
    """Asks every policy about every position of the sample."""
    logs: list[list[NDArray[np.float64]]] = [[] for _ in policies]
    for begin, positions in sample.batches(0, _CHUNK):
        for policy, found in zip(policies, logs, strict=True):
            found += [log_probabilities(prediction) for prediction in policy.predict(positions)]
        watch(begin + len(positions))
    offsets = np.concatenate([[0], np.cumsum(sample.facts["legal"], dtype=np.int64)])
    return Choices(
        np.stack([np.concatenate(found).astype(np.float32) for found in logs]),
        offsets,
        offsets[:-1] + sample.facts["played"],
        sample.facts,
    )


def log_sums(logs: NDArray[np.float64], offsets: NDArray[np.int64]) -> NDArray[np.float64]:
    """[positions]: the logarithm of the sum of the exponentials of each position's moves."""
    highest = np.maximum.reduceat(logs, offsets[:-1])
    weights = np.exp(logs - np.repeat(highest, np.diff(offsets)))
    sums: NDArray[np.float64] = np.log(np.add.reduceat(weights, offsets[:-1])) + highest
    return sums
