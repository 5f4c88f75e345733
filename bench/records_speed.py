"""Records: PGN to the packed table against python-chess, one core each; memory; speed of batches.

The games are those of SPARRING_GAMES, or random ones. We read all of them, python-chess the first ones.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from time import perf_counter

import chess.pgn

from bench.inputs import games_file
from bench.result import BenchmarkResult
from sparring import records
from sparring.records.sources import open_chunks

THEIR_GAMES = 600
"""Games that python-chess reads."""
MAX_MEGABYTES = 500
THREADS = 2
BATCHES = 300
# In a separate process, by VmHWM: getrusage would count the memory of the parent too.
MEMORY_SCRIPT = """
import sys
from sparring.cli import main
main(["records", "build", sys.argv[1], "--preset", "everything", "--out", sys.argv[2]])
print(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1])
"""


def first_games(path: Path, count: int) -> str:
    """The text of the first `count` games of a PGN file of Lichess."""
    text, begins = "", "\n\n[Event "
    for chunk in open_chunks(path):
        text += chunk.decode(errors="replace")
        if text.count(begins) > count:
            break
    return begins.join(islice(text.split(begins), count)) + "\n\n"


@contextmanager
def one_core() -> Iterator[None]:
    """Pins this process to one core, if the system supports it."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def their_games(text: str) -> int:
    """Reads games with python-chess; returns their number."""
    stream, count = io.StringIO(text), 0
    while chess.pgn.read_game(stream) is not None:
        count += 1
    return count


def reading_row(games: Path, table: Path) -> BenchmarkResult:
    """Games per second from PGN to a table."""
    text = first_games(games, THEIR_GAMES)
    with one_core():
        started = perf_counter()
        report = records.build_table([games], records.load_preset("everything"), table)
        ours = report.seen / (perf_counter() - started)
        started = perf_counter()
        theirs = their_games(text) / (perf_counter() - started)
    return BenchmarkResult(
        "PGN to the packed table", "python-chess read_game", ours, theirs, "games/s", min_ratio=40
    )


def memory_row(games: Path, table: Path) -> BenchmarkResult:
    """Peak memory of `records build`."""
    done = subprocess.run(
        [sys.executable, "-c", MEMORY_SCRIPT, str(games), str(table)],
        check=True,
        capture_output=True,
        text=True,
    )
    label = f"{MAX_MEGABYTES} MB of memory for `records build`"
    return BenchmarkResult(
        label, "its peak", MAX_MEGABYTES, int(done.stdout.split()[-1]) / 1024, "MB", min_ratio=1
    )


def batches_row(table: Path) -> BenchmarkResult:
    """Positions per second of training batches."""
    started = perf_counter()
    batches = records.Batches([table], split=None, threads=THREADS)
    positions = sum(map(len, islice(batches, BATCHES)))
    rate = positions / (perf_counter() - started)
    label = f"chess batches from Parquet, {THREADS} threads"
    return BenchmarkResult(label, "the promise of 60,000", rate, 60_000, "positions/s", min_ratio=1)


def measure() -> list[BenchmarkResult]:
    """Rows of reading, memory and batches."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        games = games_file(folder)
        return [
            reading_row(games, folder / "table"),
            memory_row(games, folder / "again"),
            batches_row(folder / "table"),
        ]
