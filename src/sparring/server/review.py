"""Reviews of whole games: what each move cost, how hard it was, and what people of a level miss."""

from __future__ import annotations

import asyncio
import hashlib
import secrets
import sqlite3
import time
from collections import Counter, OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise, takewhile
from threading import Event
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import Field, ValidationError

import sparring
from sparring import data
from sparring.base.errors import CannotWrite, first_line
from sparring.base.sentences import Sentence
from sparring.games import Game, IllegalMove, Move, ParseError, describe, load_game
from sparring.measure.review import Mark, MoveReview, Reviewer, assumed_ratings, most_lost
from sparring.measure.strength import RatingEstimate
from sparring.records.readers import RecordedGame
from sparring.records.record import GameRecord
from sparring.server.game_host import GameHost
from sparring.server.messages import ApiMessage, GameName, LegalMove, RecordText, Text, legal_move, text_of
from sparring.server.pasted import ReadRequest, ReadView, parse_record, read_pasted, read_view, states_of
from sparring.server.refusal import REFUSALS, Refused, message_of
from sparring.server.routes import AskingVisitor, Host, Visitor, of_app
from sparring.server.store import OWN, Database
from sparring.server.understand import (
    Insight,
    PositionInsight,
    UnderstandRequest,
    shown_rating,
)

_UNASKED_SECONDS = 90.0
"""Time without a request after which a review rests until it is asked for. Pages in the background ask once a
minute."""
_KEPT = 100
"""Reviews in memory, of all visitors."""
_RUNNING = 2
"""Reviews of a visitor that are computed at once."""
_ABANDONED_SECONDS = 2.0
"""A review that nobody has asked for in this time rests when its visitor begins another one. The page asks
several times a second."""
_MOVES = 1_000
"""Moves of a game that are reviewed."""
_STORED = 500
"""Finished reviews in the database. The least recently used are deleted beyond it."""
_METHOD = 1
"""Version of the way in which reviews are computed: a stored review of another version is computed again."""
_DECIDING: tuple[data.Kind, ...] = ("networks", "line_search")
"""The kinds of shipped files that decide what a review finds."""


class ReviewRequest(ApiMessage):
    """A game to review."""

    game: GameName
    record: RecordText
    format: str | None = Field(default=None, max_length=8)
    record_index: int = Field(
        default=0, ge=0, lt=1_000, description="Number of the game in `record`, from 0."
    )
    rating: int | str | None = Field(
        default=None, description="Whose mistakes to expect; without it, the players' own ratings."
    )
    source: str = Field(
        default="",
        max_length=64,
        description="Id of the game on the page that `record` is of: the finished review is deleted with it.",
    )


class ReviewedMove(ApiMessage):
    """A move of a game, reviewed."""

    ply: int
    player: int
    text: str
    name: str
    likely: float = Field(description="Probability that people of this rating play it.")
    expected: str = Field(description="The move that they play most often.")
    expected_name: str
    best: str = Field(description="The best move by the strong network.")
    best_name: str
    best_likely: float = Field(description="Probability that people of this rating find it.")
    found: float | None = Field(
        description="Probability that people of this rating play a good move: one that gives away less than "
        "0.05. Null without values."
    )
    loss: float | None = Field(description="Expected score that the move gave away.")
    difficulty: float | None = Field(description="Expected score that people of this rating give away here.")
    score: float | None = Field(description="Expected score of player 0 between people of this rating.")
    blunder: bool = Field(description="Whether it is listed: it gave away at least 0.1.")
    mark: Mark = Field(
        description="doubtful: it gave away at least 0.05, mistake: 0.1, blunder: 0.2. Empty below 0.1 for "
        "moves that people of this rating often play and in named openings, and for passes and answers to "
        "them; doubtful also for a forced mate that was overlooked."
    )
    line: list[LegalMove] = Field(description="The best moves from here on; empty without a mark.")
    answer: list[LegalMove] = Field(
        description="The opponent's best moves after the move, which show what was wrong with it; empty "
        "without a mark."
    )
    kind: str = Field(description="Kind of mistake, such as `hanging piece`; empty if none can be proved.")
    kind_text: Text | None = Field(description="A sentence about this kind of mistake.")
    chance: float | None = Field(
        description="Expected score of player 0 after the move if both go on without mistakes."
    )
    mate: int | None = Field(
        description="Moves to a forced mate in the position before the move, negative if the mover is mated."
    )


class LevelEstimate(ApiMessage):
    """A player's rating, estimated from the moves of this game alone."""

    rating: float
    shown: str = Field(description="As people write it.")
    interval: tuple[float, float] = Field(description="95 % interval.")
    shown_interval: tuple[str, str] = Field(description="The same as people write it.")
    moves: int = Field(description="Moves with a choice.")


class ReviewView(ApiMessage):
    """A review so far."""

    id: str
    game: str
    players: tuple[str | None, str | None]
    ratings: tuple[int | str | None, int | str | None] = Field(description="Ratings that were assumed.")
    total: int = Field(description="Moves of the game.")
    moves: list[ReviewedMove]
    levels: tuple[LevelEstimate | None, LevelEstimate | None] = Field(
        description="How strong both players' moves are; null until the review is done, and in games without "
        "a model of strength."
    )
    moments: list[int] = Field(
        description="Plies of the moves that mattered most, at most three; empty until the review is done."
    )
    done: bool
    error: Text | None = None
    warning: Text | None = Field(default=None, description="What could not be read of the game.")


class FinishedReview(ApiMessage):
    """What is stored of a finished review."""

    moves: list[ReviewedMove]
    levels: tuple[LevelEstimate | None, LevelEstimate | None]
    moments: list[int]


@dataclass
class _Review:
    visitor: str
    rules: Game[Any]
    record: GameRecord
    states: list[Any]
    ratings: tuple[int | None, int | None]
    moves: list[ReviewedMove] = field(default_factory=list)
    levels: tuple[LevelEstimate | None, LevelEstimate | None] = (None, None)
    moments: list[int] = field(default_factory=list)
    task: asyncio.Task[None] | None = None
    done: bool = False
    asked: float = field(default_factory=time.monotonic)
    """When it was last asked for."""
    error: Text | None = None
    warning: str | None = None
    source: str = ""
    """Id of the game on the page; empty for a pasted one."""

    @property
    def texts(self) -> list[str]:
        """The moves up to the end by the rules; some records go on after it."""
        moves = takewhile(lambda pair: pair[0].outcome is None, pairwise(self.states))
        return [self.rules.move_text(before, after.last_move) for before, after in moves]

    @property
    def key(self) -> str:
        """A hash of all that decides what the review finds."""
        game = self.rules.spec.name
        files = sorted(data.game_versions(game, _DECIDING).items())
        facts = (_METHOD, sparring.__version__, files, game, self.record.start, self.record.moves)
        return hashlib.sha256(repr((*facts, self.ratings)).encode()).hexdigest()


class StoredReviews:
    """The finished reviews of a database. Safe for threads."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, review: _Review) -> None:
        """Stores a finished review, unless the game that it is of was deleted. Raises CannotWrite."""
        found = FinishedReview(moves=review.moves, levels=review.levels, moments=review.moments)
        values = {
            "visitor": review.visitor,
            "key": review.key,
            "source": review.source,
            "found": found.model_dump_json(),
            "now": time.time(),
            "most": _STORED,
        }

        def work(file: sqlite3.Connection) -> None:
            file.execute(
                "INSERT OR REPLACE INTO finished_reviews SELECT :visitor, :key, nullif(:source, ''), :found,"
                f" :now WHERE :source = '' OR EXISTS (SELECT 1 FROM games WHERE id = :source AND {OWN})",
                values,
            )
            file.execute(
                "DELETE FROM finished_reviews WHERE (visitor, key) IN (SELECT visitor, key FROM"
                " finished_reviews ORDER BY used DESC LIMIT -1 OFFSET :most)",
                values,
            )

        self._database.write(work)

    def find(self, review: _Review) -> FinishedReview | None:
        """What was found by an earlier review of the same moves; None if there is none, or if it is damaged.
        Raises CannotWrite."""
        values = {"visitor": review.visitor, "key": review.key, "now": time.time()}
        mine = "visitor = :visitor AND key = :key"
        rows = self._database.read(f"SELECT found FROM finished_reviews WHERE {mine}", values)
        if not rows:
            return None
        try:
            found = FinishedReview.model_validate_json(rows[0][0])
        except ValidationError:
            return None
        if [move.text for move in found.moves] != review.texts:
            return None
        statement = f"UPDATE finished_reviews SET used = :now WHERE {mine}"
        self._database.write(lambda file: file.execute(statement, values))
        return found


class Reviews:
    """The reviews of the server, each computed move by move as long as somebody asks for it. What a finished
    one found is stored and read again."""

    def __init__(self, host: GameHost) -> None:
        self._host = host
        self._stored = StoredReviews(host.store.database)
        self._reviews: OrderedDict[str, _Review] = OrderedDict()
        self._preparing: Counter[str] = Counter()
        """Reviews of each visitor that are about to begin."""
        self._turns = asyncio.Semaphore(_RUNNING)
        """Reviews that are computed at once: those that wait hold no thread."""

    async def begin(self, visitor: str, wanted: ReviewRequest) -> ReviewView:
        """Starts a review. Raises Refused."""
        for other in self._reviews.values():
            abandoned = time.monotonic() - other.asked > _ABANDONED_SECONDS
            if other.visitor == visitor and abandoned and other.task is not None:
                other.task.cancel()
                other.task = None
        if self._running(visitor) >= _RUNNING:
            raise Refused(Sentence("Wait until your other reviews are done."), 429)
        self._preparing[visitor] += 1
        try:
            review = await self._host.compute(self._prepare, visitor, wanted)
        finally:
            self._preparing[visitor] -= 1
        review_id = secrets.token_urlsafe(9)
        self._reviews[review_id] = review
        self._go_on(review)
        while len(self._reviews) > _KEPT:
            _, oldest = self._reviews.popitem(last=False)
            if oldest.task is not None:
                oldest.task.cancel()
        return self.view(visitor, review_id, 0)

    def view(self, visitor: str, review_id: str, since: int) -> ReviewView:
        """A review, with its moves from number `since` on. Raises Refused."""
        review = self._reviews.get(review_id)
        if review is None or review.visitor != visitor:
            raise Refused(Sentence("There is no such review of yours."), 404)
        review.asked = time.monotonic()
        self._go_on(review)
        game = review.rules.spec.name
        shown = [None if rating is None else shown_rating(game, rating) for rating in review.ratings]
        return ReviewView(
            id=review_id,
            game=game,
            players=(review.record.first, review.record.second),
            ratings=(shown[0], shown[1]),
            total=len(review.states) - 1,
            moves=review.moves[since:],
            levels=review.levels,
            moments=review.moments,
            done=review.done,
            error=review.error,
            warning=None if review.warning is None else text_of(review.warning),
        )

    def reviewed(self, visitor: str, review_id: str) -> tuple[GameRecord, list[Any]]:
        """The game of a review, and its states from the first to the last. Raises Refused."""
        self.view(visitor, review_id, 0)
        review = self._reviews[review_id]
        return review.record, review.states

    async def close(self) -> None:
        """Ends all reviews."""
        tasks = [review.task for review in self._reviews.values() if review.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _prepare(self, visitor: str, wanted: ReviewRequest) -> _Review:
        try:
            rules = load_game(wanted.game)
        except ValueError as error:
            raise Refused(message_of(error), 422) from None
        Insight(rules, self._host.opponents)  # refuses games without networks
        record, warning = parse_record(rules, wanted.record, wanted.format, wanted.record_index)
        states = states_of(rules, record)
        if not 2 <= len(states) <= _MOVES + 1:
            raise Refused(Sentence("A game of 1 to {most} moves can be reviewed.", most=f"{_MOVES:,}"), 422)
        ratings = self._ratings(rules, record, wanted.rating)
        review = _Review(visitor, rules, record, states, ratings, warning=warning, source=wanted.source)
        with suppress(CannotWrite):  # it is computed again
            if found := self._stored.find(review):
                review.moves, review.levels, review.moments = found.moves, found.levels, found.moments
                review.done = True
        return review

    def _ratings(
        self, rules: Game[Any], record: GameRecord, wanted: int | str | None
    ) -> tuple[int | None, int | None]:
        """The ratings of both players within the range of the network. Raises Refused."""
        opponents, game = self._host.opponents, rules.spec.name
        if wanted is not None and opponents.ratings(game) is not None:
            number = opponents.rating_number(game, wanted)
            return number, number
        return assumed_ratings(RecordedGame(game, record), opponents.people(game), None)

    def _running(self, visitor: str) -> int:
        """The reviews of a visitor that are computed, or about to be."""
        own = (review for review in self._reviews.values() if review.visitor == visitor)
        return sum(map(_runs, own)) + self._preparing[visitor]

    def _go_on(self, review: _Review) -> None:
        """Computes a review that rests, unless others of the visitor are computed."""
        if not review.done and not _runs(review) and self._running(review.visitor) < _RUNNING:
            review.task = asyncio.create_task(self._run(review))

    async def _run(self, review: _Review) -> None:
        stop = Event()
        try:
            reviewer = await self._host.compute(self._host.opponents.reviewer, review.rules.spec.name)
            while len(review.moves) < len(review.states) - 1:
                if time.monotonic() - review.asked > _UNASKED_SECONDS:
                    return
                async with self._turns:
                    moves = await self._host.compute(_moves, reviewer, review, stop)
                if not moves:
                    break  # the record goes on after the end by the rules
                review.moves += moves
            review.moments = [move.ply for move in most_lost(review.moves)]
            review.levels = await self._host.compute(_levels, reviewer, review.record, stop)
            with suppress(CannotWrite):  # it is only computed again
                await self._host.run(self._stored.put, review)
        except Exception as error:  # the page shows it; the server goes on
            review.error = text_of(Sentence("The review ended: {error}", error=first_line(error)))
        finally:
            stop.set()
        review.done = True


def _runs(review: _Review) -> bool:
    return review.task is not None and not review.task.done()


def _moves(reviewer: Reviewer, review: _Review, stop: Event) -> list[ReviewedMove]:
    """The next moves of a review. Raises Abandoned if `stop` is set meanwhile."""
    moves = reviewer.block(review.states, len(review.moves), review.ratings, stop)
    return [_message(reviewer, review.states[move.ply], move) for move in moves]


def _message(reviewer: Reviewer, state: Any, move: MoveReview) -> ReviewedMove:
    rules, judges = reviewer.rules, reviewer.judges
    first = move.player == 0
    return ReviewedMove(
        ply=move.ply,
        player=move.player,
        text=rules.move_text(state, move.move),
        name=move.name,
        likely=round(move.likely, 5),
        expected=rules.move_text(state, move.expected),
        expected_name=move.expected_name,
        best=rules.move_text(state, move.best),
        best_name=move.best_name,
        best_likely=round(move.best_likely, 5),
        found=round(move.found, 4) if judges else None,
        loss=round(move.loss, 4) if judges else None,
        difficulty=round(move.difficulty, 4) if judges else None,
        score=None if move.people_score is None else round(move.people_score, 4),
        blunder=move.listed,
        mark=move.mark,
        line=list(_line_view(rules, state, move.line)) if move.mark else [],
        answer=list(_line_view(rules, rules.play(state, move.move), move.answer)) if move.mark else [],
        kind=move.kind,
        kind_text=text_of(reviewer.parts.kind_titles[move.kind]) if move.kind else None,
        chance=round(move.after if first else 1 - move.after, 4) if judges else None,
        mate=move.mate,
    )


def _line_view(rules: Game[Any], state: Any, line: Sequence[Move]) -> Iterator[LegalMove]:
    for move in line:
        yield legal_move(rules, state, move)
        state = rules.play(state, move)


def _levels(
    reviewer: Reviewer, record: GameRecord, stop: Event
) -> tuple[LevelEstimate | None, LevelEstimate | None]:
    """How strong the moves of both players are; None without a model or without moves."""
    first, second = reviewer.levels(RecordedGame(reviewer.game, record), stop)
    return _level(reviewer.game, first), _level(reviewer.game, second)


def _level(game: str, estimate: RatingEstimate | None) -> LevelEstimate | None:
    if estimate is None:
        return None
    system = describe(game).ratings
    return LevelEstimate(
        rating=round(estimate.rating, 1),
        shown=system.nearest(estimate.rating),
        interval=(round(estimate.low, 1), round(estimate.high, 1)),
        shown_interval=(system.nearest(estimate.low), system.nearest(estimate.high)),
        moves=estimate.moves,
    )


# Routes of the pages that explain positions and games.


router = APIRouter(prefix="/api", tags=["understand"], responses=REFUSALS)


ReviewsOfApp = Annotated[Reviews, of_app("reviews")]


@router.post("/understand")
async def understand(wanted: UnderstandRequest, host: Host, asker: AskingVisitor) -> PositionInsight:
    """What people of each rating play in a position, and what is strong."""
    return await asker.answer(lambda stop: _understand(host, wanted, stop))


@router.post("/read")
async def read(wanted: ReadRequest, asker: AskingVisitor) -> ReadView:
    """Recognises a position, or games in any format, whichever game they are of."""
    return await asker.answer(lambda stop: read_view(read_pasted(wanted.text, wanted.game, stop)))


@router.post("/reviews", status_code=201)
async def begin_review(wanted: ReviewRequest, visitor: Visitor, reviews: ReviewsOfApp) -> ReviewView:
    """Starts a review of a game. It goes on in the background: ask for it again until it is done."""
    return await reviews.begin(visitor, wanted)


@router.get("/reviews/{review_id}")
async def get_review(
    review_id: str,
    visitor: Visitor,
    reviews: ReviewsOfApp,
    since: Annotated[int, Query(ge=0, le=100_000)] = 0,
) -> ReviewView:
    """A review, with its moves from a number on."""
    return reviews.view(visitor, review_id, since)


def asked_position(host: GameHost, wanted: UnderstandRequest) -> tuple[Insight, Any, str | None]:
    """The state that a request names, what judges it, and a warning about its record. Raises Refused."""
    try:
        rules = load_game(wanted.game, **wanted.options)
        rating = None
        if wanted.rating is not None and host.opponents.ratings(wanted.game) is not None:
            rating = host.opponents.rating_number(wanted.game, wanted.rating)
        insight, warning = Insight(rules, host.opponents, rating), None
        if wanted.record is None:
            state = rules.initial() if wanted.position is None else rules.parse(wanted.position)
        else:
            record, warning = parse_record(rules, wanted.record, wanted.format, wanted.record_index)
            states = states_of(rules, record)
            ply = len(states) - 1 if wanted.ply is None else wanted.ply
            if ply >= len(states):
                sentence = Sentence("The game has {moves} moves, not {ply}.", moves=len(states) - 1, ply=ply)
                raise Refused(sentence, 422)
            state = states[ply]
        for text in wanted.moves:
            state = rules.play(state, rules.parse_move(state, text))
    except (ParseError, IllegalMove, ValueError, TypeError) as error:
        raise Refused(message_of(error), 422) from None
    return insight, state, warning


def _understand(host: GameHost, wanted: UnderstandRequest, stop: Event) -> PositionInsight:
    insight, state, warning = asked_position(host, wanted)
    is_end = wanted.record is not None and insight.rules.outcome(state) is not None
    view = insight.board(state) if is_end else insight.of(state, stop)
    return view if warning is None else view.model_copy(update={"warning": text_of(warning)})
