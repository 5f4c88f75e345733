"""Traits of positions, as the policies of a pool see them: what weights by position go by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sparring.policies.segments import Array, Offsets, spread, sums

BASE = "base"
"""The name of the part of a weight that is the same in every position."""
_MOST = 3.0
"""Spreads from the mean at which a trait is cut: no position is so odd that a weight runs away with it."""


def trait_names(policies: int) -> tuple[str, ...]:
    """The traits for so many policies."""
    return ("rating", "ply", "divergence", *(f"entropy-{number}" for number in range(1, policies + 1)))


def traits_of(logs: Array, offsets: Offsets, ratings: Array, plies: Array) -> Array:
    """[positions, traits] from logarithms of probabilities [policies, moves].

    The rating of the player to move (NaN where unknown), the moves played before, the Jensen-Shannon
    divergence between the policies, and the entropy of each; the last two in nats.
    """
    shares = np.exp(logs)
    entropies = -sums(shares * logs, offsets)
    mean = shares.mean(axis=0)
    divergence = -sums(mean * np.log(np.maximum(mean, 1e-300)), offsets) - entropies.mean(axis=0)
    return np.stack([ratings, plies, divergence, *entropies], axis=1)


@dataclass(frozen=True)
class Scale:
    """The mean and the spread of each trait where weights were fitted."""

    means: tuple[float, ...]
    spreads: tuple[float, ...]

    @staticmethod
    def of(traits: Array) -> Scale:
        """That of the traits of some positions; one that never changes has the spread 1."""
        known = [column[~np.isnan(column)] for column in traits.T]
        means = tuple(float(column.mean()) if len(column) else 0.0 for column in known)
        spreads = tuple(float(column.std()) if len(column) else 0.0 for column in known)
        return Scale(means, tuple(each if each > 1e-9 else 1.0 for each in spreads))

    def apply(self, traits: Array) -> Array:
        """[positions, 1 + traits]: 1, and how many spreads each trait is from its mean; 0 if unknown."""
        scaled = np.clip((traits - np.array(self.means)) / np.array(self.spreads), -_MOST, _MOST)
        return np.column_stack([np.ones(len(traits)), np.nan_to_num(scaled)])


def weighted(weights: Array, logs: Array, offsets: Offsets) -> Array:
    """[moves]: the geometric pool with weights [policies, positions], without its constant."""
    total: Array = np.einsum("km,km->m", spread(weights, offsets), logs)
    return total


def ratings_of(ratings: Sequence[int | None]) -> Array:
    """As traits have them: NaN where unknown."""
    return np.array([np.nan if rating is None else rating for rating in ratings], np.float64)
