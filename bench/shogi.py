"""Shogi's speed beside cshogi's: perft, and games played move by move from Python."""

from __future__ import annotations

import random
import time
from collections.abc import Callable

import cshogi

from bench.rows import Row
from sparring.games import Shogi

DEPTH = 4
GAMES = 20
PLIES = 150


def measure() -> list[Row]:
    return [perft(), random_games()]


def perft() -> Row:
    """Nodes a second of perft from the start, the last ply counted and not played."""
    state = Shogi().initial()
    ours = best_rate(lambda: state.perft(DEPTH), runs=10)
    theirs = best_rate(lambda: cshogi_perft(cshogi.Board(), DEPTH), runs=2)
    return Row(f"shogi perft {DEPTH}", "cshogi", ours, theirs, "nodes/s", at_least=3.0)


def random_games() -> Row:
    """Plies a second of random games driven from Python, every end of the game noticed.

    Our states notice by themselves; cshogi is asked about repetition and the entering king.
    """
    ours = best_rate(our_games, runs=3)
    theirs = best_rate(cshogi_games, runs=3)
    return Row("shogi random games from Python", "cshogi", ours, theirs, "plies/s", at_least=0.7)


def best_rate(work: Callable[[], int], runs: int) -> float:
    """The best of several runs of work that says how much it did."""
    best = 0.0
    for _ in range(runs):
        start = time.perf_counter()
        done = work()
        best = max(best, done / (time.perf_counter() - start))
    return best


def cshogi_perft(board: cshogi.Board, depth: int) -> int:
    if depth == 1:
        return len(board.legal_moves)
    nodes = 0
    for move in board.legal_moves:
        board.push(move)
        nodes += cshogi_perft(board, depth - 1)
        board.pop()
    return nodes


def our_games() -> int:
    rng, plies = random.Random(1), 0
    for _ in range(GAMES):
        state = Shogi().initial()
        for _ in range(PLIES):
            moves = state.legal_moves()
            if not moves:
                break
            state = state.play(moves[int(rng.random() * len(moves))])
            plies += 1
    return plies


def cshogi_games() -> int:
    rng, plies = random.Random(1), 0
    for _ in range(GAMES):
        board = cshogi.Board()
        for _ in range(PLIES):
            moves = list(board.legal_moves)
            if not moves or board.is_draw() != cshogi.NOT_REPETITION or board.is_nyugyoku():
                break
            board.push(moves[int(rng.random() * len(moves))])
            plies += 1
    return plies


if __name__ == "__main__":
    for row in measure():
        print(f"{row.what}: {row.ours:,.0f} {row.unit}, {row.peer} {row.theirs:,.0f}, {row.ratio:.1f} times")
