"""Tunes classes of players: losses by nodes and phase, standard errors, and a level table."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.base.storage import Journal
from sparring.base.workers import Worker, open_pool
from sparring.measure.metrics import Resamples
from sparring.measure.samples import PHASES
from sparring.measure.tuning import (
    HALF_WIDTH,
    Descent,
    DescentConfig,
    DescentStep,
    MemoizedPolicy,
    PlayedPositions,
    Theta,
    VisitData,
    class_positions,
    cross_entropy,
    fit_choice,
    has_converged,
    search_differences,
    search_visits,
    snapshot_sizes,
)
from sparring.policies import load_policy
from sparring.policies.loading import fingerprint
from sparring.policies.policy import Array
from sparring.records import Split

Search = Callable[[PlayedPositions, Theta], VisitData]
_FEWEST = 100
"""A phase with fewer positions gets no tau of its own."""


def summarise_class(
    search: Search, training: PlayedPositions, held_out: PlayedPositions, theta: Theta, start: Theta
) -> dict[str, Any]:
    """Fits tau on all training positions and measures the class on held-out positions, beside `start`.

    `search` gives the visits at all sizes. The content is plain data for JSON.
    """
    seen = search(training, theta)
    choice = fit_choice(seen, theta.policy_temperature)
    theta = theta.with_choice(choice.temperature, choice.backoff)
    unseen = search(held_out, theta)
    losses = cross_entropy(unseen, theta)
    return {
        "theta": asdict(theta),
        "standard_errors": _standard_errors(search, training, seen, theta),
        "training": {"positions": len(training), "loss": choice.loss},
        "held_out": estimate(losses, held_out),
        **_compare_with_start(search, training, held_out, losses, start),
        "accuracy": estimate(_top1(unseen), held_out),
        "unvisited": float((unseen.visits[unseen.nodes][unseen.played] == 0).mean()),
        "by_nodes": _by_nodes(seen, unseen, theta, held_out),
        "by_phase": _by_phase(seen, unseen, training, held_out, theta),
    }


def _compare_with_start(
    search: Search, training: PlayedPositions, held_out: PlayedPositions, losses: Array, start: Theta
) -> dict[str, Any]:
    """The start of the descent with its own tau and epsilon, and what the descent gained over it.

    The gain is the mean difference of the held-out losses in nats, paired by position. Both ends have their
    best tau and epsilon of the training positions, so that only t and c_puct differ.
    """
    seen = search(training, start)
    choice = fit_choice(seen, start.policy_temperature)
    start = start.with_choice(choice.temperature, choice.backoff)
    before = cross_entropy(search(held_out, start), start)
    gain = estimate(before - losses, held_out)
    return {
        "start": {
            "theta": asdict(start),
            "training_loss": choice.loss,
            "held_out": estimate(before, held_out),
        },
        "gain": gain,
        "gained": gain["low"] > 0,
    }


def _standard_errors(
    search: Search, training: PlayedPositions, seen: VisitData, theta: Theta
) -> dict[str, Any]:
    """The gradient with its error, the curvature, and the standard errors of log t and log c_puct: the
    sandwich of the curvature and of gradients clustered by game. None where the loss has no minimum."""
    differences = search_differences(lambda moved: search(training, moved), theta)
    curvature = differences.curvature(cross_entropy(seen, theta))
    gradient = differences.gradient
    spread = clustered_error(gradient, training.game)
    return {
        "curvature": curvature.tolist(),
        "log_t_c_puct": [
            float(error / bend) if bend > 1e-4 else None
            for error, bend in zip(spread, curvature, strict=True)
        ],
        "gradients": {"differences": {"mean": gradient.mean(axis=0).tolist(), "error": spread.tolist()}},
        "step": differences.step,
    }


def clustered_error(values: Array, game: NDArray[np.int64]) -> Array:
    """The standard errors of the means [columns] of values [positions, columns], by game."""
    _, place = np.unique(game, return_inverse=True)
    centred = values - values.mean(axis=0)
    sums = np.stack([np.bincount(place, column) for column in centred.T])
    errors: Array = np.sqrt((sums**2).sum(axis=1)) / len(values)
    return errors


def _by_nodes(
    seen: VisitData, unseen: VisitData, theta: Theta, held_out: PlayedPositions
) -> list[dict[str, Any]]:
    """The best tau and the held-out loss of every smaller search, from snapshots of one search."""
    rows = []
    for nodes in seen.visits:
        choice = fit_choice(seen, theta.policy_temperature, nodes)
        best = theta.with_choice(choice.temperature, choice.backoff)
        losses = cross_entropy(unseen, best, nodes)
        facts = {"nodes": nodes, "temperature": choice.temperature, "backoff": choice.backoff}
        rows.append({**facts, **estimate(losses, held_out)})
    return rows


def _by_phase(
    seen: VisitData, unseen: VisitData, training: PlayedPositions, held_out: PlayedPositions, theta: Theta
) -> dict[str, Any]:
    """The best tau of each phase, and the gain in held-out nats over one tau for all phases, paired."""
    losses, own = cross_entropy(unseen, theta), cross_entropy(unseen, theta)
    phases: dict[str, Any] = {}
    for index, name in enumerate(PHASES):
        inside, outside = training.phase == index, held_out.phase == index
        if inside.sum() < _FEWEST or not outside.any():
            continue
        choice = fit_choice(seen.rows(inside), theta.policy_temperature)
        own[outside] = cross_entropy(unseen, theta.with_choice(choice.temperature, choice.backoff))[outside]
        phases[name] = {"positions": int(inside.sum()), "temperature": choice.temperature,
                        "loss": float(own[outside].mean())}  # fmt: skip
    return {"phases": phases, "gain": estimate(losses - own, held_out)}


def _top1(data: VisitData) -> Array:
    """1 where the most visited move is the move played [positions]; the prior decides between equals."""
    ranks = data.visits[data.nodes] + 1e-3 * np.exp(data.log_policy)
    best = np.maximum.reduceat(ranks, data.offsets[:-1])
    return (ranks[data.played] >= best).astype(np.float64)


def estimate(values: Array, data: PlayedPositions) -> dict[str, float]:
    """The mean with its 95 % interval by bootstrap over games."""
    games, game = np.unique(data.game, return_inverse=True)
    resamples = Resamples.draw(np.zeros(len(games), np.int64))
    interval = resamples.group_sums(values[:, None], game).pooled().estimates()[0]
    return {"value": interval.value, "low": interval.low, "high": interval.high, "positions": len(values)}


# Theta as a smooth function of the rating, and its level table (the paper's future work, section 5).


RATINGS = range(600, 2601, 200)
"""Rows of a level table."""
_KEYS = ("temperature", "policy_temperature", "c_puct", "backoff")
_LEAST_ERROR = 0.05
"""Least standard error of a parameter's logarithm: classes differ by more than their sampling errors."""
_FLAT_ERROR = 1.0
"""Standard error of a parameter on which the loss does not depend."""


@dataclass(frozen=True)
class ThetaCurve:
    """log Theta as polynomials of (rating - 1600) / 1000, constant beyond the outermost classes.

    Each parameter stays within its range over the classes: where the loss hardly depends on it, a polynomial
    may leave what was searched.
    """

    coefficients: Array
    """[4, degree + 1]: of log tau, log t, log c_puct and log epsilon, the constant first."""
    lowest: float
    highest: float
    bounds: Array
    """[2, 4]: least and greatest log Theta of the classes."""

    def at(self, rating: float) -> Theta:
        """Theta at a rating."""
        x = (np.clip(rating, self.lowest, self.highest) - 1600) / 1000
        powers = x ** np.arange(self.coefficients.shape[1])
        return Theta(*np.exp(np.clip(self.coefficients @ powers, *self.bounds)).tolist())


def fit_theta_curve(results: Sequence[Mapping[str, Any]]) -> ThetaCurve:
    """Weighted least squares over the classes; a parabola from four classes on, a line from two.

    Weights are from the classes' standard errors of log t and log c_puct; those of tau and epsilon, which
    depend on both, are equal.
    """
    ratings = np.array([result["class"] for result in results], np.float64)
    logs = np.log([[result["theta"][key] for key in _KEYS] for result in results])
    degree = min(2 if len(results) >= 4 else 1, len(results) - 1)
    design = ((ratings - 1600) / 1000)[:, None] ** np.arange(degree + 1)
    rows = []
    for index, column in enumerate(logs.T):
        searched = index in (1, 2)
        errors = [_error(result, index - 1) for result in results] if searched else np.ones(len(results))
        weights = 1 / np.maximum(errors, _LEAST_ERROR)
        rows.append(np.linalg.lstsq(design * weights[:, None], column * weights, rcond=None)[0])
    bounds = np.stack([logs.min(axis=0), logs.max(axis=0)])
    return ThetaCurve(np.array(rows), float(ratings.min()), float(ratings.max()), bounds)


def _error(result: Mapping[str, Any], index: int) -> float:
    error = result["standard_errors"]["log_t_c_puct"][index]
    return _FLAT_ERROR if error is None else min(float(error), _FLAT_ERROR)


def level_table_text(game: str, policy: str, nodes: int, rows: Mapping[int, Theta], note: str) -> str:
    """The TOML text of a level table with these levels; `note` is a comment on top."""
    lines = [f"# {line}".rstrip() for line in note.splitlines()]
    lines += [f'game = "{game}"', f'policy = "{policy}"']
    for level, theta in sorted(rows.items()):
        lines += [
            "",
            "[[levels]]",
            f"level = {level}",
            f"temperature = {theta.temperature:.3f}",
            f"nodes = {nodes}",
            f"cpuct = {theta.c_puct:.3f}",
            f"policy_temperature = {theta.policy_temperature:.3f}",
            f"unvisited_share = {theta.backoff:.4f}",
        ]
    return "\n".join(lines) + "\n"


# Tunes several classes of players: one task a class, in this process, in local processes or on Ray.


@dataclass(frozen=True)
class TuningConfig:
    """What is tuned, and on what."""

    game: str
    network: str
    """Policy with values: a model's name, a network file or a policy file."""
    records: tuple[Path, ...]
    """Tables or game files."""
    descent: DescentConfig = field(default_factory=DescentConfig)
    positions: int = 2048
    """Training positions of a class."""
    held_out: int = 1024
    """Positions of the test split on which the result is measured."""
    half_width: float = HALF_WIDTH
    every: int = 8
    """One position in so many of a game."""
    backend: str = "onnxruntime"
    threads: int = 1
    batch: int = 64
    """Positions that the network evaluates at once."""


@dataclass(frozen=True)
class ClassTask:
    """The tuning of one class; its journal in the folder has the steps and the result."""

    rating: int
    config: TuningConfig
    folder: Path

    def header(self) -> dict[str, Any]:
        """What a journal depends on. Backend, threads and the number of steps may change between runs."""
        config, descent = self.config, asdict(self.config.descent)
        del descent["steps"]
        return {
            "format": 1,
            "class": self.rating,
            "game": config.game,
            "network": fingerprint(config.network, config.game),
            "records": [path.name for path in config.records],
            **{key: getattr(config, key) for key in ("positions", "held_out", "half_width", "every")},
            **descent,
        }


OnStep = Callable[[int, DescentStep], None]
"""Called with the rating of a class and the step that it took."""


def tune_classes(
    ratings: Sequence[int],
    config: TuningConfig,
    folder: Path,
    *,
    workers: int = 1,
    ray: str | None = None,
    on_step: OnStep | None = None,
    on_result: Callable[[dict[str, Any]], None] = lambda _: None,
) -> list[dict[str, Any]]:
    """Tunes all classes and returns their results in the order of `ratings`.

    Each step is appended to a journal in the folder; a run that was killed resumes at the next step. A class
    that took all its steps without converging goes on if the configuration now allows more. `on_step` is
    called in the processes that tune, so that it must be picklable. Raises NotFound, BadFile or BadConfig,
    JournalMismatch, WorkerError or OSError.
    """
    tasks = [ClassTask(rating, config, folder) for rating in ratings]
    results = {}
    size = max(1, min(workers, len(tasks)))
    with open_pool(partial(ClassTuner, on_step), size, lambda task: f"class {task.rating}", ray) as pool:
        for result in pool.run(iter(tasks)):
            results[result["class"]] = result
            on_result(result)
    return [results[rating] for rating in ratings]


class ClassTuner(Worker[ClassTask, dict[str, Any]]):
    """A worker that tunes one class after the other."""

    def __init__(self, on_step: OnStep | None = None) -> None:
        self._on_step = on_step

    def work(self, task: ClassTask) -> dict[str, Any]:
        """The result of a class, from the journal if it is there and cannot be improved by more steps."""
        journal = Journal(task.folder / f"class-{task.rating}.jsonl", header=task.header())
        history = [DescentStep.of(entry) for entry in journal.entries if "searched" in entry]
        descent = task.config.descent
        if journal.entries and "gained" in journal.entries[-1]:
            result: dict[str, Any] = journal.entries[-1]
            if has_converged(history, descent.tolerance) or len(history) >= descent.steps:
                return result

        def keep(step: DescentStep) -> None:
            journal.add(asdict(step))
            if self._on_step is not None:
                self._on_step(task.rating, step)

        result = _tune(task, history, keep)
        journal.add(result)
        return result


def _tune(
    task: ClassTask, history: list[DescentStep], on_step: Callable[[DescentStep], None]
) -> dict[str, Any]:
    started, processor_started, config = time.perf_counter(), time.process_time(), task.config
    sample = partial(class_positions, config.game, config.records, task.rating,
                     half_width=config.half_width, every=config.every)  # fmt: skip
    training, held_out = (
        sample(config.positions, split=Split.TRAIN),
        sample(config.held_out, split=Split.TEST),
    )
    policy = MemoizedPolicy(
        load_policy(
            config.network, config.game, backend=config.backend, threads=config.threads, batch=config.batch
        )
    )
    descent = Descent(policy, training, config.descent, Theta(), history)
    theta = descent.run(on_step)
    sizes = snapshot_sizes(config.descent.nodes)

    def search(data: PlayedPositions, at: Theta) -> VisitData:
        return search_visits(policy, data, at, sizes, trees=max(1024, config.batch))

    seconds = time.perf_counter() - started
    return {
        "class": task.rating,
        **summarise_class(search, training, held_out, theta, descent.start),
        "network": policy.name,
        "nodes": config.descent.nodes,
        "steps": len(descent.history),
        "converged": has_converged(descent.history, config.descent.tolerance),
        "games": len(np.unique(training.game)),
        "path": [[*np.exp(step.searched).tolist(), step.temperature, step.loss] for step in descent.history],
        "seconds": seconds,
        "seconds_in_all": time.perf_counter() - started,
        "processor_seconds": time.process_time() - processor_started,
        "evaluations": policy.misses,
        "visits": policy.hits + policy.misses,
    }
