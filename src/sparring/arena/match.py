"""One game between two players, to an end that always has a reason."""

from __future__ import annotations

import datetime
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sparring.arena.adjudication import Adjudicator, GameEnd
from sparring.arena.clocks import Clocks
from sparring.arena.engine_process import EngineFailure, FailureReason
from sparring.arena.engine_types import PositionHistory, TimeForfeit
from sparring.arena.tournament import Tournament
from sparring.games import Game, describe
from sparring.games.history import states_to
from sparring.players import Decision, GameStart, Player, SearchLimits, Turn
from sparring.records import GameRecord, Termination

NOT_STARTED = FailureReason.NOT_STARTED.value
"""Reason of games that were not played; ratings leave them out."""

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
    """For player 0, in centipawns, after each move; -32768 if unknown."""
    clocks: tuple[int, ...]
    """Tenths of a second that the mover had left after each move; -1 without clocks."""
    seconds: float


def play_game(
    game: Game[Any],
    start: Any,
    players: tuple[Player, Player],
    seeds: tuple[int, int],
    tournament: Tournament,
) -> MatchGame:
    """Plays a game from `start`, the last state of an opening.

    There is always a result: an exception, an illegal move and a fallen flag lose the game.
    """
    began = time.monotonic()
    play = _Play(game, start, tournament)
    end = _begin(players, game, start, seeds, tournament)
    while end is None:
        end = play.over() or play.turn(players)
    if end.result is not None:
        players[0].end_game(end.result)
        players[1].end_game(1 - end.result)
    return MatchGame(end, play.state, tuple(play.scores), tuple(play.left), time.monotonic() - began)


def match_record(
    played: MatchGame, tournament: Tournament, number: int, names: Sequence[str]
) -> GameRecord | None:
    """The record of a game; None if neither player could play."""
    end, state = played.end, played.state
    if end.result is None:
        return None
    start = states_to(state)[0]
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

    def __init__(self, game: Game[Any], start: Any, tournament: Tournament) -> None:
        self.state = start
        self.clocks = None if tournament.clock is None else Clocks.begin(tournament.clock)
        opening = len(PositionHistory.of(start).moves)
        self.scores = [_NO_EVAL] * opening
        self.left = [-1] * opening
        self._game = game
        self._adjudicator = Adjudicator(tournament.adjudication)

    def over(self) -> GameEnd | None:
        """The end by the rules or by adjudication; None if the game goes on."""
        outcome = self._game.outcome(self.state)
        if outcome is None:
            return self._adjudicator.end(len(self.scores))
        return GameEnd(0.5 if outcome.winner is None else float(outcome.winner == 0), outcome.reason)

    def turn(self, players: tuple[Player, Player]) -> GameEnd | None:
        """Plays one move; returns the end of the game if there was none."""
        player = self._game.to_move(self.state)
        lost = float(player)  # player 0's result if the player to move loses
        began = time.monotonic()
        try:
            decision = self._choose(players[player], player)
        except EngineFailure as failure:
            return GameEnd(lost, failure.reason, failure.detail)
        except TimeForfeit:
            return GameEnd(lost, "time forfeit")
        spent = time.monotonic() - began if decision.seconds is None else decision.seconds
        if self.clocks is not None:
            if spent > self.clocks.allowed(player):
                return GameEnd(lost, "time forfeit")
            self.clocks = self.clocks.after(player, spent)
        if decision.resign:
            return GameEnd(lost, "resignation")
        self._adjudicator.add_score(player, decision.centipawns)
        self.scores.append(_for_first(player, decision.centipawns))
        self.left.append(-1 if self.clocks is None else round(self.clocks.left[player] * 10))
        self.state = self._game.play(self.state, decision.move)
        for each in players:
            each.observe(decision.move)
        return None

    def _choose(self, player: Player, side: int) -> Decision:
        """The player's decision. Raises EngineFailure also for its exceptions and illegal moves."""
        turn = Turn(self.state, self._game.legal_moves(self.state), self._limits(side))
        try:
            decision = player.choose(turn)
        except (EngineFailure, TimeForfeit):
            raise
        except Exception as error:
            raise EngineFailure(FailureReason.CRASHED, f"{type(error).__name__}: {error}") from error
        if not decision.resign and decision.move not in turn.legal_moves:
            raise EngineFailure(FailureReason.ILLEGAL, f"move {decision.move}, ply {len(self.scores)}")
        return decision

    def _limits(self, side: int) -> SearchLimits:
        if self.clocks is None:
            return SearchLimits()
        return SearchLimits(clock=self.clocks.clock(side), opponent_clock=self.clocks.clock(1 - side))


def _begin(
    players: tuple[Player, Player],
    game: Game[Any],
    start: Any,
    seeds: tuple[int, int],
    tournament: Tournament,
) -> GameEnd | None:
    """Begins the game for both players; one that cannot play forfeits."""
    failures: dict[int, EngineFailure] = {}
    for side, player in enumerate(players):
        opponent = players[1 - side].name
        try:
            player.new_game(GameStart(game, side, start, seeds[side], opponent, tournament.clock))
        except EngineFailure as failure:
            failures[side] = failure
        except Exception as error:
            failures[side] = EngineFailure(FailureReason.NOT_STARTED, str(error))
    if len(failures) == 2:
        return GameEnd(None, NOT_STARTED, f"{failures[0].detail}; {failures[1].detail}")
    return next((GameEnd(float(side), each.reason, each.detail) for side, each in failures.items()), None)


def _for_first(player: int, score: int | None) -> int:
    if score is None:
        return _NO_EVAL
    return score if player == 0 else -score
