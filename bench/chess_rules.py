"""Chess: perft and random playouts against python-chess."""

from __future__ import annotations

import random
from time import perf_counter

import chess

from bench.result import BenchmarkResult
from sparring.chess.game import Chess

ROUNDS = 100


def perft(board: chess.Board, depth: int) -> int:
    """perft with bulk counting, as in python-chess's examples."""
    if depth == 1:
        return board.legal_moves.count()
    nodes = 0
    for move in board.legal_moves:
        board.push(move)
        nodes += perft(board, depth - 1)
        board.pop()
    return nodes


def perft_row() -> BenchmarkResult:
    """perft of the initial position."""
    state = Chess().initial()
    start = perf_counter()
    ours = sum(state.perft(5) for _ in range(ROUNDS)) / (perf_counter() - start)
    start = perf_counter()
    theirs = perft(chess.Board(), 5) / (perf_counter() - start)
    return BenchmarkResult(
        "chess perft 5, bulk counted", "python-chess", ours, theirs, "nodes/s", min_ratio=150
    )


def our_plies(games: int, rng: random.Random) -> int:
    """Plays random games with our rules; returns the number of plies."""
    game = Chess()
    plies = 0
    for _ in range(games):
        state = game.initial()
        while game.outcome(state) is None:
            state = game.play(state, rng.choice(game.legal_moves(state)))
            plies += 1
    return plies


def their_plies(games: int, rng: random.Random) -> int:
    """Plays random games with python-chess; returns the number of plies."""
    plies = 0
    for _ in range(games):
        board = chess.Board()
        while board.outcome() is None:
            board.push(rng.choice(list(board.legal_moves)))
            plies += 1
    return plies


def playout_row() -> BenchmarkResult:
    """Random games with moves chosen in Python."""
    rng = random.Random(1)
    start = perf_counter()
    ours = our_plies(300, rng) / (perf_counter() - start)
    start = perf_counter()
    theirs = their_plies(12, rng) / (perf_counter() - start)
    label = "chess random playout driven from Python"
    return BenchmarkResult(label, "python-chess", ours, theirs, "plies/s", min_ratio=25)


def measure() -> list[BenchmarkResult]:
    """Rows of perft and playouts."""
    return [perft_row(), playout_row()]
