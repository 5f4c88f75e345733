"""A bar chart of a record table's statistics. Needs matplotlib."""

from __future__ import annotations

from pathlib import Path

from sparring.games import describe
from sparring.records.statistics import TableStatistics, group_order
from sparring.reports.plot_style import BAR_COLOR, INK_COLOR, MUTED_BAR_COLOR, open_pyplot

_ASIDE = ("mixed", "unknown")
"""Games outside the groups, drawn in a lighter colour."""


def plot_statistics(found: TableStatistics, path: Path) -> None:
    """Writes a plot (PNG, SVG or PDF by the suffix). Raises MatplotlibMissing, OSError or ValueError."""
    pyplot = open_pyplot()
    strength = describe(found.game).ratings.word
    panels = {
        f"{strength} of both players": sorted(found.groups.items(), key=lambda item: group_order(item[0])),
        "speed": found.speeds.most_common(8),
        "result": found.results.most_common(),
        "how the game ended": found.endings.most_common(8),
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
        f"{found.games:,} games of {found.game}, {found.positions:,} positions",
        color=INK_COLOR,
        fontsize=12,
        x=0.01,
        ha="left",
    )
    undated = {"Date": None} if path.suffix == ".svg" else None  # the same plot is the same file
    figure.savefig(path, dpi=130, facecolor="white", metadata=undated)
    pyplot.close(figure)
