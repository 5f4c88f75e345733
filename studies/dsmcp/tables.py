"""The tables of the report as Markdown, beside those of the paper."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sparring.rbc.synopsis import ALL, TOP
from studies.dsmcp.paper import paper_accuracy, paper_planes

_MEASURES = ("top1", "top5", "winner")
_CROSS = {
    "top1": "Top-1 action accuracy in % (table 6)",
    "top5": "Top-5 action accuracy in % (table 7)",
    "winner": "Winner accuracy in % (table 8)",
}
_NOTHING = [None, None, None]


def markdown_tables(accuracy: dict[str, Any], saliency: dict[str, Any] | None = None) -> str:
    """Returns tables 1, 6, 7 and 8, and with a saliency tables 9 and 10 and what the ablation found."""
    parts = ["\n".join(_table_1(accuracy)), *("\n".join(_cross(accuracy, each)) for each in _CROSS)]
    if saliency is not None:
        parts += ["\n".join(_planes(saliency)), "\n".join(_ablation(saliency))]
    return "\n\n".join(part for part in parts if part) + "\n"


def _table_1(accuracy: dict[str, Any]) -> Iterator[str]:
    yield "Accuracy in % on a headset's own held-out games (table 1); the paper's is after the stroke:\n"
    gains = any("gain_over_top" in row for row in accuracy["headsets"])  # older reports have none
    yield (
        "| headset | held-out games | decisions | top-1 | top-5 | winner |"
        + gains * " top-1 more than Top's |"
    )
    yield "|---" * (6 + gains) + "|"
    for row in accuracy["headsets"]:
        name = row["name"]
        cells = [
            _beside(_interval(row.get(measure, _NOTHING)), paper_accuracy(measure, name, name))
            for measure in _MEASURES
        ]
        if gains:
            cells.append(_interval(row.get("gain_over_top", _NOTHING), sign="+"))
        counts = f"{row['validation_games']:,} | {row['validation_examples']:,}"
        yield f"| {name} | {counts} | " + " | ".join(cells) + " |"


def _cross(accuracy: dict[str, Any], measure: str) -> Iterator[str]:
    table = accuracy["tables"][measure]
    names = list(next(iter(table.values())))
    yield (
        f"{_CROSS[measure]}; rows are headsets, columns the players of the held-out decisions, the paper's "
        "after the stroke:\n"
    )
    yield "| | " + " | ".join(names) + " |"
    yield "|---" * (len(names) + 1) + "|"
    for head, row in table.items():
        cells = (_beside(_percent(row[name][0]), paper_accuracy(measure, head, name)) for name in names)
        yield f"| {head} | " + " | ".join(cells) + " |"


def _planes(report: dict[str, Any]) -> Iterator[str]:
    """Tables 9 and 10; the paper's change is the mean over its headsets."""
    yield "Saliency in 1/1000, and the change of the top-1 accuracy in % when a network is trained without a "
    yield "plane (tables 9 and 10), in the order of the saliency:\n"
    yield (
        "| plane | loss PBS | action PbS | action PbS 0 | action PbS 1 | rank | paper's rank | All | Top "
        "| paper's change |"
    )
    yield "|---" * 10 + "|"
    keys = ("loss_pbs", "action_pbs", "action_pbs_0", "action_pbs_1")
    changes = {row["plane"]: row["difference"] for row in report.get("ablations", ())}
    ranks, ablation = paper_planes("rank"), paper_planes("ablation")
    for row in sorted(report["planes"], key=lambda row: int(row["rank"])):
        plane = row["plane"]
        numbers = " | ".join(f"{1000 * row[key]:.2f}" for key in keys)
        found = changes.get(plane, {})
        cells = " | ".join(_interval(found.get(name, _NOTHING), sign="+") for name in (ALL, TOP))
        paper = f"{ranks[plane]:.0f} | {cells} | {ablation[plane]:+.2f}"
        yield f"| {plane} {row['name']} | {numbers} | {row['rank']} | {paper} |"


def _ablation(report: dict[str, Any]) -> Iterator[str]:
    """Noise and correlations."""
    if not (repeats := report.get("repeats")):
        return
    yield "Networks with all planes against the mean of the others, change of the top-1 accuracy in %:\n"
    yield "| seed | All | Top |"
    yield "|---|---|---|"
    for row in repeats:
        cells = (_interval(row["difference"][name], sign="+") for name in (ALL, TOP))
        yield f"| {row['seed']} | " + " | ".join(cells) + " |"
    yield "\nCorrelations over the planes, with 95 % intervals:\n"
    yield "| | All | Top | mean |"
    yield "|---|---|---|---|"
    labels = {"loss_pbs": "loss PBS and change", "action_pbs": "action PbS and change"}
    shown = {labels[name]: found for name, found in report["correlations"].items()}
    shown["change with one seed and with another"] = report["agreement_of_seeds"]
    for label, found in shown.items():
        yield f"| {label} | " + " | ".join(_correlation(found.get(n)) for n in (ALL, TOP, "mean")) + " |"
    for statistic, label in (("action_pbs", "logarithm of action PbS"), ("ablation", "change")):
        yield f"| {label}, ours and the paper's | | | {_correlation(report['paper'][statistic])} |"


def _beside(found: str, paper: float | None) -> str:
    return found + ("" if paper is None else f" / {paper:.1f}")


def _correlation(found: list[float] | None) -> str:
    return "" if not found else f"{found[0]:+.2f} ({found[1]:+.2f} to {found[2]:+.2f})"


def _interval(found: list[float | None], sign: str = "") -> str:
    value, low, high = found
    if value is None or low is None or high is None:
        return ""
    return f"{100 * value:{sign}.1f} ({100 * low:{sign}.1f} to {100 * high:{sign}.1f})"


def _percent(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.1f}"
