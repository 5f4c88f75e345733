"""Temperatures and nodes with which our players of a rank lose as many points a move as people of the rank.

People's losses are smoothed over ranks: their logarithm is a parabola in the rank, fitted with the weights of
their intervals. Below the measured ranks it goes on with the slope of a straight line through all of them. Of
ours the logarithm is linear in the temperature, in the doublings of nodes and in the rank, in one fit of all
games: a rank by itself would have too few.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.games.ratings import rank_order, rank_text

Array = NDArray[np.float64]
LOSS = "drift"
"""The column of a report of mistakes: mean loss, gains counted."""


@dataclass(frozen=True)
class Loss:
    """Mean points lost a move, with a 95 % interval."""

    value: float
    low: float
    high: float
    games: int
    moves: int

    @classmethod
    def of(cls, entry: Mapping[str, Any]) -> Loss:
        """The loss of a group of a report of mistakes."""
        return cls(**entry[LOSS], games=entry.get("games", 0), moves=entry["moves"])

    @property
    def relative_error(self) -> float:
        """The standard error as a share of the value."""
        return max((self.high - self.low) / 3.92, 1e-6) / max(abs(self.value), 1e-6)


@dataclass(frozen=True)
class RankFit:
    """A player of a rank, and what people of the rank lose."""

    rank: str
    temperature: float
    nodes: int
    loss: float
    """Expected loss of the player."""
    people: Loss | None
    """None where the rank was not measured."""
    target: float
    """People's loss after smoothing, or extrapolated."""


@dataclass(frozen=True)
class Setting:
    """What of our players was measured: a rank, and how it chose its moves."""

    rank: str
    temperature: float
    nodes: int

    @property
    def row(self) -> list[float]:
        """The regressors [4]: constant, temperature, doublings of nodes, rank."""
        return [1.0, self.temperature, math.log2(max(self.nodes, 1)), rank_step(self.rank)]


def rank_step(rank: str) -> int:
    """Ranks as consecutive numbers: 1k is -1, 1d is 0."""
    order = rank_order(rank)
    return order if order < 0 else order - 1


def rank_at(step: int) -> str:
    """The inverse of `rank_step`."""
    return rank_text(step if step < 0 else step + 1)


def smooth_losses(people: Mapping[str, Loss], ranks: Sequence[str]) -> dict[str, float]:
    """People's losses at ranks, smoothed and extrapolated. Raises ValueError with fewer than three ranks."""
    known = [rank for rank in people if people[rank].value > 0]
    if len(known) < 3:
        raise ValueError("people's losses are needed for three ranks or more")
    steps = np.array([rank_step(rank) for rank in known], np.float64)
    logs = np.log([people[rank].value for rank in known])
    weights = 1 / np.array([people[rank].relative_error for rank in known])
    curve = np.polynomial.Polynomial.fit(steps, logs, 2, w=weights)
    trend = np.polynomial.Polynomial.fit(steps, logs, 1, w=weights).deriv()(0.0)
    low = float(steps.min())
    inside = np.arange(low, max(map(rank_step, ranks)) + 1)
    falling = np.maximum.accumulate(curve(inside)[::-1])[::-1]  # nobody loses less than a stronger rank
    values = {}
    for rank in ranks:
        step = rank_step(rank)
        below = min(0.0, trend) * min(0.0, step - low)
        values[rank] = float(np.exp(np.interp(step, inside, falling) + below))
    return values


COLDEST, WARMEST = 0.6, 1.2
"""Temperatures of our players: colder ones are told from people."""
_NODES = (0, *range(2, 65))
_ROUNDS = 200


def fit_losses(ours: Mapping[Setting, Loss]) -> Array:
    """The coefficients [4] of the logarithm of our loss. Raises ValueError if the measured settings do not
    tell them apart.

    Least squares of the losses themselves, weighted by their intervals, by Gauss-Newton: a small loss has a
    small error but a large relative one, so that logarithms would forget the strong ranks.
    """
    rows = np.array([setting.row for setting in ours])
    if np.linalg.matrix_rank(rows) < rows.shape[1]:
        raise ValueError("our games need several temperatures, nodes and ranks")
    values = np.array([loss.value for loss in ours.values()])
    errors = np.array([max(loss.relative_error * abs(loss.value), 0.01) for loss in ours.values()])
    coefficients: Array = np.linalg.lstsq(rows, np.log(np.maximum(values, 0.1)), rcond=None)[0]
    for _ in range(_ROUNDS):
        predicted = np.exp(rows @ coefficients)
        scaled = rows * (predicted / errors)[:, None]
        coefficients += 0.5 * np.linalg.lstsq(scaled, (values - predicted) / errors, rcond=None)[0]
    return coefficients


def fit_ranks(
    people: Mapping[str, Loss], ours: Mapping[Setting, Loss], ranks: Sequence[str]
) -> list[RankFit]:
    """The player of each rank, from the weakest: with the smallest search that is warm enough."""
    coefficients = fit_losses(ours)
    targets = smooth_losses(people, ranks)
    fits = []
    for rank in sorted(ranks, key=rank_order):
        for nodes in _NODES:
            missing = float(np.log(targets[rank]) - coefficients @ Setting(rank, 0.0, nodes).row)
            temperature = round(min(missing / float(coefficients[1]), WARMEST), 2)
            if temperature >= COLDEST:
                break
        best = Setting(rank, max(temperature, COLDEST), nodes)
        loss = float(np.exp(coefficients @ best.row))
        fits.append(RankFit(rank, best.temperature, best.nodes, loss, people.get(rank), targets[rank]))
    return fits


def table_text(fits: Sequence[RankFit], command: str) -> str:
    """The rank table as TOML: a level table whose levels are ranks."""
    weakest = min((rank_order(fit.rank) for fit in fits if fit.people is not None), default=0)
    lines = [
        f"# {command}", 'game = "go"', 'family = "Fox"', 'scale = "people"', 'policy = "human"',
        'rule = "regularised"', f"default = {weakest}",
    ]  # fmt: skip
    for fit in fits:
        number = rank_order(fit.rank)
        lines += [
            "", "[[levels]]", f"# {fit.rank}", f"level = {number}", f"rating = {number}",
            f"temperature = {fit.temperature:g}", *([f"nodes = {fit.nodes}"] if fit.nodes else []),
            f"loss = {fit.loss:.2f}",
        ]  # fmt: skip
        if fit.people is not None:
            low, high = fit.people.low, fit.people.high
            lines += [f"people = {fit.people.value:.2f}", f"people_interval = [{low:.2f}, {high:.2f}]"]
        if number < weakest:
            lines.append("extrapolated = true")
    return "\n".join(lines) + "\n"
