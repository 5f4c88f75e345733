"""Players: what sits at the board."""

from __future__ import annotations

from typing import Any

import numpy as np

from sparring.players.agent import Agent
from sparring.players.book import BadBook
from sparring.players.clock import Clock
from sparring.players.description import USUAL_RATING, BadDescription, Description, load_description
from sparring.players.expendibots import levelled
from sparring.players.player import Choice, HiddenPlayer, Player
from sparring.players.rbc.setting import BotSetting, make_bot
from sparring.players.small import AlphaBetaPlayer, PlayoutPlayer
from sparring.players.thinking import Limits, Mind, Thought, make_mind
from sparring.search.evaluations import SEARCHERS, open_evaluation

__all__ = [
    "LEVELS",
    "USUAL_RATING",
    "Agent",
    "AlphaBetaPlayer",
    "BadBook",
    "BadDescription",
    "Choice",
    "Clock",
    "Description",
    "HiddenPlayer",
    "Limits",
    "Mind",
    "Player",
    "PlayoutPlayer",
    "Thought",
    "load_description",
    "make_mind",
    "small_hidden_player",
    "small_player",
]

LEVELS = range(1, 10)
"""The small players' levels: each thinks about twice to three times as long as the one before."""


def small_player(name: str, level: int, rng: np.random.Generator) -> Player[Any]:
    """The small opponent for a game in which nothing is hidden."""
    effort = 3 ** (level - 1)
    if name == "go":
        return PlayoutPlayer(60 * effort, rng)
    if name == "expendibots":
        return levelled(150 * effort, rng, megabytes=max(1, effort // 100))
    if name in SEARCHERS:
        return Agent(open_evaluation(name), rng, nodes=150 * effort, megabytes=max(1, effort // 100))
    return AlphaBetaPlayer(150 * effort, rng)


def small_hidden_player(name: str, player: int, level: int, rng: np.random.Generator) -> HiddenPlayer[Any]:
    """The small opponent for a game with hidden information; `player` is its place in that game."""
    if name != "rbc":
        raise ValueError(f"there is no opponent for the hidden game {name}")
    depth = 1 + (level > 3) + (level > 7)
    effort = 2 ** (level - 1)
    return make_bot(
        BotSetting(
            depth=depth,
            boards=min(1_000 * effort, 100_000),
            sense_boards=4 + level,
            move_boards=4 + 5 * level,
        ),
        player,
        rng,
    )
