"""The boards that are possible for a player, through a whole game.

The tracker is told what reconchess tells a player, in its order: `opponent_moved`, `sensed`, `moved`. It
keeps *every* possible board while there are at most `limit` of them. Beyond that it keeps a sample:

- A set is too large most often between the opponent's move and the sense. Then `boards` is a uniform sample
  of it, good for choosing a sense; once the sense has answered, the successors are worked out again and those
  that contradict it never count. Nothing is lost if few enough remain.
- If more than `limit` remain even so, the tracker goes on with a uniform sample of them (`exact` is False
  from then on). Each board that it keeps is still consistent with everything observed; a later set is drawn
  evenly from the successors of the sample, not from all possible boards.
- A sample may lose the truth. When an observation contradicts all of it, the boards are worked out anew from
  the last turn whose set was complete, with all observations since and other random choices.
  `BeliefUpdate.note`
  says so.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

import chess

from sparring._core import RbcBoardSet, RbcState
from sparring.belief import repair
from sparring.belief.history import PastTurn, SensedSquares, TurnHistory
from sparring.belief.options import BeliefUpdate, Contradiction, TrackerOptions
from sparring.belief.synopsis import SynopsisContext
from sparring.games import Move
from sparring.games.rbc import PASS, MoveResult, Observation, OpponentMoveResult, SenseResult

_MIN_ATTEMPTS, _MAX_ATTEMPTS, _BOARDS_OF_ATTEMPTS = 4, 32, 4_000_000
"""How often a sample that lost the truth is drawn anew: the more often, the smaller it is."""


@dataclass(frozen=True)
class _Current:
    """The set as it is, and where in the player's turn the game stands."""

    boards: RbcBoardSet
    exact: bool
    phase: str = "opponent"
    """What comes next: `opponent`, `sense` or `move`."""
    opponent_capture: int | None = None
    seen: SensedSquares = ()
    parents: RbcBoardSet | None = None
    """The boards before the opponent's move, while `boards` is only a sample of their successors."""
    parents_exact: bool = True


@dataclass(frozen=True)
class _Origin:
    """Boards that all later ones come from: those of the start, or those that a repair made."""

    boards: RbcBoardSet
    turns: int
    """The player's turns before it."""
    exact: bool


@dataclass(frozen=True)
class _Resampled:
    boards: RbcBoardSet
    exact: bool
    turns: list[PastTurn] = field(default_factory=list)


class Tracker:
    """Follows a game of reconnaissance blind chess as `player` (0: White, 1: Black)."""

    def __init__(
        self, player: int, options: TrackerOptions | None = None, start: RbcState | None = None
    ) -> None:
        self.player = player
        self.options = options or TrackerOptions()
        self.updates: list[BeliefUpdate] = []
        """What every observation did so far."""
        self._threads = self.options.threads or os.cpu_count() or 1
        boards = RbcBoardSet.of([start or RbcState.initial()], player)
        self._current = _Current(boards, True, "sense" if boards.to_move == player else "opponent")
        self._origin = _Origin(boards, 0, True)
        self._past = TurnHistory(self.options.past_limit, self._threads)
        self._precomputed: tuple[_Current, RbcBoardSet] | None = None

    @property
    def boards(self) -> RbcBoardSet:
        """The boards that are possible, or a sample of them."""
        return self._current.boards

    @property
    def exact(self) -> bool:
        """Whether `boards` are all that are possible."""
        return self._current.exact

    @property
    def turns(self) -> int:
        """The player's turns that are over."""
        return len(self._past)

    @property
    def synopsis_context(self) -> SynopsisContext:
        """What a synopsis of `boards` takes in beside them."""
        now, last = self._current, self._past[-1] if self.turns else None
        moved = last is not None and last.taken != PASS
        return SynopsisContext(
            moving=now.phase == "move",
            last_from=last.taken >> 6 & 63 if last and moved else None,
            last_to=last.taken & 63 if last and moved else None,
            last_own_capture=last.captured if last else None,
            last_opposing_capture=now.opponent_capture,
        )

    def past(self, turn: int) -> RbcBoardSet:
        """The boards on which the player may have made its turn `turn` (0: its first), as known today.

        Complete where `past_exact` says so, and then filtered by everything observed since.
        """
        if not 0 <= turn < len(self._past):
            raise IndexError(f"turn {turn} is not one of the {len(self._past)} that are over")
        answered = self._current.phase != "opponent" and self._current.exact
        self._past.filter_by_later(
            turn, self._current.boards if answered else None, self._current.opponent_capture
        )
        return self._past[turn].boards

    def past_exact(self, turn: int) -> bool:
        """Whether `past(turn)` has all boards that were possible then."""
        return self._past[turn].exact

    @property
    def past_size(self) -> int:
        """The boards that are kept of all past turns together."""
        return sum(len(turn.boards) for turn in self._past)

    def observe(self, observation: Observation) -> BeliefUpdate | None:
        """Takes in an observation of `games.Rbc`. Raises Contradiction."""
        match observation:
            case SenseResult(pieces):
                return self.sensed(pieces)
            case MoveResult(request, taken, capture_square):
                return self.moved(request, taken, capture_square)
            case OpponentMoveResult(capture_square):
                return self.opponent_moved(capture_square)
        return None

    def precompute_successors(self) -> None:
        """Works out, while the opponent thinks, the boards that follow if it captures nothing."""
        if self._current.phase == "opponent":
            self._precomputed = (
                self._current,
                self._successors(self._current.boards, None, (), self._seed()),
            )

    def opponent_moved(self, capture_square: int | None) -> BeliefUpdate:
        """The opponent moved, and captured the player's piece on that square or none.

        Before White's first turn, when reconchess calls too, nothing has happened. Raises Contradiction.
        """
        now = self._current
        if now.phase == "sense" and self._is_first_turn() and capture_square is None:
            return self._enter(now, "opponent", now, 0)
        self._expect("opponent")
        boards = self._take_precomputed() if capture_square is None else None
        if boards is None:
            boards = self._successors(now.boards, capture_square, (), self._seed())
        what = (
            "no capture" if capture_square is None else f"the capture on {chess.square_name(capture_square)}"
        )
        try:
            after, note = self._resampled_if_empty(boards, now.exact, what, capture_square, (), None)
        except Contradiction as error:
            fitting = self._repair(
                error, lambda: repair.after_capture(now.boards, capture_square, self._seed())
            )
            return self._restart_from_repair(
                "opponent", error, _Current(fitting, False, "sense", capture_square)
            )
        sampled = boards.level > 0 and not note
        if sampled:
            note = f"about {len(boards) << boards.level:,} boards, of which a sample is kept until the sense"
        waiting = now.boards if sampled else None
        arrived = _Current(
            after.boards, after.exact, "sense", capture_square, parents=waiting, parents_exact=now.exact
        )
        return self._enter(now, "opponent", arrived, None, note, after.turns)

    def sensed(self, seen: Iterable[tuple[int, str | None]]) -> BeliefUpdate:
        """The player's sense showed these pieces; nothing if it did not sense. Raises Contradiction."""
        self._expect("sense")
        now, pieces = self._current, tuple(seen)
        if now.parents is None:
            boards, exact = now.boards.after_sense(pieces), now.exact
        else:
            boards = self._successors(now.parents, now.opponent_capture, pieces, self._seed())
            exact = now.parents_exact and boards.level == 0
        try:
            after, note = self._resampled_if_empty(
                boards, exact, "what the sense showed", now.opponent_capture, pieces, None
            )
        except Contradiction as error:
            fitting = self._repair(error, lambda: repair.after_sense(now.boards, pieces, self._seed()))
            fitting = fitting.after_sense(pieces)
            if not len(fitting):  # it shows other pieces of the player itself: nothing can make that fit
                raise
            return self._restart_from_repair(
                "sense", error, _Current(fitting, False, "move", now.opponent_capture, pieces)
            )
        if exact < now.parents_exact and not note:
            note = f"more than {self.options.limit:,} boards remain: a sample of them is followed"
        there = replace(now, boards=after.boards, exact=after.exact, phase="move", seen=pieces, parents=None)
        ruled_out = len(now.boards) - len(now.boards.after_sense(pieces)) if pieces else 0
        return self._enter(now, "sense", there, ruled_out, note, after.turns)

    def moved(self, request: Move, taken: Move | None, capture_square: int | None) -> BeliefUpdate:
        """The player asked for a move; `taken` is what it became, None (or PASS) where nothing moved.

        Raises Contradiction.
        """
        self._expect("move")
        now, result = self._current, PASS if taken is None else taken
        fitting = now.boards.before_move(request, result, capture_square)
        move = (request, result, capture_square)
        try:
            after, note = self._resampled_if_empty(
                fitting, now.exact, "what came of the move", now.opponent_capture, now.seen, move
            )
        except Contradiction as error:
            moved = self._repair(
                error, lambda: repair.after_move(now.boards, result, capture_square, self._seed())
            )
            self._past.append(
                PastTurn(now.opponent_capture, now.seen, *move, now.boards, False), self._seed()
            )
            return self._restart_from_repair("move", error, _Current(moved, False))
        there = _Current(after.boards.after_move(*move), after.exact)
        change = self._enter(now, "move", there, len(now.boards) - len(fitting), note, after.turns)
        self._past.append(
            PastTurn(now.opponent_capture, now.seen, *move, after.boards, after.exact), self._seed()
        )
        return change

    def _repair(self, error: Contradiction, mend: Callable[[], RbcBoardSet]) -> RbcBoardSet:
        """Boards that fit, if the options ask for them and the player's own pieces allow it."""
        if not self.options.repair:
            raise error
        try:
            return mend()
        except ValueError:
            raise error from None

    def _restart_from_repair(self, event: str, error: Contradiction, after: _Current) -> BeliefUpdate:
        """Goes on with repaired boards: nothing before them is certain any more."""
        self._past.mark_inexact()
        self._origin = _Origin(after.boards, self.turns, False)
        note = f"{error}; {len(after.boards):,} boards were changed to fit"
        return self._enter(self._current, event, after, None, note)

    def _enter(
        self,
        before: _Current,
        event: str,
        after: _Current,
        ruled_out: int | None,
        note: str = "",
        turns: Sequence[PastTurn] = (),
    ) -> BeliefUpdate:
        """Makes `after` the present and notes the change."""
        change = BeliefUpdate(event, len(before.boards), len(after.boards), ruled_out, after.exact, note)
        self._current = after
        self._past.replace(turns)
        self.updates.append(change)
        return change

    def _resampled_if_empty(
        self,
        boards: RbcBoardSet,
        exact: bool,
        what: str,
        opponent_capture: int | None,
        seen: SensedSquares,
        move: tuple[Move, Move, int | None] | None,
    ) -> tuple[_Resampled, str]:
        """The boards, or where none is left those of another sample; what happened. Raises Contradiction."""
        if len(boards):
            return _Resampled(boards, exact and boards.level == 0), ""
        where = f"{('White', 'Black')[self.player]}'s turn {self.turns + 1}"
        problem = f"{where}: none of the {len(self.boards):,} possible boards fits {what}"
        if self._current.exact or (self._current.parents is not None and self._current.parents_exact):
            raise Contradiction(problem)
        since = self._past.last_exact()
        attempts = min(max(_MIN_ATTEMPTS, _BOARDS_OF_ATTEMPTS // self.options.limit), _MAX_ATTEMPTS)
        for attempt in range(1, attempts + 1):
            if (resampled := self._resample(since, attempt, opponent_capture, seen, move)) is not None:
                return (
                    resampled,
                    f"{problem}; {len(resampled.boards):,} others were found from {_turn_name(since)} on",
                )
        raise Contradiction(f"{problem}, nor any other that was sought from {_turn_name(since)} on")

    def _resample(
        self,
        since: int | None,
        attempt: int,
        opponent_capture: int | None,
        seen: SensedSquares,
        move: tuple[Move, Move, int | None] | None,
    ) -> _Resampled | None:
        """All turns after `since` gone through again, with other random choices."""
        base = self._origin if since is None else _Origin(self._past[since].after(), since + 1, True)
        boards, exact, turns = base.boards, base.exact, []
        for number, turn in enumerate(self._past):
            if number < base.turns:
                continue
            boards = self._successors(boards, turn.opponent_capture, turn.seen, self._seed(number, attempt))
            exact = exact and boards.level == 0
            boards = boards.before_move(turn.request, turn.taken, turn.captured)
            if not len(boards):
                return None
            turns.append(replace(turn, boards=boards, exact=exact, filtered_by=None))
            boards = turns[-1].after()
        boards = self._successors(boards, opponent_capture, seen, self._seed(self.turns, attempt))
        exact = exact and boards.level == 0
        if move is not None:
            boards = boards.before_move(*move)
        return _Resampled(boards, exact, turns) if len(boards) else None

    def _successors(
        self, boards: RbcBoardSet, opponent_capture: int | None, seen: SensedSquares, seed: int
    ) -> RbcBoardSet:
        """The boards at the player's move: after the opponent's, if one was due, and the sense."""
        if boards.to_move == self.player:
            return boards.after_sense(seen)
        return boards.after_opponent(
            opponent_capture, seen, limit=self.options.limit, threads=self._threads, seed=seed
        )

    def _take_precomputed(self) -> RbcBoardSet | None:
        """The boards that `precompute_successors` found, if nothing has happened since."""
        anticipated, self._precomputed = self._precomputed, None
        return anticipated[1] if anticipated is not None and anticipated[0] is self._current else None

    def _seed(self, turn: int | None = None, attempt: int = 0) -> int:
        """Another number for each turn and attempt: samples of neighbouring turns must not be alike."""
        number = self.turns if turn is None else turn
        return (self.options.seed * 1_000_003 + number * 1009 + attempt) % 2**64

    def _is_first_turn(self) -> bool:
        return not self.updates and self._origin.boards.to_move == self.player

    def _expect(self, event: str) -> None:
        if self._current.phase != event:
            names = {"opponent": "the opponent's move", "sense": "a sense", "move": "a move"}
            raise ValueError(
                f"{names[event]} was told where {names[self._current.phase]} is due: the order is "
                "opponent_moved, sensed, moved"
            )


def _turn_name(turn: int | None) -> str:
    return "the start" if turn is None else f"turn {turn + 1}"
