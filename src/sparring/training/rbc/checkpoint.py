"""The checkpoint of a training run, `checkpoint.pt` in its folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from sparring.config import Source, from_table
from sparring.storage import atomic_writer
from sparring.training.config import BadTrainingConfig
from sparring.training.rbc.config import RbcTrainingConfig

CHECKPOINT = "checkpoint.pt"
_VERSION = 1


@dataclass(frozen=True)
class RbcCheckpoint:
    """State of a run after a step."""

    config: RbcTrainingConfig
    step: int
    model: dict[str, Tensor]
    average: dict[str, Tensor]
    """Moving averages of the model's state; empty if the run has none."""
    optimiser: dict[str, Any]
    metrics: dict[str, Any] | None


def read_checkpoint(folder: Path) -> RbcCheckpoint:
    """Reads the checkpoint of a run. Raises BadTrainingConfig."""
    path = folder / CHECKPOINT
    try:
        state: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
        version = state.pop("version")
        config = from_table(RbcTrainingConfig, state.pop("config"), Source(None, BadTrainingConfig))
        found = RbcCheckpoint(config=config, **state)
    except BadTrainingConfig:
        raise BadTrainingConfig(
            f"{path} is of another configuration or version: give another --out"
        ) from None
    except Exception as error:  # torch.load raises many types for a broken file
        raise BadTrainingConfig(f"{path} is not a checkpoint ({type(error).__name__})") from None
    if version != _VERSION:
        raise BadTrainingConfig(f"{path} is of another configuration or version: give another --out")
    return found


def write_checkpoint(folder: Path, state: RbcCheckpoint) -> None:
    """Replaces the checkpoint of a run. Raises OSError."""
    values = {"version": _VERSION, **vars(state), "config": state.config.as_dict()}
    with atomic_writer(folder / CHECKPOINT) as part, part.open("wb") as file:
        torch.save(values, file)
