"""Players: the one interface of everything that plays, and its implementations."""

from sparring.players.book import BadBook
from sparring.players.learned_player import LearnedPlayer
from sparring.players.levels import LEVELS, make_level_player
from sparring.players.loading import LOAD_ERRORS, BadPlayer, load_player, make_player
from sparring.players.player import NO_MOVE, BasePlayer, Decision, GameStart, Player, Turn
from sparring.players.player_config import DEFAULT_RATING, BadPlayerConfig, PlayerConfig, load_player_config
from sparring.players.policy_player import PolicyPlayer
from sparring.players.search_player import SearchPlayer
from sparring.players.search_players import AlphaBetaPlayer, UctPlayer
from sparring.players.time_management import TimeControl
from sparring.search.limits import Clock, SearchLimits

__all__ = [
    "DEFAULT_RATING",
    "LEVELS",
    "LOAD_ERRORS",
    "NO_MOVE",
    "AlphaBetaPlayer",
    "BadBook",
    "BadPlayer",
    "BadPlayerConfig",
    "BasePlayer",
    "Clock",
    "Decision",
    "GameStart",
    "LearnedPlayer",
    "Player",
    "PlayerConfig",
    "PolicyPlayer",
    "SearchLimits",
    "SearchPlayer",
    "TimeControl",
    "Turn",
    "UctPlayer",
    "load_player",
    "load_player_config",
    "make_level_player",
    "make_player",
]
