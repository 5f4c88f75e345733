"""The ladder of a calibration: asked and measured levels by family of anchors, as JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from itertools import groupby, pairwise
from statistics import fmean
from typing import Any

from sparring.arena.intervals import wilson_interval
from sparring.calibration.anchors import Anchor
from sparring.calibration.run import (
    CalibrationGame,
    GamesTask,
    Results,
    link_anchors,
    missing,
    play_rounds,
    player_fit,
)
from sparring.workers import WorkerPool


def play_families(
    starts: Mapping[str, float],
    anchors: Sequence[Anchor],
    results: Results,
    pool: WorkerPool[GamesTask, list[CalibrationGame]],
    *,
    games: int,
    link_games: int,
    rounds: int,
    chunk: int = 40,
    links: Mapping[str, Mapping[str, float]] | None = None,
    on_progress: Callable[[int], None] = lambda _: None,
) -> dict[str, dict[str, float]]:
    """Plays all players against each family of anchors. Returns the ratings of the anchors by family.

    `links` has ratings of anchors by family from an earlier calibration; their families play no link games.
    """
    ratings: dict[str, dict[str, float]] = {}
    for family, members in groupby(anchors, lambda anchor: anchor.family):
        if links is not None and family in links:
            linked = {anchor.name: links[family][anchor.name] for anchor in members}
        else:
            linked = link_anchors(list(members), results, pool, games=link_games, on_progress=on_progress)
        play_rounds(
            starts, linked, results, pool, games=games, rounds=rounds, chunk=chunk, on_progress=on_progress
        )
        ratings[family] = linked
    return ratings


def play_matches(
    pairs: Sequence[tuple[str, str]],
    results: Results,
    pool: WorkerPool[GamesTask, list[CalibrationGame]],
    *,
    games: int,
    chunk: int = 40,
    on_progress: Callable[[int], None] = lambda _: None,
) -> None:
    """Plays matches between two of the players."""
    tasks = [task for a, b in pairs for task in missing(results, a, {b: games}, chunk)]
    for finished in pool.run(iter(tasks)):
        results.add(finished)
        on_progress(len(finished))


def ladder_report(
    asked: Mapping[str, float],
    ratings: Mapping[str, Mapping[str, float]],
    matches: Sequence[tuple[str, str]],
    results: Results,
) -> dict[str, Any]:
    """Asked and measured levels with intervals by family, and the matches between levels."""
    return {
        "families": {family: _family(asked, elo, results) for family, elo in ratings.items()},
        "matches": [_match(pair, results) for pair in matches],
    }


def _family(asked: Mapping[str, float], elo: Mapping[str, float], results: Results) -> dict[str, Any]:
    rows = []
    for player, level in asked.items():
        if (fit := player_fit(player, elo, results)) is None:
            continue
        scores = {name: list(results.between(player, name).values()) for name in elo}
        rows.append(
            {
                "player": player,
                "asked": level,
                **asdict(fit),
                "scores": {name: [sum(each), len(each)] for name, each in scores.items() if each},
            }
        )
    rows.sort(key=lambda row: row["asked"])
    return {
        "anchors": dict(elo),
        "levels": rows,
        "mean_error": fmean(abs(row["rating"] - row["asked"]) for row in rows) if rows else None,
        "monotone": all(low["rating"] < high["rating"] for low, high in pairwise(rows)),
    }


def _match(pair: tuple[str, str], results: Results) -> dict[str, Any]:
    scores = list(results.between(*pair).values())
    share = fmean(scores) if scores else 0.0
    interval = wilson_interval(share, len(scores)) if scores else (0.0, 1.0)
    return {"players": list(pair), "score": share, "interval": list(interval), "games": len(scores)}
