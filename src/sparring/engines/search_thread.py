"""The worker of a UCI or USI engine: it loads the player and searches, one task after the other.

Every task gets exactly one `bestmove`, also after an error.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from threading import Event, Lock
from typing import Any, Literal, TypeAlias

from sparring.engines.options import EngineSettings
from sparring.engines.protocols import ProtocolSpec, decision_info, move_stats, pv_texts, search_info
from sparring.engines.server import SendLine
from sparring.games import IllegalMove, Move, ParseError, describe, load_game
from sparring.players import (
    LOAD_ERRORS,
    Decision,
    GameStart,
    PlayerConfig,
    PolicyPlayer,
    SearchLimits,
    SearchPlayer,
    Turn,
    make_player,
)
from sparring.policies import load_policy, rating_range, unrated
from sparring.search import Clock, SearchResult
from sparring.search.limits import allocate_time, stop_timer, wait_out

# The `go` command of UCI and USI.


_NUMBERS = frozenset(
    ("wtime", "btime", "winc", "binc", "movestogo", "byoyomi", "nodes", "movetime", "depth", "mate")
)
_FLAGS = frozenset(("infinite", "ponder"))
_WORDS = _NUMBERS | _FLAGS | {"searchmoves"}


@dataclass(frozen=True)
class GoCommand:
    """The arguments of `go`. Times are in milliseconds, as the GUI sends them."""

    numbers: Mapping[str, int]
    infinite: bool = False
    ponder: bool = False
    moves: tuple[str, ...] = ()
    """The moves after `searchmoves`, as text."""
    unknown: tuple[str, ...] = ()
    """Words that are not part of the command."""

    @property
    def nodes(self) -> int | None:
        """The node limit; None if there is none."""
        return self.numbers.get("nodes")

    def clock(self, side: str) -> Clock | None:
        """The clock of a side, w or b; None without a clock."""
        if f"{side}time" not in self.numbers and "byoyomi" not in self.numbers:
            return None
        seconds = {key: value / 1000 for key, value in self.numbers.items()}
        return Clock(
            max(seconds.get(f"{side}time", 0.0), 0.0),
            max(seconds.get(f"{side}inc", 0.0), 0.0),
            self.numbers.get("movestogo"),
            max(seconds.get("byoyomi", 0.0), 0.0),
        )

    def seconds(self, side: str, overhead: float) -> float | None:
        """Time limit of the move; None without one. `overhead` is in seconds."""
        if self.infinite:
            return None
        if (milliseconds := self.numbers.get("movetime")) is not None:
            whole = max(milliseconds / 1000, 0.0)
            return max(whole - overhead, whole / 2)
        clock = self.clock(side)
        return None if clock is None else allocate_time(clock, overhead)


def parse_go(words: Sequence[str]) -> GoCommand:
    """Parses the words after `go`; unknown words are collected in `unknown`."""
    numbers: dict[str, int] = {}
    flags, moves, unknown = set(), [], []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word in _FLAGS:
            flags.add(word)
        elif word == "searchmoves":
            while rest and rest[0] not in _WORDS:
                moves.append(rest.pop(0))
        elif word in _NUMBERS and rest and (number := _whole(rest[0])) is not None:
            numbers[word] = number
            rest.pop(0)
        elif word == "mate" and rest[:1] == ["infinite"]:
            flags.add(rest.pop(0))
            numbers[word] = 0
        else:
            unknown.append(word)
    return GoCommand(numbers, "infinite" in flags, "ponder" in flags, tuple(moves), tuple(unknown))


def _whole(text: str) -> int | None:
    """An integer of at most 18 digits; None for anything else."""
    try:
        return int(text) if len(text) <= 18 else None
    except ValueError:
        return None


# The player behind an engine: loaded when it is first needed, and again when the GUI changed an option.


_Which: TypeAlias = Literal["rating", "opponent_rating"]
_Player: TypeAlias = PolicyPlayer | SearchPlayer
_CacheKey: TypeAlias = tuple[PlayerConfig, bool]


class PlayerCache:
    """Keeps one player. Safe to use from several threads.

    The player can search for every command, also if its configuration has no search.
    """

    def __init__(self, send_message: SendLine) -> None:
        """`send_message` receives messages for the user."""
        self._send_message = send_message
        self._lock = Lock()
        self._key: _CacheKey | None = None
        self._player: _Player | None = None
        self._new_game = False

    def of(self, settings: EngineSettings) -> _Player:
        """The player of these settings. A rating outside the policy's range is replaced by the nearest one.

        Raises one of `players.LOAD_ERRORS`.
        """
        with self._lock:
            if self._player is None or self._key != _cache_key(settings):
                replaced, self._player = self._player, self._load(settings)
                self._key = _cache_key(settings)
                if replaced is not None:
                    replaced.close()
            elif self._new_game:
                self._player.new_game(GameStart(load_game(settings.player_config.game)))
            self._new_game = False
            return self._player

    def ready(self, settings: EngineSettings) -> bool:
        """Whether the player of these settings is loaded."""
        return self._player is not None and self._key == _cache_key(settings)

    def new_game(self) -> None:
        """Begins a new game: the player forgets the last one, and with a seed it plays as before."""
        self._new_game = True

    def _load(self, settings: EngineSettings) -> _Player:
        config = settings.effective_config()
        policy = load_policy(config.model, config.game, threads=config.threads)
        rating = opponent = None
        if (bounds := rating_range(policy)) is not None:
            rating = self._nearest_rating(config, "rating", bounds)
            opponent = self._nearest_rating(config, "opponent_rating", bounds)
        elif settings.rating_requested:
            self._send_message(f"{unrated(policy)}: the given one is ignored")
        return make_player(replace(config, rating=rating, opponent_rating=opponent), policy, search=True)

    def _nearest_rating(self, config: PlayerConfig, which: _Which, bounds: tuple[float, float]) -> int | None:
        """The rating, or the nearest one in the policy's range; a message reports the change."""
        rating = config.rating_number(which)
        if rating is None or bounds[0] <= rating <= bounds[1]:
            return rating
        nearest = int(min(max(rating, bounds[0]), bounds[1]))
        texts = [describe(config.game).ratings.format(value) for value in (rating, nearest)]
        self._send_message(
            f"{which.replace('_', ' ')} {texts[0]} is outside the range of {config.model}: {texts[1]} is used"
        )
        return nearest


def _cache_key(settings: EngineSettings) -> _CacheKey:
    """All settings that the player and the messages of loading it depend on."""
    return settings.effective_config(), settings.rating_requested


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
            state, state.legal_moves(), limits, task.stop, report=lambda result: self._report(task, result)
        )
        with stop_timer(limits.seconds, task.stop):
            decision = player.choose(turn)
        if limits.clock is not None:
            wait_out(decision.seconds, task.received, task.stop)
        return "" if task.discarded else self._send_decision(task, decision, player)

    def _report(self, task: SearchTask, result: SearchResult) -> None:
        if not task.stop.is_set():
            for line in search_info(self._protocol, task.settings, task.state, result, task.searchmoves):
                self._send_line(line)

    def _send_decision(
        self, task: SearchTask, decision: Decision, player: PolicyPlayer | SearchPlayer
    ) -> str:
        """Sends the info lines of a decision; returns the words after `bestmove`."""
        infos = decision_info(
            self._protocol, task.settings, task.state, decision, player.predict_states, task.searchmoves
        )
        # Scid forgets the first of several lines: an analysis that does not grow repeats them.
        repeated = task.open_ended and decision.search is None and len(infos) > 1
        for line in infos * (2 if repeated else 1):
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
