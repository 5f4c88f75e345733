"""The teacher: what a single move gives away, in a problem of the deck or before it is played in a game."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Event
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import Field

from sparring.games import Game, Move, describe, move_name
from sparring.measure.review import MISTAKE, PASS
from sparring.networks import Position
from sparring.play.opponent import STRONG
from sparring.server.messages import ApiMessage
from sparring.server.opponents import Opponents
from sparring.server.page_game import PageGame
from sparring.server.refusal import REFUSALS
from sparring.server.routes import AskingVisitor, Host


@dataclass(frozen=True)
class Judgement:
    """What a move gives away."""

    loss: float | None
    """Expected score; None if nothing judges moves well enough, and for a pass."""
    best: Move
    """The best move of the search."""
    answer: tuple[Move, ...]
    """The best moves after it, which show why."""


def judge(opponents: Opponents, rules: Game[Any], state: Any, move: Move, stop: Event) -> Judgement:
    """Judges a move as a review does. Raises Refused for a game without the networks, and Abandoned if `stop`
    is set meanwhile."""
    reviewer = opponents.reviewer(rules.spec.name)
    (reviewed,) = reviewer.block([state, rules.play(state, move)], 0, (None, None), stop)
    is_judged = reviewer.judges and rules.move_text(state, move) != PASS
    return Judgement(reviewed.loss if is_judged else None, reviewed.best, reviewed.answer)


def points_lost(opponents: Opponents, rules: Game[Any], state: Any, move: Move, best: Move) -> float | None:
    """The points that a move gives away against another one, by the strong network's leads; None if it has
    none."""
    states = [rules.play(state, played) for played in (move, best)]
    predictions = opponents.policy(rules.spec.name, STRONG).predict(
        [Position(after, None, None) for after in states]
    )
    lead, least = (prediction.lead for prediction in predictions)
    if lead is None or least is None:
        return None
    return max(0.0, lead - least)  # the opponent's: it is to move after both


# While playing.


class WarningView(ApiMessage):
    """What a move that is not played yet would give away. It says no better move."""

    text: str
    name: str
    loss: float | None = Field(
        description="Expected score that it gives away; 0 for a move of a named opening that gives away less "
        "than 0.1. Null for a pass, and where the strong network's values are not good enough."
    )
    points: float | None = Field(
        description="Go: points that it gives away; null where the network does not count points."
    )


def warning_view(opponents: Opponents, rules: Game[Any], state: Any, move: Move, stop: Event) -> WarningView:
    """What a move would give away. Raises Refused, and Abandoned if `stop` is set meanwhile."""
    judged = judge(opponents, rules, state, move, stop)
    loss, in_opening = judged.loss, describe(rules.spec.name).is_opening_position
    if loss is not None and in_opening is not None and loss < MISTAKE:
        loss = 0.0 if in_opening(rules.play(state, move)) else loss
    points = None
    if loss:
        points = points_lost(opponents, rules, state, move, judged.best)
    return WarningView(
        text=rules.move_text(state, move),
        name=move_name(state, move),
        loss=None if loss is None else round(loss, 4),
        points=None if points is None else round(points, 1),
    )


router = APIRouter(prefix="/api", tags=["play"], responses=REFUSALS)


@router.get("/games/{game_id}/warning")
async def warning(
    game_id: str,
    host: Host,
    asker: AskingVisitor,
    move: Annotated[str, Query(min_length=1, max_length=64)],
    ply: Annotated[int, Query(ge=0, le=100_000, description="Number of moves before it.")],
) -> WarningView:
    """What a move of yours would give away, before it is played."""

    def warning(game: PageGame, stop: Event) -> WarningView:
        state, planned = game.planned(move, ply)
        return warning_view(host.opponents, game.rules, state, planned, stop)

    return await asker.ask(game_id, warning)
