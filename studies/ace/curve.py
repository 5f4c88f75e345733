"""Theta as a smooth function of the rating: its held-out loss beside that of each class's own Theta."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sparring.base.storage import read_journal
from sparring.measure.samples import PHASES
from sparring.measure.tuning import PlayedPositions, Theta, VisitData, cross_entropy, search_visits
from sparring.measure.tuning_run import estimate, fit_theta_curve
from sparring.policies import Policy
from sparring.policies.policy import Array

Result = Mapping[str, Any]
"""Result of a class, as its journal has it."""


def curve_losses(
    policy: Policy, results: Sequence[Result], held_out: Callable[[int], PlayedPositions]
) -> Iterator[dict[str, Any]]:
    """The held-out losses of each class in nats, with intervals by game.

    `own` is the Theta tuned to the class, `curve` the curve through all classes, `left_out` the curve through
    the other classes, `nearest` the Theta of the nearest other class. `minus_own` has the paired differences.
    `phase_gain` is what a curve of tau for each phase gains over the one curve of tau.
    """
    for result in results:
        rating, others = result["class"], [each for each in results if each is not result]
        data = held_out(rating)
        nearest = min(others, key=lambda each: abs(each["class"] - rating))
        thetas = {
            "own": Theta(**result["theta"]),
            "curve": fit_theta_curve(results).at(rating),
            "left_out": fit_theta_curve(others).at(rating),
            "nearest": Theta(**nearest["theta"]),
        }
        searches = {
            name: search_visits(policy, data, theta, [result["nodes"]]) for name, theta in thetas.items()
        }
        losses = {name: cross_entropy(searches[name], theta) for name, theta in thetas.items()}
        by_phase = _losses_by_phase(searches["curve"], thetas["curve"], results, rating, data)
        yield {
            "class": rating,
            "theta": {name: vars(theta) for name, theta in thetas.items()},
            "loss": {name: estimate(each, data) for name, each in losses.items()},
            "minus_own": {
                name: estimate(each - losses["own"], data) for name, each in losses.items() if name != "own"
            },
            "phase_gain": estimate(losses["curve"] - by_phase, data),
        }


def cross_losses(
    policy: Policy, results: Sequence[Result], held_out: Callable[[int], PlayedPositions]
) -> Iterator[dict[str, Any]]:
    """The held-out losses of each class's moves under every class's Theta, and the paired differences.

    `minus_own` near zero: people's moves do not tell the two Thetas apart.
    """
    for result in results:
        data = held_out(result["class"])
        losses = {}
        for other in results:
            theta = Theta(**other["theta"])
            losses[other["class"]] = cross_entropy(
                search_visits(policy, data, theta, [other["nodes"]]), theta
            )
        own = losses[result["class"]]
        yield {
            "class": result["class"],
            "loss": {rating: estimate(each, data) for rating, each in losses.items()},
            "minus_own": {rating: estimate(each - own, data) for rating, each in losses.items()},
        }


def _losses_by_phase(
    found: VisitData, theta: Theta, results: Sequence[Result], rating: int, data: PlayedPositions
) -> Array:
    """The losses with tau by a curve of its own in each phase [positions]."""
    losses = cross_entropy(found, theta)
    for index, name in enumerate(PHASES):
        known = [_with_phase(result, name) for result in results if name in result["by_phase"]["phases"]]
        if len(known) < 2:
            continue
        inside = data.phase == index
        own = theta.with_choice(fit_theta_curve(known).at(rating).temperature, theta.backoff)
        losses[inside] = cross_entropy(found, own)[inside]
    return losses


def _with_phase(result: Result, phase: str) -> Result:
    """The result with the tau of a phase."""
    tau = result["by_phase"]["phases"][phase]["temperature"]
    return {**result, "theta": {**result["theta"], "temperature": tau}}


def results_in(folder: Path) -> Iterator[dict[str, Any]]:
    """The results of the classes whose journals in a folder are finished, by rating."""
    latest = [entries[-1] for path in folder.glob("class-*.jsonl") if (entries := read_journal(path))]
    yield from sorted((entry for entry in latest if "theta" in entry), key=lambda entry: int(entry["class"]))
