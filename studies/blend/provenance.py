"""What a blend study measured: the networks, and the games of its records."""

from __future__ import annotations

from collections import Counter
from typing import Any

from sparring.matching import CachedPolicy
from sparring.matching.games import select
from sparring.policies import NetworkPolicy
from studies.blend.config import BlendStudyConfig


def describe_networks(experts: list[CachedPolicy]) -> dict[str, Any]:
    """The network of each policy, from its card; a policy of several networks has its key alone."""
    return {expert.name: _network(expert) for expert in experts}


def _network(expert: CachedPolicy) -> dict[str, Any]:
    found: dict[str, Any] = {"key": expert.key[:12]}
    if isinstance(expert.policy, NetworkPolicy):
        card = expert.policy.network.card
        found |= {
            "network": card.name,
            "architecture": card.architecture,
            "parameters": card.parameters,
            "trained on": card.trained_on,
        }
    return found


def describe_records(plan: BlendStudyConfig) -> dict[str, Any]:
    """The games of all splits: how many, how many with clocks, and by group."""
    games = select(plan.selection(None, None))
    groups = Counter(played.group for played in games)
    return {
        "games": len(games),
        "with clocks": sum(played.record.clocks is not None for played in games),
        "groups": dict(groups),
    }
