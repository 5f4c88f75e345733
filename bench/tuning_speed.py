"""Tuning: positions a second of a step of `sparring tune levels`, against the same step without lockstep.

A step searches its positions at Theta and on both sides of t and of c_puct: five searches. The peer searches
each position by itself and remembers no predictions. Times are processor times of one thread.
"""

from __future__ import annotations

from time import process_time

import numpy as np

from bench.inputs import random_games
from bench.result import BenchmarkResult
from sparring.measure.tuning import (
    MemoizedPolicy,
    PlayedPositions,
    Theta,
    VisitData,
    fit_choice,
    search_differences,
    search_visits,
)
from sparring.networks import Position
from sparring.policies import Policy, load_policy

POSITIONS = 48
NODES = 16


def measure() -> list[BenchmarkResult]:
    """One row: positions of a step a second."""
    _, states = random_games(POSITIONS)
    count = np.zeros(len(states), np.int64)
    data = PlayedPositions([Position(state) for state in states], count, np.arange(len(states)), count)
    policy = load_policy("strong", "chess")
    ours = _rate(data, MemoizedPolicy(policy), trees=1024)
    alone = _rate(data.take(np.arange(12)), policy, trees=1)
    label = f"a step of tuning, {NODES} nodes, strong-chess"
    return [BenchmarkResult(label, "one position after the other", ours, alone, "positions/s", min_ratio=2)]


def _rate(data: PlayedPositions, policy: Policy, trees: int) -> float:
    started = process_time()

    def search(theta: Theta) -> VisitData:
        return search_visits(policy, data, theta, [NODES], trees=trees)

    theta = Theta()
    fit_choice(search(theta), theta.policy_temperature)
    search_differences(search, theta)
    return len(data) / (process_time() - started)
