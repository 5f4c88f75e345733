"""Expendibots: perft of the native rules against the reference implementation in plain Python."""

from __future__ import annotations

from time import perf_counter

from bench.result import BenchmarkResult
from sparring.expendibots.game import Expendibots
from tests.reference.expendibots import START, WHITE, perft

DEPTH = 4
"""About 2 s in plain Python."""
ROUNDS = 100
"""Repetitions of the native perft, which takes a few milliseconds."""


def measure() -> list[BenchmarkResult]:
    """The row of perft."""
    state = Expendibots().initial()
    started = perf_counter()
    native = sum(state.perft(DEPTH) for _ in range(ROUNDS)) / (perf_counter() - started)
    started = perf_counter()
    plain = perft(START, WHITE, DEPTH) / (perf_counter() - started)
    label, baseline = f"Expendibots perft {DEPTH}", "itself in plain Python"
    return [BenchmarkResult(label, baseline, native, plain, "nodes/s", min_ratio=200)]
