"""Which trends of the blend paper hold here, in words made from a report's numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

Verdict: TypeAlias = Literal["holds", "fails", "not clear"]
Content: TypeAlias = dict[str, Any]
_NARROW = re.compile(r"maia-(?:s-)?(.+)")
"""Names of policies that learned from one group, which follows."""
_COST = (0.001, 0.002)
"""What 0.1 of alpha costs in the paper."""


@dataclass(frozen=True)
class Trend:
    """A statement of the paper, and what the numbers of a report say about it."""

    claim: str
    source: str
    """The section of the paper."""
    here: str
    verdict: Verdict
    """Not clear: the interval allows both."""


def trends(content: Content) -> list[dict[str, str]]:
    """The paper's trends for the content of a report, in the paper's order."""
    parts = (
        _best_at_home, _wide_against_narrow, _wide_is_even, _strong_rises, _blends_gain, _gain_rises,
        _alpha_falls, _cost_of_alpha, _means, _searches, _mechanisms, _trials,
    )  # fmt: skip
    return [asdict(trend) for part in parts for trend in part(content)]


def wide_policy(content: Content) -> str:
    """The human-like policy in the place of the paper's Maia-S-Wide: by its name, else the first."""
    names: list[str] = content["humans"]
    return next((name for name in names if "wide" in name), names[0])


def _best_at_home(content: Content) -> Iterator[Trend]:
    claim = "A policy of one group is most accurate near that group."
    for name, home in _narrow(content):
        entries = content["policies"][name]["groups"]
        groups = list(entries)
        best = max(groups, key=lambda group: entries[group]["top1"])
        lost = entries[best]["top1"] - entries[home]["top1"]
        near = abs(groups.index(best) - groups.index(home)) <= 1
        clear = lost > math.hypot(_half(entries[best]), _half(entries[home]))
        here = (
            f"{name} is best at {best} ({entries[best]['top1']:.3f}); at {home}: {entries[home]['top1']:.3f}."
        )
        yield Trend(claim, "IV-B, V-B, VI-B", here, "holds" if near else "fails" if clear else "not clear")


def _wide_against_narrow(content: Content) -> Iterator[Trend]:
    wide = wide_policy(content)
    for name, home in _narrow(content):
        if "-s-" in name and name != wide:
            ours, other = (content["policies"][each]["groups"][home] for each in (wide, name))
            more, noise = ours["top1"] - other["top1"], math.hypot(_half(ours), _half(other))
            here = f"{wide} is {more:+.3f} against {name} at {home}."
            yield Trend(
                "Maia-S-Wide is more accurate than Maia-S.",
                "IV-B, VI-B",
                here,
                _sign(more - noise, more + noise),
            )


def _wide_is_even(content: Content) -> Iterator[Trend]:
    wide = wide_policy(content)
    entries = content["policies"][wide]["groups"]
    if len(entries) < 2:
        return
    low, high = (function(entries, key=lambda group: entries[group]["top1"]) for function in (min, max))
    spread = entries[high]["top1"] - entries[low]["top1"]
    noise = math.hypot(_half(entries[high]), _half(entries[low]))
    here = f"{wide} goes from {entries[low]['top1']:.3f} at {low} to {entries[high]['top1']:.3f} at {high}."
    verdict: Verdict = "fails" if spread > 1.5 * noise else "holds"
    yield Trend("Maia-S-Wide is about equally accurate in all groups.", "IV-B, V-B, VI-B", here, verdict)


def _strong_rises(content: Content) -> Iterator[Trend]:
    strong = content["strong"]
    entries = content["policies"][strong]["groups"]
    if len(entries) < 2:
        return
    first, last = _ends(entries)
    here = f"{strong} has {entries[first]['top1']:.3f} at {first} and {entries[last]['top1']:.3f} at {last}."
    yield Trend(
        "The strong policy is more accurate the stronger the players are.",
        "IV-B, V-B, VI-B",
        here,
        _rises(entries),
    )


def _blends_gain(content: Content) -> Iterator[Trend]:
    for name in content["humans"]:
        gain = content["blends"][name]["methods"]["grid"]["gain"]
        worse = [group for group, entry in gain["groups"].items() if entry["top1"] < 0]
        below = f"; below 0 in {', '.join(worse)}" if worse else ", above 0 in every group"
        here = f"{name}: {_interval(gain['mean'])} in the mean of groups{below}."
        claim = "The blend with the grid's alpha is more accurate than its human-like policy."
        yield Trend(claim, "IV-B, IV-C, V-B, VI-B", here, _sign(gain["mean"]["low"], gain["mean"]["high"]))


def _gain_rises(content: Content) -> Iterator[Trend]:
    for name in content["humans"]:
        entries = content["blends"][name]["methods"]["grid"]["gain"]["groups"]
        if len(entries) > 1:
            first, last = _ends(entries)
            here = (
                f"{name}: {entries[first]['top1']:+.3f} at {first}, {entries[last]['top1']:+.3f} at {last}."
            )
            yield Trend(
                "The gain grows with the strength of the players.",
                "IV-B, IV-C, V-B, VI-B",
                here,
                _rises(entries),
            )


def _alpha_falls(content: Content) -> Iterator[Trend]:
    for name in content["humans"]:
        fits = content["blends"][name]["fit"]["groups"]
        if len(fits) < 2:
            continue
        first, last = _ends(fits)
        low, high = fits[last]["grid"], fits[first]["grid"]
        verdict: Verdict = "not clear"
        if low["high"] < high["low"]:
            verdict = "holds"
        elif high["high"] < low["low"]:
            verdict = "fails"
        here = (
            f"{name}: {high['value']:.2f} at {first} (within noise {high['low']:.2f} to {high['high']:.2f}), "
            f"{low['value']:.2f} at {last} ({low['low']:.2f} to {low['high']:.2f})."
        )
        if (line := content["blends"][name]["fit"]["trend"]) is not None:
            change = f"{line['change']:+.2f} ({line['low']:+.2f} to {line['high']:+.2f})"
            here += f" By likelihood, along a line: {change}."
            if verdict == "not clear" and line["high"] < 0 and low["value"] < high["value"]:
                verdict = "holds"
        yield Trend(
            "The best alpha falls with the strength of the players.", "IV-B, V-B, VI-B", here, verdict
        )


def _cost_of_alpha(content: Content) -> Iterator[Trend]:
    name = wide_policy(content)
    cost = content["blends"][name]["robustness"]["grid"]["mean"]
    here = f"{name}: {cost['value']:.4f} ({cost['low']:.4f} to {cost['high']:.4f})."
    verdict: Verdict = "holds" if cost["low"] <= _COST[1] and cost["high"] >= _COST[0] else "fails"
    yield Trend("0.1 of alpha costs 0.001 to 0.002 of accuracy.", "IV-B, V-B, VI-B", here, verdict)


def _means(content: Content) -> Iterator[Trend]:
    kinds = content["kinds"]
    if "less geometric" in kinds.get("arithmetic", {}):
        less = kinds["arithmetic"]["less geometric"]
        here = f"arithmetic minus geometric: {_interval(less)}."
        verdict = _sign(-less["high"], -less["low"])
        yield Trend("The geometric mean is more accurate than the arithmetic one.", "III", here, verdict)
    for kind, entry in kinds.items():
        if kind.startswith("power"):
            less = entry["less geometric"]
            same: Verdict = "holds" if less["low"] <= 0 <= less["high"] else "fails"
            here = f"{kind}, minus geometric: {_interval(less)}."
            yield Trend("The power mean is about as accurate as the geometric one.", "III", here, same)


def _searches(content: Content) -> Iterator[Trend]:
    for name, found in content.get("search", {}).items():
        if "left out" in found:
            continue
        for rule, entry in found["rules"].items():
            gain, lead = entry["less policy"]["mean"], entry["blend less it"]["mean"]
            behind = [group for group, each in entry["blend less it"]["groups"].items() if each["top1"] < 0]
            lost = f"; search is ahead at {', '.join(behind)}" if behind else ""
            here = (
                f"{name}, {found['nodes']} visits, rule {rule}: search gains {_interval(gain)}, the blend "
                f"minus search is {_interval(lead)} in the mean of groups{lost}."
            )
            yield Trend(
                "The blend is more accurate than KL-regularised search.",
                "V-C",
                here,
                _sign(lead["low"], lead["high"]),
            )


def _mechanisms(content: Content) -> Iterator[Trend]:
    claim = "Avoided blunders are most of the gain."
    for name, found in content.get("mechanism", {}).items():
        gain, share = found["gain"], found["share of the gain"]
        if gain["low"] <= 0:
            text = f"{gain['value']:+.3f} ({gain['low']:+.3f} to {gain['high']:+.3f})"
            here = f"{name}: the gain on these positions is {text}; no share can be told."
            yield Trend(claim, "VI-C", here, "not clear")
        else:
            here = f"{name}: {share['value']:.0%} of the gain, where its move loses {found['bad']} or more."
            yield Trend(claim, "VI-C", here, _sign(share["low"] - 0.5, share["high"] - 0.5))


def _trials(content: Content) -> Iterator[Trend]:
    for name, found in content["trials"].items():
        if found:
            gains = found["methods"]["grid"]["mean"]["gains"]
            here = f"{name}: {min(gains):+.4f} to {max(gains):+.4f} in {len(gains)} trials."
            verdict: Verdict = "holds" if min(gains) > 0 else "fails"
            yield Trend("The blend is better in every trial.", "appendix A", here, verdict)


def _narrow(content: Content) -> Iterator[tuple[str, str]]:
    """The policies of one group with that group."""
    for name in content["humans"]:
        match = _NARROW.fullmatch(name)
        if match and match[1] in content["policies"][name]["groups"]:
            yield name, match[1]


def _rises(entries: Mapping[str, Mapping[str, float]]) -> Verdict:
    """Whether accuracies by group rise: the slope of a weighted straight line, with its interval."""
    x = np.arange(len(entries), dtype=np.float64)
    y = np.array([entry["top1"] for entry in entries.values()])
    weights = 1 / np.maximum([_half(entry) for entry in entries.values()], 1e-6) ** 2
    centred = x - np.average(x, weights=weights)
    slope = float((weights * centred * y).sum() / (weights * centred**2).sum())
    wide = float(1 / np.sqrt((weights * centred**2).sum()))  # half intervals in, a half interval out
    return _sign(slope - wide, slope + wide)


def _sign(low: float, high: float) -> Verdict:
    """Whether a number that should be positive is, by its interval."""
    return "holds" if low > 0 else "fails" if high < 0 else "not clear"


def _half(entry: Mapping[str, float]) -> float:
    return (entry["high"] - entry["low"]) / 2


def _ends(entries: Mapping[str, Any]) -> tuple[str, str]:
    names = list(entries)
    return names[0], names[-1]


def _interval(entry: Mapping[str, float]) -> str:
    return f"{entry['top1']:+.4f} ({entry['low']:+.4f} to {entry['high']:+.4f})"
