"""The pool: several policies as one.

Formulas are those of Ogawa, Hsueh and Ikeda, "More Human-Like Gameplay by Blending Policies From Supervised
and Reinforcement Learning" (2024), for any number of policies p_k with weights w_k instead of two with alpha
and 1 - alpha. Their Blend is the geometric pool of a human-like and a strong policy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from sparring.networks import Position, Prediction
from sparring.policies.curve import Curve
from sparring.policies.policy import Policy, log_probabilities, normalised

Kind: TypeAlias = Literal["geometric", "arithmetic", "power"]
KINDS: tuple[str, ...] = get_args(Kind)


@dataclass(frozen=True)
class Member:
    """A policy and how much it counts, by the rating of the player to move."""

    policy: Policy
    weight: Curve


@dataclass(frozen=True)
class Pool:
    """Exact over the legal moves and in log space. A policy whose weight is 0 for a player is not asked.

    In a geometric pool weights need not add up to 1: their sum is an inverse temperature. In the others only
    their ratios count. A player of unknown rating is taken for one in the middle of all weights' knots.
    Value, results and lead are those of the first policy that was asked.
    Raises ValueError where policies or weights do not go together.
    """

    name: str
    members: tuple[Member, ...]
    kind: Kind = "geometric"
    beta: float = 1.0
    """The exponent of a power pool: 1 makes it arithmetic, and towards 0 it becomes geometric."""

    def __post_init__(self) -> None:
        if not self.members:
            raise ValueError("a pool needs at least one policy")
        if len(played := {member.policy.game for member in self.members}) > 1:
            raise ValueError(f"its policies are for different games: {', '.join(sorted(played))}")
        if self.kind == "power" and not (np.isfinite(self.beta) and self.beta != 0):
            raise ValueError("beta is a number other than 0: towards 0 the power pool is the geometric one")
        if self.kind != "geometric" and min(v for m in self.members for v in m.weight.values) < 0:
            raise ValueError(f"a weight in a pool of kind {self.kind} is not negative")
        for rating in sorted({rating for member in self.members for rating, _ in member.weight.knots}):
            if not any(member.weight.at(rating) for member in self.members):
                raise ValueError(f"all weights are 0 at rating {rating:g}: no policy is left")

    @property
    def game(self) -> str:
        """That of its policies."""
        return self.members[0].policy.game

    def predict(self, positions: Sequence[Position]) -> list[Prediction]:
        """The pooled predictions."""
        ratings = [self._middle if position.rating is None else position.rating for position in positions]
        weights = np.array([[member.weight.at(rating) for rating in ratings] for member in self.members])
        asked: list[list[tuple[float, Prediction]]] = [[] for _ in positions]
        for member, row in zip(self.members, weights, strict=True):
            which = np.flatnonzero(row).tolist()
            for i, prediction in zip(
                which, member.policy.predict([positions[i] for i in which]), strict=True
            ):
                asked[i].append((float(row[i]), prediction))
        return [self._pooled(each) for each in asked]

    @property
    def _middle(self) -> float | None:
        """Of the ratings at which any weight has a knot; None where all weights are constant."""
        curves = [member.weight.knots for member in self.members if len(member.weight.knots) > 1]
        ratings = [rating for knots in curves for rating, _ in knots]
        return (min(ratings) + max(ratings)) / 2 if ratings else None

    def _pooled(self, asked: list[tuple[float, Prediction]]) -> Prediction:
        weights = np.array([weight for weight, _ in asked])
        logs = np.stack([log_probabilities(prediction) for _, prediction in asked])
        return replace(asked[0][1], probabilities=normalised(_MEANS[self.kind](weights, logs, self.beta)))


def geometric(weights: NDArray[np.float64], logs: NDArray[np.float64], beta: float) -> NDArray[np.float64]:
    """Formula (1): the logarithm of prod p_k^w_k. Logs are [policies, moves], here and below."""
    total: NDArray[np.float64] = weights @ logs
    return total


def arithmetic(weights: NDArray[np.float64], logs: NDArray[np.float64], beta: float) -> NDArray[np.float64]:
    """Formula (3): the logarithm of sum w_k p_k."""
    return power(weights, logs, 1.0)


def power(weights: NDArray[np.float64], logs: NDArray[np.float64], beta: float) -> NDArray[np.float64]:
    """Formula (4): the logarithm of (sum w_k p_k^beta)^(1/beta)."""
    terms = beta * logs
    highest = terms.max(axis=0)
    total: NDArray[np.float64] = (np.log(weights @ np.exp(terms - highest)) + highest) / beta
    return total


_MEANS: dict[str, Callable[[NDArray[np.float64], NDArray[np.float64], float], NDArray[np.float64]]] = {
    "geometric": geometric,
    "arithmetic": arithmetic,
    "power": power,
}
