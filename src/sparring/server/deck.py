"""The deck: a person's own mistakes as problems, with spaced repetition.

A card is a position of a reviewed game in which the person's move gave much away. It holds all that it needs:
the game that it comes from may be deleted. A move is right if it is the review's best one, or if it gives
away less than what has a mark, by the judge of the review.

The schedule is SM-2 (Wozniak 1990): a card is due after 1 day, after 6 days, and then after the last interval
times its ease. Only the first try of a card that is due counts.
"""

from __future__ import annotations

import csv
import html
import io
import json
import secrets
import sqlite3
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from threading import Event
from typing import Annotated, Any, Literal, Self, TypeAlias

import numpy as np
from fastapi import APIRouter, Path, Query, Response
from pydantic import Field

from sparring.base.errors import raise_if_stopped
from sparring.base.sentences import Sentence
from sparring.games import GAMES, Game, IllegalMove, ParseError, describe, load_game, move_name
from sparring.games.states import states_to
from sparring.measure.review import DOUBTFUL
from sparring.players.adaptive import OpponentResult, StrengthEstimate, estimate_strength
from sparring.records.readers import writer_of, written_formats
from sparring.records.record import GameRecord
from sparring.server.game_host import GameHost
from sparring.server.messages import (
    ApiMessage,
    BoardView,
    GameName,
    GameView,
    LegalMove,
    MoveText,
    NewGame,
    StrengthView,
    Text,
    board_view,
    legal_move,
)
from sparring.server.progress import finding_of, keep_finding, opponent_of_my_level
from sparring.server.refusal import REFUSALS, Refused, message_of
from sparring.server.review import ReviewedMove, Reviews, ReviewsOfApp
from sparring.server.routes import AskingVisitor, Host, Visitor, of_app
from sparring.server.security import OWNER
from sparring.server.store import OWN, Database, parse_ending
from sparring.server.teacher import judge

_MOST_CARDS = 5_000
"""Cards of a visitor."""
_DAY = 86_400.0
_FIRST_RATING = 1500.0
"""Puzzle rating of a person before the first answer, as on Lichess."""
_DRAW_HOLDS = 0.75
"""Expected score from which a position must be won to count as held; below, a draw is enough."""


# The schedule.


Grade: TypeAlias = Literal[1, 2, 5]
"""The grades of SM-2 that are used. 5: right at the first try. 2: wrong at the first try. 1: given up."""
_PASSED = 3
"""Lowest grade that counts as remembered."""
_LEAST_EASE = 1.3


@dataclass(frozen=True)
class Schedule:
    """When a card is due, by SM-2."""

    due: float
    """Unix time."""
    interval: float = 0.0
    """Days from the last counted try to `due`; 0 before the first."""
    ease: float = 2.5
    """Factor of the next interval."""
    repetitions: int = 0
    """Right first tries in a row."""

    def after(self, grade: Grade, now: float) -> Schedule:
        """The schedule after a try of grade `grade` at time `now`."""
        miss = 5 - grade
        ease = max(_LEAST_EASE, self.ease + 0.1 - miss * (0.08 + miss * 0.02))
        if grade < _PASSED:
            return Schedule(now + _DAY, 1.0, ease, 0)
        first = (1.0, 6.0)
        interval = first[self.repetitions] if self.repetitions < len(first) else self.interval * self.ease
        return Schedule(now + interval * _DAY, interval, ease, self.repetitions + 1)


# A card, as the database has it.


@dataclass(frozen=True)
class Card:
    """A position in which the person erred."""

    game: str
    start: str
    """Text of the position in which the game began."""
    moves: list[str]
    """The moves of the game up to the position."""
    played: str
    loss: float
    """Expected score that the played move gave away."""
    mark: str
    best: str
    line: list[str]
    """The best moves from the position on."""
    expected: float | None
    """Expected score of the person before the move, between people of the players' ratings."""
    options: dict[str, Any] = field(default_factory=dict)
    """Options of the game's rules."""
    answer: list[str] = field(default_factory=list)
    """The best moves after the played one, if the review has them."""
    kind: dict[str, Any] | None = None
    """The message of a sentence on the kind of the mistake, if the review proved one."""
    source: str = ""
    """Id of the game on the page; empty for a pasted one."""
    title: str = ""
    """The players of a pasted game."""
    plausible: list[int] = field(default_factory=list)
    """Equally likely values of its puzzle rating; empty where there is no model of puzzle ratings."""

    def rules(self) -> Game[Any]:
        """The game with its options."""
        return load_game(self.game, **self.options)

    def state(self) -> Any:
        """The position, with the moves before it."""
        rules = self.rules()
        state = rules.parse(self.start)
        for text in self.moves:
            state = rules.play(state, rules.parse_move(state, text))
        return state

    def to_json(self) -> str:
        """The card as text."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The card of a text by `to_json`."""
        return cls(**json.loads(text))


@dataclass(frozen=True)
class StoredCard:
    """A card of the database."""

    id: str
    card: Card
    schedule: Schedule
    created: float
    answered: int
    """Tries that counted."""
    solved: int
    """Those that were right."""


# Messages.


class PuzzleView(ApiMessage):
    """How hard a card is, on the scale of Lichess's puzzle ratings. It is no rating of games."""

    rating: int = Field(description="Predicted puzzle rating.")
    interval: tuple[int, int] = Field(description="80 % interval.")
    chance: float = Field(description="Chance that a person with your puzzle rating finds the move.")


class CardView(ApiMessage):
    """A card of the deck."""

    id: str
    game: str
    position: str
    board: BoardView
    turn: int
    sides: tuple[str, str]
    ply: int
    last: str | None = Field(description="Text of the move before; null at the beginning of a game.")
    check: bool
    legal: list[LegalMove] = Field(description="Empty in lists of cards.")
    played: LegalMove
    loss: float = Field(description="Expected score that the played move gave away.")
    mark: str
    kind: Text | None = Field(description="The kind of the mistake, if the review proved one.")
    source: str = Field(description="Id of the game on the page; empty for a pasted one.")
    title: str = Field(description="The players of a pasted game.")
    puzzle: PuzzleView | None = Field(description="Null where there is no model of puzzle ratings.")
    created: float
    due: float = Field(description="Unix time from which a try counts.")
    days: float = Field(description="Days between the last counted try and `due`; 0 before the first.")
    answered: int = Field(description="Tries that counted.")
    solved: int = Field(description="Those that were right.")
    played_on: int = Field(description="Finished games that were played on from here.")
    held: int = Field(description="Those that ended as well as the position promised.")


class LineStep(ApiMessage):
    """A move of a line, and the position after it."""

    text: str
    name: str
    position: str
    board: BoardView
    check: bool


class TryView(ApiMessage):
    """The answer to a move, or to giving up."""

    right: bool
    best: bool = Field(description="Whether it is the review's best move.")
    loss: float | None = Field(description="Expected score that the move gives away; null if unknown.")
    name: str = Field(description="The move; empty after giving up.")
    line: list[LineStep] = Field(
        description="Why: after a right move or giving up the moves from the position on, after a wrong one "
        "the move and the answer to it."
    )
    counted: bool = Field(
        description="Whether it changed the schedule: only the first try of a due card does."
    )
    days: float = Field(description="Days until the card is due again.")
    rating: StrengthView | None = Field(description="Your puzzle rating, if this try changed it.")


class DeckCount(ApiMessage):
    """The cards of a game."""

    game: str
    due: int
    cards: int


class DeckView(ApiMessage):
    """The deck."""

    counts: list[DeckCount]
    rating: StrengthView | None = Field(
        description="Your puzzle rating by first tries of rated cards; null before the first."
    )
    cards: list[CardView]


class KeepReview(ApiMessage):
    """What is kept of a review of yours."""

    review: str = Field(max_length=64, description="Id of a review that is done.")
    side: Literal[0, 1] = Field(description="Your side.")
    source: str = Field(default="", max_length=64, description="Id of the game on the page that it reviews.")
    cards: bool = Field(default=True, description="Whether its mistakes go into the deck.")


class KeptReview(ApiMessage):
    """What went into the deck."""

    added: int
    cards: list[str] = Field(description="Ids of the mistakes of this game, in order, also of earlier ones.")


class CardTry(ApiMessage):
    """A move in the position of a card; null gives up."""

    move: MoveText | None


Order: TypeAlias = Literal["due", "latest", "level"]
DeckFormat: TypeAlias = Literal["pgn", "sgf", "kif", "csa", "tsv"]


# The deck in the database.


_COLUMNS = (
    "id, card, due, interval, ease, repetitions, created,"
    " (SELECT count(*) FROM deck_answers WHERE card = deck_cards.id),"
    " (SELECT count(*) FROM deck_answers WHERE card = deck_cards.id AND grade >= 3)"
)
_ORDERS = {"due": "due, created", "latest": "created DESC", "level": "due, created"}


class Deck:
    """The cards of a database. Safe for threads."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, visitor: str, cards: Sequence[Card]) -> KeptReview:
        """Adds cards whose positions are not in the deck yet, all in one transaction. Raises Refused."""
        now = time.time()
        rows = [(secrets.token_urlsafe(9), card, str(card.state().key)) for card in cards]

        def work(file: sqlite3.Connection) -> tuple[int, list[str]]:
            ((count,),) = file.execute("SELECT count(*) FROM deck_cards WHERE visitor = ?", (visitor,))
            if count + len(rows) > _MOST_CARDS:
                raise Refused(Sentence("The deck is full: it holds {count} cards.", count=_MOST_CARDS), 429)
            added, ids = 0, []
            for card_id, card, key in rows:
                values = (card_id, visitor, card.game, key, card.to_json(), now, now)
                added += file.execute(
                    "INSERT INTO deck_cards VALUES (?, ?, ?, ?, ?, ?, 0, 2.5, 0, ?) ON CONFLICT DO NOTHING",
                    values,
                ).rowcount
                ((stored_id,),) = file.execute(
                    "SELECT id FROM deck_cards WHERE visitor = ? AND game = ? AND position = ?",
                    (visitor, card.game, key),
                )
                ids.append(stored_id)
            return added, ids

        added, ids = self._database.write(work)
        return KeptReview(added=added, cards=list(dict.fromkeys(ids)))

    def counts(self, visitor: str) -> list[DeckCount]:
        """The cards of each game, and those that are due."""
        rows = self._database.read(
            f"SELECT game, sum(due <= :now), count(*) FROM deck_cards WHERE {OWN} GROUP BY game",
            {"visitor": visitor, "now": time.time()},
        )
        return [DeckCount(game=game, due=due, cards=count) for game, due, count in rows]

    def cards(
        self, visitor: str, game: str | None = None, order: Order = "latest", count: int = -1
    ) -> list[StoredCard]:
        """Cards of a visitor: those that are due first, or the latest first."""
        rows = self._database.read(
            f"SELECT {_COLUMNS} FROM deck_cards WHERE {OWN} AND (:game IS NULL OR game = :game)"
            f" ORDER BY {_ORDERS[order]} LIMIT :count",
            {"visitor": visitor, "game": game, "count": count},
        )
        return [_stored(row) for row in rows]

    def find(self, visitor: str, card_id: str) -> StoredCard:
        """A card of a visitor. Raises Refused."""
        rows = self._database.read(
            f"SELECT {_COLUMNS} FROM deck_cards WHERE id = :id AND {OWN}", {"id": card_id, "visitor": visitor}
        )
        if not rows:
            raise Refused(Sentence("There is no such card of yours."), 404)
        return _stored(rows[0])

    def delete(self, visitor: str, card_id: str) -> None:
        """Deletes a card. Its answers stay: they are evidence of a puzzle rating. Raises Refused."""
        self.find(visitor, card_id)
        self._database.write(lambda file: file.execute("DELETE FROM deck_cards WHERE id = ?", (card_id,)))

    def answer(self, visitor: str, card_id: str, grade: Grade) -> tuple[bool, Schedule]:
        """Counts a try if the card is due; whether it counted, and the schedule. Raises Refused."""
        now = time.time()

        def work(file: sqlite3.Connection) -> tuple[bool, Schedule]:
            row = file.execute(
                "SELECT due, interval, ease, repetitions, game, card FROM deck_cards"
                f" WHERE id = :id AND {OWN}",
                {"id": card_id, "visitor": visitor},
            ).fetchone()
            if row is None:
                raise Refused(Sentence("There is no such card of yours."), 404)
            schedule = Schedule(*row[:4])
            if schedule.due > now:
                return False, schedule
            following = schedule.after(grade, now)
            values = (following.due, following.interval, following.ease, following.repetitions, card_id)
            file.execute(
                "UPDATE deck_cards SET due = ?, interval = ?, ease = ?, repetitions = ? WHERE id = ?", values
            )
            file.execute(
                "INSERT INTO deck_answers VALUES (NULL, ?, ?, ?, ?, ?, ?)",
                (visitor, row[4], card_id, now, grade, json.dumps(Card.from_json(row[5]).plausible)),
            )
            return True, following

        counted, schedule = self._database.write(work)
        return bool(counted), schedule

    def puzzle_rating(self, visitor: str) -> StrengthEstimate | None:
        """The visitor's puzzle rating by the first try of each rated card, the oldest first; later tries show
        memory too. None before the first."""
        rows = self._database.read(
            f"SELECT grade, plausible FROM deck_answers WHERE {OWN} AND plausible != '[]' AND id IN"
            " (SELECT min(id) FROM deck_answers GROUP BY card) ORDER BY id",
            {"visitor": visitor},
        )
        if not rows:
            return None
        ratings = [np.array(json.loads(plausible), dtype=np.float64) for _, plausible in rows]
        results = [
            OpponentResult(round(float(rating.mean())), float(grade >= _PASSED))
            for (grade, _), rating in zip(rows, ratings, strict=True)
        ]
        return estimate_strength(results, _FIRST_RATING, [float(rating.std()) for rating in ratings])

    def link(self, game_id: str, card_id: str) -> None:
        """Remembers that a game is played on from a card."""
        statement = "INSERT OR REPLACE INTO deck_games VALUES (?, ?)"
        self._database.write(lambda file: file.execute(statement, (game_id, card_id)))

    def held(self, stored: StoredCard) -> tuple[int, int]:
        """The finished games that were played on from a card, and those in which the person held it."""
        rows = self._database.read(
            "SELECT ending, json_extract(settings, '$.you') FROM deck_games JOIN games ON games.id = game"
            " WHERE card = ? AND ending IS NOT NULL",
            (stored.id,),
        )
        scores = [end.score(you) for ending, you in rows if (end := parse_ending(ending)) and you is not None]
        expected = stored.card.expected
        least = 1.0 if expected is not None and expected >= _DRAW_HOLDS else 0.5
        return len(scores), sum(score is not None and score >= least for score in scores)


def _stored(row: tuple[Any, ...]) -> StoredCard:
    card_id, text, due, interval, ease, repetitions, created, answered, solved = row
    schedule = Schedule(due, interval, ease, repetitions)
    return StoredCard(card_id, Card.from_json(text), schedule, created, answered, solved)


# Cards out of a review.


def mistakes_of(
    states: Sequence[Any], moves: Sequence[ReviewedMove], side: int
) -> Iterator[tuple[Any, ReviewedMove]]:
    """The states in which a side made a marked mistake, with the reviewed moves."""
    for state, move in zip(states, moves, strict=False):
        wrong = move.blunder and move.text != move.best and move.line
        if move.player == side and wrong:
            yield state, move


def make_card(
    rules: Game[Any], state: Any, move: ReviewedMove, options: dict[str, Any], source: str, title: str
) -> Card:
    """The card of a mistake. Takes some time where it predicts the puzzle rating."""
    before = states_to(state)
    expected = move.score if move.score is None or move.player == 0 else 1 - move.score
    kind: Text | None = getattr(move, "kind_text", None)
    return Card(
        game=rules.spec.name,
        start=rules.text(before[0]),
        moves=[rules.move_text(one, other.last_move) for one, other in pairwise(before)],
        played=move.text,
        loss=move.loss or 0.0,
        mark=move.mark,
        best=move.best,
        line=[step.text for step in move.line],
        expected=expected,
        options=options,
        answer=[step.text for step in getattr(move, "answer", ())],
        kind=None if kind is None else kind.model_dump(),
        source=source,
        title=title,
        plausible=_plausible_ratings(rules.spec.name, state, move.best),
    )


def _plausible_ratings(game: str, state: Any, best: str) -> list[int]:
    """Equally likely puzzle ratings of the problem to find a move; empty without a model."""
    rater = describe(game).problem_rater
    return [] if rater is None else [round(value) for value in rater()(state, [best]).plausible]


def keep(
    deck: Deck, reviews: Reviews, host: GameHost, visitor: str, wanted: KeepReview, stop: Event
) -> KeptReview:
    """Keeps what a review found of a side, and puts its mistakes into the deck. Raises Refused, and Abandoned
    if `stop` is set before anything is kept."""
    view = reviews.view(visitor, wanted.review, 0)
    if not view.done or view.error is not None:
        raise Refused(Sentence("Wait until the review is done."))
    record, states = reviews.reviewed(visitor, wanted.review)
    stored, options = None, dict[str, Any]()
    if wanted.source:
        stored = host.store.load(wanted.source)
        if stored is None or visitor not in (stored.visitor, OWNER):
            raise Refused(Sentence("There is no such game of yours."), 404)
        if stored.settings.game != view.game or [move.text for move in stored.moves] != [
            move.text for move in view.moves
        ]:
            raise Refused(Sentence("This is the review of another game."), 422)
        options = dict(stored.settings.options)
    rules = load_game(view.game, **options)
    score = record.result if record.result is None or wanted.side == 0 else 1 - record.result
    finding = finding_of(rules, states, view.moves, wanted.side, score, stored)
    key = wanted.source or str(record.identity(view.game))
    title = " – ".join(name for name in view.players if name) if stored is None else ""
    cards = []
    for state, move in mistakes_of(states, view.moves, wanted.side) if wanted.cards else ():
        raise_if_stopped(stop)
        cards.append(make_card(rules, state, move, options, wanted.source, title))
    keep_finding(host.store.database, visitor, view.game, key, finding)
    return deck.add(visitor, cards)


# Views.


def card_view(
    deck: Deck, stored: StoredCard, rating: StrengthEstimate | None, *, legal: bool = False
) -> CardView:
    """The message of a card; `rating` is the visitor's puzzle rating."""
    card, schedule = stored.card, stored.schedule
    rules, state = card.rules(), card.state()
    played_on, held = deck.held(stored)
    return CardView(
        id=stored.id,
        game=card.game,
        position=rules.text(state),
        board=board_view(rules.diagram(state)),
        turn=state.to_move,
        sides=(rules.spec.players[0], rules.spec.players[1]),
        ply=state.ply,
        last=card.moves[-1] if card.moves else None,
        check=bool(getattr(state, "in_check", False)),
        legal=[legal_move(rules, state, move) for move in rules.legal_moves(state)] if legal else [],
        played=legal_move(rules, state, rules.parse_move(state, card.played)),
        loss=card.loss,
        mark=card.mark,
        kind=None if card.kind is None else Text(**card.kind),
        source=card.source,
        title=card.title,
        puzzle=puzzle_view(card, rating),
        created=stored.created,
        due=schedule.due,
        days=schedule.interval,
        answered=stored.answered,
        solved=stored.solved,
        played_on=played_on,
        held=held,
    )


def puzzle_view(card: Card, rating: StrengthEstimate | None) -> PuzzleView | None:
    """The puzzle rating of a card, and the chance of a person: Glicko's expected score, averaged over the
    values that the card's rating may have. Without a rating the person has the first one."""
    if not card.plausible:
        return None
    values = np.array(card.plausible, dtype=np.float64)
    person = _FIRST_RATING if rating is None else rating.mean
    low, high = np.quantile(values, [0.1, 0.9])
    return PuzzleView(
        rating=round(float(values.mean())),
        interval=(round(float(low)), round(float(high))),
        chance=round(float(np.mean(1 / (1 + 10 ** ((values - person) / 400)))), 4),
    )


def _rating_view(estimate: StrengthEstimate | None) -> StrengthView | None:
    if estimate is None:
        return None
    interval = (round(estimate.low, 1), round(estimate.high, 1))
    return StrengthView(rating=round(estimate.mean, 1), interval=interval, games=estimate.games)


def _deck_view(deck: Deck, visitor: str, game: str | None, order: Order, count: int) -> DeckView:
    rating = deck.puzzle_rating(visitor)
    stored = deck.cards(visitor, game, order, -1 if order == "level" else count)
    if order == "level":  # those that the person finds with a chance near one half come first
        chances = {card.id: view.chance for card in stored if (view := puzzle_view(card.card, rating))}
        stored = sorted(
            (card for card in stored if card.id in chances), key=lambda card: abs(chances[card.id] - 0.5)
        )[:count]
    return DeckView(
        counts=deck.counts(visitor),
        rating=_rating_view(rating),
        cards=[card_view(deck, card, rating) for card in stored],
    )


# Trying a card.


def _try(host: GameHost, deck: Deck, visitor: str, card_id: str, text: str | None, stop: Event) -> TryView:
    """The answer to a move of a person, or to giving up. Raises Refused."""
    card = deck.find(visitor, card_id).card
    rules, state = card.rules(), card.state()
    grade: Grade = 1
    loss, played, name, line = None, "", "", card.line
    if text is not None:
        try:
            move = rules.parse_move(state, text)
        except (ParseError, IllegalMove) as error:
            raise Refused(Sentence("{error}.", error=message_of(error)), 422) from None
        played, name = rules.move_text(state, move), move_name(state, move)
        if played == card.best:
            loss = 0.0
        elif played == card.played and card.answer:
            loss, line = card.loss, [played, *card.answer]
        else:
            judged = judge(host.opponents, rules, state, move, stop)
            loss = card.loss if played == card.played else judged.loss
            line = [played, *_texts(rules, rules.play(state, move), judged.answer)]
        good = played != card.played and loss is not None and loss < DOUBTFUL
        grade = 5 if good else 2
    counted, schedule = deck.answer(visitor, card_id, grade)
    return TryView(
        right=grade >= _PASSED,
        best=played == card.best,
        loss=None if loss is None else round(loss, 4),
        name=name,
        line=_steps(rules, state, line),
        counted=counted,
        days=round(max(0.0, (schedule.due - time.time()) / _DAY), 2),
        rating=_rating_view(deck.puzzle_rating(visitor)) if counted and card.plausible else None,
    )


def _texts(rules: Game[Any], state: Any, moves: Sequence[Any]) -> Iterator[str]:
    for move in moves:
        yield rules.move_text(state, move)
        state = rules.play(state, move)


def _steps(rules: Game[Any], state: Any, texts: Sequence[str]) -> list[LineStep]:
    """The moves of a line with the positions after them."""
    steps = []
    for text in texts:
        move = rules.parse_move(state, text)
        name, state = move_name(state, move), rules.play(state, move)
        steps.append(
            LineStep(
                text=text,
                name=name,
                position=rules.text(state),
                board=board_view(rules.diagram(state)),
                check=bool(getattr(state, "in_check", False)),
            )
        )
    return steps


# The deck as files.


_ANKI_HEAD = "#separator:tab\n#html:true\n#columns:Position\tQuestion\tAnswer\tNotation\n"
"""Lines that tell Anki what the columns are."""


def export_deck(deck: Deck, visitor: str, game: str, suffix: str, stop: Event) -> str:
    """The cards of a game as problems: in a format of games, or as a table for Anki. Raises Refused."""
    known = ["tsv", *written_formats(game)]
    if suffix not in known:
        raise Refused(
            Sentence("A deck of {game} is written as {formats}.", game=game, formats=", ".join(known)), 422
        )
    table = io.StringIO()
    rows = csv.writer(table, "excel-tab", lineterminator="\n")
    texts = []
    for stored in reversed(deck.cards(visitor, game)):
        raise_if_stopped(stop)
        if suffix == "tsv":
            rows.writerow(_anki_fields(stored.card))
        else:
            texts.append(_problem_text(stored.card, suffix))
    if suffix == "tsv":
        return f"{_ANKI_HEAD}{table.getvalue()}"
    return "\n".join(texts)


def _anki_fields(card: Card) -> list[str]:
    """A picture, the question, the answer with its line, and the position as text."""
    rules, state = card.rules(), card.state()
    steps = _steps(rules, state, card.line)
    side, played = rules.spec.players[state.to_move], move_name(state, rules.parse_move(state, card.played))
    question = f"{side} to move. {played} gave away {card.loss:.0%}. What is better?"
    answer = f"<b>{html.escape(steps[0].name)}</b> {html.escape(' '.join(step.name for step in steps[1:]))}"
    picture = " ".join(state._repr_svg_().split())
    return [picture, html.escape(question), answer.strip(), html.escape(rules.text(state))]


def _problem_text(card: Card, suffix: str) -> str:
    """The position with the best line, as a game that begins there."""
    rules, state = card.rules(), card.state()
    after = rules.parse(rules.text(state))
    for text in card.line:
        after = rules.play(after, rules.parse_move(after, text))
    played = move_name(state, rules.parse_move(state, card.played))
    record = GameRecord(
        moves=after.pack_moves(describe(card.game).packed_move_bytes),
        result=None,
        start=rules.text(state),
        event=f"Find better than {played}, which gave away {card.loss:.0%}",
    )
    return writer_of(card.game, suffix)(record).strip("\n") + "\n"


# Routes of the deck.


router = APIRouter(prefix="/api/deck", tags=["deck"], responses=REFUSALS)


DeckOfApp = Annotated[Deck, of_app("deck")]
CardId = Annotated[str, Path(max_length=64)]


@router.get("")
async def list_deck(
    host: Host,
    deck: DeckOfApp,
    visitor: Visitor,
    game: Annotated[str | None, Query(max_length=32)] = None,
    order: Annotated[
        Order,
        Query(description="due: the longest due first. level: your chance nearest to one half first."),
    ] = "latest",
    count: Annotated[int, Query(ge=0, le=200)] = 50,
) -> DeckView:
    """Your cards, and how many are due."""
    return await host.run(_deck_view, deck, visitor, game, order, count)


@router.post("/reviews")
async def keep_review(
    wanted: KeepReview, host: Host, deck: DeckOfApp, reviews: ReviewsOfApp, asker: AskingVisitor
) -> KeptReview:
    """Puts the mistakes of a reviewed game of yours into the deck. Those that are there already stay."""
    return await asker.answer(lambda stop: keep(deck, reviews, host, asker.visitor, wanted, stop))


@router.get("/export", responses={200: {"content": {"text/plain": {}}}}, response_class=Response)
async def export(
    deck: DeckOfApp,
    asker: AskingVisitor,
    game: GameName,
    suffix: Annotated[
        DeckFormat, Query(alias="format", description="tsv is for Anki: position, question, answer.")
    ] = "tsv",
) -> Response:
    """The deck of a game as one file."""
    if game not in GAMES:
        raise Refused(
            Sentence("There is no game {game}: choose {games}.", game=game, games=", ".join(GAMES)), 422
        )
    text = await asker.answer(lambda stop: export_deck(deck, asker.visitor, game, suffix, stop))
    name = f'attachment; filename="sparring-deck-{game}.{suffix}"'
    return Response(text, media_type="text/plain; charset=utf-8", headers={"Content-Disposition": name})


@router.get("/cards/{card_id}")
async def get_card(card_id: CardId, host: Host, deck: DeckOfApp, visitor: Visitor) -> CardView:
    """A card to try. Its answer comes with a try."""

    def view() -> CardView:
        return card_view(deck, deck.find(visitor, card_id), deck.puzzle_rating(visitor), legal=True)

    return await host.run(view)


@router.post("/cards/{card_id}/try")
async def try_card(
    card_id: CardId, tried: CardTry, host: Host, deck: DeckOfApp, asker: AskingVisitor
) -> TryView:
    """Judges a move, or gives up. The first try of a due card decides when it comes again."""
    return await asker.answer(lambda stop: _try(host, deck, asker.visitor, card_id, tried.move, stop))


@router.post("/cards/{card_id}/play", status_code=201)
async def play_card(card_id: CardId, host: Host, deck: DeckOfApp, visitor: Visitor) -> GameView:
    """Begins a game from the position of a card, against an opponent of your level."""
    stored = await host.run(deck.find, visitor, card_id)
    card, state = stored.card, stored.card.state()
    opponent = await host.run(opponent_of_my_level, host.store.database, visitor, card.game)
    wanted = NewGame(
        game=card.game,
        options=card.options,
        you=state.to_move,
        opponent=opponent,
        position=card.rules().text(state),
    )
    view = await host.create(visitor, wanted)
    await host.run(deck.link, view.id, card_id)
    return view


@router.delete("/cards/{card_id}", status_code=204)
async def delete_card(card_id: CardId, host: Host, deck: DeckOfApp, visitor: Visitor) -> Response:
    """Takes a card out of the deck."""
    await host.run(deck.delete, visitor, card_id)
    return Response(status_code=204)
