"""Expendibots: speed of the search with all features and of learning, against the project's targets.

Times are processor times, which a loaded machine does not change.
"""

from __future__ import annotations

from time import process_time

import numpy as np

from bench.result import BenchmarkResult
from sparring.expendibots.game import Expendibots
from sparring.search.linear_evaluation import open_evaluation
from sparring.training.treestrap.run import TreeStrapRunConfig, play
from studies.expendibots.evaluation_matches import sample_opening

NODES = 400_000
POSITIONS = 8
"""The initial position, and positions after random plies."""


def nodes_a_second() -> float:
    """Nodes per processor second of alpha-beta."""
    evaluation = open_evaluation("expendibots")
    searcher = evaluation.searcher(megabytes=64)
    states = [
        sample_opening(evaluation, 8 * number, np.random.default_rng(number)) for number in range(POSITIONS)
    ]
    seen, began = 0, process_time()
    for state in states:
        searcher.clear()
        seen += searcher.analyse(state, nodes=NODES).nodes
    return seen / (process_time() - began)


def depth_in_a_second() -> int:
    """The largest depth that alpha-beta completes within a second from the initial position."""
    searcher = open_evaluation("expendibots").searcher(megabytes=64)
    depth = 0
    while True:
        searcher.clear()
        began = process_time()
        searcher.analyse(Expendibots().initial(), depth=depth + 1)
        if process_time() - began > 1:
            return depth
        depth += 1


def moves_a_second() -> float:
    """Moves per processor second of TreeStrap(alpha-beta) at depth 4."""
    settings = TreeStrapRunConfig("expendibots", algorithm="treestrap-ab", depth=4, warmup_games=0, seed=1)
    evaluation = open_evaluation("expendibots", "start")
    searcher = evaluation.searcher(megabytes=1)
    games = [play(Expendibots(), searcher, evaluation.weights, settings, number) for number in range(12)]
    return sum(game.plies for game in games) / sum(game.seconds for game in games)


def measure() -> list[BenchmarkResult]:
    """Rows of search speed, depth and learning."""
    promise = "the promise"
    return [
        BenchmarkResult(
            "Expendibots search, all features", promise, nodes_a_second(), 2e6, "nodes/s", min_ratio=1
        ),
        BenchmarkResult(
            "depth in a second from the opening", promise, depth_in_a_second(), 7, "plies", min_ratio=1
        ),
        BenchmarkResult("learning at depth 4", promise, moves_a_second(), 200, "moves/s", min_ratio=1),
    ]
