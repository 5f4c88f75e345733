"""The gradients of Algorithm 1 compared: finite differences of several steps, with and without common
positions, the gradient through the regularised policy, and sizes of the search by snapshots."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sparring.measure.tuning import (
    Differences,
    MemoizedPolicy,
    PlayedPositions,
    Theta,
    VisitData,
    cross_entropy,
    fit_choice,
    search_differences,
    search_visits,
    snapshot_sizes,
)
from sparring.measure.tuning_run import clustered_error
from sparring.policies import Policy
from studies.ace.regularised import regularised_gradient

STEPS = (0.05, 0.1, 0.2, 0.4)
"""Steps of finite differences in log t and log c_puct."""


def compare_gradients(
    policy: Policy, data: PlayedPositions, theta: Theta, nodes: int, *, steps: Sequence[float] = STEPS
) -> dict[str, Any]:
    """A row for each gradient in (log t, log c_puct) at Theta: mean, standard error by game, and its cost.

    `changed` is the share of positions whose visits differ between both sides of a step, `evaluations` the
    network's evaluations beyond those of the search at Theta. The rows of independent positions have the
    standard error of two disjoint samples of this size.
    """
    known = MemoizedPolicy(policy)

    def search(at: Theta) -> VisitData:
        return search_visits(known, data, at, [nodes], trees=len(data))

    found = search(theta)
    choice = fit_choice(found, theta.policy_temperature)
    theta = theta.with_choice(choice.temperature, choice.backoff)
    rows: list[dict[str, Any]] = []
    for step in steps:
        before, visits = known.misses, _Recorded(search)
        differences = search_differences(visits, theta, step)
        row = _row("differences", differences.gradient, data)
        rows.append({**row, "step": step, "searches": 4, "evaluations": known.misses - before,
                     "changed": visits.changed()})  # fmt: skip
        rows.append({**row, "method": "differences, independent positions", "step": step, "searches": 4,
                     "error": _independent_error(differences).tolist()})  # fmt: skip
    rows.append({**_row("regularised", regularised_gradient(found, theta), data), "searches": 0,
                 "evaluations": 0})  # fmt: skip
    return {
        "theta": vars(theta),
        "nodes": nodes,
        "positions": len(data),
        "loss": float(cross_entropy(found, theta).mean()),
        "rows": rows,
        "sizes": _sizes(policy, data, theta, nodes),
    }


class _Recorded:
    """A search that remembers its visits: above and below in log t, then in log c_puct."""

    def __init__(self, search: Callable[[Theta], VisitData]) -> None:
        self._search = search
        self.found: list[VisitData] = []

    def __call__(self, theta: Theta) -> VisitData:
        self.found.append(self._search(theta))
        return self.found[-1]

    def changed(self) -> list[float]:
        """[2]: share of positions with other visits on both sides of the step."""
        above, below = self.found[:2], self.found[2:]
        shares = []
        for one, other in zip(above, below, strict=True):
            differ = one.visits[one.nodes] != other.visits[other.nodes]
            shares.append(float(np.logical_or.reduceat(differ, one.offsets[:-1]).mean()))
        return shares


def _row(method: str, gradients: Any, data: PlayedPositions) -> dict[str, Any]:
    return {
        "method": method,
        "mean": gradients.mean(axis=0).tolist(),
        "error": clustered_error(gradients, data.game).tolist(),
    }


def _independent_error(differences: Differences) -> Any:
    """[2]: the standard error of the gradient if both sides had positions of their own."""
    variance = differences.above.var(axis=0) + differences.below.var(axis=0)
    return np.sqrt(variance / len(differences.above)) / (2 * differences.step)


def _sizes(policy: Policy, data: PlayedPositions, theta: Theta, nodes: int) -> dict[str, Any]:
    """Smaller searches by snapshots of one search, against a search of each size."""
    sizes = snapshot_sizes(nodes)
    once, apart = MemoizedPolicy(policy), [MemoizedPolicy(policy) for _ in sizes]
    together = search_visits(once, data, theta, sizes, trees=len(data))
    gap = 0.0
    for size, memo in zip(sizes, apart, strict=True):
        alone = search_visits(memo, data, theta, [size], trees=len(data))
        gap = max(gap, float(np.abs(alone.visits[size] - together.visits[size]).max()))
    return {
        "sizes": sizes,
        "largest_difference_of_visits": gap,
        "evaluations": once.misses,
        "evaluations_apart": sum(memo.misses for memo in apart),
    }
