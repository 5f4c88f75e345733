"""The figure of matches of reconnaissance blind chess: points with their intervals, from the reports of
`rbc-matches` and `rbc-variants`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sparring.base.plot_style import INK_COLOR, LINE_COLORS, open_pyplot, save_svg
from sparring.base.provenance import provenance
from sparring.measure.reports import write_json
from studies.rbc import matches, variants

NAME = "points"


def read_match(folder: Path, label: str = "") -> dict[str, Any]:
    """The match of a folder, with `label` or the names of the bots and the clock. Raises ValueError."""
    path = next(
        (folder / name for name in (matches.REPORT, variants.REPORT) if (folder / name).exists()), None
    )
    if path is None:
        raise ValueError(f"{folder} has no report of rbc-matches or rbc-variants")
    report = json.loads(path.read_text())
    if len(report["matches"]) != 1:
        raise ValueError(f"{path} has {len(report['matches'])} matches instead of one")
    match = report["matches"][0]
    clock = match.get("clock") or report["clock"]
    return {
        "label": label or f"{Path(match['bot']).stem} - {Path(match['opponent']).stem}, {clock}",
        **{name: match[name] for name in ("games", "won", "drawn", "lost", "share", "interval_95")},
    }


def figure(rows: Sequence[dict[str, Any]]) -> Any:
    """A line for each match: points with their interval, and the number of games."""
    drawn, axis = open_pyplot().subplots(figsize=(6.4, 0.5 + 0.34 * len(rows)))
    for place, row in enumerate(reversed(rows)):
        low, high = (100 * bound for bound in row["interval_95"])
        colour = LINE_COLORS[0] if low > 50 else LINE_COLORS[5]
        axis.plot((low, high), (place, place), color=colour, linewidth=2, solid_capstyle="round")
        axis.plot(100 * row["share"], place, "o", color=colour, markersize=6)
        text = f"{row['share']:.1%} of {row['games']}"
        axis.annotate(text, (102, place), va="center", fontsize=8.5, annotation_clip=False)
    axis.axvline(50, color=INK_COLOR, linewidth=0.8, linestyle=":")
    axis.set_yticks(range(len(rows)), [row["label"] for row in reversed(rows)])
    axis.set_ylim(-0.6, len(rows) - 0.4)
    axis.set_xlim(0, 101)
    axis.set_xlabel("points in %, with 95 % intervals")
    axis.tick_params(axis="y", length=0)
    axis.spines["left"].set_visible(False)
    return drawn


def run(reports: Sequence[tuple[str, Path]], out: Path, command: str) -> dict[str, Any]:
    """Draws `points.svg` of reports `(label, folder)`; writes and returns `points.json`.

    Raises ValueError for a folder without a match, MissingExtra and OSError.
    """
    rows = [read_match(folder, label) for label, folder in reports]
    out.mkdir(parents=True, exist_ok=True)
    save_svg(figure(rows), out, NAME)
    report = {**provenance(command), "matches": rows}
    write_json(report, out / f"{NAME}.json")
    return report
