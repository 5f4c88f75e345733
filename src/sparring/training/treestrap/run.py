"""A TreeStrap training run: plays games, appends blocks of statistics to a journal, and resumes from it.

A round is `workers` games that start from the same weights; their updates are added in the order of the
games' numbers. A block is several rounds and one line of the journal. The line holds the weights, so that an
interrupted run loses at most one block and continues with the same results.
"""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from sparring.games import load_game
from sparring.search.linear_evaluation import (
    FeatureWeights,
    LinearEvaluation,
    open_evaluation,
    write_evaluation,
)
from sparring.storage import BadJournal, Journal, atomic_write
from sparring.training.divergence import check_weights
from sparring.training.treestrap.config import TreeStrapRunConfig
from sparring.training.treestrap.selfplay import SelfPlayGame, WeightedBook, play
from sparring.workers import LocalWorkerPool, RayWorkerPool, SerialWorkerPool, WorkerPool

JOURNAL, SETTINGS, EVALUATION = "blocks.jsonl", "settings.json", "evaluation.json"


class BadTreeStrapRun(Exception):
    """A folder whose run cannot be resumed; the message says why."""


@dataclass(frozen=True)
class SelfPlayTask:
    """Game `number` of a run, to be played from these weights."""

    number: int
    weights: FeatureWeights
    """[stages, features]"""


@dataclass(frozen=True)
class TrainingBlock:
    """Statistics of a block of games, and the weights after it."""

    games: int
    """Games of the run so far, including this block."""
    wins: tuple[int, int]
    """Games won by the first and by the second player."""
    reasons: dict[str, int]
    """Games by the reason for their end."""
    plies: int
    """Plies after the random openings."""
    positions: int
    """Positions that changed the weights."""
    error: float
    """Root mean squared error V - H over those positions; 100 is a win."""
    seconds: float
    """CPU time of all workers."""
    weights: list[list[float]]
    """[stages][features]"""

    @property
    def moves_a_second(self) -> float:
        """Plies per second of CPU time."""
        return self.plies / self.seconds if self.seconds else 0.0


class SelfPlayWorker:
    """Plays games of a run, one at a time."""

    def __init__(self, config: TreeStrapRunConfig, book: WeightedBook | None) -> None:
        self._config, self._book = config, book
        self._game = load_game(config.game)
        # A small table: every search clears it, which takes time proportional to its size.
        self._searcher = open_evaluation(config.game, "start").searcher(megabytes=1)

    def work(self, task: SelfPlayTask) -> SelfPlayGame:
        """Plays the game of a task."""
        return play(self._game, self._searcher, task.weights, self._config, task.number, self._book)

    def close(self) -> None:
        """Does nothing: the worker holds no external resources."""

    def terminate(self) -> None:
        """Does nothing: the worker holds no external resources."""


def worker_pool(
    config: TreeStrapRunConfig, book: WeightedBook | None = None, ray: str | None = None
) -> WorkerPool[SelfPlayTask, SelfPlayGame]:
    """Returns the pool of a configuration: this process, local processes, or actors of a Ray cluster.

    `ray` is the address of the cluster. The pool is a context manager. Raises RayUnavailable.
    """
    spawn = partial(SelfPlayWorker, config, book)

    def name(task: SelfPlayTask) -> str:
        return f"game {task.number + 1}"

    if ray is not None:
        return RayWorkerPool[SelfPlayTask, SelfPlayGame](spawn, config.workers, ray, name)
    if config.workers == 1:
        return SerialWorkerPool(spawn)
    return LocalWorkerPool[SelfPlayTask, SelfPlayGame](spawn, config.workers, name)


class TreeStrapRun:
    """Starts a run in a folder, or resumes the one that is there. Raises BadTreeStrapRun or BadEvaluation."""

    def __init__(self, config: TreeStrapRunConfig, folder: Path) -> None:
        self.config, self.folder = config, folder
        start = open_evaluation(config.game, config.start)
        _check_same_config(folder / SETTINGS, config)
        try:
            self._journal = Journal(folder / JOURNAL, kind=TrainingBlock)
        except BadJournal as error:
            raise BadTreeStrapRun(str(error)) from None
        self.blocks = [
            TrainingBlock(**each | {"wins": tuple(each["wins"])}) for each in self._journal.entries
        ]
        self.weights = np.array(self.blocks[-1].weights) if self.blocks else start.weights
        if self.weights.shape != start.weights.shape or not np.isfinite(self.weights).all():
            raise BadTreeStrapRun(f"the last line of {folder / JOURNAL} has no weights of {config.game}")
        self.games = self.blocks[-1].games if self.blocks else 0
        self._stopped = self._playing = False

    @property
    def finished(self) -> bool:
        """True if all games have been played."""
        return self.games >= self.config.games

    def stop(self) -> None:
        """Ends `train` after the current round. An unfinished block is played again on resumption."""
        self._stopped = True

    def interrupt(self) -> None:
        """Ends `train` at once: for signal handlers, which run in the thread of `train`.

        Raises KeyboardInterrupt if a block is being played, which `train` handles; the block is played again
        on resumption. Finished blocks are written first.
        """
        self._stopped = True
        if self._playing:
            raise KeyboardInterrupt

    def train(
        self,
        worker_pool: WorkerPool[SelfPlayTask, SelfPlayGame],
        on_progress: Callable[[SelfPlayGame], None] = lambda _: None,
    ) -> bool:
        """Plays the remaining games and writes the evaluation.

        `on_progress` is called with every game. Returns False if the run was stopped. Raises
        TrainingDiverged.
        """
        while not self.finished and not self._stopped:
            try:
                self._playing = True
                try:
                    block = self._play_block(worker_pool, on_progress)
                finally:
                    self._playing = False
            except KeyboardInterrupt:
                if not self._stopped:  # not by `interrupt`
                    raise
                break
            if block is not None:
                self._keep(block)
        write_evaluation(self.evaluation(), self.folder / EVALUATION)
        return self.finished

    def _play_block(
        self,
        worker_pool: WorkerPool[SelfPlayTask, SelfPlayGame],
        on_progress: Callable[[SelfPlayGame], None],
    ) -> TrainingBlock | None:
        """Plays the games of the next block; None if the run was stopped before its end."""
        played_games: list[SelfPlayGame] = []
        theta, last = self.weights.copy(), min(self.games + self.config.block, self.config.games)
        while (first := self.games + len(played_games)) < last:
            if self._stopped:
                return None
            numbers = range(first, min(first + self.config.workers, last))
            together = list(worker_pool.run(iter([SelfPlayTask(number, theta) for number in numbers])))
            # In the order of their numbers: the sum must not depend on which finished first.
            for played in sorted(together, key=lambda each: each.number):
                theta = theta + played.update
                check_weights(theta, f"game {played.number:,}", self.folder)
                played_games.append(played)
                on_progress(played)
        return _block(last, played_games, theta)

    def evaluation(self) -> LinearEvaluation:
        """Returns the mean of the weights after each block of the second half of the run.

        The mean varies less with the last games than the last weights do (Polyak and Juditsky 1992).
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
    """Compares a run's options with those of the run in its folder, then writes them there.

    `games` may differ: a finished run can be extended. Raises BadTreeStrapRun.
    """
    requested = dataclasses.asdict(config)
    if path.exists():
        try:
            known = msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
        except (ValueError, RecursionError) as error:
            raise BadTreeStrapRun(
                f"{path} is damaged ({error}): restore it, or remove it if the options are those of the run"
            ) from None
        if known.keys() != requested.keys():
            raise BadTreeStrapRun(
                f"{path.parent} has a run of another version of Sparring, with other options: "
                "choose another folder"
            )
        for name in requested:
            if name != "games" and requested[name] != known[name]:
                raise BadTreeStrapRun(
                    f"{path.parent} has a run with {name} {known[name]}, not {requested[name]}: "
                    "choose another folder, or the same options"
                )
    atomic_write(path, json.dumps(requested, indent=1) + "\n")
