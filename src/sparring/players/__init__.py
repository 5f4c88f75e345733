"""Players: the one interface of everything that plays, and its implementations."""

from typing import TYPE_CHECKING

from sparring._lazy import attach

if TYPE_CHECKING:
    from sparring.players.adaptive import AdaptivePlayer as AdaptivePlayer
    from sparring.players.alphabeta_player import AlphaBetaPlayer as AlphaBetaPlayer
    from sparring.players.book import BadBook as BadBook
    from sparring.players.learned_player import LearnedPlayer as LearnedPlayer
    from sparring.players.levels import LevelTable as LevelTable
    from sparring.players.levels import read_level_table as read_level_table
    from sparring.players.levels import shipped_levels as shipped_levels
    from sparring.players.loading import LOAD_ERRORS as LOAD_ERRORS
    from sparring.players.loading import BadPlayer as BadPlayer
    from sparring.players.loading import load_player as load_player
    from sparring.players.loading import make_player as make_player
    from sparring.players.loading import open_player as open_player
    from sparring.players.player import NO_MOVE as NO_MOVE
    from sparring.players.player import BasePlayer as BasePlayer
    from sparring.players.player import Decision as Decision
    from sparring.players.player import GameStart as GameStart
    from sparring.players.player import Player as Player
    from sparring.players.player import Turn as Turn
    from sparring.players.player_config import DEFAULT_RATING as DEFAULT_RATING
    from sparring.players.player_config import BadPlayerConfig as BadPlayerConfig
    from sparring.players.player_config import PlayerConfig as PlayerConfig
    from sparring.players.player_config import default_player_config as default_player_config
    from sparring.players.player_file import load_player_config as load_player_config
    from sparring.players.policy_player import PolicyPlayer as PolicyPlayer
    from sparring.players.random_player import RandomPlayer as RandomPlayer
    from sparring.players.search_player import SearchPlayer as SearchPlayer
    from sparring.players.strength import STRENGTHS as STRENGTHS
    from sparring.players.strength import make_strength_player as make_strength_player
    from sparring.players.time_management import TimeControl as TimeControl
    from sparring.players.uct_player import UctPlayer as UctPlayer
    from sparring.search.limits import Clock as Clock
    from sparring.search.limits import SearchLimits as SearchLimits

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "adaptive": ("AdaptivePlayer",),
        "book": ("BadBook",),
        "learned_player": ("LearnedPlayer",),
        "levels": ("LevelTable", "read_level_table", "shipped_levels"),
        "strength": ("STRENGTHS", "make_strength_player"),
        "loading": ("BadPlayer", "LOAD_ERRORS", "load_player", "make_player", "open_player"),
        "player": ("BasePlayer", "Decision", "GameStart", "NO_MOVE", "Player", "Turn"),
        "player_config": (
            "BadPlayerConfig",
            "DEFAULT_RATING",
            "PlayerConfig",
            "default_player_config",
        ),
        "player_file": ("load_player_config",),
        "policy_player": ("PolicyPlayer",),
        "random_player": ("RandomPlayer",),
        "search_player": ("SearchPlayer",),
        "alphabeta_player": ("AlphaBetaPlayer",),
        "uct_player": ("UctPlayer",),
        "time_management": ("TimeControl",),
        "sparring.search.limits": ("Clock", "SearchLimits"),
    },
)
