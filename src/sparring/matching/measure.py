"""Measuring several policies on the same games, from records to a report's content."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.disk import write_whole
from sparring.matching.bootstrap import Resamples
from sparring.matching.calibration import Fitted, curve_of, fit_by_group
from sparring.matching.games import Selection
from sparring.matching.metrics import Matching
from sparring.matching.positions import Sample, read_sample
from sparring.matching.scores import key_of, score_sample
from sparring.policies import Policy, Tempered, fingerprint, open_policy
from sparring.records import Split


@dataclass(frozen=True)
class Contestant:
    """A policy to measure."""

    name: str
    source: str
    """What `open_policy` takes."""


@dataclass(frozen=True)
class Running:
    """How policies are run and what is made of their scores."""

    backend: str = "onnxruntime"
    threads: int = 1
    batch: int = 64
    symmetries: bool = False
    calibrate: bool = False
    """Whether each policy first gets temperatures that fit the validation split."""
    resamples: int = 1000
    seed: int = 0


_BATCHES_A_WRITE = 8
_OF_TRIAL = ("positions", "top1", "low", "high", "nll")

Watcher = Callable[[str, int, int], None]
"""Hears what is being done, how much of it is done, and how much there is."""


def measure(
    contestants: list[Contestant],
    chosen: Selection,
    out: Path,
    *,
    trials: int = 1,
    running: Running | None = None,
    watch: Watcher = lambda *_: None,
) -> dict[str, Any]:
    """Measures every policy on every trial, going on from the scores that `out` has.

    Raises BadPolicy, BadNetwork, NoGames, BadTable, NoReader or OSError.
    """
    running = running or Running()
    opened = [_open(each, chosen.game, running) for each in contestants]
    measured: list[dict[str, Matching]] = []
    fitted: dict[str, dict[str, Fitted]] = {}
    for trial in range(chosen.trial, chosen.trial + trials):
        of_trial = replace(chosen, trial=trial)
        sample = read_sample(of_trial)
        held_out = read_sample(replace(of_trial, split=Split.VALIDATION)) if running.calibrate else None
        resamples = Resamples.draw(sample.group_of_game, running.resamples, running.seed)
        task = _Task(sample, held_out, out / "scores" / f"trial-{trial}", running.batch, watch)
        found = {}
        for each in opened:
            scores, fits = task.run(each)
            found[each.policy.name] = Matching(sample, scores, resamples)
            fitted.setdefault(each.policy.name, fits)
        measured.append(found)
    return _content(measured, fitted, chosen)


@dataclass(frozen=True)
class _Opened:
    """A policy that is ready, and what its predictions depend on."""

    policy: Policy
    key: str


def _open(each: Contestant, game: str, running: Running) -> _Opened:
    policy = open_policy(
        each.source,
        game,
        name=each.name,
        backend=running.backend,
        threads=running.threads,
        batch=running.batch,
        symmetries=running.symmetries,
    )
    settings = (running.backend, str(running.batch), str(running.symmetries))
    return _Opened(policy, key_of(fingerprint(each.source, game), *settings))


@dataclass(frozen=True)
class _Task:
    """What is done with each policy in one trial."""

    sample: Sample
    held_out: Sample | None
    """What temperatures are fitted on, if they are."""
    folder: Path
    batch: int
    watch: Watcher

    def run(self, opened: _Opened) -> tuple[NDArray[np.void], dict[str, Fitted]]:
        """The scores, and the temperatures where they were fitted."""
        policy, key = opened.policy, opened.key
        fits: dict[str, Fitted] = {}
        if self.held_out is not None:
            fits = self._fits(policy, key, self.held_out)
            curve = curve_of(fits)
            policy, key = Tempered(policy, curve), key_of(key, repr(curve))
        total = len(self.sample)
        scores = score_sample(
            policy,
            self.sample,
            self.folder / f"{policy.name}.scores",
            key_of(key, self.sample.digest()),
            chunk=_BATCHES_A_WRITE * self.batch,
            watch=lambda done: self.watch(policy.name, done, total),
        )
        return scores, fits

    def _fits(self, policy: Policy, key: str, held_out: Sample) -> dict[str, Fitted]:
        """Temperatures by group, remembered in a file."""
        key = key_of(key, held_out.digest())
        path = self.folder / f"{policy.name}.temperatures.json"
        if path.is_file() and (known := json.loads(path.read_text()))["key"] == key:
            return {group: Fitted(**entry) for group, entry in known["groups"].items()}
        found = fit_by_group(
            policy, held_out, lambda done: self.watch(f"{policy.name}, temperature", done, len(held_out))
        )
        entries = {group: asdict(each) for group, each in found.items()}
        write_whole(path, json.dumps({"key": key, "groups": entries}, indent=1))
        return found


def _content(
    measured: list[dict[str, Matching]], fitted: dict[str, dict[str, Fitted]], chosen: Selection
) -> dict[str, Any]:
    first = measured[0]
    sample = next(iter(first.values())).sample
    policies = {}
    for name, matching in first.items():
        policies[name] = {
            "groups": matching.by_group(),
            "mean": matching.mean(),
            "all": matching.all(),
            "kinds": matching.by_kind(),
            "calibration": matching.calibration(),
        }
        if fitted[name]:
            policies[name]["temperatures"] = {g: asdict(each) for g, each in fitted[name].items()}
    names = list(first)
    differences = {
        later: {earlier: first[later].less(first[earlier]) for earlier in names[:number]}
        for number, later in enumerate(names)
        if number
    }
    content: dict[str, Any] = {
        "game": chosen.game,
        "records": [path.name for path in chosen.records],
        "split": "all" if chosen.split is None else str(chosen.split),
        "trial": chosen.trial,
        "games": len(sample.games),
        "positions": len(sample),
        "policies": policies,
        "differences": differences,
    }
    if len(measured) > 1:
        content["trials"] = {name: _trials([trial[name] for trial in measured]) for name in names}
    return content


def _trials(matchings: list[Matching]) -> dict[str, Any]:
    """Accuracy in each trial, its mean and standard deviation: by group, and of the mean over groups."""
    entries = [{**matching.by_group(), "mean": matching.mean()} for matching in matchings]
    found = {}
    for group in entries[0]:
        if all(group in each for each in entries):
            accuracies = [each[group]["top1"] for each in entries]
            found[group] = {
                "trials": [{key: each[group][key] for key in _OF_TRIAL} for each in entries],
                "mean": float(np.mean(accuracies)),
                "deviation": float(np.std(accuracies, ddof=1)),
            }
    return found
