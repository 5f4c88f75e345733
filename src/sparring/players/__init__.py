"""Players: what sits at the board."""

from __future__ import annotations

from typing import Any

import numpy as np

from sparring.players.book import BadBook
from sparring.players.expendibots import make_level_agent
from sparring.players.learned_player import LearnedPlayer
from sparring.players.player import Decision, HiddenPlayer, Player
from sparring.players.player_config import DEFAULT_RATING, BadPlayerConfig, PlayerConfig, load_player_config
from sparring.players.rbc.config import BotConfig, make_bot
from sparring.players.search_players import AlphaBetaPlayer, UctPlayer
from sparring.players.thinking import Mind, SearchLimits, Thought, make_player
from sparring.players.time_management import Clock
from sparring.search.linear_evaluation import SEARCHERS, open_evaluation

__all__ = [
    "DEFAULT_RATING",
    "LEVELS",
    "AlphaBetaPlayer",
    "BadBook",
    "BadPlayerConfig",
    "Clock",
    "Decision",
    "HiddenPlayer",
    "LearnedPlayer",
    "Mind",
    "Player",
    "PlayerConfig",
    "SearchLimits",
    "Thought",
    "UctPlayer",
    "load_player_config",
    "make_level_bot",
    "make_level_player",
    "make_player",
]

LEVELS = range(1, 10)
"""The small players' levels: each thinks about twice to three times as long as the one before."""


def make_level_player(name: str, level: int, rng: np.random.Generator) -> Player[Any]:
    """The small opponent for a game in which nothing is hidden."""
    effort = 3 ** (level - 1)
    if name == "go":
        return UctPlayer(60 * effort, rng)
    if name == "expendibots":
        return make_level_agent(150 * effort, rng, megabytes=max(1, effort // 100))
    if name in SEARCHERS:
        return LearnedPlayer(open_evaluation(name), rng, nodes=150 * effort, megabytes=max(1, effort // 100))
    return AlphaBetaPlayer(150 * effort, rng)


def make_level_bot(name: str, player: int, level: int, rng: np.random.Generator) -> HiddenPlayer[Any]:
    """The small opponent for a game with hidden information; `player` is its place in that game."""
    if name != "rbc":
        raise ValueError(f"there is no opponent for the hidden game {name}")
    depth = 1 + (level > 3) + (level > 7)
    effort = 2 ** (level - 1)
    return make_bot(
        BotConfig(
            depth=depth,
            boards=min(1_000 * effort, 100_000),
            sense_boards=4 + level,
            move_boards=4 + 5 * level,
        ),
        player,
        rng,
    )
