"""Games of reconchess whose server lies about senses, moves and captures."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Any
from unittest import mock

import chess
from reconchess import LocalGame, Player, play_local_game
from reconchess.bots.random_bot import RandomBot

from sparring.rbc.reconchess import SparringBot
from tests.robustness.trials import surface

_BOTS = ("random", "attacker", "guesser", "cautious", "inference-1")


class Liar(Player):  # type: ignore[misc]  # reconchess has no types
    """Our bot behind a server that lies now and then. Its requests must be legal all the same."""

    def __init__(self, bot: SparringBot, rng: random.Random) -> None:
        self._bot, self._rng = bot, rng

    def _lies(self) -> bool:
        return self._rng.random() < 0.2

    def handle_game_start(self, color: bool, board: chess.Board, opponent_name: str) -> None:
        self._bot.handle_game_start(color, board, "\x1b[31m" if self._lies() else opponent_name)

    def handle_opponent_move_result(self, captured_my_piece: bool, capture_square: int | None) -> None:
        if self._lies():
            captured_my_piece, capture_square = True, self._rng.randrange(64)
        if not self._lies():
            self._bot.handle_opponent_move_result(captured_my_piece, capture_square)

    def choose_sense(
        self, sense_actions: list[int], move_actions: list[chess.Move], seconds_left: float
    ) -> Any:
        chosen = self._bot.choose_sense(sense_actions, move_actions, -1.0 if self._lies() else seconds_left)
        assert chosen is None or chosen in sense_actions, chosen
        return chosen

    def handle_sense_result(self, sense_result: list[tuple[int, Any]]) -> None:
        if self._lies():
            pieces = [None, *(chess.Piece(kind, side) for kind in range(1, 7) for side in (True, False))]
            sense_result = [(square, self._rng.choice(pieces)) for square, _ in sense_result]
        self._bot.handle_sense_result(sense_result)

    def choose_move(self, move_actions: list[chess.Move], seconds_left: float) -> Any:
        chosen = self._bot.choose_move(move_actions, float("nan") if self._lies() else seconds_left)
        assert chosen is None or chosen in move_actions, chosen
        return chosen

    def handle_move_result(
        self, requested: Any, taken: Any, captured_opponent_piece: bool, capture_square: int | None
    ) -> None:
        if self._lies():
            taken = self._rng.choice([None, chess.Move(self._rng.randrange(64), self._rng.randrange(64))])
            captured_opponent_piece, capture_square = True, self._rng.randrange(64)
        self._bot.handle_move_result(requested, taken, captured_opponent_piece, capture_square)

    def handle_game_end(self, winner_color: Any, win_reason: Any, game_history: Any) -> None:
        self._bot.handle_game_end(winner_color, win_reason, game_history)


@surface("reconchess", trials=25, few=1)
def reconchess(rng: random.Random, folder: Path) -> None:
    """The bot plays on, with moves that it may request."""
    settings = {"SPARRING_RBC_BOT": rng.choice(_BOTS), "SPARRING_RBC_SEED": str(rng.randrange(99))}
    random.seed(rng.random())
    with mock.patch.dict(os.environ, settings):
        pair = [Liar(SparringBot(), rng), RandomBot()]
        rng.shuffle(pair)
        play_local_game(*pair, game=LocalGame(seconds_per_player=60, full_turn_limit=12))
