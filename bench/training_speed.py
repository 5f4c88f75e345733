"""Training from records against the same steps on one batch that is there already: what feeding costs.

The games are those of the file that SPARRING_GAMES names (PGN, compressed or not), or random ones. On a GPU a
network of Maia's size; on the CPU a smaller one on one core.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from itertools import islice, repeat
from pathlib import Path
from time import perf_counter
from typing import Any

import torch

from bench.records_speed import write_games
from bench.result import BenchmarkResult
from sparring import records
from sparring.training.config import TrainingConfig, parse
from sparring.training.loader import Cursor, PrefetchedBatch
from sparring.training.trainer import Trainer

WARMUP_STEPS = 10


def training_config(gpu: bool) -> tuple[TrainingConfig, int]:
    """What is trained, and for how many steps."""
    shape: dict[str, Any] = {"blocks": 6, "width": 64} if gpu else {"blocks": 2, "width": 32}
    batch, steps = (4096, 1500) if gpu else (512, 40)
    entries = {
        "game": "chess",
        "network": {**shape, "ratings": [600, 2600], "clock": True},
        "data": {"conditioning_dropout": 0.05},
        "training": {"batch": batch, "steps": steps, "average": 0.999},
    }
    return parse("bench", entries), steps


def throughput(run: Trainer, batches: Iterable[PrefetchedBatch], steps: int) -> float:
    """Positions a second over so many steps, after some to warm up."""
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
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        games = Path(os.environ.get("SPARRING_GAMES", folder / "games.pgn"))
        if "SPARRING_GAMES" not in os.environ:
            write_games(games)
        records.build_table([games], records.load_preset("everything"), folder / "table")
        gpu = torch.cuda.is_available()
        if not gpu:
            torch.set_num_threads(1)  # several wait for one another wherever cores are shared
        config, steps = training_config(gpu)
        run = Trainer(config, [folder / "table"], folder / "run")
        run.prepare()
        alone = throughput(run, repeat(run.loader.example(Cursor())), steps)
        prefetched = throughput(run, run.loader.training(Cursor()), steps)
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
