"""Training batches: network inputs and targets as tensors on the device.

Targets with teachers are mixtures. A teacher's policy has its `policy_weight` in the policy target, the move
played has the rest of 1; the value target is mixed likewise by `value_weight`. If the ratings of a position
were randomised, or nothing was recorded, the target is the teachers' alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sparring.games import NetworkLayout
from sparring.records import Batch
from sparring.records.batch import NO_LABEL
from sparring.training.conditioning import Conditioning
from sparring.training.config import BadTrainingConfig, TrainingConfig
from sparring.training.layouts import input_spec_of, layout_of
from sparring.training.teacher_cache import TeacherCache, chunks
from sparring.training.teachers import Teacher, TeacherOutput
from sparring.training.transfer import to_device

IGNORE_INDEX = -100
"""Label that PyTorch's losses ignore."""
ILLEGAL_LOGIT = -1e4
"""Logit of an illegal move: finite, so that no loss becomes NaN."""
_UNKNOWN_RATING = 1500.0
"""Given to teachers that need a rating."""
_SHAPES = {"lc0": (112, 8, 8), "maia3": (64, 96)}
"""Shapes of the teachers' input encodings."""


class TrainingBatch(NamedTuple):
    """n positions, in tensors of fixed shapes (CUDA graphs need them)."""

    planes: Tensor
    """[n, planes, rows, columns] uint8."""
    context: Tensor
    """[n, 6]: ratings and clock, see `networks.conditioned`."""
    legal: Tensor
    """[n, moves]: mask of legal moves."""
    played: Tensor
    """[n]: label of the move played, or IGNORE_INDEX."""
    result: Tensor
    """[n]: 0 for a win of the side to move, 1 for a draw, 2 for a loss, or IGNORE_INDEX."""
    teacher_policy: Tensor
    """[n, moves]: sum of the teachers' probabilities times their weights; [n, 0] without teachers."""
    teacher_weight: Tensor
    """[n]: total weight of the teachers in the policy target."""
    randomised: Tensor
    """[n]: True if the ratings were randomised; the game's result is not a target then."""
    teacher_wdl: Tensor
    """[n, 3]: sum of the teachers' win, draw and loss probabilities times their weights; [n, 0] without."""
    teacher_wdl_weight: Tensor
    """[n]: total weight of the teachers in the value target."""


@torch.no_grad()
def make_training_batch(
    batch: Batch,
    conditioning: Conditioning,
    config: TrainingConfig,
    teachers: Sequence[Teacher],
    device: torch.device,
    *,
    unmasked: Conditioning | None = None,
    teacher_cache: TeacherCache | None = None,
) -> TrainingBatch:
    """Makes the training batch of a batch of records.

    The network sees `conditioning`; teachers see `unmasked` if it is given. Positions in `teacher_cache` are
    not evaluated by the teachers again. Raises BadTrainingConfig for another board size.
    """
    layout = layout_of(config)
    unmasked = unmasked or conditioning
    arrays = _arrays(batch, conditioning, config)
    if teachers:
        arrays |= _arrays_for_teachers(batch, unmasked, config, teacher_cache)
    tensors = to_device(arrays, device)
    n, choices = len(batch), len(batch.labels)
    rows = torch.arange(n, device=device).repeat_interleave(tensors["choices"], output_size=choices)
    # Moves without a label go to an extra last column, which is cut off at the end.
    labels = tensors["labels"].long().clamp(max=layout.moves)
    legal = torch.zeros((n, layout.moves + 1), dtype=torch.bool, device=device)
    legal[rows, labels] = True
    planes = _planes(tensors, layout)
    teacher_policy = torch.zeros((n, layout.moves if teachers else 0), device=device)
    teacher_wdl = torch.zeros((n, 3 if any(teacher.results for teacher in teachers) else 0), device=device)
    for teacher in teachers if teachers and len(tensors["query"]) else ():
        own = teacher.encoding == layout.encoding
        outputs = _query_teacher(teacher, tensors, planes if own else None)
        last = outputs.logits.shape[1] - 1
        named = tensors["labels" if own else f"{teacher.encoding} labels"].long().clamp(max=last)
        scores = torch.full((n, layout.moves + 1), ILLEGAL_LOGIT, device=device)
        scores[rows, labels] = outputs.logits[rows, named]
        teacher_policy += teacher.weight * scores[:, :-1].softmax(dim=1)
        if teacher_wdl.shape[1]:
            teacher_wdl += teacher.results * outputs.results
    randomised = tensors["randomised"]
    if teachers and teacher_cache is not None:
        new, indices = tensors["new"], tensors["indices"]
        teacher_cache.store(indices[new], teacher_policy[new], teacher_wdl[new])
        known = teacher_cache.lookup(indices, teacher_policy.shape[1], teacher_wdl.shape[1])
        teacher_policy, teacher_wdl = (
            torch.where(randomised[:, None], *each)
            for each in zip((teacher_policy, teacher_wdl), known, strict=True)
        )
    # Without a recorded move or result for these ratings, the target is the teachers' alone.
    teacher_policy, teacher_weight = _mixed_target(
        teacher_policy, sum(each.weight for each in teachers), randomised | (tensors["played"] < 0)
    )
    results = sum(each.results for each in teachers)
    teacher_wdl, teacher_wdl_weight = _mixed_target(
        teacher_wdl, results, randomised | (tensors["result"] < 0)
    )
    if config.data.conditioning_dropout:
        begin, end = layout.history
        planes[:, begin:end] *= tensors["history"][:, None, None, None]
    return TrainingBatch(
        planes,
        tensors["context"],
        legal[:, :-1],
        tensors["played"],
        tensors["result"],
        teacher_policy,
        teacher_weight,
        randomised,
        teacher_wdl,
        teacher_wdl_weight,
    )


def _query_teacher(teacher: Teacher, tensors: dict[str, Tensor], planes: Tensor | None) -> TeacherOutput:
    """Returns a teacher's output for the rows in `query`, and zeros for the others.

    `planes` are the student's inputs, if the teacher has the same encoding.
    """
    n, combined = len(tensors["ratings"]), None
    for rows in tensors["query"]:
        if planes is not None:
            shown = planes[rows]
        else:
            shown = unpack_bits(tensors[f"{teacher.encoding} planes"][rows], _SHAPES[teacher.encoding])
        global_inputs = (
            tensors[f"{teacher.global_inputs} planes"] if teacher.global_inputs else tensors["ratings"][:, :0]
        )
        outputs = teacher.query(
            shown, tensors["ratings"][rows], tensors["unmasked"][rows], global_inputs[rows]
        )
        if combined is None:
            combined = TeacherOutput(*(part.new_zeros((n, part.shape[1])) for part in outputs))
        for whole, part in zip(combined, outputs, strict=True):
            whole[rows] = part
    assert combined is not None
    return combined


def _mixed_target(teacher_policy: Tensor, teacher_weight: float, alone: Tensor) -> tuple[Tensor, Tensor]:
    """Returns the teachers' part of the target and its weight: the whole target where `alone`."""
    shares = torch.full((len(teacher_policy),), float(teacher_weight), device=teacher_policy.device)
    if not teacher_weight:
        return teacher_policy, shares
    return torch.where(alone[:, None], teacher_policy / teacher_weight, teacher_policy), torch.where(
        alone, 1.0, shares
    )


def unpack_bits(bits: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Unpacks bits [n, bytes], lowest bit first, to uint8 [n, *shape]."""
    indices = torch.arange(8, dtype=torch.uint8, device=bits.device)
    each = (bits[:, :, None] >> indices) & 1
    return each.flatten(1)[:, : math.prod(shape)].reshape(-1, *shape)


def _arrays(
    batch: Batch, conditioning: Conditioning, config: TrainingConfig
) -> dict[str, NDArray[np.generic]]:
    """Returns the arrays that are sent to the device."""
    layout = layout_of(config)
    if batch.planes.shape[1] != (layout.planes * layout.cells + 7) // 8:
        raise BadTrainingConfig(
            f"boards of {layout.rows} by {layout.columns} expected: build records of them"
        )
    played = batch.labels[batch.offsets[:-1] + batch.index].astype(np.int64)
    lost = 2 - 2 * batch.result
    return {
        "planes": batch.planes,
        "counts": batch.counts,
        "labels": batch.labels,
        "choices": np.diff(batch.offsets),
        "played": np.where(played == NO_LABEL, IGNORE_INDEX, played),
        "result": np.where(np.isnan(lost), IGNORE_INDEX, lost).astype(np.int64),
        "context": _context(conditioning, config),
        "randomised": conditioning.randomised,
        "history": conditioning.history,
    }


def _arrays_for_teachers(
    batch: Batch, unmasked: Conditioning, config: TrainingConfig, teacher_cache: TeacherCache | None
) -> dict[str, NDArray[np.generic]]:
    """Returns the arrays for teachers: inputs, and the rows to evaluate (without those in
    `teacher_cache`)."""
    arrays: dict[str, NDArray[np.generic]] = {
        "ratings": np.nan_to_num(unmasked.ratings, nan=_UNKNOWN_RATING).astype(np.float32),
        "unmasked": _context(unmasked, config),
    }
    for encoding, view in batch.extra_encodings.items():
        arrays |= {f"{encoding} planes": view.planes, f"{encoding} labels": view.labels}
    if teacher_cache is None:
        return {**arrays, "query": np.arange(len(batch))[None]}
    indices = teacher_cache.indices(batch.game, batch.ply)
    new = teacher_cache.reserve(indices, ~unmasked.randomised)
    query = chunks(new | unmasked.randomised)
    return {**arrays, "query": query, "new": np.flatnonzero(new), "indices": indices}


def _context(conditioning: Conditioning, config: TrainingConfig) -> NDArray[np.float32]:
    return input_spec_of(config).context(
        conditioning.ratings[:, 0], conditioning.ratings[:, 1], conditioning.clocks
    )


def _planes(tensors: dict[str, Tensor], layout: NetworkLayout) -> Tensor:
    planes = unpack_bits(tensors["planes"], (layout.planes, layout.rows, layout.columns))
    for begin, end, _ in layout.counts:
        planes[:, begin:end] = tensors["counts"][:, :, None, None]
    return planes
