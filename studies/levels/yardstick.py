"""The second yardstick: a level's player and people of that rating in the same positions.

Loss a move says whether a level errs as much as people do, and in which positions. Matching and likelihood of
people's moves say how human it is, beside the policy without search and Stockfish at that UCI_Elo.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring.players import LevelTable, PlayerConfig
from sparring.policies import Policy
from studies.levels.losses import (
    Losses,
    expected_losses,
    log_likelihoods,
    mean_by_kind,
    move_shares,
    played_losses,
)
from studies.levels.positions import PEOPLE, GamePosition

BLEND = "blend"
"""The policy with which levels are compared."""
_SAMPLES = 500


class LevelColumns(NamedTuple):
    """What is compared in the positions of a level's class."""

    level: int
    positions: Sequence[GamePosition]
    columns: Mapping[str, Losses]
    """[positions] by name."""


def level_columns(
    policies: Mapping[str, Policy],
    table: LevelTable,
    positions: Sequence[GamePosition],
    level: int,
    engine: Sequence[Losses] | None = None,
) -> LevelColumns:
    """Compares the player of a level with people of that rating, and with `blend` without search.

    `policies` has the level's policy and `blend` by name. `engine` has the shares of Stockfish's moves in
    the positions of the class, in order.
    """
    chosen = class_positions(positions, level)
    players = {"level": table.at(level), "policy": PlayerConfig("chess", model=BLEND, rating=level)}
    shares = {name: move_shares(policies[config.model], config, chosen) for name, config in players.items()}
    if engine is not None:
        shares["stockfish"] = list(engine)
    columns = {"people": played_losses(chosen)}
    columns |= {name: expected_losses(chosen, each) for name, each in shares.items()}
    columns |= {f"{name}, matching": _matching(chosen, each) for name, each in shares.items()}
    columns |= {f"{name}, log likelihood": log_likelihoods(chosen, each) for name, each in shares.items()}
    return LevelColumns(level, chosen, columns)


def class_positions(positions: Sequence[GamePosition], level: int) -> list[GamePosition]:
    """The positions of people of a level's rating."""
    return [position for position in positions if (position.source, position.rating) == (PEOPLE, level)]


def _matching(positions: Sequence[GamePosition], shares: Sequence[Losses]) -> Losses:
    """Probability that the likeliest move is the one played; moves with equal shares count in part."""
    return np.array(
        [
            float(share[each.played] == share.max()) / int((share == share.max()).sum())
            for each, share in zip(positions, shares, strict=True)
        ]
    )


def yardstick_rows(found: Sequence[LevelColumns]) -> list[dict[str, Any]]:
    """Means with intervals of all columns by level and kind of position."""
    return [
        {"asked": each.level, **row} for each in found for row in mean_by_kind(each.positions, each.columns)
    ]


def equivalent_ratings(found: Sequence[LevelColumns], *, seed: int = 0) -> list[dict[str, Any]]:
    """The rating of people who lose as much a move as each level does, with a 95 % interval.

    People's log loss is linear in their rating. A level's equivalent is its number, corrected by the
    difference of its log loss from that of people in the same positions. Bootstrap over games.
    """
    rng = np.random.default_rng(seed)
    levels = np.array([each.level for each in found], np.float64)
    whole = [_log_losses(each, None) for each in found]
    samples = [[_log_losses(each, rng) for each in found] for _ in range(_SAMPLES)]
    ratings = np.array([_equivalent(levels, np.array(each)) for each in (whole, *samples)])
    low, high = np.quantile(ratings[1:], (0.025, 0.975), axis=0)
    return [
        {"asked": int(level), "equivalent": float(rating), "interval": [float(a), float(b)]}
        for level, rating, a, b in zip(levels, ratings[0], low, high, strict=True)
    ]


def _log_losses(found: LevelColumns, rng: np.random.Generator | None) -> tuple[float, float]:
    """Log of the mean loss of people and of the level, in all games or in games drawn with replacement."""
    _, places = np.unique([position.game for position in found.positions], return_inverse=True)
    games = int(places.max()) + 1
    weights = np.ones(games) if rng is None else np.bincount(rng.integers(games, size=games), minlength=games)
    weight = weights[places] / weights[places].sum()
    people, level = (float(weight @ found.columns[name]) for name in ("people", "level"))
    return np.log(max(people, 1e-4)), np.log(max(level, 1e-4))


def _equivalent(levels: NDArray[np.float64], logs: NDArray[np.float64]) -> NDArray[np.float64]:
    slope = np.polyfit(levels, logs[:, 0], 1)[0]
    equivalent: NDArray[np.float64] = levels + (logs[:, 1] - logs[:, 0]) / min(slope, -1e-5)
    return equivalent


def _cell(value: dict[str, Any], digits: int = 3) -> str:
    low, high = value["interval"]
    return f"{value['mean']:.{digits}f} ({low:.{digits}f} to {high:.{digits}f})"


def loss_table(rows: Sequence[dict[str, Any]]) -> str:
    """Loss a move by level and kind of position as Markdown."""
    names = ("people", "level", "policy")
    lines = ["| level | kind | number | " + " | ".join(names) + " |", "|---" * (3 + len(names)) + "|"]
    for row in rows:
        cells = [row["asked"], row["kind"], row["positions"], *(_cell(row[name]) for name in names)]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines)


def matching_table(rows: Sequence[dict[str, Any]]) -> str:
    """Matching and likelihood of people's moves by level, over all positions, as Markdown."""
    players = [name for name in ("level", "policy", "stockfish") if f"{name}, matching" in rows[0]]
    names = [f"{player}, {what}" for what in ("matching", "log likelihood") for player in players]
    lines = ["| level | number | " + " | ".join(names) + " |", "|---" * (2 + len(names)) + "|"]
    for row in rows:
        if row["kind"] == "all":
            cells = [row["asked"], row["positions"], *(_cell(row[name]) for name in names)]
            lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines)


def equivalent_table(rows: Sequence[dict[str, Any]]) -> str:
    """Asked and equivalent ratings as Markdown."""
    lines = ["| asked | equivalent by loss | 95 % |", "|---|---|---|"]
    for row in rows:
        low, high = row["interval"]
        lines.append(f"| {row['asked']} | {row['equivalent']:.0f} | {low:.0f} to {high:.0f} |")
    return "\n".join(lines)
