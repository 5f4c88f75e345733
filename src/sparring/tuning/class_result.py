"""What the tuning of a class found: losses by nodes and phase, both gradients, standard errors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.matching.bootstrap import Resamples
from sparring.matching.phases import PHASES
from sparring.policies.segments import Array
from sparring.tuning.choice_likelihood import cross_entropy, fit_choice
from sparring.tuning.gradients import regularised_gradient, search_differences
from sparring.tuning.theta import Theta
from sparring.tuning.visits import PlayedPositions, VisitData

Search = Callable[[PlayedPositions, Theta], VisitData]
_FEWEST = 100
"""A phase with fewer positions gets no tau of its own."""


def summarise_class(
    search: Search, training: PlayedPositions, held_out: PlayedPositions, theta: Theta
) -> dict[str, Any]:
    """Fits tau on all training positions and measures the class on held-out positions.

    `search` gives the visits at all sizes. The content is plain data for JSON.
    """
    found = search(training, theta)
    choice = fit_choice(found, theta.policy_temperature)
    theta = theta.with_choice(choice.temperature, choice.backoff)
    unseen = search(held_out, theta)
    return {
        "theta": asdict(theta),
        "standard_errors": _standard_errors(search, training, found, theta),
        "training": {"positions": len(training), "loss": choice.loss},
        "held_out": estimate(cross_entropy(unseen, theta), held_out),
        "accuracy": estimate(_top1(unseen), held_out),
        "unvisited": float((unseen.visits[unseen.nodes][unseen.played] == 0).mean()),
        "by_nodes": _by_nodes(found, unseen, theta, held_out),
        "by_phase": _by_phase(found, unseen, training, held_out, theta),
    }


def _standard_errors(
    search: Search, training: PlayedPositions, found: VisitData, theta: Theta
) -> dict[str, Any]:
    """Both gradients with their errors, the curvature, and the standard errors of log t and log c_puct: the
    sandwich of the curvature and of gradients clustered by game. None where the loss has no minimum."""
    differences = search_differences(lambda each: search(training, each), theta)
    curvature = differences.curvature(cross_entropy(found, theta))
    gradients = {"differences": differences.gradient, "regularised": regularised_gradient(found, theta)}
    spread = clustered_error(gradients["differences"], training.game)
    return {
        "curvature": curvature.tolist(),
        "log_t_c_puct": [
            float(error / bend) if bend > 1e-4 else None
            for error, bend in zip(spread, curvature, strict=True)
        ],
        "gradients": {
            name: {
                "mean": each.mean(axis=0).tolist(),
                "error": clustered_error(each, training.game).tolist(),
            }
            for name, each in gradients.items()
        },
        "step": differences.step,
    }


def clustered_error(values: Array, game: NDArray[np.int64]) -> Array:
    """The standard errors of the means [columns] of values [positions, columns], by game."""
    _, place = np.unique(game, return_inverse=True)
    centred = values - values.mean(axis=0)
    sums = np.stack([np.bincount(place, column) for column in centred.T])
    found: Array = np.sqrt((sums**2).sum(axis=1)) / len(values)
    return found


def _by_nodes(
    found: VisitData, unseen: VisitData, theta: Theta, held_out: PlayedPositions
) -> list[dict[str, Any]]:
    """The best tau and the held-out loss of every smaller search, from snapshots of one search."""
    rows = []
    for nodes in found.visits:
        choice = fit_choice(found, theta.policy_temperature, nodes)
        best = theta.with_choice(choice.temperature, choice.backoff)
        losses = cross_entropy(unseen, best, nodes)
        facts = {"nodes": nodes, "temperature": choice.temperature, "backoff": choice.backoff}
        rows.append({**facts, **estimate(losses, held_out)})
    return rows


def _by_phase(
    found: VisitData, unseen: VisitData, training: PlayedPositions, held_out: PlayedPositions, theta: Theta
) -> dict[str, Any]:
    """The best tau of each phase, and the gain in held-out nats over one tau for all phases, paired."""
    losses, own = cross_entropy(unseen, theta), cross_entropy(unseen, theta)
    phases: dict[str, Any] = {}
    for index, name in enumerate(PHASES):
        inside, outside = training.phase == index, held_out.phase == index
        if inside.sum() < _FEWEST or not outside.any():
            continue
        choice = fit_choice(found.rows(inside), theta.policy_temperature)
        own[outside] = cross_entropy(unseen, theta.with_choice(choice.temperature, choice.backoff))[outside]
        phases[name] = {"positions": int(inside.sum()), "temperature": choice.temperature,
                        "loss": float(own[outside].mean())}  # fmt: skip
    return {"phases": phases, "gain": estimate(losses - own, held_out)}


def _top1(data: VisitData) -> Array:
    """1 where the most visited move is the move played [positions]; the prior decides between equals."""
    ranks = data.visits[data.nodes] + 1e-3 * np.exp(data.log_policy)
    best = np.maximum.reduceat(ranks, data.offsets[:-1])
    return (ranks[data.played] >= best).astype(np.float64)


def estimate(values: Array, data: PlayedPositions) -> dict[str, float]:
    """The mean with its 95 % interval by bootstrap over games."""
    games, game = np.unique(data.game, return_inverse=True)
    resamples = Resamples.draw(np.zeros(len(games), np.int64))
    found = resamples.group_sums(values[:, None], game).pooled().estimates()[0]
    return {"value": found.value, "low": found.low, "high": found.high, "positions": len(values)}
