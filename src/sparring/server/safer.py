"""The safer move in a position, beside the engine's first choice, and traps: a route of the pages that
explain."""

from __future__ import annotations

from threading import Event
from typing import Any

from fastapi import APIRouter
from pydantic import Field

from sparring.games import Game
from sparring.measure.expectation import ComparedMove, LikelyMistake, SaferMove, safer_moves
from sparring.networks import Position
from sparring.policies.policy import StoppablePolicy
from sparring.server.game_host import GameHost
from sparring.server.messages import ApiMessage, LegalMove
from sparring.server.refusal import REFUSALS
from sparring.server.review import asked_position
from sparring.server.routes import AskingVisitor, Host
from sparring.server.understand import UnderstandRequest, shown_rating


class ComparedMoveView(ApiMessage):
    """A move of the comparison."""

    text: str
    name: str
    likely: float = Field(description="Probability that people of this rating play it.")
    best_play: float = Field(description="Expected score if both sides go on with the best moves.")
    people: float = Field(description="Expected score if both sides go on as people of this rating do.")
    loss: float = Field(description="Expected score that it gives away with the best play.")


class MistakeView(ApiMessage):
    """Where people go wrong after the engine's first choice."""

    line: list[LegalMove] = Field(description="From the engine's first choice to the mistake.")
    chance: float = Field(description="Probability of this line after the engine's first choice.")
    loss: float = Field(description="Expected score that its last move gives away.")


class SaferView(ApiMessage):
    """The engine's first choice and the move that is best among people."""

    rating: int | str = Field(description="The rating of the people; of both sides.")
    engine: ComparedMoveView
    safer: ComparedMoveView = Field(description="The engine's first choice itself if no move is safer.")
    mistake: MistakeView | None = Field(description="Null if none was seen, or if no move is safer.")
    traps: list[ComparedMoveView] = Field(description="Moves that many people play and that lose.")


router = APIRouter(prefix="/api", tags=["understand"], responses=REFUSALS)


@router.post("/understand/safer")
async def safer(wanted: UnderstandRequest, host: Host, asker: AskingVisitor) -> SaferView | None:
    """The safer move in a position; null where the networks do not judge positions well enough, or at the end
    of a game."""
    return await asker.answer(lambda stop: _answer(host, wanted, stop))


def _answer(host: GameHost, wanted: UnderstandRequest, stop: Event) -> SaferView | None:
    insight, state, _ = asked_position(host, wanted)
    if insight.rules.outcome(state) is not None or not insight.has_values:
        return None
    place = Position(state, insight.ratings[insight.column])
    human, strong = StoppablePolicy(insight.human, stop), StoppablePolicy(insight.strong, stop)
    (comparison,) = safer_moves([place], human, strong)
    return _view(insight.rules, state, comparison, shown_rating(wanted.game, place.rating))


def _view(rules: Game[Any], state: Any, comparison: SaferMove, rating: int | str) -> SaferView:
    def view(move: ComparedMove) -> ComparedMoveView:
        return ComparedMoveView(
            text=move.text,
            name=move.name,
            likely=round(move.share, 5),
            best_play=round(move.engine, 4),
            people=round(move.expectation, 4),
            loss=round(comparison.loss(move), 4),
        )

    return SaferView(
        rating=rating,
        engine=view(comparison.engine),
        safer=view(comparison.safer),
        mistake=None if comparison.mistake is None else _mistake_view(rules, state, comparison.mistake),
        traps=[view(trap) for trap in comparison.traps],
    )


def _mistake_view(rules: Game[Any], state: Any, mistake: LikelyMistake) -> MistakeView:
    line = []
    for move, name in zip(mistake.moves, mistake.names, strict=True):
        line.append(LegalMove(text=rules.move_text(state, move), name=name))
        state = rules.play(state, move)
    return MistakeView(line=line, chance=round(mistake.probability, 4), loss=round(mistake.loss, 4))
