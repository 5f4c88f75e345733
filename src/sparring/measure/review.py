"""Reviews of whole games: what each move cost, what would have been better and why, and what people miss.

A review is made of blocks of consecutive moves, so that the first moves are there after a second or two.
All positions of a block are analysed; where a move seems to give something away, or a mate is near, the
position before it and the one after it are analysed again at greater depth.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from queue import SimpleQueue
from threading import Event
from typing import Any, Literal, Protocol, TypeAlias, TypeVar

import numpy as np

from sparring.base.errors import BadConfig, NotFound, raise_if_stopped
from sparring.games import Game, Move, describe, load_game, move_name
from sparring.measure.analysis import (
    Analyst,
    EngineAnalyst,
    Evaluation,
    GameAnalysis,
    LineAnalyst,
    MistakeFacts,
    NetworkAnalyst,
    find_program,
    game_analysis,
)
from sparring.measure.expectation import values_are_usable
from sparring.measure.strength import (
    RatingEstimate,
    collect_evidence,
    estimate_rating,
    shipped_strength_model,
)
from sparring.networks import Position, Prediction
from sparring.play.result import PlayedRecord
from sparring.policies import Policy, load_policy, rating_range
from sparring.policies.policy import StoppablePolicy
from sparring.records.readers import RecordedGame

Mark: TypeAlias = Literal["", "doubtful", "mistake", "blunder"]

DOUBTFUL, MISTAKE, BLUNDER = 0.05, 0.1, 0.2
"""Expected scores from which on a move that gives them away has a mark."""
BLOCK = 10
"""Moves that are analysed together."""
MOMENTS = 3
"""Moments that mattered."""
_NODES = (1_500, 150_000, 500_000)
"""Nodes of a game's own search: at a glance, usually, and deep."""
_LOOK_AGAIN = (0.03, 0.4)
"""Losses of the first analysis that are looked at again. What loses more is sure."""
_CANDIDATES = 6
"""Moves of a position whose values say how hard it is: the likeliest for people."""
_USUAL = 0.25
"""Probability from which people of a rating often play a move. It is marked only if it is a mistake."""
PASS = "pass"
"""Text of a pass. Passes and answers to them are not judged: people agree on dead stones, and the judgement
counts all stones."""
_LINE = 6
"""Moves of a line that is shown."""
_LONGEST_MATE = 8
_MOST_THREADS = 4


@dataclass(frozen=True)
class MoveReview:
    """A move of a game, reviewed. Scores are expected scores from 0 to 1; those of people are between people
    of the ratings that the review assumes."""

    ply: int
    """Moves played before."""
    player: int
    move: Move
    name: str
    """As people write it."""
    before: float
    """The mover's expected score before the move."""
    after: float
    """The mover's expected score after it."""
    loss: float
    """Expected score that the move gave away."""
    mark: Mark
    best: Move
    best_name: str
    line: tuple[Move, ...]
    """The best moves from the position before the move on."""
    answer: tuple[Move, ...]
    """The opponent's best moves after the played one: they show what was wrong with it."""
    mate: int | None
    """Moves to a forced mate before the move, negative if the mover is mated."""
    mate_after: int | None
    """The same after the move, for the mover."""
    kind: str
    """The kind of mistake as far as it can be proved, in the game's words; empty without a mark."""
    likely: float
    """Probability that people of the rating play the move."""
    expected: Move
    """The move that they play most often."""
    expected_name: str
    best_likely: float
    """Probability that they play the best move."""
    found: float
    """Probability that they play a good move: one that gives away less than 0.05."""
    difficulty: float
    """Expected score that they give away here."""
    people_score: float | None
    """Expected score of the first player between people of the ratings."""

    @property
    def listed(self) -> bool:
        """Whether it is a mistake or a blunder."""
        return self.mark in ("mistake", "blunder")


@dataclass(frozen=True)
class Review:
    """A reviewed game."""

    game: str
    record: RecordedGame
    ratings: tuple[int | None, int | None]
    """The ratings of the first and the second player that were assumed."""
    moves: tuple[MoveReview, ...]
    analyst: str
    """Who analysed: `own search`, `network`, or the name of another program."""
    levels: tuple[RatingEstimate | None, RatingEstimate | None] = (None, None)
    """How strong the moves of both players are; None without a model of strength."""

    @property
    def mistakes(self) -> list[MoveReview]:
        """The moves that are mistakes or blunders."""
        return [move for move in self.moves if move.listed]

    @property
    def moments(self) -> list[MoveReview]:
        """The three moments that mattered, in the order of the game."""
        return most_lost(self.moves)

    def to_json(self) -> dict[str, Any]:
        """The review as plain values."""
        rules = load_game(self.game)
        states = self.record.states
        return {
            "game": self.game,
            "players": list(self.record.players),
            "ratings": list(self.ratings),
            "analyst": self.analyst,
            "moments": [move.ply for move in self.moments],
            "moves": [_move_json(rules, states[move.ply], move) for move in self.moves],
        }


class Marked(Protocol):
    """A move with its mark."""

    @property
    def ply(self) -> int:
        """Moves played before."""

    @property
    def loss(self) -> float | None:
        """Expected score that it gave away."""

    @property
    def mark(self) -> Mark:
        """Its mark."""


M = TypeVar("M", bound=Marked)


def most_lost(moves: Sequence[M]) -> list[M]:
    """The moves of a game that gave away the most, at most three, in the order of the game."""
    worst = sorted((move for move in moves if move.mark), key=lambda move: -(move.loss or 0.0))[:MOMENTS]
    return sorted(worst, key=lambda move: move.ply)


def _move_json(rules: Game[Any], state: Any, move: MoveReview) -> dict[str, Any]:
    return {
        "ply": move.ply,
        "player": move.player,
        "move": rules.move_text(state, move.move),
        "name": move.name,
        "before": round(move.before, 4),
        "after": round(move.after, 4),
        "loss": round(move.loss, 4),
        "mark": move.mark,
        "kind": move.kind,
        "best": rules.move_text(state, move.best),
        "best_name": move.best_name,
        "line": line_names(rules, state, move.line),
        "answer": line_names(rules, state.play(move.move), move.answer),
        "mate": move.mate,
        "mate_after": move.mate_after,
        "likely": round(move.likely, 5),
        "expected_name": move.expected_name,
        "best_likely": round(move.best_likely, 5),
        "found": round(move.found, 4),
        "difficulty": round(move.difficulty, 4),
        "people_score": None if move.people_score is None else round(move.people_score, 4),
    }


def line_names(rules: Game[Any], state: Any, line: Sequence[Move]) -> list[str]:
    """The moves of a line as people write them."""
    names = []
    for move in line:
        names.append(move_name(state, move))
        state = rules.play(state, move)
    return names


# Making reviews.


class Reviewer:
    """Reviews the moves of games of one kind. Safe for threads: each block has an analyst of its own."""

    def __init__(
        self, game: str, human: Policy, strong: Policy, *, program: Sequence[str] = (), threads: int = 2
    ) -> None:
        """`program` is the command of another program that analyses. Raises BadConfig."""
        self.rules: Game[Any] = load_game(game)
        self.game, self.human, self.strong = game, human, strong
        self.parts: GameAnalysis = game_analysis(game)
        self._program = tuple(program)
        self.judges = bool(self._program) or self.parts.line_search is not None or values_are_usable(strong)
        """Whether it can judge moves: a strong network alone must have values that can be used."""
        self._free: SimpleQueue[Analyst] = SimpleQueue()
        for _ in range(threads):
            self._free.put(self._open())

    def _open(self) -> Analyst:
        own: Analyst
        if self.parts.line_search is None:
            own = NetworkAnalyst(self.strong)
        else:
            own = LineAnalyst(self.game, self.parts, self.strong, _NODES)
        self.analyst = own.name
        if not self._program:
            return own
        program = EngineAnalyst(self.game, self._program, own)
        self.analyst = program.name
        return program

    def block(
        self,
        states: Sequence[Any],
        begin: int,
        ratings: tuple[int | None, int | None],
        stop: Event | None = None,
    ) -> list[MoveReview]:
        """The reviews of the moves from ply `begin` on, at most `BLOCK`; `states` are those of the whole
        game.

        Raises EngineFailure, and Abandoned if `stop` is set meanwhile.
        """
        part = list(states[begin : begin + BLOCK + 1])
        while len(part) > 1 and part[-2].outcome is not None:
            part.pop()  # some records go on after the end by the rules
        if len(part) < 2:
            return []
        analyst = self._free.get()
        try:
            evaluations = self._evaluations(analyst, part, stop)
            predictions = self.human.predict(
                [Position(state, ratings[state.to_move], ratings[1 - state.to_move]) for state in part[:-1]]
            )
            rows = zip(pairwise(part), pairwise(evaluations), predictions, strict=True)
            reviews = []
            for (before, after), (best, answer), people in rows:
                raise_if_stopped(stop)
                reviews.append(self._review(analyst, before, after, best, answer, people))
            return reviews
        finally:
            self._free.put(analyst)

    def _evaluations(self, analyst: Analyst, states: list[Any], stop: Event | None) -> list[Evaluation]:
        """The evaluations of consecutive states, deeper around moves that seem to give something away."""
        evaluations = analyst.evaluate(states, stop=stop)
        again: set[int] = set()
        for ply, ((state, after), (best, answer)) in enumerate(
            zip(pairwise(states), pairwise(evaluations), strict=True)
        ):
            loss = best.score - _mover_score(state, after, answer)
            mates = best.mate is not None or answer.mate is not None
            if _LOOK_AGAIN[0] <= loss < _LOOK_AGAIN[1] or (mates and loss >= 0.01):
                again |= {ply, ply + 1}
        if not again:
            return evaluations
        places = sorted(again)
        for place, deep in zip(
            places, analyst.evaluate([states[place] for place in places], deep=True, stop=stop), strict=True
        ):
            evaluations[place] = deep
        return evaluations

    def _review(
        self,
        analyst: Analyst,
        state: Any,
        after: Any,
        best: Evaluation,
        answer: Evaluation,
        people: Prediction,
    ) -> MoveReview:
        move = after.last_move
        human = people.probabilities
        played = people.moves.index(move)
        best_place = people.moves.index(best.line[0])
        score = _mover_score(state, after, answer)
        loss = 0.0 if best.line[0] == move else max(0.0, best.score - score)
        likely = float(human[played])
        candidates = [int(place) for place in np.argsort(-human, kind="stable")[:_CANDIDATES]]
        others = [place for place in candidates if place not in (played, best_place)]
        losses = {best_place: 0.0, played: loss}
        glances = analyst.losses_at_a_glance(
            state, [people.moves[place] for place in (*others, best_place)]
        ).tolist()
        losses |= {
            place: max(0.0, lost - glances[-1]) for place, lost in zip(others, glances[:-1], strict=True)
        }
        places = sorted(losses)
        share = human[places] / human[places].sum()
        lost = np.array([losses[place] for place in places])
        mark = self._mark(after, loss, likely)
        mate_after = None if answer.mate is None else -answer.mate
        missed_mate = best.mate is not None and 0 < best.mate <= _LONGEST_MATE and (mate_after or 0) <= 0
        if not mark and self.judges and missed_mate and after.outcome is None and loss > 0.01:
            mark = "doubtful"
        facts = MistakeFacts(state, move, best, answer)
        kind = "" if not mark or self.parts.kinds is None else self.parts.kinds(facts)
        value = people.value
        people_score = None if value is None else (1 + value) / 2
        if people_score is not None and state.to_move == 1:
            people_score = 1 - people_score
        expected = people.moves[int(human.argmax())]
        return MoveReview(
            ply=state.ply,
            player=state.to_move,
            move=move,
            name=move_name(state, move),
            before=best.score,
            after=score,
            loss=loss,
            mark=mark,
            best=best.line[0],
            best_name=move_name(state, best.line[0]),
            line=self._shown_line(state, best.line),
            answer=answer.line[:_LINE],
            mate=best.mate,
            mate_after=mate_after,
            kind=kind,
            likely=likely,
            expected=expected,
            expected_name=move_name(state, expected),
            best_likely=float(human[best_place]),
            found=float(share[lost < DOUBTFUL].sum()),
            difficulty=float((share * lost).sum()),
            people_score=people_score,
        )

    def _shown_line(self, state: Any, line: tuple[Move, ...]) -> tuple[Move, ...]:
        """At most six moves; at least three unless the game ends, by the strong network where the line is
        shorter."""
        moves = list(line[:_LINE])
        if len(moves) >= 3:
            return tuple(moves)
        for move in moves:
            state = self.rules.play(state, move)
        while len(moves) < 3 and self.rules.outcome(state) is None:
            (prediction,) = self.strong.predict([Position(state, None, None)])
            moves.append(prediction.moves[int(prediction.probabilities.argmax())])
            state = self.rules.play(state, moves[-1])
        return tuple(moves)

    def _mark(self, after: Any, loss: float, likely: float) -> Mark:
        if loss < DOUBTFUL or not self.judges or self._is_excused(after, loss, likely):
            return ""
        return "doubtful" if loss < MISTAKE else "mistake" if loss < BLUNDER else "blunder"

    def _is_excused(self, after: Any, loss: float, likely: float) -> bool:
        """Whether the last move is not to blame: it is a pass or answers one, or it loses little and belongs
        to a named opening or is often played by people."""
        if any(_is_pass(self.rules, state) for state in (after, after.previous)):
            return True
        if loss >= MISTAKE:
            return False
        in_opening = describe(self.game).is_opening_position
        return likely >= _USUAL or (in_opening is not None and in_opening(after))

    def levels(
        self, record: RecordedGame, stop: Event | None = None
    ) -> tuple[RatingEstimate | None, RatingEstimate | None]:
        """How strong the moves of both players are; None without a model or without moves. Raises Abandoned
        if `stop` is set meanwhile."""
        try:
            model = shipped_strength_model(self.game)
        except NotFound:
            return None, None
        if not model.fits(record):
            return None, None
        strong = StoppablePolicy(self.strong, stop) if model.feature_weight > 0 else None
        human = StoppablePolicy(self.human, stop)
        (sides,) = collect_evidence(human, strong, [record], model.ratings, model.most_moves)
        first, second = (None if side is None else estimate_rating(model, [side]) for side in sides)
        return first, second

    def close(self) -> None:
        """Ends programs. No block is being reviewed."""
        while not self._free.empty():
            self._free.get().close()


def _mover_score(state: Any, after: Any, answer: Evaluation) -> float:
    """The expected score after a move, for its mover."""
    return 1 - answer.score if after.to_move != state.to_move else answer.score


def _is_pass(rules: Game[Any], state: Any) -> bool:
    """Whether a state comes after a pass."""
    before = state.previous
    return before is not None and rules.move_text(before, state.last_move) == PASS


def assumed_ratings(
    record: RecordedGame, human: Policy, rating: int | str | None
) -> tuple[int | None, int | None]:
    """The ratings of both players that a review assumes: `rating`, else those of the record, within the range
    of the network of people's moves; None for a network without ratings."""
    accepted = rating_range(human)
    if accepted is None:
        return None, None
    low, high = int(accepted[0]), int(accepted[1])
    system = describe(record.game).ratings
    if rating is not None:
        number = system.number(rating)
        return (number, number) if number is None else (min(max(number, low), high),) * 2
    people = describe(record.game).people
    usual = None if people is None else system.number(people.rating)
    fallback = next((known for known in record.ratings if known is not None), usual)
    first, second = (min(max(known or fallback or low, low), high) for known in record.ratings)
    return first, second


def review(
    record: RecordedGame | PlayedRecord,
    *,
    rating: int | str | None = None,
    engine: str | Path | Sequence[str] | None = None,
    threads: int | None = None,
    on_move: Callable[[MoveReview], None] | None = None,
) -> Review:
    """Reviews a game, such as one of `open_records`, or the record of a game that `play_game` played.

    `rating` is that of the people whose mistakes are expected; without it, the players' own. `engine` is
    another program that analyses in place of our own search: its command, or `auto` for one on the path if
    there
    is any. `on_move` is called with each move in order as soon as it is reviewed. Raises BadConfig for a game
    without networks, and EngineFailure.
    """
    if isinstance(record, PlayedRecord):
        record = RecordedGame(record.game.spec.name, record.row())
    workers = threads or min(os.cpu_count() or 1, _MOST_THREADS)
    with _opened(record.game, engine, workers) as reviewer:
        ratings = assumed_ratings(record, reviewer.human, rating)
        moves: list[MoveReview] = []
        for block in _blocks(reviewer, record.states, ratings, workers):
            for move in block:
                moves.append(move)
                if on_move is not None:
                    on_move(move)
        return Review(record.game, record, ratings, tuple(moves), reviewer.analyst, reviewer.levels(record))


@contextmanager
def _opened(game: str, engine: str | Path | Sequence[str] | None, threads: int) -> Iterator[Reviewer]:
    """A reviewer for one review. Raises BadConfig."""
    if describe(game).people is None:
        raise BadConfig(f"there is no network of people's moves for {game}")
    human, strong = load_policy("human", game), load_policy("strong", game)
    reviewer = Reviewer(game, human, strong, program=program_command(game, engine), threads=threads)
    try:
        yield reviewer
    finally:
        reviewer.close()


def program_command(game: str, engine: str | Path | Sequence[str] | None) -> tuple[str, ...]:
    """The command of the program that analyses; empty for our own search."""
    if engine is None:
        return ()
    if engine == "auto":
        program = find_program(game)
        return () if program is None else (program,)
    return (str(engine),) if isinstance(engine, str | Path) else tuple(engine)


def _blocks(
    reviewer: Reviewer, states: Sequence[Any], ratings: tuple[int | None, int | None], threads: int
) -> Iterator[list[MoveReview]]:
    with ThreadPoolExecutor(threads, thread_name_prefix="review") as pool:
        yield from pool.map(
            lambda begin: reviewer.block(states, begin, ratings), range(0, len(states) - 1, BLOCK)
        )
