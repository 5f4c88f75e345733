"""Understanding a position: what people of each rating play, what is strong, and what it costs to err."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from threading import Event
from typing import Any

import numpy as np
from pydantic import Field

from sparring.base.errors import raise_if_stopped
from sparring.base.sentences import Sentence
from sparring.games import Game, Move, describe, move_name
from sparring.measure.expectation import values_are_usable
from sparring.measure.review import MISTAKE
from sparring.networks import Position, Prediction
from sparring.play.opponent import HUMAN, STRONG
from sparring.play.result import GameResult
from sparring.players import DEFAULT_RATING, Player, Turn
from sparring.players.player_config import PlayerConfig
from sparring.players.policy_player import make_player
from sparring.players.small_players import STRENGTHS, make_strength_player
from sparring.policies import Policy
from sparring.search import SearchLimits
from sparring.server.messages import (
    ApiMessage,
    BoardView,
    Candidate,
    GameName,
    HintView,
    MoveText,
    OpponentChoice,
    PositionText,
    RecordText,
    Text,
    board_view,
    legal_move,
    text_of,
)
from sparring.server.opponents import Opponents
from sparring.server.refusal import Refused

_BATCH = 64
"""Positions that the strong network sees at once, between two looks whether somebody still waits."""
_COLUMNS = 11
"""Ratings of a curve at equal distances."""


class UnderstandRequest(ApiMessage):
    """A position: as text, or after some moves of a game."""

    game: GameName
    options: dict[str, bool | int | float | str] = Field(default_factory=dict, max_length=16)
    position: PositionText | None = None
    record: RecordText | None = None
    format: str | None = Field(default=None, max_length=8)
    record_index: int = Field(
        default=0, ge=0, lt=1_000, description="Number of the game in `record`, from 0."
    )
    ply: int | None = Field(default=None, ge=0, le=100_000, description="Moves of the record to play.")
    moves: list[MoveText] = Field(
        default_factory=list, max_length=200, description="Moves that are played from there."
    )
    rating: int | str | None = Field(
        default=None,
        description="Rating or rank that the curves have too; without it, the game's default one.",
    )


class MoveCurve(ApiMessage):
    """A move: how likely people play it, by rating, and what it is worth."""

    text: str
    name: str
    human: list[float] = Field(description="Probability at each rating.")
    strong: float = Field(description="Probability of the strong network.")
    loss: float | None = Field(
        description="Expected score that it gives away, by the strong network's values; null if unknown."
    )


class PositionInsight(ApiMessage):
    """A position, understood."""

    position: str
    board: BoardView
    turn: int
    check: bool = Field(description="Whether the side to move is in check.")
    sides: tuple[str, str]
    ply: int
    last: str | None = Field(description="Text of the last move; null if there is none.")
    rating_word: str
    ratings: list[int | str] = Field(description="The ratings of the curves; one entry without ratings.")
    column: int = Field(description="Place in `ratings` of the rating that was asked for.")
    moves: list[MoveCurve] = Field(
        description="Legal moves, the most likely for people first; none at the end of `record`."
    )
    best: str = Field(description="Text of the strong network's best move; empty at the end of `record`.")
    blunder: list[float] = Field(description="Chance of a blunder at each rating.")
    score: list[float | None] = Field(
        description="Expected score of the side to move between people of each rating."
    )
    note: Text | None = Field(
        default=None, description="What to know about the network on this board; null for nothing."
    )
    warning: Text | None = Field(default=None, description="What could not be read of `record`.")


@dataclass(frozen=True)
class MoveValues:
    """The legal moves of a state with what each gives away."""

    moves: tuple[Move, ...]
    strong: np.ndarray[Any, np.dtype[np.float32]]
    """The strong network's probabilities."""
    losses: np.ndarray[Any, np.dtype[np.float64]] | None
    """Expected score that each move gives away; None if the network has no values."""


class Insight:
    """Answers questions about positions of one game. Safe for threads.

    The curves have ratings at equal distances, and `rating`; without it, the game's default one.
    """

    def __init__(self, rules: Game[Any], opponents: Opponents, rating: int | None = None) -> None:
        """Raises Refused for a game without a network of people's moves."""
        self.rules, self.game = rules, rules.spec.name
        self.ratings, self.column = _rating_columns(self.game, opponents, rating)
        if describe(self.game).people is None:
            raise Refused(Sentence("There is no network of people's moves for {game}.", game=self.game), 422)
        self.human: Policy = opponents.policy(self.game, HUMAN)
        self.strong: Policy = opponents.policy(self.game, STRONG)
        self.has_values = values_are_usable(self.strong)
        """Whether the strong network's values can be used."""

    def of(self, state: Any, stop: Event | None = None) -> PositionInsight:
        """What people and the strong network do in a state. Raises Refused if the game is over, and
        Abandoned if `stop` is set meanwhile."""
        if self.rules.outcome(state) is not None:
            raise Refused(Sentence("The game is over in this position."), 422)
        predictions = self.human.predict([Position(state, rating, rating) for rating in self.ratings])
        human = np.array([prediction.probabilities for prediction in predictions])
        values = self.values(state, stop=stop)
        losses = values.losses
        order = np.argsort(-human.mean(0), kind="stable")
        moves = [
            MoveCurve(
                text=self.rules.move_text(state, values.moves[i]),
                name=move_name(state, values.moves[i]),
                human=[round(float(share), 5) for share in human[:, i]],
                strong=round(float(values.strong[i]), 5),
                loss=None if losses is None else round(float(losses[i]), 4),
            )
            for i in order
        ]
        bad = np.zeros(len(values.moves)) if losses is None else losses > MISTAKE
        best = values.moves[int(values.strong.argmax() if losses is None else losses.argmin())]
        return self.board(state).model_copy(
            update={
                "moves": moves,
                "best": self.rules.move_text(state, best),
                "blunder": [round(float(share), 4) for share in human @ bad],
                "score": [
                    None if prediction.value is None else round((1 + prediction.value) / 2, 4)
                    for prediction in predictions
                ],
            }
        )

    def board(self, state: Any) -> PositionInsight:
        """A state without moves, such as the last one of a game."""
        system, before = describe(self.game).ratings, state.previous
        return PositionInsight(
            position=self.rules.text(state),
            board=board_view(self.rules.diagram(state)),
            turn=state.to_move,
            check=bool(getattr(state, "in_check", False)),
            sides=(self.rules.spec.players[0], self.rules.spec.players[1]),
            ply=state.ply,
            last=None if before is None else self.rules.move_text(before, state.last_move),
            rating_word=system.word,
            ratings=[shown_rating(self.game, rating) for rating in self.ratings],
            column=self.column,
            moves=[],
            best="",
            blunder=[0.0] * len(self.ratings),
            score=[None] * len(self.ratings),
            note=self._note(state),
        )

    def _note(self, state: Any) -> Text | None:
        people = describe(self.game).people
        advice = "" if people is None or people.advice is None else people.advice(state)
        return text_of(advice) if advice else None

    def values(self, state: Any, stop: Event | None = None) -> MoveValues:
        """The strong network's policy, and its value after each move. Raises Abandoned if `stop` is
        set meanwhile."""
        prediction = self.strong.predict([Position(state, None, None)])[0]
        after = [self.rules.play(state, move) for move in prediction.moves]
        open_states = [state_after for state_after in after if self.rules.outcome(state_after) is None]
        predicted = iter(self._predict_strong(open_states, stop))
        scores = np.zeros(len(prediction.moves))
        for place, child in enumerate(after):
            outcome = self.rules.outcome(child)
            if outcome is not None:
                score = GameResult.by_rules(outcome).score(state.to_move) or 0.0
            else:
                value = next(predicted).value if self.has_values else None
                if value is None:
                    return MoveValues(prediction.moves, prediction.probabilities, None)
                score = (1 - value) / 2 if child.to_move != state.to_move else (1 + value) / 2
            scores[place] = score
        return MoveValues(prediction.moves, prediction.probabilities, scores.max() - scores)

    def _predict_strong(self, states: Sequence[Any], stop: Event | None) -> list[Prediction]:
        predictions: list[Prediction] = []
        for first in range(0, len(states), _BATCH):
            raise_if_stopped(stop)
            batch = [Position(state, None, None) for state in states[first : first + _BATCH]]
            predictions.extend(self.strong.predict(batch))
        return predictions


def shown_rating(game: str, rating: int | None) -> int | str:
    """A rating as the page shows it."""
    system = describe(game).ratings
    if rating is None:
        return "people"
    return rating if system.word == "rating" else system.format(rating)


def _rating_columns(game: str, opponents: Opponents, wanted: int | None) -> tuple[list[int | None], int]:
    """Ratings at equal distances over the range of the human-like opponent and the wanted one, by default the
    game's, and the place of that; one unknown rating without ratings."""
    accepted, system = opponents.ratings(game), describe(game).ratings
    if accepted is None:
        return [None], 0
    low, high = accepted
    count = min(_COLUMNS, high - low + 1)
    ratings = {round(rating) for rating in np.linspace(low, high, count)}
    usual = system.number(DEFAULT_RATING.get(game)) if wanted is None else wanted
    rating = min(max(low if usual is None else usual, low), high)
    columns = [column for column in sorted({*ratings, rating}) if column != 0 or system.word != "rank"]
    return list(columns), columns.index(rating)


# Hints: the best move by a small search, and what people of a rating play.


_CANDIDATES = 8
"""Most moves of a hint."""
_NODES = 200
"""Positions that the search for the best move looks at."""
_SECONDS = 3.0
"""Most time of this search."""


def hint_view(
    rules: Game[Any],
    state: Any,
    opponent: OpponentChoice,
    opponents: Opponents,
    rating: int | str | None,
    stop: Event | None = None,
) -> HintView:
    """The best move in a state, and what people play: of `rating`, or of the opponent's. Raises Refused.

    `stop` ends the search, which then has the best move so far.
    """
    game = rules.spec.name
    with _searcher(game, opponents, _NODES) as strong:
        best = strong.hint(Turn.of(state, SearchLimits(nodes=_NODES, seconds=_SECONDS), stop))
    hint = HintView(
        best=legal_move(rules, state, best.move),
        best_value=None if best.value is None else round((1 + best.value) / 2, 4),
        people=None,
        people_rating=None,
        people_share=None,
        candidates=[],
    )
    if game not in DEFAULT_RATING:
        return hint
    number = opponents.people_rating(game, opponent)
    if rating is not None and opponents.ratings(game) is not None:
        is_number = isinstance(rating, str) and rating.isascii() and rating.isdecimal()
        number = opponents.rating_number(game, int(rating) if is_number else rating)
    (prediction,) = opponents.people(game).predict([Position(state, number, number)])
    shares = dict(zip(prediction.moves, prediction.probabilities.tolist(), strict=True))
    ranked = sorted(shares, key=lambda move: -shares[move])[:_CANDIDATES]
    candidates = [
        Candidate(
            text=rules.move_text(state, move), name=move_name(state, move), probability=round(shares[move], 5)
        )
        for move in ranked
    ]
    return hint.model_copy(
        update={
            "people": legal_move(rules, state, ranked[0]),
            "people_rating": None if number is None else shown_rating(game, number),
            "people_share": candidates[0].probability,
            "candidates": candidates,
        }
    )


def _searcher(game: str, opponents: Opponents, nodes: int) -> Player:
    """The player of best moves: a search with the strong network, or the strongest small search player."""
    if game not in DEFAULT_RATING:
        return make_strength_player(game, STRENGTHS[-1])
    config = PlayerConfig(game, model=STRONG, nodes=nodes, temperature=0.0, rating=None)
    return make_player(config, opponents.policy(game, STRONG))
