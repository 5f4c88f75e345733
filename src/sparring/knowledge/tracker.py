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
  the last turn whose set was complete, with all observations since and other random choices. `Change.note`
  says so.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

import chess

from sparring._core import RbcBoards, RbcState
from sparring.games import Move
from sparring.games.rbc import PASS, Moved, Observation, OpponentMoved, Sensed
from sparring.knowledge import repair
from sparring.knowledge.changes import Change, Contradiction, TrackerOptions
from sparring.knowledge.synopsis import Recollection
from sparring.knowledge.turns import Past, Seen, Turn

_FEWEST_ATTEMPTS, _MOST_ATTEMPTS, _BOARDS_OF_ATTEMPTS = 4, 32, 4_000_000
"""How often a sample that lost the truth is drawn anew: the more often, the smaller it is."""


@dataclass(frozen=True)
class _Now:
    """The set as it is, and where in the player's turn the game stands."""

    boards: RbcBoards
    exact: bool
    phase: str = "opponent"
    """What comes next: `opponent`, `sense` or `move`."""
    lost: int | None = None
    seen: Seen = ()
    parents: RbcBoards | None = None
    """The boards before the opponent's move, while `boards` is only a sample of their successors."""
    parents_exact: bool = True


@dataclass(frozen=True)
class _Base:
    """Boards that all later ones come from: those of the start, or those that a repair made."""

    boards: RbcBoards
    turns: int
    """The player's turns before it."""
    exact: bool


@dataclass(frozen=True)
class _Rebuilt:
    boards: RbcBoards
    exact: bool
    turns: list[Turn] = field(default_factory=list)


class Tracker:
    """Follows a game of reconnaissance blind chess as `player` (0: White, 1: Black)."""

    def __init__(
        self, player: int, options: TrackerOptions | None = None, start: RbcState | None = None
    ) -> None:
        self.player = player
        self.options = options or TrackerOptions()
        self.changes: list[Change] = []
        """What every observation did so far."""
        self._threads = self.options.threads or os.cpu_count() or 1
        boards = RbcBoards.of([start or RbcState.initial()], player)
        self._now = _Now(boards, True, "sense" if boards.to_move == player else "opponent")
        self._base = _Base(boards, 0, True)
        self._past = Past(self.options.past_limit, self._threads)
        self._anticipated: tuple[_Now, RbcBoards] | None = None

    @property
    def boards(self) -> RbcBoards:
        """The boards that are possible, or a sample of them."""
        return self._now.boards

    @property
    def exact(self) -> bool:
        """Whether `boards` are all that are possible."""
        return self._now.exact

    @property
    def turns(self) -> int:
        """The player's turns that are over."""
        return len(self._past)

    @property
    def recollection(self) -> Recollection:
        """What a synopsis of `boards` takes in beside them."""
        now, last = self._now, self._past[-1] if self.turns else None
        moved = last is not None and last.taken != PASS
        return Recollection(
            moving=now.phase == "move",
            last_from=last.taken >> 6 & 63 if last and moved else None,
            last_to=last.taken & 63 if last and moved else None,
            last_own_capture=last.captured if last else None,
            last_opposing_capture=now.lost,
        )

    def past(self, turn: int) -> RbcBoards:
        """The boards on which the player may have made its turn `turn` (0: its first), as known today.

        Complete where `past_exact` says so, and then filtered by everything observed since.
        """
        if not 0 <= turn < len(self._past):
            raise IndexError(f"turn {turn} is not one of the {len(self._past)} that are over")
        answered = self._now.phase != "opponent" and self._now.exact
        self._past.narrow(turn, self._now.boards if answered else None, self._now.lost)
        return self._past[turn].boards

    def past_exact(self, turn: int) -> bool:
        """Whether `past(turn)` has all boards that were possible then."""
        return self._past[turn].exact

    @property
    def past_size(self) -> int:
        """The boards that are kept of all past turns together."""
        return sum(len(turn.boards) for turn in self._past)

    def observe(self, observation: Observation) -> Change | None:
        """Takes in an observation of `games.Rbc`. Raises Contradiction."""
        match observation:
            case Sensed(pieces):
                return self.sensed(pieces)
            case Moved(request, taken, capture_square):
                return self.moved(request, taken, capture_square)
            case OpponentMoved(capture_square):
                return self.opponent_moved(capture_square)
        return None

    def anticipate(self) -> None:
        """Works out, while the opponent thinks, the boards that follow if it captures nothing."""
        if self._now.phase == "opponent":
            self._anticipated = (self._now, self._successors(self._now.boards, None, (), self._salt()))

    def opponent_moved(self, capture_square: int | None) -> Change:
        """The opponent moved, and captured the player's piece on that square or none.

        Before White's first turn, when reconchess calls too, nothing has happened. Raises Contradiction.
        """
        now = self._now
        if now.phase == "sense" and self._is_first_turn() and capture_square is None:
            return self._enter(now, "opponent", now, 0)
        self._expect("opponent")
        boards = self._take_anticipated() if capture_square is None else None
        if boards is None:
            boards = self._successors(now.boards, capture_square, (), self._salt())
        what = (
            "no capture" if capture_square is None else f"the capture on {chess.square_name(capture_square)}"
        )
        try:
            after, note = self._or_rebuilt(boards, now.exact, what, capture_square, (), None)
        except Contradiction as error:
            fitting = self._repair(
                error, lambda: repair.after_capture(now.boards, capture_square, self._salt())
            )
            return self._start_anew("opponent", error, _Now(fitting, False, "sense", capture_square))
        sampled = boards.level > 0 and not note
        if sampled:
            note = f"about {len(boards) << boards.level:,} boards, of which a sample is kept until the sense"
        waiting = now.boards if sampled else None
        arrived = _Now(
            after.boards, after.exact, "sense", capture_square, parents=waiting, parents_exact=now.exact
        )
        return self._enter(now, "opponent", arrived, None, note, after.turns)

    def sensed(self, seen: Iterable[tuple[int, str | None]]) -> Change:
        """The player's sense showed these pieces; nothing if it did not sense. Raises Contradiction."""
        self._expect("sense")
        now, pieces = self._now, tuple(seen)
        if now.parents is None:
            boards, exact = now.boards.after_sense(pieces), now.exact
        else:
            boards = self._successors(now.parents, now.lost, pieces, self._salt())
            exact = now.parents_exact and boards.level == 0
        try:
            after, note = self._or_rebuilt(boards, exact, "what the sense showed", now.lost, pieces, None)
        except Contradiction as error:
            fitting = self._repair(error, lambda: repair.after_sense(now.boards, pieces, self._salt()))
            fitting = fitting.after_sense(pieces)
            if not len(fitting):  # it shows other pieces of the player itself: nothing can make that fit
                raise
            return self._start_anew("sense", error, _Now(fitting, False, "move", now.lost, pieces))
        if exact < now.parents_exact and not note:
            note = f"more than {self.options.limit:,} boards remain: a sample of them is followed"
        there = replace(now, boards=after.boards, exact=after.exact, phase="move", seen=pieces, parents=None)
        ruled_out = len(now.boards) - len(now.boards.after_sense(pieces)) if pieces else 0
        return self._enter(now, "sense", there, ruled_out, note, after.turns)

    def moved(self, request: Move, taken: Move | None, capture_square: int | None) -> Change:
        """The player asked for a move; `taken` is what it became, None (or PASS) where nothing moved.

        Raises Contradiction.
        """
        self._expect("move")
        now, result = self._now, PASS if taken is None else taken
        fitting = now.boards.before_move(request, result, capture_square)
        move = (request, result, capture_square)
        try:
            after, note = self._or_rebuilt(
                fitting, now.exact, "what came of the move", now.lost, now.seen, move
            )
        except Contradiction as error:
            moved = self._repair(
                error, lambda: repair.after_move(now.boards, result, capture_square, self._salt())
            )
            self._past.append(Turn(now.lost, now.seen, *move, now.boards, False), self._salt())
            return self._start_anew("move", error, _Now(moved, False))
        there = _Now(after.boards.after_move(*move), after.exact)
        change = self._enter(now, "move", there, len(now.boards) - len(fitting), note, after.turns)
        self._past.append(Turn(now.lost, now.seen, *move, after.boards, after.exact), self._salt())
        return change

    def _repair(self, error: Contradiction, mend: Callable[[], RbcBoards]) -> RbcBoards:
        """Boards that fit, if the options ask for them and the player's own pieces allow it."""
        if not self.options.repair:
            raise error
        try:
            return mend()
        except ValueError:
            raise error from None

    def _start_anew(self, event: str, error: Contradiction, after: _Now) -> Change:
        """Goes on with repaired boards: nothing before them is certain any more."""
        self._past.doubt()
        self._base = _Base(after.boards, self.turns, False)
        note = f"{error}; {len(after.boards):,} boards were changed to fit"
        return self._enter(self._now, event, after, None, note)

    def _enter(
        self,
        before: _Now,
        event: str,
        after: _Now,
        ruled_out: int | None,
        note: str = "",
        turns: Sequence[Turn] = (),
    ) -> Change:
        """Makes `after` the present and notes the change."""
        change = Change(event, len(before.boards), len(after.boards), ruled_out, after.exact, note)
        self._now = after
        self._past.replace(turns)
        self.changes.append(change)
        return change

    def _or_rebuilt(
        self,
        boards: RbcBoards,
        exact: bool,
        what: str,
        lost: int | None,
        seen: Seen,
        move: tuple[Move, Move, int | None] | None,
    ) -> tuple[_Rebuilt, str]:
        """The boards, or where none is left those of another sample; what happened. Raises Contradiction."""
        if len(boards):
            return _Rebuilt(boards, exact and boards.level == 0), ""
        where = f"{('White', 'Black')[self.player]}'s turn {self.turns + 1}"
        problem = f"{where}: none of the {len(self.boards):,} possible boards fits {what}"
        if self._now.exact or (self._now.parents is not None and self._now.parents_exact):
            raise Contradiction(problem)
        since = self._past.last_exact()
        attempts = min(max(_FEWEST_ATTEMPTS, _BOARDS_OF_ATTEMPTS // self.options.limit), _MOST_ATTEMPTS)
        for attempt in range(1, attempts + 1):
            if (rebuilt := self._rebuild(since, attempt, lost, seen, move)) is not None:
                return (
                    rebuilt,
                    f"{problem}; {len(rebuilt.boards):,} others were found from {_turn_name(since)} on",
                )
        raise Contradiction(f"{problem}, nor any other that was sought from {_turn_name(since)} on")

    def _rebuild(
        self,
        since: int | None,
        attempt: int,
        lost: int | None,
        seen: Seen,
        move: tuple[Move, Move, int | None] | None,
    ) -> _Rebuilt | None:
        """All turns after `since` gone through again, with other random choices."""
        base = self._base if since is None else _Base(self._past[since].after(), since + 1, True)
        boards, exact, turns = base.boards, base.exact, []
        for number, turn in enumerate(self._past):
            if number < base.turns:
                continue
            boards = self._successors(boards, turn.lost, turn.seen, self._salt(number, attempt))
            exact = exact and boards.level == 0
            boards = boards.before_move(turn.request, turn.taken, turn.captured)
            if not len(boards):
                return None
            turns.append(replace(turn, boards=boards, exact=exact, narrowed_by=None))
            boards = turns[-1].after()
        boards = self._successors(boards, lost, seen, self._salt(self.turns, attempt))
        exact = exact and boards.level == 0
        if move is not None:
            boards = boards.before_move(*move)
        return _Rebuilt(boards, exact, turns) if len(boards) else None

    def _successors(self, boards: RbcBoards, lost: int | None, seen: Seen, salt: int) -> RbcBoards:
        """The boards at the player's move: after the opponent's, if one was due, and the sense."""
        if boards.to_move == self.player:
            return boards.after_sense(seen)
        return boards.after_opponent(lost, seen, limit=self.options.limit, threads=self._threads, seed=salt)

    def _take_anticipated(self) -> RbcBoards | None:
        """The boards that `anticipate` found, if nothing has happened since."""
        anticipated, self._anticipated = self._anticipated, None
        return anticipated[1] if anticipated is not None and anticipated[0] is self._now else None

    def _salt(self, turn: int | None = None, attempt: int = 0) -> int:
        """Another number for each turn and attempt: samples of neighbouring turns must not be alike."""
        number = self.turns if turn is None else turn
        return (self.options.seed * 1_000_003 + number * 1009 + attempt) % 2**64

    def _is_first_turn(self) -> bool:
        return not self.changes and self._base.boards.to_move == self.player

    def _expect(self, event: str) -> None:
        if self._now.phase != event:
            names = {"opponent": "the opponent's move", "sense": "a sense", "move": "a move"}
            raise ValueError(
                f"{names[event]} was told where {names[self._now.phase]} is due: the order is "
                "opponent_moved, sensed, moved"
            )


def _turn_name(turn: int | None) -> str:
    return "the start" if turn is None else f"turn {turn + 1}"
