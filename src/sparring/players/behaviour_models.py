"""The shipped models of how people behave at the board: think time, resignation, draws.

`data/behaviour/GAME.json` has the models of a game, `think-time.json` the think times of all games, whose
features are those of the policy and the clock. `python -m studies manners` fits them to people's games.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sparring import data
from sparring.base.clock import Clock
from sparring.networks import Prediction


def has_model(game: str, name: str) -> bool:
    """Whether the package has a model of people's `resignation` or `draws` in a game."""
    return name in behaviour(game)


@cache
def behaviour(name: str) -> Mapping[str, Any]:
    """The models of a file by name; empty if there is no such file."""
    if name not in data.names("behaviour"):
        return {}
    content: dict[str, Any] = json.loads(data.path("behaviour", name).read_text(encoding="utf-8"))
    return content


# When a player offers and accepts draws.


@dataclass(frozen=True)
class DrawOffers:
    """Draws are offered in level positions, and accepted in positions that are level or worse."""

    within: float
    """Largest distance of the expected score (0 to 1) from 0.5; 0 never offers or accepts."""
    after: int
    """First ply at which draws are offered and accepted."""
    offering: bool = True
    """Whether it offers draws; else it only accepts."""
    chance: float = 1.0
    """Chance of an offer on a turn at which it may offer one."""

    def offers(self, ply: int, value: float | None, rng: np.random.Generator | None = None) -> bool:
        """Whether it offers a draw. `value` is its expected result from -1 to 1, None if unknown."""
        if not self.offering or value is None or abs(value) / 2 >= self.within or ply < self.after:
            return False
        return self.chance >= 1 or (rng is not None and rng.random() < self.chance)

    def accepts(self, ply: int, value: float | None) -> bool:
        """Whether it accepts a draw: it expects no more than one, or little more."""
        return self.within > 0 and value is not None and value / 2 < self.within and ply >= self.after


# When a player resigns: by a rule, or as people do.


Array = NDArray[np.float64]

RESIGNATION_FEATURES = (
    "one", "logit", "logit below -2", "logit fall", "log lost moves", "log ply", "rating", "rating * logit"
)  # fmt: skip
"""Inputs of the logistic model, in order."""
LOST = 0.15
"""Expected score below which a position counts as lost."""
HOPEFUL = 0.2
"""Expected score from which nobody resigns."""


class Resignation:
    """Resigns after some moves in a row with a low expected score. It counts each side on its own.

    Args:
        below: expected score, from 0 to 1, below which a position is lost; 0 never resigns.
        after: moves in a row that must be lost.
    """

    def __init__(self, below: float, after: int) -> None:
        self._below, self._after = below, after
        self.reset()

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
        ratings = np.asarray(rating, float)
        strength = np.where(np.isnan(ratings), 0.0, (ratings - self.rating) / self.rating_scale)
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


class HumanResignation:
    """Resigns with the chance with which people of the rating resign in such positions: a rule as
    `Resignation` is."""

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


ResignationRule: TypeAlias = Resignation | HumanResignation


def _logit(score: Any) -> Array:
    clipped = np.clip(np.asarray(score, float), 1e-3, 1 - 1e-3)
    logit: Array = np.log(clipped / (1 - clipped))
    return logit


# Think time: how long a person would think about a move, as a share of the clock.
#
# A small network predicts quantiles of the logarithm of (seconds + 0.5) / pace, where the pace is a plain
# share of the remaining time. It was fitted to the clocks of people's games by `python -m studies manners`. A
# time is drawn from the quantiles, and never takes the clock near its end.


FEATURES = (
    "log pace",
    "log clock left",
    "increment",
    "log clock against opponent",
    "log opponent's time",
    "opponent's time unknown",
    "ply",
    "opening",
    "early middle game",
    "log legal moves",
    "only move",
    "entropy",
    "top",
    "surprise",
    "value",
    "undecided",
    "value change",
    "rating",
)
"""Inputs of the network, in order."""
_RATING_UNKNOWN = 1500.0
_MOVES_LEFT = 30
_RESERVE = 1.0
"""Seconds that stay on the clock, or a tenth of it."""
_MAX_SHARE = 0.2
"""Largest share of the remaining time for one move."""
_HURRY = 10.0
"""Seconds below which the share is smaller."""
_HURRIED_SHARE = 0.05


@dataclass(frozen=True)
class Situation:
    """What a person sees before a move. Each field is a number, or an array [positions]."""

    remaining: Any
    """Seconds on the clock."""
    increment: Any
    base: Any
    """Seconds at the start of the game."""
    opponent_remaining: Any
    """NaN if unknown."""
    opponent_spent: Any
    """Seconds of the opponent's last move; NaN if unknown."""
    ply: Any
    legal: Any
    """Number of legal moves."""
    entropy: Any
    """Of the policy, in nats."""
    top: Any
    """Probability of the likeliest move."""
    chosen: Any
    """Probability of the move that is played."""
    value: Any
    """Expected score of the player, 0 to 1."""
    value_change: Any
    """Since the player's last turn; NaN if unknown."""
    rating: Any
    """NaN if unknown."""

    @property
    def pace(self) -> Array:
        """Seconds a move if the rest of the game took thirty moves."""
        return np.asarray(self.remaining, float) / _MOVES_LEFT + 0.8 * np.asarray(self.increment, float)

    def features(self) -> Array:
        """[positions, features]"""
        facts = {part.name: np.asarray(getattr(self, part.name), float) for part in fields(self)}
        left, increment, opponent = facts["remaining"], facts["increment"], facts["opponent_remaining"]
        spent, value, rating = facts["opponent_spent"], facts["value"], facts["rating"]
        ply, legal = facts["ply"], facts["legal"]
        pace, unknown = np.maximum(self.pace, 0.05), np.isnan(spent)
        opponent = np.where(np.isnan(opponent), left, opponent)
        columns = (
            np.log(pace),
            np.log((left + 1) / (facts["base"] + 1)),
            increment / pace,
            np.log((left + 1) / (np.maximum(opponent, 0) + 1)),
            np.where(unknown, 0.0, np.log((np.maximum(np.nan_to_num(spent), 0) + 0.5) / pace)),
            unknown.astype(float),
            np.minimum(ply, 120) / 60,
            np.exp(-ply / 6),
            np.exp(-ply / 20),
            np.log(np.maximum(legal, 1)),
            (legal == 1).astype(float),
            facts["entropy"],
            facts["top"],
            -np.log(np.maximum(facts["chosen"], 1e-4)),
            value,
            4 * value * (1 - value),
            np.nan_to_num(facts["value_change"]),
            np.where(np.isnan(rating), _RATING_UNKNOWN, rating) / 1000,
        )
        return np.stack(np.broadcast_arrays(*columns), axis=-1).reshape(-1, len(FEATURES))


@dataclass(frozen=True)
class ThinkTimeModel:
    """A network with tanh layers from features to quantiles."""

    quantiles: Array
    """[quantiles]: the probabilities, ascending."""
    low: Array
    """[features]: smallest value in the data; smaller ones are raised to it."""
    high: Array
    """[features]"""
    centre: Array
    scale: Array
    layers: tuple[tuple[Array, Array], ...]
    """(weights [inputs, outputs], biases [outputs]) of each layer."""

    def predict(self, situation: Situation) -> Array:
        """[positions, quantiles]: seconds, ascending in each row."""
        values = (np.clip(situation.features(), self.low, self.high) - self.centre) / self.scale
        for number, (weights, biases) in enumerate(self.layers):
            values = values @ weights + biases
            if number + 1 < len(self.layers):
                values = np.tanh(values)
        pace = np.maximum(situation.pace, 0.05).reshape(-1, 1)
        seconds: Array = np.maximum(np.exp(np.sort(values, axis=1)) * pace - 0.5, 0.0)
        return seconds

    def draw(self, situation: Situation, rng: np.random.Generator) -> float:
        """Seconds for one situation, drawn between the quantiles."""
        return float(np.interp(rng.random(), self.quantiles, self.predict(situation)[0]))

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> ThinkTimeModel:
        """The model of a JSON object. Raises ValueError if it was fitted to other features."""
        if tuple(content["features"]) != FEATURES:
            raise ValueError("the think-time model was fitted to other features: fit it again")
        arrays = {
            name: np.array(content[name], float) for name in ("quantiles", "low", "high", "centre", "scale")
        }
        layers = tuple((np.array(w, float), np.array(b, float)) for w, b in content["layers"])
        return cls(layers=layers, **arrays)


class ThinkTime:
    """Draws the think times of one player. It remembers the last turn."""

    def __init__(self, model: ThinkTimeModel) -> None:
        self._model = model
        self.reset()

    def reset(self) -> None:
        """Begins a new game."""
        self._base: float | None = None
        self._opponent_left: float | None = None
        self._value: float | None = None

    def seconds(
        self,
        clock: Clock,
        opponent_clock: Clock | None,
        prediction: Prediction,
        chosen: float,
        ply: int,
        rating: int | None,
        rng: np.random.Generator,
    ) -> float:
        """Seconds for the move, within the clock. `chosen` is the probability of the move that is played."""
        if self._base is None:
            self._base = clock.remaining + clock.byoyomi
        shares = prediction.probabilities.astype(np.float64)
        value = 0.5 if prediction.value is None else (prediction.value + 1) / 2
        left = None if opponent_clock is None else opponent_clock.remaining
        situation = Situation(
            remaining=clock.remaining,
            increment=clock.increment + clock.byoyomi,
            base=max(self._base, clock.remaining),
            opponent_remaining=math.nan if left is None else left,
            opponent_spent=self._opponent_spent(opponent_clock),
            ply=ply,
            legal=len(prediction.moves),
            entropy=-float(shares @ np.log(np.maximum(shares, 1e-12))),
            top=float(shares.max()),
            chosen=chosen,
            value=value,
            value_change=math.nan if self._value is None else value - self._value,
            rating=math.nan if rating is None else rating,
        )
        self._opponent_left, self._value = left, value
        return within_clock(self._model.draw(situation, rng), clock)

    def _opponent_spent(self, clock: Clock | None) -> float:
        if clock is None or self._opponent_left is None:
            return math.nan
        return max(self._opponent_left - clock.remaining + clock.increment, 0.0)


def within_clock(seconds: float, clock: Clock) -> float:
    """The seconds, limited to a share of the clock: a fifth, or a twentieth below ten seconds.

    A player that keeps to it does not lose on time, however long the game is.
    """
    reserve = min(_RESERVE, 0.1 * clock.remaining)
    left = clock.remaining - reserve
    if clock.byoyomi:
        most = left + max(clock.byoyomi - _RESERVE, 0.5 * clock.byoyomi)
    else:
        share = _MAX_SHARE if clock.remaining > _HURRY else _HURRIED_SHARE
        most = max(left * share, left / (clock.moves_to_go or math.inf), min(0.8 * clock.increment, left))
    return min(max(seconds, 0.0), most)
