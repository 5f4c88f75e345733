"""One game of a tournament: its clock, adjudication and record."""

from __future__ import annotations

import datetime
import time
from collections.abc import Sequence
from typing import Any

from sparring.arena.tournament import Adjudication, Tournament
from sparring.games import Game
from sparring.play.game import LiveGame
from sparring.play.match import play_out
from sparring.play.result import ADJUDICATED_DRAW, ADJUDICATED_WIN, LENGTH_LIMIT, GameResult
from sparring.players import Player
from sparring.records import GameRecord

Scores = tuple[list[int | None], list[int | None]]
"""Each player's scores in centipawns from its own point of view, one per move; None if it reports none."""


def play_tournament_game(
    game: Game[Any],
    start: Any,
    players: tuple[Player, Player],
    seeds: tuple[int, int],
    tournament: Tournament,
) -> tuple[LiveGame, float]:
    """Plays a game from `start`, the last state of an opening. Returns the finished game and its seconds."""
    began = time.monotonic()
    live = LiveGame(
        game,
        dict(enumerate(players)),
        start=start,
        clock=tournament.clock,
        seed_of=lambda side, ply: seeds[side],
        names=(players[0].name, players[1].name),
    )
    play_out(live, lambda live: adjudicate(tournament.adjudication, _scores(live), live.states[-1].ply))
    return live, time.monotonic() - began


def match_record(
    live: LiveGame, tournament: Tournament, number: int, names: Sequence[str]
) -> GameRecord | None:
    """The record of a finished game; None if neither player could play."""
    if live.end is None or live.end.first_score is None:
        return None
    return live.record(
        players=(names[0], names[1]),
        started=datetime.date.today(),
        event=tournament.name,
        site=f"game {number + 1}",
    ).row()


def adjudicate(rules: Adjudication, scores: Scores, plies: int) -> GameResult | None:
    """The result by both players' scores or by length; None if the game goes on. A player that reports no
    score is never adjudicated."""

    def within(player: int, moves: int, *, low: int = -(1 << 20), high: int = 1 << 20) -> bool:
        """Whether the player's last `moves` scores all lie in [low, high]."""
        last = scores[player][-moves:]
        return len(last) == moves and all(score is not None and low <= score <= high for score in last)

    if (resign := rules.resign) is not None:
        for loser in (0, 1):
            lost = within(loser, resign.moves, high=-resign.score)
            if lost and within(1 - loser, resign.moves, low=resign.score):
                return GameResult.lost_by(loser, ADJUDICATED_WIN, f"both scores beyond {resign.score}")
    draw = rules.draw
    if draw is not None and plies >= draw.after:
        quiet = (within(player, draw.moves, low=-draw.score, high=draw.score) for player in (0, 1))
        if all(quiet):
            return GameResult(0.5, ADJUDICATED_DRAW, f"both scores within {draw.score}")
    if plies >= rules.plies:
        return GameResult(0.5, LENGTH_LIMIT, f"{plies} plies")
    return None


def _scores(live: LiveGame) -> Scores:
    scores: Scores = ([], [])
    for played in live.moves:
        scores[played.player].append(played.centipawns)
    return scores
