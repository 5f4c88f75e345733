"""A run of learning: rounds of games, blocks of statistics, and a journal to go on from after any end."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from sparring.games import load
from sparring.search.evaluations import FeatureWeights, LinearEvaluation, open_evaluation, write_evaluation
from sparring.storage import Journal, atomic_write
from sparring.training.treestrap.config import TreeStrapRunConfig
from sparring.training.treestrap.selfplay import SelfPlayGame, WeightedBook, play
from sparring.workers import LocalWorkerPool, RayWorkerPool

JOURNAL, SETTINGS, EVALUATION = "blocks.jsonl", "settings.json", "evaluation.json"


class BadTreeStrapRun(Exception):
    """A folder that cannot be gone on with; the message says why."""


@dataclass(frozen=True)
class SelfPlayTask:
    """A game to be played from these weights."""

    number: int
    weights: FeatureWeights


@dataclass(frozen=True)
class TrainingBlock:
    """Some games in a row, and the weights after them."""

    games: int
    """Played so far, these included."""
    wins: tuple[int, int]
    """Of the first player and of the second."""
    reasons: dict[str, int]
    """How games ended."""
    plies: int
    """Moves that were searched and learned from."""
    positions: int
    error: float
    """The root of the mean squared error of what was learned from, where 100 is a win."""
    seconds: float
    """Of processors."""
    weights: list[list[float]]

    @property
    def moves_a_second(self) -> float:
        """On one processor."""
        return self.plies / self.seconds if self.seconds else 0.0


class WorkerPool(Protocol):
    """Whoever plays games side by side."""

    def run(self, tasks: Iterator[SelfPlayTask]) -> Iterator[SelfPlayGame]:
        """The games as they end."""
        ...


class SelfPlayWorker:
    """Plays games of a run, one after the other."""

    def __init__(self, config: TreeStrapRunConfig, book: WeightedBook | None) -> None:
        self._settings, self._book = config, book
        self._game = load(config.game)
        # A megabyte: each search forgets all before it, which takes longer the more there is.
        self._searcher = open_evaluation(config.game, "start").searcher(megabytes=1)

    def work(self, task: SelfPlayTask) -> SelfPlayGame:
        """A game."""
        return play(self._game, self._searcher, task.weights, self._settings, task.number, self._book)

    def close(self) -> None:
        """Nothing was started."""

    def terminate(self) -> None:
        """Nothing was started."""


class SerialWorkerPool:
    """A crew of one, in this process."""

    def __init__(self, config: TreeStrapRunConfig, book: WeightedBook | None) -> None:
        self._worker = SelfPlayWorker(config, book)

    def run(self, tasks: Iterator[SelfPlayTask]) -> Iterator[SelfPlayGame]:
        """One game after the other."""
        return map(self._worker.work, tasks)

    def __enter__(self) -> SerialWorkerPool:
        return self

    def __exit__(self, *_: object) -> None:
        pass


def worker_pool(config: TreeStrapRunConfig, book: WeightedBook | None = None, ray: str | None = None) -> Any:
    """The worker pool of a configuration: local processes, or Ray actors. Raises RayUnavailable."""
    spawn = partial(SelfPlayWorker, config, book)
    if ray is not None:
        return RayWorkerPool[SelfPlayTask, SelfPlayGame](spawn, config.workers, ray)
    if config.workers == 1:
        return SerialWorkerPool(config, book)
    return LocalWorkerPool[SelfPlayTask, SelfPlayGame](
        spawn, config.workers, lambda task: f"game {task.number + 1}"
    )


class TreeStrapRun:
    """Starts a run in a folder, or resumes one. Raises BadTreeStrapRun or BadEvaluation."""

    def __init__(self, config: TreeStrapRunConfig, folder: Path) -> None:
        self.config, self.folder = config, folder
        start = open_evaluation(config.game, config.start)
        _check_same_config(folder / SETTINGS, config)
        self._journal = Journal(folder / JOURNAL)
        self.blocks = [
            TrainingBlock(**each | {"wins": tuple(each["wins"])}) for each in self._journal.entries
        ]
        self.weights = np.array(self.blocks[-1].weights) if self.blocks else start.weights
        self.games = self.blocks[-1].games if self.blocks else 0
        self._stopped = False

    @property
    def finished(self) -> bool:
        """Whether all games were played."""
        return self.games >= self.config.games

    def stop(self) -> None:
        """Ends the run after its round; what is not in the journal yet will be played again."""
        self._stopped = True

    def train(
        self, worker_pool: WorkerPool, on_progress: Callable[[SelfPlayGame], None] = lambda _: None
    ) -> bool:
        """Plays on to the end. `on_progress` hears of every game. False where it was stopped."""
        while not self.finished and not self._stopped:
            played_games: list[SelfPlayGame] = []
            theta, last = self.weights.copy(), min(self.games + self.config.block, self.config.games)
            while self.games + len(played_games) < last and not self._stopped:
                first = self.games + len(played_games)
                numbers = range(first, min(first + self.config.workers, last))
                together = list(worker_pool.run(iter([SelfPlayTask(number, theta) for number in numbers])))
                # In the order of their numbers, so that who was quicker does not matter.
                for played in sorted(together, key=lambda each: each.number):
                    theta = theta + played.update
                    played_games.append(played)
                    on_progress(played)
            if self.games + len(played_games) == last:
                self._keep(_block(last, played_games, theta))
        write_evaluation(self.evaluation(), self.folder / EVALUATION)
        return self.finished

    def evaluation(self) -> LinearEvaluation:
        """The mean of the weights after each block of the second half, and where they came from.

        Single weights wander with the last games; their mean does so less (Polyak and Juditsky 1992).
        """
        later = [block.weights for block in self.blocks[len(self.blocks) // 2 :]]
        weights = np.mean(later, axis=0) if later else self.weights
        origin = {
            **dataclasses.asdict(self.config),
            "games": self.games,
            "processor_seconds": round(sum(block.seconds for block in self.blocks), 1),
        }
        return LinearEvaluation(self.config.game, weights, origin)

    def _keep(self, block: TrainingBlock) -> None:
        self._journal.add(dataclasses.asdict(block))
        self.blocks.append(block)
        self.weights, self.games = np.array(block.weights), block.games


def _block(games: int, played_games: list[SelfPlayGame], weights: FeatureWeights) -> TrainingBlock:
    positions = sum(each.positions for each in played_games)
    winners = Counter(each.winner for each in played_games)
    return TrainingBlock(
        games,
        (winners[0], winners[1]),
        dict(Counter(each.reason for each in played_games)),
        sum(each.plies for each in played_games),
        positions,
        (sum(each.squared_error for each in played_games) / max(positions, 1)) ** 0.5,
        round(sum(each.seconds for each in played_games), 3),
        weights.tolist(),
    )


def _check_same_config(path: Path, config: TreeStrapRunConfig) -> None:
    """The folder's settings. More games may be asked for later; anything else would be another run."""
    asked = dataclasses.asdict(config)
    if path.exists():
        known = json.loads(path.read_text(encoding="utf-8"))
        differing = [name for name in asked if name != "games" and asked[name] != known.get(name)]
        if differing:
            name = differing[0]
            raise BadTreeStrapRun(
                f"{path.parent} has a run with {name} {known.get(name)}, not {asked[name]}: "
                "take another folder, or the same settings"
            )
    atomic_write(path, json.dumps(asked, indent=1) + "\n")
