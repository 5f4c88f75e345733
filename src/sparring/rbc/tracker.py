"""Tracking of every possible board in reconnaissance blind chess (DSMCP paper, algorithm 4).

A `Tracker` receives the observations of one player in reconchess's order, `opponent_moved`, `sensed`,
`moved`, and maintains the set of boards that are consistent with all of them:

- **expand**: the opponent's move replaces each board by its successors with the reported capture.
- **filter**: a sense and the result of a move remove the boards that contradict them.
- **filter backward** (algorithm 4): the sets of past turns lose the boards that lead to no current board.
- **resample**: a set with more than `limit` boards is replaced by a uniform sample.

Sampling works as follows:

- A set is usually too large only between the opponent's move and the sense. `boards` is then a sample, good
  enough to choose a sense. `sensed` expands the previous boards again with the sensed squares as a filter;
  the set is complete again if at most `limit` boards remain.
- If more remain, the tracker continues with a sample of them, and `exact` is False from then on. Every board
  of the sample is consistent with all observations. Later sets are uniform over the successors of the sample,
  not over all possible boards.
- A sample may lose the true board. If an observation contradicts the whole sample, the tracker replays the
  observations since the last complete set with other random choices.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import chess
import numpy as np
from numpy.typing import NDArray

from sparring._core import RbcBoardSet, RbcGuess, RbcState
from sparring.base.config import usable_threads
from sparring.base.errors import SparringError
from sparring.games import Move
from sparring.rbc.game import (
    PASS,
    MoveResult,
    Observation,
    OpponentMoveResult,
    SenseResult,
    board_fen,
    observed_steps,
)
from sparring.rbc.synopsis import SynopsisContext

BOARD_BYTES = 24
"""Bytes of a board in a set."""
EXPANSION_BYTES = 50
"""About how many bytes a board takes besides while a set is expanded."""
SensedSquares = tuple[tuple[int, str | None], ...]
"""Result of a sense: squares (0 is a1, 63 is h8) and FEN letters, None for an empty square."""
OwnMove = tuple[Move, Move, int | None]
"""Result of a move: the request, the move taken (or PASS), and the capture square."""


@dataclass(frozen=True)
class TrackerUpdate:
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


@dataclass(frozen=True)
class TrackerOptions:
    """Limits of a tracker. Raises ValueError."""

    limit: int = 9_000_000
    """Boards in the current set, BOARD_BYTES each (about EXPANSION_BYTES more during an expansion)."""
    past_limit: int = 10_000_000
    """Boards in all past sets together."""
    threads: int = 0
    """Threads of an expansion; 0 for all cores."""
    seed: int = 0
    """Seed of the samples."""
    repair: bool = False
    """After a contradiction, continues with boards that are edited to fit the observation."""
    repaired: int = 500
    """Boards that are edited then; of more, a sample."""
    resampling_seconds: float = math.inf
    """Time after which no other sample is tried."""

    def __post_init__(self) -> None:
        for name in ("limit", "past_limit", "repaired"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} = {getattr(self, name)}: expected an integer >= 1")
        if self.threads < 0:
            raise ValueError(f"threads = {self.threads}: expected an integer >= 0 (0 for all cores)")


class Contradiction(SparringError, ValueError):
    """An observation that no tracked board is consistent with, or one that is not due. The tracker is
    unchanged."""

    def __init__(self, message: str, *, sampled: bool = False) -> None:
        super().__init__(message)
        self.sampled = sampled
        """True if the boards were a sample, which may have lost the true board. False if the set was
        complete, so that the observations contradict one another."""


_MIN_ATTEMPTS, _MAX_ATTEMPTS, _BOARDS_OF_ATTEMPTS = 4, 32, 4_000_000
"""Attempts to resample: as many as give about this number of boards, within the bounds."""
_PHASES = {"opponent": "the opponent's move", "sense": "a sense", "move": "a move"}


class Tracker:
    """Tracks the possible boards of `player` (0: White, 1: Black).

    `start` is the position before the first observation, by default the initial one.
    """

    def __init__(
        self, player: int, options: TrackerOptions | None = None, start: RbcState | None = None
    ) -> None:
        self.player = player
        self.options = options or TrackerOptions()
        self.updates: list[TrackerUpdate] = []
        """The effects of all observations so far."""
        self._threads = usable_threads(self.options.threads)
        boards = RbcBoardSet.of([start or RbcState.initial()], player)
        self._current = CurrentSet(boards, True, "sense" if boards.to_move == player else "opponent")
        self._origin = OriginSet(boards, 0, True)
        self._past: list[PastTurn] = []
        self._precomputed: tuple[CurrentSet, RbcBoardSet] | None = None

    @property
    def boards(self) -> RbcBoardSet:
        """The possible boards, or a sample of them."""
        return self._current.boards

    @property
    def exact(self) -> bool:
        """True if `boards` is complete."""
        return self._current.exact

    @property
    def phase(self) -> str:
        """The observation that is due: `opponent`, `sense` or `move`."""
        return self._current.phase

    @property
    def turns(self) -> int:
        """Number of the player's finished turns."""
        return len(self._past)

    @property
    def synopsis_context(self) -> SynopsisContext:
        """The context for `compute_synopsis(boards, ...)`."""
        last = self._past[-1].move if self._past else None
        taken = last[1] if last and last[1] != PASS else None
        return SynopsisContext(
            moving=self._current.phase == "move",
            last_from=None if taken is None else taken >> 6 & 63,
            last_to=None if taken is None else taken & 63,
            last_own_capture=last[2] if last else None,
            last_opposing_capture=self._current.observed.opponent_capture,
        )

    # Observations

    def observe(self, observation: Observation) -> TrackerUpdate | None:
        """Processes an observation of `games.Rbc`. Raises Contradiction."""
        match observation:
            case SenseResult(pieces):
                return self.sensed(pieces)
            case MoveResult(request, taken, capture_square):
                return self.moved(request, taken, capture_square)
            case OpponentMoveResult(capture_square):
                return self.opponent_moved(capture_square)
        return None

    def opponent_moved(self, capture_square: int | None) -> TrackerUpdate:
        """Expands the set by the opponent's move.

        `capture_square` is where it captured, or None. reconchess also reports None before White's first
        turn; that call changes nothing. Raises Contradiction, and ValueError if another observation is due.
        """
        now = self._current
        first = not self.updates and self._origin.boards.to_move == self.player
        if now.phase == "sense" and first and capture_square is None:
            return self._enter(now, "opponent", now, 0)
        self._expect("opponent")
        observed = TurnObservations(capture_square)
        precomputed, self._precomputed = self._precomputed, None
        if capture_square is None and precomputed is not None and precomputed[0] is now:
            boards = precomputed[1]
        else:
            boards = self._expand(now.boards, observed, self._seed())
        fact = "no capture" if capture_square is None else f"a capture on {chess.square_name(capture_square)}"
        try:
            after, note = self._resampled_if_empty(boards, now.exact, fact, observed)
        except Contradiction as error:
            fitting = self._repair(error, lambda boards: boards.repair_capture(capture_square))
            return self._restart("opponent", error, CurrentSet(fitting, False, "sense", observed))
        sampled = boards.level > 0 and not note
        if sampled:
            note = f"about {len(boards) << boards.level:,} boards, of which a sample is kept until the sense"
        parents = now.boards if sampled else None
        arrived = CurrentSet(after.boards, after.exact, "sense", observed, parents, now.exact)
        return self._enter(now, "opponent", arrived, None, note, after.turns)

    def sensed(self, seen: Iterable[tuple[int, str | None]]) -> TrackerUpdate:
        """Filters the set by the result of a sense.

        `seen` has the sensed squares with their FEN letters (None if empty); it is empty without a sense.
        Raises Contradiction, and ValueError if another observation is due.
        """
        self._expect("sense")
        now = self._current
        observed = replace(now.observed, sensed=tuple(seen))
        pieces = observed.sensed
        if now.parents is None:
            boards, exact = now.boards.after_sense(pieces), now.exact
        else:
            boards = self._expand(now.parents, observed, self._seed())
            exact = now.parents_exact and boards.level == 0
        try:
            after, note = self._resampled_if_empty(boards, exact, "the result of the sense", observed)
        except Contradiction as error:
            fitting = self._repair(error, lambda boards: boards.repair_sense(pieces))
            fitting = fitting.after_sense(pieces)
            if not len(fitting):  # the player's own pieces differ, which no repair changes
                raise
            return self._restart("sense", error, CurrentSet(fitting, False, "move", observed))
        if exact < now.parents_exact and not note:
            note = f"more than {self.options.limit:,} boards remain: the tracker continues with a sample"
        arrived = replace(
            now, boards=after.boards, exact=after.exact, phase="move", observed=observed, parents=None
        )
        ruled_out = len(now.boards) - len(now.boards.after_sense(pieces)) if pieces else 0
        return self._enter(now, "sense", arrived, ruled_out, note, after.turns)

    def moved(self, request: Move, taken: Move | None, capture_square: int | None) -> TrackerUpdate:
        """Filters the set by the result of the player's move, and plays the move on each board.

        `taken` is the move that was made: None or PASS if nothing moved. Raises Contradiction, and
        ValueError if another observation is due.
        """
        self._expect("move")
        now, move = self._current, (request, PASS if taken is None else taken, capture_square)
        observed = replace(now.observed, move=move)
        fitting = now.boards.before_move(*move)
        try:
            after, note = self._resampled_if_empty(fitting, now.exact, "the result of the move", observed)
        except Contradiction as error:
            boards = self._repair(error, lambda boards: boards.repair_move(move[1], capture_square))
            self._append_past(PastTurn(observed, now.boards, False))
            return self._restart("move", error, CurrentSet(boards, False))
        turn = PastTurn(observed, after.boards, after.exact)
        arrived = CurrentSet(turn.boards_after(), after.exact)
        update = self._enter(now, "move", arrived, len(now.boards) - len(fitting), note, after.turns)
        self._append_past(turn)
        return update

    def _expect(self, event: str) -> None:
        if self._current.phase != event:
            raise Contradiction(
                f"{_PHASES[event]} was reported where {_PHASES[self._current.phase]} is due: the order is "
                "opponent_moved, sensed, moved"
            )

    def _enter(
        self,
        before: CurrentSet,
        event: str,
        after: CurrentSet,
        ruled_out: int | None,
        note: str = "",
        turns: Sequence[PastTurn] = (),
    ) -> TrackerUpdate:
        """Makes `after` the current set, replaces the last turns of the past, and records the update."""
        update = TrackerUpdate(event, len(before.boards), len(after.boards), ruled_out, after.exact, note)
        self._current = after
        self._past[len(self._past) - len(turns) :] = turns
        self.updates.append(update)
        return update

    # Expansion

    def precompute_successors(self) -> None:
        """Expands the set for a move without a capture, to save time when `opponent_moved(None)` follows."""
        if self._current.phase == "opponent":
            boards = self._expand(self._current.boards, TurnObservations(), self._seed())
            self._precomputed = (self._current, boards)

    def _expand(self, boards: RbcBoardSet, observed: TurnObservations, seed: int) -> RbcBoardSet:
        """Returns the boards after the opponent's move, if one is due, and the sense; a sample beyond
        `limit`."""
        if boards.to_move == self.player:
            return boards.after_sense(observed.sensed)
        return boards.after_opponent(
            observed.opponent_capture,
            observed.sensed,
            limit=self.options.limit,
            threads=self._threads,
            seed=seed,
        )

    def cut_to_limit(self) -> None:
        """Replaces a current set that has more boards than `options.limit` by a sample."""
        now, limit = self._current, self.options.limit
        if len(now.boards) > limit:
            now = replace(now, boards=now.boards.subsample(limit, self._seed()), exact=False)
        if now.parents is not None and len(now.parents) > limit:
            parents = now.parents.subsample(limit, self._seed())
            now = replace(now, parents=parents, parents_exact=False, exact=False)
        self._current = now

    # Past turns

    def past(self, turn: int) -> RbcBoardSet:
        """Returns the boards on which the player may have made its turn `turn` (from 0), as known now.

        If `past_exact(turn)`, the set is complete and filtered by all later observations. Raises IndexError.
        """
        if not 0 <= turn < len(self._past):
            raise IndexError(f"there is no finished turn {turn}: {len(self._past)} turns are finished")
        self.filter_backward(turn)
        return self._past[turn].boards

    def past_exact(self, turn: int) -> bool:
        """Returns True if `past(turn)` has all boards that were possible then."""
        return self._past[turn].exact

    @property
    def past_size(self) -> int:
        """Number of boards in all past sets together."""
        return sum(len(turn.boards) for turn in self._past)

    @property
    def memory_bytes(self) -> int:
        """About what the sets hold."""
        now, precomputed = self._current, self._precomputed
        sets = [now.boards, now.parents, None if precomputed is None else precomputed[1]]
        return BOARD_BYTES * (self.past_size + sum(len(boards) for boards in sets if boards is not None))

    def filter_backward(self, back_to: int = 0) -> None:
        """Algorithm 4: removes the past boards that lead to no later board, from the newest turn to
        `back_to`.

        A set that is not complete filters nothing, because a board that leads to none of its boards may lead
        to one that the set lacks. Called by `past`; sets that have not changed are not filtered again.
        """
        now = self._current
        answered = now.phase != "opponent" and now.exact
        later: RbcBoardSet | None = now.boards if answered else None
        capture = now.observed.opponent_capture
        for turn in reversed(self._past[back_to:]):
            if later is not None and turn.filtered_by is not later:
                _, taken, captured = turn.move
                kept = turn.boards.leading_to(later, taken, captured, capture, self._threads)
                if len(kept) < len(turn.boards):  # else the object stays, and no earlier turn changes
                    turn.boards = kept
                turn.filtered_by = later
            later, capture = turn.boards if turn.exact else None, turn.observed.opponent_capture

    def _append_past(self, turn: PastTurn) -> None:
        """Adds a finished turn; beyond `past_limit` boards, the largest sets become samples."""
        seed = self._seed()
        self._past.append(turn)
        while self.past_size > self.options.past_limit:
            largest = max(self._past, key=lambda turn: len(turn.boards))
            largest.boards = largest.boards.subsample(len(largest.boards) // 4, seed)
            largest.exact = False

    # Resampling

    def _resampled_if_empty(
        self, boards: RbcBoardSet, exact: bool, fact: str, observed: TurnObservations
    ) -> tuple[ResampledSet, str]:
        """Returns the boards, or if there are none those of another sample, and a note.

        Raises Contradiction.
        """
        if len(boards):
            return ResampledSet(boards, exact and boards.level == 0), ""
        turn = f"{('White', 'Black')[self.player]}'s turn {self.turns + 1}"
        problem = f"{turn}: none of the {len(self.boards):,} possible boards fits {fact}"
        if self._current.exact or (self._current.parents is not None and self._current.parents_exact):
            raise Contradiction(problem, sampled=False)
        last_exact = next((i for i in reversed(range(self.turns)) if self._past[i].exact), None)
        since = "the start" if last_exact is None else f"turn {last_exact + 1}"
        attempts = min(max(_MIN_ATTEMPTS, _BOARDS_OF_ATTEMPTS // self.options.limit), _MAX_ATTEMPTS)
        ends = time.perf_counter() + self.options.resampling_seconds
        for attempt in range(1, attempts + 1):
            if time.perf_counter() > ends:
                break
            if (resampled := self._resample(last_exact, attempt, observed, ends)) is not None:
                return resampled, f"{problem}; resampled {len(resampled.boards):,} boards from {since} on"
        raise Contradiction(f"{problem}; resampling from {since} on found no others", sampled=True)

    def _resample(
        self, last_exact: int | None, attempt: int, observed: TurnObservations, ends: float
    ) -> ResampledSet | None:
        """Replays the observations since the last complete set with other seeds; None if no board is left, or
        if it is later than `ends` (of `time.perf_counter`)."""
        origin = self._origin
        if last_exact is not None:
            origin = OriginSet(self._past[last_exact].boards_after(), last_exact + 1, True)
        boards, exact = origin.boards, origin.exact
        turns: list[PastTurn] = []
        replayed = [*(turn.observed for turn in self._past), observed]
        for number in range(origin.turns, len(replayed)):
            boards = self._expand(boards, replayed[number], self._seed(number, attempt))
            exact = exact and boards.level == 0
            if (move := replayed[number].move) is not None:
                boards = boards.before_move(*move)
            if not len(boards) or time.perf_counter() > ends:
                return None
            if number < self.turns:
                turns.append(PastTurn(replayed[number], boards, exact))
                boards = turns[-1].boards_after()
        return ResampledSet(boards, exact, turns)

    def _seed(self, turn: int | None = None, attempt: int = 0) -> int:
        """Returns a seed for a turn and attempt; samples of different turns must be independent."""
        number = self.turns if turn is None else turn
        return (self.options.seed * 1_000_003 + number * 1009 + attempt) % 2**64

    # Repair

    def _repair(self, error: Contradiction, edit: Callable[[RbcBoardSet], RbcBoardSet]) -> RbcBoardSet:
        """Returns edited boards if the options ask for them and the player's own pieces allow it."""
        if not self.options.repair:
            raise error
        try:
            return edit(self._current.boards.subsample(self.options.repaired, self._seed()))
        except ValueError:
            raise error from None

    def _restart(self, event: str, error: Contradiction, after: CurrentSet) -> TrackerUpdate:
        """Continues from repaired boards. No earlier set is known to be complete any more."""
        for turn in self._past:
            turn.exact = False
        self._origin = OriginSet(after.boards, self.turns, False)
        note = f"{error}; {len(after.boards):,} boards were changed to fit"
        return self._enter(self._current, event, after, None, note)


class Guess:
    """A board that is consistent with the latest observations. Unobserved pieces stay where they were.

    It serves bots that follow one board, and it is the fallback when an observation contradicts all boards.
    """

    def __init__(self, player: int, start: RbcState | None = None) -> None:
        self.player = player
        self._native = RbcGuess(player, start or RbcState.initial())

    @property
    def state(self) -> RbcState:
        """The guess as a state, with the side to move of the game."""
        return self._native.state

    @property
    def board(self) -> chess.Board:
        """The guess for python-chess; changes do not reach the guess."""
        return chess.Board(board_fen(self.state))

    def observe(self, observation: Observation) -> None:
        """Updates the guess."""
        match observation:
            case OpponentMoveResult(capture_square):
                self._native.opponent_moved(capture_square)
            case SenseResult(pieces):
                self._native.sensed(pieces)
            case MoveResult(_, taken, capture_square):
                self._native.moved(PASS if taken is None else taken, capture_square)


# Information gain of senses, and forced captures of the king.


@dataclass(frozen=True)
class SenseStatistics:
    """Statistics of the 64 senses, with all boards equally likely.

    Arrays have shape [64], indexed by square.
    """

    expected_sizes: NDArray[np.float64]
    """Expected number of boards that remain."""
    entropies: NDArray[np.float64]
    """Entropy of the result in bits."""
    parts: NDArray[np.int64]
    """Number of different results."""
    largest: NDArray[np.int64]
    """Largest number of boards that can remain."""
    undominated: tuple[int, ...]
    """Squares of senses that no other sense includes; empty if all boards look the same."""


def sense_statistics(boards: RbcBoardSet, threads: int = 1) -> SenseStatistics:
    """Computes the statistics of all senses in one pass.

    `boards.partition(square)` has the parts themselves.
    """
    values = boards.sense_values(threads)
    return SenseStatistics(
        expected_sizes=values[:, 0],
        entropies=values[:, 1],
        parts=values[:, 2].astype(np.int64),
        largest=values[:, 3].astype(np.int64),
        undominated=tuple(boards.undominated_senses()),
    )


def winning_request(boards: RbcBoardSet) -> Move | None:
    """Returns a move request that captures the king on every board, or None. The player is to move."""
    captures = boards.king_captures()
    return captures[0][0] if captures and captures[0][1] == len(boards) else None


def winning_senses(boards: RbcBoardSet, threads: int = 1) -> tuple[int, ...]:
    """Returns the squares of senses after which, for every result, some request captures the king for
    certain."""
    wins = boards.wins_after_sense(threads)
    return tuple(square for square in range(64) if len(boards) and wins[square] == len(boards))


def is_forced_win(boards: RbcBoardSet, threads: int = 1) -> bool:
    """Returns True if the player captures the king in its next turn after every move of the opponent.

    The opponent is to move. All its moves are expanded: use this for at most some thousand boards.
    """
    return boards.is_forced_win(threads)


@dataclass(frozen=True)
class ReplayStep:
    """An observation of the player, its effect on the tracker, and the true state after it."""

    observation: Observation
    change: TrackerUpdate
    truth: RbcState


def replay(game: RbcState, tracker: Tracker) -> Iterator[ReplayStep]:
    """Gives the tracker the observations of its player, from the start of the game to the state `game`.

    Yields a step after each observation. Raises Contradiction.
    """
    for step in observed_steps(game):
        observation = step.seen[tracker.player]
        if (change := tracker.observe(observation)) is not None:
            yield ReplayStep(observation, change, step.after)
