"""Network graphs in PyTorch on a GPU in bfloat16: speed and accuracy against ONNX Runtime on the CPU.

Not part of `make bench`: it needs a GPU and the networks of SPARRING_NETS. `python -m bench gpu`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from time import perf_counter

import numpy as np
import torch

from bench.inputs import network_file, random_games
from bench.network_speed import NETWORKS
from bench.result import BenchmarkResult
from sparring import networks
from sparring.networks.formats import read_network
from sparring.networks.torch_executor import TorchGraph

BATCH = 4096
ROUNDS = 20


def measure() -> list[BenchmarkResult]:
    """A row for each network; prints the differences of the predictions."""
    if not torch.cuda.is_available():
        sys.exit("there is no GPU here")
    _, states = random_games(256)
    rows = []
    for name, file in NETWORKS.items():
        path = network_file("lc0", file)
        if path is None:
            continue
        on_gpu = networks.load_network(path, backend="torch", batch=256)
        on_cpu = networks.load_network(path, batch=64)
        quick, exact = on_gpu.predict(states), on_cpu.predict(states)
        differences = [
            float(np.abs(a.probabilities - b.probabilities).max()) for a, b in zip(quick, exact, strict=True)
        ]
        same = np.mean([a.top(1)[0][0] == b.top(1)[0][0] for a, b in zip(quick, exact, strict=True)])
        print(f"{name}: largest difference {max(differences):.4f}, same most likely move in {same:.1%}")
        start = perf_counter()
        on_cpu.predict(states)
        cpu = len(states) / (perf_counter() - start)
        label = f"{name} on {torch.cuda.get_device_name()}, bfloat16, batch {BATCH}"
        rows.append(
            BenchmarkResult(
                label, "ONNX Runtime, one core", _graph_rate(path), cpu, "positions/s", min_ratio=1
            )
        )
    return rows


def _graph_rate(path: Path) -> float:
    """Positions per second of the graph alone, with inputs on the GPU."""
    graph = TorchGraph(read_network(path)[0]).cuda().eval()
    planes = torch.randint(0, 2, (BATCH, 112, 8, 8), dtype=torch.uint8, device="cuda")
    with torch.inference_mode(), torch.autocast("cuda", torch.bfloat16):
        graph(planes=planes)
        torch.cuda.synchronize()
        start = perf_counter()
        for _ in range(ROUNDS):
            graph(planes=planes)
        torch.cuda.synchronize()
    return BATCH * ROUNDS / (perf_counter() - start)
