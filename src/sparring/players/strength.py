"""The small search players of strengths 1 to 9. They need no network of people's moves."""

from __future__ import annotations

from sparring.games import describe, resolve
from sparring.players.alphabeta_player import AlphaBetaPlayer
from sparring.players.learned_player import LearnedPlayer
from sparring.players.player import Player
from sparring.players.uct_player import UctPlayer
from sparring.search.limits import SearchLimits
from sparring.search.linear_evaluation import open_evaluation

STRENGTHS = range(1, 10)
"""The strengths. Each searches three times as long as the one before."""


def make_strength_player(game: str, strength: int) -> Player:
    """Makes the small search player of a strength from 1 to 9, as the game's description defines it. Raises
    ValueError for an unknown game."""
    player: Player = resolve(describe(game).players.strength_player)(game, strength)
    return player


def alphabeta_player(game: str, strength: int) -> AlphaBetaPlayer:
    """Makes an alpha-beta player: material evaluation, 150 nodes at strength 1."""
    return AlphaBetaPlayer(150 * effort(strength))


def uct_player(game: str, strength: int) -> UctPlayer:
    """Makes a UCT player: random playouts, 60 at strength 1."""
    return UctPlayer(60 * effort(strength))


def learned_player(game: str, strength: int) -> LearnedPlayer:
    """Makes an alpha-beta player with the shipped linear evaluation: 150 nodes at strength 1."""
    nodes, megabytes = 150 * effort(strength), max(1, effort(strength) // 100)
    return LearnedPlayer(open_evaluation(game), SearchLimits(nodes=nodes), megabytes=megabytes)


def effort(strength: int) -> int:
    """Search effort relative to strength 1: a factor of 3 per step."""
    return int(3 ** (strength - 1))
