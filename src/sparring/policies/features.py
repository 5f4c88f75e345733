"""Traits of positions, as the policies of a pool see them: what weights by position go by."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sparring.policies.segments import Array, Offsets, segment_repeat, segment_sum

_CLIP = 3.0
"""Spreads from the mean at which a trait is cut: no position is so odd that a weight runs away with it."""


def position_feature_names(policies: int) -> tuple[str, ...]:
    """The traits for so many policies."""
    return ("ply", "divergence", *(f"entropy-{number}" for number in range(1, policies + 1)))


def position_features(logs: Array, offsets: Offsets, plies: Array) -> Array:
    """[positions, traits] from logarithms of probabilities [policies, moves].

    The moves played before, the Jensen-Shannon divergence between the policies, and the entropy of each; the
    last two in nats.
    """
    shares = np.exp(logs)
    entropies = -segment_sum(shares * logs, offsets)
    mean = shares.mean(axis=0)
    divergence = -segment_sum(mean * np.log(np.maximum(mean, 1e-300)), offsets) - entropies.mean(axis=0)
    return np.stack([plies, divergence, *entropies], axis=1)


@dataclass(frozen=True)
class FeatureScaler:
    """The mean and the spread of each trait where weights were fitted."""

    means: tuple[float, ...]
    stds: tuple[float, ...]

    @staticmethod
    def of(traits: Array) -> FeatureScaler:
        """That of the traits of some positions; one that never changes has the spread 1."""
        stds = [each if each > 1e-9 else 1.0 for each in traits.std(axis=0).tolist()]
        return FeatureScaler(tuple(traits.mean(axis=0).tolist()), tuple(stds))

    def apply(self, traits: Array) -> Array:
        """[positions, traits]: how many spreads each is from its mean."""
        scaled: Array = np.clip((traits - np.array(self.means)) / np.array(self.stds), -_CLIP, _CLIP)
        return scaled


def geometric_pool(weights: Array, logs: Array, offsets: Offsets) -> Array:
    """[moves]: the geometric pool with weights [policies, positions], without its constant."""
    total: Array = np.einsum("km,km->m", segment_repeat(weights, offsets), logs)
    return total
