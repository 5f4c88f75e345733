"""The sets of boards that a `Tracker` keeps, and the observations of a turn that they follow from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sparring._core import RbcBoardSet
from sparring.games import Move

SensedSquares = tuple[tuple[int, str | None], ...]
"""Result of a sense: squares (0 is a1, 63 is h8) and FEN letters, None for an empty square."""
OwnMove = tuple[Move, Move, int | None]
"""Result of a move: the request, the move taken (or PASS), and the capture square."""


@dataclass(frozen=True)
class BeliefUpdate:
    """Effect of an observation on the set of possible boards."""

    event: str
    """`opponent`, `sense` or `move`."""
    before: int
    """Boards before the observation."""
    after: int
    """Boards after it."""
    ruled_out: int | None
    """Boards that contradicted the observation; None after an opponent's move and after a repair."""
    exact: bool
    """True if the set is complete."""
    note: str = ""
    """Sampling, resampling or repair, if any."""


@dataclass(frozen=True)
class TurnObservations:
    """Observations of one turn of the player, as far as it has come."""

    opponent_capture: int | None = None
    """Square on which the opponent captured before the turn."""
    sensed: SensedSquares = ()
    move: OwnMove | None = None


@dataclass
class PastTurn:
    """A finished turn of the player."""

    observed: TurnObservations
    boards: RbcBoardSet
    """Boards on which the player may have sensed and moved."""
    exact: bool
    """True if `boards` is complete."""
    filtered_by: RbcBoardSet | None = None
    """The following turn's set that `boards` was last filtered by."""

    @property
    def move(self) -> OwnMove:
        """The player's move."""
        assert self.observed.move is not None
        return self.observed.move

    def boards_after(self) -> RbcBoardSet:
        """Returns the boards after the player's move."""
        return self.boards.after_move(*self.move)


@dataclass(frozen=True)
class CurrentSet:
    """The current set and the phase of the turn."""

    boards: RbcBoardSet
    exact: bool
    phase: str = "opponent"
    """The next observation: `opponent`, `sense` or `move`."""
    observed: TurnObservations = TurnObservations()
    parents: RbcBoardSet | None = None
    """The boards before the opponent's move, while `boards` is a sample of their successors."""
    parents_exact: bool = True


@dataclass(frozen=True)
class OriginSet:
    """A set that later sets can be derived from: the start, a complete set, or repaired boards."""

    boards: RbcBoardSet
    turns: int
    """The player's turns before it."""
    exact: bool


@dataclass(frozen=True)
class ResampledSet:
    """The current set of another sample, and the turns that lead to it."""

    boards: RbcBoardSet
    exact: bool
    turns: Sequence[PastTurn] = field(default_factory=tuple)
    """Turns that replace the last ones of the past."""
