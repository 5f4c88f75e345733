"""Batches of records as tensors on the device: what the network sees, and what it should say."""

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
from sparring.records.batches import NO_LABEL
from sparring.training.conditioning import Conditioning
from sparring.training.config import BadTrainingConfig, TrainingConfig
from sparring.training.layouts import input_spec_of, layout_of
from sparring.training.teacher_cache import TeacherCache, chunks
from sparring.training.teachers import Teacher, TeacherOutput
from sparring.training.transfer import to_device

IGNORE_INDEX = -100
"""PyTorch's class that does not count."""
ILLEGAL_LOGIT = -1e4
"""The logit of an illegal move: finite, so that nothing becomes NaN."""
_UNKNOWN_RATING = 1500.0
"""For teachers that must be told one."""
_SHAPES = {"lc0": (112, 8, 8), "maia3": (64, 96)}
"""Of the teachers' encodings."""


class TrainingBatch(NamedTuple):
    """n positions, in tensors of fixed shapes."""

    planes: Tensor
    context: Tensor
    legal: Tensor
    """[n, moves]: which moves are legal."""
    played: Tensor
    """[n]: the label of the move played, or a class that does not count."""
    result: Tensor
    """[n]: 0 won, 1 drawn, 2 lost, or a class that does not count."""
    teacher_policy: Tensor
    """[n, moves]: the teachers' probabilities times their weights; [n, 0] without teachers."""
    teacher_weight: Tensor
    """[n]: the teachers' share in the target."""
    randomised: Tensor
    """[n]: whether the players are imagined; how their game ended is not learned then."""
    teacher_wdl: Tensor
    """[n, 3]: how teachers expect the game to end, times their shares; [n, 0] where none is asked."""
    teacher_wdl_weight: Tensor
    """[n]: those shares together."""


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
    """What a batch teaches somebody who is told of these seats.

    Teachers are told who is `unmasked`, where that is more; they are not asked what `teacher_cache` has.
    """
    layout = layout_of(config)
    unmasked = unmasked or conditioning
    arrays = _arrays(batch, conditioning, config)
    if teachers:
        arrays |= _arrays_for_teachers(batch, unmasked, config, teacher_cache)
    tensors = to_device(arrays, device)
    n, choices = len(batch), len(batch.labels)
    rows = torch.arange(n, device=device).repeat_interleave(tensors["choices"], output_size=choices)
    # A move without a label gets one behind all others, which is cut off in the end.
    labels = tensors["labels"].long().clamp(max=layout.moves)
    legal = torch.zeros((n, layout.moves + 1), dtype=torch.bool, device=device)
    legal[rows, labels] = True
    planes = _planes(tensors, layout)
    teacher_policy = torch.zeros((n, layout.moves if teachers else 0), device=device)
    teacher_wdl = torch.zeros((n, 3 if any(teacher.results for teacher in teachers) else 0), device=device)
    for teacher in teachers if teachers and len(tensors["query"]) else ():
        own = teacher.encoding == layout.encoding
        outputs = _answer(teacher, tensors, planes if own else None)
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
    # What no person played, and what did not happen, is the teachers' alone.
    teacher_policy, teacher_weight = _shared(
        teacher_policy, sum(each.weight for each in teachers), randomised | (tensors["played"] < 0)
    )
    results = sum(each.results for each in teachers)
    teacher_wdl, teacher_wdl_weight = _shared(teacher_wdl, results, randomised | (tensors["result"] < 0))
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


def _answer(teacher: Teacher, tensors: dict[str, Tensor], planes: Tensor | None) -> TeacherOutput:
    """What a teacher says of the positions that are asked about, and nothing of the others.

    `planes` are those of the pupil, where the teacher sees the same.
    """
    n, answer = len(tensors["ratings"]), None
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
        if answer is None:
            answer = TeacherOutput(*(part.new_zeros((n, part.shape[1])) for part in outputs))
        for whole, part in zip(answer, outputs, strict=True):
            whole[rows] = part
    assert answer is not None
    return answer


def _shared(teacher_policy: Tensor, teacher_weight: float, alone: Tensor) -> tuple[Tensor, Tensor]:
    """What teachers say and its share in each target: all of it where they are alone."""
    shares = torch.full((len(teacher_policy),), float(teacher_weight), device=teacher_policy.device)
    if not teacher_weight:
        return teacher_policy, shares
    return torch.where(alone[:, None], teacher_policy / teacher_weight, teacher_policy), torch.where(
        alone, 1.0, shares
    )


def unpack_bits(bits: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Bits [n, bytes], the first in the lowest, as bytes [n, *shape]."""
    indices = torch.arange(8, dtype=torch.uint8, device=bits.device)
    each = (bits[:, :, None] >> indices) & 1
    return each.flatten(1)[:, : math.prod(shape)].reshape(-1, *shape)


def _arrays(
    batch: Batch, conditioning: Conditioning, config: TrainingConfig
) -> dict[str, NDArray[np.generic]]:
    """All that the device must be told."""
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
    """And what teachers are asked: of each position, or of those that `teacher_cache` does not have."""
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
