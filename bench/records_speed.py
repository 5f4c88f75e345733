"""Records: PGN to the packed table against python-chess, and batches against their promise.

The games are those of the file that the environment variable SPARRING_GAMES names (PGN, compressed or not),
or random games with evaluations that are made here. Both read the same games: of a long file, its first ones.
"""

from __future__ import annotations

import io
import os
import random
import tempfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from time import perf_counter

import chess
import chess.pgn

from bench.rows import Row
from sparring import records
from sparring.games import Chess
from sparring.records.streams import open_chunks

GAMES = 4_000
"""What we read; the tables of a whole month are made of such parts."""
THEIR_GAMES = 150
THREADS = 2


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


def games() -> Iterator[str]:
    """The games, each as text."""
    if name := os.environ.get("SPARRING_GAMES"):
        rest = ""
        for chunk in open_chunks(Path(name)):
            *whole, rest = (rest + chunk.decode(errors="replace")).split("\n\n[Event ")
            yield from (game.removeprefix("[Event ").join(["[Event ", "\n\n"]) for game in whole)
    else:
        rng = random.Random(1)
        some = [random_pgn(rng) for _ in range(400)]
        while True:
            yield from some


def their_games(text: str) -> int:
    stream, count = io.StringIO(text), 0
    while chess.pgn.read_game(stream) is not None:
        count += 1
    return count


def reading_row(folder: Path) -> Row:
    texts = list(islice(games(), GAMES))
    (folder / "ours.pgn").write_text("".join(texts))
    started = perf_counter()
    report = records.build([folder / "ours.pgn"], records.load_preset("everything"), folder / "table")
    ours = report.seen / (perf_counter() - started)
    some = "".join(texts[:THEIR_GAMES])
    started = perf_counter()
    theirs = their_games(some) / (perf_counter() - started)
    return Row("PGN to the packed table", "python-chess read_game", ours, theirs, "games/s", at_least=40)


def batches_row(folder: Path) -> Row:
    started = perf_counter()
    positions = sum(map(len, records.Batches([folder / "table"], split=None, threads=THREADS)))
    rate = positions / (perf_counter() - started)
    what = f"chess batches from Parquet, {THREADS} threads"
    return Row(what, "the promise of 60,000", rate, 60_000, "positions/s", at_least=1)


def measure() -> list[Row]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        return [reading_row(folder), batches_row(folder)]
