"""Matches of a Sparring bot against the bots of reconchess, with reconchess's own game server.

Games are played as `rc-bot-match` plays them, with players loaded by module name. Each game is journalled, so
that a stopped run resumes; `histories.jsonl.zst` has reconchess's histories of the games.
"""

from __future__ import annotations

import json
import os
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import zstandard

from sparring.base.provenance import provenance
from sparring.base.storage import Journal
from sparring.base.workers import LocalWorkerPool, Worker
from sparring.measure.ratings import wilson_interval
from sparring.measure.reports import write_json

JOURNAL = "matches.jsonl"
REPORT = "matches.json"
HISTORIES = "histories.jsonl.zst"
OURS = "sparring.rbc.reconchess"
OPPONENTS = {name: f"reconchess.bots.{name}_bot" for name in ("trout", "attacker", "random")}


@dataclass(frozen=True)
class RbcMatch:
    """A match of a Sparring bot against a bot of reconchess."""

    bot: str
    opponent: str
    games: int
    seconds: float
    """Seconds on each clock at the start."""
    increment: float = 5.0
    """Seconds that are added for each turn."""
    first: int = 0
    """The number of the first game. Parts of a match with other numbers can be played elsewhere."""

    @property
    def numbers(self) -> range:
        """The numbers of the games."""
        return range(self.first, self.first + self.games)


@dataclass(frozen=True)
class RbcGameResult:
    """One game of a match; colours alternate."""

    bot: str
    opponent: str
    seconds: float
    number: int
    """The game's number; our bot has White in even ones."""
    score: float | None
    """Points of our bot; None if a player crashed the game."""
    reason: str
    failures: tuple[str, ...]
    """Exceptions in our bot that its adapter caught."""
    turns: int
    """Turns of our bot."""
    left: float
    """Seconds on our clock at the end."""
    spent: float
    """Wall-clock seconds of the game."""
    increment: float = 5.0
    """Seconds that were added for each turn."""

    @property
    def match(self) -> tuple[str, str, float, float]:
        """What the games of a match have in common."""
        return self.bot, self.opponent, self.seconds, self.increment


PlayedGame = tuple[RbcGameResult, bytes]
"""A game, and its history, compressed."""


class _Worker(Worker[tuple[RbcMatch, int], PlayedGame]):
    """A worker process that plays games of reconchess. Players end with their games, engines when their
    pipe closes."""

    def __init__(self, stockfish: str | None) -> None:
        if stockfish is not None:
            os.environ["STOCKFISH_EXECUTABLE"] = stockfish

    def work(self, task: tuple[RbcMatch, int]) -> PlayedGame:
        match, number = task
        import chess
        from reconchess import LocalGame, WinReason, load_player, play_local_game
        from reconchess.history import GameHistoryEncoder

        os.environ["SPARRING_RBC_BOT"], os.environ["SPARRING_RBC_SEED"] = match.bot, str(number)
        random.seed(number)
        color = number % 2 == 0
        began = time.monotonic()
        game = LocalGame(seconds_per_player=match.seconds, seconds_increment=match.increment)
        ours = theirs = None
        try:
            ours = load_player(OURS)[1]()
            theirs = load_player(OPPONENTS[match.opponent])[1]()
            white, black = (ours, theirs) if color == chess.WHITE else (theirs, ours)
            winner, why, _ = play_local_game(white, black, game=game)
            score = 0.5 if winner is None else float(winner == color)
            reason = why.name if isinstance(why, WinReason) else str(why)
        except Exception as error:
            score, reason = None, f"{type(error).__name__}: {error}"
        finally:
            _quit(theirs)
        history = game.get_game_history()
        names = (Path(match.bot).stem, match.opponent)
        history.store_players(*(names if color == chess.WHITE else names[::-1]))
        line = json.dumps(history, cls=GameHistoryEncoder) + "\n" if score is not None else ""
        return RbcGameResult(
            match.bot,
            match.opponent,
            match.seconds,
            number,
            score,
            reason,
            tuple(getattr(ours, "failures", ())),
            sum(1 for _ in history.turns(color)),
            round(game.seconds_left_by_color[color], 1),
            round(time.monotonic() - began, 1),
            match.increment,
        ), zstandard.compress(line.encode(), 9)


def _quit(player: Any) -> None:
    """Closes TroutBot's engine, which it leaves running when a game ends with an error."""
    engine = getattr(player, "engine", None)
    if engine is not None:
        engine.close()


def run(
    matches: Sequence[RbcMatch],
    out: Path,
    command: str,
    processes: int,
    stockfish: str | None,
    on_progress: Callable[[Sequence[RbcGameResult]], None] = lambda _: None,
) -> dict[str, Any]:
    """Plays the games that the journal does not have; writes `matches.json` after each; returns the report.

    `stockfish` is the path that TroutBot needs. `on_progress` is called with all games after each game.
    """
    journal = Journal(out / JOURNAL)
    games = [RbcGameResult(**entry | {"failures": tuple(entry["failures"])}) for entry in journal.entries]
    done = {(*each.match, each.number) for each in games}
    numbers = sorted({number for match in matches for number in match.numbers})
    missing = iter(
        [
            (match, number)
            for number in numbers
            for match in matches
            if number in match.numbers
            and (match.bot, match.opponent, match.seconds, match.increment, number) not in done
        ]
    )
    spawn: Any = partial(_Worker, stockfish)
    with LocalWorkerPool[tuple[RbcMatch, int], PlayedGame](
        spawn, processes, lambda task: f"game {task[1]}"
    ) as pool:
        for game, history in pool.run(missing):
            with (out / HISTORIES).open("ab") as file:
                file.write(history)
            journal.add(asdict(game))
            games.append(game)
            on_progress(games)
            _write(games, out, command)
    return _write(games, out, command)


def _write(games: Sequence[RbcGameResult], out: Path, command: str) -> dict[str, Any]:
    report = {
        **provenance(command),
        "matches": [
            summary([game for game in games if game.match == key])
            for key in dict.fromkeys(game.match for game in games)
        ],
    }
    write_json(report, out / REPORT)
    return report


def summary(games: Sequence[RbcGameResult]) -> dict[str, Any]:
    """The totals of one match, and the share of points with its 95 % interval."""
    scores = [0.0 if game.score is None else game.score for game in games]
    low, high = wilson_interval(sum(scores) / len(scores), len(scores))
    lost_on_time = sum(game.reason == "TIMEOUT" and game.score == 0 for game in games)
    return {
        "bot": games[0].bot,
        "opponent": games[0].opponent,
        "clock": f"{games[0].seconds:g} s + {games[0].increment:g} s",
        "games": len(games),
        "won": sum(game.score == 1 for game in games),
        "drawn": sum(game.score == 0.5 for game in games),
        "lost": sum(game.score == 0 for game in games),
        "crashed": sum(game.score is None for game in games),
        "lost_on_time": lost_on_time,
        "suppressed_failures": sum(len(game.failures) for game in games),
        "share": round(sum(scores) / len(scores), 4),
        "interval_95": [round(low, 4), round(high, 4)],
        "turns": round(sum(game.turns for game in games) / len(games), 1),
        "least_seconds_left": min(game.left for game in games),
    }
