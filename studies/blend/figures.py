"""The figures of a blend report, drawn from its content. Drawing needs matplotlib."""

from __future__ import annotations

from functools import partial
from typing import Any

from sparring.base.plot_style import (
    BAR_COLOR,
    INK_COLOR,
    LINE_COLORS,
    MOST_LINES,
    MUTED_BAR_COLOR,
    PAGE_WIDTH,
    name_lines,
    open_pyplot,
    page_axes,
)
from sparring.measure.reports import Content, Figure, reader_name

_HUMAN, _STRONG, _BLEND, _SEARCH = "-.", ":", "-", "--"
"""Line styles of the paper."""
_PER_FIGURE = 1
"""Human-like policies in one figure, each with its blend and the strong policy."""
_METHODS = {
    "grid": "alpha by group, on accuracy",
    "alpha": "alpha by group, on likelihood",
    "rating": "weights by rating",
    "position": "weights by rating and position",
}


def report_figures(content: Content) -> list[Figure]:
    """The figures of a blend report, in the page's order. Drawing one raises MissingExtra."""
    figures, shown = [], shown_humans(content)
    for number, begin in enumerate(range(0, len(shown), _PER_FIGURE), 1):
        names = shown[begin : begin + _PER_FIGURE]
        title = f"Accuracy by group: {', '.join(names)}"
        figures.append(Figure(f"accuracy-by-group-{number}", title, partial(_accuracy, content, names)))
    figures += [
        Figure("gain-by-group", "Gain by group", partial(_gains, content)),
        Figure("accuracy-by-alpha", "Accuracy by alpha", partial(_by_alpha, content)),
        Figure("alpha-by-group", "Alpha by group", partial(_alphas, content)),
    ]
    for number, (name, found) in enumerate(content.get("search", {}).items(), 1):
        if "rules" in found:
            title = f"KL-regularised search: {name}"
            figures.append(Figure(f"search-{number}", title, partial(_search, found)))
    for number, (name, found) in enumerate(content["trials"].items(), 1):
        if found:
            figures.append(Figure(f"trials-{number}", f"Trials: {name}", partial(_trials, found)))
    for number, (name, found) in enumerate(content.get("mechanism", {}).items(), 1):
        title = f"Where the moves match: {name}"
        figures.append(Figure(f"matches-{number}", title, partial(_venns, found)))
    return figures


def shown_humans(content: Content) -> list[str]:
    """At most four of the human-like policies, from the first to the last: those of the figures."""
    names: list[str] = content["humans"]
    if len(names) <= MOST_LINES:
        return names
    return [names[round(i * (len(names) - 1) / (MOST_LINES - 1))] for i in range(MOST_LINES)]


def _accuracy(content: dict[str, Any], names: list[str]) -> Any:
    """Figures 1, 3, 4 and 7: human-like policies dash-dotted, the strong one dotted, blends solid."""
    figure, axis = page_axes(4.2)
    groups = list(content["policies"][content["strong"]]["groups"])
    _line(axis, content["policies"][content["strong"]], reader_name(content["strong"]), INK_COLOR, _STRONG)
    for name in names:
        colour = LINE_COLORS[content["humans"].index(name) % len(LINE_COLORS)]
        _line(axis, content["policies"][name], reader_name(name), colour, _HUMAN)
        blend = content["blends"][name]["methods"]["grid"]
        label = f"{reader_name(name)} + {reader_name(content['strong'])}"
        _line(axis, blend, label, colour, _BLEND, band=name == names[0])
    _finish(axis, groups, "players", "share of moves predicted")
    name_lines(axis)
    return figure


def _gains(content: dict[str, Any]) -> Any:
    """Accuracy of each blend minus that of its human-like policy, on the same games."""
    figure, axis = page_axes()
    axis.axhline(0, color=INK_COLOR, linewidth=0.8)
    groups = list(content["policies"][content["strong"]]["groups"])
    names = shown_humans(content)
    for number, name in enumerate(names):
        colour = LINE_COLORS[number]
        methods = content["blends"][name]["methods"]
        entries, by_rating = (methods[method]["gain"]["groups"] for method in ("grid", "rating"))
        shift = 0.5 * ((number + 0.5) / len(names) - 0.5)
        x = [groups.index(group) + shift for group in entries]
        _marks(
            axis, x, [(e["low"], e["top1"], e["high"]) for e in entries.values()], colour, reader_name(name)
        )
        _points(axis, x, [each["top1"] for each in by_rating.values()], "x", colour)
    _finish(axis, groups, "players", f"accuracy gained by blending with {reader_name(content['strong'])}")
    name_lines(axis)
    return figure


def _by_alpha(content: dict[str, Any]) -> Any:
    """Figures 2, 5 and 8: the lowest and the highest group of the first policy, on validation games."""
    figure, axis = page_axes()
    blend = content["blends"][content["humans"][0]]
    curves = blend["curves"]
    shown = dict.fromkeys([next(iter(curves["groups"])), list(curves["groups"])[-1]])
    for number, group in enumerate(shown):
        colour, values = LINE_COLORS[number], curves["groups"][group]
        label = f"{group}: best {blend['fit']['groups'][group]['grid']['value']:.2f}"
        axis.plot(curves["alphas"], values, color=colour, linewidth=1.6, label=label)
        best = blend["fit"]["groups"][group]["grid"]["value"]
        axis.plot([best], [max(values)], marker="o", color=colour, markersize=5)
    axis.set_xlabel(f"alpha, the weight of {reader_name(content['humans'][0])}")
    axis.set_ylabel("share of moves predicted, validation")
    axis.grid(axis="y", color=INK_COLOR, alpha=0.12, linewidth=0.6)
    name_lines(axis)
    return figure


def _alphas(content: dict[str, Any]) -> Any:
    """Alpha by group: the grid with the alphas within noise of it, and maximum likelihood as dashes."""
    figure, axis = page_axes()
    groups = list(content["policies"][content["strong"]]["groups"])
    names = shown_humans(content)
    for number, name in enumerate(names):
        colour = LINE_COLORS[number]
        fits = content["blends"][name]["fit"]["groups"]
        shift = 0.6 * ((number + 0.5) / len(names) - 0.5)
        x = [groups.index(group) + shift for group in fits]
        _marks(axis, x, [_triple(fit["grid"]) for fit in fits.values()], colour, reader_name(name))
        _points(axis, x, [fit["likelihood"]["value"] for fit in fits.values()], "_", colour)
    _finish(axis, groups, "players", "alpha, the weight of the human-like policy")
    name_lines(axis)
    return figure


def _search(found: dict[str, Any]) -> Any:
    """Figure 6: the policy dash-dotted, the strong one dotted, the blend solid, search by visits dashed."""
    figure, axis = page_axes()
    (human, alone), (strong, other), (_, blend), _ = found["policies"].items()
    lines = (
        (reader_name(human), alone, _HUMAN),
        (reader_name(strong), other, _STRONG),
        ("blend, alpha by group", blend, _BLEND),
        (f"search, {found['nodes']} visits", found["rules"]["visits"], _SEARCH),
    )
    colours = (LINE_COLORS[0], INK_COLOR, LINE_COLORS[1], LINE_COLORS[2])
    for number, ((label, entry, style), colour) in enumerate(zip(lines, colours, strict=True)):
        _line(axis, entry, label, colour, style, bars=True, shift=0.05 * (number - 1.5))
    _finish(axis, list(found["rules"]["visits"]["groups"]), "players", "share of moves predicted")
    name_lines(axis)
    return figure


def _trials(found: dict[str, Any]) -> Any:
    """Figures 11 and 12: the gain in every trial, by group."""
    figure, axis = page_axes()
    axis.axhline(0, color=INK_COLOR, linewidth=0.8)
    for number, (method, entries) in enumerate(found["methods"].items()):
        groups = [name for name in entries if name != "mean"]
        for place, group in enumerate(groups):
            gains = entries[group]["gains"]
            x = [place + 0.25 * (number - 0.5)] * len(gains)
            style = {"linestyle": "", "marker": "o", "markersize": 3, "color": LINE_COLORS[number]}
            axis.plot(x, gains, alpha=0.6, label=_METHODS.get(method, method) if not place else None, **style)
    _finish(axis, groups, "players", "accuracy gained, one mark per trial")
    name_lines(axis)
    return figure


def _venns(found: dict[str, Any]) -> Any:
    """Figures 9 and 10: Venn diagrams of positions in which policy and blend match; areas not to scale."""
    pyplot = open_pyplot()
    figure, axes = pyplot.subplots(1, 2, figsize=(PAGE_WIDTH, 3.0), layout="constrained")
    titles = ("all positions", f"the policy loses at least {found['bad']}")
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
        axis.set_title(f"{title}\n({counts['positions']:,} positions)", fontsize=9)
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
) -> None:
    """Draws a policy's accuracy by group."""
    entries = list(entry["groups"].values())
    x = [place + shift for place in range(len(entries))]
    y = [each["top1"] for each in entries]
    low, high = [each["low"] for each in entries], [each["high"] for each in entries]
    if band:
        axis.fill_between(x, low, high, color=colour, alpha=0.13, linewidth=0)
    if bars:
        axis.vlines(x, low, high, color=colour, linewidth=1)
    axis.plot(x, y, linestyle=style, color=colour, linewidth=1.5, marker="o", markersize=3, label=name)


def _marks(
    axis: Any, x: list[float], triples: list[tuple[float, float, float]], colour: str, name: str
) -> None:
    """Draws values with intervals, from triples (low, value, high)."""
    axis.vlines(x, [t[0] for t in triples], [t[2] for t in triples], color=colour, linewidth=1.4)
    axis.plot(x, [t[1] for t in triples], color=colour, linestyle="", marker="o", markersize=4, label=name)


def _points(axis: Any, x: list[float], y: list[float], marker: str, colour: str) -> None:
    axis.plot(x, y, linestyle="", marker=marker, color=colour, alpha=0.6)


def _triple(estimate: dict[str, float]) -> tuple[float, float, float]:
    return estimate["low"], estimate["value"], estimate["high"]


def _finish(axis: Any, groups: list[str], along: str, up: str) -> None:
    axis.set_xticks(range(len(groups)), groups)
    axis.set_xlim(-0.5, len(groups) - 0.5)
    axis.set_xlabel(along)
    axis.set_ylabel(up)
    axis.grid(axis="y", color=INK_COLOR, alpha=0.12, linewidth=0.6)
    axis.set_axisbelow(True)
