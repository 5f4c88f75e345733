"""The planner of reconnaissance blind chess with its shipped network: speed, and its share of the time."""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.rbc_tracking import possible_boards
from bench.result import BenchmarkResult
from sparring._core import RbcPlanner, RbcPlannerConfig, RbcState
from sparring.data import path
from sparring.networks.sessions import BACKENDS
from sparring.players.rbc.config import SHIPPED_NETWORK
from sparring.players.rbc.synopsis_evaluators import NetworkEvaluator

CPU_NODES, GPU_NODES = 4_000, 40_000
OWN_SHARE = 0.2
SECONDS = 6.0
"""Length of a measurement."""


class _Timed:
    """An evaluator that counts its own time."""

    def __init__(self, evaluator: NetworkEvaluator) -> None:
        self._evaluator = evaluator
        self.seconds = 0.0

    def evaluate(
        self, planes: NDArray[np.float32], opponent: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        began = time.perf_counter()
        found = self._evaluator.evaluate(planes, opponent)
        self.seconds += time.perf_counter() - began
        return found


def nodes_per_second(network: Path, backend: str, threads: int, batch: int) -> tuple[float, float]:
    """Nodes a second of a search for a move, and the share of the time outside the network.

    White has three turns behind it and 5,000 possible boards, of which infostates sample 128.
    """
    evaluator = _Timed(NetworkEvaluator(network, backend=backend, threads=threads))
    boards = possible_boards(3).after_opponent(None, limit=5000)
    planner = RbcPlanner(RbcPlannerConfig(batch=batch, threads=threads), 0, RbcState.initial(), 1)
    planner.draw(boards, False)
    planner.begin_search(boards, True)
    for _ in range(4):  # the first batches allocate
        planner.evaluate(*evaluator.evaluate(*planner.select()))
    began, before, evaluator.seconds = time.perf_counter(), planner.nodes, 0.0
    while time.perf_counter() < began + SECONDS:
        planner.evaluate(*evaluator.evaluate(*planner.select()))
    wall = time.perf_counter() - began
    return (planner.nodes - before) / wall, 1 - evaluator.seconds / wall


def _has_gpu() -> bool:
    try:
        import torch
    except ImportError:
        return False
    return bool(torch.cuda.is_available())


def measure() -> list[BenchmarkResult]:
    """Rows of the CPU with up to two threads, and of a GPU if there is one."""
    network = path("synopsis_networks", SHIPPED_NETWORK)
    threads = min(2, os.cpu_count() or 1)
    nodes, share = nodes_per_second(network, "onnxruntime", threads, 256)
    label = f"RBC: planner, {threads} CPU threads"
    rows = [
        BenchmarkResult(label, "promised", nodes, CPU_NODES, "nodes/s", min_ratio=1),
        BenchmarkResult(
            f"{label}, inverse of its own share", "promised", 1 / share, 1 / OWN_SHARE, "", min_ratio=1
        ),
    ]
    if _has_gpu() and "torch" in BACKENDS:
        nodes, _ = nodes_per_second(network, "torch", min(16, os.cpu_count() or 1), 2048)
        rows.append(
            BenchmarkResult("RBC: planner, GPU", "promised", nodes, GPU_NODES, "nodes/s", min_ratio=1)
        )
    return rows
