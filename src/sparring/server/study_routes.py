"""Routes of the pages that explain positions and games."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request

from sparring.games import IllegalMove, ParseError, load_game
from sparring.server.game_host import GameHost
from sparring.server.loaded_record import parse_record, states_of
from sparring.server.refusal import REFUSALS, Refused
from sparring.server.requests import Host, Visitor
from sparring.server.review import ReviewRequest, Reviews, ReviewView
from sparring.server.understand import Insight, PositionInsight, UnderstandRequest

router = APIRouter(prefix="/api", tags=["understand"], responses=REFUSALS)


def get_reviews(request: Request) -> Reviews:
    """The reviews of the application."""
    reviews: Reviews = request.app.state.reviews
    return reviews


@router.post("/understand")
async def understand(wanted: UnderstandRequest, host: Host) -> PositionInsight:
    """What people of each rating play in a position, and what is strong."""
    return await host.compute(_understand, host, wanted)


@router.post("/reviews", status_code=201)
async def begin_review(
    wanted: ReviewRequest, visitor: Visitor, reviews: Annotated[Reviews, Depends(get_reviews)]
) -> ReviewView:
    """Starts a review of a game. It goes on in the background: ask for it again until it is done."""
    return await reviews.begin(visitor, wanted)


@router.get("/reviews/{review_id}")
async def get_review(
    review_id: str,
    visitor: Visitor,
    reviews: Annotated[Reviews, Depends(get_reviews)],
    since: Annotated[int, Query(ge=0, le=100_000)] = 0,
) -> ReviewView:
    """A review, with its moves from a number on."""
    return reviews.view(visitor, review_id, since)


def _understand(host: GameHost, wanted: UnderstandRequest) -> PositionInsight:
    try:
        rules = load_game(wanted.game, **wanted.options)
        insight = Insight(rules, host.opponents)
        if wanted.record is None:
            state = rules.initial() if wanted.position is None else rules.parse(wanted.position)
        else:
            states = states_of(rules, parse_record(rules, wanted.record, wanted.format))
            ply = len(states) - 1 if wanted.ply is None else wanted.ply
            if ply >= len(states):
                raise Refused(f"The game has {len(states) - 1} moves, not {ply}.", 422)
            state = states[ply]
        for text in wanted.moves:
            state = rules.play(state, rules.parse_move(state, text))
    except (ParseError, IllegalMove, ValueError, TypeError) as error:
        raise Refused(str(error), 422) from None
    return insight.of(state)
