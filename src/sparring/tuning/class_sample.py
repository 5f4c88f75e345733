"""D_kappa: the moves of people whose rating is within half a class width of kappa (ACE, section 3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from sparring.matching import GameSelection, read_sample
from sparring.matching.positions import Sample
from sparring.networks import Position
from sparring.records import Split
from sparring.tuning.visits import PlayedPositions

HALF_WIDTH = 50
"""Delta e: class 1250 is 1200 to 1300, as in the paper."""


def class_positions(
    game: str,
    records: Sequence[Path],
    rating: float,
    positions: int,
    *,
    half_width: float = HALF_WIDTH,
    split: Split | None = Split.TRAIN,
    every: int = 8,
) -> PlayedPositions:
    """Up to `positions` positions in which players of a class moved; the opponent may have any rating.

    One position in `every` of a game is taken: positions of one game are alike. Positions with one legal move
    are left out. The positions have no ratings: the policy is one, and Theta makes the class.
    Raises NoGames, BadTable, UnsupportedFormat or OSError.
    """
    selection = GameSelection(
        game,
        tuple(records),
        split,
        positions=positions + positions // 10,
        every=every,
        mover_rating=(rating - half_width, rating + half_width),
    )
    return played_positions(read_sample(selection), positions)


def played_positions(sample: Sample, limit: int | None = None) -> PlayedPositions:
    """The positions of a sample in which there was a choice, without ratings and clocks."""
    rows = np.flatnonzero(sample.metadata["legal"] > 1)[:limit]
    wanted = set(rows.tolist())
    found: list[Position] = []
    for begin, batch in sample.batches(0, 1024):
        found += [
            replace(each, rating=None, opponent_rating=None, clock=None)
            for i, each in enumerate(batch, begin)
            if i in wanted
        ]
    metadata = sample.metadata[rows]
    return PlayedPositions(
        found,
        metadata["played"].astype(np.int64),
        metadata["game"].astype(np.int64),
        metadata["phase"].astype(np.int64),
    )
