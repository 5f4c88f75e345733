"""Traits of positions, as the policies of a pool see them: what weights by position go by."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sparring.policies.segments import Array, Offsets, spread, sums

_MOST = 3.0
"""Spreads from the mean at which a trait is cut: no position is so odd that a weight runs away with it."""


def trait_names(policies: int) -> tuple[str, ...]:
    """The traits for so many policies."""
    return ("ply", "divergence", *(f"entropy-{number}" for number in range(1, policies + 1)))


def traits_of(logs: Array, offsets: Offsets, plies: Array) -> Array:
    """[positions, traits] from logarithms of probabilities [policies, moves].

    The moves played before, the Jensen-Shannon divergence between the policies, and the entropy of each; the
    last two in nats.
    """
    shares = np.exp(logs)
    entropies = -sums(shares * logs, offsets)
    mean = shares.mean(axis=0)
    divergence = -sums(mean * np.log(np.maximum(mean, 1e-300)), offsets) - entropies.mean(axis=0)
    return np.stack([plies, divergence, *entropies], axis=1)


@dataclass(frozen=True)
class Scale:
    """The mean and the spread of each trait where weights were fitted."""

    means: tuple[float, ...]
    spreads: tuple[float, ...]

    @staticmethod
    def of(traits: Array) -> Scale:
        """That of the traits of some positions; one that never changes has the spread 1."""
        spreads = [each if each > 1e-9 else 1.0 for each in traits.std(axis=0).tolist()]
        return Scale(tuple(traits.mean(axis=0).tolist()), tuple(spreads))

    def apply(self, traits: Array) -> Array:
        """[positions, traits]: how many spreads each is from its mean."""
        scaled: Array = np.clip((traits - np.array(self.means)) / np.array(self.spreads), -_MOST, _MOST)
        return scaled


def weighted(weights: Array, logs: Array, offsets: Offsets) -> Array:
    """[moves]: the geometric pool with weights [policies, positions], without its constant."""
    total: Array = np.einsum("km,km->m", spread(weights, offsets), logs)
    return total
