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

from sparring.disk import Journal, write_whole
from sparring.games import load
from sparring.learn.bootstrap.selfplay import Book, Lesson, play
from sparring.learn.bootstrap.settings import Settings
from sparring.search.evaluations import Evaluation, Weights, open_evaluation, write_evaluation
from sparring.workers import LocalCrew, RayCrew

JOURNAL, SETTINGS, EVALUATION = "blocks.jsonl", "settings.json", "evaluation.json"


class BadRun(Exception):
    """A folder that cannot be gone on with; the message says why."""


@dataclass(frozen=True)
class Task:
    """A game to be played from these weights."""

    number: int
    weights: Weights


@dataclass(frozen=True)
class Block:
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


class Crew(Protocol):
    """Whoever plays games side by side."""

    def run(self, tasks: Iterator[Task]) -> Iterator[Lesson]:
        """The games as they end."""
        ...


class Pupil:
    """Plays games of a run, one after the other."""

    def __init__(self, settings: Settings, book: Book | None) -> None:
        self._settings, self._book = settings, book
        self._game = load(settings.game)
        # A megabyte: each search forgets all before it, which takes longer the more there is.
        self._searcher = open_evaluation(settings.game, "start").searcher(megabytes=1)

    def work(self, task: Task) -> Lesson:
        """A game."""
        return play(self._game, self._searcher, task.weights, self._settings, task.number, self._book)

    def close(self) -> None:
        """Nothing was started."""

    def abandon(self) -> None:
        """Nothing was started."""


class Alone:
    """A crew of one, in this process."""

    def __init__(self, settings: Settings, book: Book | None) -> None:
        self._pupil = Pupil(settings, book)

    def run(self, tasks: Iterator[Task]) -> Iterator[Lesson]:
        """One game after the other."""
        return map(self._pupil.work, tasks)

    def __enter__(self) -> Alone:
        return self

    def __exit__(self, *_: object) -> None:
        pass


def crew(settings: Settings, book: Book | None = None, ray: str | None = None) -> Any:
    """A crew as large as the settings say, to be entered: here, or at Ray's address. Raises NoRay."""
    hire = partial(Pupil, settings, book)
    if ray is not None:
        return RayCrew[Task, Lesson](hire, settings.workers, ray)
    if settings.workers == 1:
        return Alone(settings, book)
    return LocalCrew[Task, Lesson](hire, settings.workers, lambda task: f"game {task.number + 1}")


class Run:
    """A run and its folder; an unfinished one there is gone on with. Raises BadRun, BadEvaluation."""

    def __init__(self, settings: Settings, folder: Path) -> None:
        self.settings, self.folder = settings, folder
        start = open_evaluation(settings.game, settings.start)
        _remember(folder / SETTINGS, settings)
        self._journal = Journal(folder / JOURNAL)
        self.blocks = [Block(**each | {"wins": tuple(each["wins"])}) for each in self._journal.entries]
        self.weights = np.array(self.blocks[-1].weights) if self.blocks else start.weights
        self.games = self.blocks[-1].games if self.blocks else 0
        self._stopped = False

    @property
    def finished(self) -> bool:
        """Whether all games were played."""
        return self.games >= self.settings.games

    def stop(self) -> None:
        """Ends the run after its round; what is not in the journal yet will be played again."""
        self._stopped = True

    def train(self, crew: Crew, watch: Callable[[Lesson], None] = lambda _: None) -> bool:
        """Plays on to the end. `watch` hears of every game. False where it was stopped."""
        while not self.finished and not self._stopped:
            lessons: list[Lesson] = []
            theta, last = self.weights.copy(), min(self.games + self.settings.block, self.settings.games)
            while self.games + len(lessons) < last and not self._stopped:
                first = self.games + len(lessons)
                numbers = range(first, min(first + self.settings.workers, last))
                together = list(crew.run(iter([Task(number, theta) for number in numbers])))
                # In the order of their numbers, so that who was quicker does not matter.
                for lesson in sorted(together, key=lambda each: each.number):
                    theta = theta + lesson.change
                    lessons.append(lesson)
                    watch(lesson)
            if self.games + len(lessons) == last:
                self._keep(_block(last, lessons, theta))
        write_evaluation(self.evaluation(), self.folder / EVALUATION)
        return self.finished

    def evaluation(self) -> Evaluation:
        """The mean of the weights after each block of the second half, and where they came from.

        Single weights wander with the last games; their mean does so less (Polyak and Juditsky 1992).
        """
        later = [block.weights for block in self.blocks[len(self.blocks) // 2 :]]
        weights = np.mean(later, axis=0) if later else self.weights
        origin = {
            **dataclasses.asdict(self.settings),
            "games": self.games,
            "processor_seconds": round(sum(block.seconds for block in self.blocks), 1),
        }
        return Evaluation(self.settings.game, weights, origin)

    def _keep(self, block: Block) -> None:
        self._journal.add(dataclasses.asdict(block))
        self.blocks.append(block)
        self.weights, self.games = np.array(block.weights), block.games


def _block(games: int, lessons: list[Lesson], weights: Weights) -> Block:
    positions = sum(each.positions for each in lessons)
    winners = Counter(each.winner for each in lessons)
    return Block(
        games,
        (winners[0], winners[1]),
        dict(Counter(each.reason for each in lessons)),
        sum(each.plies for each in lessons),
        positions,
        (sum(each.squared_error for each in lessons) / max(positions, 1)) ** 0.5,
        round(sum(each.seconds for each in lessons), 3),
        weights.tolist(),
    )


def _remember(path: Path, settings: Settings) -> None:
    """The folder's settings. More games may be asked for later; anything else would be another run."""
    asked = dataclasses.asdict(settings)
    if path.exists():
        known = json.loads(path.read_text(encoding="utf-8"))
        differing = [name for name in asked if name != "games" and asked[name] != known.get(name)]
        if differing:
            name = differing[0]
            raise BadRun(
                f"{path.parent} has a run with {name} {known.get(name)}, not {asked[name]}: "
                "take another folder, or the same settings"
            )
    write_whole(path, json.dumps(asked, indent=1) + "\n")
