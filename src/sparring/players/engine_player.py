"""Another program as a player: an engine behind UCI, USI or GTP."""

from __future__ import annotations

from dataclasses import replace

from sparring.base.clock import GameClock, TimeControl
from sparring.games import Move, describe, protocol_games
from sparring.players import NO_MOVE, Decision, GameStart, Player, SearchLimits, Turn
from sparring.players.engines import (
    EngineClient,
    EngineConfig,
    EngineFailure,
    FailureReason,
    PlayResult,
    PositionHistory,
)
from sparring.players.uci_client import UciEngine

_CLAIMS = ("win", "(none)", "0000")
"""Answers that claim the end of the game in place of a move."""


class EnginePlayer(Player):
    """An engine that is kept from game to game, and started again after a failure.

    The limits of a turn take precedence over those of its configuration. GTP engines support neither limits
    of a move nor `stop`. A game's seed has no effect.
    """

    attempts = 2
    """Failed starts in a row after which the engine is given up."""

    def __init__(self, config: EngineConfig) -> None:
        super().__init__(config.name)
        self._config = config
        self._engine: EngineClient | None = None
        self._given_up: EngineFailure | None = None
        self._time_control: TimeControl | None = None

    def new_game(self, start: GameStart) -> None:
        """Starts the engine if it does not run, and sends the commands of a new game. Raises
        EngineFailure."""
        self._time_control = start.time_control
        clocks = None if start.time_control is None else GameClock(start.time_control)
        state = start.game.initial() if start.state is None else start.state
        if self._engine is None:
            self._engine = self._start()
        try:
            self._engine.new_game(PositionHistory.of(state).start, clocks)
        except EngineFailure:
            self._kill()
            raise

    def choose(self, turn: Turn) -> Decision:
        """The engine's move, checked against the rules. Raises EngineFailure."""
        assert self._engine is not None, "new_game comes first"
        history, asked = PositionHistory.of(turn.state), turn.limits
        limits = asked if asked.bounded or asked.infinite else self._config.limits
        limits = replace(limits, searchmoves=asked.searchmoves)
        try:
            answer = self._engine.choose(history, self._clocks(turn.state.to_move, asked), limits, turn.stop)
            if answer.move is None:
                return Decision(NO_MOVE, resign=True, centipawns=answer.score, seconds=answer.spent)
            move = _parse_answer(answer, turn, len(history.moves))
            return Decision(move, {move: 1.0}, centipawns=answer.score, seconds=answer.spent)
        except EngineFailure as failure:
            if failure.reason is not FailureReason.TIME or not self._engine.stops:  # it still searches
                self._kill()
            raise

    def end_game(self, score: float | None) -> None:
        """Sends the result to the engine if its protocol has a command for it."""
        if score is not None and self._engine is not None:
            try:
                self._engine.game_over(score)
            except EngineFailure:  # the next game starts a new engine
                self._kill()

    def close(self) -> None:
        """Lets the engine quit."""
        if self._engine is not None:
            self._engine.close()
            self._engine = None

    def _clocks(self, player: int, limits: SearchLimits) -> GameClock | None:
        """Both clocks in the form that engines receive."""
        if limits.clock is None:
            return None
        own, opponent = limits.clock, limits.opponent_clock or limits.clock
        left = (own.remaining, opponent.remaining)
        control = self._time_control or TimeControl(own.remaining, own.increment, own.byoyomi)
        clocks = GameClock(control, left if player == 0 else left[::-1])
        clocks.set_periods(player, own.periods)
        if own.moves_to_go is not None:
            clocks.set_left(player, own.remaining, own.moves_to_go)
        return clocks

    def _start(self) -> EngineClient:
        if self._given_up is not None:
            raise self._given_up
        for _ in range(self.attempts):
            try:
                return start_engine(self._config)
            except EngineFailure as error:
                started = error.reason != FailureReason.NOT_STARTED
                failure = EngineFailure(FailureReason.NOT_STARTED, str(error) if started else error.detail)
        self._given_up = failure
        raise failure

    def _kill(self) -> None:
        if self._engine is not None:
            self._engine.kill()
            self._engine = None


def start_engine(config: EngineConfig) -> EngineClient:
    """Starts an engine. Raises EngineFailure."""
    support = describe(protocol_games()[config.protocol]).engine
    if support is None or support.client is None:
        return UciEngine(config)
    client: EngineClient = support.client(config)
    return client


def _parse_answer(answer: PlayResult, turn: Turn, ply: int) -> Move:
    text = answer.move or ""
    try:  # the state itself takes the protocol's notation only, and does not check legality
        move: Move = turn.state.parse_move(text)
    except ValueError:
        move = NO_MOVE
    if move not in turn.legal_moves:
        detail = f"{text[:40]!r} among {len(turn.legal_moves)} legal moves, ply {ply}"
        reason = FailureReason.FALSE_CLAIM if text in _CLAIMS else FailureReason.ILLEGAL
        raise EngineFailure(reason, detail)
    return move
