"""Sparring: human-like opponents and the tools to build them. `docs/api.md` describes the names here.

Nothing is imported before a name is used. Importing this package switches off the telemetry of the libraries
that it uses.
"""

from typing import TYPE_CHECKING

from sparring.base.lazy import attach
from sparring.base.telemetry import disable_telemetry

if TYPE_CHECKING:
    from sparring._version import __version__ as __version__
    from sparring.base.clock import Clock as Clock
    from sparring.base.clock import TimeControl as TimeControl
    from sparring.base.errors import BadConfig as BadConfig
    from sparring.base.errors import BadFile as BadFile
    from sparring.base.errors import CannotWrite as CannotWrite
    from sparring.base.errors import MissingExtra as MissingExtra
    from sparring.base.errors import NotFound as NotFound
    from sparring.base.errors import SparringError as SparringError
    from sparring.chess.problem_finder import find_problems as find_problems
    from sparring.chess.puzzle_rating import PuzzleRating as PuzzleRating
    from sparring.chess.puzzle_rating import rate_puzzle as rate_puzzle
    from sparring.games import IllegalMove as IllegalMove
    from sparring.games import ParseError as ParseError
    from sparring.games import load_game as load_game
    from sparring.games.game import Game as Game
    from sparring.games.game import Move as Move
    from sparring.games.game import Outcome as Outcome
    from sparring.games.game import Position as Position
    from sparring.games.states import State as State
    from sparring.go.problem_rating import GoProblemRating as GoProblemRating
    from sparring.go.problem_rating import rate_go_problem as rate_go_problem
    from sparring.measure.expectation import safer_moves as safer_moves
    from sparring.measure.review import Review as Review
    from sparring.measure.review import review as review
    from sparring.networks.codec import Prediction as Prediction
    from sparring.networks.store import load_network as load_network
    from sparring.play.match import play_game as play_game
    from sparring.play.opponent import load_player as load_player
    from sparring.play.result import GameResult as GameResult
    from sparring.players.engines import EngineFailure as EngineFailure
    from sparring.players.player import Decision as Decision
    from sparring.players.player import GameStart as GameStart
    from sparring.players.player import Player as Player
    from sparring.players.player import Turn as Turn
    from sparring.policies.loading import load_policy as load_policy
    from sparring.policies.policy import Policy as Policy
    from sparring.records.readers import open_records as open_records
    from sparring.search.limits import SearchLimits as SearchLimits

disable_telemetry()

__getattr__, __dir__, __all__ = attach(__name__)
