"""A finished game of reconnaissance blind chess step by step: the true board, and what each side believed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

import chess

from sparring.belief import Tracker, TrackerOptions
from sparring.games.rbc import MoveResult, Observation, OpponentMoveResult, SenseResult
from sparring.server.replay import BeliefStep, BeliefView
from sparring.server.square_shares import SquareShares

if TYPE_CHECKING:
    from sparring.server.hidden_live_game import HiddenLiveGame

_BOARDS = 50_000
"""Possible boards that are followed for each side."""


def belief_steps(game: HiddenLiveGame) -> Iterator[BeliefStep]:
    """The steps of a game, the first one before the first sense."""
    rules = game.hidden_rules
    trackers = tuple(
        Tracker(side, TrackerOptions(limit=_BOARDS, past_limit=_BOARDS, repair=True)) for side in (0, 1)
    )
    start = game.states[0]
    yield _step(trackers, 0, None, None, None, None, rules.text(start), "")
    for ply, (state, played) in enumerate(zip(game.states[:-1], game.moves, strict=True), 1):
        over = ply == len(game.moves) and rules.outcome(game.states[-1]) is not None
        seen = [rules.observe(state, side, played.move) for side in (0, 1)]
        if not over:  # the game ends with the capture of a king, which no possible board survives
            for tracker, observation in zip(trackers, seen, strict=True):
                tracker.observe(observation)
        phase: Literal["sense", "move"] = "sense" if isinstance(seen[played.player], SenseResult) else "move"
        yield _step(
            trackers,
            ply,
            played.player,
            phase,
            played.text,
            played.name,
            rules.text(game.states[ply]),
            note(rules.spec.players[played.player], seen[played.player]),
        )


def _step(
    trackers: tuple[Tracker, ...],
    ply: int,
    player: int | None,
    phase: Literal["sense", "move"] | None,
    text: str | None,
    name: str | None,
    position: str,
    remark: str,
) -> BeliefStep:
    first, second = (_belief(each) for each in trackers)
    return BeliefStep(
        ply=ply,
        player=player,
        phase=phase,
        text=text,
        name=name,
        position=position,
        note=remark,
        sides=(first, second),
    )


def _belief(tracker: Tracker) -> BeliefView:
    pieces, shares = SquareShares.of(tracker.boards).likeliest()
    return BeliefView(possible=len(tracker.boards), exact=tracker.exact, pieces=pieces, shares=shares)


def note(who: str, seen: Observation) -> str:
    """What a player's sense or move brought, in a sentence."""
    match seen:
        case SenseResult(pieces):
            found = [f"{letter} on {chess.square_name(square)}" for square, letter in pieces if letter]
            return f"{who} sees {', '.join(found)}." if found else f"{who} sees nothing."
        case MoveResult(request, taken, capture_square):
            if taken is None and request != 0:
                return f"{who}'s move is blocked: nothing moves."
            cut = f"{who}'s move is cut short. " if taken is not None and taken != request else ""
            capture = "" if capture_square is None else f"Captures on {chess.square_name(capture_square)}."
            return f"{cut}{capture}".strip()
        case OpponentMoveResult():
            return ""
    return ""
