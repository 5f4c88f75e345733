"""Which of several people played some games: the one under whose model their moves are the likeliest."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sparring.matching.bootstrap import Estimate

Array = NDArray[np.float64]


def identification_accuracy(
    likelihoods: Array, people: NDArray[np.integer], games: int = 1, *, resamples: int = 1000, seed: int = 0
) -> Estimate:
    """The share of sets of `games` games of one person that are attributed to that person, with a 95 %
    interval.

    `likelihoods` [people, n] are the log-likelihoods of n games under each person's model, `people` [n] who
    played them. A person with at least `games` games has as many sets as whole sets fit, in the given order.
    The interval is a bootstrap over people and their sets. Raises ValueError if nobody has enough games."""
    right: list[Array] = []
    for person in range(len(likelihoods)):
        mine = likelihoods[:, people == person]
        sets = mine.shape[1] // games
        if sets:
            sums = mine[:, : sets * games].reshape(len(likelihoods), sets, games).sum(axis=2)
            right.append((sums.argmax(axis=0) == person).astype(np.float64))
    if not right:
        raise ValueError(f"nobody has {games} games")
    value = float(np.mean([each.mean() for each in right]))
    random = np.random.default_rng(seed)
    drawn = []
    for _ in range(resamples):
        some = random.integers(0, len(right), len(right))
        drawn.append(np.mean([random.choice(right[i], len(right[i])).mean() for i in some]))
    low, high = np.percentile(drawn, [2.5, 97.5])
    return Estimate(value, float(low), float(high))
