"""One game between two contestants, to an end that always has a reason."""

from __future__ import annotations

import datetime
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sparring.arena.adjudication import Adjudicator, Verdict
from sparring.arena.clocks import Clocks
from sparring.arena.contestants import Contestant
from sparring.arena.line import Line, TimeForfeit
from sparring.arena.process import EngineFailure, Trouble
from sparring.arena.tournament import Tournament
from sparring.games import Game
from sparring.records import Ending, GameRecord
from sparring.records.record import MOVE_BYTES

NOT_STARTED = Trouble.NOT_STARTED.value
"""The reason of games that were not played: they say nothing of strength."""

_NO_EVAL = -32768
_ENDINGS = {
    "resignation": Ending.RESIGNATION,
    "time forfeit": Ending.TIME,
    "repetition": Ending.REPETITION,
    "entering-king declaration": Ending.DECLARATION,
    **dict.fromkeys(Trouble, Ending.RULES),
    **dict.fromkeys(("adjudicated win", "adjudicated draw", "length limit"), Ending.UNKNOWN),
}


@dataclass(frozen=True)
class Played:
    """A game that was played."""

    verdict: Verdict
    state: Any
    scores: tuple[int, ...]
    """For player 0, in centipawns, after each move; -32768 where unknown."""
    clocks: tuple[int, ...]
    """Tenths of a second that the mover had left after each move, where there were clocks; else -1."""
    seconds: float


def play_game(
    game: Game[Any],
    start: Any,
    seats: tuple[Contestant, Contestant],
    seeds: tuple[int, int],
    tournament: Tournament,
) -> Played:
    """Plays a game from the end of an opening's line. Whatever a contestant does, there is a result."""
    began = time.monotonic()
    line = _line_of(game, start)
    clocks = None if tournament.clock is None else Clocks.begin(tournament.clock)
    adjudicator = Adjudicator(tournament.adjudication)
    scores = [_NO_EVAL] * len(line.moves)
    left = [-1] * len(line.moves)
    verdict = _seated(seats, line, clocks, seeds)
    while verdict is None:
        outcome = game.outcome(line.state)
        if outcome is not None:
            result = 0.5 if outcome.winner is None else float(outcome.winner == 0)
            verdict = Verdict(result, outcome.reason)
            break
        if (verdict := adjudicator.verdict(len(line.moves))) is not None:
            break
        player = game.to_move(line.state)
        try:
            decision = seats[player].choose(line, clocks)
            if clocks is not None and decision.spent > clocks.allowed(player):
                raise TimeForfeit
        except EngineFailure as failure:
            verdict = Verdict(float(player), failure.trouble, failure.detail)
            break
        except TimeForfeit:
            verdict = Verdict(float(player), "time forfeit")
            break
        if decision.move is None:
            verdict = Verdict(float(player), "resignation")
            break
        if clocks is not None:
            clocks = clocks.after(player, decision.spent)
        adjudicator.hear(player, decision.score)
        scores.append(_for_first(player, decision.score))
        left.append(-1 if clocks is None else round(clocks.left[player] * 10))
        line.moves.append(game.move_text(line.state, decision.move))
        line.state = game.play(line.state, decision.move)
    if verdict.result is not None:
        seats[0].end(verdict.result)
        seats[1].end(1 - verdict.result)
    return Played(verdict, line.state, tuple(scores), tuple(left), time.monotonic() - began)


def record_of(played: Played, tournament: Tournament, number: int, names: Sequence[str]) -> GameRecord | None:
    """The game for the file of games; none where nobody could play."""
    verdict, state = played.verdict, played.state
    if verdict.result is None:
        return None
    start = _start_of(state)
    usual = type(start).initial()
    margin = abs(float(np.subtract(*state.score()))) if verdict.reason == "score" else None
    return GameRecord(
        moves=state.pack_line(MOVE_BYTES[tournament.game]),
        result=verdict.result,
        start=None if start == usual else start.text(),
        ending=_ENDINGS.get(verdict.reason, Ending.NORMAL),
        margin=margin,
        first=names[0],
        second=names[1],
        time_control=None if tournament.clock is None else str(tournament.clock),
        clocks=None if tournament.clock is None else np.array(played.clocks, np.int32).tobytes(),
        evals=np.array(played.scores, np.int16).tobytes() if set(played.scores) - {_NO_EVAL} else None,
        date=datetime.date.today(),
        event=tournament.name,
        site=f"game {number + 1}",
    )


def _seated(
    seats: tuple[Contestant, Contestant], line: Line, clocks: Clocks | None, seeds: tuple[int, int]
) -> Verdict | None:
    """Gets both ready; who cannot forfeits."""
    failures: dict[int, EngineFailure] = {}
    for player, seat in enumerate(seats):
        try:
            seat.begin(line.start, clocks, seeds[player])
        except EngineFailure as failure:
            failures[player] = failure
    if len(failures) == 2:
        return Verdict(None, NOT_STARTED, f"{failures[0].detail}; {failures[1].detail}")
    return next(
        (Verdict(float(player), each.trouble, each.detail) for player, each in failures.items()), None
    )


def _line_of(game: Game[Any], state: Any) -> Line:
    moves: list[str] = []
    at = state
    while at.previous is not None:
        moves.append(game.move_text(at.previous, at.last_move))
        at = at.previous
    return Line(at, moves[::-1], state)


def _start_of(state: Any) -> Any:
    while state.previous is not None:
        state = state.previous
    return state


def _for_first(player: int, score: int | None) -> int:
    if score is None:
        return _NO_EVAL
    return score if player == 0 else -score
