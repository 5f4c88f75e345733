"""Hints: the best move by a small search, and what people of a rating play."""

from __future__ import annotations

from threading import Event
from typing import Any

from sparring.games import Game, Move, describe, move_name
from sparring.networks import Position
from sparring.play.opponent import STRONG
from sparring.players import DEFAULT_RATING, Player, Turn
from sparring.players.loading import make_player
from sparring.players.player_config import PlayerConfig
from sparring.players.small_players import STRENGTHS, make_strength_player
from sparring.search import SearchLimits
from sparring.server.messages import Candidate, HintView, LegalMove, OpponentChoice
from sparring.server.opponents import Opponents

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
    with best_player(game, opponents) as strong:
        best = strong.hint(Turn.of(state, SearchLimits(nodes=_NODES, seconds=_SECONDS), stop))
    hint = HintView(
        best=_legal_move(rules, state, best.move),
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
    system = describe(game).ratings
    shown = number if number is None or system.word == "rating" else system.format(number)
    candidates = [
        Candidate(
            text=rules.move_text(state, move), name=move_name(state, move), probability=round(shares[move], 5)
        )
        for move in ranked
    ]
    return hint.model_copy(
        update={
            "people": _legal_move(rules, state, ranked[0]),
            "people_rating": shown,
            "people_share": candidates[0].probability,
            "candidates": candidates,
        }
    )


def best_player(game: str, opponents: Opponents) -> Player:
    """The player of best moves: a search with the strong network, or the strongest small search player."""
    if game not in DEFAULT_RATING:
        return make_strength_player(game, STRENGTHS[-1])
    config = PlayerConfig(game, model=STRONG, nodes=_NODES, temperature=0.0, rating=None)
    return make_player(config, opponents.policy(game, STRONG))


def _legal_move(rules: Game[Any], state: Any, move: Move) -> LegalMove:
    return LegalMove(text=rules.move_text(state, move), name=move_name(state, move))
