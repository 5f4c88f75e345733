"""Matches between bots of reconnaissance blind chess with chess clocks, by our own rules, one process a game.

The clock counts the decisions and the observations of a bot. Bots do not ponder. Each game is journalled, so
that a stopped run resumes; `histories.jsonl.zst` has the games as reconchess writes them, for training.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import zstandard

from sparring._core import RbcState
from sparring.base.provenance import provenance
from sparring.base.storage import Journal
from sparring.base.workers import LocalWorkerPool, Worker
from sparring.measure.ratings import wilson_interval
from sparring.measure.reports import write_json
from sparring.play.match import NOT_STARTED
from sparring.play.result import TIME_FORFEIT, UNFINISHED
from sparring.players import Clock, Decision, GameStart, Player, SearchLimits, Turn
from sparring.players.engines import EngineFailure, FailureReason
from sparring.rbc.bots import load_bot_config, make_bot
from sparring.rbc.game import NO_SENSE, MoveResult, OpponentSense
from sparring.rbc.history import to_history
from sparring.rbc.matches import play_rbc_game
from sparring.rbc.planner import PlannerBot
from sparring.rbc.plugin import DESCRIPTION
from sparring.records import GameRecord
from sparring.records.record import Termination

JOURNAL = "variants.jsonl"
REPORT = "variants.json"
HISTORIES = "histories.jsonl.zst"
_REASONS = {TIME_FORFEIT: "time", UNFINISHED.reason: "turn limit"}
"""Reasons by the names that journals have."""


@dataclass(frozen=True)
class VariantMatch:
    """A match between two bots, each a name or a TOML file."""

    bot: str
    opponent: str
    seconds: float
    """Seconds on each clock at the start."""
    increment: float
    """Seconds added after each turn."""
    random_moves: int = 1
    """First moves of each side that are random; games 2n and 2n + 1 have the same."""
    max_turns: int = 150
    """Turns of each side after which a game is a draw."""
    opponent_time: float = 1.0
    """Factor of the opponent's seconds and increment."""


@dataclass(frozen=True)
class VariantGame:
    """One game of a match; colours alternate."""

    bot: str
    opponent: str
    number: int
    """The first bot has White in even games."""
    score: float | None
    """Points of the first bot; None if a bot raised an exception."""
    reason: str
    turns: int = 0
    least_left: float = 0.0
    """Fewest seconds on the first bot's clock."""
    left: float | None = None
    """Seconds on the first bot's clock at the end of the game."""
    given: float | None = None
    """All seconds that its clock was given: those at the start and the increments."""
    playouts: float | None = None
    """Mean playouts of its searches, if it is a planner."""
    nodes: float | None = None
    megabytes: float = 0.0
    """Peak memory of the process, with both bots."""


PlayedGame = tuple[VariantGame, bytes]
"""A game, and its history as reconchess writes it, compressed."""


class _TimedBot(Player):
    """A bot on its own clock, which counts its decisions and its observations."""

    def __init__(
        self, bot: Player, name: str, match: VariantMatch, openings: np.random.Generator, time_factor: float
    ) -> None:
        """`openings` draws the random moves of both sides."""
        super().__init__(name)
        self.bot, self._match, self._openings = bot, match, openings
        self._increment = time_factor * match.increment
        self.left = self.least = self.given = time_factor * match.seconds
        self._moves = 0
        self.searches: list[tuple[int, int]] = []
        """Playouts and nodes of each search of a planner."""

    def new_game(self, start: GameStart) -> None:
        self.bot.new_game(start)

    def observe(self, observation: Any) -> None:
        if not isinstance(observation, OpponentSense):
            began = time.perf_counter()
            self.bot.observe(observation)
            self._spend(began)
        if isinstance(observation, MoveResult):  # of its own move, which ends its turn
            self.left += self._increment
            self.given += self._increment

    def choose(self, turn: Turn) -> Decision:
        """The bot's decision, or a random move at the beginning. Raises EngineFailure when its time is up."""
        moves, sensing, began = turn.legal_moves, turn.legal_moves[-1] == NO_SENSE, time.perf_counter()
        if not sensing and self._moves < self._match.random_moves:
            decision = Decision(moves[int(self._openings.integers(len(moves)))])
        else:
            limits = SearchLimits(clock=Clock(self.left, self._increment))
            decision = self.bot.choose(replace(turn, limits=limits))
        self._spend(began)
        if self.left <= 0:
            raise EngineFailure(FailureReason.TIME, self.name)
        if isinstance(self.bot, PlannerBot) and self.bot.last_search is not None:
            self.searches.append((self.bot.last_search.playouts, self.bot.last_search.nodes))
        if not sensing:
            self._moves += 1
        return decision

    def close(self) -> None:
        self.bot.close()

    def _spend(self, began: float) -> None:
        self.left -= time.perf_counter() - began
        self.least = min(self.least, self.left)


class _Worker(Worker[tuple[VariantMatch, int], PlayedGame]):
    def __init__(self, processor_time: bool = False) -> None:
        if processor_time:  # for the clocks of the game, and for the bots' own measurements
            time.perf_counter = time.process_time

    def work(self, task: tuple[VariantMatch, int]) -> PlayedGame:
        match, number = task
        first = number % 2
        names = (match.bot, match.opponent) if first == 0 else (match.opponent, match.bot)
        labels = Path(match.bot).stem, Path(match.opponent).stem
        bots: list[_TimedBot] = []
        try:
            rng = np.random.default_rng([11, number // 2])
            for side, name in enumerate(names):
                factor = 1.0 if side == first else match.opponent_time
                bots.append(_TimedBot(make_bot(load_bot_config(name)), Path(name).stem, match, rng, factor))
            seeds = [[7, number, side] for side in (0, 1)]
            live = play_rbc_game(bots, seeds, 0, rng, match.max_turns)
        except Exception as error:
            return VariantGame(*labels, number, None, f"{type(error).__name__}: {error}"), b""
        finally:
            for bot in bots:
                bot.close()
        assert live.end is not None
        if live.end.broke_rules or live.end.reason == NOT_STARTED:
            return VariantGame(*labels, number, None, live.end.detail), b""
        bot, state = bots[first], live.states[-1]
        playouts, nodes = np.mean(bot.searches, axis=0).round(1).tolist() if bot.searches else (None, None)
        played = VariantGame(
            *labels,
            number,
            live.end.score(first),
            _REASONS.get(live.end.reason, live.end.reason),
            state.ply // 4,
            least_left=round(bot.least, 2),
            left=round(bot.left, 2),
            given=round(bot.given, 2),
            playouts=playouts,
            nodes=nodes,
            megabytes=round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
        )
        return played, _history(state, live.end.first_score, names, number)


def _history(state: RbcState, first_score: float | None, names: Sequence[str], number: int) -> bytes:
    """The game as a line of reconchess's JSON, compressed; empty if the game was not played to its end."""
    if state.outcome is None:
        return b""
    record = GameRecord(
        moves=state.pack_moves(DESCRIPTION.packed_move_bytes),
        result=first_score,
        ending=Termination.NORMAL,
        first=Path(names[0]).stem,
        second=Path(names[1]).stem,
        site=str(number),
    )
    return zstandard.compress(to_history(record).encode() + b"\n", 9)


def run(
    matches: Sequence[VariantMatch],
    games: int,
    out: Path,
    command: str,
    processes: int,
    seconds: float | None = None,
    on_progress: Callable[[VariantGame], None] = lambda _: None,
    *,
    first: int = 0,
    processor_time: bool = False,
) -> dict[str, Any]:
    """Plays the games that the journal does not have; writes `variants.json` after each; returns the report.

    `first` is the number of the first game: parts of a match with other numbers can be played elsewhere.
    `seconds` ends the run after this time; games that are not finished then are not counted. With
    `processor_time` clocks count the time of the processor: other work on the machine does not change games.
    """
    journal = Journal(out / JOURNAL)
    played = [VariantGame(**entry) for entry in journal.entries]
    done = {(each.bot, each.opponent, each.number) for each in played}
    missing = iter(
        [
            (match, number)
            for number in range(first, first + games)
            for match in matches
            if (Path(match.bot).stem, Path(match.opponent).stem, number) not in done
        ]
    )
    ends = None if seconds is None else time.monotonic() + seconds
    clock = f"{matches[0].seconds:g} s + {matches[0].increment:g} s" + " of processor time" * processor_time
    if matches[0].opponent_time != 1:
        clock += f", the opponent's times {matches[0].opponent_time:g}"
    spawn: Any = partial(_Worker, processor_time)
    with LocalWorkerPool[tuple[VariantMatch, int], PlayedGame](
        spawn, processes, lambda task: f"game {task[1]} of {task[0].bot}"
    ) as pool:
        for game, history in pool.run(missing):
            with (out / HISTORIES).open("ab") as file:
                file.write(history)
            journal.add(asdict(game))
            played.append(game)
            on_progress(game)
            _write(played, clock, out, command)
            if ends is not None and time.monotonic() > ends:
                break
    return _write(played, clock, out, command)


def _write(games: Sequence[VariantGame], clock: str, out: Path, command: str) -> dict[str, Any]:
    pairs = dict.fromkeys((game.bot, game.opponent) for game in games)
    report = {
        **provenance(command),
        "clock": clock,
        "matches": [summary([g for g in games if (g.bot, g.opponent) == pair]) for pair in pairs],
    }
    write_json(report, out / REPORT)
    return report


def summary(games: Sequence[VariantGame]) -> dict[str, Any]:
    """The totals of one match, and the first bot's share of points with its 95 % interval."""
    scores = [0.0 if game.score is None else game.score for game in games]
    low, high = wilson_interval(sum(scores) / len(scores), len(scores))
    playouts = [game.playouts for game in games if game.playouts is not None]
    nodes = [game.nodes for game in games if game.nodes is not None]
    left = [game.left / game.given for game in games if game.left is not None and game.given]
    return {
        "bot": games[0].bot,
        "opponent": games[0].opponent,
        "games": len(games),
        "won": sum(game.score == 1 for game in games),
        "drawn": sum(game.score == 0.5 for game in games),
        "lost": sum(game.score == 0 for game in games),
        "crashed": sum(game.score is None for game in games),
        "lost_on_time": sum(game.reason == "time" and game.score == 0 for game in games),
        "share": round(sum(scores) / len(scores), 4),
        "interval_95": [round(low, 4), round(high, 4)],
        "turns": round(sum(game.turns for game in games) / len(games), 1),
        "least_seconds_left": min(game.least_left for game in games),
        "share_of_time_left": round(sum(left) / len(left), 4) if left else None,
        "playouts": round(sum(playouts) / len(playouts), 1) if playouts else None,
        "nodes": round(sum(nodes) / len(nodes), 1) if nodes else None,
        "most_megabytes": max(game.megabytes for game in games),
    }
