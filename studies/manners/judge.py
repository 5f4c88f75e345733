"""The automatic judge: tells the games of programs from those of people by the moves alone.

A game becomes some numbers: how likely its moves are by `human` and by `strong`, how much expected score they
lose, and how these vary over the game. A logistic regression over the numbers and their squares is the judge.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.players.behaviour_models import ResignationModel
from studies.manners.resignations import chances, logistic, turns_of
from studies.manners.traces import Traces

Array = NDArray[np.float64]
FIRST_PLY = 8
"""Openings are left out: programs may have books."""
_LEAST_MOVES = 12
FEATURES = (
    "log human", "spread of log human", "human top-1", "human rank 5+", "calibration", "unlikely moves",
    "likely for strong alone", "log strong", "strong top-1", "loss", "spread of loss", "largest loss",
    "loss above 0.1", "loss above 0.3", "next loss", "loss undecided", "loss decided", "log human early",
    "log human late", "log strong late", "entropy", "loss against entropy", "log plies",
)  # fmt: skip


def game_features(traces: Traces) -> tuple[Array, NDArray[np.int64]]:
    """([games, features], indices of the games); games of a few moves are left out."""
    rows = traces.rows
    bounds = np.searchsorted(rows["game"], np.arange(len(traces.games) + 1))
    found, kept = [], []
    for game, (begin, end) in enumerate(pairwise(bounds.tolist())):
        features = _features(rows[begin:end])
        if features is not None:
            found.append(features)
            kept.append(game)
    return np.array(found, float).reshape(-1, len(FEATURES)), np.array(kept, np.int64)


def _features(rows: NDArray[np.void]) -> list[float] | None:
    value = rows["strong_value"].astype(float)
    loss = np.zeros(len(rows))
    loss[:-1] = np.clip(value[:-1] - (1 - value[1:]), 0, None)
    which = np.flatnonzero(rows["played"] & (rows["ply"] >= FIRST_PLY))
    which = which[which < len(rows) - 1]  # the loss of the last move is not known
    if len(which) < _LEAST_MOVES:
        return None
    part, loss = rows[which], loss[which]
    human = np.log(np.maximum(part["human"].astype(float), 1e-4))
    strong = np.log(np.maximum(part["strong"].astype(float), 1e-4))
    entropy = part["entropy"].astype(float)
    decided = np.abs(part["strong_value"].astype(float) - 0.5) > 0.35
    late = part["pieces"] <= 7
    return [
        human.mean(), human.std(), (part["rank"] == 0).mean(), (part["rank"] >= 5).mean(),
        (human + entropy).mean(), (human < -4).mean(), ((human < -2.5) & (strong > -1.2)).mean(),
        strong.mean(), (part["strong_rank"] == 0).mean(), loss.mean(), loss.std(), loss.max(),
        (loss > 0.1).mean(), (loss > 0.3).mean(), _next(loss), _mean(loss, ~decided, loss.mean()),
        _mean(loss, decided, loss.mean()), _mean(human, ~late, human.mean()),
        _mean(human, late, human.mean()), _mean(strong, late, strong.mean()),
        entropy.mean(), _slope(entropy, loss), np.log(len(rows)),
    ]  # fmt: skip


def _mean(values: Array, which: NDArray[np.bool_], otherwise: float) -> float:
    return float(values[which].mean()) if which.sum() >= 3 else float(otherwise)


def _next(loss: Array) -> float:
    """Covariance of a loss with the next one of the same player: people's errors come in clusters."""
    large = (loss > 0.1).astype(float) - (loss > 0.1).mean()
    return float((large[:-2] * large[2:]).mean())


def _slope(entropy: Array, loss: Array) -> float:
    return float(np.cov(entropy, loss)[0, 1])


@dataclass(frozen=True)
class Judge:
    """The chance that a game was played by a program."""

    centre: Array
    scale: Array
    weights: Array

    def scores(self, features: Array) -> Array:
        """[games]: higher where a program is likelier."""
        scores: Array = self._inputs(features) @ self.weights
        return scores

    def _inputs(self, features: Array) -> Array:
        return judge_inputs(features, self.centre, self.scale)


def judge_inputs(features: Array, centre: Array, scale: Array) -> Array:
    """[games, 1 + 2 * features]: one, the standardised features, and their squares."""
    known = np.clip((features - centre) / scale, -4, 4)
    return np.concatenate([np.ones((len(known), 1)), known, known**2 / 4], axis=1)


def train_judge(people: Array, programs: Array, ridge: float = 3.0) -> Judge:
    """Fits the judge to games of people and of programs."""
    both = np.concatenate([people, programs])
    centre, scale = people.mean(axis=0), people.std(axis=0) + 1e-6
    inputs = judge_inputs(both, centre, scale)
    target = np.repeat([0.0, 1.0], [len(people), len(programs)])
    return Judge(centre, scale, logistic(inputs, target, ridge))


def area_under_curve(people: Array, programs: Array) -> float:
    """The chance that a game of a program scores higher than one of a person; ties count a half."""
    order = np.searchsorted(np.sort(people), programs, side="left")
    upto = np.searchsorted(np.sort(people), programs, side="right")
    return float((order + upto).mean() / 2 / len(people))


def area_with_interval(people: Array, programs: Array, resamples: int = 1000) -> dict[str, Any]:
    """The area with its 95 % interval by bootstrap over games of both sides."""
    rng = np.random.default_rng(0)
    areas = [
        area_under_curve(rng.choice(people, len(people)), rng.choice(programs, len(programs)))
        for _ in range(resamples)
    ]
    low, high = np.quantile(areas, (0.025, 0.975))
    return {
        "value": area_under_curve(people, programs),
        "low": float(low),
        "high": float(high),
        "people": len(people),
        "games": len(programs),
    }


def area_by_level(
    people: Array, people_levels: Array, programs: Array, program_levels: Array, resamples: int = 1000
) -> dict[str, Any]:
    """The mean over levels of the area between a level's games and people within 100 points, with its 95 %
    interval by bootstrap over games; and the area of each level."""
    groups = {
        int(level): (people[np.abs(people_levels - level) <= 100], programs[program_levels == level])
        for level in np.unique(program_levels)
    }
    rng = np.random.default_rng(0)
    drawn = [
        np.mean([area_under_curve(rng.choice(a, len(a)), rng.choice(b, len(b))) for a, b in groups.values()])
        for _ in range(resamples)
    ]
    low, high = np.quantile(drawn, (0.025, 0.975))
    levels = {level: area_with_interval(*pair) for level, pair in groups.items()}
    return {
        "value": float(np.mean([level["value"] for level in levels.values()])),
        "low": float(low),
        "high": float(high),
        "people": sum(level["people"] for level in levels.values()),
        "games": len(programs),
        "by_level": levels,
    }


def area_difference(
    people: Array,
    people_levels: Array,
    programs: Array,
    program_levels: Array,
    others: Array,
    other_levels: Array,
    resamples: int = 1000,
) -> dict[str, Any] | None:
    """How much larger the area of a program is than that of another, as a mean over the levels of both, with
    its 95 % interval by bootstrap over games; both are compared with the same people. None without such
    levels."""
    levels = np.intersect1d(program_levels, other_levels).astype(int).tolist()
    if not levels:
        return None
    groups = [
        (
            people[np.abs(people_levels - level) <= 100],
            programs[program_levels == level],
            others[other_levels == level],
        )
        for level in levels
    ]
    rng = np.random.default_rng(0)

    def difference(person: Array, first: Array, second: Array) -> float:
        return area_under_curve(person, first) - area_under_curve(person, second)

    drawn = [
        np.mean([difference(*(rng.choice(each, len(each)) for each in group)) for group in groups])
        for _ in range(resamples)
    ]
    low, high = np.quantile(drawn, (0.025, 0.975))
    value = float(np.mean([difference(*group) for group in groups]))
    return {"value": value, "low": float(low), "high": float(high), "levels": levels}


def feature_areas(
    people: Array, people_levels: Array, programs: Array, program_levels: Array
) -> dict[str, float]:
    """The area of each feature alone, mean over levels, the most telling first: above 0.5 where the program
    has more of it."""
    found = {}
    for index, name in enumerate(FEATURES):
        areas = [
            area_under_curve(
                people[np.abs(people_levels - level) <= 100, index], programs[program_levels == level, index]
            )
            for level in np.unique(program_levels)
        ]
        found[name] = float(np.mean(areas))
    return dict(sorted(found.items(), key=lambda pair: -abs(pair[1] - 0.5)))


def truncate_resigned(traces: Traces, model: ResignationModel, seed: int = 0) -> Traces:
    """The traces up to where the resignation model resigns: programs then end games as people do."""
    turns = turns_of(traces)
    rng = np.random.default_rng(seed)
    resigns = rng.random(len(turns.side)) < chances(model, turns)
    last = np.full(len(traces.games), np.iinfo(np.int64).max)
    np.minimum.at(last, turns.side[resigns] // 2, turns.ply[resigns])
    kept = traces.rows["ply"] <= last[traces.rows["game"]]
    rows = traces.rows[kept].copy()
    rows["played"] &= rows["ply"] < last[rows["game"]]
    games = traces.games.copy()
    ended = last < games["plies"]
    loser = np.zeros(len(games), np.int64)
    for side, ply in zip(turns.side[resigns], turns.ply[resigns], strict=True):
        if last[side // 2] == ply:
            loser[side // 2] = side % 2
    games["ending"][ended] = "resignation"
    games["result"][ended] = loser[ended]  # player 0's score is 1 if player 1 resigned
    games["plies"] = np.minimum(games["plies"], last).astype(np.int16)
    return Traces(games, rows)
