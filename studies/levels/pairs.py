"""Ratings of dials and anchors by one Bradley-Terry model, whose intervals include the anchors' uncertainty.

For games with few anchors, such as the levels of GNU Go.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sparring.measure.calibration import CalibrationGame
from sparring.measure.ratings import RatedGame, rate


def rate_pairs(
    played: Sequence[Mapping[str, Any]],
    nominal: Mapping[str, float],
    anchors: Collection[str],
    family: str,
    least: int = 1,
) -> dict[str, Any]:
    """Ratings of all players of games in Elo, in the form of a ladder. `nominal` has one anchor; dials with
    fewer than `least` games are not in it."""
    games = [CalibrationGame(**entry) for entry in played]
    names = sorted({name for game in games for name in (game.player, game.anchor)})
    numbers = {name: number for number, name in enumerate(names)}
    rated = [
        RatedGame(numbers[game.player], numbers[game.anchor], game.score)
        if game.number % 2 == 0
        else RatedGame(numbers[game.anchor], numbers[game.player], 1 - game.score)
        for game in games
    ]
    ((fixed, at),) = nominal.items()
    found = rate(rated, len(names), anchor=numbers[fixed], at=at)
    elo = dict(zip(names, map(float, found.elo), strict=True))
    rows = [
        {
            "player": name,
            "rating": elo[name],
            "interval": [
                elo[name] - found.half_widths[numbers[name]],
                elo[name] + found.half_widths[numbers[name]],
            ],
            "games": sum(name in (game.player, game.anchor) for game in games),
            "scores": _scores(name, games),
        }
        for name in names
        if name not in anchors and sum(name in (game.player, game.anchor) for game in games) >= least
    ]
    rows.sort(key=lambda row: float(str(row["rating"])))
    intervals = {name: float(found.half_widths[numbers[name]]) for name in names if name in anchors}
    return {
        "families": {
            family: {
                "anchors": {name: elo[name] for name in names if name in anchors},
                "anchors_half_widths": intervals,
                "levels": rows,
            }
        },
        "first_advantage": found.first_advantage,
    }


def _scores(name: str, games: Sequence[CalibrationGame]) -> dict[str, list[float]]:
    """Points and games of a player by opponent."""
    found: dict[str, list[float]] = {}
    for game in games:
        if name in (game.player, game.anchor):
            opponent, score = (
                (game.anchor, game.score) if name == game.player else (game.player, 1 - game.score)
            )
            points, number = found.get(opponent, [0.0, 0])
            found[opponent] = [points + score, number + 1]
    return found
