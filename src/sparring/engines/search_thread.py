"""The worker of a UCI or USI engine: it loads the player and searches, one task after the other.

Every task gets exactly one `bestmove`, also after an error.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from threading import Event
from typing import Any

from sparring.engines.go_command import GoCommand
from sparring.engines.player_cache import PlayerCache
from sparring.engines.protocols import ProtocolSpec
from sparring.engines.settings import EngineSettings
from sparring.engines.stdio import SendLine
from sparring.engines.uci_info import decision_info, move_stats, pv_texts, search_info
from sparring.games import IllegalMove, Move, ParseError
from sparring.players import LOAD_ERRORS, Decision, PolicyPlayer, SearchLimits, SearchPlayer, Turn
from sparring.players.stop_timer import stop_timer
from sparring.players.time_management import wait_out
from sparring.search import Clock, SearchResult


@dataclass
class SearchTask:
    """A `go` under way."""

    state: Any
    go_command: GoCommand
    settings: EngineSettings
    searchmoves: tuple[Move, ...] = ()
    """The moves to search; empty for all."""
    debug: bool = False
    received: float = field(default_factory=time.perf_counter)
    stop: Event = field(default_factory=Event)
    discarded: bool = False
    """Whether its answer is not sent."""
    done: bool = False

    @property
    def open_ended(self) -> bool:
        """Whether it answers only after `stop` or `ponderhit`."""
        return self.go_command.infinite or self.go_command.ponder

    def limits(self, side: str, other: str) -> SearchLimits:
        """The limits for the player of a side; the time that loading took is subtracted."""
        if self.open_ended:
            # A policy without search answers at once: waiting adds nothing.
            alone = self.settings.effective_config().nodes <= 1
            return SearchLimits(nodes=1 if alone else None, infinite=not alone, searchmoves=self.searchmoves)
        seconds = self.go_command.seconds(side, self.settings.overhead / 1000)
        if seconds is not None:
            seconds = max(seconds - (time.perf_counter() - self.received), 0.001)
        return SearchLimits(
            nodes=self.go_command.nodes,
            seconds=seconds,
            clock=self._clock(side),
            opponent_clock=self._clock(other),
            searchmoves=self.searchmoves,
        )

    def _clock(self, side: str) -> Clock | None:
        """A side's clock for a player that thinks as long as a person; others get seconds alone."""
        clock = self.go_command.clock(side)
        if clock is None or self.settings.player_config.think_time == "none":
            return None
        return replace(clock, remaining=max(clock.remaining - self.settings.overhead / 1000, 0.0))


class SearchThread:
    """A thread that loads and searches. All methods return at once."""

    def __init__(self, protocol: ProtocolSpec, send_line: SendLine) -> None:
        self._protocol, self._send_line = protocol, send_line
        self.player_cache = PlayerCache(self.send_info_string)
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="search")
        self._task: SearchTask | None = None

    def send_info_string(self, message: str) -> None:
        """Sends a message to the user."""
        self._send_line(f"info string {' '.join(message.split())}")

    def send_error(self, error: Exception) -> None:
        """Sends an error as one line; the engine goes on."""
        expected = isinstance(error, (*LOAD_ERRORS, ValueError, ParseError, IllegalMove))
        self.send_info_string(f"error: {error}" if expected else f"error: {type(error).__name__}: {error}")

    @property
    def task(self) -> SearchTask | None:
        """The task under way; None if there is none."""
        return None if self._task is None or self._task.done else self._task

    def start(self, task: SearchTask) -> None:
        """Queues a task. The task under way ends now and answers first."""
        self.stop_search()
        self._task = task
        self._worker.submit(self._think, task)

    def stop_search(self, *, discard: bool = False) -> None:
        """Ends the task under way; it still answers unless `discard` is set."""
        if (task := self.task) is not None:
            task.discarded = task.discarded or discard
            task.stop.set()

    def prepare(self, settings: EngineSettings) -> None:
        """Sends `readyok` once the player is loaded or failed to load; at once while a task is under way."""
        if self.task is not None or self.player_cache.ready(settings):
            self._send_line("readyok")
        else:
            self._worker.submit(self._load, settings)

    def finish(self) -> None:
        """Stops the search, sends its answer and ends the thread."""
        self.stop_search()
        self._worker.shutdown()

    def shutdown_now(self) -> None:
        """Ends the thread without an answer; does not wait for a network that still loads."""
        self.stop_search(discard=True)
        self._worker.shutdown(wait=False, cancel_futures=True)

    def _load(self, settings: EngineSettings) -> None:
        try:
            self.player_cache.of(settings)
        except Exception as error:
            self.send_error(error)
        self._send_line("readyok")

    def _think(self, task: SearchTask) -> None:
        answer = self._protocol.no_move
        try:
            answer = self._answer(task)
        except Exception as error:
            self.send_error(error)
        if task.open_ended:
            task.stop.wait()
        task.done = True
        if not task.discarded:
            self._send_line(f"bestmove {answer}")

    def _answer(self, task: SearchTask) -> str:
        state = task.state
        if state.outcome is not None:
            self.send_info_string(f"the game is over: {state.outcome.reason}")
            return self._protocol.no_move
        if not task.open_ended and self._can_declare(state):
            return str(self._protocol.claim_move)
        player = self.player_cache.of(task.settings)
        sides = self._protocol.sides
        limits = task.limits(sides[state.to_move], sides[1 - state.to_move])
        turn = Turn(
            state, state.legal_moves(), limits, task.stop, report=lambda found: self._report(task, found)
        )
        with stop_timer(limits.seconds, task.stop):
            decision = player.choose(turn)
        if limits.clock is not None:
            wait_out(decision.seconds, task.received, task.stop)
        return "" if task.discarded else self._send_decision(task, decision, player)

    def _report(self, task: SearchTask, found: SearchResult) -> None:
        if not task.stop.is_set():
            for line in search_info(self._protocol, task.settings, task.state, found, task.searchmoves):
                self._send_line(line)

    def _send_decision(
        self, task: SearchTask, decision: Decision, player: PolicyPlayer | SearchPlayer
    ) -> str:
        """Sends the info lines of a decision; returns the words after `bestmove`."""
        infos = decision_info(
            self._protocol, task.settings, task.state, decision, player.predict_states, task.searchmoves
        )
        for line in infos:
            self._send_line(line)
        if task.settings.verbose_move_stats:
            for line in move_stats(task.state, decision):
                self._send_line(f"info string {line}")
        if task.debug:
            self.send_info_string(decision.reason)
        if decision.resign and self._protocol.can_resign:
            return "resign"
        move = decision.move
        follows = [] if decision.search is None else decision.search.principal_variation(move)
        if task.settings.ponder and len(follows) > 1:
            return " ponder ".join(pv_texts(task.state, follows[:2]))
        return str(task.state.move_text(move))

    def _can_declare(self, state: Any) -> bool:
        if self._protocol.claim_move is None:
            return False
        try:
            return state.parse_move(self._protocol.claim_move) in state.legal_moves()
        except ParseError:
            return False
