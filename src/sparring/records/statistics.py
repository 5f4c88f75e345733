"""Statistics of a table: games by rating group, speed, time control, result and termination."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from sparring.base.plot_style import BAR_COLOR, INK_COLOR, MUTED_BAR_COLOR, open_pyplot
from sparring.games import describe
from sparring.games.ratings import rank_order

_PAIR = ["first_rating", "second_rating", "first_rank", "second_rank"]
_COLUMNS = ["moves", "result", "ending", *_PAIR, "speed", "time_control", "clocks", "evals"]
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
    """The statistics of a table. Raises BadFile."""
    from sparring.records.table import equal_groups, read_manifest, read_shards  # they import pyarrow

    manifest = read_manifest(folder)
    statistics = TableStatistics(manifest["game"])
    equal = equal_groups(manifest)
    bounds = rating_bounds(folder, equal) if equal else []
    for shard in read_shards(folder, _COLUMNS):
        columns = {name: shard[name].to_pylist() for name in _COLUMNS}
        statistics.games += shard.num_rows
        statistics.positions += sum(map(len, columns["moves"])) // describe(statistics.game).packed_move_bytes
        statistics.with_clocks += sum(value is not None for value in columns["clocks"])
        statistics.with_evals += sum(value is not None for value in columns["evals"])
        pairs = zip(*(columns[name] for name in _PAIR), strict=True)
        statistics.groups.update(group_name(*pair, bounds=bounds) for pair in pairs)
        statistics.speeds.update(value or "unknown" for value in columns["speed"])
        statistics.time_controls.update(value or "unknown" for value in columns["time_control"])
        statistics.results.update(_RESULTS[value] for value in columns["result"])
        statistics.endings.update(columns["ending"])
    return statistics


def rating_bounds(folder: Path, groups: int) -> list[float]:
    """Bounds [groups + 1] of the mean rating that split the games into groups of equal size.

    Empty if the table has no ratings. Raises BadFile.
    """
    from sparring.records.table import read_shards  # it imports pyarrow

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


# A bar chart of a record table's statistics. Needs matplotlib.


_ASIDE = ("mixed", "unknown")
"""Games outside the groups, drawn in a lighter colour."""


def plot_statistics(statistics: TableStatistics, path: Path) -> None:
    """Writes a plot (PNG, SVG or PDF by the suffix). Raises MissingExtra, OSError or ValueError."""
    pyplot = open_pyplot()
    strength = describe(statistics.game).ratings.word
    panels = {
        f"{strength} of both players": sorted(
            statistics.groups.items(), key=lambda item: group_order(item[0])
        ),
        "speed": statistics.speeds.most_common(8),
        "result": statistics.results.most_common(),
        "how the game ended": statistics.endings.most_common(8),
    }
    first = next(iter(panels))
    shown = {title: counts for title, counts in panels.items() if len(counts) > 1 or title == first}
    widths = [max(2, len(counts)) for counts in shown.values()]
    figure, axes = pyplot.subplots(
        1,
        len(shown),
        figsize=(3 + 0.55 * sum(widths), 3.4),
        width_ratios=widths,
        layout="constrained",
        squeeze=False,
    )
    for axis, (title, counts) in zip(axes[0], shown.items(), strict=True):
        names, values = zip(*counts, strict=True) if counts else ((), ())
        axis.bar(names, values, color=[MUTED_BAR_COLOR if name in _ASIDE else BAR_COLOR for name in names])
        axis.set_xlabel(title)
        axis.tick_params(axis="x", labelrotation=60 if len(names) > 4 else 20, labelsize=8)
        axis.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes[0][0].set_ylabel("games")
    figure.suptitle(
        f"{statistics.games:,} games of {statistics.game}, {statistics.positions:,} positions",
        color=INK_COLOR,
        fontsize=12,
        x=0.01,
        ha="left",
    )
    undated = {"Date": None} if path.suffix == ".svg" else None  # the same plot is the same file
    figure.savefig(path, dpi=130, facecolor="white", metadata=undated)
    pyplot.close(figure)
