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
from bench.rows import Row
from sparring import records
from sparring.learn.configuration import Configuration, parse
from sparring.learn.feed import Fed, Place
from sparring.learn.training import Run

WARM_UPS = 10


def configuration(gpu: bool) -> tuple[Configuration, int]:
    """What is trained, and for how many steps."""
    shape: dict[str, Any] = {"blocks": 6, "width": 64} if gpu else {"blocks": 2, "width": 32}
    batch, steps = (4096, 1500) if gpu else (512, 40)
    entries = {
        "game": "chess",
        "network": {**shape, "ratings": [600, 2600], "clock": True},
        "data": {"forget": 0.05},
        "training": {"batch": batch, "steps": steps, "average": 0.999},
    }
    return parse("bench", entries), steps


def rate(run: Run, batches: Iterable[Fed], steps: int) -> float:
    """Positions a second over so many steps, after some to warm up."""
    started, seen = 0.0, 0
    for number, fed in enumerate(islice(batches, WARM_UPS + steps)):
        if number == WARM_UPS:
            _wait(run.device)
            started, seen = perf_counter(), 0
        run.descend(fed)
        seen += len(fed)
    _wait(run.device)
    return seen / (perf_counter() - started)


def measure() -> list[Row]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        games = Path(os.environ.get("SPARRING_GAMES", folder / "games.pgn"))
        if "SPARRING_GAMES" not in os.environ:
            write_games(games)
        records.build([games], records.load_preset("everything"), folder / "table")
        gpu = torch.cuda.is_available()
        if not gpu:
            torch.set_num_threads(1)  # several wait for one another wherever cores are shared
        config, steps = configuration(gpu)
        run = Run(config, [folder / "table"], folder / "run")
        run.prepare()
        alone = rate(run, repeat(run.feed.example(Place())), steps)
        fed = rate(run, run.feed.training(Place()), steps)
    shape = f"{config.network.blocks}x{config.network.width}, batch {config.training.batch}"
    what = f"training a residual {shape} from records on {_name(run.device)}"
    return [Row(what, "the same steps on one batch", fed, alone, "positions/s", at_least=0.8)]


def _wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def _name(device: torch.device) -> str:
    return torch.cuda.get_device_name(device) if device.type == "cuda" else "the CPU"
