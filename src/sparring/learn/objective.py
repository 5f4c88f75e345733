"""What is learned: people's moves (and their teachers'), and how their games ended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from sparring.learn.feed import Fed
from sparring.learn.teachers import Teacher

_IMPOSSIBLE = -1e4
"""The logit of an illegal move: finite, so that nothing becomes NaN."""


@dataclass(frozen=True)
class Losses:
    """Means over a batch; `total` is what is descended."""

    total: Tensor
    policy: Tensor
    """Negative log-likelihood of the people's moves."""
    result: Tensor
    hits: Tensor
    """[n]: whether the likeliest move was played."""
    likelihoods: Tensor
    """[n]: negative log-likelihood of each move."""


def losses(
    policy: Tensor, result: Tensor, fed: Fed, teachers: Sequence[Teacher], value_weight: float
) -> Losses:
    """The losses of the network's outputs. Illegal moves have no part in them."""
    legal = torch.zeros(policy.shape, dtype=torch.bool, device=policy.device)
    legal[fed.rows, fed.labels] = True
    likely = policy.float().masked_fill(~legal, _IMPOSSIBLE).log_softmax(dim=1)
    each = functional.nll_loss(likely, fed.played, reduction="none", ignore_index=-100)
    policy_loss = _mean(each, fed.played >= 0)
    results = functional.cross_entropy(result.float(), fed.result, reduction="none")
    result_loss = _mean(results, (fed.result >= 0) & ~fed.imagined)
    total = policy_loss
    if teachers:
        total = _taught(likely, each, fed, teachers)
    return Losses(
        total + value_weight * result_loss,
        policy_loss.detach(),
        result_loss.detach(),
        likely.detach().argmax(dim=1) == fed.played,
        each.detach(),
    )


def _taught(likely: Tensor, played: Tensor, fed: Fed, teachers: Sequence[Teacher]) -> Tensor:
    """Teachers and people have their shares; where ratings are imagined, the teachers have it all."""
    taught = torch.zeros_like(played)
    for teacher in teachers:
        planes, labels = fed.also[teacher.encoding]
        target = torch.full_like(likely, _IMPOSSIBLE)
        target[fed.rows, fed.labels] = teacher.logits(planes, fed.ratings, fed.context)[fed.rows, labels]
        target = target.softmax(dim=1)
        taught = taught - teacher.weight * (target * likely.clamp(min=_IMPOSSIBLE)).sum(dim=1)
    share = sum(teacher.weight for teacher in teachers)
    alone = fed.imagined | (fed.played < 0)
    return torch.where(alone, taught / share, taught + (1 - share) * played).mean()


def _mean(values: Tensor, counted: Tensor) -> Tensor:
    return (values * counted).sum() / counted.sum().clamp(min=1)
