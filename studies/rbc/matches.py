"""How a bot of ours does against the bots that come with reconchess, in reconchess's own games.

Every game is played as `rc-bot-match` plays it, players loaded from their modules. A game counts once its
line in the journal is whole, so that a run that was stopped goes on.
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

from sparring.arena.intervals import wilson_interval
from sparring.reports.machine import describe_machine, today
from sparring.storage import Journal, atomic_write
from sparring.workers import LocalWorkerPool

JOURNAL = "matches.jsonl"
REPORT = "matches.json"
OURS = "sparring.engines.reconchess"
OPPONENTS = {name: f"reconchess.bots.{name}_bot" for name in ("trout", "attacker", "random")}


@dataclass(frozen=True)
class RbcMatch:
    """A bot of ours against one of reconchess's."""

    bot: str
    opponent: str
    games: int
    seconds: float
    """On each clock at the start; reconchess adds five a turn."""


@dataclass(frozen=True)
class RbcGameResult:
    """One game."""

    bot: str
    opponent: str
    seconds: float
    number: int
    """Even where our bot has White."""
    score: float | None
    """1, 1/2 or 0 for our bot; None where a player crashed the game."""
    reason: str
    failures: tuple[str, ...]
    """What went wrong in our bot and was not let out."""
    turns: int
    """Of ours."""
    left: float
    """Seconds on our clock at the end."""
    spent: float
    """Seconds that the game took."""


class _Worker:
    """Plays games of reconchess."""

    def __init__(self, stockfish: str | None) -> None:
        if stockfish is not None:
            os.environ["STOCKFISH_EXECUTABLE"] = stockfish

    def work(self, task: tuple[RbcMatch, int]) -> RbcGameResult:
        match, number = task
        import chess
        from reconchess import LocalGame, WinReason, load_player, play_local_game

        os.environ["SPARRING_RBC_BOT"], os.environ["SPARRING_RBC_SEED"] = match.bot, str(number)
        random.seed(number)
        color = number % 2 == 0
        began = time.monotonic()
        game = LocalGame(seconds_per_player=match.seconds)
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
        )

    def close(self) -> None:
        """Players end with their games."""

    def terminate(self) -> None:
        """Engines notice that nobody listens any more."""


def _quit(player: Any) -> None:
    """TroutBot leaves its engine running where a game ends by an error."""
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
    """Plays what is still missing of the matches and writes the report, also where it is stopped."""
    journal = Journal(out / JOURNAL)
    games = [RbcGameResult(**each | {"failures": tuple(each["failures"])}) for each in journal.entries]
    done = {(each.bot, each.opponent, each.seconds, each.number) for each in games}
    longest = max(match.games for match in matches)
    missing = iter(
        [
            (match, number)
            for number in range(longest)
            for match in matches
            if number < match.games and (match.bot, match.opponent, match.seconds, number) not in done
        ]
    )
    spawn: Any = partial(_Worker, stockfish)
    with LocalWorkerPool[tuple[RbcMatch, int], RbcGameResult](
        spawn, processes, lambda task: f"game {task[1]}"
    ) as pool:
        for game in pool.run(missing):
            journal.add(asdict(game))
            games.append(game)
            on_progress(games)
            _write(games, out, command)
    return _write(games, out, command)


def _write(games: Sequence[RbcGameResult], out: Path, command: str) -> dict[str, Any]:
    report = {
        "command": command,
        "date": today(),
        "machine": describe_machine(),
        "matches": [
            summary([each for each in games if (each.bot, each.opponent, each.seconds) == key])
            for key in dict.fromkeys((each.bot, each.opponent, each.seconds) for each in games)
        ],
    }
    atomic_write(out / REPORT, json.dumps(report, indent=2) + "\n")
    return report


def summary(games: Sequence[RbcGameResult]) -> dict[str, Any]:
    """The sums of one match, the share of points with its interval."""
    scores = [0.0 if each.score is None else each.score for each in games]
    low, high = wilson_interval(sum(scores) / len(scores), len(scores))
    lost_on_time = sum(each.reason == "TIMEOUT" and each.score == 0 for each in games)
    return {
        "bot": games[0].bot,
        "opponent": games[0].opponent,
        "clock": f"{games[0].seconds:g} s + 5 s",
        "games": len(games),
        "won": sum(each.score == 1 for each in games),
        "drawn": sum(each.score == 0.5 for each in games),
        "lost": sum(each.score == 0 for each in games),
        "crashed": sum(each.score is None for each in games),
        "lost_on_time": lost_on_time,
        "suppressed_failures": sum(len(each.failures) for each in games),
        "share": round(sum(scores) / len(scores), 4),
        "interval_95": [round(low, 4), round(high, 4)],
        "turns": round(sum(each.turns for each in games) / len(games), 1),
        "least_seconds_left": min(each.left for each in games),
    }
