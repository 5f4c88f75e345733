"""The HTML tables of a blend study's page."""

from __future__ import annotations

from typing import Any

from sparring.measure import page
from sparring.measure.reports import Content
from studies.blend.replication import replication
from studies.blend.trends import trends

METHODS = {
    "grid": "alpha by group, on accuracy (the paper's)",
    "alpha": "alpha by group, on likelihood",
    "rating": "weights by rating, on likelihood",
    "position": "weights by rating and position, on likelihood",
}


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


def replication_table(content: Content) -> str:
    """The paper's experiment beside ours: alpha, gain and accuracy by group."""
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
        [
            accuracy["policy"] or "not said",
            accuracy["group"],
            f"{accuracy['accuracy']:.3f}",
            accuracy["source"],
        ]
        for accuracy in content["paper"]["accuracies"]
    ]
    return (
        page.paragraph(content["paper"]["policies"], faint=True)
        + page.table(head, rows)
        + page.table(["blend of the paper", "group", "accuracy", "in the paper"], accuracies)
    )


def _range_text(alpha: dict[str, float]) -> str:
    return f"{alpha['value']:.2f}|{alpha['low']:.2f} to {alpha['high']:.2f}"


def trend_table(content: Content) -> str:
    """The paper's claims on trends, and whether they hold here."""
    rows = [[trend["verdict"], trend["claim"], trend["here"], trend["source"]] for trend in trends(content)]
    return page.table(["here it", "the paper", "here", "in the paper"], rows)


def overview_table(content: Content) -> str:
    """Accuracy and likelihood of policies, blends and baselines, with their gains."""
    rows = []
    for name, entry in content["policies"].items():
        rows.append([name, _estimate_text(entry["mean"]), f"{entry['mean']['nll']:.3f}", "", ""])
        for method in ("grid", "rating") if name in content["blends"] else ():
            found = content["blends"][name]["methods"][method]
            gain = found["gain"]
            rows.append(
                [
                    f"{name} + {content['strong']}, {METHODS[method]}",
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


def gain_table(content: Content, method: str) -> str:
    """Gain by group of the blends of a method, a column a human-like policy."""
    gains = {name: content["blends"][name]["methods"][method]["gain"]["groups"] for name in content["humans"]}
    groups = list(content["policies"][content["strong"]]["groups"])
    rows = [[group, *(_estimate_text(gains[name][group], sign=True) for name in gains)] for group in groups]
    return page.table(["group", *gains], rows)


def alpha_table(content: Content) -> str:
    """Alpha by group: the grid's, by likelihood, and free weights."""
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


def method_table(content: Content) -> str:
    """The methods to choose weights, and the differences between them."""
    rows = []
    for name in content["humans"]:
        blend = content["blends"][name]
        for method, entry in blend["methods"].items():
            mean = entry["mean"]
            rows.append(
                [
                    f"{name}: {METHODS[method]}",
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


def robustness_table(content: Content) -> str:
    """Accuracy that an alpha off by 0.1 loses."""
    rows = [
        [f"{name}: {METHODS[method]}", _estimate_text(costs["mean"], 4, sign=True)]
        for name in content["humans"]
        for method, costs in content["blends"][name]["robustness"].items()
    ]
    return page.table(["", "accuracy lost, mean of groups"], rows)


def kind_table(content: Content) -> str:
    """The three means of two policies, and their differences."""
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


def three_table(found: dict[str, Any]) -> str:
    """Blends of three policies, beside those of the first and the last."""
    names = ", ".join(found["policies"])
    rows = [
        [
            METHODS[method],
            _estimate_text(entry["mean"]),
            _estimate_text(entry["less two"]["mean"], 4, sign=True),
            _nats(entry["less two"]["mean"]),
        ]
        for method, entry in found["methods"].items()
    ]
    head = ["", "accuracy", "minus the blend of first and last", "nats, likewise"]
    return page.paragraph(names, faint=True) + page.table(head, rows)


def search_table(found: dict[str, Any]) -> str:
    """Accuracy of KL-regularised searches by group and by c_puct."""
    if "left out" in found:
        return page.paragraph(found["left out"])
    rows = [
        [
            name,
            "",
            *(_estimate_text(group) for group in entry["groups"].values()),
            _estimate_text(entry["mean"]),
        ]
        for name, entry in found["policies"].items()
    ]
    for rule, entry in found["rules"].items():
        rows.append(
            [
                f"search, {rule}",
                ", ".join(entry["c_puct"].values()),
                *(_estimate_text(group) for group in entry["groups"].values()),
                _estimate_text(entry["mean"]),
            ]
        )
        for label, key in (
            ("minus the policy", "less policy"),
            ("the grid's blend minus it", "blend less it"),
        ):
            differences = entry[key]
            cells = [
                _estimate_text(difference, 3, sign=True) for difference in differences["groups"].values()
            ]
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


def mechanism_table(found: dict[str, Any]) -> str:
    """Where the blend gains: losses and blunders by an engine's analysis."""
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


def paper_mechanism_table(paper: dict[str, Any]) -> str:
    """The paper's numbers on the mechanism."""
    rows = [[name, f"{value:.3f}" if isinstance(value, float) else f"{value:,}"]
            for name, value in paper["mechanism"].items()]  # fmt: skip
    return page.table(["mechanism", ""], rows)
