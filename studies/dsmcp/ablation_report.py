"""What an ablation found: changes of the accuracy, their noise, and their correlation with the saliency."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.rbc.synopsis import ALL, TOP
from studies.dsmcp.accuracy import estimate
from studies.dsmcp.hits import HitFiles, Hits
from studies.dsmcp.paper import paper_planes

_FEWEST = 5
"""Planes of a correlation, at least."""
Changes = dict[int, dict[str, float]]
"""Change of the accuracy by plane and headset; `mean` is that of both headsets."""


def ablation_report(files: HitFiles, planes: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Returns the report of the networks trained so far, empty without one that has all planes.

    `planes` are the rows of the saliency. Changes of a plane are means over its seeds, against the mean of
    all networks with all planes. Those of a network in `repeats` are against the mean of the others.
    """
    trained = files.trained()
    whole = {seed: files.read(None, seed) for plane, seed in trained if plane is None}
    if not whole:
        return {}
    games, names = files.games(), {row["plane"]: row["name"] for row in planes}
    baseline = _mean(list(whole.values()))
    found: dict[str, Any] = {
        "baseline": {name: estimate(hits, games[name]) for name, hits in baseline.items()},
        "repeats": [],
        "ablations": [],
    }
    for seed, hits in whole.items():
        if others := [each for other, each in whole.items() if other != seed]:
            found["repeats"].append({"seed": seed, "difference": _estimates(hits, _mean(others), games)})
    by_seed: dict[int, Changes] = {}
    for plane in sorted({plane for plane, _ in trained if plane is not None}):
        by_plane = {seed: files.read(plane, seed) for each, seed in trained if each == plane}
        for seed, hits in by_plane.items():
            by_seed.setdefault(seed, {})[plane] = _changes(hits, baseline)
        difference = _estimates(_mean(list(by_plane.values())), baseline, games)
        found["ablations"].append(
            {"plane": plane, "name": names[plane], "seeds": len(by_plane), "difference": difference}
        )
    changes = _over_seeds(by_seed)
    return found | {
        "noise": _noise([_changes(hits, baseline) for hits in whole.values()]),
        "correlations": _correlations(planes, changes),
        "agreement_of_seeds": _agreement(by_seed),
        "paper": _agreement_with_paper(planes, changes),
    }


def correlation(first: Sequence[float], second: Sequence[float]) -> list[float] | None:
    """Returns Pearson's correlation with its 95 % interval (Fisher), or None for few or constant values."""
    if len(first) < _FEWEST or np.std(first) == 0 or np.std(second) == 0:
        return None
    found = float(np.corrcoef(first, second)[0, 1])
    half = 1.96 / math.sqrt(len(first) - 3)
    place = math.atanh(min(max(found, -0.999999), 0.999999))
    return [round(each, 3) for each in (found, math.tanh(place - half), math.tanh(place + half))]


def _mean(hits: Sequence[Hits]) -> Hits:
    return {name: np.mean([hit[name] for hit in hits], axis=0) for name in hits[0]}


def _estimates(
    hits: Hits, baseline: Hits, games: dict[str, NDArray[np.uint64]]
) -> dict[str, list[float | None]]:
    return {name: estimate(hits[name] - each, games[name]) for name, each in baseline.items()}


def _changes(hits: Hits, baseline: Hits) -> dict[str, float]:
    found = {name: float(np.nanmean(hits[name] - baseline[name])) for name in (ALL, TOP)}
    return found | {"mean": (found[ALL] + found[TOP]) / 2}


def _noise(changes: Sequence[dict[str, float]]) -> dict[str, float]:
    """Standard deviation of the accuracy of networks with all planes; empty for one network."""
    if len(changes) < 2:
        return {}
    return {name: round(float(np.std([c[name] for c in changes], ddof=1)), 5) for name in changes[0]}


def _over_seeds(by_seed: dict[int, Changes]) -> Changes:
    planes = {plane for changes in by_seed.values() for plane in changes}
    found: Changes = {}
    for plane in planes:
        each = [changes[plane] for changes in by_seed.values() if plane in changes]
        found[plane] = {name: float(np.mean([one[name] for one in each])) for name in each[0]}
    return found


def _correlations(
    planes: Sequence[dict[str, Any]], changes: Changes
) -> dict[str, dict[str, list[float] | None]]:
    shown = [row for row in planes if row["plane"] in changes]
    return {
        statistic: {
            name: correlation(
                [row[statistic] for row in shown], [changes[row["plane"]][name] for row in shown]
            )
            for name in (ALL, TOP, "mean")
        }
        for statistic in ("loss_pbs", "action_pbs")
    }


def _agreement_with_paper(
    planes: Sequence[dict[str, Any]], changes: Changes
) -> dict[str, list[float] | None]:
    """Correlations of saliency and changes with those of the paper, over the planes."""
    saliency, ablation = paper_planes("action_pbs"), paper_planes("ablation")
    removed = sorted(changes)
    return {
        "action_pbs": correlation(
            [math.log(row["action_pbs"]) for row in planes],
            [math.log(saliency[row["plane"]]) for row in planes],
        ),
        "ablation": correlation([changes[p]["mean"] for p in removed], [ablation[p] for p in removed]),
    }


def _agreement(by_seed: dict[int, Changes]) -> dict[str, Any]:
    """Correlation of the changes of the first two seeds, on the planes that both have."""
    if len(by_seed) < 2:
        return {}
    first, second = list(by_seed.values())[:2]
    both = sorted(first.keys() & second.keys())
    return {"planes": len(both)} | {
        name: correlation([first[p][name] for p in both], [second[p][name] for p in both])
        for name in (ALL, TOP, "mean")
    }
