"""Batches of a search with the shipped `human` network: growing with one tree, and of many trees in lockstep.

- Batches that grow (the default) against one leaf at a time: nodes per second, and Elo. The Elo of a search
  is that of its nodes, by a line in their logarithm through the ladder of `results/search/ratings.json`: at
  equal nodes both lose as much (`results/search/shares.json`). Elo a second is Elo above no search over the
  time of a move. In the time of one leaf at a time, batches that grow search more nodes. Beyond the largest
  search of the ladder the line is an extrapolation.
- 1,000 positions searched together at 32 nodes: evaluations per second against the network alone.

Times are processor times of one thread, which a loaded machine changes little.
"""

from __future__ import annotations

from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from bench.inputs import random_games
from bench.result import BenchmarkResult
from sparring.games import describe
from sparring.measure.reports import read_json
from sparring.networks import Position
from sparring.networks.codec import PositionBatch, PredictionBatch
from sparring.policies import Policy, load_policy
from sparring.policies.policy import predict_batch
from sparring.search import Puct, PuctConfig, SearchLimits, search_together

SIZES = (32, 200, 800)
SEARCHES = 2
TOGETHER, NODES = 1000, 32
RATING = 2000
RATINGS = Path(__file__).parent.parent / "results" / "search" / "ratings.json"


def measure() -> list[BenchmarkResult]:
    """Rows of growing batches against batches of one, and of lockstep search against the network."""
    policy = load_policy("human", "chess")
    _, states = random_games(TOGETHER)
    curve = elo_curve(RATINGS)
    rows = []
    for nodes in SIZES:
        growing = _nodes_per_second(policy, states[:SEARCHES], PuctConfig(), nodes)
        single = _nodes_per_second(policy, states[:SEARCHES], PuctConfig(batch=1), nodes)
        what, peer = f"{nodes} nodes, batches that grow", "one leaf at a time"
        rows.append(BenchmarkResult(what, peer, growing, single, "nodes/s", min_ratio=0))
        if curve is not None:
            elo, more = curve(nodes), curve(nodes * growing / single)
            per_node = elo / nodes
            rows += [
                BenchmarkResult(
                    f"{what}: Elo a second", peer, per_node * growing, per_node * single, "Elo/s", 0
                ),
                BenchmarkResult(f"{what}: Elo in equal time", peer, more, elo, "Elo", 0),
            ]
    together, alone = _lockstep(policy, states)
    rows.append(
        BenchmarkResult(
            f"{TOGETHER:,} positions together, {NODES} nodes",
            "the network alone",
            together,
            alone,
            "positions/s",
            min_ratio=0.9,
        )
    )
    return rows


def elo_curve(path: Path) -> Any:
    """Elo above no search as a function of nodes, from the ratings in a file; None if there is no file."""
    if not path.exists():
        return None
    players = read_json(path)["ladder"]["players"]
    known = sorted((int(player["name"].split()[0]), float(player["elo"])) for player in players)
    (_, zero), *searches = known
    nodes, elo = np.array(searches).T
    slope, level = np.polyfit(np.log(nodes), elo - zero, 1)
    return lambda asked: float(level + slope * np.log(asked))


def _nodes_per_second(policy: Policy, states: list[Any], config: PuctConfig, nodes: int) -> float:
    def evaluate(leaves: Any) -> Any:
        return policy.predict([Position(leaf, RATING, RATING) for leaf in leaves])

    start, visits = process_time(), 0
    for state in states:
        visits += Puct(evaluate, config).search(state, SearchLimits(nodes=nodes)).new_visits
    return visits / (process_time() - start)


def _lockstep(policy: Policy, states: list[Any]) -> tuple[float, float]:
    """Evaluations per processor second of the search, and of the network on the same number of positions."""
    counting = _Counting(policy)
    start = process_time()
    search_together(
        counting, [Position(state, RATING, RATING) for state in states], PuctConfig(batch=1), NODES
    )
    together = counting.evaluated / (process_time() - start)
    ratings = np.full((len(states), 2), float(RATING))
    batch = PositionBatch(describe(policy.game).states_class(states), ratings, np.full(len(states), np.nan))
    start, done = process_time(), 0
    while done < 4 * len(states):
        predict_batch(policy, batch)
        done += len(states)
    return together, done / (process_time() - start)


class _Counting:
    """A policy that counts the positions that it evaluates."""

    def __init__(self, policy: Policy) -> None:
        self._policy, self.name, self.game, self.evaluated = policy, policy.name, policy.game, 0

    def predict(self, positions: Any) -> Any:
        self.evaluated += len(positions)
        return self._policy.predict(positions)

    def predict_batch(self, batch: PositionBatch) -> PredictionBatch:
        self.evaluated += len(batch)
        return predict_batch(self._policy, batch)
