"""The games: their protocol, their descriptions, and the registry that finds them. No game is named here.

`docs/add-a-game.md` says how to add one.
"""

from typing import TYPE_CHECKING

from sparring.base.lazy import attach

if TYPE_CHECKING:
    from sparring.games.description import GAMES as GAMES
    from sparring.games.description import EngineProtocol as EngineProtocol
    from sparring.games.description import GameDescription as GameDescription
    from sparring.games.description import NetworkLayout as NetworkLayout
    from sparring.games.description import describe as describe
    from sparring.games.description import describe_state as describe_state
    from sparring.games.description import game_of as game_of
    from sparring.games.description import load_game as load_game
    from sparring.games.description import move_name as move_name
    from sparring.games.description import protocol_games as protocol_games
    from sparring.games.game import Game as Game
    from sparring.games.game import HiddenGame as HiddenGame
    from sparring.games.game import IllegalMove as IllegalMove
    from sparring.games.game import Move as Move
    from sparring.games.game import Outcome as Outcome
    from sparring.games.game import ParseError as ParseError
    from sparring.games.game import Spec as Spec
    from sparring.games.ratings import RatingSystem as RatingSystem

__getattr__, __dir__, __all__ = attach(__name__)
