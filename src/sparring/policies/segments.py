"""Segment operations: the moves of many positions in one array, cut into one segment per position.

Position i has the moves offsets[i] to offsets[i + 1]. Every position has at least one move.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Offsets = NDArray[np.int64]
ScalarT = TypeVar("ScalarT", bound=np.generic)


def segment_offsets(sizes: Sequence[int] | NDArray[np.integer]) -> Offsets:
    """The offsets [positions + 1] of segments of these sizes."""
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])


def segment_repeat(values: NDArray[ScalarT], offsets: Offsets) -> NDArray[ScalarT]:
    """Repeats each position's value [..., positions] for all of its moves: [..., moves]."""
    return np.repeat(values, np.diff(offsets), axis=-1)


def segment_sum(values: Array, offsets: Offsets) -> Array:
    """The sum over each position's moves: [..., moves] -> [..., positions]."""
    found: Array = np.add.reduceat(values, offsets[:-1], axis=-1)
    return found


def segment_logsumexp(logs: Array, offsets: Offsets) -> Array:
    """The log-sum-exp over each position's moves: [..., moves] -> [..., positions]."""
    highest = np.maximum.reduceat(logs, offsets[:-1], axis=-1)
    found: Array = np.log(segment_sum(np.exp(logs - segment_repeat(highest, offsets)), offsets)) + highest
    return found


def segment_log_softmax(logs: Array, offsets: Offsets) -> Array:
    """Normalised log-probabilities from unnormalised ones, per position: [..., moves] -> [..., moves]."""
    found: Array = logs - segment_repeat(segment_logsumexp(logs, offsets), offsets)
    return found


def segment_argmax(values: Array, offsets: Offsets) -> NDArray[np.int64]:
    """The index among all moves of each position's greatest value; the first of equals. [moves] ->
    [positions]."""
    greatest = values == segment_repeat(np.maximum.reduceat(values, offsets[:-1]), offsets)
    places = np.flatnonzero(greatest)
    return places[np.searchsorted(places, offsets[:-1])]
