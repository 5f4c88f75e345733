"""What is descended: how unlikely people's moves (and their teachers') were thought, and their results."""

from __future__ import annotations

from typing import NamedTuple

from torch import Tensor
from torch.nn import functional

from sparring.training.training_batch import IGNORE_INDEX, ILLEGAL_LOGIT, TrainingBatch


class Losses(NamedTuple):
    """Of a batch; `total` is what is descended."""

    total: Tensor
    hits: Tensor
    """[n]: whether the likeliest move was played."""
    nll: Tensor
    """[n]: negative log-likelihood of each move played."""


def losses(policy: Tensor, result: Tensor, minibatch: TrainingBatch, value_weight: float) -> Losses:
    """The losses of the network's outputs. Illegal moves have no part in them."""
    log_policy = policy.float().masked_fill(~minibatch.legal, ILLEGAL_LOGIT).log_softmax(dim=1)
    each = functional.nll_loss(log_policy, minibatch.played, reduction="none", ignore_index=IGNORE_INDEX)
    if minibatch.teacher_policy.shape[1]:
        policy_loss = (
            (1 - minibatch.teacher_weight) * each - (minibatch.teacher_policy * log_policy).sum(dim=1)
        ).mean()
    else:
        policy_loss = _mean(each, minibatch.played >= 0)
    log_wdl = result.float().log_softmax(dim=1)
    results = functional.nll_loss(log_wdl, minibatch.result, reduction="none", ignore_index=IGNORE_INDEX)
    if minibatch.teacher_wdl.shape[1]:
        result_loss = (
            (1 - minibatch.teacher_wdl_weight) * results - (minibatch.teacher_wdl * log_wdl).sum(dim=1)
        ).mean()
    else:
        result_loss = _mean(results, (minibatch.result >= 0) & ~minibatch.randomised)
    return Losses(
        policy_loss + value_weight * result_loss,
        log_policy.detach().argmax(dim=1) == minibatch.played,
        each.detach(),
    )


def _mean(values: Tensor, counted: Tensor) -> Tensor:
    return (values * counted).sum() / counted.sum().clamp(min=1)
