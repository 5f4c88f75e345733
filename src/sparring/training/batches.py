"""Training batches of recorded positions: network inputs, targets and loss, as tensors on the device.

A network is conditioned on ratings, clock and history as recorded, randomised (augmentation) or masked.
Targets with teachers are mixtures: a teacher's policy has its `policy_weight` in the policy target, the move
played has the rest of 1; the value target is mixed likewise by `value_weight`. If the ratings of a position
were randomised, or nothing was recorded, the target is the teachers' alone. Random choices come from a
generator that the caller seeds.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from sparring.base.errors import BadConfig
from sparring.games import NetworkLayout, describe
from sparring.games.ratings import rank_order
from sparring.records import Batch
from sparring.records.batches import NO_LABEL
from sparring.training.config import TrainingConfig
from sparring.training.model import input_spec_of, layout_of
from sparring.training.teachers import Teacher, TeacherCache, TeacherOutput, chunks

_RATING_DIFFERENCE_STD = 100.0
"""Standard deviation of the difference between randomised ratings."""
IGNORE_INDEX = -100
"""Label that PyTorch's losses ignore."""
ILLEGAL_LOGIT = -1e4
"""Logit of an illegal move: finite, so that no loss becomes NaN."""
_UNKNOWN_RATING = 1500.0
"""Given to teachers that need a rating."""
_SHAPES = {"lc0": (112, 8, 8), "maia3": (64, 96)}
"""Shapes of the teachers' input encodings."""
_ALIGNMENT = 16
"""Bytes; a multiple of every item size."""


@dataclass(frozen=True)
class Conditioning:
    """Conditioning of n positions; NaN if unknown or masked."""

    ratings: NDArray[np.float64]
    """[n, 2]: ratings of the side to move and of its opponent; ranks as numbers."""
    clocks: NDArray[np.float64]
    """[n]: clock of the side to move in seconds."""
    randomised: NDArray[np.bool_]
    """[n]: True if the ratings were randomised."""
    history: NDArray[np.bool_]
    """[n]: True if the earlier boards are visible."""

    def join(self, other: Conditioning) -> Conditioning:
        """Returns the positions of both."""
        columns = zip(vars(self).values(), vars(other).values(), strict=True)
        return Conditioning(*(np.concatenate(pair) for pair in columns))


def recorded_conditioning(batch: Batch) -> Conditioning:
    """Returns the recorded ratings and clocks."""
    n = len(batch)
    return Conditioning(
        recorded_ratings(batch), batch.clock_before.astype(np.float64), np.zeros(n, bool), np.ones(n, bool)
    )


def randomised(
    conditioning: Conditioning, config: TrainingConfig, random: np.random.Generator
) -> Conditioning:
    """Replaces the ratings of some positions by random ones (`data.random_ratings`)."""
    network, data, n = config.network, config.data, len(conditioning.ratings)
    if not (network.rating_range and data.random_ratings):
        return conditioning
    chosen = random.random(n) < data.random_ratings
    low, high = network.rating_range
    mover = random.uniform(low, high, n)
    opponent = np.clip(mover + random.normal(0, _RATING_DIFFERENCE_STD, n), low, high)
    ratings = np.where(chosen[:, None], np.stack([mover, opponent], axis=1), conditioning.ratings)
    return dataclasses.replace(conditioning, ratings=ratings, randomised=chosen)


def masked(conditioning: Conditioning, config: TrainingConfig, random: np.random.Generator) -> Conditioning:
    """Masks some ratings (not randomised ones), clocks and histories (`data.conditioning_dropout`)."""
    if not (conditioning_dropout := config.data.conditioning_dropout):
        return conditioning
    ratings, clocks, history = (
        random.random(len(conditioning.ratings)) < conditioning_dropout for _ in range(3)
    )
    return dataclasses.replace(
        conditioning,
        ratings=np.where((ratings & ~conditioning.randomised)[:, None], np.nan, conditioning.ratings),
        clocks=np.where(clocks, np.nan, conditioning.clocks),
        history=~history,
    )


def recorded_ratings(batch: Batch) -> NDArray[np.float64]:
    """Returns the ratings [n, 2] of the side to move and its opponent; ranks as numbers, NaN if unknown."""
    own = rating_numbers(batch.rating, batch.rank)
    return np.stack([own, rating_numbers(batch.opponent_rating, batch.opponent_rank)], axis=1)


def rating_numbers(ratings: NDArray[np.int16], ranks: NDArray[np.str_]) -> NDArray[np.float64]:
    """Returns ratings [n], or ranks as numbers; NaN if both are unknown (-1 and empty)."""
    numbers = np.where(ratings < 0, np.nan, ratings.astype(np.float64))
    if (ranks != "").any():
        names, places = np.unique(ranks, return_inverse=True)
        of_ranks = np.array([rank_order(str(name)) if name else np.nan for name in names])
        numbers = np.where(np.isnan(numbers), of_ranks[places], numbers)
    return numbers


def rating_groups(batch: Batch, game: str) -> NDArray[np.float64]:
    """Returns the rating group [n] of both players (its lower end), NaN if they are in different groups."""
    width = describe(game).ratings.group_width
    mover, opponent = (recorded_ratings(batch) // width * width).T
    return np.where(mover == opponent, mover, np.nan)


class TrainingBatch(NamedTuple):
    """n positions, in tensors of fixed shapes (CUDA graphs need them)."""

    planes: Tensor
    """[n, planes, rows, columns] uint8."""
    context: Tensor
    """[n, 6 or more]: ratings, clock and more, see `networks.conditioned`."""
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
    ownership: Tensor
    """[k, points]: owners of the points in the first k positions by a teacher of facts; [0, 0] without."""
    lead: Tensor
    """[k, 1]: the lead of the side to move in points in the first k positions; [0, 0] without."""


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
    not evaluated by the teachers again. Raises BadConfig for another board size.
    """
    layout = layout_of(config)
    unmasked = unmasked or conditioning
    arrays = _arrays(batch, conditioning, config)
    of_policy = [teacher for teacher in teachers if not teacher.fact_share]
    of_facts = [teacher for teacher in teachers if teacher.fact_share]
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
    teacher_policy = torch.zeros((n, layout.moves if of_policy else 0), device=device)
    teacher_wdl = torch.zeros((n, 3 if any(teacher.results for teacher in teachers) else 0), device=device)
    for teacher in of_policy if of_policy and len(tensors["query"]) else ():
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
            torch.where(randomised[:, None], *pair)
            for pair in zip((teacher_policy, teacher_wdl), known, strict=True)
        )
    # Without a recorded move or result for these ratings, the target is the teachers' alone.
    teacher_policy, teacher_weight = _mixed_target(
        teacher_policy, sum(teacher.weight for teacher in of_policy), randomised | (tensors["played"] < 0)
    )
    no_result = randomised | (tensors["result"] < 0)
    results = sum(teacher.results for teacher in of_policy)
    teacher_wdl, teacher_wdl_weight = _mixed_target(teacher_wdl, results, no_result)
    ownership = lead = torch.zeros((0, 0), device=device)
    for teacher in of_facts:
        rows = torch.arange(max(1, round(teacher.fact_share * n)), device=device)
        own = teacher.encoding == layout.encoding
        outputs = _query_teacher(teacher, tensors, planes if own else None, rows[None])
        ownership, lead = outputs.ownership[rows], outputs.lead[rows]
        weights = torch.where(no_result[rows], 1.0, teacher.results)
        teacher_wdl[rows] = weights[:, None] * outputs.results[rows]
        teacher_wdl_weight[rows] = weights
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
        ownership,
        lead,
    )


def _query_teacher(
    teacher: Teacher, tensors: dict[str, Tensor], planes: Tensor | None, queried: Tensor | None = None
) -> TeacherOutput:
    """Returns a teacher's output for the rows in `queried` [parts, rows], and zeros for the others.

    `planes` are the student's inputs, if the teacher has the same encoding. Without `queried` the rows are
    those of `tensors`.
    """
    n, combined = len(tensors["ratings"]), None
    for rows in tensors["query"] if queried is None else queried:
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
    unpacked = (bits[:, :, None] >> indices) & 1
    return unpacked.flatten(1)[:, : math.prod(shape)].reshape(-1, *shape)


def _arrays(
    batch: Batch, conditioning: Conditioning, config: TrainingConfig
) -> dict[str, NDArray[np.generic]]:
    """Returns the arrays that are sent to the device."""
    layout = layout_of(config)
    if batch.planes.shape[1] != (layout.planes * layout.cells + 7) // 8:
        raise BadConfig(f"boards of {layout.rows} by {layout.columns} expected: build records of them")
    played = batch.labels[batch.offsets[:-1] + batch.index].astype(np.int64)
    lost = 2 - 2 * batch.result
    return {
        "planes": batch.planes,
        "counts": batch.counts,
        "labels": batch.labels,
        "choices": np.diff(batch.offsets),
        "played": np.where((played == NO_LABEL) | (batch.index < 0), IGNORE_INDEX, played),
        "result": np.where(np.isnan(lost), IGNORE_INDEX, lost).astype(np.int64),
        "context": _context(conditioning, config, batch),
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
        "unmasked": _context(unmasked, config, batch),
    }
    for encoding, view in batch.extra_encodings.items():
        arrays |= {f"{encoding} planes": view.planes, f"{encoding} labels": view.labels}
    if teacher_cache is None:
        return {**arrays, "query": np.arange(len(batch))[None]}
    indices = teacher_cache.indices(batch.game, batch.ply)
    new = teacher_cache.reserve(indices, ~unmasked.randomised)
    query = chunks(new | unmasked.randomised)
    return {**arrays, "query": query, "new": np.flatnonzero(new), "indices": indices}


def _context(conditioning: Conditioning, config: TrainingConfig, batch: Batch) -> NDArray[np.float32]:
    komi, points = None, layout_of(config).points
    if config.network.facts and points is not None:
        komi = batch.extra_encodings[points.encoding].planes[:, points.column]
    own, other = conditioning.ratings.T
    return input_spec_of(config).context(own, other, conditioning.clocks, komi, batch.server)


def _planes(tensors: dict[str, Tensor], layout: NetworkLayout) -> Tensor:
    planes = unpack_bits(tensors["planes"], (layout.planes, layout.rows, layout.columns))
    for begin, end, _ in layout.counts:
        planes[:, begin:end] = tensors["counts"][:, :, None, None]
    return planes


class Losses(NamedTuple):
    """Losses of a batch."""

    total: Tensor
    """Scalar to minimise: policy loss + value_weight * value loss + fact_weight * losses of the facts."""
    hits: Tensor
    """[n]: True if the most probable legal move was played."""
    nll: Tensor
    """[n]: negative log-likelihood of the move played, in nats; 0 without a label."""


def losses(
    outputs: Sequence[Tensor], minibatch: TrainingBatch, value_weight: float, fact_weight: float = 0
) -> Losses:
    """Computes the losses. Illegal moves are masked out.

    `outputs` are [n, moves] policy logits, [n, 3] logits of win, draw and loss for the side to move, and with
    facts ownership [n, points] and lead [n, 1].
    """
    policy, result, *facts = outputs
    log_policy = policy.float().masked_fill(~minibatch.legal, ILLEGAL_LOGIT).log_softmax(dim=1)
    nll = functional.nll_loss(log_policy, minibatch.played, reduction="none", ignore_index=IGNORE_INDEX)
    if minibatch.teacher_policy.shape[1]:
        policy_loss = (
            (1 - minibatch.teacher_weight) * nll - (minibatch.teacher_policy * log_policy).sum(dim=1)
        ).mean()
    else:
        policy_loss = mean_of(nll, minibatch.played >= 0)
    log_wdl = result.float().log_softmax(dim=1)
    results = functional.nll_loss(log_wdl, minibatch.result, reduction="none", ignore_index=IGNORE_INDEX)
    if minibatch.teacher_wdl.shape[1]:
        result_loss = (
            (1 - minibatch.teacher_wdl_weight) * results - (minibatch.teacher_wdl * log_wdl).sum(dim=1)
        ).mean()
    else:
        result_loss = mean_of(results, (minibatch.result >= 0) & ~minibatch.randomised)
    total = policy_loss + value_weight * result_loss
    if fact_weight and len(minibatch.ownership):
        total = total + fact_weight * _fact_loss(facts[0], facts[1], minibatch)
    return Losses(
        total,
        log_policy.detach().argmax(dim=1) == minibatch.played,
        nll.detach(),
    )


def _fact_loss(ownership: Tensor, lead: Tensor, minibatch: TrainingBatch) -> Tensor:
    """Mean over points of the cross-entropy of ownership, and a Huber loss of the lead in tens of points."""
    k = len(minibatch.ownership)
    ours, theirs = ((1 + owner.float()) / 2 for owner in (ownership[:k], minibatch.ownership))
    ours = ours.clamp(1e-4, 1 - 1e-4)
    entropy = -(theirs * ours.log() + (1 - theirs) * (1 - ours).log()).mean()
    return entropy + functional.smooth_l1_loss(lead[:k].float() / 10, minibatch.lead / 10)


def mean_of(values: Tensor, counted: Tensor) -> Tensor:
    """Returns the mean over the counted entries, 0 if there are none."""
    return (values * counted).sum() / counted.sum().clamp(min=1)


def to_device(arrays: Mapping[str, NDArray[np.generic]], device: torch.device) -> dict[str, Tensor]:
    """Copies arrays to the device through one (pinned) buffer. Returns tensors by the same names."""
    offsets: dict[str, int] = {}
    size = 0
    for name, array in arrays.items():
        offsets[name] = size
        size += -(-array.nbytes // _ALIGNMENT) * _ALIGNMENT
    buffer = torch.empty(size, dtype=torch.uint8, pin_memory=device.type == "cuda")
    packed = buffer.numpy()
    for name, array in arrays.items():
        packed[offsets[name] :][: array.nbytes] = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    there = buffer.to(device, non_blocking=True)
    return {
        name: there[offsets[name] :][: array.nbytes].view(_torch_dtype(array.dtype)).view(array.shape)
        for name, array in arrays.items()
    }


def _torch_dtype(dtype: np.dtype[np.generic]) -> torch.dtype:
    return torch.from_numpy(np.empty(0, dtype)).dtype
