"""What is learned: people's moves (and their teachers'), and how their games ended."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from sparring.learn.feed import Fed
from sparring.learn.teachers import Teacher

_IMPOSSIBLE = -1e4
"""The logit of an illegal move: finite, so that nothing becomes NaN."""


class Lesson(NamedTuple):
    """A batch as tensors of fixed shapes: what the network sees, and what it should say."""

    planes: Tensor
    context: Tensor
    legal: Tensor
    """[n, moves]: which moves are legal."""
    played: Tensor
    """[n]: the label of the move played, or a class that does not count."""
    result: Tensor
    """[n]: 0 won, 1 drawn, 2 lost, or a class that does not count."""
    taught: Tensor
    """[n, moves]: the teachers' probabilities times their weights; [n, 0] without teachers."""
    share: Tensor
    """[n]: the teachers' share in the target."""
    imagined: Tensor


class Losses(NamedTuple):
    """Means over a batch; `total` is what is descended."""

    total: Tensor
    hits: Tensor
    """[n]: whether the likeliest move was played."""
    likelihoods: Tensor
    """[n]: negative log-likelihood of each move played."""


@torch.no_grad()
def lesson(fed: Fed, moves: int, teachers: Sequence[Teacher]) -> Lesson:
    """What a batch teaches. Where ratings are imagined, the teachers have it all."""
    legal = torch.zeros((len(fed), moves), dtype=torch.bool, device=fed.planes.device)
    legal[fed.rows, fed.labels] = True
    taught = torch.zeros((len(fed), moves if teachers else 0), device=fed.planes.device)
    share = torch.full((len(fed),), float(sum(teacher.weight for teacher in teachers)), device=legal.device)
    for teacher in teachers:
        planes, labels = fed.also[teacher.encoding]
        scores = torch.full_like(taught, _IMPOSSIBLE)
        scores[fed.rows, fed.labels] = teacher.logits(planes, fed.ratings, fed.context)[fed.rows, labels]
        taught += teacher.weight * scores.softmax(dim=1)
    if teachers:
        alone = fed.imagined | (fed.played < 0)
        taught = torch.where(alone[:, None], taught / share[:, None], taught)
        share = torch.where(alone, 1.0, share)
    return Lesson(fed.planes, fed.context, legal, fed.played, fed.result, taught, share, fed.imagined)


def losses(policy: Tensor, result: Tensor, task: Lesson, value_weight: float) -> Losses:
    """The losses of the network's outputs. Illegal moves have no part in them."""
    likely = policy.float().masked_fill(~task.legal, _IMPOSSIBLE).log_softmax(dim=1)
    each = functional.nll_loss(likely, task.played, reduction="none", ignore_index=-100)
    if task.taught.shape[1]:
        policy_loss = ((1 - task.share) * each - (task.taught * likely).sum(dim=1)).mean()
    else:
        policy_loss = _mean(each, task.played >= 0)
    results = functional.cross_entropy(result.float(), task.result, reduction="none", ignore_index=-100)
    result_loss = _mean(results, (task.result >= 0) & ~task.imagined)
    return Losses(
        policy_loss + value_weight * result_loss,
        likely.detach().argmax(dim=1) == task.played,
        each.detach(),
    )


def _mean(values: Tensor, counted: Tensor) -> Tensor:
    return (values * counted).sum() / counted.sum().clamp(min=1)
