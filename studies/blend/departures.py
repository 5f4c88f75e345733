"""Where a blend study differs from the paper, in words made from a report's numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from studies.blend.paper import MECHANISM

_GROUPS = {"chess": "nine groups of 100 points from 1100 to 1999", "go": "fifteen ranks from 6k to 9d",
           "shogi": "six groups of equal size from 1433 to 2140"}  # fmt: skip
_PAPER_INTERVAL = {"chess": 0.002, "go": 0.004, "shogi": 0.002}
"""Half of the 95 % interval of an accuracy in one group (figures 1, 4 and 7)."""


def departures(content: dict[str, Any]) -> list[str]:
    """Sentences about data, networks, trials, search and mechanism."""
    parts = (_data, _networks, _training, _trials, _search, _mechanism)
    return [sentence for part in parts for sentence in part(content)]


def _data(content: dict[str, Any]) -> Iterator[str]:
    data, game = content["data"], content["game"]
    groups = data["groups"]
    yield (
        f"Clocks: {data['with clocks']:,} of {data['games']:,} games have them. The rule of little time left "
        "applies to those games alone."
    )
    small, large = (function(groups, key=lambda group: groups[group]) for function in (min, max))
    yield (
        f"Groups: {len(groups)} here, with {groups[small]:,} games ({small}) to {groups[large]:,} ({large}) "
        f"in all splits. The paper has {_GROUPS.get(game, 'other groups')}, with equally many games each."
    )
    entries = content["policies"][content["strong"]]["groups"].values()
    half = max((entry["high"] - entry["low"]) / 2 for entry in entries)
    positions = [entry["positions"] for entry in entries]
    theirs = f"+-{_PAPER_INTERVAL[game]:.3f} in the paper" if game in _PAPER_INTERVAL else "not in the paper"
    yield (
        f"Sample: {min(positions):,} to {max(positions):,} test positions of a group; the interval of an "
        f"accuracy is up to +-{half:.3f} here, {theirs}."
    )


def _networks(content: dict[str, Any]) -> Iterator[str]:
    for name, entry in content.get("networks", {}).items():
        if "network" in entry:
            size = f"{entry['parameters']:,} parameters, {entry['architecture']}"
            yield f"{name} is {entry['network']} ({size}); trained on: {entry['trained on'].rstrip('.')}."


def _training(content: dict[str, Any]) -> Iterator[str]:
    """The games of each network: those of its group if its name ends with one, else all of the table."""
    for name, groups in content.get("training", {}).items():
        own = name.rpartition("-")[2]
        kept = {own: groups[own]} if own in groups else groups
        total, mixed = sum(kept.values()), kept.get("mixed", 0)
        yield (
            f"{name} learned from {total:,} games of the training split, {mixed:,} of them between players "
            "of different groups. The paper's networks have 120,000 games of one group, or 720,000 and more "
            "of all; in each game both players are of one group (in shogi within 50 points)."
        )


def _trials(content: dict[str, Any]) -> Iterator[str]:
    if any(content["trials"].values()):
        yield (
            "Trials: validation and test games are divided anew, networks are not trained anew. The paper "
            "trains them anew (appendix A), so its spread has a part that is missing here."
        )


def _search(content: dict[str, Any]) -> Iterator[str]:
    for name, found in content.get("search", {}).items():
        if "left out" in found:
            yield f"Search with {name} is left out: {found['left out']}."
            continue
        chosen, tested = (found["parts"][split]["positions"] for split in ("validation", "test"))
        yield (
            f"Search with {name}: {found['nodes']} visits (the paper does not say how many), one leaf at a "
            f"time, c_puct {', '.join(found['c_pucts'])}, chosen on {chosen:,} positions and measured on "
            f"{tested:,}, the same as alpha. Moves without visits are valued 0.3 below their parent; equal "
            "visits are ordered by the prior."
        )


def _mechanism(content: dict[str, Any]) -> Iterator[str]:
    for name, found in content.get("mechanism", {}).items():
        nodes = "no limit of nodes" if found["nodes"] is None else f"{found['nodes']:,} nodes a move"
        weights = "the grid's" if found.get("method") == "grid" else "by rating; the paper's are the grid's"
        yield (
            f"Mechanism with {name}: the engine is {found['engine']} with {nodes}, the paper's has "
            f"{MECHANISM['nodes']:,.0f}. The blend's weights are {weights}. {found['positions']:,} evenly "
            f"spaced positions of {', '.join(found['groups'])} count; the paper has "
            f"{MECHANISM['positions']:,.0f} random ones of its highest group. {found['left out']:,} more, "
            f"whose best move is worth {found['decided']:,} or more for a side, are dropped as decided; the "
            "paper drops decided ones too, without saying its bound. Values are clipped at "
            f"{2 * found['decided']:,}, which changes mean losses alone; the paper does not clip."
        )
