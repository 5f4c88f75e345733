"""Imaginary people whose weights are known: they draw their moves from a pool of random policies."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sparring.matching import Choices
from sparring.matching.positions import FACTS
from sparring.policies.segments import Array, normalised_logs, offsets_of
from sparring.policies.traits import traits_of, weighted


def imagine(
    weights: Callable[[Array, Array], Array],
    positions: int = 4000,
    policies: int = 2,
    seed: int = 0,
    games: int = 200,
    ratings: tuple[float, float] = (1100, 1900),
) -> Choices:
    """Choices of people with weights(ratings, traits) -> [policies, positions]."""
    rng = np.random.default_rng(seed)
    offsets = offsets_of(rng.integers(2, 12, positions))
    logs = normalised_logs(rng.normal(size=(policies, offsets[-1])) * 1.5, offsets)
    facts = np.zeros(positions, FACTS)
    facts["legal"] = np.diff(offsets)
    facts["game"] = np.sort(rng.integers(0, games, positions))
    facts["ply"] = rng.integers(0, 80, positions)
    facts["rating"] = rng.uniform(*ratings, games)[facts["game"]]
    traits = traits_of(logs, offsets, facts["ply"].astype(np.float64))
    chances = np.exp(
        normalised_logs(weighted(weights(facts["rating"].astype(np.float64), traits), logs, offsets), offsets)
    )
    for number in range(positions):
        part = chances[offsets[number] : offsets[number + 1]]
        facts["played"][number] = rng.choice(len(part), p=part / part.sum())
    return Choices.of(logs.astype(np.float32), facts)


def steady(*weights: float) -> Callable[[Array, Array], Array]:
    """The same weights in every position."""
    return lambda ratings, _: np.repeat(np.array(weights)[:, None], len(ratings), axis=1)
