"""A game in progress, its result, who plays it, and matches. Every front end drives these."""

from typing import TYPE_CHECKING

from sparring.base.lazy import attach

if TYPE_CHECKING:
    from sparring.play.game import LiveGame as LiveGame
    from sparring.play.game import NotAllowed as NotAllowed
    from sparring.play.game import PendingTurn as PendingTurn
    from sparring.play.game import PlayedMove as PlayedMove
    from sparring.play.match import play_game as play_game
    from sparring.play.match import play_out as play_out
    from sparring.play.match import play_together as play_together
    from sparring.play.result import UNFINISHED as UNFINISHED
    from sparring.play.result import GameResult as GameResult
    from sparring.play.result import PlayedRecord as PlayedRecord

__getattr__, __dir__, __all__ = attach(__name__)
