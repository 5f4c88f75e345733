"""The planner of reconnaissance blind chess with its shipped network: speed, and its share of the time."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.rbc_positions import possible_boards
from bench.result import BenchmarkResult
from sparring._core import RbcPlanner, RbcPlannerConfig, RbcState
from sparring.data import path
from sparring.rbc.bots import SHIPPED_NETWORK, load_bot_config
from sparring.rbc.evaluators import Evaluations, NetworkEvaluator
from sparring.rbc.synopsis import SynopsisWords

CORES = 2
CPU_NODES, GPU_NODES = 4_000, 40_000
"""Promised nodes a second, on two CPU cores and on a GPU."""
OWN_SHARE = 0.2
SECONDS = 6.0
"""Length of a measurement."""


class _Timed:
    """An evaluator that counts its own time, of the clock `now`."""

    def __init__(self, evaluator: NetworkEvaluator, now: Callable[[], float]) -> None:
        self._evaluator, self._now = evaluator, now
        self.seconds = 0.0

    def evaluate(self, synopses: SynopsisWords, opponent: NDArray[np.bool_]) -> Evaluations:
        began = self._now()
        found = self._evaluator.evaluate(synopses, opponent)
        self.seconds += self._now() - began
        return found


def nodes_per_second(
    network: Path,
    backend: str,
    config: RbcPlannerConfig,
    now: Callable[[], float] = time.perf_counter,
) -> tuple[float, float]:
    """Nodes a second of a search for a move, and the share of the time outside the network.

    White has three turns behind it and 5,000 possible boards, of which infostates sample 128. `now` is the
    clock: with `time.process_time` and one thread, the numbers are those of a core that does nothing else.
    """
    evaluator = _Timed(NetworkEvaluator(network, backend=backend, threads=config.threads), now)
    boards = possible_boards(3).after_opponent(None, limit=5000)
    planner = RbcPlanner(config, 0, RbcState.initial(), 1)
    planner.draw(boards, False)
    planner.begin_search(boards, True)
    for _ in range(4):  # the first batches allocate
        planner.evaluate(*evaluator.evaluate(*planner.select()))
    began, before, evaluator.seconds = now(), planner.nodes, 0.0
    while now() < began + SECONDS:
        planner.evaluate(*evaluator.evaluate(*planner.select()))
    spent = now() - began
    return (planner.nodes - before) / spent, 1 - evaluator.seconds / spent


def _has_gpu() -> bool:
    try:
        import torch
    except ImportError:
        return False
    return bool(torch.cuda.is_available())


def measure() -> list[BenchmarkResult]:
    """Rows of a CPU core, and of a GPU if there is one."""
    network = path("synopsis_networks", SHIPPED_NETWORK)
    nodes, share = nodes_per_second(network, "onnxruntime", RbcPlannerConfig(), time.process_time)
    native = load_bot_config("planner").planner.native(1)
    native_nodes, _ = nodes_per_second(network, "onnxruntime", native, time.process_time)
    label = "RBC: dsmcp, a core"
    rows = [
        BenchmarkResult(
            label,
            f"promised {CPU_NODES:,} on {CORES} cores",
            nodes,
            CPU_NODES / CORES,
            "nodes/s",
            min_ratio=1,
        ),
        BenchmarkResult(
            f"{label}, network's time by its own",
            f"promised {OWN_SHARE:.0%} own",
            (1 - share) / share,
            (1 - OWN_SHARE) / OWN_SHARE,
            "",
            min_ratio=1,
        ),
        BenchmarkResult(
            "RBC: planner (native leaves), a core",
            f"promised {CPU_NODES:,} on {CORES} cores",
            native_nodes,
            CPU_NODES / CORES,
            "nodes/s",
            min_ratio=1,
        ),
    ]
    if _has_gpu():
        config = RbcPlannerConfig(batch=1024, threads=min(16, os.cpu_count() or 1))
        nodes, _ = nodes_per_second(network, "torch", config)
        rows.append(BenchmarkResult("RBC: dsmcp, GPU", "promised", nodes, GPU_NODES, "nodes/s", min_ratio=1))
    return rows
