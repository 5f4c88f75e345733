"""`python -m bench.rbc_memory`: memory of a tracker, or of a bot, in a game without information.

White only passes and never senses, so that the set has its maximum size after a few turns.
"""

from __future__ import annotations

import argparse
import resource
import sys
from dataclasses import replace
from pathlib import Path
from time import perf_counter

from sparring.base.provenance import portable_command, provenance
from sparring.measure.reports import write_json
from sparring.players import GameStart, Turn
from sparring.rbc.bots import InferenceBot, load_bot_config, make_bot
from sparring.rbc.game import NO_SENSE, PASS, SENSE, MoveResult, OpponentMoveResult, Rbc, SenseResult
from sparring.rbc.planner import PlannerBot
from sparring.rbc.tracker import Tracker, TrackerOptions

RESULTS = Path(__file__).parent.parent / "results" / "rbc"


def peak() -> int:
    """The peak resident memory of this process, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


SENSES = [*range(SENSE, SENSE + 64), NO_SENSE]
PLAYOUTS = 16
"""Few playouts: the memory of a search is that of its table, which does not grow."""


class _BotGame:
    """A bot that decides in each turn, though White passes whatever it decides."""

    def __init__(self, name: str) -> None:
        config = load_bot_config(name)
        planner = replace(config.planner, playouts=PLAYOUTS)
        # A board's evaluation takes no memory that grows with its depth: one ply makes the turns short.
        bot = make_bot(replace(config, use_clock=False, depth=1, planner=planner))
        assert isinstance(bot, InferenceBot | PlannerBot)
        bot.new_game(GameStart(Rbc(), 0, seed=1))
        self._bot = bot
        self._requests = Rbc().initial().play(NO_SENSE).legal_moves()

    @property
    def tracker(self) -> Tracker:
        """The bot's tracker."""
        return self._bot.knowledge.tracker

    def turn(self) -> None:
        """Plays a turn."""
        self._bot.observe(OpponentMoveResult(None))
        self._bot.choose(Turn(None, SENSES))
        self._bot.observe(SenseResult(()))
        self._bot.choose(Turn(None, self._requests))
        self._bot.observe(MoveResult(PASS, None, None))


class _TrackerGame:
    def __init__(self, options: TrackerOptions) -> None:
        self.tracker = Tracker(0, options)

    def turn(self) -> None:
        """Tracks a turn."""
        self.tracker.opponent_moved(None)
        self.tracker.sensed(())
        self.tracker.moved(PASS, None, None)


def main() -> None:
    """Tracks the game turn by turn and writes the memory after each to results/rbc/NAME.json."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=200)
    parser.add_argument("--limit", type=int, default=TrackerOptions.limit)
    parser.add_argument("--past-limit", type=int, default=TrackerOptions.past_limit)
    parser.add_argument("--threads", type=int, default=TrackerOptions.threads)
    parser.add_argument("--bot", default="", help="a bot, with its own limits, instead of a tracker")
    parser.add_argument("--name", default="memory", help="results/rbc/NAME.json")
    arguments = parser.parse_args()
    options = TrackerOptions(
        limit=arguments.limit, past_limit=arguments.past_limit, threads=arguments.threads
    )
    game = _BotGame(arguments.bot) if arguments.bot else _TrackerGame(options)
    before, start = peak(), perf_counter()
    turns: list[dict[str, object]] = []
    report = {
        **provenance(portable_command(["python", "-m", "bench.rbc_memory", *sys.argv[1:]])),
        "before_bytes": before,
        "turns": turns,
    }
    for turn in range(1, arguments.turns + 1):
        game.turn()
        boards, most = len(game.tracker.boards), peak()
        turns.append({"turn": turn, "boards": boards, "past": game.tracker.past_size, "peak_bytes": most})
        print(f"turn {turn}: {boards:,} boards, at most {most / 2**30:.2f} GiB", flush=True)
        report |= {"peak_bytes": most, "seconds": perf_counter() - start}
        write_json(report, RESULTS / f"{arguments.name}.json")


if __name__ == "__main__":
    main()
