"""The report of `sparring measure matching`: JSON, figures, and an HTML page rendered from them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from sparring.base.errors import BadFile
from sparring.base.numbers import plus_minus, signed
from sparring.base.plot_style import (
    INK_COLOR,
    LINE_COLORS,
    PAGE_WIDTH,
    most_telling,
    name_lines,
    open_pyplot,
    page_axes,
)
from sparring.base.storage import atomic_write
from sparring.measure import page
from sparring.measure import reports as report
from sparring.measure.reports import Content, Figure, reader_name

# The figures of a matching report, drawn from its content. Drawing needs matplotlib.


Entries = dict[str, dict[str, Any]]
"""By group or kind of position: a metric and the bounds of its interval."""

_FEW = 30
"""Calibration bins with fewer positions are left out."""


def report_figures(content: Content) -> list[Figure]:
    """The figures of a matching report, in the page's order. Drawing one raises MissingExtra."""
    policies = {name: content["policies"][name] for name in shown_policies(content)}
    colours = {name: LINE_COLORS[i % len(LINE_COLORS)] for i, name in enumerate(policies)}
    by_group = {name: metrics["groups"] for name, metrics in policies.items()}
    by_ply, by_legal = (
        {name: metrics["kinds"][kind] for name, metrics in policies.items()}
        for kind in ("ply", "legal moves")
    )
    share, nats = "share of moves predicted", "nats per move (lower is better)"
    figures = [
        Figure(title.lower().replace(" ", "-"), title, partial(_lines, entries, colours, along, up, column))
        for title, entries, along, up, column in (
            ("Accuracy by group", by_group, "players", share, "top1"),
            ("Likelihood by group", by_group, "players", nats, "nll"),
            ("Accuracy by ply", by_ply, "moves before the position", share, "top1"),
            ("Accuracy by number of legal moves", by_legal, "legal moves", share, "top1"),
        )
    ]
    figures.append(Figure("calibration", "Calibration", partial(_calibration, policies, colours)))
    if len(policies) > 1:
        figures.append(Figure("differences", "Differences", partial(_differences, content, colours)))
    if "trials" in content:
        figures.append(
            Figure(
                "trials",
                "Trials",
                partial(_trials, {name: content["trials"][name] for name in policies}, colours),
            )
        )
    return figures


def shown_policies(content: Content) -> list[str]:
    """The policies that the figures show: at most four. The tables of the page have all."""
    policies = content["policies"]
    return most_telling(list(policies), [metrics["mean"]["top1"] for metrics in policies.values()])


def _lines(by_policy: dict[str, Entries], colours: dict[str, str], along: str, up: str, column: str) -> Any:
    """A line with its band for each policy, named at its end."""
    figure, axis = page_axes()
    places = list(dict.fromkeys(key for entries in by_policy.values() for key in entries))
    low, high = ("low", "high") if column == "top1" else (f"{column}_low", f"{column}_high")
    in_order = len(places) > 1 and all(place[0].isdigit() for place in places)  # files have no order
    for policy, entries in by_policy.items():
        x = [places.index(key) for key in entries]
        y = [entry[column] for entry in entries.values()]
        bottom, top = ([entry[edge] for entry in entries.values()] for edge in (low, high))
        style = {"color": colours[policy], "linewidth": 1.6}
        if in_order:
            axis.fill_between(x, bottom, top, color=colours[policy], alpha=0.13, linewidth=0)
            axis.plot(x, y, **style)
        else:
            axis.vlines(x, bottom, top, **style)
        axis.plot(
            x, y, linestyle="", marker="o", markersize=4, color=colours[policy], label=reader_name(policy)
        )
    axis.set_xticks(range(len(places)), places, rotation=0 if len(places) < 8 else 45)
    _finish(axis, along, up)
    name_lines(axis)
    return figure


def _calibration(policies: dict[str, dict[str, Any]], colours: dict[str, str]) -> Any:
    """Confidence against accuracy; a calibrated policy lies on the diagonal."""
    figure, axis = page_axes(4.4)
    axis.plot([0, 1], [0, 1], color=INK_COLOR, linewidth=0.8, linestyle=(0, (2, 3)))
    for policy, metrics in policies.items():
        bins = [entry for entry in metrics["calibration"] if entry["positions"] >= _FEW] or metrics[
            "calibration"
        ]
        x, y = [entry["confidence"] for entry in bins], [entry["accuracy"] for entry in bins]
        sizes = [6 + 90 * entry["positions"] / metrics["all"]["positions"] for entry in bins]
        label = f"{reader_name(policy)}  {metrics['all']['ece']:.3f}"
        axis.plot(x, y, color=colours[policy], linewidth=1.4, label=label)
        axis.scatter(x, y, s=sizes, color=colours[policy], linewidth=0)
    axis.set_xlim(0, 1)
    axis.set_ylim(0, 1)
    _finish(axis, "probability of the likeliest move", "how often it was played")
    name_lines(axis)
    return figure


def _differences(content: dict[str, Any], colours: dict[str, str]) -> Any:
    """Accuracy of every policy minus that of the first, on the same games."""
    first, *others = shown_policies(content)
    groups = list(content["policies"][first]["groups"])
    figure, axis = page_axes()
    axis.axhline(0, color=colours[first], linewidth=1.2, label=reader_name(first))
    edge = len(groups) - 0.5
    for number, policy in enumerate(others):
        entries = content["differences"][policy][first]["groups"]
        shift = 0.5 * ((number + 0.5) / len(others) - 0.5)
        x = [groups.index(group) + shift for group in entries]
        _bars(axis, x, list(entries.values()), colours[policy], reader_name(policy))
    axis.set_xticks(range(len(groups)), groups)
    axis.set_xlim(-0.5, edge)
    _finish(axis, "players", f"accuracy minus that of {reader_name(first)}")
    name_lines(axis)
    return figure


def _trials(trials: dict[str, Any], colours: dict[str, str]) -> Any:
    """Panels for the first group, the last group and the mean: one mark per trial and policy."""
    groups = [group for group in next(iter(trials.values())) if group != "mean"]
    shown = list(dict.fromkeys([groups[0], groups[-1], *(["mean"] if len(groups) > 1 else [])]))
    figure, axes = open_pyplot().subplots(
        1, len(shown), figsize=(PAGE_WIDTH, 3.4), layout="constrained", squeeze=False, sharey=True
    )
    for panel, (axis, group) in enumerate(zip(axes[0], shown, strict=True)):
        for number, (policy, by_group) in enumerate(trials.items()):
            entries = by_group[group]["trials"]
            shift = 0.4 * ((number + 0.5) / len(trials) - 0.5)
            _bars(
                axis, [i + shift for i in range(len(entries))], entries, colours[policy], reader_name(policy)
            )
        axis.set_xticks(range(len(entries)), [str(i + 1) for i in range(len(entries))])
        axis.set_title("mean" if group == "mean" else group)
        _finish(axis, "trial", "share of moves predicted" if panel == 0 else "")
    handles, names = axes[0][0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper left", ncols=2, labelcolor="linecolor", fontsize=8.5)
    return figure


def _bars(axis: Any, x: Sequence[float], entries: list[dict[str, Any]], colour: str, label: str) -> None:
    """Marks with their intervals."""
    axis.vlines(x, [e["low"] for e in entries], [e["high"] for e in entries], color=colour, linewidth=1.4)
    values = [e["top1"] for e in entries]
    axis.plot(x, values, color=colour, linestyle="", marker="o", markersize=4, label=label)


def _finish(axis: Any, along: str, up: str) -> None:
    axis.set_xlabel(along)
    axis.set_ylabel(up)
    axis.grid(axis="y", color=INK_COLOR, alpha=0.12, linewidth=0.6)
    axis.set_axisbelow(True)


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
    differences = content["differences"]
    if better in differences and worse in differences[better]:
        mean = differences[better][worse]["mean"]
        return mean["top1"], mean["low"], mean["high"]
    mean = differences[worse][better]["mean"]
    return -mean["top1"], -mean["high"], -mean["low"]


def write_page(folder: Path, out: Path | None = None) -> Path:
    """Renders the HTML page of a report's folder from its JSON and figures.

    Writes to `out` (default: `report.html` in the folder) and returns that path. Raises BadFile or OSError.
    """
    content = report.read_json(folder / "report.json")
    if not is_matching_report(content):
        raise BadFile(f"{folder / 'report.json'} is not a report of `sparring measure matching`")
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
            parts.append(_group_table(policies))
    if not figures:
        parts += [page.heading("Accuracy by group"), _group_table(policies)]
    if len(policies) > 1:
        parts += [page.heading("Differences in the mean over groups"), _difference_table(content)]
    if "trials" in content:
        parts += [page.heading("Mean and standard deviation over trials"), _trial_table(content["trials"])]
    for kind in next(iter(policies.values()))["kinds"]:
        parts += [page.heading(f"By {kind}"), _kind_table(policies, kind)]
    if any("temperatures" in metrics for metrics in policies.values()):
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
            with_interval(metrics["mean"]),
            *(f"{metrics['mean'][column]:.3f}" for column in ("top3", "top5", "expected")),
            with_interval(metrics["mean"], "nll"),
            f"{metrics['mean']['perplexity']:.2f}",
            f"{metrics['all']['ece']:.3f}",
        ]
        for name, metrics in policies.items()
    ]
    return page.paragraph("Means over groups, each group counted the same.", faint=True) + page.table(
        head, rows
    )


def _group_table(policies: dict[str, Any]) -> str:
    rows = _rows({name: metrics["groups"] for name, metrics in policies.items()}, "games", "positions")
    rows.append(["mean", "", "", *(with_interval(metrics["mean"]) for metrics in policies.values())])
    return page.table(["group", "games", "positions", *policies], rows)


def _kind_table(policies: dict[str, Any], kind: str) -> str:
    rows = _rows({name: metrics["kinds"][kind] for name, metrics in policies.items()}, "positions")
    return page.table([kind, "positions", *policies], rows)


def _rows(by_policy: dict[str, Entries], *counts: str) -> list[list[str]]:
    """A row for each group or kind of position: counts, then the accuracy of each policy."""
    return [
        [name, *(f"{entry[count]:,}" for count in counts)]
        + [with_interval(entries[name]) for entries in by_policy.values()]
        for name, entry in next(iter(by_policy.values())).items()
    ]


def _difference_table(content: dict[str, Any]) -> str:
    rows = [
        [f"{later} minus {earlier}", *(_signed(difference["mean"], column) for column in ("top1", "nll"))]
        for later, others in content["differences"].items()
        for earlier, difference in others.items()
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
    fitted = {
        name: metrics["temperatures"] for name, metrics in policies.items() if "temperatures" in metrics
    }
    groups = next(iter(fitted.values()))
    rows = [[group, *(f"{fits[group]['temperature']:.3f}" for fits in fitted.values())] for group in groups]
    return page.table(["group", *fitted], rows)
