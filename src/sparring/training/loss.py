"""Training loss: policy cross-entropy against the move played, plus the value loss.

With teachers the targets are mixtures (see `training_batch`): the policy target is w * teacher + (1 - w) *
move played, the value target likewise with the game's result.
"""

from __future__ import annotations

from typing import NamedTuple

from torch import Tensor
from torch.nn import functional

from sparring.training.training_batch import IGNORE_INDEX, ILLEGAL_LOGIT, TrainingBatch


class Losses(NamedTuple):
    """Losses of a batch."""

    total: Tensor
    """Scalar to minimise: policy loss + value_weight * value loss."""
    hits: Tensor
    """[n]: True if the most probable legal move was played."""
    nll: Tensor
    """[n]: negative log-likelihood of the move played, in nats; 0 without a label."""


def losses(policy: Tensor, result: Tensor, minibatch: TrainingBatch, value_weight: float) -> Losses:
    """Computes the losses. Illegal moves are masked out.

    `policy` is [n, moves] logits; `result` is [n, 3] logits of win, draw and loss for the side to move.
    """
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
    """Mean over the counted entries, 0 if there are none."""
    return (values * counted).sum() / counted.sum().clamp(min=1)
