"""The report of a blend study: JSON, figures, and an HTML page rendered from them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sparring.reports import page, report
from sparring.reports.names import reader_name
from sparring.reports.report import Content
from sparring.storage import atomic_write
from studies.blend.departures import departures
from studies.blend.figures import report_figures
from studies.blend.replication import replication
from studies.blend.trends import trends

_CAPTIONS = {
    "Accuracy by group": "Share of positions whose most likely move was played. Dash-dotted: human-like "
    "policies; dotted: the strong policy; solid: their blends with the grid's alpha, as in the paper.",
    "Gain by group": "Accuracy of the blend minus that of its human-like policy, paired by game. Marks with "
    "95 % intervals: the grid's alpha. Crosses: weights by rating.",
    "Accuracy by alpha": "On the validation games, for the first human-like policy.",
    "Alpha by group": "Marks: the paper's grid on accuracy, with the alphas within noise of the best. "
    "Dashes: maximum likelihood.",
    "KL-regularised search": "c_puct is chosen on validation games by group; infinity is the policy itself.",
    "Trials": "Random divisions of the games into a fitting and a measuring part.",
    "Where the moves match": "Positions whose most likely move, of the policy or of the blend, was played.",
}
_METHODS = {
    "grid": "alpha by group, on accuracy (the paper's)",
    "alpha": "alpha by group, on likelihood",
    "rating": "weights by rating, on likelihood",
    "position": "weights by rating and position, on likelihood",
}


def write_page(folder: Path, out: Path | None = None) -> Path:
    """Renders the HTML page of a blend report's folder from its JSON and figures.

    Writes to `out` (default: `report.html` in the folder) and returns that path. Raises BadReport or OSError.
    """
    content = report.read_json(folder / "report.json")
    titles = {figure.name: figure.title for figure in report_figures(content)}
    path = out or folder / "report.html"
    atomic_write(path, _html(content, report.read_figures(folder, titles)))
    return path


def is_blend_report(content: Content) -> bool:
    """Whether a report's JSON has the content that `studies.blend.study.run` returns."""
    return {"command", "blends", "humans", "strong"} <= content.keys()


def finding(content: Content) -> str:
    """What the study found, in a sentence: the gain of the first human-like policy by the paper's blend."""
    name = content["humans"][0]
    gain = content["blends"][name]["methods"]["grid"]["gain"]["mean"]
    value = gain["value"] if "value" in gain else gain["top1"]
    points, low, high = (f"{100 * number:+.1f}" for number in (value, gain["low"], gain["high"]))
    verb = "predicts" if float(low) > 0 else "does not clearly predict"
    human, strong = reader_name(name), reader_name(content["strong"])
    return (
        f"{human} blended with {strong} {verb} more of people's moves than alone: "
        f"{points} percentage points ({low} to {high})."
    )


def _html(content: Content, figures: dict[str, str]) -> str:
    parts_of = content["parts"]
    sizes = "; ".join(
        f"{split}: {part['positions']:,} positions of {part['games']:,} games"
        for split, part in parts_of.items()
    )
    drawn = content["resamples"]
    parts = [
        page.paragraph(finding(content)),
        page.paragraph(
            f"Human-like policies blended with {content['strong']}, on games from "
            f"{', '.join(content['records'])}. {sizes}. Weights are fitted on the validation games, "
            f"metrics are of the test games. 95 % intervals are by {drawn['games']:,} bootstrap resamples of "
            "games. Intervals of gains and comparisons include the choice of the weights: the grid chooses "
            f"anew in every resample, weights by likelihood are fitted anew in {drawn['refits']:,}."
        ),
    ]
    if content["paper"]:
        parts += [page.heading("The paper's experiment"), _replication_table(content)]
    parts += [page.heading("The paper's trends"), _trend_table(content)]
    parts += [page.heading("What is different from the paper")]
    parts += [page.paragraph(sentence) for sentence in departures(content)]
    parts += [page.heading("Policies and blends"), _overview(content)]
    for title, svg in figures.items():
        caption = _CAPTIONS[title.partition(":")[0]]
        parts += [page.heading(title), page.paragraph(caption, faint=True), page.figure(svg, title)]
    for method in ("grid", "rating"):
        parts += [page.heading(f"Gain by group: {_METHODS[method]}"), _gain_table(content, method)]
    parts += [page.heading("Alpha"), _alpha_table(content)]
    parts += [page.heading("Methods to choose weights"), _method_table(content)]
    parts += [page.heading("What 0.1 of alpha costs"), _robustness_table(content)]
    parts += [page.heading("Three means"), _kind_table(content)]
    if "three" in content:
        parts += [page.heading("Blends of three"), _three_table(content["three"])]
    for name, found in content.get("search", {}).items():
        parts += [page.heading(f"Search: {name}"), _search_table(found)]
    for name, found in content.get("mechanism", {}).items():
        parts += [page.heading(f"The mechanism: {name}"), _mechanism_table(found)]
    if "mechanism" in (content["paper"] or {}):
        parts += [page.heading("The mechanism in the paper"), _paper_mechanism(content["paper"])]
    parts += page.footer(content)
    return page.page(f"Blends: {content['game']}", parts)


def _estimate_text(estimate: dict[str, Any], digits: int = 3, *, sign: bool = False) -> str:
    """An estimate as a table cell, such as 0.512|0.498 to 0.526; a dash for None."""
    value = estimate["value"] if "value" in estimate else estimate["top1"]
    texts = [
        "-" if number is None else f"{number:{'+' if sign else ''}.{digits}f}"
        for number in (value, estimate["low"], estimate["high"])
    ]
    return f"{texts[0]}|{texts[1]} to {texts[2]}"


def _nats(entry: dict[str, float]) -> str:
    return f"{entry['nll']:+.4f}|{entry['nll_low']:+.4f} to {entry['nll_high']:+.4f}"


def _replication_table(content: Content) -> str:
    rows = []
    for row in replication(content):
        here = row["here"]
        ours = ["-", "-", "-"]
        if here is not None:
            alpha = here.get("alpha")
            setting = f"c_puct {here['c_puct']}" if alpha is None else _range_text(alpha)
            ours = [setting, _estimate_text(here["gain"], 3, sign=True), _estimate_text(here["accuracy"])]
        setting = f"c_puct {row['c_puct']}" if row["alpha"] is None else f"{row['alpha']:.2f}"
        name = "" if here is None or here["policy"] == row["policy"].lower() else f" ({here['policy']} here)"
        label = f"{row['policy']} at {row['group']}{name}"
        rows.append([label, setting, ours[0], f"{row['gain']:+.3f}", *ours[1:], row["source"]])
    head = [
        "",
        "alpha, paper",
        "alpha, here (within noise)",
        "gain, paper",
        "gain, here",
        "accuracy, here",
        "in the paper",
    ]
    accuracies = [
        [each["policy"] or "not said", each["group"], f"{each['accuracy']:.3f}", each["source"]]
        for each in content["paper"]["accuracies"]
    ]
    return (
        page.paragraph(content["paper"]["policies"], faint=True)
        + page.table(head, rows)
        + page.table(["blend of the paper", "group", "accuracy", "in the paper"], accuracies)
    )


def _range_text(alpha: dict[str, float]) -> str:
    return f"{alpha['value']:.2f}|{alpha['low']:.2f} to {alpha['high']:.2f}"


def _trend_table(content: Content) -> str:
    rows = [[each["verdict"], each["claim"], each["here"], each["source"]] for each in trends(content)]
    return page.table(["here it", "the paper", "here", "in the paper"], rows)


def _overview(content: Content) -> str:
    rows = []
    for name, entry in content["policies"].items():
        rows.append([name, _estimate_text(entry["mean"]), f"{entry['mean']['nll']:.3f}", "", ""])
        for method in ("grid", "rating") if name in content["blends"] else ():
            found = content["blends"][name]["methods"][method]
            gain = found["gain"]
            rows.append(
                [
                    f"{name} + {content['strong']}, {_METHODS[method]}",
                    _estimate_text(found["mean"]),
                    f"{found['mean']['nll']:.3f}",
                    _estimate_text(gain["mean"], 4, sign=True),
                    _estimate_text(gain["upper"], 4, sign=True),
                ]
            )
    for name, entry in content.get("baselines", {}).items():
        rows.append([name, _estimate_text(entry["mean"]), f"{entry['mean']['nll']:.3f}", "", ""])
        less = entry["blend less it"]
        rows.append(
            [
                f"{content['humans'][0]} + {content['strong']} minus {name}",
                _estimate_text(less["mean"], 4, sign=True),
                _nats(less["mean"]),
                "",
                _estimate_text(less["upper"], 4, sign=True),
            ]
        )
    upper = " to ".join(dict.fromkeys([content["upper"][0], content["upper"][-1]]))
    head = ["policy", "accuracy, mean of groups", "nats", "gain, mean of groups", f"gain, {upper}"]
    return page.table(head, rows)


def _gain_table(content: Content, method: str) -> str:
    gains = {name: content["blends"][name]["methods"][method]["gain"]["groups"] for name in content["humans"]}
    groups = list(content["policies"][content["strong"]]["groups"])
    rows = [[group, *(_estimate_text(gains[name][group], sign=True) for name in gains)] for group in groups]
    return page.table(["group", *gains], rows)


def _alpha_table(content: Content) -> str:
    rows = []
    for name in content["humans"]:
        fit = content["blends"][name]["fit"]
        for group, entry in fit["groups"].items():
            rows.append(
                [
                    f"{name}, {group}",
                    _range_text(entry["grid"]),
                    _estimate_text(entry["likelihood"], 2),
                    " and ".join(f"{weight['value']:.2f}" for weight in entry["weights"]),
                ]
            )
        if (trend := fit["trend"]) is not None:
            ends = f"{trend['alpha'][0]:.2f} to {trend['alpha'][1]:.2f}"
            change = {"value": trend["change"], "low": trend["low"], "high": trend["high"]}
            rows.append([f"{name}, along a line", "", ends, _estimate_text(change, 2, sign=True)])
    return page.table(["", "grid (within noise)", "alpha by likelihood", "free weights, or the change"], rows)


def _method_table(content: Content) -> str:
    rows = []
    for name in content["humans"]:
        blend = content["blends"][name]
        for method, entry in blend["methods"].items():
            mean = entry["mean"]
            rows.append(
                [
                    f"{name}: {_METHODS[method]}",
                    _estimate_text(mean),
                    f"{mean['nll']:.4f}",
                    _estimate_text(entry["gain"]["mean"], 4, sign=True),
                ]
            )
        for title, found in blend["comparisons"].items():
            rows.append(
                [f"{name}: {title}", "", _nats(found["mean"]), _estimate_text(found["mean"], 4, sign=True)]
            )
    return page.table(["", "accuracy", "nats", "accuracy gained"], rows)


def _robustness_table(content: Content) -> str:
    rows = [
        [f"{name}: {_METHODS[method]}", _estimate_text(costs["mean"], 4, sign=True)]
        for name in content["humans"]
        for method, costs in content["blends"][name]["robustness"].items()
    ]
    return page.table(["", "accuracy lost, mean of groups"], rows)


def _kind_table(content: Content) -> str:
    rows = [
        [
            kind,
            _estimate_text(found["mean"]),
            f"{found['mean']['nll']:.3f}",
            _estimate_text(found["less geometric"], 4, sign=True) if "less geometric" in found else "",
        ]
        for kind, found in content["kinds"].items()
    ]
    return page.table(["mean", "accuracy", "nats", "minus geometric"], rows)


def _three_table(found: dict[str, Any]) -> str:
    names = ", ".join(found["policies"])
    rows = [
        [
            _METHODS[method],
            _estimate_text(entry["mean"]),
            _estimate_text(entry["less two"]["mean"], 4, sign=True),
            _nats(entry["less two"]["mean"]),
        ]
        for method, entry in found["methods"].items()
    ]
    head = ["", "accuracy", "minus the blend of first and last", "nats, likewise"]
    return page.paragraph(names, faint=True) + page.table(head, rows)


def _search_table(found: dict[str, Any]) -> str:
    if "left out" in found:
        return page.paragraph(found["left out"])
    rows = [
        [
            name,
            "",
            *(_estimate_text(each) for each in entry["groups"].values()),
            _estimate_text(entry["mean"]),
        ]
        for name, entry in found["policies"].items()
    ]
    for rule, entry in found["rules"].items():
        rows.append(
            [
                f"search, {rule}",
                ", ".join(entry["c_puct"].values()),
                *(_estimate_text(each) for each in entry["groups"].values()),
                _estimate_text(entry["mean"]),
            ]
        )
        for label, key in (
            ("minus the policy", "less policy"),
            ("the grid's blend minus it", "blend less it"),
        ):
            differences = entry[key]
            cells = [_estimate_text(each, 3, sign=True) for each in differences["groups"].values()]
            rows.append([label, "", *cells, _estimate_text(differences["mean"], 4, sign=True)])
    groups = list(found["rules"]["visits"]["c_puct"])
    by_c = [
        [f"{rule}, {split}, c_puct {c}", *(f"{entry[split][group][c]:.3f}" for group in groups)]
        for rule, entry in found["rules"].items()
        for split in ("validation", "test")
        for c in found["c_pucts"]
    ]
    test = found["parts"]["test"]
    note = f"{found['nodes']} visits; {test['positions']:,} test positions of {test['games']:,} games."
    return (
        page.paragraph(note, faint=True)
        + page.table(["", "c_puct by group", *groups, "mean"], rows)
        + page.table(["accuracy", *groups], by_c)
    )


def _mechanism_table(found: dict[str, Any]) -> str:
    rows = [
        [name, _estimate_text(entry)]
        for name, entry in found.items()
        if isinstance(entry, dict) and "low" in entry
    ]
    nodes = "" if found["nodes"] is None else f", {found['nodes']:,} nodes a move"
    note = (
        f"{found['positions']:,} positions of {found['games']:,} games of {', '.join(found['groups'])}; the "
        f"engine is {found['engine']}{nodes}; a loss of at least {found['bad']} is a blunder; "
        f"{found['left out']:,} positions beyond {found['decided']} are left out."
    )
    by_loss = [
        [least, *(_estimate_text(entry[key]) for key in ("positions", "gain", "share of the gain"))]
        for least, entry in found["by loss"].items()
    ]
    return (
        page.paragraph(note, faint=True)
        + page.table(["", "share of positions, or loss"], rows)
        + page.table(["the policy's move loses", "positions", "gain there", "share of the gain"], by_loss)
    )


def _paper_mechanism(paper: dict[str, Any]) -> str:
    rows = [[name, f"{value:.3f}" if isinstance(value, float) else f"{value:,}"]
            for name, value in paper["mechanism"].items()]  # fmt: skip
    return page.table(["mechanism", ""], rows)
