"""Arithmetic on the moves of many positions at once: one row of all moves, cut into segments.

Position i has the moves from offsets[i] to offsets[i + 1]; no position is without moves.
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
    """[positions + 1]: where segments of these sizes begin, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])


def segment_repeat(values: NDArray[ScalarT], offsets: Offsets) -> NDArray[ScalarT]:
    """[..., moves]: each position's value [..., positions] at all of its moves."""
    return np.repeat(values, np.diff(offsets), axis=-1)


def segment_sum(values: Array, offsets: Offsets) -> Array:
    """[..., positions]: the sums over each position's moves of values [..., moves]."""
    found: Array = np.add.reduceat(values, offsets[:-1], axis=-1)
    return found


def segment_logsumexp(logs: Array, offsets: Offsets) -> Array:
    """[..., positions]: the logarithm of the sum of the exponentials of each position's moves."""
    highest = np.maximum.reduceat(logs, offsets[:-1], axis=-1)
    found: Array = np.log(segment_sum(np.exp(logs - segment_repeat(highest, offsets)), offsets)) + highest
    return found


def segment_log_softmax(logs: Array, offsets: Offsets) -> Array:
    """[..., moves]: logarithms of probabilities from logarithms that lack their constant."""
    found: Array = logs - segment_repeat(segment_logsumexp(logs, offsets), offsets)
    return found


def segment_argmax(values: Array, offsets: Offsets) -> NDArray[np.int64]:
    """[positions]: the place among all moves of each position's greatest value, of equals the first."""
    greatest = values == segment_repeat(np.maximum.reduceat(values, offsets[:-1]), offsets)
    places = np.flatnonzero(greatest)
    return places[np.searchsorted(places, offsets[:-1])]
