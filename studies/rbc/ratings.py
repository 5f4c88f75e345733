"""Ratings of bots of reconnaissance blind chess.

The games are those of the journals of `rbc-variants` and `rbc-matches`, and of the index of `sparring rbc
generate`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from sparring.base.provenance import provenance
from sparring.base.storage import Journal
from sparring.measure.ratings import RatedGame, connected_components, rate
from sparring.measure.reports import write_json

REPORT = "ratings.json"


class JournalledGame(NamedTuple):
    """A game between two named bots; the score is White's."""

    white: str
    black: str
    score: float


def read_journals(paths: Sequence[Path], same: Mapping[str, str]) -> list[JournalledGame]:
    """The games of journals, without those that crashed. `same` maps names to those they are rated as; games
    between two bots of one such name do not count."""
    games = []
    for path in paths:
        for entry in Journal(path).entries:
            if "players" in entry:  # the first line of an index
                continue
            if "first" in entry:  # of an index
                entry = {
                    "bot": entry["first"],
                    "opponent": entry["second"],
                    "number": 0,
                    "score": entry["result"],
                }
            if entry["score"] is None:
                continue
            names = [Path(entry[key]).name.removesuffix(".toml") for key in ("bot", "opponent")]
            bot, opponent = (same.get(name, name) for name in names)
            if bot == opponent:
                continue
            if entry["number"] % 2 == 0:  # the first bot has White
                games.append(JournalledGame(bot, opponent, entry["score"]))
            else:
                games.append(JournalledGame(opponent, bot, 1 - entry["score"]))
    return games


def rating_table(report: Mapping[str, Any]) -> str:
    """The ratings of a report as a TOML file of `sparring.players.game_players`.

    A planner with a time budget has a name such as planner-0.5s.
    """
    lines = [f"# {report['command']}", f'anchor = "{report["anchor"]}"']
    for row in reversed(report["ratings"]):
        name, budget = row["bot"], _BUDGET.fullmatch(row["bot"])
        low, high = (round(row["elo"] + sign * row["half_width_95"]) for sign in (-1, 1))
        lines += ["", "[[bots]]", f'name = "{budget["name"] if budget else name}"']
        lines += [f"seconds = {float(budget['seconds'])}"] if budget else []
        lines += [f"rating = {round(row['elo'])}", f"games = {row['games']}"]
        lines += [f"interval = [{low}, {high}]"] if name != report["anchor"] else []
    return "\n".join(lines) + "\n"


_BUDGET = re.compile(r"(?P<name>\w+)-(?P<seconds>[\d.]+)s")


def run(
    paths: Sequence[Path], anchor: str, at: float, same: Mapping[str, str], out: Path, command: str
) -> dict[str, Any]:
    """Rates all bots that are connected with the anchor by games; writes and returns `ratings.json`."""
    games = read_journals(paths, same)
    names = sorted({name for game in games for name in game[:2]})
    if anchor not in names:
        raise ValueError(f"no game of '{anchor}': there are {', '.join(names) or 'no games'}")
    indexed = [RatedGame(names.index(game.white), names.index(game.black), game.score) for game in games]
    component = next(
        connected_component
        for connected_component in connected_components(indexed, len(names))
        if names.index(anchor) in connected_component
    )
    kept = sorted(component)
    pool = [
        RatedGame(kept.index(each.first), kept.index(each.second), each.result)
        for each in indexed
        if each.first in component
    ]
    ratings = rate(pool, len(kept), anchor=kept.index(names.index(anchor)), at=at)
    rows = [
        {
            "bot": names[player],
            "elo": round(float(ratings.elo[i]), 1),
            "half_width_95": round(float(ratings.half_widths[i]), 1),
            "games": sum(i in (each.first, each.second) for each in pool),
        }
        for i, player in enumerate(kept)
    ]
    rows.sort(key=lambda row: -float(str(row["elo"])))
    report = {**provenance(command), "anchor": anchor, "ratings": rows}
    write_json(report, out / REPORT)
    return report
