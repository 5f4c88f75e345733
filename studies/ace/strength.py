"""Strength from games: the model fitted on some players and its errors on others, by number of games."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from sparring.measure.strength import GameEvidence, StrengthModel
from studies.ace.evidence import RATINGS, read_lines
from studies.ace.strength_fit import RatedPlayer, fit_strength_model, strength_errors

GAMES = (1, 2, 5, 10, 20, 50)
"""Numbers of games for which errors are measured."""


def read_evidence(paths: Sequence[Path]) -> list[dict[str, Any]]:
    """The rows of files of `ace-evidence`, without players of unknown name."""
    return [row for path in paths for row in read_lines(path) if row["name"]]


def rated_players(
    rows: Sequence[dict[str, Any]], games: int, *, unseen: bool, repeats: int = 1
) -> list[RatedPlayer]:
    """Players with at least so many games: `repeats` disjoint choices of `games` of them each, if possible.

    With `unseen` only games outside the training split of the network count.
    """
    by_player: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        if not unseen or row["split"] != "train":
            by_player.setdefault(row["name"], []).append(row)
    found = []
    for name, each in by_player.items():
        ordered = sorted(each, key=lambda row: _hash(row["id"]))
        for begin in range(0, min(repeats, len(ordered) // games) * games, games):
            part = ordered[begin : begin + games]
            rating = float(np.mean([row["rating"] for row in part]))
            found.append(RatedPlayer(name, rating, tuple(_evidence(row) for row in part)))
    return found


def fit_and_measure(rows: Sequence[dict[str, Any]], note: str) -> tuple[StrengthModel, dict[str, Any]]:
    """The model of half of the players, by a hash of their names, and its errors on the other half.

    The fit uses 1, 2, 5 and 10 unseen games of each player, as far as there are any. Errors are also given
    for all games, most of which the network was trained on: few players have many unseen games.
    """
    fitted = [row for row in rows if _hash(row["name"])[0] % 2 == 0]
    others = [row for row in rows if _hash(row["name"])[0] % 2 == 1]
    sample = [
        player
        for games in (1, 2, 5, 10)
        for player in _balanced(rated_players(fitted, games, unseen=True), 600)
    ]
    model = fit_strength_model("chess", RATINGS, sample, note=note)
    report: dict[str, Any] = {"fitted_on": len(sample), "model": asdict(model)}
    for key, unseen in (("unseen_games", True), ("all_games", False)):
        report[key] = []
        for games in GAMES:
            players = rated_players(others, games, unseen=unseen)
            if len(players) >= 8:
                report[key].append({"games": games, **strength_errors(model, players)})
    report["by_rating"] = _by_rating(model, rated_players(others, 2, unseen=True))
    return model, report


def _by_rating(model: StrengthModel, players: Sequence[RatedPlayer]) -> list[dict[str, Any]]:
    rows = []
    for low in range(800, 2600, 300):
        inside = [player for player in players if low <= player.rating < low + 300]
        if len(inside) >= 8:
            rows.append({"ratings": f"{low}-{low + 299}", **strength_errors(model, inside)})
    return rows


def _balanced(players: Sequence[RatedPlayer], most: int) -> list[RatedPlayer]:
    """At most so many players, spread over the ratings: the records have many of a few ratings."""
    by_band: dict[int, list[RatedPlayer]] = {}
    for player in sorted(players, key=lambda each: _hash(each.name)):
        by_band.setdefault(int(player.rating // 200), []).append(player)
    share = max(most // max(len(by_band), 1), 1)
    return [player for band in by_band.values() for player in band[:share]]


def _evidence(row: dict[str, Any]) -> GameEvidence:
    return GameEvidence(np.array(row["curve"]), np.array(row["features"]), row["moves"])


def _hash(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=8).digest()
