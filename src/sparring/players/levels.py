"""The small opponents of levels 1 to 9. They need no network of people's moves."""

from __future__ import annotations

from sparring.games import describe, resolve
from sparring.players.alphabeta_player import AlphaBetaPlayer
from sparring.players.learned_player import LearnedPlayer
from sparring.players.player import Player
from sparring.players.uct_player import UctPlayer
from sparring.search.limits import SearchLimits
from sparring.search.linear_evaluation import open_evaluation

LEVELS = range(1, 10)
"""The levels. Each searches two to three times as long as the one before."""


def make_level_player(game: str, level: int) -> Player:
    """Makes the opponent of a level from 1 to 9, as the game's description defines it. Raises ValueError for
    an unknown game."""
    player: Player = resolve(describe(game).players.level_player)(game, level)
    return player


def alphabeta_player(game: str, level: int) -> AlphaBetaPlayer:
    """Makes the alpha-beta player of a level: material evaluation, 150 nodes at level 1."""
    return AlphaBetaPlayer(150 * effort(level))


def uct_player(game: str, level: int) -> UctPlayer:
    """Makes the UCT player of a level: random playouts, 60 at level 1."""
    return UctPlayer(60 * effort(level))


def learned_player(game: str, level: int) -> LearnedPlayer:
    """Makes the alpha-beta player of a level with the shipped linear evaluation: 150 nodes at level 1."""
    nodes, megabytes = 150 * effort(level), max(1, effort(level) // 100)
    return LearnedPlayer(open_evaluation(game), SearchLimits(nodes=nodes), megabytes=megabytes)


def effort(level: int) -> int:
    """Search effort relative to level 1: a factor of 3 per level."""
    return int(3 ** (level - 1))
