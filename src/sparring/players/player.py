"""The players' interface: one for games of perfect and of hidden information.

A front end (terminal, arena, UCI, USI, GTP, reconchess, a referee) drives a player in this order:

    player.new_game(start)
    player.observe(...), player.choose(turn), player.ponder(), ...
    player.end_game(score)
    player.close()

A player plays any number of games, one after the other. With the same `GameStart.seed` and the same turns it
makes the same decisions, as long as nodes or depth limit it rather than time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import Event
from types import TracebackType
from typing import Any, Self, TypeAlias

import numpy as np

from sparring.base.clock import TimeControl
from sparring.games import Game, Move
from sparring.networks import Prediction
from sparring.search import SearchLimits, SearchResult

_NO_LIMITS = SearchLimits()

RandomSeed: TypeAlias = int | Sequence[int] | np.random.Generator | None
"""An argument of `numpy.random.default_rng`; None is a different game each time."""

NO_MOVE: Move = -1
"""`Decision.move` of a program that resigns without naming a move."""


@dataclass(frozen=True)
class GameStart:
    """The facts of a new game: an argument of `Player.new_game`."""

    game: Game[Any]
    """The rules, with their options."""
    player: int | None = None
    """The side that the player has, 0 or 1; None if it may get turns of either side, as engines do."""
    state: Any = None
    """The state in which the players take over; None in hidden games, which start in the initial state."""
    seed: RandomSeed = None
    opponent: str = ""
    """Name of the opponent, if known."""
    time_control: TimeControl | None = None


@dataclass(frozen=True)
class Turn:
    """A request for a move: an argument of `Player.choose`."""

    state: Any
    """The state, whose game is not over; None in hidden games."""
    legal_moves: Sequence[Move]
    """The legal moves; in hidden games the moves that may be requested."""
    limits: SearchLimits = _NO_LIMITS
    """Limits of this move. Without any, the player's own limits apply."""
    stop: Event | None = None
    """Ends the search when it is set. The player then decides by its results so far."""
    report: Callable[[SearchResult], None] | None = None
    """Receives intermediate results of a search."""
    report_seconds: float = 1.0
    """Time between two reports."""

    @classmethod
    def of(cls, state: Any, limits: SearchLimits = _NO_LIMITS, stop: Event | None = None) -> Turn:
        """The turn of a native state, with its legal moves."""
        return cls(state, state.legal_moves(), limits, stop)


@dataclass(frozen=True)
class Decision:
    """The result of `Player.choose`."""

    move: Move
    """A legal move. It is not played if `resign` is set, and may then be NO_MOVE."""
    distribution: Mapping[Move, float] = field(default_factory=dict)
    """Probabilities that the move was drawn from; they add up to 1. Empty if unknown."""
    reason: str = ""
    """A short explanation for the opponent, such as `from the book (40%)`."""
    value: float | None = None
    """Expected result for the player to move: 1 is a win, 0 a draw, -1 a loss. None if unknown."""
    centipawns: int | None = None
    """Score of an external program in centipawns for itself; None if it reports none."""
    resign: bool = False
    offer_draw: bool = False
    """Offers a draw together with the move."""
    seconds: float | None = None
    """Time that the player counts for this decision; None if it did not measure. It is longer than the choice
    took if the player thinks as long as a person. A front end with a real clock then waits (`wait_out`)."""
    search: SearchResult | None = None
    """Result of the search; None if the player did not search, or searched without PUCT."""
    prediction: Prediction | None = None
    """The policy's prediction for the state; None for players without a policy."""


class Player:
    """Anything that plays. There are defaults for everything but `choose`.

    `self._rng` is the random generator of the current game.
    """

    def __init__(self, name: str = "", seed: RandomSeed = None) -> None:
        self._name = name or type(self).__name__
        self._rng = np.random.default_rng(seed)

    @property
    def name(self) -> str:
        """Name for tables and messages."""
        return self._name

    @name.setter
    def name(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"

    def new_game(self, start: GameStart) -> None:
        """Begins a game: clears the state of the last game and seeds the random generator.

        Players of hidden games need it before their first turn; players of open games work without it.
        Raises the exceptions of players that cannot start, such as EngineFailure.
        """
        self._rng = np.random.default_rng(start.seed)

    def observe(self, observation: Any) -> None:
        """Receives an event of the game, in order.

        In hidden games: the observations of this player, of its own moves and of the opponent's. In open
        games: each move that was played, by either side. Players of open games may ignore it, because
        `Turn.state` has the whole history.
        """

    def choose(self, turn: Turn) -> Decision:
        """Decides on a move, a draw offer or resignation."""
        raise NotImplementedError

    def hint(self, turn: Turn) -> Decision:
        """The likeliest move of `choose`, for either side. It has no effect on the game: the next decisions
        are the same as without it.

        `choose` draws from a spare generator meanwhile. A player with more state than its generator must put
        that aside as well.
        """
        game_rng, self._rng = self._rng, np.random.default_rng(0)
        try:
            decision = self.choose(turn)
        finally:
            self._rng = game_rng
        chances = decision.distribution
        return replace(decision, move=max(chances, key=chances.__getitem__)) if chances else decision

    def accepts_draw(self, state: Any) -> bool:
        """Whether it accepts a draw that the opponent offers; by default it does not."""
        return False

    def ponder(self, stop: Event | None = None) -> None:
        """Prepares for the next turn on the opponent's time, at most until `stop` is set. No other method is
        called meanwhile."""

    def end_game(self, score: float | None) -> None:
        """The game is over. `score` is the player's: 1, 0.5 or 0; None if the game was abandoned."""

    @property
    def memory_bytes(self) -> int:
        """About how much memory the player holds now: its search, and what it knows of a hidden game. Read
        also while it computes in another thread."""
        return 0

    @property
    def search_bytes(self) -> int:
        """About how much memory a search for one move takes at most; 0 if it is little or unknown."""
        return 0

    def close(self) -> None:
        """Releases networks, threads and processes. May be called twice."""

    def __enter__(self) -> Self:
        """The player itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Closes the player."""
        self.close()
