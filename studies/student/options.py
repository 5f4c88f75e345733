"""The options of a training run, declared once for the command line and the trainer."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Options:
    """The command's options."""

    data: Path
    out: Path
    name: str
    init: str = ""
    """Checkpoint to start from, with as many layers or fewer; random weights without it."""
    teacher: str = "maia3.npz"
    """File in the data folder: Maia-3's weights (.npz), T1's (.xz) or a student's checkpoint (.pt)."""
    player: str = ""
    """File of a second network. It plays a third of the fresh games, and both together another third."""
    player_weight: float = 0.0
    """Weight of the second network's policy in the target; the teacher has the rest."""
    conditioned: int = 1
    """0 for a network that sees neither ratings nor clock."""
    layers: int = 8
    width: int = 256
    seconds: float = 60
    end: float = 0.0
    """Time of the clock (seconds of the epoch) at which training ends, instead of `seconds`."""
    positions: int = 0
    """Number of positions after which training ends, instead of `seconds`: runs of equal training."""
    batch: int = 4096
    fresh: float = 0.75
    """Share of fresh positions in a batch."""
    people: float = 0.1
    """Weight of the move played in the target of recorded positions."""
    finish: float = 0.0
    """Share of the time, at the end, with `finish_fresh` and `finish_people` instead."""
    finish_fresh: float = 0.25
    finish_people: float = 0.5
    random_moves: float = 0.02
    """Share of fresh moves that are random."""
    value_weight: float = 0.25
    """Weight of the value's loss beside the policy's."""
    result_weight: float = 0.3
    """Weight of the result in the value target of recorded positions; the teacher has the rest."""
    random_ratings: float = 0.2
    """Share of recorded positions with random ratings, where the teacher alone is the target."""
    rate: float = 2e-3
    warm: float = 0.02
    """Share of the time in which the rate rises."""
    flat: float = 0.4
    """Share of the time after which the rate falls linearly."""
    decay: float = 0.02
    average: float = 0.999
    """Decay of the moving average of the weights, which is measured and saved."""
    bits8: str = "finish"
    """When the blocks' layers are quantised: start, finish, never."""
    points: int = 8
    """Number of measurements on the validation split."""
    validation: int = 32768
    games: int = 0
    """Limit of recorded games; 0 for all."""
    groups: int = 8
    threads: int = 12
    seed: int = 1


def parse_options(description: str, arguments: Sequence[str] | None = None) -> Options:
    """Options from the command line, or from these arguments."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    kinds = {"Path": Path, "str": str, "int": int, "float": float}
    for field in fields(Options):
        settings: dict[str, Any] = {"type": kinds[str(field.type)], "required": field.default is MISSING}
        if field.default is not MISSING:
            settings["default"] = field.default
        parser.add_argument(f"--{field.name.replace('_', '-')}", **settings)
    return Options(**vars(parser.parse_args(arguments)))
