"""Optimisers, learning rate schedules, and the exponential moving average of weights."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from sparring.training.config import OptimizationConfig

_PAPER_DROPS = (1 / 5, 1 / 2, 9 / 10)
_OF_DEVICE = ("lr", "capturable", "fused", "foreach")
"""Options of a parameter group that depend on the device."""
_MOMENTUM = 0.95
"""Of Muon."""
_BETAS = (0.9, 0.98)
"""Of AdamW."""
_SMALLEST = 64
"""Matrices with fewer rows or columns have AdamW."""
_COEFFICIENTS = (3.4445, -4.7750, 2.0315)
"""Of the quintic Newton-Schulz iteration."""


def make_optimiser(model: nn.Module, part: OptimizationConfig) -> torch.optim.Optimizer:
    """Returns the configured optimiser. Tensors of one dimension (biases, scales) have no weight decay."""
    if part.optimiser == "muon":
        return Muon(model, part.learning_rate, part.weight_decay)
    decayed = [p for p in model.parameters() if p.dim() > 1]
    others = [p for p in model.parameters() if p.dim() <= 1]
    groups = [{"params": decayed, "weight_decay": part.weight_decay}, {"params": others, "weight_decay": 0.0}]
    options: dict[str, Any] = {"lr": part.learning_rate}
    if (device := decayed[0].device).type == "cuda":  # a CUDA graph reads the learning rate from the device
        options = {"lr": torch.tensor(part.learning_rate, device=device), "fused": True}
    if part.optimiser == "sgd":
        return torch.optim.SGD(groups, momentum=0.9, nesterov=True, **options)
    options["capturable"] = device.type == "cuda"
    if part.optimiser == "adam":
        return torch.optim.Adam(model.parameters(), **options)
    return torch.optim.AdamW(groups, betas=_BETAS, **options)


def learning_rate_at(step: int, part: OptimizationConfig) -> float:
    """Returns the learning rate of a step (from 0).

    `paper`: divided by 10 after 1/5, 1/2 and 9/10 of the steps. `cosine` and `linear`: linear warm-up, then
    down to `final_rate`; `linear` begins to fall after the fraction `flat`.
    """
    done = step / part.steps
    if part.schedule == "paper":
        return float(part.learning_rate * 0.1 ** sum(done >= drop for drop in _PAPER_DROPS))
    if done < part.warmup:
        return part.learning_rate * (step + 1) / math.ceil(part.warmup * part.steps)
    last = part.final_rate
    if part.schedule == "linear":
        return part.learning_rate * max(last, min(1.0, (1 - done) / (1 - part.flat)))
    progress = (done - part.warmup) / (1 - part.warmup)
    return part.learning_rate * (last + (1 - last) * (1 + math.cos(math.pi * progress)) / 2)


def set_learning_rate(optimiser: torch.optim.Optimizer, learning_rate: float) -> None:
    """Sets the learning rate of the next step, in place if it is a tensor."""
    for group in optimiser.param_groups:
        if isinstance(group["lr"], Tensor):
            group["lr"].fill_(learning_rate)
        else:
            group["lr"] = learning_rate


def load_optimiser_state(optimiser: torch.optim.Optimizer, state: dict[str, Any]) -> None:
    """Loads a checkpoint's state, which may come from another kind of device.

    The optimiser keeps its own learning rate objects, which may be tensors on the device, and its own
    choice of kernels.
    """
    kept = [{key: group[key] for key in _OF_DEVICE if key in group} for group in optimiser.param_groups]
    groups = [{**group, **own} for group, own in zip(state["param_groups"], kept, strict=True)]
    optimiser.load_state_dict({**state, "param_groups": groups})
    for group, own in zip(optimiser.param_groups, kept, strict=True):
        group.update(own)


def restore_optimiser_state(optimiser: torch.optim.Optimizer, state: dict[int, dict[str, Tensor]]) -> None:
    """Restores a copy of the optimiser's state in place; entries that the copy lacks become 0."""
    for index, entries in optimiser.state_dict()["state"].items():
        for key, value in entries.items():
            before = state.get(index, {}).get(key)
            value.zero_() if before is None else value.copy_(before)


def orthogonalise(matrices: Tensor, steps: int = 5) -> Tensor:
    """Brings all singular values of matrices [k, rows, columns] near 1 (Newton-Schulz iteration)."""
    a, b, c = _COEFFICIENTS
    x = matrices.bfloat16() if matrices.is_cuda else matrices
    tall = x.shape[-2] > x.shape[-1]
    if tall:
        x = x.mT
    x = x / (x.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    for _ in range(steps):
        square = x @ x.mT
        x = a * x + (b * square + c * square @ square) @ x
    result: Tensor = (x.mT if tall else x).to(matrices.dtype)
    return result


class Muon(torch.optim.Optimizer):
    """Muon (Jordan et al. 2024) for the matrices and convolutions of the tower, AdamW for all other
    parameters.

    Updates are scaled to the size of AdamW's (Liu et al. 2025), so that both parts have one learning rate. A
    convolution is a matrix of its outputs by everything else; queries, keys and values are three matrices.
    Steps use tensor operations only, so that a CUDA graph can capture them.
    """

    def __init__(self, model: nn.Module, learning_rate: float, weight_decay: float) -> None:
        device = next(model.parameters()).device
        rate = torch.tensor(learning_rate, device=device) if device.type == "cuda" else learning_rate
        matrices, decayed, others = list[Tensor](), list[Tensor](), list[Tensor]()
        for name, p in model.named_parameters():
            if p.dim() <= 1:
                others.append(p)
            else:
                (matrices if _is_matrix(name, p) else decayed).append(p)
        kinds = ((matrices, weight_decay, True), (decayed, weight_decay, False), (others, 0.0, False))
        groups = [
            {"params": params, "weight_decay": decay, "orthogonal": orthogonal}
            for params, decay, orthogonal in kinds
            if params
        ]
        super().__init__(groups, {"lr": rate})

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> None:  # type: ignore[override]
        """One step with the present gradients."""
        for group in self.param_groups:
            params = [p for p in group["params"] if p.grad is not None]
            update = self._orthogonal if group["orthogonal"] else self._adam
            for p, change in zip(params, update(params), strict=True):
                p.mul_(1 - group["lr"] * group["weight_decay"])
                p.sub_(change * group["lr"])

    def _orthogonal(self, params: list[Tensor]) -> list[Tensor]:
        """Directions of matrices: those of one shape are orthogonalised together."""
        shapes: dict[torch.Size, list[int]] = {}
        for i, p in enumerate(params):
            shapes.setdefault(p.shape, []).append(i)
        changes: list[Tensor] = [torch.empty(0)] * len(params)
        for shape, indices in shapes.items():
            momenta = [self._state_of(params[i], "momentum") for i in indices]
            gradients = [_gradient(params[i]) for i in indices]
            torch._foreach_lerp_(momenta, gradients, 1 - _MOMENTUM)
            looked_ahead = torch._foreach_lerp(gradients, momenta, _MOMENTUM)
            stacked = torch.stack([gradient.reshape(shape[0], -1) for gradient in looked_ahead])
            _, rows, columns = stacked.shape
            if rows == 3 * columns:  # queries, keys and values
                stacked = stacked.view(-1, columns, columns)
            scale = 0.2 * max(stacked.shape[1:]) ** 0.5
            directions = (orthogonalise(stacked) * scale).view(len(indices), *shape)
            for i, change in zip(indices, directions, strict=True):
                changes[i] = change
        return changes

    def _adam(self, params: list[Tensor]) -> list[Tensor]:
        """Directions of AdamW."""
        first, second = _BETAS
        changes = []
        for p in params:
            steps, mean, square = (self._state_of(p, key) for key in ("step", "mean", "square"))
            steps += 1
            gradient = _gradient(p)
            mean.lerp_(gradient, 1 - first)
            square.lerp_(gradient.square(), 1 - second)
            deviation = (square / (1 - second**steps)).sqrt() + 1e-8
            changes.append(mean / (1 - first**steps) / deviation)
        return changes

    def _state_of(self, p: Tensor, key: str) -> Tensor:
        state: dict[str, Any] = self.state[p]
        if key not in state:
            state[key] = torch.zeros((), device=p.device) if key == "step" else torch.zeros_like(p)
        value: Tensor = state[key]
        return value


def _gradient(p: Tensor) -> Tensor:
    assert p.grad is not None
    return p.grad


def _is_matrix(name: str, p: Tensor) -> bool:
    """Whether a parameter lies in a block of the tower and is large enough."""
    return ".blocks." in name and min(p.shape[0], p[0].numel()) >= _SMALLEST


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
