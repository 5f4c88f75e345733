"""Ablation of the planes of a synopsis (DSMCP paper, section 7): a network is trained again without a plane.

The networks have the headsets All and Top alone. Networks with all planes and other seeds show the noise of
the training.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.networks.synopsis import ALL, TOP
from sparring.training.rbc.config import RbcTrainingConfig
from sparring.training.rbc.device_examples import DeviceExamples
from sparring.training.rbc.trainer import RbcTrainer
from studies.dsmcp.accuracy import estimate

Hits = dict[str, tuple[NDArray[np.float32], NDArray[np.uint64]]]
"""Top-1 hits and games of held-out examples, by headset."""


def ablate(
    config: RbcTrainingConfig,
    data: DeviceExamples,
    folder: Path,
    planes: Sequence[dict[str, Any]],
    *,
    ablated: int,
    repeats: int,
    device: str = "",
    seconds: float | None = None,
    on_progress: Callable[[str, dict[str, Any]], None] = lambda *_: None,
) -> dict[str, Any]:
    """Trains networks without the `ablated` most and the `ablated` least salient planes, one at a time.

    `planes` are the rows of the saliency. `on_progress` is called after each network, with what was trained
    and the report so far. Ends after `seconds`.
    """
    ends = None if seconds is None else time.monotonic() + seconds
    own = replace(config, headsets=tuple(each for each in config.headsets if each.name in (ALL, TOP)))
    baseline = _train(own, data, folder, (), device)
    report: dict[str, Any] = {
        "baseline": {name: estimate(*each) for name, each in baseline.items()},
        "repeats": [],
        "ablations": [],
    }
    on_progress("baseline", report)
    for number in range(1, repeats + 1):
        seed = config.training.seed + number
        other = replace(own, training=replace(own.training, seed=seed))
        found = _train(other, data, folder, (), device, rows_of=config.training.seed)
        report["repeats"].append({"seed": seed, "difference": _differences(found, baseline)})
        on_progress(f"seed {seed}", report)
    for row in _alternating(planes, ablated):
        if ends is not None and time.monotonic() > ends:
            break
        found = _train(own, data, folder, (row["plane"],), device)
        difference = _differences(found, baseline)
        report["ablations"].append({"plane": row["plane"], "name": row["name"], "difference": difference})
        report["correlations"] = correlations(planes, report["ablations"])
        on_progress(f"without plane {row['plane']}, {row['name']}", report)
    return report


def correlations(
    planes: Sequence[dict[str, Any]], ablations: Sequence[dict[str, Any]]
) -> dict[str, dict[str, float]]:
    """Returns the correlation of the statistics with the change of the accuracy; empty for few planes."""
    if len(ablations) < 3:
        return {}
    changes = {
        name: np.array([each["difference"][name][0] for each in ablations], float) for name in (ALL, TOP)
    }
    changes["mean"] = (changes[ALL] + changes[TOP]) / 2
    by_plane = {row["plane"]: row for row in planes}
    found = {}
    for statistic in ("loss_pbs", "action_pbs"):
        values = np.array([by_plane[each["plane"]][statistic] for each in ablations])
        found[statistic] = {
            name: round(float(np.corrcoef(values, change)[0, 1]), 3)
            for name, change in changes.items()
            if change.std() > 0
        }
    return found


def _alternating(planes: Sequence[dict[str, Any]], ablated: int) -> Iterator[dict[str, Any]]:
    """The most and the least salient planes in turn, so that an early end has both."""
    order = sorted(planes, key=lambda row: int(row["rank"]))
    for most, least in zip(order[:ablated], order[::-1][:ablated], strict=True):
        yield most
        yield least


def _differences(found: Hits, baseline: Hits) -> dict[str, list[float | None]]:
    return {name: estimate(found[name][0] - hits, games) for name, (hits, games) in baseline.items()}


def _train(
    config: RbcTrainingConfig,
    data: DeviceExamples,
    folder: Path,
    removed: Sequence[int],
    device: str,
    rows_of: int | None = None,
) -> Hits:
    """Trains a network without some planes; returns the hits of its headsets on held-out examples, which
    depend on the seed `rows_of`."""
    data.remove_planes(removed)
    run = RbcTrainer(config, data, folder, device)
    for _ in range(config.training.steps):
        run.train_step()
    found = {}
    for index, headset in enumerate(config.headsets):
        rows = data.rows(headset, validation=True)
        rng = np.random.default_rng([config.training.seed if rows_of is None else rows_of, index])
        rows = rng.choice(rows, min(len(rows), config.training.validation_positions), replace=False)
        found[headset.name] = run.measure(index, rows).top1.numpy(), data.examples.games[rows]
    data.remove_planes(())
    return found
