"""Value network of Expendibots and its training on self-play positions.

In the report the network collapsed to 0. Two measures prevent that: a draw is slightly bad for
both sides, and later positions of a game may have larger weights.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from sparring._core import ExpendibotsNetwork
from sparring.training.divergence import check_loss
from sparring.training.expendibots.selfplay import PositionSet

_SYMMETRIES = 8


@dataclass(frozen=True)
class ValueNetworkConfig:
    """Hyperparameters of the training."""

    hidden: tuple[int, int] = (32, 16)
    """Units of the two hidden layers."""
    epochs: int = 12
    batch: int = 1024
    rate: float = 2e-3
    """Initial learning rate of Adam; it falls to 0 along a cosine."""
    outcome_weight: float = 0.3
    """Weight of the game's outcome in the target; the rest is the value of the search."""
    draw_value: float = -0.1
    """Target of a drawn game for both sides."""
    late_weight: float = 0.0
    """Additional weight of the last position of a game; it grows linearly from 0 at the first."""
    validation_share: float = 0.05
    """Fraction of the positions held out for validation: the last ones, so that games stay whole."""
    seed: int = 0

    def training_size(self, positions: PositionSet) -> int:
        """Returns the number of training positions."""
        return int(len(positions) * (1 - self.validation_share))


@dataclass(frozen=True)
class Epoch:
    """Weighted mean squared errors of an epoch."""

    number: int
    loss: float
    validation_loss: float
    std: float
    """Standard deviation of the outputs on held-out positions; near 0 the network has collapsed."""


class ValueNetwork(nn.Module):
    """The network of `core/expendibots/network.hpp` in PyTorch, with standardised features."""

    def __init__(self, hidden: tuple[int, int], mean: Tensor, scale: Tensor) -> None:
        super().__init__()
        first, second = hidden
        self.stacks = nn.EmbeddingBag(ExpendibotsNetwork.places + 1, first, mode="sum", padding_idx=-1)
        nn.init.normal_(self.stacks.weight, std=0.05)
        self.measured = nn.Linear(ExpendibotsNetwork.numbers, first)
        self.between = nn.Linear(first, second)
        self.last = nn.Linear(second, 1)
        self.mean, self.scale = nn.Buffer(mean), nn.Buffer(scale)

    @classmethod
    def initialised(cls, config: ValueNetworkConfig, positions: PositionSet) -> ValueNetwork:
        """Returns a network with random weights that standardises features as in `positions`."""
        torch.manual_seed(config.seed)
        measured = positions.measured[: config.training_size(positions)]
        std = measured.std(0)
        scale = np.divide(1, std, out=np.zeros_like(std), where=std > 1e-3)
        return cls(config.hidden, _tensor(measured.mean(0)), _tensor(scale))

    def forward(self, places: Tensor, measured: Tensor) -> Tensor:
        """Returns values [n] from -1 to 1, given stack indices [n, 24] and features [n, 40]."""
        numbers = self.measured((measured - self.mean) * self.scale)
        first = torch.relu(self.stacks(places) + numbers)
        values: Tensor = torch.tanh(self.last(torch.relu(self.between(first)))).squeeze(1)
        return values

    def layers(self) -> dict[str, NDArray[np.float32]]:
        """Returns the arrays of `LAYERS`, with the standardisation folded into the first layer."""
        weight = self.measured.weight * self.scale
        tensors = {
            "stacks": self.stacks.weight[:-1],
            "measured": weight.T,
            "first_bias": self.measured.bias - weight @ self.mean,
            "between": self.between.weight.T,
            "second_bias": self.between.bias,
            "last": self.last.weight[0],
            "last_bias": self.last.bias[0],
        }
        return {name: each.detach().numpy().astype(np.float32).copy() for name, each in tensors.items()}


def train(network: ValueNetwork, positions: PositionSet, config: ValueNetworkConfig) -> Iterator[Epoch]:
    """Trains the network in place. Yields the metrics of each epoch. Raises TrainingDiverged."""
    torch.set_num_threads(1)  # more threads only add overhead for so small a network
    rng = np.random.default_rng(config.seed)
    targets, weights = _targets(positions, config)
    training_size = config.training_size(positions)
    optimiser = torch.optim.Adam(network.parameters(), lr=config.rate)
    steps = config.epochs * -(-training_size // config.batch)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, steps)
    turned = symmetric_places()
    for number in range(1, config.epochs + 1):
        order, total = rng.permutation(training_size), 0.0
        for at in range(0, training_size, config.batch):
            chosen = order[at : at + config.batch]
            symmetry = rng.integers(_SYMMETRIES, size=(len(chosen), 1))
            places = torch.from_numpy(turned[symmetry, positions.places[chosen]])
            values = network(places, torch.from_numpy(positions.measured[chosen]))
            loss = (_tensor(weights[chosen]) * (values - _tensor(targets[chosen])) ** 2).mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
            total += loss.item() * len(chosen)
        check_loss(total, f"epoch {number}")
        yield _measured(network, positions, targets, weights, training_size, number, total / training_size)


def symmetric_places() -> NDArray[np.int64]:
    """Returns [8, places + 1]: the image of each stack index under each symmetry; padding is fixed."""
    squares = np.arange(64).reshape(8, 8)
    images = [np.rot90(each, turns) for each in (squares, squares.T) for turns in range(4)]
    planes = np.arange(ExpendibotsNetwork.places).reshape(-1, 64)
    return np.array(
        [np.append(planes[:, image.reshape(64)].reshape(-1), ExpendibotsNetwork.places) for image in images]
    )


def _targets(
    positions: PositionSet, config: ValueNetworkConfig
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    outcomes = np.where(positions.outcomes == 0, config.draw_value, positions.outcomes)
    targets = (1 - config.outcome_weight) * positions.values + config.outcome_weight * outcomes
    weights = 1 + config.late_weight * positions.passed
    return targets.astype(np.float32), (weights / weights.mean()).astype(np.float32)


@torch.no_grad()
def _measured(
    network: ValueNetwork,
    positions: PositionSet,
    targets: NDArray[np.float32],
    weights: NDArray[np.float32],
    training_size: int,
    number: int,
    loss: float,
) -> Epoch:
    places = torch.from_numpy(positions.places[training_size:].astype(np.int64))
    values = network(places, torch.from_numpy(positions.measured[training_size:])).numpy()
    errors = weights[training_size:] * (values - targets[training_size:]) ** 2
    return Epoch(number, loss, float(errors.mean()), float(values.std()))


def _tensor(array: NDArray[np.floating]) -> Tensor:
    return torch.from_numpy(np.asarray(array, np.float32))
