"""Where the tuned classes lose expected points: in visited and in unvisited moves, beside people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.networks import Position
from sparring.players import PlayerConfig
from sparring.players.policy_player import move_selection, puct_config
from sparring.policies import Policy
from sparring.search import search_together
from studies.levels.losses import Losses, expected_losses, mean_by_kind, played_losses
from studies.levels.positions import GamePosition

_TREES = 1024


def class_losses(
    policy: Policy, players: Mapping[str, PlayerConfig], positions: Sequence[GamePosition]
) -> list[dict[str, Any]]:
    """Mean losses of people and of each class in the same positions, by rating of the people and in all.

    `NAME` is the expected loss of the class's moves, `NAME, visited` and `NAME, unvisited` that of its two
    parts, `NAME, moves` the number of visited moves.
    """
    columns = {"people": played_losses(positions)}
    for name, config in players.items():
        columns |= {f"{name}{part}": each for part, each in _parts(policy, config, positions).items()}
    ratings = np.array([position.rating for position in positions])
    groups: list[tuple[int | None, NDArray[np.bool_]]] = [(None, np.ones(len(ratings), np.bool_))]
    groups += [(rating, ratings == rating) for rating in sorted(set(ratings.tolist()))]
    rows = []
    for rating, inside in groups:
        chosen = [positions[i] for i in np.flatnonzero(inside).tolist()]
        means = mean_by_kind(chosen, {name: each[inside] for name, each in columns.items()})
        rows.append({"rating": rating, "kinds": means})
    return rows


def _parts(policy: Policy, config: PlayerConfig, positions: Sequence[GamePosition]) -> dict[str, Losses]:
    found: dict[str, list[Losses]] = {}
    rules = {
        part: move_selection(replace(config, unvisited_share=share))
        for part, share in (("", config.unvisited_share), (", visited", 0.0), (", unvisited", 1.0))
    }
    for begin in range(0, len(positions), _TREES):
        some = positions[begin : begin + _TREES]
        results = search_together(
            policy, [Position(each.state) for each in some], puct_config(config), config.nodes
        )
        for part, rule in rules.items():
            shares = [rule(result) for result in results]
            found.setdefault(part, []).append(expected_losses(some, shares))
        visited = [float((result.visits > 0).sum()) for result in results]
        found.setdefault(", moves", []).append(np.array(visited))
    return {part: np.concatenate(each) for part, each in found.items()}
