"""Inputs of the benchmarks: network files and game files that the environment names, and random positions.

`SPARRING_NETS` is a folder with `lc0/` and `maia3/`; `SPARRING_GAMES` is a PGN file, compressed or not.
"""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path

import chess

from sparring._core import ChessState
from sparring.chess.game import Chess

GENERATED_GAMES = 20_000
"""Games of a generated PGN file."""


def network_file(folder: str, name: str) -> Path | None:
    """A network file under `$SPARRING_NETS`; None, with a message, if the variable is not set."""
    root = os.environ.get("SPARRING_NETS")
    if root is None:
        print(f"SPARRING_NETS is not set: {name} is left out", file=sys.stderr)
        return None
    return Path(root) / folder / name


def games_file(folder: Path) -> Path:
    """The PGN file `$SPARRING_GAMES`, or a generated one in `folder`."""
    if given := os.environ.get("SPARRING_GAMES"):
        return Path(given)
    path, rng = folder / "games.pgn", random.Random(1)
    distinct = [random_pgn(rng) for _ in range(400)]  # repeated: writing them takes longer than reading
    path.write_text("".join(distinct * (GENERATED_GAMES // len(distinct))))
    return path


def random_pgn(rng: random.Random) -> str:
    """A random game of up to 90 plies in Lichess's PGN, with an evaluation after every move."""
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


def random_games(count: int) -> tuple[list[list[str]], list[ChessState]]:
    """Random chess games of 10 to 60 plies that are not over: their UCI moves and final states."""
    rng = random.Random(1)
    moves: list[list[str]] = []
    states: list[ChessState] = []
    while len(states) < count:
        state, line = Chess().initial(), []
        for _ in range(rng.randint(10, 60)):
            if state.outcome is not None:
                break
            move = rng.choice(state.legal_moves())
            line.append(state.move_text(move))
            state = state.play(move)
        if state.outcome is None:
            moves.append(line)
            states.append(state)
    return moves, states
