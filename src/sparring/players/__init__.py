"""Players: the one interface of everything that plays, and its implementations."""

from typing import TYPE_CHECKING

from sparring.base.lazy import attach

if TYPE_CHECKING:
    from sparring.base.clock import Clock as Clock
    from sparring.base.clock import TimeControl as TimeControl
    from sparring.players.adaptive import AdaptivePlayer as AdaptivePlayer
    from sparring.players.loading import LOAD_ERRORS as LOAD_ERRORS
    from sparring.players.loading import load_player_file as load_player_file
    from sparring.players.loading import open_player as open_player
    from sparring.players.player import NO_MOVE as NO_MOVE
    from sparring.players.player import Decision as Decision
    from sparring.players.player import GameStart as GameStart
    from sparring.players.player import Player as Player
    from sparring.players.player import Turn as Turn
    from sparring.players.player_config import DEFAULT_RATING as DEFAULT_RATING
    from sparring.players.player_config import LevelTable as LevelTable
    from sparring.players.player_config import PlayerConfig as PlayerConfig
    from sparring.players.player_config import default_player_config as default_player_config
    from sparring.players.player_config import load_player_config as load_player_config
    from sparring.players.player_config import read_level_table as read_level_table
    from sparring.players.player_config import shipped_levels as shipped_levels
    from sparring.players.policy_player import PolicyPlayer as PolicyPlayer
    from sparring.players.policy_player import SearchPlayer as SearchPlayer
    from sparring.players.policy_player import make_player as make_player
    from sparring.players.small_players import STRENGTHS as STRENGTHS
    from sparring.players.small_players import LearnedPlayer as LearnedPlayer
    from sparring.players.small_players import RandomPlayer as RandomPlayer
    from sparring.players.small_players import make_strength_player as make_strength_player
    from sparring.search.limits import SearchLimits as SearchLimits

__getattr__, __dir__, __all__ = attach(__name__)
