"""Rating, clock and history conditioning for a batch: recorded, randomised (augmentation), or masked.

Random choices come from a generator that the caller seeds.
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

_RATING_DIFFERENCE_STD = 100.0
"""Standard deviation of the difference between randomised ratings."""


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
    """Returns the rating group [n] of both players (its lower end), NaN if they are in different groups."""
    width = describe(game).ratings.group_width
    mover, opponent = (recorded_ratings(batch) // width * width).T
    return np.where(mover == opponent, mover, np.nan)


def rating_group_name(group: float, game: str) -> str:
    """Returns the name of a rating group, such as 1100, 3k or 6d."""
    return rating_text(game, round(group))
