"""Our bots as players of reconchess: `rc-bot-match sparring.engines.reconchess …`, `rc-connect` too.

Which bot it is says the environment variable SPARRING_RBC_BOT: a name or a TOML file (docs/rbc.md); the
strongest where it says nothing. SPARRING_RBC_SEED makes games repeatable. Whatever goes wrong inside, an
action that the rules allow is what reconchess gets. Needs `sparring[rbc]`.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from typing import TypeVar

import chess
import numpy as np
from reconchess import Player

from sparring.games.rbc import NO_SENSE, PASS, SENSE, MoveResult, Observation, OpponentMoveResult, SenseResult
from sparring.players.rbc import Bot, load_bot_config, make_bot

DEFAULT_BOT = "inference"
_T = TypeVar("_T")
_PATIENCE = 30.0
"""Seconds that a turn waits for what was begun on the opponent's time."""


class SparringBot(Player):  # type: ignore[misc]  # reconchess has no types
    """One game of the bot that the environment names. Raises BadBotConfig or StockfishNotFound."""

    def __init__(self) -> None:
        self._setting = load_bot_config(os.environ.get("SPARRING_RBC_BOT", DEFAULT_BOT))
        seed = os.environ.get("SPARRING_RBC_SEED")
        self._rng = np.random.default_rng(None if seed is None else int(seed))
        self._bot: Bot | None = make_bot(self._setting, 0, self._rng)  # that it can be made is seen here
        self._pondering: threading.Thread | None = None
        self.failures: list[str] = []
        """What went wrong so far and was not let out."""

    def handle_game_start(self, color: bool, board: chess.Board, opponent_name: str) -> None:
        """A new game begins."""
        self._close()
        player = 0 if color else 1
        self._bot = self._guarded(lambda: make_bot(self._setting, player, self._rng), lambda: None)

    def handle_opponent_move_result(self, captured_my_piece: bool, capture_square: int | None) -> None:
        """The opponent has moved; before White's first turn it has not."""
        self._observe(OpponentMoveResult(capture_square))

    def choose_sense(
        self, sense_actions: list[int], move_actions: list[chess.Move], seconds_left: float | None
    ) -> int | None:
        """The middle of the window to look at."""
        offered = sorted(SENSE + square for square in sense_actions)

        def choose() -> int | None:
            assert self._bot is not None
            chosen = self._bot.choose([*offered, NO_SENSE], seconds_left).move
            return None if chosen == NO_SENSE else sense_actions[sense_actions.index(chosen - SENSE)]

        return self._guarded(choose, lambda: self._any(sense_actions))

    def handle_sense_result(self, sense_result: list[tuple[int, chess.Piece | None]]) -> None:
        """What the sense showed."""
        self._observe(
            SenseResult(tuple((square, piece.symbol() if piece else None) for square, piece in sense_result))
        )

    def choose_move(self, move_actions: list[chess.Move], seconds_left: float | None) -> chess.Move | None:
        """The move to ask for, None to pass."""
        offered = {_code(move): move for move in move_actions}

        def choose() -> chess.Move | None:
            assert self._bot is not None
            chosen = self._bot.choose(sorted([PASS, *offered]), seconds_left).move
            return None if chosen == PASS else offered[chosen]

        return self._guarded(choose, lambda: self._any(move_actions))

    def handle_move_result(
        self,
        requested_move: chess.Move | None,
        taken_move: chess.Move | None,
        captured_opponent_piece: bool,
        capture_square: int | None,
    ) -> None:
        """What came of the move. Local games count this on one's own clock, so it starts and leaves."""
        request = PASS if requested_move is None else _code(requested_move)
        taken = None if taken_move is None else _code(taken_move)
        self._observe(MoveResult(request, taken, capture_square))
        bot = self._bot
        if bot is not None:
            self._pondering = threading.Thread(
                target=lambda: self._guarded(bot.ponder, lambda: None), daemon=True
            )
            self._pondering.start()

    def handle_game_end(self, winner_color: bool | None, win_reason: object, game_history: object) -> None:
        """The game is over."""
        self._close()

    def _observe(self, observation: Observation) -> None:
        self._wait()
        if self._bot is not None:
            bot = self._bot
            self._guarded(lambda: bot.observe(observation), lambda: None)

    def _wait(self) -> None:
        thread, self._pondering = self._pondering, None
        if thread is not None:
            thread.join(_PATIENCE)

    def _close(self) -> None:
        self._wait()
        bot, self._bot = self._bot, None
        if bot is not None:
            self._guarded(bot.close, lambda: None)

    def _guarded(self, act: Callable[[], _T], otherwise: Callable[[], _T]) -> _T:
        """What `act` gives; where it fails, the failure is told on stderr and the game goes on."""
        try:
            return act()
        except Exception as error:
            self.failures.append(f"{type(error).__name__}: {error}")
            print(f"sparring: {self.failures[-1]}; the game goes on", file=sys.stderr)
            return otherwise()

    def _any(self, actions: list[_T]) -> _T | None:
        return actions[int(self._rng.integers(len(actions)))] if actions else None


def get_player() -> type[SparringBot]:
    """What reconchess loads."""
    return SparringBot


def _code(move: chess.Move) -> int:
    return move.to_square | move.from_square << 6 | ((move.promotion - 1) << 12 if move.promotion else 0)
