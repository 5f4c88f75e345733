"""Batches of records as tensors on the device: what the network sees, and what it should say."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sparring.learn.configuration import BadConfiguration, Configuration
from sparring.learn.layouts import Layout, layout_of, view_of
from sparring.learn.memory import Memory, chunks
from sparring.learn.parcels import send
from sparring.learn.seats import Seats
from sparring.learn.teachers import Answer, Teacher
from sparring.records import Batch
from sparring.records.batches import NO_LABEL

IGNORED = -100
"""PyTorch's class that does not count."""
IMPOSSIBLE = -1e4
"""The logit of an illegal move: finite, so that nothing becomes NaN."""
_UNKNOWN_RATING = 1500.0
"""For teachers that must be told one."""
_SHAPES = {"lc0": (112, 8, 8), "maia3": (64, 96)}
"""Of the teachers' encodings."""


class Lesson(NamedTuple):
    """n positions, in tensors of fixed shapes."""

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
    """[n]: whether the players are imagined; how their game ended is not learned then."""
    foretold: Tensor
    """[n, 3]: how teachers expect the game to end, times their shares; [n, 0] where none is asked."""
    foretold_share: Tensor
    """[n]: those shares together."""


@torch.no_grad()
def make_lesson(
    batch: Batch,
    seats: Seats,
    config: Configuration,
    teachers: Sequence[Teacher],
    device: torch.device,
    *,
    seated: Seats | None = None,
    memory: Memory | None = None,
) -> Lesson:
    """What a batch teaches somebody who is told of these seats.

    Teachers are told who is `seated`, where that is more; they are not asked what `memory` has.
    """
    layout = layout_of(config)
    seated = seated or seats
    arrays = _arrays(batch, seats, config)
    if teachers:
        arrays |= _arrays_for_teachers(batch, seated, config, memory)
    sent = send(arrays, device)
    n, choices = len(batch), len(batch.labels)
    rows = torch.arange(n, device=device).repeat_interleave(sent["choices"], output_size=choices)
    # A move without a label gets one behind all others, which is cut off in the end.
    labels = sent["labels"].long().clamp(max=layout.moves)
    legal = torch.zeros((n, layout.moves + 1), dtype=torch.bool, device=device)
    legal[rows, labels] = True
    planes = _planes(sent, layout)
    taught = torch.zeros((n, layout.moves if teachers else 0), device=device)
    foretold = torch.zeros((n, 3 if any(teacher.results for teacher in teachers) else 0), device=device)
    for teacher in teachers if teachers and len(sent["asked"]) else ():
        own = teacher.encoding == layout.encoding
        said = _answer(teacher, sent, planes if own else None)
        last = said.logits.shape[1] - 1
        named = sent["labels" if own else f"{teacher.encoding} labels"].long().clamp(max=last)
        scores = torch.full((n, layout.moves + 1), IMPOSSIBLE, device=device)
        scores[rows, labels] = said.logits[rows, named]
        taught += teacher.weight * scores[:, :-1].softmax(dim=1)
        if foretold.shape[1]:
            foretold += teacher.results * said.results
    imagined = sent["imagined"]
    if teachers and memory is not None:
        new, places = sent["new"], sent["places"]
        memory.keep(places[new], taught[new], foretold[new])
        known = memory.recall(places, taught.shape[1], foretold.shape[1])
        taught, foretold = (
            torch.where(imagined[:, None], *each) for each in zip((taught, foretold), known, strict=True)
        )
    # What no person played, and what did not happen, is the teachers' alone.
    taught, share = _shared(taught, sum(each.weight for each in teachers), imagined | (sent["played"] < 0))
    results = sum(each.results for each in teachers)
    foretold, foretold_share = _shared(foretold, results, imagined | (sent["result"] < 0))
    if config.data.forget:
        begin, end = layout.past
        planes[:, begin:end] *= sent["past"][:, None, None, None]
    return Lesson(
        planes,
        sent["context"],
        legal[:, :-1],
        sent["played"],
        sent["result"],
        taught,
        share,
        imagined,
        foretold,
        foretold_share,
    )


def _answer(teacher: Teacher, sent: dict[str, Tensor], planes: Tensor | None) -> Answer:
    """What a teacher says of the positions that are asked about, and nothing of the others.

    `planes` are those of the pupil, where the teacher sees the same.
    """
    n, answer = len(sent["ratings"]), None
    for rows in sent["asked"]:
        if planes is not None:
            shown = planes[rows]
        else:
            shown = unpacked(sent[f"{teacher.encoding} planes"][rows], _SHAPES[teacher.encoding])
        beside = sent[f"{teacher.beside} planes"] if teacher.beside else sent["ratings"][:, :0]
        said = teacher.asked(shown, sent["ratings"][rows], sent["seated"][rows], beside[rows])
        if answer is None:
            answer = Answer(*(part.new_zeros((n, part.shape[1])) for part in said))
        for whole, part in zip(answer, said, strict=True):
            whole[rows] = part
    assert answer is not None
    return answer


def _shared(taught: Tensor, share: float, alone: Tensor) -> tuple[Tensor, Tensor]:
    """What teachers say and its share in each target: all of it where they are alone."""
    shares = torch.full((len(taught),), float(share), device=taught.device)
    if not share:
        return taught, shares
    return torch.where(alone[:, None], taught / share, taught), torch.where(alone, 1.0, shares)


def unpacked(bits: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Bits [n, bytes], the first in the lowest, as bytes [n, *shape]."""
    places = torch.arange(8, dtype=torch.uint8, device=bits.device)
    each = (bits[:, :, None] >> places) & 1
    return each.flatten(1)[:, : math.prod(shape)].reshape(-1, *shape)


def _arrays(batch: Batch, seats: Seats, config: Configuration) -> dict[str, NDArray[np.generic]]:
    """All that the device must be told."""
    layout = layout_of(config)
    if batch.planes.shape[1] != (layout.planes * layout.cells + 7) // 8:
        raise BadConfiguration(f"boards of {layout.rows} by {layout.columns} expected: build records of them")
    played = batch.labels[batch.offsets[:-1] + batch.index].astype(np.int64)
    lost = 2 - 2 * batch.result
    return {
        "planes": batch.planes,
        "counts": batch.counts,
        "labels": batch.labels,
        "choices": np.diff(batch.offsets),
        "played": np.where(played == NO_LABEL, IGNORED, played),
        "result": np.where(np.isnan(lost), IGNORED, lost).astype(np.int64),
        "context": _context(seats, config),
        "imagined": seats.imagined,
        "past": seats.past,
    }


def _arrays_for_teachers(
    batch: Batch, seated: Seats, config: Configuration, memory: Memory | None
) -> dict[str, NDArray[np.generic]]:
    """And what teachers are asked: of each position, or of those that `memory` does not have."""
    arrays: dict[str, NDArray[np.generic]] = {
        "ratings": np.nan_to_num(seated.ratings, nan=_UNKNOWN_RATING).astype(np.float32),
        "seated": _context(seated, config),
    }
    for encoding, view in batch.also.items():
        arrays |= {f"{encoding} planes": view.planes, f"{encoding} labels": view.labels}
    if memory is None:
        return {**arrays, "asked": np.arange(len(batch))[None]}
    places = memory.places(batch.game, batch.ply)
    new = memory.claim(places, ~seated.imagined)
    asked = chunks(new | seated.imagined)
    return {**arrays, "asked": asked, "new": np.flatnonzero(new), "places": places}


def _context(seats: Seats, config: Configuration) -> NDArray[np.float32]:
    return view_of(config).context(seats.ratings[:, 0], seats.ratings[:, 1], seats.clocks)


def _planes(sent: dict[str, Tensor], layout: Layout) -> Tensor:
    planes = unpacked(sent["planes"], (layout.planes, layout.rows, layout.columns))
    for begin, end, _ in layout.counts:
        planes[:, begin:end] = sent["counts"][:, :, None, None]
    return planes
