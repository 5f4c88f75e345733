"""When a player resigns: by a rule, or as people do."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

RESIGNATION_FEATURES = (
    "one",
    "logit",
    "logit below -2",
    "logit fall",
    "log lost moves",
    "log ply",
    "rating",
    "rating * logit",
)
LOST = 0.15
"""Expected score below which a position counts as lost."""
HOPEFUL = 0.2
"""Expected score from which nobody resigns."""


class ResignationRule(Protocol):
    """Decides on resignation. It counts each side on its own."""

    def reset(self) -> None:
        """Begins a new game."""
        ...

    def decide(
        self, player: int, value: float | None, ply: int = 0, rng: np.random.Generator | None = None
    ) -> bool:
        """Whether the player resigns now. `value` is its expected result from -1 to 1, None if unknown."""
        ...


class Resignation:
    """Resigns after some moves in a row with a low expected score.

    Args:
        below: expected score, from 0 to 1, below which a position is lost; 0 never resigns.
        after: moves in a row that must be lost.
    """

    def __init__(self, below: float, after: int) -> None:
        self._below, self._after = below, after
        self._lost_moves = [0, 0]

    def reset(self) -> None:
        """Begins a new game."""
        self._lost_moves = [0, 0]

    def decide(
        self, player: int, value: float | None, ply: int = 0, rng: np.random.Generator | None = None
    ) -> bool:
        """Whether the player resigns now. `value` is its expected result from -1 to 1, None if unknown."""
        if value is None:
            return False
        lost = (value + 1) / 2 < self._below
        self._lost_moves[player] = self._lost_moves[player] + 1 if lost else 0
        return self._lost_moves[player] >= self._after


@dataclass(frozen=True)
class ResignationModel:
    """The chance that a person resigns on a turn: logistic in `RESIGNATION_FEATURES`."""

    weights: Array
    """[features]"""
    rating: float
    """Rating of a player whose rating is not known."""
    rating_scale: float
    """Points of rating that count as one."""

    def features(self, score: Any, before: Any, lost_moves: Any, ply: Any, rating: Any) -> Array:
        """[turns, features]. Each argument is a number or an array [turns].

        Args:
            score: expected score of the player, 0 to 1.
            before: the same on the player's last turn; on the first turn, `score`.
            lost_moves: turns of the player in a row with a score below `LOST`, this one included.
            rating: of the player; NaN if unknown.
        """
        logit = _logit(score)
        known = np.asarray(rating, float)
        strength = np.where(np.isnan(known), 0.0, (known - self.rating) / self.rating_scale)
        columns = (
            np.ones_like(logit),
            logit,
            np.minimum(logit + 2, 0),
            logit - _logit(before),
            np.log1p(np.asarray(lost_moves, float)),
            np.log(np.maximum(np.asarray(ply, float), 1)),
            strength,
            strength * logit,
        )
        return np.stack(np.broadcast_arrays(*columns), axis=-1).reshape(-1, len(RESIGNATION_FEATURES))

    def probability(self, score: Any, before: Any, lost_moves: Any, ply: Any, rating: Any) -> Array:
        """[turns]: the chance of resigning on this turn; the arguments are those of `features`."""
        inputs = self.features(score, before, lost_moves, ply, rating)
        chance: Array = 1 / (1 + np.exp(-inputs @ self.weights))
        return np.where(np.asarray(score, float) < HOPEFUL, chance, 0.0)

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> ResignationModel:
        """The model of a JSON object. Raises ValueError if it was fitted to other features."""
        if tuple(content["weights"]) != RESIGNATION_FEATURES:
            raise ValueError("the resignation model was fitted to other features: fit it again")
        weights = np.array(list(content["weights"].values()), float)
        return cls(weights, content["rating"], content["rating_scale"])

    def to_json(self) -> dict[str, Any]:
        """The model as a JSON object."""
        rounded = [float(f"{w:.5g}") for w in self.weights]
        return {
            "weights": dict(zip(RESIGNATION_FEATURES, rounded, strict=True)),
            "rating": self.rating,
            "rating_scale": self.rating_scale,
        }


class HumanResignation:
    """Resigns with the chance with which people of the rating resign in such positions."""

    def __init__(self, model: ResignationModel, rating: int | None) -> None:
        self._model = model
        self._rating = math.nan if rating is None else float(rating)
        self.reset()

    def reset(self) -> None:
        """Begins a new game."""
        self._lost_moves = [0, 0]
        self._scores: list[float | None] = [None, None]

    def decide(
        self, player: int, value: float | None, ply: int = 0, rng: np.random.Generator | None = None
    ) -> bool:
        """Whether the player resigns now. A position with hope is never resigned.

        Without a generator it resigns where the chance is above a half.
        """
        if value is None:
            return False
        score, before = (value + 1) / 2, self._scores[player]
        self._scores[player] = score
        lost = self._lost_moves[player] = self._lost_moves[player] + 1 if score < LOST else 0
        before = score if before is None else before
        chance = float(self._model.probability(score, before, lost, ply, self._rating)[0])
        return (0.5 if rng is None else float(rng.random())) < chance


def _logit(score: Any) -> Array:
    clipped = np.clip(np.asarray(score, float), 1e-3, 1 - 1e-3)
    logit: Array = np.log(clipped / (1 - clipped))
    return logit
