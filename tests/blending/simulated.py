"""Simulated players with known weights: they draw their moves from a pool of random policies."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sparring.measure.samples import METADATA_DTYPE
from sparring.measure.scores import ChoiceData
from sparring.policies.policy import Array, segment_log_softmax, segment_offsets
from sparring.policies.pool import geometric_pool, position_features


def simulate_choices(
    weights: Callable[[Array, Array], Array],
    positions: int = 4000,
    policies: int = 2,
    seed: int = 0,
    games: int = 200,
    ratings: tuple[float, float] = (1100, 1900),
) -> ChoiceData:
    """Choices of people with weights(ratings, traits) -> [policies, positions]."""
    rng = np.random.default_rng(seed)
    offsets = segment_offsets(rng.integers(2, 12, positions))
    logs = segment_log_softmax(rng.normal(size=(policies, offsets[-1])) * 1.5, offsets)
    metadata = np.zeros(positions, METADATA_DTYPE)
    metadata["legal"] = np.diff(offsets)
    metadata["game"] = np.sort(rng.integers(0, games, positions))
    metadata["ply"] = rng.integers(0, 80, positions)
    metadata["rating"] = rng.uniform(*ratings, games)[metadata["game"]]
    traits = position_features(logs, offsets, metadata["ply"].astype(np.float64))
    chances = np.exp(
        segment_log_softmax(
            geometric_pool(weights(metadata["rating"].astype(np.float64), traits), logs, offsets), offsets
        )
    )
    for number in range(positions):
        part = chances[offsets[number] : offsets[number + 1]]
        metadata["played"][number] = rng.choice(len(part), p=part / part.sum())
    return ChoiceData.of(logs.astype(np.float32), metadata)


def constant_weights(*weights: float) -> Callable[[Array, Array], Array]:
    """The same weights in every position."""
    return lambda ratings, _: np.repeat(np.array(weights)[:, None], len(ratings), axis=1)
