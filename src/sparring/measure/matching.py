"""Measures several policies on the same games, from records to the content of a report."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.base.storage import atomic_write
from sparring.measure.metrics import Estimate, PolicyMetrics, Resamples
from sparring.measure.samples import GameSelection, Sample, read_sample
from sparring.measure.scores import (
    CachedPolicy,
    TemperatureFit,
    cache_key,
    fit_temperatures,
    score_sample,
    temperature_curve,
)
from sparring.policies import Policy, TemperedPolicy
from sparring.records import Split


@dataclass(frozen=True)
class PolicySource:
    """A policy to measure."""

    name: str
    source: str
    """The name or file for `load_policy`."""


@dataclass(frozen=True)
class MeasureOptions:
    """How policies are run and how their scores are summarised."""

    backend: str = "onnxruntime"
    threads: int = 1
    batch: int = 64
    symmetries: bool = False
    calibrate: bool = False
    """Whether each policy gets temperatures fitted on the validation split first."""
    resamples: int = 1000
    seed: int = 0


_BATCHES_A_WRITE = 8
_OF_TRIAL = ("positions", "top1", "low", "high", "nll")

TaskProgressCallback = Callable[[str, int, int], None]
"""Called with a task's name, the units done and the total."""


def measure(
    sources: list[PolicySource],
    selection: GameSelection,
    out: Path,
    *,
    trials: int = 1,
    options: MeasureOptions | None = None,
    on_progress: TaskProgressCallback = lambda *_: None,
) -> dict[str, Any]:
    """Measures every policy in every trial and returns the content of a report. Scores in `out` are reused.

    `trials` are repetitions with other seeds of the split. Raises NotFound, BadFile or BadConfig
    or OSError.
    """
    options = options or MeasureOptions()
    runtime: dict[str, Any] = {
        key: getattr(options, key) for key in ("backend", "threads", "batch", "symmetries")
    }
    opened = [CachedPolicy.open(source.name, source.source, selection.game, **runtime) for source in sources]
    measured: list[dict[str, PolicyMetrics]] = []
    fitted: dict[str, dict[str, TemperatureFit]] = {expert.name: {} for expert in opened}
    for trial in range(selection.trial, selection.trial + trials):
        of_trial = replace(selection, trial=trial)
        sample, folder = read_sample(of_trial), out / "scores" / f"trial-{trial}"
        held_out = read_sample(replace(of_trial, split=Split.VALIDATION)) if options.calibrate else None
        resamples = Resamples.draw(sample.group_of_game, options.resamples, options.seed)
        metrics = {}
        for expert in opened:
            policy, name, key = expert.policy, expert.name, cache_key(expert.key, str(options.batch))
            if held_out is not None:
                fits = _temperatures(policy, key, held_out, folder, on_progress)
                fitted[name] = fitted[name] or fits
                curve = temperature_curve(fits)
                policy, key = TemperedPolicy(policy, curve), cache_key(key, repr(curve))
            report = partial(lambda task, total, done: on_progress(task, done, total), name, len(sample))
            scores = score_sample(
                policy,
                sample,
                folder / f"{policy.name}.scores",
                cache_key(key, sample.digest()),
                chunk=_BATCHES_A_WRITE * options.batch,
                on_progress=report,
            )
            metrics[name] = PolicyMetrics(sample, scores, resamples)
        measured.append(metrics)
    return _content(measured, fitted, selection)


def _temperatures(
    policy: Policy, key: str, held_out: Sample, folder: Path, on_progress: TaskProgressCallback
) -> dict[str, TemperatureFit]:
    """Temperatures by group, cached in a file."""
    key, path = cache_key(key, held_out.digest()), folder / f"{policy.name}.temperatures.json"
    if path.is_file() and (stored := json.loads(path.read_text(encoding="utf-8")))["key"] == key:
        return {group: TemperatureFit(**entry) for group, entry in stored["groups"].items()}
    name, total = f"{policy.name}, temperature", len(held_out)
    fits = fit_temperatures(policy, held_out, lambda done: on_progress(name, done, total))
    entries = {group: asdict(fit) for group, fit in fits.items()}
    atomic_write(path, json.dumps({"key": key, "groups": entries}, indent=1))
    return fits


def _content(
    measured: list[dict[str, PolicyMetrics]],
    fitted: dict[str, dict[str, TemperatureFit]],
    selection: GameSelection,
) -> dict[str, Any]:
    first = measured[0]
    sample = next(iter(first.values())).sample
    policies = {}
    for name, matching in first.items():
        policies[name] = {
            "groups": matching.by_group(),
            "mean": matching.mean(),
            "all": matching.all(),
            "kinds": matching.by_bucket(),
            "calibration": matching.calibration(),
        }
        if fitted[name]:
            policies[name]["temperatures"] = {g: asdict(fit) for g, fit in fitted[name].items()}
    names = list(first)
    differences = {
        later: {earlier: first[later].difference(first[earlier]) for earlier in names[:number]}
        for number, later in enumerate(names)
        if number
    }
    content: dict[str, Any] = {
        "game": selection.game,
        "records": [path.name for path in selection.records],
        "split": "all" if selection.split is None else str(selection.split),
        "trial": selection.trial,
        "games": len(sample.games),
        "positions": len(sample),
        "policies": policies,
        "differences": differences,
    }
    if len(measured) > 1:
        content["trials"] = {name: _trials([trial[name] for trial in measured]) for name in names}
    return content


def _trials(matchings: list[PolicyMetrics]) -> dict[str, Any]:
    """Accuracy in each trial, its mean and standard deviation: by group, and of the mean over groups."""
    entries = [{**matching.by_group(), "mean": matching.mean()} for matching in matchings]
    trials = {}
    for group in entries[0]:
        if all(group in trial for trial in entries):
            accuracies = [trial[group]["top1"] for trial in entries]
            trials[group] = {
                "trials": [{key: trial[group][key] for key in _OF_TRIAL} for trial in entries],
                "mean": float(np.mean(accuracies)),
                "deviation": float(np.std(accuracies, ddof=1)),
            }
    return trials


# Which of several people played some games: the one under whose model their moves are the likeliest.


Array = NDArray[np.float64]


def identification_accuracy(
    likelihoods: Array, people: NDArray[np.integer], games: int = 1, *, resamples: int = 1000, seed: int = 0
) -> Estimate:
    """The share of sets of `games` games of one person that are attributed to that person, with a 95 %
    interval.

    `likelihoods` [people, n] are the log-likelihoods of n games under each person's model, `people` [n] who
    played them. A person with at least `games` games has as many sets as whole sets fit, in the given order.
    The interval is a bootstrap over people and their sets. Raises ValueError if nobody has enough games."""
    right: list[Array] = []
    for person in range(len(likelihoods)):
        mine = likelihoods[:, people == person]
        sets = mine.shape[1] // games
        if sets:
            sums = mine[:, : sets * games].reshape(len(likelihoods), sets, games).sum(axis=2)
            right.append((sums.argmax(axis=0) == person).astype(np.float64))
    if not right:
        raise ValueError(f"nobody has {games} games")
    value = float(np.mean([hits.mean() for hits in right]))
    random = np.random.default_rng(seed)
    drawn = []
    for _ in range(resamples):
        some = random.integers(0, len(right), len(right))
        drawn.append(np.mean([random.choice(right[i], len(right[i])).mean() for i in some]))
    low, high = np.percentile(drawn, [2.5, 97.5])
    return Estimate(value, float(low), float(high))
