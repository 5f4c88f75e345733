"""The safer move in a position, beside the engine's first choice, and traps: a route of the pages that
explain."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from pydantic import Field

from sparring.base.sentences import Sentence
from sparring.games import Game, IllegalMove, ParseError, load_game
from sparring.networks import Position
from sparring.search.expectation import ComparedMove, LikelyMistake, SaferMove, safer_moves
from sparring.server.game_host import GameHost
from sparring.server.messages import ApiMessage, LegalMove
from sparring.server.pasted import parse_record, states_of
from sparring.server.refusal import REFUSALS, Refused, message_of
from sparring.server.routes import Host, Visitor
from sparring.server.understand import Insight, UnderstandRequest, shown_rating


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
async def safer(wanted: UnderstandRequest, host: Host, visitor: Visitor) -> SaferView | None:
    """The safer move in a position; null where the networks do not judge positions well enough, or at the end
    of a game."""
    return await host.answer(visitor, lambda stop: _answer(host, wanted))


def _answer(host: GameHost, wanted: UnderstandRequest) -> SaferView | None:
    try:
        rules = load_game(wanted.game, **wanted.options)
        rating = None
        if wanted.rating is not None and host.opponents.ratings(wanted.game) is not None:
            rating = host.opponents.rating_number(wanted.game, wanted.rating)
        insight = Insight(rules, host.opponents, rating)
        state = _state(rules, wanted)
    except (ParseError, IllegalMove, ValueError, TypeError) as error:
        raise Refused(message_of(error), 422) from None
    if rules.outcome(state) is not None or not insight.has_values:
        return None
    place = Position(state, insight.ratings[insight.column])
    (found,) = safer_moves([place], insight.human, insight.strong)
    return _view(rules, state, found, shown_rating(wanted.game, place.rating))


def _state(rules: Game[Any], wanted: UnderstandRequest) -> Any:
    """The state that a request names. Raises Refused, ParseError or IllegalMove."""
    if wanted.record is None:
        state = rules.initial() if wanted.position is None else rules.parse(wanted.position)
    else:
        record, _ = parse_record(rules, wanted.record, wanted.format, wanted.record_index)
        states = states_of(rules, record)
        ply = len(states) - 1 if wanted.ply is None else wanted.ply
        if ply >= len(states):
            sentence = Sentence("The game has {moves} moves, not {ply}.", moves=len(states) - 1, ply=ply)
            raise Refused(sentence, 422)
        state = states[ply]
    for text in wanted.moves:
        state = rules.play(state, rules.parse_move(state, text))
    return state


def _view(rules: Game[Any], state: Any, found: SaferMove, rating: int | str) -> SaferView:
    def view(move: ComparedMove) -> ComparedMoveView:
        return ComparedMoveView(
            text=move.text,
            name=move.name,
            likely=round(move.share, 5),
            best_play=round(move.engine, 4),
            people=round(move.expectation, 4),
            loss=round(found.loss(move), 4),
        )

    return SaferView(
        rating=rating,
        engine=view(found.engine),
        safer=view(found.safer),
        mistake=None if found.mistake is None else _mistake_view(rules, state, found.mistake),
        traps=[view(trap) for trap in found.traps],
    )


def _mistake_view(rules: Game[Any], state: Any, mistake: LikelyMistake) -> MistakeView:
    line = []
    for move, name in zip(mistake.moves, mistake.names, strict=True):
        line.append(LegalMove(text=rules.move_text(state, move), name=name))
        state = rules.play(state, move)
    return MistakeView(line=line, chance=round(mistake.probability, 4), loss=round(mistake.loss, 4))
