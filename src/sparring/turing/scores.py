"""The score of a Turing test: how often games of each source were called human."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sparring.arena.intervals import wilson_interval
from sparring.turing.kit import SOURCES, TuringKit

VERDICTS = ("human", "computer")


def score_verdicts(kit: TuringKit, verdicts: Mapping[str, str]) -> dict[str, Any]:
    """How often games of each source were called human, and how often the judge was right.

    `verdicts` has `human` or `computer` by id; games without one do not count. Shares have 95 % intervals.
    `p_value` is that of a permutation test of whether ours were called human as often as people; None without
    verdicts on both. The result is plain data for JSON. Raises ValueError for an unknown id or verdict.
    """
    levels = {game.id: game.level for game in kit.games}
    for name, verdict in verdicts.items():
        if name not in levels:
            raise ValueError(f"no game '{name}' in the kit")
        if verdict not in VERDICTS:
            raise ValueError(f"game {name}: '{verdict}' is not human or computer")
    said = [(levels[name], kit.key[name], verdict == "human") for name, verdict in verdicts.items()]

    def called(source: str, level: int | None = None) -> list[bool]:
        return [human for at, who, human in said if who == source and level in (None, at)]

    right = [human == (who == "people") for _, who, human in said]
    return {
        "games": len(said),
        "right": share_with_interval(right),
        "called_human": {source: share_with_interval(called(source)) for source in SOURCES},
        "by_level": {
            level: {source: share_with_interval(called(source, level)) for source in SOURCES}
            for level in sorted({at for at, *_ in said})
        },
        "p_value": permutation_test(called("ours"), called("people")),
    }


def share_with_interval(said: Sequence[bool]) -> dict[str, float] | None:
    """The share of true values with Wilson's 95 % interval; None without values."""
    if not said:
        return None
    share = sum(said) / len(said)
    low, high = wilson_interval(share, len(said))
    return {"value": share, "low": low, "high": high, "games": len(said)}


def permutation_test(first: Sequence[bool], second: Sequence[bool], draws: int = 10_000) -> float | None:
    """The chance of a difference of shares at least as large if both had one share; None without values."""
    if not first or not second:
        return None
    both, rng = np.array([*first, *second], float), np.random.default_rng(0)
    seen = abs(np.mean(first) - np.mean(second))
    drawn = rng.permuted(np.tile(both, (draws, 1)), axis=1)
    gaps = np.abs(drawn[:, : len(first)].mean(axis=1) - drawn[:, len(first) :].mean(axis=1))
    return float(((gaps >= seen - 1e-12).sum() + 1) / (draws + 1))
