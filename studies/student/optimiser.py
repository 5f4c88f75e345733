"""Muon for the matrices of the blocks, AdamW for all other parameters, with one learning rate.

Muon: Jordan et al. 2024; updates scaled to the size of AdamW's: Liu et al. 2025. `orthogonalise` is the same
as in `sparring.training.muon`: the student is trained on a GPU machine that has PyTorch and this folder, but
not Sparring. `tests/studies/test_student.py` compares the two.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


def orthogonalise(g: Tensor, steps: int = 5) -> Tensor:
    """Newton-Schulz iteration: brings all singular values of matrices [k, rows, columns] near 1."""
    a, b, c = 3.4445, -4.7750, 2.0315
    x = g.bfloat16() if g.is_cuda else g
    tall = x.shape[-2] > x.shape[-1]
    if tall:
        x = x.mT
    x = x / (x.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    for _ in range(steps):
        s = x @ x.mT
        x = a * x + (b * s + c * s @ s) @ x
    result: Tensor = (x.mT if tall else x).to(g.dtype)
    return result


class Muon:
    """The optimiser. Matrices of one shape are updated together."""

    def __init__(self, model: nn.Module, decay: float, momentum: float = 0.95) -> None:
        self._decay, self._momentum, self._rate = decay, momentum, 0.0
        self._matrices: dict[tuple[int, int], list[nn.Parameter]] = {}
        self._others: list[nn.Parameter] = []
        for name, p in model.named_parameters():
            if ".blocks." in name and p.dim() == 2 and min(p.shape) > 64:
                self._matrices.setdefault((p.shape[0], p.shape[1]), []).append(p)
            else:
                self._others.append(p)
        self._moments = {
            shape: torch.zeros((len(ps), *shape), device=ps[0].device) for shape, ps in self._matrices.items()
        }
        groups = [
            {"params": [p for p in self._others if p.dim() > 1], "weight_decay": decay},
            {"params": [p for p in self._others if p.dim() <= 1], "weight_decay": 0.0},
        ]
        fused = self._others[0].is_cuda
        self._adam = torch.optim.AdamW(groups, lr=0.0, betas=(0.9, 0.98), eps=1e-9, fused=fused)

    def set_rate(self, rate: float) -> None:
        """Sets the learning rate of both parts."""
        self._rate = rate
        for group in self._adam.param_groups:
            group["lr"] = rate

    @torch.no_grad()
    def step(self) -> None:
        """One step; gradients are removed afterwards."""
        torch.nn.utils.clip_grad_norm_(self._others, 1.0, foreach=True)
        self._adam.step()
        for shape, params in self._matrices.items():
            gradients = torch.stack([p.grad for p in params if p.grad is not None])
            update, size = self._update(shape, gradients)
            for p, change in zip(params, update.unbind(0), strict=True):
                p.mul_(1 - self._rate * self._decay).add_(change, alpha=-self._rate * size)
        for p in (*self._others, *(p for params in self._matrices.values() for p in params)):
            p.grad = None

    def _update(self, shape: tuple[int, int], gradients: Tensor) -> tuple[Tensor, float]:
        """The update's direction, and its scale."""
        moments = self._moments[shape]
        moments.lerp_(gradients, 1 - self._momentum)
        update = gradients.lerp(moments, self._momentum)
        rows, columns = shape
        if rows == 3 * columns:  # queries, keys and values are three matrices
            square = orthogonalise(update.reshape(-1, columns, columns))
            return square.reshape(update.shape), 0.2 * columns**0.5
        return orthogonalise(update), 0.2 * max(rows, columns) ** 0.5
