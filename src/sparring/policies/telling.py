"""What ratings a policy can be told."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TypeAlias

from sparring.policies.curve import Curve
from sparring.policies.network_policy import NetworkPolicy
from sparring.policies.policy import Policy
from sparring.policies.pool import Pool
from sparring.policies.tempered import Tempered
from sparring.policies.trait_pool import TraitPool
from sparring.records.ranks import rank_text

Range: TypeAlias = tuple[float, float]


def known_ratings(policy: Policy) -> Range | None:
    """The lowest and the highest rating that all its parts know; None where a rating changes nothing."""
    ranges = list(_ranges(policy))
    return (max(low for low, _ in ranges), min(high for _, high in ranges)) if ranges else None


def untold(policy: Policy) -> str:
    """What there is to say to somebody who gave ratings; empty where the policy is told them."""
    return "" if known_ratings(policy) is not None else f"{policy.name} is told no {_strengths(policy.game)}"


def beyond(policy: Policy, *told: int | None) -> str:
    """What is wrong with ratings that the policy does not know; empty where nothing is."""
    known = known_ratings(policy)
    for number in told:
        if known is not None and number is not None and not known[0] <= number <= known[1]:
            what = _strengths(policy.game)
            low, high, given = (strength_text(policy.game, int(each)) for each in (*known, number))
            return f"{policy.name} knows {what} from {low} to {high}, not {given}"
    return ""


def strength_text(game: str, number: int) -> str:
    """A rating or, in Go, a rank as people say it."""
    return rank_text(number) if game == "go" else str(number)


def _strengths(game: str) -> str:
    return "ranks" if game == "go" else "ratings"


def _ranges(policy: Policy) -> Iterator[Range]:
    match policy:
        case NetworkPolicy():
            if (known := policy.network.ratings) is not None:
                yield known
        case Tempered():
            yield from _ranges(policy.policy)
            yield from _of_curve(policy.temperature)
        case Pool() | TraitPool():
            for member in policy.members:
                yield from _ranges(member.policy)
                yield from _of_curve(member.weight)


def _of_curve(curve: Curve) -> Iterator[Range]:
    """Level beyond its knots, a curve takes any rating; with one knot it does not look at it."""
    if len(curve.knots) > 1:
        yield -math.inf, math.inf
