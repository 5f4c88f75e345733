"""A running average of everything that a model remembers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn


class ExponentialMovingAverage:
    """Follows a model's numbers; with a decay of 0 it is the model itself."""

    def __init__(self, model: nn.Module, decay: float) -> None:
        self._decay = decay
        self._own = {k: v.detach() for k, v in model.state_dict().items() if v.is_floating_point()}
        self._kept = torch.zeros((), device=next(iter(self._own.values())).device)
        self.state = {name: value.clone() for name, value in self._own.items()} if decay else {}

    def load(self, state: dict[str, Tensor]) -> None:
        """Goes on from a state of another time."""
        for name, value in self.state.items():
            value.copy_(state[name])

    def prepare(self, step: int) -> None:
        """How far the next step goes: early on far, so that the start is soon forgotten."""
        if self._decay:
            self._kept.fill_(min(self._decay, (1 + step) / (10 + step)))

    def update(self) -> None:
        """A step towards the model."""
        if self._decay:
            average, now = list(self.state.values()), list(self._own.values())
            torch._foreach_mul_(average, self._kept)
            torch._foreach_add_(average, torch._foreach_mul(now, 1 - self._kept))

    @contextmanager
    def average_parameters(self) -> Iterator[None]:
        """The model has the averaged numbers inside this."""
        before = {name: self._own[name].clone() for name in self.state}
        for name, value in self.state.items():
            self._own[name].copy_(value)
        try:
            yield
        finally:
            for name, value in before.items():
                self._own[name].copy_(value)
