"""`python -m bench.rbc_memory`: memory of a tracker in a game without information.

White only passes and never senses, so that the set has its maximum size after a few turns.
"""

from __future__ import annotations

import argparse
import resource
from pathlib import Path
from time import perf_counter

from sparring.belief import Tracker, TrackerOptions
from sparring.games.rbc import PASS
from sparring.reports import provenance
from sparring.reports.report import write_json

RESULTS = Path(__file__).parent.parent / "results" / "rbc"


def peak() -> int:
    """The peak resident memory of this process, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def main() -> None:
    """Tracks the game turn by turn and writes the memory after each to results/rbc/NAME.json."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=200)
    parser.add_argument("--limit", type=int, default=TrackerOptions.limit)
    parser.add_argument("--past-limit", type=int, default=TrackerOptions.past_limit)
    parser.add_argument("--threads", type=int, default=TrackerOptions.threads)
    parser.add_argument("--name", default="memory", help="results/rbc/NAME.json")
    arguments = parser.parse_args()
    options = TrackerOptions(
        limit=arguments.limit, past_limit=arguments.past_limit, threads=arguments.threads
    )
    tracker, before, start = Tracker(0, options), peak(), perf_counter()
    turns: list[dict[str, object]] = []
    report = {
        **provenance(
            f"python -m bench.rbc_memory --turns {arguments.turns} --limit {arguments.limit} "
            f"--past-limit {arguments.past_limit} --threads {arguments.threads} --name {arguments.name}"
        ),
        "before_bytes": before,
        "turns": turns,
    }
    for turn in range(1, arguments.turns + 1):
        tracker.opponent_moved(None)
        tracker.sensed(())
        tracker.moved(PASS, None, None)
        boards, most = len(tracker.boards), peak()
        turns.append({"turn": turn, "boards": boards, "past": tracker.past_size, "peak_bytes": most})
        print(f"turn {turn}: {boards:,} boards, at most {most / 2**30:.2f} GiB", flush=True)
        report |= {"peak_bytes": most, "seconds": perf_counter() - start}
        write_json(report, RESULTS / f"{arguments.name}.json")


if __name__ == "__main__":
    main()
