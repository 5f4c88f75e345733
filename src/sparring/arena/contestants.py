"""What sits at the arena's board: one of our players, or a program behind a protocol."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from sparring.arena.clocks import Clocks
from sparring.arena.engine_process import EngineFailure, FailureReason
from sparring.arena.engine_types import PlayResult, PositionHistory, TimeForfeit
from sparring.arena.gtp import GtpEngine
from sparring.arena.tournament import EngineConfig, LevelPlayerConfig, NamedPlayerConfig, ParticipantConfig
from sparring.arena.uci import UciEngine
from sparring.games import Game, Move
from sparring.players import Clock, Mind, Player, SearchLimits, make_level_player, make_player


@dataclass(frozen=True)
class TimedMove:
    """A player's move, or None where it resigns."""

    move: Move | None
    score: int | None
    """In centipawns for the player, where it says so."""
    spent: float
    """Seconds."""


class Contestant(Protocol):
    """Plays any number of games, one after the other."""

    def begin(self, start: Any, clocks: Clocks | None, seed: int) -> None:
        """Gets ready for a game. Raises EngineFailure."""
        ...

    def choose(self, line: PositionHistory, clocks: Clocks | None) -> TimedMove:
        """The move in a game that goes on. Raises EngineFailure."""
        ...

    def end(self, score: float) -> None:
        """Hears what the game brought it: 1, 0.5 or 0."""
        ...

    def close(self) -> None:
        """Ends what it started."""
        ...


def open_player(entry: ParticipantConfig, game: Game[Any]) -> Contestant:
    """The contestant that an entry describes. Nothing is started before its first game."""
    match entry:
        case EngineConfig():
            return EnginePlayer(entry, game)
        case NamedPlayerConfig():
            return ConfiguredPlayer(entry)
        case LevelPlayerConfig():
            return LevelPlayer(entry, game)


class LevelPlayer:
    """One of our small players: a new one for each game, so that a game depends on its seed alone."""

    def __init__(self, entry: LevelPlayerConfig, game: Game[Any]) -> None:
        self._entry = entry
        self._game = game
        self._player: Player[Any] | None = None

    def begin(self, start: Any, clocks: Clocks | None, seed: int) -> None:
        """Gets ready for a game."""
        self._player = make_level_player(self._game.spec.name, self._entry.level, np.random.default_rng(seed))

    def choose(self, line: PositionHistory, clocks: Clocks | None) -> TimedMove:
        """The player's move. Whatever it raises is its own fault and costs it the game."""
        assert self._player is not None, "begin comes first"
        began = time.monotonic()
        try:
            choice = self._player.choose(line.state)
        except Exception as error:
            raise EngineFailure(FailureReason.CRASHED, f"{type(error).__name__}: {error}") from error
        if choice.move not in self._game.legal_moves(line.state):
            raise EngineFailure(FailureReason.ILLEGAL, f"move {choice.move}, ply {len(line.moves)}")
        return TimedMove(choice.move, None, time.monotonic() - began)

    def end(self, score: float) -> None:
        """The player of this game is not needed any more."""
        self._player = None

    def close(self) -> None:
        """Nothing was started."""


class ConfiguredPlayer:
    """A player from a description: its networks are kept from game to game, its memory is not."""

    def __init__(self, entry: NamedPlayerConfig) -> None:
        self._entry = entry
        self._mind: Mind | None = None

    def begin(self, start: Any, clocks: Clocks | None, seed: int) -> None:
        """Gets ready for a game, which depends on its seed alone."""
        try:
            mind = self._mind or make_player(self._entry.player_config)
        except Exception as error:
            raise EngineFailure(FailureReason.NOT_STARTED, str(error)) from error
        own = self._entry.player_config.seed
        self._mind = mind.for_new_game(seed if own is None else own)

    def choose(self, line: PositionHistory, clocks: Clocks | None) -> TimedMove:
        """Its move, or that it resigns. Whatever it raises is its own fault and costs it the game."""
        assert self._mind is not None, "begin comes first"
        began = time.monotonic()
        try:
            thought = self._mind.think(line.state, SearchLimits(clock=_clock(clocks, line.state.to_move)))
        except Exception as error:
            raise EngineFailure(FailureReason.CRASHED, f"{type(error).__name__}: {error}") from error
        move = None if thought.resign else thought.choice.move
        return TimedMove(move, None, time.monotonic() - began)

    def end(self, score: float) -> None:
        """The next game begins with a fresh memory."""

    def close(self) -> None:
        """Nothing was started."""


def _clock(clocks: Clocks | None, player: int) -> Clock | None:
    if clocks is None:
        return None
    return Clock(clocks.left[player], clocks.control.increment, byoyomi=clocks.control.byoyomi)


class EnginePlayer:
    """A program that is kept from game to game, and started again after it failed."""

    attempts = 2
    """Starts in a row that may fail before the engine is given up."""

    def __init__(self, entry: EngineConfig, game: Game[Any]) -> None:
        self._entry = entry
        self._game = game
        self._engine: UciEngine | GtpEngine | None = None
        self._given_up: EngineFailure | None = None

    def begin(self, start: Any, clocks: Clocks | None, seed: int) -> None:
        """Gets ready for a game; an engine's own randomness is its own affair."""
        if self._engine is None:
            self._engine = self._start()
        try:
            self._engine.new_game(start, clocks)
        except EngineFailure:
            self._drop()
            raise

    def choose(self, line: PositionHistory, clocks: Clocks | None) -> TimedMove:
        """The engine's move, by the rules."""
        assert self._engine is not None, "begin comes first"
        try:
            answer = self._engine.choose(line, clocks)
            move = None if answer.move is None else self._understood(line, answer)
            return TimedMove(move, answer.score, answer.spent)
        except EngineFailure:
            self._drop()
            raise
        except TimeForfeit:
            if self._entry.protocol == "gtp":  # it has no `stop`: the engine still thinks
                self._drop()
            raise

    def end(self, score: float) -> None:
        """Tells the engine, where its protocol has words for it."""
        if isinstance(self._engine, UciEngine):
            try:
                self._engine.game_over(score)
            except EngineFailure:  # the game is over; the next one finds a new engine
                self._drop()

    def close(self) -> None:
        """Lets the engine quit."""
        if self._engine is not None:
            self._engine.close()
            self._engine = None

    def _start(self) -> UciEngine | GtpEngine:
        if self._given_up is not None:
            raise self._given_up
        for _ in range(self.attempts):
            try:
                return GtpEngine(self._entry) if self._entry.protocol == "gtp" else UciEngine(self._entry)
            except EngineFailure as error:
                failure = EngineFailure(FailureReason.NOT_STARTED, str(error))
        self._given_up = failure
        raise failure

    def _understood(self, line: PositionHistory, answer: PlayResult) -> Move:
        text = answer.move or ""
        legal = self._game.legal_moves(line.state)
        try:
            # The state itself takes the protocol's notation only, and knows nothing of legality.
            move: Move = line.state.parse_move(text)
        except ValueError:
            move = -1
        if move not in legal:
            claim = text in ("win", "(none)", "0000")
            what = f"{text[:40]!r} among {len(legal)} legal moves, ply {len(line.moves)}"
            raise EngineFailure(FailureReason.FALSE_CLAIM if claim else FailureReason.ILLEGAL, what)
        return move

    def _drop(self) -> None:
        if self._engine is not None:
            self._engine.kill()
            self._engine = None
