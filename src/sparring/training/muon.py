"""Muon for the matrices and convolutions of a network's tower, AdamW for all other parameters.

Muon: Jordan et al. 2024. Updates are scaled to the size of AdamW's (Liu et al. 2025), so that both parts have
one learning rate.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

_MOMENTUM = 0.95
_BETAS = (0.9, 0.98)
_SMALLEST = 64
"""Matrices with fewer rows or columns have AdamW."""
_COEFFICIENTS = (3.4445, -4.7750, 2.0315)
"""Of the quintic Newton-Schulz iteration."""


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
    """The optimiser. A convolution is a matrix of its outputs by everything else.

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
            stacked = torch.stack([each.reshape(shape[0], -1) for each in looked_ahead])
            scale = 0.2 * max(stacked.shape[1:]) ** 0.5
            for i, change in zip(indices, orthogonalise(stacked) * scale, strict=True):
                changes[i] = change.view(shape)
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
        found: Tensor = state[key]
        return found


def _gradient(p: Tensor) -> Tensor:
    assert p.grad is not None
    return p.grad


def _is_matrix(name: str, p: Tensor) -> bool:
    """Whether a parameter lies in a block of the tower and is large enough."""
    return ".blocks." in name and min(p.shape[0], p[0].numel()) >= _SMALLEST
