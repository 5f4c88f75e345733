"""The ratings that a policy can be conditioned on."""

from __future__ import annotations

import math
from collections.abc import Iterator

from sparring.games import describe
from sparring.policies.person import PersonPolicy
from sparring.policies.policy import Curve, NetworkPolicy, Policy, SharedPolicy, TemperedPolicy
from sparring.policies.pool import FeatureWeightedPool, PolicyPool


def rating_range(policy: Policy) -> tuple[float, float] | None:
    """The range of ratings that all parts of a policy accept; None if it does not depend on ratings."""
    ranges = list(_ranges(policy))
    return (max(low for low, _ in ranges), min(high for _, high in ranges)) if ranges else None


def unrated(policy: Policy) -> str:
    """A message for users who gave a rating to a policy that is not conditioned on ratings; empty
    if it is."""
    if rating_range(policy) is not None:
        return ""
    return f"{policy.name} is not conditioned on {describe(policy.game).ratings.word}s"


def rating_out_of_range(policy: Policy, *ratings: int | None) -> str:
    """A message about the first rating outside the policy's range; empty if there is none."""
    accepted = rating_range(policy)
    for number in ratings:
        if accepted is not None and number is not None and not accepted[0] <= number <= accepted[1]:
            low, high, given = (rating_text(policy.game, int(bound)) for bound in (*accepted, number))
            shown = given if len(given) <= 20 else f"{given[:20]}..."
            word = describe(policy.game).ratings.word
            return f"{policy.name} accepts {word}s from {low} to {high}, not {shown}"
    return ""


def rating_text(game: str, number: int) -> str:
    """A rating or rank as text, by the game's rating system."""
    return describe(game).ratings.format(number)


def _ranges(policy: Policy) -> Iterator[tuple[float, float]]:
    match policy:
        case NetworkPolicy():
            if policy.network.ratings is not None:
                yield policy.network.ratings
        case SharedPolicy() | PersonPolicy():
            yield from _ranges(policy.policy)
        case TemperedPolicy():
            yield from _ranges(policy.policy)
            yield from _curve_range(policy.temperature)
        case PolicyPool() | FeatureWeightedPool():
            for member in policy.members:
                yield from _ranges(member.policy)
                yield from _curve_range(member.weight)


def _curve_range(curve: Curve) -> Iterator[tuple[float, float]]:
    """A curve accepts any rating: it is constant beyond its knots. A curve of one knot ignores ratings."""
    if len(curve.knots) > 1:
        yield -math.inf, math.inf
