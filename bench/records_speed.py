"""Records: PGN to the packed table against python-chess, one core each; memory; batches against a promise.

The games are those of the file that the environment variable SPARRING_GAMES names (PGN, compressed or not),
or random games with evaluations that are made here. We read all of them, python-chess the first ones.
"""

from __future__ import annotations

import io
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from time import perf_counter

import chess
import chess.pgn

from bench.result import BenchmarkResult
from sparring import records
from sparring.games import Chess
from sparring.records.streams import open_chunks

GENERATED_GAMES = 20_000
"""How many there are where no file is named."""
THEIR_GAMES = 600
MAX_MEGABYTES = 500
THREADS = 2
BATCHES = 300
# A process of its own, by Linux's figure for it alone: getrusage would count what it was forked from.
MEMORY_SCRIPT = """
import sys
from sparring.cli import main
main(["records", "build", sys.argv[1], "--preset", "everything", "--out", sys.argv[2]])
print(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1])
"""


def random_pgn(rng: random.Random) -> str:
    """A random game of up to 90 plies as Lichess writes it, with an evaluation after every move."""
    state, board, words = Chess().initial(), chess.Board(), []
    while state.outcome is None and state.ply < 90:
        move = rng.choice(state.legal_moves())
        number = f"{state.ply // 2 + 1}{'...' if state.ply % 2 else '.'}"
        words.append(
            f"{number} {board.san_and_push(chess.Move.from_uci(state.move_text(move)))} "
            f"{{ [%eval {rng.randint(-999, 999) / 100}] }}"
        )
        state = state.play(move)
    tags = {"Event": "Rated Rapid game", "Site": f"https://lichess.org/{rng.randrange(10**8)}"}
    tags |= {"White": "first", "Black": "second", "Result": "1-0", "UTCDate": "2020.05.28"}
    tags |= {"WhiteElo": "1510", "BlackElo": "1550", "TimeControl": "600+0", "Termination": "Normal"}
    head = "".join(f'[{name} "{value}"]\n' for name, value in tags.items())
    return f"{head}\n{' '.join(words)} 1-0\n\n"


def write_games(path: Path) -> None:
    """A few hundred random games again and again: the time is in reading, not in surprises."""
    rng = random.Random(1)
    some = [random_pgn(rng) for _ in range(400)]
    path.write_text("".join(some * (GENERATED_GAMES // len(some))))


def first_games(path: Path, count: int) -> str:
    """The first games of a file as Lichess writes it."""
    text, begins = "", "\n\n[Event "
    for chunk in open_chunks(path):
        text += chunk.decode(errors="replace")
        if text.count(begins) > count:
            break
    return begins.join(islice(text.split(begins), count)) + "\n\n"


@contextmanager
def one_core() -> Iterator[None]:
    """Everything inside has a single core to run on, where the system can be told so."""
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
    stream, count = io.StringIO(text), 0
    while chess.pgn.read_game(stream) is not None:
        count += 1
    return count


def reading_row(games: Path, table: Path) -> BenchmarkResult:
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
    started = perf_counter()
    batches = records.Batches([table], split=None, threads=THREADS)
    positions = sum(map(len, islice(batches, BATCHES)))
    rate = positions / (perf_counter() - started)
    label = f"chess batches from Parquet, {THREADS} threads"
    return BenchmarkResult(label, "the promise of 60,000", rate, 60_000, "positions/s", min_ratio=1)


def measure() -> list[BenchmarkResult]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if given := os.environ.get("SPARRING_GAMES"):
            games = Path(given)
        else:
            games = folder / "games.pgn"
            write_games(games)
        return [
            reading_row(games, folder / "table"),
            memory_row(games, folder / "again"),
            batches_row(folder / "table"),
        ]
