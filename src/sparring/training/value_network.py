"""The small value network of `core/search/value_network.hpp` in PyTorch."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn


class ValueNetwork(nn.Module):
    """Two hidden layers over one-hot places and standardised numbers, with tanh output."""

    def __init__(self, hidden: tuple[int, int], places: int, mean: Tensor, scale: Tensor) -> None:
        """`places` is the number of one-hot inputs; `mean` and `scale` [numbers] standardise the others."""
        super().__init__()
        first, second = hidden
        self.places = nn.EmbeddingBag(places + 1, first, mode="sum", padding_idx=-1)
        nn.init.normal_(self.places.weight, std=0.05)
        self.measured = nn.Linear(len(mean), first)
        self.between = nn.Linear(first, second)
        self.last = nn.Linear(second, 1)
        self.mean, self.scale = nn.Buffer(mean), nn.Buffer(scale)

    def forward(self, places: Tensor, measured: Tensor) -> Tensor:
        """Returns values [n] from -1 to 1, given indices [n, most places] and numbers [n, numbers]."""
        numbers = self.measured((measured - self.mean) * self.scale)
        first = torch.relu(self.places(places) + numbers)
        values: Tensor = torch.tanh(self.last(torch.relu(self.between(first)))).squeeze(1)
        return values

    def layers(self) -> dict[str, NDArray[np.float32]]:
        """Returns the arrays of `LAYERS`, with the standardisation folded into the first layer."""
        weight = self.measured.weight * self.scale
        tensors = {
            "places": self.places.weight[:-1],
            "measured": weight.T,
            "first_bias": self.measured.bias - weight @ self.mean,
            "between": self.between.weight.T,
            "second_bias": self.between.bias,
            "last": self.last.weight[0],
            "last_bias": self.last.bias[0],
        }
        return {name: tensor.detach().numpy().astype(np.float32).copy() for name, tensor in tensors.items()}
