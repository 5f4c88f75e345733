"""Snapshots of a training, restored in place after the steps that the capture of a CUDA graph runs."""

from __future__ import annotations

import copy
from collections.abc import Callable

import torch
from torch import nn

from sparring.training.ema import ExponentialMovingAverage
from sparring.training.optimisers import restore_optimiser_state


def take_snapshot(
    model: nn.Module, average: ExponentialMovingAverage, optimiser: torch.optim.Optimizer
) -> Callable[[], None]:
    """Returns a function that restores the present weights, average and optimiser state."""
    weights = copy.deepcopy(model.state_dict())
    averaged = copy.deepcopy(average.state)
    moments = copy.deepcopy(optimiser.state_dict()["state"])

    def restore() -> None:
        for name, tensor in model.state_dict().items():
            tensor.copy_(weights[name])
        average.load(averaged)
        restore_optimiser_state(optimiser, moments)

    return restore
