"""Candidates for the player of a level: how human and how strong each is in people's positions.

A candidate is a policy with or without search. It is compared at several temperatures: the likelihood of
people's moves says how human it is, the expected loss how strong. The best candidate has the highest
likelihood at the loss of the level.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sparring.networks import Position
from sparring.players import PlayerConfig
from sparring.players.policy_player import (
    MoveDistribution,
    move_selection,
    policy_distribution,
    puct_config,
    search_distribution,
)
from sparring.policies import Policy, PolicyPool
from sparring.policies.policy import Curve
from sparring.policies.pool import PoolMember
from sparring.search import search_together
from studies.levels.losses import Losses, expected_losses, log_likelihoods, mean_of_games, played_losses
from studies.levels.positions import GamePosition

TEMPERATURES = (1.0, 0.8, 0.6, 0.5, 0.4, 0.3, 0.2)


def mixture(human: Policy, strong: Policy, share: float) -> PolicyPool:
    """The geometric mean with a share of the strong network. A search has the values of `human`, if it has a
    share, as in `blend`."""
    weights = ((human, 1 - share), (strong, share))
    members = tuple(PoolMember(policy, Curve.constant(weight)) for policy, weight in weights if weight > 0)
    return PolicyPool(f"strong {share:g}", members)


def candidate_row(
    policy: Policy, level: int, nodes: int, positions: Sequence[GamePosition]
) -> dict[str, Any]:
    """Log likelihood and loss of a candidate by temperature, with 95 % intervals by bootstrap over games."""
    games = np.array([position.game for position in positions])
    config = PlayerConfig("chess", model=policy.name, rating=level, nodes=nodes, rule="regularised")
    by_temperature = {}
    for temperature, shares in _shares(policy, config, positions).items():
        by_temperature[f"{temperature:g}"] = {
            "log_likelihood": mean_of_games(log_likelihoods(positions, shares), games),
            "loss": mean_of_games(expected_losses(positions, shares), games),
        }
    return {"policy": policy.name, "asked": level, "nodes": nodes, "temperatures": by_temperature}


def people_row(level: int, positions: Sequence[GamePosition]) -> dict[str, Any]:
    """The loss of people in the same positions."""
    games = np.array([position.game for position in positions])
    return {
        "asked": level,
        "positions": len(positions),
        "loss": mean_of_games(played_losses(positions), games),
    }


def _shares(
    policy: Policy, config: PlayerConfig, positions: Sequence[GamePosition]
) -> Mapping[float, list[Losses]]:
    """The candidate's distributions [moves] in each position, moves ascending, by temperature."""
    level = config.rating_number("rating")
    asked = [Position(position.state, level, level) for position in positions]
    if config.nodes <= 1:
        predictions = policy.predict(asked)
        return {
            temperature: [
                _ascending(policy_distribution("chess", each.state, prediction, temperature, ""))
                for each, prediction in zip(positions, predictions, strict=True)
            ]
            for temperature in TEMPERATURES
        }
    results = search_together(policy, asked, puct_config(config), config.nodes)
    found = {}
    for temperature in TEMPERATURES:
        selection = move_selection(replace(config, temperature=temperature))
        found[temperature] = [
            _ascending(
                search_distribution(
                    "chess", each.state, result, selection, avoid_draws=config.play_forced_wins
                )
            )
            for each, result in zip(positions, results, strict=True)
        ]
    return found


def _ascending(distribution: MoveDistribution) -> Losses:
    weights = distribution.weights[np.argsort(distribution.moves)].astype(np.float64)
    shares: Losses = weights / weights.sum()
    return shares


def likelihood_at_loss(row: Mapping[str, Any], loss: float) -> float | None:
    """The log likelihood at the temperature at which the candidate loses so much; None if it cannot."""
    cells = row["temperatures"].values()
    losses = [cell["loss"]["mean"] for cell in cells][::-1]
    likelihoods = [cell["log_likelihood"]["mean"] for cell in cells][::-1]
    if not losses[0] <= loss <= losses[-1]:
        return None
    return float(np.interp(loss, losses, likelihoods))


def candidate_table(people: Sequence[Mapping[str, Any]], rows: Sequence[Mapping[str, Any]]) -> str:
    """Log likelihood / loss by temperature as Markdown, and the likelihood at the loss of people."""
    names = [f"{temperature:g}" for temperature in TEMPERATURES]
    header = ["level", "policy", "nodes", "likelihood at people's loss", *names]
    lines = ["| " + " | ".join(header) + " |", "|---" * len(header) + "|"]
    for own in people:
        lines.append(f"| {own['asked']} | people: {own['loss']['mean']:.4f} |" + " |" * (len(header) - 2))
        for row in rows:
            if row["asked"] != own["asked"]:
                continue
            cells = [row["temperatures"][name] for name in names]
            texts = [f"{c['log_likelihood']['mean']:.2f} / {c['loss']['mean']:.4f}" for c in cells]
            equal = likelihood_at_loss(row, own["loss"]["mean"])
            texts = [row["policy"], str(row["nodes"]), "" if equal is None else f"{equal:.2f}", *texts]
            lines.append(f"| {row['asked']} | " + " | ".join(texts) + " |")
    return "\n".join(lines)
