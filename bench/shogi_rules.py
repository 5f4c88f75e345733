"""Shogi: perft against cshogi's native move lists driven from Python (cshogi has no perft)."""

from __future__ import annotations

from time import perf_counter

import cshogi

from bench.result import BenchmarkResult
from sparring.shogi.game import Shogi

DEPTH = 4
ROUNDS = 100


def cshogi_perft(board: cshogi.Board, depth: int) -> int:
    """perft with bulk counting: the length of the last move list is native."""
    if depth == 1:
        return len(board.legal_moves)
    nodes = 0
    for move in board.legal_moves:
        board.push(move)
        nodes += cshogi_perft(board, depth - 1)
        board.pop()
    return nodes


def measure() -> list[BenchmarkResult]:
    """The row of perft."""
    state = Shogi().initial()
    start = perf_counter()
    ours = sum(state.perft(DEPTH) for _ in range(ROUNDS)) / (perf_counter() - start)
    start = perf_counter()
    theirs = sum(cshogi_perft(cshogi.Board(), DEPTH) for _ in range(10)) / (perf_counter() - start)
    label, baseline = f"shogi perft {DEPTH}", "cshogi's move lists, from Python"
    return [BenchmarkResult(label, baseline, ours, theirs, "nodes/s", min_ratio=1)]
