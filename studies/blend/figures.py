"""The figures of a blend report, drawn from its content. Drawing needs matplotlib."""

from __future__ import annotations

from functools import partial
from typing import Any

from sparring.reports.plot_style import (
    BAR_COLOR,
    INK_COLOR,
    LINE_COLORS,
    MUTED_BAR_COLOR,
    label_line_ends,
    open_pyplot,
)
from sparring.reports.report import Content, Figure

_HUMAN, _STRONG, _BLEND, _SEARCH = "-.", ":", "-", "--"
"""Line styles of the paper."""
_PER_FIGURE = 3
"""Human-like policies in one figure, each with its blend."""


def report_figures(content: Content) -> list[Figure]:
    """The figures of a blend report, in the page's order. Drawing one raises MatplotlibMissing."""
    figures = []
    for number, begin in enumerate(range(0, len(content["humans"]), _PER_FIGURE), 1):
        names = content["humans"][begin : begin + _PER_FIGURE]
        title = f"Accuracy by group: {', '.join(names)}"
        figures.append(Figure(f"accuracy-by-group-{number}", title, partial(_accuracy, content, names)))
    figures += [
        Figure("gain-by-group", "Gain by group", partial(_gains, content)),
        Figure("accuracy-by-alpha", "Accuracy by alpha", partial(_by_alpha, content)),
        Figure("alpha-by-group", "Alpha by group", partial(_alphas, content)),
    ]
    if content.get("search", {}).get("policies"):
        figures.append(Figure("search", "KL-regularised search", partial(_search, content["search"])))
    for number, (name, found) in enumerate(content["trials"].items(), 1):
        if found:
            figures.append(Figure(f"trials-{number}", f"Trials: {name}", partial(_trials, found)))
    for number, (name, found) in enumerate(content.get("mechanism", {}).items(), 1):
        title = f"Where the moves match: {name}"
        figures.append(Figure(f"matches-{number}", title, partial(_venns, found)))
    return figures


def _accuracy(content: dict[str, Any], names: list[str]) -> Any:
    """Figures 1, 3, 4 and 7: human-like policies dash-dotted, the strong one dotted, blends solid."""
    figure, axis = _axes(4.6)
    groups = list(content["policies"][content["strong"]]["groups"])
    ends = [_line(axis, content["policies"][content["strong"]], content["strong"], INK_COLOR, _STRONG)]
    for name in names:
        colour = LINE_COLORS[content["humans"].index(name) % len(LINE_COLORS)]
        ends.append(_line(axis, content["policies"][name], name, colour, _HUMAN))
        blend = content["blends"][name]["methods"]["rating"]
        label = f"{name} + {content['strong']}"
        ends.append(_line(axis, blend, label, colour, _BLEND, band=name == names[0]))
    _finish(axis, groups, "players", "share of moves predicted")
    label_line_ends(axis, ends)
    return figure


def _gains(content: dict[str, Any]) -> Any:
    """Accuracy of each blend minus that of its human-like policy, on the same games."""
    figure, axis = _axes()
    axis.axhline(0, color=INK_COLOR, linewidth=0.8)
    groups = list(content["policies"][content["strong"]]["groups"])
    ends = []
    for number, name in enumerate(content["humans"]):
        colour = LINE_COLORS[number % len(LINE_COLORS)]
        entries = content["blends"][name]["methods"]["rating"]["gain"]["groups"]
        shift = 0.5 * ((number + 0.5) / len(content["humans"]) - 0.5)
        x = [groups.index(group) + shift for group in entries]
        _marks(axis, x, [(e["low"], e["top1"], e["high"]) for e in entries.values()], colour)
        ends.append((len(groups) - 0.5, entries[groups[-1]]["top1"], name, colour))
    _finish(axis, groups, "players", f"accuracy gained by blending with {content['strong']}")
    label_line_ends(axis, ends)
    return figure


def _by_alpha(content: dict[str, Any]) -> Any:
    """Figures 2, 5 and 8: the lowest and the highest group of the first policy, on validation games."""
    figure, axis = _axes()
    blend = content["blends"][content["humans"][0]]
    curves = blend["curves"]
    ends = []
    shown = dict.fromkeys([next(iter(curves["groups"])), list(curves["groups"])[-1]])
    for number, group in enumerate(shown):
        colour, values = LINE_COLORS[number], curves["groups"][group]
        axis.plot(curves["alphas"], values, color=colour, linewidth=1.6)
        best = blend["fit"]["groups"][group]["grid"]["value"]
        axis.plot([best], [max(values)], marker="o", color=colour, markersize=5)
        ends.append((1.0, values[-1], f"{group}: best {best:.2f}", colour))
    axis.set_xlabel(f"alpha, the weight of {content['humans'][0]}")
    axis.set_ylabel("share of moves predicted, validation")
    axis.grid(axis="y", color=INK_COLOR, alpha=0.12, linewidth=0.6)
    label_line_ends(axis, ends)
    return figure


def _alphas(content: dict[str, Any]) -> Any:
    """Alpha by group: maximum likelihood with intervals, and the grid search on accuracy as dashes."""
    figure, axis = _axes()
    ends = []
    groups = list(content["policies"][content["strong"]]["groups"])
    names = content["humans"]
    for number, name in enumerate(names):
        colour = LINE_COLORS[number % len(LINE_COLORS)]
        fits = content["blends"][name]["fit"]["groups"]
        shift = 0.6 * ((number + 0.5) / len(names) - 0.5)
        x = [groups.index(group) + shift for group in fits]
        _marks(axis, x, [_triple(fit["likelihood"]) for fit in fits.values()], colour)
        axis.plot(
            x,
            [fit["grid"]["value"] for fit in fits.values()],
            linestyle="",
            marker="_",
            color=colour,
            alpha=0.6,
        )
        ends.append((len(groups) - 0.5, list(fits.values())[-1]["likelihood"]["value"], name, colour))
    _finish(axis, groups, "players", "alpha, the weight of the human-like policy")
    label_line_ends(axis, ends)
    return figure


def _search(found: dict[str, Any]) -> Any:
    """Figure 6: the policy, the search and the blend."""
    figure, axis = _axes()
    ends = []
    groups = list(next(iter(found["policies"].values()))["groups"])
    for number, ((name, entry), style) in enumerate(
        zip(found["policies"].items(), (_HUMAN, _SEARCH, _BLEND), strict=True)
    ):
        ends.append(
            _line(axis, entry, name, LINE_COLORS[number], style, bars=True, shift=0.04 * (number - 1))
        )
    _finish(axis, groups, "players", "share of moves predicted")
    label_line_ends(axis, ends)
    return figure


def _trials(found: dict[str, Any]) -> Any:
    """Figures 11 and 12: the gain in every trial, by group."""
    figure, axis = _axes()
    axis.axhline(0, color=INK_COLOR, linewidth=0.8)
    ends = []
    for number, (method, entries) in enumerate(found["methods"].items()):
        groups = [name for name in entries if name != "mean"]
        for place, group in enumerate(groups):
            gains = entries[group]["gains"]
            x = [place + 0.25 * (number - 0.5)] * len(gains)
            axis.plot(x, gains, linestyle="", marker="o", markersize=3, color=LINE_COLORS[number], alpha=0.6)
        ends.append((len(groups) - 0.5, entries[groups[-1]]["mean"], f"by {method}", LINE_COLORS[number]))
    _finish(axis, groups, "players", "accuracy gained, one mark per trial")
    label_line_ends(axis, ends)
    return figure


def _venns(found: dict[str, Any]) -> Any:
    """Figures 9 and 10: Venn diagrams of positions in which policy and blend match; areas not to scale."""
    pyplot = open_pyplot()
    figure, axes = pyplot.subplots(1, 2, figsize=(7.6, 3.4), layout="constrained")
    titles = ("all positions", f"the policy's move loses at least {found['bad']}")
    for axis, title, key in zip(axes, titles, ("all", "where the policy's move is bad"), strict=True):
        counts = found[key]
        for x, colour, style in ((-0.45, MUTED_BAR_COLOR, "-."), (0.45, BAR_COLOR, "-")):
            circle = pyplot.Circle(
                (x, 0), 1, facecolor=colour, alpha=0.35, edgecolor=INK_COLOR, linestyle=style
            )
            axis.add_patch(circle)
        for x, name in ((-1.0, "policy alone"), (0.0, "both"), (1.0, "blend alone")):
            axis.text(x, 0, f"{counts[name]:,}", ha="center", va="center")
        axis.text(-0.9, 1.08, "policy", ha="center")
        axis.text(0.9, 1.08, "blend", ha="center")
        axis.text(0, -1.3, f"neither: {counts['neither']:,}", ha="center")
        axis.set_title(f"{title} ({counts['positions']:,})")
        axis.set_xlim(-1.7, 1.7)
        axis.set_ylim(-1.5, 1.35)
        axis.set_aspect("equal")
        axis.axis("off")
    return figure


def _line(
    axis: Any,
    entry: dict[str, Any],
    name: str,
    colour: str,
    style: str,
    *,
    band: bool = False,
    bars: bool = False,
    shift: float = 0.0,
) -> tuple[float, float, str, str]:
    """Draws a policy's accuracy by group; returns the place, text and colour of its label."""
    entries = list(entry["groups"].values())
    x = [place + shift for place in range(len(entries))]
    y = [each["top1"] for each in entries]
    low, high = [each["low"] for each in entries], [each["high"] for each in entries]
    if band:
        axis.fill_between(x, low, high, color=colour, alpha=0.13, linewidth=0)
    if bars:
        axis.vlines(x, low, high, color=colour, linewidth=1)
    axis.plot(x, y, linestyle=style, color=colour, linewidth=1.5, marker="o", markersize=3)
    return float(x[-1]), float(y[-1]), name, colour


def _marks(axis: Any, x: list[float], triples: list[tuple[float, float, float]], colour: str) -> None:
    """Draws values with intervals, from triples (low, value, high)."""
    axis.vlines(x, [t[0] for t in triples], [t[2] for t in triples], color=colour, linewidth=1.4)
    axis.plot(x, [t[1] for t in triples], color=colour, linestyle="", marker="o", markersize=4)


def _triple(estimate: dict[str, float]) -> tuple[float, float, float]:
    return estimate["low"], estimate["value"], estimate["high"]


def _axes(height: float = 3.9) -> tuple[Any, Any]:
    figure = open_pyplot().figure(figsize=(7.6, height))
    return figure, figure.add_axes((0.085, 0.5 / height, 0.7, 1 - 0.65 / height))


def _finish(axis: Any, groups: list[str], along: str, up: str) -> None:
    axis.set_xticks(range(len(groups)), groups)
    axis.set_xlim(-0.5, len(groups) - 0.5)
    axis.set_xlabel(along)
    axis.set_ylabel(up)
    axis.grid(axis="y", color=INK_COLOR, alpha=0.12, linewidth=0.6)
    axis.set_axisbelow(True)
