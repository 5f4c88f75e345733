"""Who is said to sit at the boards of a batch: as the records have it, imagined, or hidden.

What is left to chance follows from a generator that the caller seeds.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparring.games import describe
from sparring.games.ranks import rank_order
from sparring.policies import rating_text
from sparring.records import Batch
from sparring.training.config import TrainingConfig

_APART = 100.0
"""Standard deviation of the difference between imagined players."""


@dataclass(frozen=True)
class Conditioning:
    """Of n positions; NaN stands for what is not told."""

    ratings: NDArray[np.float64]
    """[n, 2]: the mover's and the opponent's, ranks as numbers."""
    clocks: NDArray[np.float64]
    """[n]: the mover's, in seconds."""
    randomised: NDArray[np.bool_]
    """[n]: whether the ratings are not those of the people who sat there."""
    history: NDArray[np.bool_]
    """[n]: whether the earlier boards are shown."""


def recorded_conditioning(batch: Batch) -> Conditioning:
    """As the records have it."""
    n = len(batch)
    return Conditioning(
        recorded_ratings(batch), batch.clock_before.astype(np.float64), np.zeros(n, bool), np.ones(n, bool)
    )


def randomised(
    conditioning: Conditioning, config: TrainingConfig, random: np.random.Generator
) -> Conditioning:
    """As if others sat at some of the boards."""
    network, data, n = config.network, config.data, len(conditioning.ratings)
    if not (network.rating_range and data.random_ratings):
        return conditioning
    chosen = random.random(n) < data.random_ratings
    low, high = network.rating_range
    mover = random.uniform(low, high, n)
    opponent = np.clip(mover + random.normal(0, _APART, n), low, high)
    ratings = np.where(chosen[:, None], np.stack([mover, opponent], axis=1), conditioning.ratings)
    return dataclasses.replace(conditioning, ratings=ratings, randomised=chosen)


def masked(conditioning: Conditioning, config: TrainingConfig, random: np.random.Generator) -> Conditioning:
    """Some ratings (none that are imagined), clocks and earlier boards hidden."""
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
    """[n, 2]: the mover's and the opponent's; ranks as numbers; NaN where unknown."""
    columns = []
    for ratings, ranks in ((batch.rating, batch.rank), (batch.opponent_rating, batch.opponent_rank)):
        known = np.where(ratings < 0, np.nan, ratings.astype(np.float64))
        if (ranks != "").any():
            names, places = np.unique(ranks, return_inverse=True)
            numbers = np.array([rank_order(str(name)) if name else np.nan for name in names])
            known = np.where(np.isnan(known), numbers[places], known)
        columns.append(known)
    return np.stack(columns, axis=1)


def rating_groups(batch: Batch, game: str) -> NDArray[np.float64]:
    """[n]: the hundred, or the rank, that both players are in; NaN where they differ."""
    width = describe(game).ratings.group_width
    mover, opponent = (recorded_ratings(batch) // width * width).T
    return np.where(mover == opponent, mover, np.nan)


def rating_group_name(group: float, game: str) -> str:
    """1100, or 3k, 6d and 9p."""
    return rating_text(game, round(group))
