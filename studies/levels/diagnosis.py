"""The table of `level-losses`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from sparring.players import PlayerConfig
from sparring.policies import Policy
from studies.levels.losses import (
    blunder_rates,
    clustering,
    drawn_losses,
    expected_losses,
    mean_by_kind,
    move_shares,
    played_losses,
)
from studies.levels.positions import GamePosition

_FEWEST_POSITIONS = 200
STRONGER = 400
"""How much stronger the opponent is in the column `stronger`."""


def diagnose(policy: Policy, name: str, positions: Sequence[GamePosition]) -> list[dict[str, Any]]:
    """Losses of the policy at the rating of each class, in people's positions and in those of its own games.

    Columns: `played` is the loss of the move in the record (of people in theirs), `drawn` the expected loss
    at temperature 1, `likeliest` that of the likeliest move, `stronger` as `drawn` if the opponent is 400
    above, `blunders` the probability of a loss of at least 0.2.
    """
    rows: list[dict[str, Any]] = []
    for source, rating in _groups(positions):
        chosen = [
            position for position in positions if (position.source, position.rating) == (source, rating)
        ]
        drawn, likeliest, stronger = (
            move_shares(policy, PlayerConfig("chess", model=name, rating=rating, **keys), chosen)
            for keys in ({}, {"temperature": 0.0}, {"opponent_rating": rating + STRONGER})
        )
        columns = {
            "played": played_losses(chosen),
            "drawn": expected_losses(chosen, drawn),
            "likeliest": expected_losses(chosen, likeliest),
            "stronger": expected_losses(chosen, stronger),
            "blunders": blunder_rates(chosen, drawn),
        }
        games = np.array([each.game for each in chosen])
        clusters = {
            "played": clustering(columns["played"], games),
            "drawn": clustering(drawn_losses(chosen, drawn), games),
        }
        for row in mean_by_kind(chosen, columns):
            rows.append({"source": source, "rating": rating, **row})
            if row["kind"] == "all":
                rows[-1]["clustering"] = clusters
    return rows


def _groups(positions: Sequence[GamePosition]) -> list[tuple[str, int]]:
    """Sources and classes with enough positions for a table by kind."""
    counts = Counter((position.source, position.rating) for position in positions)
    return sorted(group for group, count in counts.items() if count >= _FEWEST_POSITIONS)


def _cell(value: dict[str, Any]) -> str:
    low, high = value["interval"]
    return f"{value['mean']:.3f} ({low:.3f} to {high:.3f})"


def diagnosis_table(rows: Sequence[dict[str, Any]]) -> str:
    """The rows as Markdown."""
    names = ("played", "drawn", "likeliest", "stronger", "blunders")
    lines = ["| positions | rating | kind | number | " + " | ".join(names) + " |", "|---" * 9 + "|"]
    for row in rows:
        cells = [
            row["source"],
            row["rating"],
            row["kind"],
            row["positions"],
            *(_cell(row[name]) for name in names),
        ]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines)
