"""Games as messages: what a person sees of a `LiveGame`, and the game as a file."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING

from sparring.games import Move, describe, move_name
from sparring.players import Decision
from sparring.records.played_game import UNFINISHED, GameFacts
from sparring.records.readers import written_formats
from sparring.server.board_views import board_view
from sparring.server.messages import (
    Candidate,
    CountingView,
    GameView,
    HintView,
    LegalMove,
    MoveView,
    PlayerView,
    PositionView,
    ResultView,
)
from sparring.server.refusal import Refused

if TYPE_CHECKING:
    from sparring.server.live_game import LiveGame
    from sparring.server.played_move import PlayedMove

_CANDIDATES = 8
"""Most moves of a hint."""
EVENT = "A game on the page"
PERSON = "You"


def game_view(game: LiveGame, game_id: str) -> GameView:
    """A game of perfect information as the person sees it."""
    state, spec, settings = game.states[-1], game.rules.spec, game.settings
    turn = None if game.end is not None else state.to_move
    mine = game.phase in ("move", "sense")
    return GameView(
        id=game_id,
        version=game.changes,
        game=spec.name,
        title=spec.title,
        options=dict(settings.options),
        sides=(spec.players[0], spec.players[1]),
        players=(_player_view(game, 0), _player_view(game, 1)),
        you=settings.you,
        phase=game.phase,
        turn=turn,
        ply=len(game.moves),
        position=game.rules.text(state),
        board=board_view(game.rules.diagram(state)),
        legal=[_legal_move(game, move) for move in game.rules.legal_moves(state)] if mine else [],
        moves=[move_view(each) for each in game.moves],
        check=bool(getattr(state, "in_check", False)),
        clock=game.clock.view(turn),
        draw_offered=game.draw_offered,
        can=sorted(game.commands()),
        message=game.message,
        counting=_counting_view(game),
        result=_result_view(game),
    )


def move_view(played: PlayedMove) -> MoveView:
    """A move that was played."""
    return MoveView(text=played.text, name=played.name, player=played.player, left=played.left)


def position_view(game: LiveGame, ply: int) -> PositionView:
    """The board after `ply` moves. Raises Refused."""
    if not 0 <= ply < len(game.states):
        raise Refused(f"The game has {len(game.moves)} moves, not {ply}.", 404)
    state = game.states[ply]
    return PositionView(
        ply=ply,
        position=game.rules.text(state),
        board=board_view(game.rules.diagram(state)),
        last=game.moves[ply - 1].text if ply else None,
    )


def hint_view(game: LiveGame, decision: Decision) -> HintView:
    """A player's hint in the last state."""
    state, value = game.states[-1], decision.value
    ranked = sorted(decision.distribution.items(), key=lambda entry: -entry[1])[:_CANDIDATES]
    return HintView(
        move=_legal_move(game, decision.move),
        candidates=[
            Candidate(text=state.move_text(move), name=move_name(state, move), probability=share)
            for move, share in ranked
        ],
        value=None if value is None else (1 + value) / 2,
    )


def record_text(game: LiveGame, suffix: str) -> str:
    """The game as a file of a format. Raises Refused."""
    name, settings = game.rules.spec.name, game.settings
    known = written_formats(name)
    if suffix not in known:
        raise Refused(f"Games of {name} are written as {', '.join(known)}.", 422)
    clocks = [each.left for each in game.moves if each.left is not None]
    facts = GameFacts(
        game.rules,
        (_player_view(game, 0).name, _player_view(game, 1).name),
        (_rating(game, 0), _rating(game, 1)),
        datetime.datetime.fromtimestamp(settings.created),
        EVENT,
        None if settings.clock is None else str(settings.clock),
    )
    return facts.text(game.states[-1], game.end or UNFINISHED, clocks, suffix)


def _legal_move(game: LiveGame, move: Move) -> LegalMove:
    return LegalMove(text=game.rules.move_text(game.states[-1], move), name=game.name_of(move))


def _counting_view(game: LiveGame) -> CountingView | None:
    if game.dead is None:
        return None
    state = game.states[-1]
    text, _ = game.counting.result(state, game.dead, game.settings.you)
    return CountingView(dead=[state.move_text(point) for point in sorted(game.dead)], text=text)


def _result_view(game: LiveGame) -> ResultView | None:
    if game.end is None or game.end.result is None:
        return None
    score = game.end.result
    return ResultView(score=score, winner=None if score == 0.5 else int(score == 0), text=game.message)


def _player_view(game: LiveGame, side: int) -> PlayerView:
    if side == game.settings.you:
        return PlayerView(name=PERSON, about="", is_person=True)
    name, about = game.settings.about(game.rules, side)
    return PlayerView(name=name, about=about, is_person=False)


def _rating(game: LiveGame, side: int) -> int | None:
    if side == game.settings.you:
        return None
    rating = game.settings.opponent_of(side).rating
    return None if rating is None else describe(game.rules.spec.name).ratings.number(rating)
