"""The report of `sparring measure matching`: JSON, figures, and an HTML page rendered from them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sparring.matching.figures import report_figures, shown_policies
from sparring.reports import page, report
from sparring.reports.names import reader_name
from sparring.reports.numbers import plus_minus, signed
from sparring.reports.report import Content
from sparring.storage import atomic_write

_CAPTIONS = {
    "Accuracy by group": "Share of positions whose most likely move was played; bands: 95 % intervals.",
    "Likelihood by group": "The mean negative log-likelihood of the moves that were played.",
    "Accuracy by ply": "All groups together, by the number of moves played before.",
    "Accuracy by number of legal moves": "All groups together: with fewer legal moves, prediction is easier.",
    "Calibration": "A calibrated policy lies on the dotted line. The size of a mark grows with its number of "
    "positions; the numbers are expected calibration errors.",
    "Differences": "Paired by game: an interval without 0 is a significant difference.",
    "Trials": "The same policies on the test games of several splits. A policy that learned from one split's "
    "training games may have seen some of another's test games.",
}
_FEW_GAMES = 20


def few_games_warning(content: Content) -> str:
    """A warning that names the groups with too few games for their intervals, or an empty string."""
    groups = next(iter(content["policies"].values()))["groups"]
    few = [f"{name} ({entry['games']})" for name, entry in groups.items() if entry["games"] < _FEW_GAMES]
    if not few:
        return ""
    return f"fewer than {_FEW_GAMES} games, so that intervals are too narrow: {', '.join(few)}"


def finding(content: Content) -> str:
    """What the report found, in a sentence: the best policy, and by how much it is better than the next."""
    ranked = sorted(content["policies"], key=lambda name: -content["policies"][name]["mean"]["top1"])
    names, best = list(map(reader_name, ranked)), content["policies"][ranked[0]]["mean"]
    text = f"{names[0]} predicts {best['top1']:.1%} of people's moves"
    text += f" (95 % interval: {best['low']:.1%} to {best['high']:.1%})"
    if len(ranked) == 1:
        return f"{text}."
    gain, low, high = (f"{100 * value:.1f}" for value in _difference(content, ranked[0], ranked[1]))
    if float(low) > 0:
        return f"{text}, {gain} percentage points more than {names[1]} ({low} to {high})."
    return f"{text}; {names[1]} is not clearly worse ({gain} percentage points, {low} to {high})."


def _difference(content: Content, better: str, worse: str) -> tuple[float, float, float]:
    """Accuracy of a policy minus that of another, with its interval."""
    found = content["differences"]
    if better in found and worse in found[better]:
        mean = found[better][worse]["mean"]
        return mean["top1"], mean["low"], mean["high"]
    mean = found[worse][better]["mean"]
    return -mean["top1"], -mean["high"], -mean["low"]


def write_page(folder: Path, out: Path | None = None) -> Path:
    """Renders the HTML page of a report's folder from its JSON and figures.

    Writes to `out` (default: `report.html` in the folder) and returns that path. Raises BadReport or OSError.
    """
    content = report.read_json(folder / "report.json")
    if not is_matching_report(content):
        raise report.BadReport(f"{folder / 'report.json'} is not a report of `sparring measure matching`")
    titles = {figure.name: figure.title for figure in report_figures(content)}
    path = out or folder / "report.html"
    atomic_write(path, _html(content, report.read_figures(folder, titles)))
    return path


def is_matching_report(content: Content) -> bool:
    """Whether a report's JSON has the content that `measure` returns."""
    return {"command", "policies", "split", "positions"} <= content.keys()


def _html(content: Content, figures: dict[str, str]) -> str:
    policies = content["policies"]
    parts = [
        page.paragraph(finding(content)),
        page.paragraph(
            f"{content['positions']:,} positions of {content['games']:,} games from "
            f"{', '.join(content['records'])}; {content['split']} split of trial {content['trial']}. "
            "Intervals hold 95 % and are by bootstrap over games."
        ),
        *([page.paragraph(f"Groups with {few}.")] if (few := few_games_warning(content)) else []),
        page.heading("All policies"),
        _overview(policies),
    ]
    if len(shown := shown_policies(content)) < len(policies):
        parts.append(page.paragraph(f"The figures show {', '.join(shown)}; the tables have all policies."))
    for title, svg in figures.items():
        parts += [page.heading(title), page.paragraph(_CAPTIONS[title], faint=True), page.figure(svg, title)]
        if title == "Accuracy by group":
            parts.append(_group_table(policies, "top1"))
    if not figures:
        parts += [page.heading("Accuracy by group"), _group_table(policies, "top1")]
    if len(policies) > 1:
        parts += [page.heading("Differences in the mean over groups"), _difference_table(content)]
    if "trials" in content:
        parts += [page.heading("Mean and standard deviation over trials"), _trial_table(content["trials"])]
    for kind in next(iter(policies.values()))["kinds"]:
        parts += [page.heading(f"By {kind}"), _kind_table(policies, kind)]
    if any("temperatures" in found for found in policies.values()):
        parts += [page.heading("Temperatures, fitted on the validation split"), _temperature_table(policies)]
    parts += page.footer(content)
    return page.page(f"How well they predict people: {content['game']}", parts)


def with_interval(entry: dict[str, Any], column: str = "top1") -> str:
    """A metric with its interval as a table cell, such as 0.512|0.498-0.526."""
    before = "" if column == "top1" else f"{column}_"
    return f"{entry[column]:.3f}|{entry[f'{before}low']:.3f}-{entry[f'{before}high']:.3f}"


def _overview(policies: dict[str, Any]) -> str:
    head = ["policy", "accuracy", "top 3", "top 5", "expected", "nats", "perplexity", "ECE"]
    rows = [
        [
            name,
            with_interval(found["mean"]),
            *(f"{found['mean'][column]:.3f}" for column in ("top3", "top5", "expected")),
            with_interval(found["mean"], "nll"),
            f"{found['mean']['perplexity']:.2f}",
            f"{found['all']['ece']:.3f}",
        ]
        for name, found in policies.items()
    ]
    return page.paragraph("Means over groups, each group counted the same.", faint=True) + page.table(
        head, rows
    )


def _group_table(policies: dict[str, Any], column: str) -> str:
    groups = next(iter(policies.values()))["groups"]
    rows = [
        [group, f"{entry['games']:,}", f"{entry['positions']:,}"]
        + [with_interval(found["groups"][group], column) for found in policies.values()]
        for group, entry in groups.items()
    ]
    rows.append(["mean", "", ""] + [with_interval(found["mean"], column) for found in policies.values()])
    return page.table(["group", "games", "positions", *policies], rows)


def _kind_table(policies: dict[str, Any], kind: str) -> str:
    kinds = next(iter(policies.values()))["kinds"][kind]
    rows = [
        [name, f"{entry['positions']:,}"]
        + [with_interval(found["kinds"][kind][name]) for found in policies.values()]
        for name, entry in kinds.items()
    ]
    return page.table([kind, "positions", *policies], rows)


def _difference_table(content: dict[str, Any]) -> str:
    rows = [
        [f"{later} minus {earlier}", *(_signed(found["mean"], column) for column in ("top1", "nll"))]
        for later, others in content["differences"].items()
        for earlier, found in others.items()
    ]
    return page.table(["", "accuracy", "nats"], rows)


def _signed(entry: dict[str, Any], column: str) -> str:
    before = "" if column == "top1" else f"{column}_"
    low, high = (signed(entry[f"{before}{end}"], 3) for end in ("low", "high"))
    return f"{signed(entry[column], 3)}|{low} to {high}"


def _trial_table(trials: dict[str, Any]) -> str:
    rows = [
        [
            group,
            *(f"{of[group]['mean']:.3f}|{plus_minus(of[group]['deviation'], 3)}" for of in trials.values()),
        ]
        for group in next(iter(trials.values()))
    ]
    return page.table(["group", *trials], rows)


def _temperature_table(policies: dict[str, Any]) -> str:
    fitted = {name: found["temperatures"] for name, found in policies.items() if "temperatures" in found}
    groups = next(iter(fitted.values()))
    rows = [[group, *(f"{found[group]['temperature']:.3f}" for found in fitted.values())] for group in groups]
    return page.table(["group", *fitted], rows)
