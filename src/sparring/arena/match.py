"""One game between two contestants, to an end that always has a reason."""

from __future__ import annotations

import datetime
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sparring.arena.adjudication import Adjudicator, GameEnd
from sparring.arena.clocks import Clocks
from sparring.arena.contestants import Contestant
from sparring.arena.engine_process import EngineFailure, FailureReason
from sparring.arena.engine_types import PositionHistory, TimeForfeit
from sparring.arena.tournament import Tournament
from sparring.games import Game, describe
from sparring.records import GameRecord, Termination

NOT_STARTED = FailureReason.NOT_STARTED.value
"""The reason of games that were not played: they say nothing of strength."""

_NO_EVAL = -32768
_ENDINGS = {
    "resignation": Termination.RESIGNATION,
    "time forfeit": Termination.TIME,
    "repetition": Termination.REPETITION,
    "entering-king declaration": Termination.DECLARATION,
    **dict.fromkeys(FailureReason, Termination.RULES),
    **dict.fromkeys(("adjudicated win", "adjudicated draw", "length limit"), Termination.UNKNOWN),
}


@dataclass(frozen=True)
class MatchGame:
    """A game that was played."""

    end: GameEnd
    state: Any
    scores: tuple[int, ...]
    """For player 0, in centipawns, after each move; -32768 where unknown."""
    clocks: tuple[int, ...]
    """Tenths of a second that the mover had left after each move, where there were clocks; else -1."""
    seconds: float


def play_game(
    game: Game[Any],
    start: Any,
    players: tuple[Contestant, Contestant],
    seeds: tuple[int, int],
    tournament: Tournament,
) -> MatchGame:
    """Plays a game from the end of an opening's line. Whatever a contestant does, there is a result."""
    began = time.monotonic()
    play = _Play(game, _line_of(game, start), tournament)
    end = _seated(players, play.line, play.clocks, seeds)
    while end is None:
        end = play.over() or play.turn(players)
    if end.result is not None:
        players[0].end(end.result)
        players[1].end(1 - end.result)
    return MatchGame(end, play.line.state, tuple(play.scores), tuple(play.left), time.monotonic() - began)


def record_of(
    played: MatchGame, tournament: Tournament, number: int, names: Sequence[str]
) -> GameRecord | None:
    """The game for the file of games; none where nobody could play."""
    end, state = played.end, played.state
    if end.result is None:
        return None
    start = _start_of(state)
    usual = type(start).initial()
    margin = abs(float(np.subtract(*state.score()))) if end.reason == "score" else None
    return GameRecord(
        moves=state.pack_moves(describe(tournament.game).packed_move_bytes),
        result=end.result,
        start=None if start == usual else start.text(),
        ending=_ENDINGS.get(end.reason, Termination.NORMAL),
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


class _Play:
    """A game in progress."""

    def __init__(self, game: Game[Any], line: PositionHistory, tournament: Tournament) -> None:
        self.line = line
        self.clocks = None if tournament.clock is None else Clocks.begin(tournament.clock)
        self.scores = [_NO_EVAL] * len(line.moves)
        self.left = [-1] * len(line.moves)
        self._game = game
        self._adjudicator = Adjudicator(tournament.adjudication)

    def over(self) -> GameEnd | None:
        """The end by the rules or by adjudication."""
        outcome = self._game.outcome(self.line.state)
        if outcome is None:
            return self._adjudicator.end(len(self.line.moves))
        return GameEnd(0.5 if outcome.winner is None else float(outcome.winner == 0), outcome.reason)

    def turn(self, players: tuple[Contestant, Contestant]) -> GameEnd | None:
        """One move; or the end, where there was none."""
        player = self._game.to_move(self.line.state)
        lost = float(player)  # what player 0 gets where the one to move loses
        try:
            decision = players[player].choose(self.line, self.clocks)
        except EngineFailure as failure:
            return GameEnd(lost, failure.reason, failure.detail)
        except TimeForfeit:
            return GameEnd(lost, "time forfeit")
        if self.clocks is not None:
            if decision.spent > self.clocks.allowed(player):
                return GameEnd(lost, "time forfeit")
            self.clocks = self.clocks.after(player, decision.spent)
        if decision.move is None:
            return GameEnd(lost, "resignation")
        self._adjudicator.add_score(player, decision.score)
        self.scores.append(_for_first(player, decision.score))
        self.left.append(-1 if self.clocks is None else round(self.clocks.left[player] * 10))
        self.line.moves.append(self._game.move_text(self.line.state, decision.move))
        self.line.state = self._game.play(self.line.state, decision.move)
        return None


def _seated(
    players: tuple[Contestant, Contestant],
    line: PositionHistory,
    clocks: Clocks | None,
    seeds: tuple[int, int],
) -> GameEnd | None:
    """Gets both ready; who cannot forfeits."""
    failures: dict[int, EngineFailure] = {}
    for player, seat in enumerate(players):
        try:
            seat.begin(line.start, clocks, seeds[player])
        except EngineFailure as failure:
            failures[player] = failure
    if len(failures) == 2:
        return GameEnd(None, NOT_STARTED, f"{failures[0].detail}; {failures[1].detail}")
    return next((GameEnd(float(player), each.reason, each.detail) for player, each in failures.items()), None)


def _line_of(game: Game[Any], state: Any) -> PositionHistory:
    moves: list[str] = []
    at = state
    while at.previous is not None:
        moves.append(game.move_text(at.previous, at.last_move))
        at = at.previous
    return PositionHistory(at, moves[::-1], state)


def _start_of(state: Any) -> Any:
    while state.previous is not None:
        state = state.previous
    return state


def _for_first(player: int, score: int | None) -> int:
    if score is None:
        return _NO_EVAL
    return score if player == 0 else -score
