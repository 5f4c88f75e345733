"""Figures of the DSMCP study, from its report."""

from __future__ import annotations

from typing import Any

from sparring.base.plot_style import BAR_COLOR, LINE_COLORS, MUTED_BAR_COLOR, open_pyplot, page_axes
from sparring.rbc.synopsis import ALL, TOP

_SHOWN = 12
"""Planes at each end of the saliency figure."""


def value_figure(held_out: list[dict[str, Any]], training: list[dict[str, Any]]) -> Any:
    """Figure 7: mean result and mean value of the network by number of possible boards, on training examples
    if there are any and on held-out ones."""
    titled = [("training examples", training)] if training else []
    titled.append(("held-out examples", held_out))
    count = len(titled)
    figure, axes = open_pyplot().subplots(1, count, figsize=(4.8 * count, 3.4), sharey=True, squeeze=False)
    for axis, (title, rows) in zip(axes[0], titled, strict=True):
        _draw_values(axis, rows)
        axis.set_title(title)
    axes[0][0].set_ylabel("expected result")
    axes[0][0].legend(frameon=False)
    figure.tight_layout()
    return figure


def _draw_values(axis: Any, rows: list[dict[str, Any]]) -> None:
    places = [row["boards_up_to"] for row in rows]
    for name, label, colour in (("result", "result", LINE_COLORS[1]), ("value", "network", LINE_COLORS[0])):
        axis.plot(places, [row[name][0] for row in rows], color=colour, label=label, marker="o", markersize=3)
        low, high = ([row[name][i] for row in rows] for i in (1, 2))
        axis.fill_between(places, low, high, color=colour, alpha=0.15, linewidth=0)
    axis.set_xscale("log", base=2)
    axis.xaxis.set_major_formatter(lambda place, _: f"{place:,.0f}")
    axis.set_xlabel("possible boards, up to")


def saliency_figure(rows: list[dict[str, Any]]) -> Any:
    """Loss PBS and action PbS of the most and the least salient planes, over the whole training."""
    order = sorted(rows, key=lambda row: int(row["rank"]))
    shown = [*order[:_SHOWN], *order[-_SHOWN:]][::-1]
    figure, axes = open_pyplot().subplots(1, 2, figsize=(7.2, 5.2), sharey=True)
    colours = [BAR_COLOR if row["rank"] < _SHOWN else MUTED_BAR_COLOR for row in shown]
    labels = {"loss_pbs": "per-batch saliency of the loss", "action_pbs": "per-bit saliency of the action"}
    for axis, (name, label) in zip(axes, labels.items(), strict=True):
        axis.barh(range(len(shown)), [row[name] for row in shown], color=colours)
        axis.set_xlabel(label)
    axes[0].set_yticks(range(len(shown)), [f"{row['plane']} {row['name']}" for row in shown])
    return figure


def curves_figure(report: dict[str, Any]) -> Any:
    """Figure 8: saliency during the training, (a) and (b) of plane 8 for each headset, (c) and (d) of Top's
    five most salient planes and the least salient one."""
    figure, axes = open_pyplot().subplots(2, 2, figsize=(9.2, 6.4))
    names = {row["plane"]: row["name"] for row in report["planes"]}
    of_planes = {f"{key} {names[int(key)]}": each for key, each in report["curves_of_planes"].items()}
    labels = {"loss_pbs": "per-batch saliency of the loss", "action_pbs": "per-bit saliency of the action"}
    shown = (("plane 8 by headset", report["curves_of_headsets"]), ("planes of Top", of_planes))
    for row, (what, curves), letters in zip(axes, shown, ("ab", "cd"), strict=True):
        for axis, letter, (name, label) in zip(row, letters, labels.items(), strict=True):
            for number, (title, curve) in enumerate(curves.items()):
                style = "-" if number < len(LINE_COLORS) else "--"
                colour = LINE_COLORS[number % len(LINE_COLORS)]
                axis.plot(curve["steps"], curve[name], style, color=colour, label=title, linewidth=1)
            axis.set_title(f"({letter}) {what}", fontsize=9)
            axis.set_yscale("log")
            axis.set_ylabel(label)
            axis.set_xlabel("step")
        row[1].legend(fontsize=7, loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    figure.tight_layout()
    return figure


def ablation_figure(report: dict[str, Any]) -> Any:
    """Change of the accuracy, the mean of All and Top, of each removed plane by its saliency. The band is two
    standard deviations of networks with all planes; planes outside it are named."""
    figure, axis = page_axes()
    saliency = {row["plane"]: row["action_pbs"] for row in report["planes"]}
    noise = 200 * report.get("noise", {}).get("mean", 0)
    if noise:
        axis.axhspan(-noise, noise, color=MUTED_BAR_COLOR, alpha=0.4, linewidth=0)
    axis.axhline(0, color="black", linewidth=0.6, linestyle=":")
    for row in report["ablations"]:
        change = 50 * (row["difference"][ALL][0] + row["difference"][TOP][0])
        place = saliency[row["plane"]], change
        axis.plot(*place, "o", color=LINE_COLORS[0], markersize=3.5)
        if noise and abs(change) > noise:
            text = f"{row['plane']} {row['name']}"
            axis.annotate(text, place, fontsize=7, xytext=(4, -2), textcoords="offset points")
    axis.set_xscale("log")
    axis.set_xlabel("per-bit saliency of the action")
    axis.set_ylabel("change without the plane in %")
    return figure
