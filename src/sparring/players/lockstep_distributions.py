"""A player's move distributions in many positions at once: one network batch, or one search in lockstep."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sparring.networks import Position
from sparring.players.move_distribution import MoveDistribution, policy_distribution, search_distribution
from sparring.players.player_config import PlayerConfig
from sparring.players.search_player import move_selection, puct_config
from sparring.policies import Policy
from sparring.search import search_together


def lockstep_distributions(
    policy: Policy, config: PlayerConfig, states: Sequence[Any]
) -> list[MoveDistribution]:
    """The distributions from which a player with this policy draws its moves, one per state.

    The player is on move in all states. Each search begins with an empty tree; there is no book.
    """
    if not states:
        return []
    own, opponent = config.rating_number("rating"), config.rating_number("opponent_rating")
    positions = [Position(state, own, own if opponent is None else opponent) for state in states]
    if config.nodes <= 1:  # a search of one node plays from the policy
        return [
            policy_distribution(policy.game, state, prediction, config.temperature, "")
            for state, prediction in zip(states, policy.predict(positions), strict=True)
        ]
    selection = move_selection(config)
    found = search_together(policy, positions, puct_config(config), config.nodes)
    return [
        search_distribution(policy.game, state, result, selection, avoid_draws=config.play_forced_wins)
        for state, result in zip(states, found, strict=True)
    ]
