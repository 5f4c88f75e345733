"""Buckets of positions by ply, phase, number of legal moves, clock, evaluation and swing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sparring.games import describe
from sparring.matching.phases import PHASES

_MOST_PLIES = 12
_LEGAL = (1, 2, 5, 10, 15, 20, 25, 30, 35, 40, 50, 75, 100, 150, 200, 250, 300, 350)
_CLOCK = (0, 30, 60, 120, 300, 600, 1200)
_EVALUATION = ((-np.inf, "lost"), (-300, "worse"), (-100, "even"), (100, "better"), (300, "won"))
_SWING = ((-np.inf, "loses over 300"), (-300, "loses 100 to 300"), (-100, "loses 50 to 100"),
          (-50, "within 50"), (50, "gains 50 or more"))  # fmt: skip


@dataclass(frozen=True)
class Buckets:
    """A partition of positions into named buckets."""

    title: str
    names: tuple[str, ...]
    of: NDArray[np.int64]
    """[positions]: index of each position's bucket; -1 if it has none."""


def all_buckets(game: str, metadata: NDArray[np.void]) -> Iterator[Buckets]:
    """Yields the partitions for which the metadata [positions] have values."""
    width = describe(game).ply_bucket
    yield _ranges("ply", metadata["ply"], [width * i for i in range(_MOST_PLIES)])
    yield Buckets("phase", PHASES, metadata["phase"].astype(np.int64))
    yield _ranges("legal moves", metadata["legal"], list(_LEGAL))
    if not np.isnan(metadata["clock"]).all():
        yield _ranges("clock", metadata["clock"], list(_CLOCK))
    for title, ways in (("evaluation", _EVALUATION), ("swing", _SWING)):
        if not np.isnan(metadata[title]).all():
            names = tuple(name for _, name in ways)
            yield Buckets(title, names, _sorted_in(metadata[title], [bound for bound, _ in ways]))


def _ranges(title: str, values: NDArray[np.generic], bounds: list[int]) -> Buckets:
    names = [f"{a}-{b - 1}" if b - a > 1 else f"{a}" for a, b in pairwise(bounds)]
    return Buckets(title, (*names, f"{bounds[-1]}+"), _sorted_in(values, bounds))


def _sorted_in(values: NDArray[np.generic], bounds: Sequence[float]) -> NDArray[np.int64]:
    known = ~np.isnan(values.astype(np.float64))
    found = np.full(len(values), -1, np.int64)
    found[known] = np.searchsorted(np.asarray(bounds), values[known], side="right") - 1
    return found
