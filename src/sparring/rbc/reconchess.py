"""Bots as players of reconchess: `rc-bot-match sparring.rbc.reconchess ...`, and `rc-connect`.

The environment variable SPARRING_RBC_BOT names the bot: a name or a TOML file (docs/rbc-bots.md); without it
the strongest plays. SPARRING_RBC_SEED makes games repeatable. SPARRING_RBC_LOG names a file that gets a line
for each decision. If the bot fails, reconchess gets a random legal action and the game goes on. Needs
`sparring[rbc]`.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TypeVar

import chess
import numpy as np
from reconchess import Player as ReconchessPlayer

from sparring.chess.game import move_code
from sparring.games import Move
from sparring.players import Clock, Decision, GameStart, Player, SearchLimits, Turn
from sparring.rbc.bots import InferenceBot, load_bot_config, make_bot
from sparring.rbc.game import (
    NO_SENSE,
    PASS,
    SENSE,
    MoveResult,
    Observation,
    OpponentMoveResult,
    Rbc,
    SenseResult,
)
from sparring.rbc.planner import PlannerBot


class DecisionLog:
    """Appends lines to a file, to follow with `tail -f`; without a path it does nothing.

    A file that cannot be written is reported once on stderr, and logging ends: the game goes on.
    """

    def __init__(self, path: str | None) -> None:
        self._path = Path(path) if path else None

    @property
    def is_open(self) -> bool:
        """Whether lines are written."""
        return self._path is not None

    def write(self, text: str) -> None:
        """Appends a line with the time. The file is closed after it, so that the line can be read at once."""
        if self._path is None:
            return
        line = f"{datetime.now():%H:%M:%S} {' '.join(text.split())}\n"
        try:
            with self._path.open("a", encoding="utf-8", errors="replace") as file:
                file.write(line)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            print(f"sparring: no log in {self._path} ({reason}); the game goes on", file=sys.stderr)
            self._path = None


def game_text(bot: Player, color: str, opponent: str) -> str:
    """The line of a new game."""
    headset = bot.evaluator.opponent_headset if isinstance(bot, PlannerBot) else ""
    predicted = f", predicted by the headset {headset}" if headset else ""
    return f"{bot.name} is {color} against {opponent or 'an opponent without a name'}{predicted}"


def decision_text(action: str, decision: Decision, boards: int | None) -> str:
    """A decision with the number of possible boards and its reason."""
    count = "" if boards is None else f"; {boards:,} board{'' if boards == 1 else 's'}"
    return f"{action}{count}" + (f"; {decision.reason}" if decision.reason else "")


def possible_boards(bot: Player) -> int | None:
    """The number of boards that a bot tracks; None if it tracks none."""
    return len(bot.knowledge.tracker.boards) if isinstance(bot, InferenceBot | PlannerBot) else None


DEFAULT_BOT = "planner"
_T = TypeVar("_T")
_PONDER_TIMEOUT = 30.0
"""Seconds that a turn waits for the end of pondering."""
_INCREMENT = 5.0
"""Seconds that reconchess adds for each turn by default, and at most in the estimate."""


class SparringBot(ReconchessPlayer):  # type: ignore[misc]  # reconchess has no types
    """The bot that the environment names. Raises BadConfig or NotFound."""

    def __init__(self) -> None:
        self._config = load_bot_config(os.environ.get("SPARRING_RBC_BOT", DEFAULT_BOT))
        self._rng = np.random.default_rng(_seed(os.environ.get("SPARRING_RBC_SEED")))
        self._log = DecisionLog(os.environ.get("SPARRING_RBC_LOG"))
        self._color, self._turn = chess.COLOR_NAMES[chess.WHITE], 0
        self._bot: Player | None = self._new_bot(0)  # configuration errors show before the game
        self._pondering: threading.Thread | None = None
        self._stop_pondering = threading.Event()
        self._increments: list[float] = []
        self._left_after_move: float | None = None
        self._observing_seconds = 0.0
        self.failures: list[str] = []
        """Errors of the bot so far."""

    def handle_game_start(self, color: bool, board: chess.Board, opponent_name: str) -> None:
        """A new game begins."""
        self._close()
        player = 0 if color else 1
        self._increments, self._left_after_move = [], None
        self._color, self._turn = chess.COLOR_NAMES[color], 0
        self._bot = self._guarded(lambda: self._new_bot(player, opponent_name), lambda: None)
        if self._bot is not None:
            self._log.write(game_text(self._bot, self._color, opponent_name))

    def handle_opponent_move_result(self, captured_my_piece: bool, capture_square: int | None) -> None:
        """The opponent has moved; before White's first turn it has not."""
        began = time.perf_counter()
        self._observe(OpponentMoveResult(capture_square))
        self._observing_seconds = time.perf_counter() - began

    def choose_sense(
        self, sense_actions: list[int] | None, move_actions: list[chess.Move], seconds_left: float | None
    ) -> int | None:
        """The middle of the window to sense. A game that has just ended offers None instead of actions."""
        if sense_actions is None:
            return None
        offered = sorted(SENSE + square for square in sense_actions)
        self._observe_increment(seconds_left)
        self._turn += 1

        def choose() -> int | None:
            chosen = self._choose([*offered, NO_SENSE], seconds_left)
            return None if chosen == NO_SENSE else sense_actions[sense_actions.index(chosen - SENSE)]

        return self._guarded(choose, lambda: self._any(sense_actions))

    def handle_sense_result(self, sense_result: list[tuple[int, chess.Piece | None]]) -> None:
        """Passes the result of the sense to the bot."""
        self._observe(
            SenseResult(tuple((square, piece.symbol() if piece else None) for square, piece in sense_result))
        )

    def choose_move(
        self, move_actions: list[chess.Move] | None, seconds_left: float | None
    ) -> chess.Move | None:
        """The move to request; None to pass. A game that has just ended offers None instead of moves."""
        if move_actions is None:
            return None
        offered = {move_code(move): move for move in move_actions}
        began = time.perf_counter()

        def choose() -> chess.Move | None:
            chosen = self._choose(sorted([PASS, *offered]), seconds_left)
            return None if chosen == PASS else offered[chosen]

        move = self._guarded(choose, lambda: self._any(move_actions))
        if seconds_left is not None:
            self._left_after_move = seconds_left - (time.perf_counter() - began)
        return move

    def handle_move_result(
        self,
        requested_move: chess.Move | None,
        taken_move: chess.Move | None,
        captured_opponent_piece: bool,
        capture_square: int | None,
    ) -> None:
        """Passes the result of the move to the bot. The bot then ponders in a thread: local games count this
        on our clock."""
        request = PASS if requested_move is None else move_code(requested_move)
        taken = None if taken_move is None else move_code(taken_move)
        self._observe(MoveResult(request, taken, capture_square))
        bot = self._bot
        if bot is not None:
            stop = self._stop_pondering = threading.Event()
            self._pondering = threading.Thread(
                target=lambda: self._guarded(lambda: bot.ponder(stop), lambda: None), daemon=True
            )
            self._pondering.start()

    def handle_game_end(self, winner_color: bool | None, win_reason: object, game_history: object) -> None:
        """The game is over."""
        winner = "nobody" if winner_color is None else chess.COLOR_NAMES[winner_color]
        reason = str(getattr(win_reason, "name", "no reason given")).replace("_", " ").lower()
        self._log.write(f"game over: {winner} won ({reason})")
        self._close()

    def _new_bot(self, player: int, opponent: str = "") -> Player:
        bot = make_bot(self._config)
        bot.new_game(GameStart(Rbc(), player, seed=self._rng, opponent=opponent))
        return bot

    @property
    def _increment(self) -> float:
        """The increment of the game, which reconchess does not tell, less what the server costs a turn. Each
        observed value is a lower bound, because the clock may have run in between."""
        return min(max(self._increments), _INCREMENT) if self._increments else _INCREMENT

    def _observe_increment(self, seconds_left: float | None) -> None:
        """Compares the clock at the beginning of a turn with that after our last move. The result of the
        opponent's move was processed on our clock."""
        if seconds_left is not None and self._left_after_move is not None:
            self._increments.append(seconds_left + self._observing_seconds - self._left_after_move)
        self._left_after_move, self._observing_seconds = None, 0.0

    def _choose(self, legal_moves: list[Move], seconds_left: float | None) -> Move:
        self._wait()  # after lost observations it may still ponder
        assert self._bot is not None
        clock = None if seconds_left is None else Clock(seconds_left, self._increment)
        began = time.perf_counter()
        decision = self._bot.choose(Turn(None, legal_moves, SearchLimits(clock=clock)))
        spent = time.perf_counter() - began
        if self._log.is_open:
            left = "no clock" if seconds_left is None else f"{seconds_left - spent:.1f} s left"
            action = Rbc().initial().move_text(decision.move)
            text = decision_text(action, decision, possible_boards(self._bot))
            self._log.write(f"{self._color} turn {self._turn} {text}; {spent:.2f} s, {left}")
        return decision.move

    def _observe(self, observation: Observation) -> None:
        self._wait()
        if self._bot is not None:
            bot = self._bot
            self._guarded(lambda: bot.observe(observation), lambda: None)

    def _wait(self) -> None:
        """Stops pondering and waits for its end."""
        thread, self._pondering = self._pondering, None
        self._stop_pondering.set()
        if thread is not None:
            thread.join(_PONDER_TIMEOUT)

    def _close(self) -> None:
        self._wait()
        bot, self._bot = self._bot, None
        if bot is not None:
            self._guarded(bot.close, lambda: None)

    def _guarded(self, act: Callable[[], _T], otherwise: Callable[[], _T]) -> _T:
        """The result of `act`; if it fails, that of `otherwise`, with a line on stderr."""
        try:
            return act()
        except Exception as error:
            self.failures.append(f"{type(error).__name__}: {error}")
            print(f"sparring: {self.failures[-1]}; the game goes on", file=sys.stderr)
            self._log.write(f"{self._color} turn {self._turn} {self.failures[-1]}; the game goes on")
            return otherwise()

    def _any(self, actions: list[_T]) -> _T | None:
        return actions[int(self._rng.integers(len(actions)))] if actions else None


def _seed(text: str | None) -> int | None:
    """The seed that the environment names; None for a random one. A text that is no seed is reported on
    stderr, because reconchess would end the game with an error."""
    if text is None:
        return None
    if text.isascii() and text.isdigit():
        return int(text)
    print(
        f"sparring: SPARRING_RBC_SEED is '{text}', not an integer from 0; the seed is random", file=sys.stderr
    )
    return None


def get_player() -> type[SparringBot]:
    """The class that reconchess loads."""
    return SparringBot
