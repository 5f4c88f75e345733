"""The state of a training that is restored after the capture of a CUDA graph."""

from __future__ import annotations

import copy
from typing import Any

import torch
from torch import nn

from sparring.training.optimisers import ExponentialMovingAverage, take_snapshot


def test_weights_average_and_moments_are_restored_in_place() -> None:
    torch.manual_seed(1)
    model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4))
    average = ExponentialMovingAverage(model, 0.9)
    optimiser = torch.optim.Adam(model.parameters())

    def step() -> None:
        model(torch.randn(5, 3)).square().sum().backward()
        optimiser.step()
        average.prepare(1)
        average.update()

    def state() -> Any:
        return copy.deepcopy([model.state_dict(), average.state, optimiser.state_dict()["state"]])

    step()
    before, tensor = state(), model.get_parameter("0.weight")
    restore = take_snapshot(model, average, optimiser)
    step()
    assert not torch.equal(before[0]["0.weight"], tensor)
    restore()
    assert model.get_parameter("0.weight") is tensor
    torch.testing.assert_close(state(), before, rtol=0, atol=0)
