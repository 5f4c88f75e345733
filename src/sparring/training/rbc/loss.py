"""Losses of a headset, and the measures of its predictions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from sparring.belief import PLANES
from sparring.networks.synopsis import PASS_ACTION, SENSES
from sparring.training.rbc.config import LossConfig
from sparring.training.rbc.examples import NO_ACTION, UNKNOWN_RESULT
from sparring.training.rbc.model import COUNTS, HeadOutputs

_CONSTANTS = sum(plane.fold == "constant" for plane in PLANES)
"""The first planes, which are the same for every synopsis."""


class SynopsisBatch(NamedTuple):
    """n examples as tensors on one device."""

    planes: Tensor
    """[n, 104, 8, 8] of 0 and 1."""
    mask: Tensor
    """[n, 4161]: possible actions."""
    actions: Tensor
    """[n]: the action taken, or NO_ACTION."""
    results: Tensor
    """[n]: 1, 0 or -1, or UNKNOWN_RESULT."""
    soon: Tensor
    """[n, 2] of 0 and 1."""
    pieces: Tensor
    """[n, 6]."""


def mirror(batch: SynopsisBatch, mirrored: Tensor) -> SynopsisBatch:
    """Mirrors the examples with `mirrored` [n] from left to right. The constant planes stay as they are, so
    that the network knows the sides apart."""
    planes = batch.planes.flip(3)
    planes[:, :_CONSTANTS] = batch.planes[:, :_CONSTANTS]
    squares = torch.arange(64, device=mirrored.device) ^ 7
    moves = (SENSES + 64 * squares[:, None] + squares).flatten()
    order = torch.cat([squares, moves, torch.full_like(squares[:1], PASS_ACTION)])
    actions = torch.where(batch.actions == NO_ACTION, NO_ACTION, order[batch.actions.clamp(min=0)])
    return batch._replace(
        planes=torch.where(mirrored[:, None, None, None], planes, batch.planes),
        mask=torch.where(mirrored[:, None], batch.mask[:, order], batch.mask),
        actions=torch.where(mirrored, actions, batch.actions),
    )


def without_targets(batch: SynopsisBatch, labelled: Tensor) -> SynopsisBatch:
    """Removes action and result of the examples that are not `labelled` [n]."""
    return batch._replace(
        actions=torch.where(labelled, batch.actions, NO_ACTION),
        results=torch.where(labelled, batch.results, UNKNOWN_RESULT),
    )


class TeacherTargets(NamedTuple):
    """What teachers predict for the examples of a batch."""

    policy: Tensor
    """[n, 4161]: probabilities of the actions."""
    value: Tensor
    """[n]."""


class Measures(NamedTuple):
    """Quality of the predictions for each example, [n]; NaN where there is no target."""

    top1: Tensor
    top5: Tensor
    nll: Tensor
    """Negative log-likelihood of the action in nats."""
    winner: Tensor
    """Whether the value has the sign of the result; NaN also for a draw."""
    value_error: Tensor
    """Squared error of the value."""


def total_loss(
    outputs: HeadOutputs,
    batch: SynopsisBatch,
    value_weight: float,
    weights: LossConfig,
    teacher: TeacherTargets | None = None,
) -> Tensor:
    """Returns the weighted sum of the losses, each a mean over the examples that have its target."""
    known = batch.results != UNKNOWN_RESULT
    policy = _policy_loss(outputs, batch, weights, teacher)
    value = _value_loss(outputs.value.float(), batch, weights, teacher)
    soon = functional.binary_cross_entropy_with_logits(
        outputs.soon.float(), batch.soon.float(), reduction="none"
    )
    pieces = functional.cross_entropy(
        outputs.pieces.float().flatten(0, 1), batch.pieces.long().clamp(max=COUNTS - 1).flatten()
    )
    auxiliary = weights.soon * _mean(soon.sum(1), known) + weights.pieces * pieces
    return policy + value_weight * value + auxiliary


def _policy_loss(
    outputs: HeadOutputs, batch: SynopsisBatch, weights: LossConfig, teacher: TeacherTargets | None
) -> Tensor:
    log_policy = _log_policy(outputs, batch)
    loss = -log_policy.gather(1, batch.actions.clamp(min=0)[:, None]).squeeze(1)
    if weights.label_smoothing:
        even = -(log_policy * batch.mask).sum(1) / batch.mask.sum(1).clamp(min=1)
        loss = torch.lerp(loss, even, weights.label_smoothing)
    policy = _mean(loss, batch.actions != NO_ACTION)
    if teacher is None:
        return policy
    return torch.lerp(policy, -(teacher.policy * log_policy).sum(1).mean(), weights.teacher)


def _value_loss(
    value: Tensor, batch: SynopsisBatch, weights: LossConfig, teacher: TeacherTargets | None
) -> Tensor:
    """Squared error; an example of unknown result has its target from the teachers alone."""
    known, result = batch.results != UNKNOWN_RESULT, batch.results.float()
    if teacher is None:
        return _mean((value - result) ** 2, known)
    target = torch.where(known, torch.lerp(result, teacher.value, weights.teacher), teacher.value)
    return ((value - target) ** 2).mean()


def policy_nll(outputs: HeadOutputs, batch: SynopsisBatch) -> Tensor:
    """Returns the negative log-likelihood of the actions among the possible ones, [n]; any number where there
    is no action."""
    return -_log_policy(outputs, batch).gather(1, batch.actions.clamp(min=0)[:, None]).squeeze(1)


def measure(outputs: HeadOutputs, batch: SynopsisBatch) -> Measures:
    """Returns the measures of each example."""
    log_policy = _log_policy(outputs, batch)
    own = log_policy.gather(1, batch.actions.clamp(min=0)[:, None])
    better = (log_policy > own).sum(1)
    value, result = outputs.value.float(), batch.results.float()
    action, known = batch.actions != NO_ACTION, batch.results != UNKNOWN_RESULT
    return Measures(
        _where(action, (better < 1).float()),
        _where(action, (better < 5).float()),
        _where(action, -own.squeeze(1)),
        _where(known & (result != 0), (value * result > 0).float()),
        _where(known, (value - result) ** 2),
    )


def teacher_targets(predictions: Sequence[HeadOutputs], batch: SynopsisBatch) -> TeacherTargets:
    """Returns the mean of the predictions of several teachers."""
    policies = torch.stack([_log_policy(each, batch).exp() for each in predictions])
    values = torch.stack([each.value.float() for each in predictions])
    return TeacherTargets(policies.mean(0), values.mean(0))


def _log_policy(outputs: HeadOutputs, batch: SynopsisBatch) -> Tensor:
    """Log-probabilities of the possible actions. The action taken counts as possible."""
    mask = batch.mask.scatter(1, batch.actions.clamp(min=0)[:, None], value=True)
    return functional.log_softmax(outputs.policy.float().masked_fill(~mask, -1e9), dim=1)


def _mean(values: Tensor, counted: Tensor) -> Tensor:
    return (values * counted).sum() / counted.sum().clamp(min=1)


def _where(counted: Tensor, values: Tensor) -> Tensor:
    return torch.where(counted, values, torch.nan)
