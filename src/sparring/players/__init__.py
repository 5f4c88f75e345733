"""Players: what sits at the board."""

from __future__ import annotations

from sparring.players.book import BadBook
from sparring.players.learned_player import LearnedPlayer
from sparring.players.levels import LEVELS, make_level_player
from sparring.players.player import Decision, HiddenPlayer, Player
from sparring.players.player_config import DEFAULT_RATING, BadPlayerConfig, PlayerConfig, load_player_config
from sparring.players.search_players import AlphaBetaPlayer, UctPlayer
from sparring.players.thinking import Mind, SearchLimits, Thought, make_player
from sparring.players.time_management import Clock

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
    "make_level_player",
    "make_player",
]
