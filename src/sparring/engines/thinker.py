"""What a UCI or USI engine does besides listening: loads its player and thinks, one job after the other.

Every task gets exactly one `bestmove`, whatever happens.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Event
from typing import Any

from sparring.engines.alarm import alarm
from sparring.engines.dialects import Dialect
from sparring.engines.going import Going
from sparring.engines.informing import found_infos, line_texts, thought_infos
from sparring.engines.minds import LOAD_ERRORS, Minds
from sparring.engines.pipes import Say
from sparring.engines.settings import Settings
from sparring.games import BadText, IllegalMove, Move
from sparring.players.thinking import Limits, Thought
from sparring.search import Found


@dataclass
class Task:
    """A `go` under way."""

    state: Any
    going: Going
    settings: Settings
    only: tuple[Move, ...] = ()
    """The moves to think about; empty for all."""
    debug: bool = False
    received: float = field(default_factory=time.perf_counter)
    stop: Event = field(default_factory=Event)
    abandoned: bool = False
    """Nobody waits for its answer."""
    done: bool = False

    @property
    def open_ended(self) -> bool:
        """Whether it may answer only when it is told to."""
        return self.going.infinite or self.going.ponder

    def limits(self, side: str) -> Limits:
        """As the mind takes them; the time that loading took is gone."""
        if self.open_ended:
            # A policy alone has nothing to add by waiting: what it says is shown at once.
            alone = self.settings.description.nodes <= 1
            return Limits(nodes=1 if alone else None, infinite=not alone, only=self.only)
        seconds = self.going.seconds(side, self.settings.overhead / 1000)
        if seconds is not None:
            seconds = max(seconds - (time.perf_counter() - self.received), 0.001)
        return Limits(nodes=self.going.nodes, seconds=seconds, only=self.only)


class Thinker:
    """A thread that loads and thinks. All methods return at once."""

    def __init__(self, dialect: Dialect, say: Say) -> None:
        self._dialect, self._say = dialect, say
        self.minds = Minds(self.tell)
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="thinking")
        self._task: Task | None = None

    def tell(self, message: str) -> None:
        """Says something to a person."""
        self._say(f"info string {' '.join(message.split())}")

    def tell_error(self, error: Exception) -> None:
        """One line for a person: an engine that dies tells nobody why."""
        expected = isinstance(error, (*LOAD_ERRORS, ValueError, BadText, IllegalMove))
        self.tell(f"error: {error}" if expected else f"error: {type(error).__name__}: {error}")

    @property
    def task(self) -> Task | None:
        """The one under way."""
        return None if self._task is None or self._task.done else self._task

    def begin(self, task: Task) -> None:
        """Thinks about it after the one under way, which ends now and answers first."""
        self.halt()
        self._task = task
        self._worker.submit(self._think, task)

    def halt(self, *, abandon: bool = False) -> None:
        """Ends the task under way; unless abandoned, it still answers."""
        if (task := self.task) is not None:
            task.abandoned = task.abandoned or abandon
            task.stop.set()

    def get_ready(self, settings: Settings) -> None:
        """Says `readyok` once the player is loaded, or could not be; at once while it thinks."""
        if self.task is not None or self.minds.ready(settings):
            self._say("readyok")
        else:
            self._worker.submit(self._load, settings)

    def finish(self) -> None:
        """Says what is still to be said, without thinking any longer."""
        self.halt()
        self._worker.shutdown()

    def leave(self) -> None:
        """Ends everything; a network that still loads is not waited for."""
        self.halt(abandon=True)
        self._worker.shutdown(wait=False, cancel_futures=True)

    def _load(self, settings: Settings) -> None:
        try:
            self.minds.of(settings)
        except Exception as error:
            self.tell_error(error)
        self._say("readyok")

    def _think(self, task: Task) -> None:
        answer = self._dialect.no_move
        try:
            answer = self._answer(task)
        except Exception as error:
            self.tell_error(error)
        if task.open_ended:
            task.stop.wait()
        task.done = True
        if not task.abandoned:
            self._say(f"bestmove {answer}")

    def _answer(self, task: Task) -> str:
        state = task.state
        if state.outcome is not None:
            self.tell(f"the game is over: {state.outcome.reason}")
            return self._dialect.no_move
        if not task.open_ended and self._can_declare(state):
            return str(self._dialect.declares)
        mind = self.minds.of(task.settings)
        limits = task.limits(self._side(state))
        with alarm(limits.seconds, task.stop):
            thought = mind.think(
                state, limits, stop=task.stop, report=lambda found: self._report(task, found)
            )
        return "" if task.abandoned else self._spoken(task, thought)

    def _report(self, task: Task, found: Found) -> None:
        if not task.stop.is_set():
            for line in found_infos(self._dialect, task.settings, task.state, found):
                self._say(line)

    def _spoken(self, task: Task, thought: Thought) -> str:
        """Says what it thought; gives the answer."""
        for line in thought_infos(self._dialect, task.settings, task.state, thought):
            self._say(line)
        if task.debug:
            self.tell(thought.choice.why)
        if thought.resign and self._dialect.resigns:
            return "resign"
        move = thought.choice.move
        follows = [] if thought.found is None else thought.found.lines(move)
        if task.settings.ponder and len(follows) > 1:
            return " ponder ".join(line_texts(task.state, follows[:2]))
        return str(task.state.move_text(move))

    def _can_declare(self, state: Any) -> bool:
        if self._dialect.declares is None:
            return False
        try:
            return state.parse_move(self._dialect.declares) in state.legal_moves()
        except BadText:
            return False

    def _side(self, state: Any) -> str:
        """The letter of the player to move, as in wtime."""
        return self._dialect.sides[state.to_move]
