"""Reviews of whole games: what each move cost, how hard it was, and what people of a level miss."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import Counter, OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from threading import Event
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
from fastapi import APIRouter, Query, Request
from pydantic import Field

from sparring.base.errors import NotFound, first_line
from sparring.base.sentences import Sentence
from sparring.games import Game, IllegalMove, Move, ParseError, describe, load_game, move_name
from sparring.measure.strength import (
    GameEvidence,
    StrengthModel,
    collect_evidence,
    estimate_rating,
    shipped_strength_model,
)
from sparring.networks import Position
from sparring.players import DEFAULT_RATING
from sparring.records.readers import RecordedGame
from sparring.records.record import GameRecord
from sparring.server.game_host import GameHost
from sparring.server.messages import ApiMessage, GameName, LegalMove, RecordText, Text, text_of
from sparring.server.pasted import ReadRequest, ReadView, parse_record, read_pasted, read_view, states_of
from sparring.server.refusal import REFUSALS, Refused, message_of
from sparring.server.routes import Host, Visitor, of_app
from sparring.server.understand import (
    BLUNDER,
    Insight,
    PositionInsight,
    UnderstandRequest,
    legal_move,
    shown_rating,
)

_POLL_SECONDS = 0.5
"""Time between looks whether somebody still waits for an answer."""
_UNASKED_SECONDS = 90.0
"""Time without a request after which a review rests until it is asked for. Pages in the background ask once a
minute."""
_KEPT = 100
"""Reviews in memory, of all visitors."""
_RUNNING = 2
"""Reviews of a visitor that are computed at once."""
_ABANDONED_SECONDS = 5.0
"""A review that nobody has asked for in this time rests when its visitor begins another one. The page asks
several times a second."""
_LOOKED = 12
"""Moves of a position whose values are computed: the likeliest for people, and the played one."""
GOOD = 0.05
"""A move that gives away less than this, in expected score, is good."""
_GRAVE = 0.2
"""A move that gives away at least this is marked as a blunder."""
_USUAL = 0.25
"""Probability from which people of a rating often play a move. It is marked only if it is a mistake."""
_PASS = "pass"
"""Text of a pass. Passes and answers to them are not judged: people agree on dead stones, and the judgement
counts all stones."""
_MOVES = 1_000
"""Moves of a game that are reviewed."""


Mark: TypeAlias = Literal["", "doubtful", "mistake", "blunder"]


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
    blunder: bool = Field(description="Whether it gave away more than 0.1.")
    mark: Mark = Field(
        description="doubtful: it gave away at least 0.05, mistake: 0.1, blunder: 0.2, by a small search. "
        "Empty below 0.1 for moves that people of this rating often play, below 0.2 in named openings, and "
        "for passes and answers to them."
    )
    line: list[LegalMove] = Field(
        description="The best moves from here on, by that search; empty without a mark."
    )


class LevelEstimate(ApiMessage):
    """A player's rating, estimated from the moves of this game alone."""

    rating: float
    shown: str = Field(description="As people write it.")
    interval: tuple[float, float] = Field(description="95 % interval.")
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
    done: bool
    error: Text | None = None
    warning: Text | None = Field(default=None, description="What could not be read of the game.")


@dataclass
class _Review:
    visitor: str
    rules: Game[Any]
    record: GameRecord
    states: list[Any]
    ratings: tuple[int | None, int | None]
    moves: list[ReviewedMove] = field(default_factory=list)
    levels: tuple[LevelEstimate | None, LevelEstimate | None] = (None, None)
    task: asyncio.Task[None] | None = None
    done: bool = False
    asked: float = field(default_factory=time.monotonic)
    """When it was last asked for."""
    error: Text | None = None
    warning: str | None = None


class Reviews:
    """The reviews of the server, each computed move by move as long as somebody asks for it."""

    def __init__(self, host: GameHost) -> None:
        self._host = host
        self._reviews: OrderedDict[str, _Review] = OrderedDict()
        self._preparing: Counter[str] = Counter()
        """Reviews of each visitor that are about to begin."""

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
        return _Review(visitor, rules, record, states, ratings, warning=warning)

    def _ratings(
        self, rules: Game[Any], record: GameRecord, wanted: int | str | None
    ) -> tuple[int | None, int | None]:
        """The ratings of both players within the range of the network. Raises Refused."""
        game = rules.spec.name
        accepted, system = self._host.opponents.ratings(game), describe(game).ratings
        if accepted is None:
            return None, None
        low, high = accepted
        if wanted is not None:
            number = self._host.opponents.rating_number(game, wanted)
            return number, number
        recorded = record.ratings(system)
        usual = system.number(DEFAULT_RATING.get(game))
        fallback = next((rating for rating in recorded if rating is not None), usual)
        first, second = (min(max(rating or fallback or low, low), high) for rating in recorded)
        return first, second

    def _running(self, visitor: str) -> int:
        """The reviews of a visitor that are computed, or about to be."""
        own = (review for review in self._reviews.values() if review.visitor == visitor)
        return sum(map(_runs, own)) + self._preparing[visitor]

    def _go_on(self, review: _Review) -> None:
        """Computes a review that rests, unless others of the visitor are computed."""
        if not review.done and not _runs(review) and self._running(review.visitor) < _RUNNING:
            review.task = asyncio.create_task(self._run(review))

    async def _run(self, review: _Review) -> None:
        insight = Insight(review.rules, self._host.opponents)
        try:
            for state, after in pairwise(review.states[len(review.moves) :]):
                if time.monotonic() - review.asked > _UNASKED_SECONDS:
                    return
                review.moves.append(await self._host.compute(_review_move, insight, review, state, after))
            review.levels = await self._host.compute(_levels, insight, review.record)
        except Exception as error:  # the page shows it; the server goes on
            review.error = text_of(Sentence("The review ended: {error}", error=first_line(error)))
        review.done = True


def _runs(review: _Review) -> bool:
    return review.task is not None and not review.task.done()


def _review_move(insight: Insight, review: _Review, state: Any, after: Any) -> ReviewedMove:
    """A move by the strong network's judgement at one glance; where that doubts it, by a small search too."""
    player, rules, move = state.to_move, review.rules, after.last_move
    own, other = review.ratings[player], review.ratings[1 - player]
    prediction = insight.human.predict([Position(state, own, other)])[0]
    human = prediction.probabilities
    played = prediction.moves.index(move)
    likeliest = np.argsort(-human, kind="stable")[:_LOOKED]
    values = insight.values(state, [*(prediction.moves[i] for i in likeliest), move])
    losses = values.losses
    best = int(values.strong.argmax()) if losses is None else int(np.nanargmin(losses))
    loss = difficulty = good_share = None
    line: list[Move] = []
    if losses is not None:
        loss = float(losses[played])
        if loss >= GOOD and not _is_excused(rules, after, loss, float(human[played])):
            line, top = insight.best_line(state)
            loss = 0.0 if line[0] == move else max(0.0, top - insight.score_after(state, move))
            best = prediction.moves.index(line[0])
            losses[played], losses[best] = loss, 0.0
        looked = np.flatnonzero(~np.isnan(losses))
        share = human[looked] / human[looked].sum()
        difficulty = float((share * losses[looked]).sum())
        good_share = float(share[losses[looked] < GOOD].sum())
    mark = "" if loss is None else _mark(rules, after, loss, float(human[played]))
    expected, value = prediction.moves[int(human.argmax())], prediction.value
    score = None if value is None else (1 + value) / 2
    return ReviewedMove(
        ply=state.ply,
        player=player,
        text=rules.move_text(state, move),
        name=move_name(state, move),
        likely=round(float(human[played]), 5),
        expected=rules.move_text(state, expected),
        expected_name=move_name(state, expected),
        best=rules.move_text(state, prediction.moves[best]),
        best_name=move_name(state, prediction.moves[best]),
        best_likely=round(float(human[best]), 5),
        found=None if good_share is None else round(good_share, 4),
        loss=None if loss is None else round(loss, 4),
        difficulty=None if difficulty is None else round(difficulty, 4),
        score=None if score is None else round(score if player == 0 else 1 - score, 4),
        blunder=mark != "" and loss is not None and loss > BLUNDER,
        mark=mark,
        line=list(_line_view(rules, state, line)) if mark else [],
    )


def _is_excused(rules: Game[Any], after: Any, loss: float, likely: float) -> bool:
    """Whether the last move is not to blame: it belongs to a named opening, or people often play it and its
    loss is within what the judgement errs, or it is a pass or answers one."""
    if any(_is_pass(rules, state) for state in (after, after.previous)):
        return True
    in_opening = describe(rules.spec.name).is_opening_position
    if in_opening is not None and loss < _GRAVE and in_opening(after):
        return True
    return likely >= _USUAL and loss < BLUNDER


def _is_pass(rules: Game[Any], state: Any) -> bool:
    """Whether a state comes after a pass."""
    before = state.previous
    return before is not None and rules.move_text(before, state.last_move) == _PASS


def _mark(rules: Game[Any], after: Any, loss: float, likely: float) -> Mark:
    if loss < GOOD or _is_excused(rules, after, loss, likely):
        return ""
    return "doubtful" if loss < BLUNDER else "mistake" if loss < _GRAVE else "blunder"


def _line_view(rules: Game[Any], state: Any, line: Sequence[Move]) -> Iterator[LegalMove]:
    for move in line:
        yield legal_move(rules, state, move)
        state = rules.play(state, move)


def _levels(insight: Insight, record: GameRecord) -> tuple[LevelEstimate | None, LevelEstimate | None]:
    """How strong the moves of both players are; None without a model or without moves."""
    game = insight.game
    try:
        model = shipped_strength_model(game)
    except NotFound:
        return None, None
    strong = insight.strong if model.feature_weight > 0 else None
    (sides,) = collect_evidence(insight.human, strong, [RecordedGame(game, record)], model.ratings)
    first, second = (None if side is None else _level(game, model, side) for side in sides)
    return first, second


def _level(game: str, model: StrengthModel, evidence: GameEvidence) -> LevelEstimate:
    estimate, system = estimate_rating(model, [evidence]), describe(game).ratings
    return LevelEstimate(
        rating=round(estimate.rating, 1),
        shown=system.format(round(estimate.rating)),
        interval=(round(estimate.low, 1), round(estimate.high, 1)),
        moves=evidence.moves,
    )


# Routes of the pages that explain positions and games.


router = APIRouter(prefix="/api", tags=["understand"], responses=REFUSALS)


ReviewsOfApp = Annotated[Reviews, of_app("reviews")]


@router.post("/understand")
async def understand(
    wanted: UnderstandRequest, request: Request, host: Host, visitor: Visitor
) -> PositionInsight:
    """What people of each rating play in a position, and what is strong."""
    answering = asyncio.create_task(host.answer(visitor, lambda stop: _understand(host, wanted, stop)))
    leaving = asyncio.create_task(_until_left(request))
    try:
        await asyncio.wait([answering, leaving], return_when=asyncio.FIRST_COMPLETED)
        if not answering.done():
            raise Refused(Sentence("Nobody waits for the answer."), 503)
        return await answering
    finally:
        answering.cancel()
        leaving.cancel()


async def _until_left(request: Request) -> None:
    """Returns when the client has closed the connection."""
    while not await request.is_disconnected():
        await asyncio.sleep(_POLL_SECONDS)


@router.post("/read")
async def read(wanted: ReadRequest, host: Host, visitor: Visitor) -> ReadView:
    """Recognises a position, or games in any format, whichever game they are of."""
    return await host.answer(visitor, lambda stop: read_view(read_pasted(wanted.text, wanted.game, stop)))


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


def _understand(host: GameHost, wanted: UnderstandRequest, stop: Event) -> PositionInsight:
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
                raise Refused(
                    Sentence("The game has {moves} moves, not {ply}.", moves=len(states) - 1, ply=ply), 422
                )
            state = states[ply]
        for text in wanted.moves:
            state = rules.play(state, rules.parse_move(state, text))
    except (ParseError, IllegalMove, ValueError, TypeError) as error:
        raise Refused(message_of(error), 422) from None
    is_end = wanted.record is not None and rules.outcome(state) is not None
    view = insight.board(state) if is_end else insight.of(state, stop)
    return view if warning is None else view.model_copy(update={"warning": text_of(warning)})
