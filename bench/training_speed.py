"""Training from records against the same steps on one fixed batch: the cost of the data loader.

The games are those of SPARRING_GAMES, or random ones. The network has Maia's size on a GPU, and is smaller on
the CPU, where one core is used.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from itertools import islice, repeat
from pathlib import Path
from time import perf_counter
from typing import Any

import torch

from bench.inputs import games_file
from bench.result import BenchmarkResult
from sparring import records
from sparring.training.config import TrainingConfig, parse_training_config
from sparring.training.people import PeopleTask
from sparring.training.task import TaskBatch
from sparring.training.trainer import Trainer

WARMUP_STEPS = 10


def training_config(gpu: bool) -> tuple[TrainingConfig, int]:
    """The training configuration and the number of measured steps."""
    shape: dict[str, Any] = {"blocks": 6, "width": 64} if gpu else {"blocks": 2, "width": 32}
    batch, steps = (4096, 1500) if gpu else (512, 40)
    entries = {
        "game": "chess",
        "network": {**shape, "ratings": [600, 2600], "clock": True},
        "data": {"conditioning_dropout": 0.05},
        "training": {"batch": batch, "steps": steps, "average": 0.999},
    }
    return parse_training_config("bench", entries), steps


def throughput(run: Trainer, batches: Iterable[TaskBatch], steps: int) -> float:
    """Positions per second over `steps` steps, after a warm-up."""
    started, seen = 0.0, 0
    for number, prefetched in enumerate(islice(batches, WARMUP_STEPS + steps)):
        if number == WARMUP_STEPS:
            _wait(run.device)
            started, seen = perf_counter(), 0
        run.train_step(prefetched)
        seen += len(prefetched)
    _wait(run.device)
    return seen / (perf_counter() - started)


def measure() -> list[BenchmarkResult]:
    """The row of training."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        records.build_table([games_file(folder)], records.load_preset("everything"), folder / "table")
        gpu = torch.cuda.is_available()
        if not gpu:
            torch.set_num_threads(1)  # on shared cores several threads wait for one another
        config, steps = training_config(gpu)
        run = Trainer(PeopleTask(config, [folder / "table"]), folder / "run")
        run.prepare()
        alone = throughput(run, repeat(run.task.example(run.task.first_cursor)), steps)
        prefetched = throughput(run, run.task.batches(run.task.first_cursor), steps)
    shape = f"{config.network.blocks}x{config.network.width}, batch {config.training.batch}"
    label = f"training a residual {shape} from records on {_name(run.device)}"
    return [
        BenchmarkResult(label, "the same steps on one batch", prefetched, alone, "positions/s", min_ratio=0.8)
    ]


def _wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def _name(device: torch.device) -> str:
    return torch.cuda.get_device_name(device) if device.type == "cuda" else "the CPU"
