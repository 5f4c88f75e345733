"""Level tables as TOML, with what was measured."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sparring.players import LevelTable, PlayerConfig
from sparring.players.player_config import Level


def with_measurements(table: LevelTable, ladders: Iterable[Mapping[str, Any]]) -> LevelTable:
    """The table with the ratings of its rows in ladders of its family; later ladders take precedence.

    A rating counts only if it was measured with the dial of the row. Keys that a ladder lacks
    have their defaults.
    """
    found: dict[int, Mapping[str, Any]] = {}
    for ladder in ladders:
        for row in ladder["families"].get(table.family, {"levels": []})["levels"]:
            level = int(row["asked"])
            played = PlayerConfig(table.game, **ladder["dials"][row["player"]])
            if any(each.level == level for each in table.levels) and played == table.at(level):
                found[level] = row
    return replace(table, levels=tuple(_measured(row, found.get(row.level)) for row in table.levels))


def _measured(row: Level, found: Mapping[str, Any] | None) -> Level:
    if found is None:
        return row
    low, high = found["interval"]
    return replace(
        row, measured=round(found["rating"]), interval=(round(low), round(high)), games=found["games"]
    )


def table_text(table: LevelTable, comments: Sequence[str] = ()) -> str:
    """A level table as TOML."""
    lines = [f"# {comment}" for comment in comments]
    lines += [f'{key} = "{getattr(table, key)}"' for key in ("game", "policy", "rule", "family")]
    for row in table.levels:
        lines += ["", "[[levels]]", f"level = {row.level}"]
        lines += [f"rating = {row.rating}"] if row.rating is not None else []
        lines += [f'policy = "{row.policy}"'] if row.policy else []
        lines += [f"temperature = {row.temperature}"]
        lines += [f"nodes = {row.nodes}"] if row.nodes else []
        if row.measured is not None and row.interval is not None:
            low, high = row.interval
            lines += [f"measured = {row.measured:.0f}", f"interval = [{low:.0f}, {high:.0f}]"]
            lines += [f"games = {row.games}"]
    return "\n".join(lines) + "\n"


def grid_table(game: str, family: str, ladders: Iterable[Mapping[str, Any]]) -> LevelTable:
    """A table of the dials of a grid, each at the level that was measured, rounded to tens.

    For games whose anchors are not on the scale of people's ratings. A dial that measured no higher than a
    weaker one is left out. Raises ValueError if none is left.
    """
    rows = []
    for ladder in ladders:
        for row in ladder["families"].get(family, {"levels": []})["levels"]:
            rating, temperature, nodes, *_ = row["player"].split(":")
            low, high = row["interval"]
            rows.append(
                Level(
                    round(row["rating"] / 10) * 10,
                    int(rating) if rating else None,
                    float(temperature),
                    int(nodes),
                    measured=round(row["rating"]),
                    interval=(round(low), round(high)),
                    games=row["games"],
                )
            )
    rows.sort(key=lambda row: (row.nodes, -row.temperature, row.rating or 0))  # from weak to strong
    kept: list[Level] = []
    for row in rows:
        if not kept or row.level > kept[-1].level:
            kept.append(row)
    return LevelTable(game, tuple(kept), rule="regularised", family=family)
