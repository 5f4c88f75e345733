"""Statistics of a table: games by rating group, speed, time control, result and termination."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from sparring.games import describe
from sparring.games.ranks import rank_order
from sparring.records.table import equal_groups, read_manifest, read_shards

_COLUMNS = [
    "moves",
    "result",
    "ending",
    "first_rating",
    "second_rating",
    "first_rank",
    "second_rank",
    "speed",
    "time_control",
    "clocks",
    "evals",
]
_RESULTS = {1.0: "first wins", 0.5: "draw", 0.0: "second wins", None: "unknown"}


@dataclass
class TableStatistics:
    """Counts of games; `positions` counts positions.

    Both players of a game in a group have ratings in the same hundred, or the same rank if ratings are
    unknown. With `equal_groups` in the preset, groups are ranges of the mean rating with equal numbers of
    games.
    """

    game: str
    games: int = 0
    positions: int = 0
    with_clocks: int = 0
    with_evals: int = 0
    groups: Counter[str] = field(default_factory=Counter)
    speeds: Counter[str] = field(default_factory=Counter)
    time_controls: Counter[str] = field(default_factory=Counter)
    results: Counter[str] = field(default_factory=Counter)
    endings: Counter[str] = field(default_factory=Counter)


def collect_statistics(folder: Path) -> TableStatistics:
    """The statistics of a table. Raises BadTable."""
    manifest = read_manifest(folder)
    found = TableStatistics(manifest["game"])
    equal = equal_groups(manifest)
    bounds = rating_bounds(folder, equal) if equal else []
    for shard in read_shards(folder, _COLUMNS):
        columns = {name: shard[name].to_pylist() for name in _COLUMNS}
        found.games += shard.num_rows
        found.positions += sum(map(len, columns["moves"])) // describe(found.game).packed_move_bytes
        found.with_clocks += sum(value is not None for value in columns["clocks"])
        found.with_evals += sum(value is not None for value in columns["evals"])
        found.groups.update(_groups(columns, bounds))
        found.speeds.update(value or "unknown" for value in columns["speed"])
        found.time_controls.update(value or "unknown" for value in columns["time_control"])
        found.results.update(_RESULTS[value] for value in columns["result"])
        found.endings.update(columns["ending"])
    return found


def rating_bounds(folder: Path, groups: int) -> list[float]:
    """Bounds [groups + 1] of the mean rating that split the games into groups of equal size.

    Empty if the table has no ratings. Raises BadTable.
    """
    means: list[float] = []
    for shard in read_shards(folder, ["first_rating", "second_rating"]):
        pairs = zip(shard["first_rating"].to_pylist(), shard["second_rating"].to_pylist(), strict=True)
        means += [(first + second) / 2 for first, second in pairs if None not in (first, second)]
    if not means:
        return []
    # A bound is the mean rating of a game, so that a group begins at its lowest game.
    return [float(q) for q in np.quantile(means, np.linspace(0, 1, groups + 1), method="higher")]


def group_of(mean: float, bounds: list[float]) -> int:
    """The index of the group between the bounds that a mean rating falls into."""
    return min(max(bisect_right(bounds, mean) - 1, 0), len(bounds) - 2)


def group_order(name: str) -> tuple[int, int, str]:
    """A sort key of group names: ratings and ranks in ascending order, then other names."""
    if name[0].isdigit():
        is_rank = name[-1] in "kdp"
        return (0, rank_order(name) if is_rank else int(name.partition("-")[0]), "")
    return (1, 0, name)


def _groups(columns: dict[str, list[Any]], bounds: list[float]) -> list[str]:
    names = ("first_rating", "second_rating", "first_rank", "second_rank")
    rows = zip(*(columns[name] for name in names), strict=True)
    return [group_name(*row, bounds=bounds) for row in rows]


def group_name(
    first: int | None, second: int | None, rank: str | None, other_rank: str | None, *, bounds: list[float]
) -> str:
    """The group of two players by ratings or ranks; "mixed" where they differ, "unknown" without either."""
    if first is not None and second is not None:
        if bounds:
            group = group_of((first + second) / 2, bounds)
            return f"{bounds[group]:.0f}-{bounds[group + 1]:.0f}"
        return str(first // 100 * 100) if first // 100 == second // 100 else "mixed"
    if rank is not None and other_rank is not None:
        return rank if rank == other_rank else "mixed"
    return "unknown"
