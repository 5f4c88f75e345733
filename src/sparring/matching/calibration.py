"""Temperature scaling: for each group, the temperature that maximises the likelihood of people's moves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sparring.matching.choice_data import ChoiceData, collect_choice_data
from sparring.matching.positions import Sample
from sparring.matching.scores import ProgressCallback
from sparring.policies import Curve, Policy
from sparring.policies.segments import segment_log_softmax

_STEPS = 50
_LEAST, _MOST = 0.05, 20.0
"""Bounds of the inverse temperature. At a bound the policy is uninformative, or always right."""


@dataclass(frozen=True)
class TemperatureFit:
    """The fitted temperature of a group."""

    rating: float | None
    """The mean rating of the players to move; None if unknown."""
    positions: int
    temperature: float
    before: float
    after: float


def fit_temperatures(
    policy: Policy, sample: Sample, on_progress: ProgressCallback = lambda _: None
) -> dict[str, TemperatureFit]:
    """Fits a temperature for each group. The sample should not be the one on which the policy is
    measured."""
    choices = collect_choice_data([policy], sample, on_progress)
    group_of = sample.group_of_game[sample.metadata["game"]]
    found = {}
    for number, name in enumerate(sample.groups):
        subset = choices.subset(np.flatnonzero(group_of == number))
        inverse = fit_inverse_temperature(subset)
        ratings = subset.metadata["rating"]
        found[name] = TemperatureFit(
            None if np.isnan(ratings).all() else float(np.nanmean(ratings)),
            len(subset.played),
            1 / inverse,
            float(subset.negative_log_likelihood([1.0]).mean()),
            float(subset.negative_log_likelihood([inverse]).mean()),
        )
    return found


def temperature_curve(fitted: dict[str, TemperatureFit]) -> Curve:
    """The temperature as a curve over ratings; without ratings, the mean over all positions."""
    knots = {round(each.rating): each.temperature for each in fitted.values() if each.rating is not None}
    if len(knots) == len(fitted):
        return Curve.through(knots)
    weights = [each.positions for each in fitted.values()]
    return Curve.constant(np.average([each.temperature for each in fitted.values()], weights=weights))


def fit_inverse_temperature(choices: ChoiceData) -> float:
    """Minimises the mean negative log-likelihood of p^b over b, a convex problem, by Newton's method."""
    logs = choices.log_probabilities[0].astype(np.float64)
    inverse = 1.0
    for _ in range(_STEPS):
        scaled = inverse * logs
        shares = np.exp(segment_log_softmax(scaled, choices.offsets))
        mean = np.add.reduceat(shares * logs, choices.offsets[:-1])
        square = np.add.reduceat(shares * logs**2, choices.offsets[:-1])
        slope = float((mean - logs[choices.played]).mean())
        bend = float((square - mean**2).mean())
        step = slope / max(bend, 1e-12)
        # Half the way to the bound at most: far from the minimum Newton's step may be much too long.
        following = float(np.clip(inverse - step, max(inverse / 2, _LEAST), min(inverse * 2, _MOST)))
        if abs(following - inverse) < 1e-9:
            break
        inverse = following
    return inverse
