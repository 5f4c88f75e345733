"""What is descended: how unlikely people's moves (and their teachers') were thought, and their results."""

from __future__ import annotations

from typing import NamedTuple

from torch import Tensor
from torch.nn import functional

from sparring.learn.lessons import IGNORED, IMPOSSIBLE, Lesson


class Losses(NamedTuple):
    """Of a batch; `total` is what is descended."""

    total: Tensor
    hits: Tensor
    """[n]: whether the likeliest move was played."""
    likelihoods: Tensor
    """[n]: negative log-likelihood of each move played."""


def losses(policy: Tensor, result: Tensor, lesson: Lesson, value_weight: float) -> Losses:
    """The losses of the network's outputs. Illegal moves have no part in them."""
    likely = policy.float().masked_fill(~lesson.legal, IMPOSSIBLE).log_softmax(dim=1)
    each = functional.nll_loss(likely, lesson.played, reduction="none", ignore_index=IGNORED)
    if lesson.taught.shape[1]:
        policy_loss = ((1 - lesson.share) * each - (lesson.taught * likely).sum(dim=1)).mean()
    else:
        policy_loss = _mean(each, lesson.played >= 0)
    chances = result.float().log_softmax(dim=1)
    results = functional.nll_loss(chances, lesson.result, reduction="none", ignore_index=IGNORED)
    if lesson.foretold.shape[1]:
        result_loss = ((1 - lesson.foretold_share) * results - (lesson.foretold * chances).sum(dim=1)).mean()
    else:
        result_loss = _mean(results, (lesson.result >= 0) & ~lesson.imagined)
    return Losses(
        policy_loss + value_weight * result_loss,
        likely.detach().argmax(dim=1) == lesson.played,
        each.detach(),
    )


def _mean(values: Tensor, counted: Tensor) -> Tensor:
    return (values * counted).sum() / counted.sum().clamp(min=1)
