"""Features of positions on which pool weights depend, computed from the members' predictions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sparring.policies.segments import Array, Offsets, segment_repeat, segment_sum

_CLIP = 3.0
"""Scaled features are clipped at this many standard deviations, so that no outlier dominates a weight."""


def position_feature_names(policies: int) -> tuple[str, ...]:
    """The names of the features for a pool of `policies` members."""
    return ("ply", "divergence", *(f"entropy-{number}" for number in range(1, policies + 1)))


def position_features(logs: Array, offsets: Offsets, plies: Array) -> Array:
    """Features [positions, features] from log-probabilities [policies, moves].

    The features are the ply, the Jensen-Shannon divergence between the policies in nats, and each policy's
    entropy in nats.
    """
    shares = np.exp(logs)
    entropies = -segment_sum(shares * logs, offsets)
    mean = shares.mean(axis=0)
    divergence = -segment_sum(mean * np.log(np.maximum(mean, 1e-300)), offsets) - entropies.mean(axis=0)
    return np.stack([plies, divergence, *entropies], axis=1)


@dataclass(frozen=True)
class FeatureScaler:
    """Mean and standard deviation of each feature on the positions where the weights were fitted."""

    means: tuple[float, ...]
    stds: tuple[float, ...]

    @staticmethod
    def of(traits: Array) -> FeatureScaler:
        """The scaler of features [positions, features]. A constant feature gets the standard deviation 1."""
        stds = [each if each > 1e-9 else 1.0 for each in traits.std(axis=0).tolist()]
        return FeatureScaler(tuple(traits.mean(axis=0).tolist()), tuple(stds))

    def apply(self, traits: Array) -> Array:
        """The standardised features [positions, features], clipped."""
        scaled: Array = np.clip((traits - np.array(self.means)) / np.array(self.stds), -_CLIP, _CLIP)
        return scaled


def geometric_pool(weights: Array, logs: Array, offsets: Offsets) -> Array:
    """Unnormalised log-probabilities [moves] of the geometric pool with weights [policies, positions]."""
    total: Array = np.einsum("km,km->m", segment_repeat(weights, offsets), logs)
    return total
