"""A TreeStrap training run: plays games, appends blocks of statistics to a journal, and resumes from it.

A round is `workers` games that start from the same weights; their updates are added in the order of the
games' numbers. A block is several rounds and one line of the journal. The line holds the weights, so that an
interrupted run loses at most one block and continues with the same results.

`play` is one training game: the search plays itself and updates its weights.
"""

from __future__ import annotations

import dataclasses
import json
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from sparring.base.errors import BadConfig, BadFile
from sparring.base.storage import Journal, atomic_write
from sparring.base.workers import Worker, WorkerPool, open_pool
from sparring.games import Game, load_game
from sparring.players.game_players import Book
from sparring.search.linear_evaluation import (
    SEARCHERS,
    AlphaBetaSearcher,
    FeatureWeights,
    LinearEvaluation,
    open_evaluation,
    random_start,
    write_evaluation,
)
from sparring.training.task import check_weights
from sparring.training.treestrap.algorithms import ALGORITHMS, algorithm_for_game


@dataclass(frozen=True)
class TreeStrapRunConfig:
    """All options of a run. The same options give the same weights. Raises BadConfig."""

    game: str
    """A game with features: a key of `SEARCHERS`."""
    algorithm: str = "treestrap-ab"
    """A key of `ALGORITHMS`."""
    depth: int | None = None
    """Search depth in plies, 1 to 20; None for the algorithm's default."""
    games: int = 5000
    """Games to play."""
    learning_rate: float | None = None
    """alpha; None for the algorithm's default."""
    decay: float | None = None
    """lambda, 0 to 1; None for the algorithm's default."""
    max_update: float = 0.05
    """M: the largest change of a weight in one update."""
    max_error: float = 10.0
    """Larger errors |V - H| are clipped to this value; 100 is a win. Most large errors are wins that the
    search found, and say little about the features that led to them."""
    rate_halving_games: int = 300
    """The learning rate is alpha / (1 + n / N) in game n; this is N."""
    warmup_games: int = 50
    """Games that train with RootStrap at depth two first."""
    random_plies: int = 32
    """Random plies at the start of half of the games; half as many in a quarter of them, and so on."""
    max_plies: int = 200
    """Searched plies after which a game is stopped without an outcome."""
    book_probability: float = 0.25
    """Probability that a side opens from the book."""
    staged: bool = False
    """Ends searches at the next stage of the game; the side with more material wins the stage."""
    skip_draws: bool = False
    """Skips positions whose value is exactly 0."""
    book: str = ""
    """Name of the opening book; empty without one."""
    start: str = "start"
    """Initial weights: a file, or `start` or `learned` for those of the package."""
    block: int = 50
    """Games between two lines of the journal."""
    workers: int = 1
    """Games played in parallel. They start from the same weights, and their updates are added."""
    seed: int = 0

    def __post_init__(self) -> None:
        if self.game not in SEARCHERS:
            raise BadConfig(
                f"{self.game} has no features to train; games with features: {', '.join(SEARCHERS)}"
            )
        if self.algorithm not in ALGORITHMS:
            raise BadConfig(
                f"there is no algorithm '{self.algorithm}': expected one of {', '.join(ALGORITHMS)}"
            )
        for name in ("games", "max_plies", "rate_halving_games", "block", "workers"):
            if getattr(self, name) < 1:
                raise BadConfig(f"{name} = {getattr(self, name)}: expected an integer >= 1")
        for name in ("warmup_games", "random_plies", "seed"):
            if getattr(self, name) < 0:
                raise BadConfig(f"{name} = {getattr(self, name)}: expected an integer >= 0")
        if self.depth is not None and not 1 <= self.depth <= 20:
            raise BadConfig(f"depth = {self.depth}: expected 1 to 20")
        for name in ("learning_rate", "max_update", "max_error"):
            value = getattr(self, name)
            if value is not None and not 0 < value < float("inf"):
                raise BadConfig(f"{name} = {value}: expected a number > 0")
        for name in ("decay", "book_probability"):
            value = getattr(self, name)
            if value is not None and not 0 <= value <= 1:
                raise BadConfig(f"{name} = {value}: expected a number from 0 to 1")


@dataclass(frozen=True)
class SelfPlayGame:
    """Result of a training game."""

    number: int
    """Index in the run, from 0."""
    update: FeatureWeights
    """[stages, features]: weights after the game minus weights before."""
    winner: int | None
    """0 or 1; None for a draw or a stopped game."""
    reason: str
    """Why the game ended."""
    plies: int
    """Plies after the random opening."""
    positions: int
    """Positions that changed the weights."""
    squared_error: float
    """Sum over those positions."""
    seconds: float
    """CPU time."""


def play(
    game: Game[Any],
    searcher: AlphaBetaSearcher,
    weights: FeatureWeights,
    config: TreeStrapRunConfig,
    number: int,
    book: Book | None = None,
) -> SelfPlayGame:
    """Plays game `number` of a run from `weights`, [stages, features].

    The result depends on the arguments alone. `searcher` is left with other weights.
    """
    began = time.process_time()
    rng = np.random.default_rng([config.seed, number])
    theta = weights.copy()
    searcher.set_weights(theta)
    state = random_start(game, searcher, config.random_plies, rng)
    first = state.ply
    uses_book = [book is not None and rng.random() < config.book_probability for _ in range(2)]
    algorithm = algorithm_for_game(config, number)
    while (outcome := state.outcome) is None and state.ply - first < config.max_plies:
        book_moves = book.moves(state) if book is not None and uses_book[state.to_move] else {}
        if book_moves:
            shares = np.array(list(book_moves.values()))
            state = state.play(list(book_moves)[rng.choice(len(book_moves), p=shares / shares.sum())])
            continue
        analysis, update = algorithm.search(searcher, state)
        if update is not None:
            theta += update
            searcher.set_weights(theta)
        state = state.play(analysis.moves[0][0])
    update = algorithm.end_game(outcome)
    if update is not None:
        theta[: len(update)] += update
    return SelfPlayGame(
        number,
        theta - weights,
        None if outcome is None else outcome.winner,
        "given up" if outcome is None else outcome.reason,
        state.ply - first,
        algorithm.stats.positions,
        algorithm.stats.squared_error,
        time.process_time() - began,
    )


JOURNAL, SETTINGS, EVALUATION = "blocks.jsonl", "settings.json", "evaluation.json"


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


class SelfPlayWorker(Worker[SelfPlayTask, SelfPlayGame]):
    """Plays games of a run, one at a time."""

    def __init__(self, config: TreeStrapRunConfig, book: Book | None) -> None:
        self._config, self._book = config, book
        self._game = load_game(config.game)
        # A small table: every search clears it, which takes time proportional to its size.
        self._searcher = open_evaluation(config.game, "start").searcher(megabytes=1)

    def work(self, task: SelfPlayTask) -> SelfPlayGame:
        """Plays the game of a task."""
        return play(self._game, self._searcher, task.weights, self._config, task.number, self._book)


def worker_pool(
    config: TreeStrapRunConfig, book: Book | None = None, ray: str | None = None
) -> WorkerPool[SelfPlayTask, SelfPlayGame]:
    """Returns the pool of a configuration: this process, local processes, or actors of a Ray cluster.

    `ray` is the address of the cluster. The pool is a context manager. Raises MissingExtra.
    """
    spawn = partial(SelfPlayWorker, config, book)
    return open_pool(spawn, config.workers, lambda task: f"game {task.number + 1}", ray)


class TreeStrapRun:
    """Starts a run in a folder, or resumes the one that is there. Raises BadFile."""

    def __init__(self, config: TreeStrapRunConfig, folder: Path) -> None:
        self.config, self.folder = config, folder
        start = open_evaluation(config.game, config.start)
        _check_same_config(folder / SETTINGS, config)
        self._journal = Journal(folder / JOURNAL, kind=TrainingBlock)
        self.blocks = [
            TrainingBlock(**line | {"wins": tuple(line["wins"])}) for line in self._journal.entries
        ]
        self.weights = np.array(self.blocks[-1].weights) if self.blocks else start.weights
        if self.weights.shape != start.weights.shape or not np.isfinite(self.weights).all():
            raise BadFile(f"the last line of {folder / JOURNAL} has no weights of {config.game}")
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
            for played in sorted(together, key=lambda played: played.number):
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
    positions = sum(played.positions for played in played_games)
    winners = Counter(played.winner for played in played_games)
    return TrainingBlock(
        games,
        (winners[0], winners[1]),
        dict(Counter(played.reason for played in played_games)),
        sum(played.plies for played in played_games),
        positions,
        (sum(played.squared_error for played in played_games) / max(positions, 1)) ** 0.5,
        round(sum(played.seconds for played in played_games), 3),
        weights.tolist(),
    )


def _check_same_config(path: Path, config: TreeStrapRunConfig) -> None:
    """Compares a run's options with those of the run in its folder, then writes them there.

    `games` may differ: a finished run can be extended. Raises BadFile.
    """
    requested = dataclasses.asdict(config)
    if path.exists():
        try:
            known = msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
        except (ValueError, RecursionError) as error:
            raise BadFile(
                f"{path} is damaged ({error}): restore it, or remove it if the options are those of the run"
            ) from None
        if known.keys() != requested.keys():
            raise BadFile(
                f"{path.parent} has a run of another version of Sparring, with other options: "
                "choose another folder"
            )
        for name in requested:
            if name != "games" and requested[name] != known[name]:
                raise BadFile(
                    f"{path.parent} has a run with {name} {known[name]}, not {requested[name]}: "
                    "choose another folder, or the same options"
                )
    atomic_write(path, json.dumps(requested, indent=1) + "\n")
