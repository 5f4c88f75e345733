"""Exponential moving average (EMA) of a model's parameters and buffers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn


class ExponentialMovingAverage:
    """EMA of the floating-point entries of a model's state_dict; disabled if `decay` is 0."""

    def __init__(self, model: nn.Module, decay: float) -> None:
        self._decay = decay
        self._values = {k: v.detach() for k, v in model.state_dict().items() if v.is_floating_point()}
        self._decay_now = torch.zeros((), device=next(iter(self._values.values())).device)
        self.state = {name: value.clone() for name, value in self._values.items()} if decay else {}

    def load(self, state: dict[str, Tensor]) -> None:
        """Copies the averages from `state`, a saved `self.state`."""
        for name, value in self.state.items():
            value.copy_(state[name])

    def prepare(self, step: int) -> None:
        """Sets the decay of the next update: min(decay, (1 + step) / (10 + step)), a warm-up over the first
        steps.

        The decay is a tensor, because a CUDA graph reads it from the device.
        """
        if self._decay:
            self._decay_now.fill_(min(self._decay, (1 + step) / (10 + step)))

    def update(self) -> None:
        """Updates the averages: average = d * average + (1 - d) * model."""
        if self._decay:
            average, now = list(self.state.values()), list(self._values.values())
            torch._foreach_mul_(average, self._decay_now)
            torch._foreach_add_(average, torch._foreach_mul(now, 1 - self._decay_now))

    @contextmanager
    def average_parameters(self) -> Iterator[None]:
        """Context manager in which the model has the averaged values."""
        before = {name: self._values[name].clone() for name in self.state}
        for name, value in self.state.items():
            self._values[name].copy_(value)
        try:
            yield
        finally:
            for name, value in before.items():
                self._values[name].copy_(value)
