"""What a blend study measured: the networks, their training games, and the games of its records."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from sparring.measure.samples import select
from sparring.measure.scores import CachedPolicy
from sparring.policies import NetworkPolicy
from sparring.records import Split, records_of, split_of
from sparring.records.statistics import group_name
from sparring.records.table import read_shards
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


def describe_training(plan: BlendStudyConfig) -> dict[str, dict[str, int]]:
    """The training games of policies whose tables are known, by group; "mixed" is a pair of two groups."""
    return {name: _training_games(plan, table) for name, table in plan.training}


def _training_games(plan: BlendStudyConfig, table: Path) -> dict[str, int]:
    found: Counter[str] = Counter()
    for shard in read_shards(table):
        for record in records_of(shard):
            if split_of(record.identity(plan.game), plan.trial) is Split.TRAIN:
                strengths = record.first_rating, record.second_rating, record.first_rank, record.second_rank
                found[group_name(*strengths, bounds=[])] += 1
    return dict(sorted(found.items()))
