"""Exported networks: `sparring.training.export` against `torch.onnx.export`, in ONNX Runtime on one thread.

Both run in this process in turns and count CPU time, so that a busy machine is fair to both. The networks are
exported once; a row's name has the numbers of nodes of both graphs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from time import process_time
from typing import Any

import numpy as np
import onnxruntime
import torch

from bench.result import BenchmarkResult
from sparring.training import TrainingConfig, load_training_config
from sparring.training.config import parse_training_config
from sparring.training.export import export
from sparring.training.model import PolicyValueNetwork, layout_of
from tests.reference.torch_export import torch_export

BATCHES = (1, 64)
SECONDS = 1.0
_ATTENTION = {"kind": "attention", "blocks": 6, "width": 128, "heads": 8, "rating_range": [600, 2600]}


def configs() -> list[TrainingConfig]:
    """The shipped sizes, and two attention networks of about the same cost."""
    tables = {
        "attention": {**_ATTENTION, "smolgen_size": 0},
        "attention with smolgen": {**_ATTENTION, "smolgen_size": 32},
    }
    return [
        *(load_training_config(name) for name in ("people-chess", "human-go", "human-shogi")),
        *(
            parse_training_config(name, {"game": "chess", "network": network})
            for name, network in tables.items()
        ),
    ]


@dataclass(frozen=True)
class ExportedPair:
    """Both exports of a network with random weights."""

    sessions: tuple[Any, Any]
    nodes: tuple[int, int]
    seconds: tuple[float, float]
    """CPU time of the exports."""


@cache
def exported(index: int) -> ExportedPair:
    """Exports the network of a configuration in both ways."""
    config = configs()[index]
    torch.manual_seed(1)
    model = PolicyValueNetwork(config.network, layout_of(config)).eval()
    began = process_time()
    ours = export(model, config, {"source": "a benchmark", "licence": "none"})
    between = process_time()
    theirs = torch_export(model, config)
    return ExportedPair(
        (_session(ours), _session(theirs)),
        (len(ours.graph.node), len(theirs.graph.node)),
        (between - began, process_time() - between),
    )


def measure() -> list[BenchmarkResult]:
    """Rates of inference by network and batch size, and of the export itself."""
    rows, peer = [], "torch.onnx.export"
    for index, config in enumerate(configs()):
        pair = exported(index)
        name = f"{config.name}, {pair.nodes[0]} and {pair.nodes[1]} nodes"
        for batch in BATCHES:
            ours, theirs = _rates(pair.sessions, _inputs(config, batch), batch)
            rows.append(BenchmarkResult(f"{name}, batch {batch}", peer, ours, theirs, "positions/s", 0.95))
        ours, theirs = (3600 / seconds for seconds in pair.seconds)
        rows.append(BenchmarkResult(f"{name}, export", peer, ours, theirs, "exports/h", 1))
    return rows


def _inputs(config: TrainingConfig, batch: int) -> dict[str, Any]:
    layout, rng = layout_of(config), np.random.default_rng(0)
    shape = (batch, layout.planes, layout.rows, layout.columns)
    return {"planes": rng.integers(0, 2, shape, np.uint8), "context": rng.random((batch, 6), np.float32)}


def _rates(sessions: tuple[Any, Any], inputs: dict[str, Any], batch: int) -> tuple[float, float]:
    """Positions per second of CPU time of both sessions, run in turns."""
    times, runs = [0.0, 0.0], 0
    for session in sessions:
        session.run(None, inputs)
    while sum(times) < 2 * SECONDS:
        for index, session in enumerate(sessions):
            start = process_time()
            session.run(None, inputs)
            times[index] += process_time() - start
        runs += 1
    return runs * batch / times[0], runs * batch / times[1]


def _session(model: Any) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(model.SerializeToString(), options)
