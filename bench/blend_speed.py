"""Blends: the overhead of pooling, against the slowest member alone.

The members' predictions are computed beforehand, so that only the pool's own work is timed; the time of a
blend is the members' plus this. Times are processor times, which a loaded machine does not change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from bench.network_speed import throughput
from bench.result import BenchmarkResult
from sparring import networks
from sparring.games import load_game
from sparring.networks import Position, Prediction
from sparring.policies import Curve, FeatureWeightedPool, Policy, PolicyPool, PoolMember
from sparring.policies.pool import FeatureScaler

BATCHES = (1, 16, 64)
MAX_OVERHEAD = 0.05
"""The maximum share of the slowest member's time that pooling may take."""


@dataclass(frozen=True)
class MemoizedPolicy:
    """A policy that returns fixed predictions."""

    predictions: list[Prediction]
    name: str = "remembering"
    game: str = "chess"

    def predict(self, positions: Sequence[Position]) -> list[Prediction]:
        """Returns the fixed predictions."""
        return self.predictions


def random_positions(game: str, count: int) -> list[Position]:
    """Positions of random games, with ratings."""
    rng = np.random.default_rng(1)
    state = load_game(game).initial()
    found: list[Position] = []
    while len(found) < count:
        found.append(Position(state, 1500 if game == "chess" else 5))
        moves = state.legal_moves()
        state = state.play(moves[int(rng.integers(len(moves)))]) if moves else load_game(game).initial()
        state = load_game(game).initial() if state.outcome is not None else state
    return found


def rows(game: str, batch: int) -> list[BenchmarkResult]:
    """Rows of a pool by rating and a pool by position, of the shipped networks."""
    positions = random_positions(game, batch)
    experts = [networks.load_network(f"{kind}-{game}", batch=batch) for kind in ("human", "strong")]
    alone = min(throughput(partial(expert.predict, positions), batch) for expert in experts)
    low, high = (1100, 1900) if game == "chess" else (1, 9)
    members = tuple(
        PoolMember(
            MemoizedPolicy(expert.predict(positions), game=game),
            Curve.through({low: weight, high: 1 - weight}),
        )
        for expert, weight in zip(experts, (0.8, 0.2), strict=True)
    )
    scale = FeatureScaler((40.0, 0.2, 1.5, 1.0), (20.0, 0.1, 0.5, 0.5))
    pools: dict[str, Policy] = {
        "by rating": PolicyPool("blend", members),
        "by position": FeatureWeightedPool("blend", members, scale, ((0.1,) * 4, (0.0,) * 4)),
    }
    found = []
    for name, pool in pools.items():
        pooling = throughput(partial(pool.predict, positions), batch)
        both = 1 / (1 / alone + 1 / pooling)
        label = f"{game}, {name}, batch {batch}"
        found.append(
            BenchmarkResult(
                label,
                "the slowest member alone",
                both,
                alone,
                "positions/s",
                min_ratio=1 / (1 + MAX_OVERHEAD),
            )
        )
    return found


def measure() -> list[BenchmarkResult]:
    """Rows of all games and batch sizes."""
    return [row for game in ("chess", "go", "shogi") for batch in BATCHES for row in rows(game, batch)]
