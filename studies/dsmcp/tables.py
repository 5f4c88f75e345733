"""The tables of the report as Markdown, beside those of the paper."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

PAPER = {
    "All": (33.6, 62.0, 74.8),
    "Top": (43.1, 73.4, 82.4),
    "StrangeFish": (45.9, 74.3, 86.6),
    "LaSalle Bot": (36.4, 68.2, 69.7),
    "DynamicEntropy": (50.0, 76.7, 78.9),
    "Oracle": (49.3, 77.4, 81.4),
    "StockyInference": (45.2, 73.6, 68.3),
    "Marmot": (24.6, 55.4, 80.8),
    "genetic": (40.4, 70.5, 77.9),
    "Zugzwang": (47.0, 71.6, 80.1),
    "trout": (41.8, 63.4, 79.8),
    "Human": (24.9, 51.9, 73.3),
    "attacker": (45.1, 61.9, 80.1),
    "random": (4.5, 20.7, 94.7),
}
"""Top-1, top-5 and winner accuracy in % of the paper's table 1."""
_MEASURES = ("top1", "top5", "winner")
_CROSS = {
    "top1": "Top-1 action accuracy in % (table 6)",
    "top5": "Top-5 action accuracy in % (table 7)",
    "winner": "Winner accuracy in % (table 8)",
}
_NOTHING = [None, None, None]


def markdown_tables(accuracy: dict[str, Any], saliency: dict[str, Any] | None = None) -> str:
    """Returns table 1 beside the paper's, tables 6, 7 and 8, and those of saliency and ablation."""
    parts = ["\n".join(_table_1(accuracy)), *("\n".join(_cross(accuracy, each)) for each in _CROSS)]
    if saliency is not None:
        parts += ["\n".join(_saliency(saliency)), "\n".join(_ablations(saliency))]
    return "\n\n".join(parts) + "\n"


def _table_1(accuracy: dict[str, Any]) -> Iterator[str]:
    yield "Accuracy in % on a headset's own held-out games (table 1); the paper's is after the stroke:\n"
    yield "| headset | held-out games | decisions | top-1 | top-5 | winner | top-1 more than Top's |"
    yield "|---|---|---|---|---|---|---|"
    for row in accuracy["headsets"]:
        paper = PAPER.get(row["name"], _NOTHING)
        cells = [_beside(row.get(m, _NOTHING), old) for m, old in zip(_MEASURES, paper, strict=True)]
        counts = f"{row['validation_games']:,} | {row['validation_examples']:,}"
        cells.append(_interval(row.get("gain_over_top", _NOTHING), sign="+"))
        yield f"| {row['name']} | {counts} | " + " | ".join(cells) + " |"


def _cross(accuracy: dict[str, Any], measure: str) -> Iterator[str]:
    table = accuracy["tables"][measure]
    names = list(next(iter(table.values())))
    yield f"{_CROSS[measure]}; rows are headsets, columns the players of the held-out decisions:\n"
    yield "| | " + " | ".join(names) + " |"
    yield "|---" * (len(names) + 1) + "|"
    for head, row in table.items():
        yield f"| {head} | " + " | ".join(_percent(row[name][0]) for name in names) + " |"


def _saliency(report: dict[str, Any]) -> Iterator[str]:
    order = sorted(report["planes"], key=lambda row: int(row["rank"]))
    yield "Saliency of the most and the least salient planes, in 1/1000 (tables 9 and 10):\n"
    yield "| plane | loss PBS | action PbS | action PbS 0 | action PbS 1 | rank |"
    yield "|---|---|---|---|---|---|"
    keys = ("loss_pbs", "action_pbs", "action_pbs_0", "action_pbs_1")
    for row in [*order[:10], *order[-5:]]:
        numbers = " | ".join(f"{1000 * row[key]:.2f}" for key in keys)
        yield f"| {row['plane']} {row['name']} | {numbers} | {row['rank']} |"


def _ablations(report: dict[str, Any]) -> Iterator[str]:
    yield "Change of the top-1 accuracy in % when a network is trained without a plane:\n"
    yield "| plane | rank | All | Top |"
    yield "|---|---|---|---|"
    ranks = {row["plane"]: row["rank"] for row in report["planes"]}
    for row in sorted(report.get("ablations", ()), key=lambda row: int(ranks[row["plane"]])):
        cells = (_interval(row["difference"][name], sign="+") for name in ("All", "Top"))
        yield f"| {row['plane']} {row['name']} | {ranks[row['plane']]} | " + " | ".join(cells) + " |"
    for row in report.get("repeats", ()):
        cells = (_interval(row["difference"][name], sign="+") for name in ("All", "Top"))
        yield f"| none, seed {row['seed']} |  | " + " | ".join(cells) + " |"


def _beside(found: list[float | None], paper: float | None) -> str:
    return _interval(found) + ("" if paper is None else f" / {paper:.1f}")


def _interval(found: list[float | None], sign: str = "") -> str:
    value, low, high = found
    if value is None or low is None or high is None:
        return ""
    return f"{100 * value:{sign}.1f} ({100 * low:{sign}.1f} to {100 * high:{sign}.1f})"


def _percent(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.1f}"
