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
Kind = TypeVar("Kind", bound=np.generic)


def offsets_of(sizes: Sequence[int] | NDArray[np.integer]) -> Offsets:
    """[positions + 1]: where segments of these sizes begin, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])


def spread(values: NDArray[Kind], offsets: Offsets) -> NDArray[Kind]:
    """[..., moves]: each position's value [..., positions] at all of its moves."""
    return np.repeat(values, np.diff(offsets), axis=-1)


def sums(values: Array, offsets: Offsets) -> Array:
    """[..., positions]: the sums over each position's moves of values [..., moves]."""
    found: Array = np.add.reduceat(values, offsets[:-1], axis=-1)
    return found


def log_sums(logs: Array, offsets: Offsets) -> Array:
    """[..., positions]: the logarithm of the sum of the exponentials of each position's moves."""
    highest = np.maximum.reduceat(logs, offsets[:-1], axis=-1)
    found: Array = np.log(sums(np.exp(logs - spread(highest, offsets)), offsets)) + highest
    return found


def normalised_logs(logs: Array, offsets: Offsets) -> Array:
    """[..., moves]: logarithms of probabilities from logarithms that lack their constant."""
    found: Array = logs - spread(log_sums(logs, offsets), offsets)
    return found


def first_best(values: Array, offsets: Offsets) -> NDArray[np.int64]:
    """[positions]: the place among all moves of each position's greatest value, of equals the first."""
    greatest = values == spread(np.maximum.reduceat(values, offsets[:-1]), offsets)
    places = np.flatnonzero(greatest)
    return places[np.searchsorted(places, offsets[:-1])]
