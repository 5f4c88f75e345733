"""Temperatures at which our players of a rank lose as many points a move as people of the rank.

People's losses are smoothed over ranks: their logarithm is a parabola in the rank, fitted with the weights of
their intervals. Below the measured ranks it goes on as a straight line from the weakest of them.
"""

from __future__ import annotations

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
    policy: str
    temperature: float
    loss: float
    """Expected loss of the player at this temperature."""
    people: Loss | None
    """None where the rank was not measured."""
    target: float
    """People's loss after smoothing, or extrapolated."""
    reached: bool
    """Whether the measured temperatures include the solution."""


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
    slope, low = curve.deriv(), float(steps.min())
    values = {}
    for rank in ranks:
        step = rank_step(rank)
        inside = max(step, low)
        values[rank] = float(np.exp(curve(inside) + slope(low) * (step - inside)))
    return values


def solve_temperature(curve: Mapping[float, Loss], target: float) -> tuple[float, float, bool]:
    """The temperature at which a player loses `target`, the loss there, and whether it is within the curve.

    The logarithm of the loss is linear between temperatures. Outside, the nearest temperature is returned.
    """
    temperatures = np.array(sorted(curve))
    losses = np.maximum.accumulate([max(curve[t].value, 1e-3) for t in temperatures])
    logs = np.log(losses) + 1e-9 * np.arange(len(losses))  # `interp` needs ascending values
    wanted = float(np.log(target))
    temperature = float(np.interp(wanted, logs, temperatures))
    loss = float(np.exp(np.interp(temperature, temperatures, logs)))
    return temperature, loss, bool(logs[0] <= wanted <= logs[-1])


def fit_ranks(
    people: Mapping[str, Loss], ours: Mapping[str, Mapping[str, Mapping[float, Loss]]]
) -> list[RankFit]:
    """The player of each rank: of all policies the one whose solution is nearest to temperature 1.

    `ours` has losses by rank, policy and temperature.
    """
    ranks = sorted(ours, key=rank_order)
    targets = smooth_losses(people, ranks)
    fits = []
    for rank in ranks:
        candidates = [
            RankFit(rank, policy, *solved[:2], people.get(rank), targets[rank], solved[2])
            for policy, curve in ours[rank].items()
            for solved in [solve_temperature(curve, targets[rank])]
        ]
        fits.append(min(candidates, key=lambda fit: (not fit.reached, abs(np.log(fit.temperature)))))
    return fits


def table_text(fits: Sequence[RankFit], command: str) -> str:
    """The rank table as TOML: a level table whose levels are ranks."""
    weakest = min((rank_order(fit.rank) for fit in fits if fit.people is not None), default=0)
    lines = [f"# {command}", 'game = "go"', 'family = "Fox"', f"default = {rank_order('3k')}"]
    for fit in fits:
        number = rank_order(fit.rank)
        lines += [
            "", "[[levels]]", f"# {fit.rank}", f"level = {number}", f"rating = {number}",
            f'policy = "{fit.policy}"', f"temperature = {fit.temperature:.3f}", f"loss = {fit.loss:.3f}",
        ]  # fmt: skip
        if fit.people is not None:
            low, high = fit.people.low, fit.people.high
            lines += [f"people = {fit.people.value:.3f}", f"people_interval = [{low:.3f}, {high:.3f}]"]
        if number < weakest:
            lines.append("extrapolated = true")
    return "\n".join(lines) + "\n"
