"""A report for people: one HTML page, the figures, and everything as JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sparring.matching.figures import draw_all
from sparring.reports import page, writing

_CAPTIONS = {
    "Accuracy by group": "The share of moves that were the policy's first choice; bands are 95 % intervals.",
    "Likelihood by group": "The mean negative log-likelihood of the moves that were played.",
    "Accuracy by ply": "All groups together, by how many moves had been played.",
    "Accuracy by number of legal moves": "All groups together: the fewer moves, the easier the guess.",
    "Calibration": "On the dotted line a policy is right as often as it thinks. The larger a mark, the more "
    "positions it stands for; the numbers are expected calibration errors.",
    "Differences": "On the same games, resampled together: an interval that leaves out 0 is a difference.",
    "Trials": "The same policies on the test games of several splits. A policy that learned from one split's "
    "training games may have seen some of another's test games.",
}


_FEW_GAMES = 20


def few_games_warning(content: dict[str, Any]) -> str:
    """A warning that names groups with so few games that bootstrap intervals are too narrow; empty if there
    is none."""
    groups = next(iter(content["policies"].values()))["groups"]
    few = [f"{name} ({entry['games']})" for name, entry in groups.items() if entry["games"] < _FEW_GAMES]
    if not few:
        return ""
    return f"fewer than {_FEW_GAMES} games, so that intervals are too narrow: {', '.join(few)}"


def write_report(content: dict[str, Any], out: Path, command: str) -> str:
    """Writes report.json, report.html and figures/. Says what stays undone, if anything. Raises OSError."""
    return writing.write_report(content, out, command, draw_all, _html)


def _html(content: dict[str, Any], figures: dict[str, str]) -> str:
    policies = content["policies"]
    parts = [
        page.paragraph(
            f"{content['positions']:,} positions of {content['games']:,} games from "
            f"{', '.join(content['records'])}; {content['split']} split of trial {content['trial']}. "
            "Intervals hold 95 % and are by bootstrap over games."
        ),
        *([page.paragraph(f"Groups with {few}.")] if (few := few_games_warning(content)) else []),
        page.heading("All policies"),
        _overview(policies),
    ]
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
    parts += page.provenance(content)
    return page.page(f"How well they predict people: {content['game']}", parts)


def with_interval(entry: dict[str, Any], column: str = "top1") -> str:
    """A value with its interval, such as 0.512|0.498-0.526."""
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
        [f"{later} less {earlier}", *(_signed(found["mean"], column) for column in ("top1", "nll"))]
        for later, others in content["differences"].items()
        for earlier, found in others.items()
    ]
    return page.table(["", "accuracy", "nats"], rows)


def _signed(entry: dict[str, Any], column: str) -> str:
    before = "" if column == "top1" else f"{column}_"
    return f"{entry[column]:+.3f}|{entry[f'{before}low']:+.3f} to {entry[f'{before}high']:+.3f}"


def _trial_table(trials: dict[str, Any]) -> str:
    rows = [
        [group, *(f"{of[group]['mean']:.3f}|±{of[group]['deviation']:.3f}" for of in trials.values())]
        for group in next(iter(trials.values()))
    ]
    return page.table(["group", *trials], rows)


def _temperature_table(policies: dict[str, Any]) -> str:
    fitted = {name: found["temperatures"] for name, found in policies.items() if "temperatures" in found}
    groups = next(iter(fitted.values()))
    rows = [[group, *(f"{found[group]['temperature']:.3f}" for found in fitted.values())] for group in groups]
    return page.table(["group", *fitted], rows)
