"""Tunes several classes of players: one task a class, in this process, in local processes or on Ray."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from sparring.policies import load_policy
from sparring.policies.loading import fingerprint
from sparring.records import Split
from sparring.storage import Journal
from sparring.tuning.class_result import summarise_class
from sparring.tuning.class_sample import HALF_WIDTH, class_positions
from sparring.tuning.descent import Descent, DescentConfig, DescentStep, has_converged
from sparring.tuning.memo import MemoizedPolicy
from sparring.tuning.theta import Theta
from sparring.tuning.visits import PlayedPositions, VisitData, search_visits, snapshot_sizes
from sparring.workers import LocalWorkerPool, RayWorkerPool, SerialWorkerPool, WorkerPool


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
    """The tuning of one class; its journal is in the folder."""

    rating: int
    config: TuningConfig
    folder: Path

    @property
    def name(self) -> str:
        """Its name in errors."""
        return f"class {self.rating}"

    @property
    def journal(self) -> Path:
        """The file of the steps and the result."""
        return self.folder / f"class-{self.rating}.jsonl"

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


def _ignore_step(rating: int, step: DescentStep) -> None:
    pass


def tune_classes(
    ratings: Sequence[int],
    config: TuningConfig,
    folder: Path,
    *,
    workers: int = 1,
    ray: str | None = None,
    on_step: OnStep = _ignore_step,
    on_result: Callable[[dict[str, Any]], None] = lambda _: None,
) -> list[dict[str, Any]]:
    """Tunes all classes and returns their results in the order of `ratings`.

    Each step is appended to a journal in the folder; a run that was killed resumes at the next step. A class
    that took all its steps without converging goes on if the configuration now allows more. `on_step` is
    called in the processes that tune, so that it must be picklable. Raises NoGames, BadTable, BadPolicy,
    JournalMismatch, WorkerError or OSError.
    """
    tasks = [ClassTask(rating, config, folder) for rating in ratings]
    found = {}
    with _pool(min(workers, len(tasks)), ray, on_step) as pool:
        for result in pool.run(iter(tasks)):
            found[result["class"]] = result
            on_result(result)
    return [found[rating] for rating in ratings]


def _pool(workers: int, ray: str | None, on_step: OnStep) -> WorkerPool[ClassTask, dict[str, Any]]:
    name: Callable[[ClassTask], str] = lambda task: task.name  # noqa: E731
    spawn = partial(ClassTuner, on_step)
    if ray is not None:
        return RayWorkerPool(spawn, max(workers, 1), ray, name)
    if workers > 1:
        return LocalWorkerPool(spawn, workers, name)
    return SerialWorkerPool(spawn)


class ClassTuner:
    """A worker that tunes one class after the other."""

    def __init__(self, on_step: OnStep = _ignore_step) -> None:
        self._on_step = on_step

    def work(self, task: ClassTask) -> dict[str, Any]:
        """The result of a class, from the journal if it is there and cannot be improved by more steps."""
        journal = Journal(task.journal, header=task.header())
        history = [DescentStep.of(entry) for entry in journal.entries if "searched" in entry]
        descent = task.config.descent
        if journal.entries and "theta" in journal.entries[-1]:
            result: dict[str, Any] = journal.entries[-1]
            if has_converged(history, descent.tolerance) or len(history) >= descent.steps:
                return result
        result = _tune(task, history, self._keep(task, journal))
        journal.add(result)
        return result

    def _keep(self, task: ClassTask, journal: Journal) -> Callable[[DescentStep], None]:
        def keep(step: DescentStep) -> None:
            journal.add(step.as_json())
            self._on_step(task.rating, step)

        return keep

    def close(self) -> None:
        """Nothing stays open."""

    def terminate(self) -> None:
        """There are no child processes."""


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
        **summarise_class(search, training, held_out, theta),
        "network": policy.name,
        "nodes": config.descent.nodes,
        "steps": len(descent.history),
        "converged": has_converged(descent.history, config.descent.tolerance),
        "games": len(np.unique(training.game)),
        "path": [[*np.exp(each.searched).tolist(), each.temperature, each.loss] for each in descent.history],
        "seconds": seconds,
        "seconds_in_all": time.perf_counter() - started,
        "processor_seconds": time.process_time() - processor_started,
        "evaluations": policy.misses,
        "visits": policy.hits + policy.misses,
    }


def results_in(folder: Path) -> Iterator[dict[str, Any]]:
    """The results of the classes whose journals in a folder are finished, by rating."""
    from sparring.storage.journal import read_journal

    found = [entries[-1] for path in folder.glob("class-*.jsonl") if (entries := read_journal(path))]
    yield from sorted((each for each in found if "theta" in each), key=lambda each: int(each["class"]))
