"""The figures of a matching report, drawn from its content. Drawing needs matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from sparring.reports.names import reader_name
from sparring.reports.plot_style import (
    INK_COLOR,
    LINE_COLORS,
    PAGE_WIDTH,
    most_telling,
    name_lines,
    open_pyplot,
    page_axes,
)
from sparring.reports.report import Content, Figure

Entries = dict[str, dict[str, Any]]
"""By group or kind of position: a metric and the bounds of its interval."""

_FEW = 30
"""Calibration bins with fewer positions are left out."""


def report_figures(content: Content) -> list[Figure]:
    """The figures of a matching report, in the page's order. Drawing one raises MatplotlibMissing."""
    policies = {name: content["policies"][name] for name in shown_policies(content)}
    colours = {name: LINE_COLORS[i % len(LINE_COLORS)] for i, name in enumerate(policies)}
    by_group = {name: found["groups"] for name, found in policies.items()}
    by_ply, by_legal = (
        {name: found["kinds"][kind] for name, found in policies.items()} for kind in ("ply", "legal moves")
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
    return most_telling(list(policies), [found["mean"]["top1"] for found in policies.values()])


def _lines(found: dict[str, Entries], colours: dict[str, str], along: str, up: str, column: str) -> Any:
    """A line with its band for each policy, named at its end."""
    figure, axis = page_axes()
    places = list(dict.fromkeys(key for entries in found.values() for key in entries))
    low, high = ("low", "high") if column == "top1" else (f"{column}_low", f"{column}_high")
    in_order = len(places) > 1 and all(place[0].isdigit() for place in places)  # files have no order
    for policy, entries in found.items():
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
    for policy, found in policies.items():
        bins = [each for each in found["calibration"] if each["positions"] >= _FEW] or found["calibration"]
        x, y = [each["confidence"] for each in bins], [each["accuracy"] for each in bins]
        sizes = [6 + 90 * each["positions"] / found["all"]["positions"] for each in bins]
        label = f"{reader_name(policy)}  {found['all']['ece']:.3f}"
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
        for number, (policy, found) in enumerate(trials.items()):
            entries = found[group]["trials"]
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
