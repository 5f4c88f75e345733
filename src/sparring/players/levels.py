"""The small opponents of levels 1 to 9: no network, more search a level."""

from __future__ import annotations

from typing import Any

import numpy as np

from sparring.games import describe, resolve
from sparring.players.learned_player import LearnedPlayer
from sparring.players.search_players import AlphaBetaPlayer, UctPlayer
from sparring.search.linear_evaluation import open_evaluation

LEVELS = range(1, 10)
"""The levels. Each searches two to three times as long as the one before."""


def make_level_player(game: str, level: int, rng: np.random.Generator, player: int = 0) -> Any:
    """The opponent of a level, by the game's description.

    `player` is the side it plays, 0 or 1; only games with hidden information need it. Raises ValueError for
    an unknown game.
    """
    return resolve(describe(game).players.level_player)(game, level, rng, player)


def alphabeta_player(game: str, level: int, rng: np.random.Generator, player: int = 0) -> AlphaBetaPlayer:
    """Alpha-beta over material."""
    return AlphaBetaPlayer(150 * _effort(level), rng)


def uct_player(game: str, level: int, rng: np.random.Generator, player: int = 0) -> UctPlayer:
    """UCT with random playouts."""
    return UctPlayer(60 * _effort(level), rng)


def learned_player(game: str, level: int, rng: np.random.Generator, player: int = 0) -> LearnedPlayer:
    """Alpha-beta with the shipped linear evaluation."""
    effort = _effort(level)
    return LearnedPlayer(open_evaluation(game), rng, nodes=150 * effort, megabytes=max(1, effort // 100))


def _effort(level: int) -> int:
    """Search effort relative to level 1."""
    return int(3 ** (level - 1))
