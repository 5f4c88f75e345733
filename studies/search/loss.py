"""Expected loss of a player's moves by the number of nodes of its search."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.matching import GameSelection, Sample, read_sample
from sparring.matching.bootstrap import Resamples
from sparring.networks import Position
from sparring.policies import Policy
from sparring.search import Puct, PuctConfig, SearchLimits, SearchResult, by_visits, search_together
from studies.search.move_values import MoveValues

VARIANTS: Mapping[str, PuctConfig | None] = {
    "leaf by leaf": None,
    "default": PuctConfig(),
    "batches of 16, virtual loss": PuctConfig(batch=16, batch_share=1e9, virtual_loss=1.0),
}
"""Searches to compare: many trees in lockstep, one tree with growing batches, one tree with fixed batches."""


@dataclass(frozen=True)
class LossConfig:
    """The study's options."""

    records: tuple[Path, ...]
    positions: int = 500
    rating: int = 2000
    """Rating of both players that the policy is conditioned on."""
    nodes: tuple[int, ...] = (0, 8, 16, 32, 50, 100, 200, 800)
    """0 is the policy without search."""
    undecided: float = 300.0
    """Only positions whose recorded evaluation is within so many centipawns."""


def run(
    policy: Policy,
    values: MoveValues,
    config: LossConfig,
    variants: Sequence[str],
    on_progress: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:
    """The content of the report: mean loss in expected points per move, at temperature 1, with intervals."""
    sample, rows = held_out(config)
    positions = _positions(sample, rows, config.rating)
    losses = []
    for number, position in enumerate(positions, 1):
        losses.append(values.losses(position.state))
        on_progress(f"Stockfish: position {number} of {len(positions)}")
    games, game = np.unique(sample.metadata["game"][rows], return_inverse=True)
    resamples = Resamples.draw(np.zeros(len(games), np.int64))

    def estimate(shares: Sequence[NDArray[np.floating]]) -> dict[str, float]:
        lost = np.array([float(p @ loss) for p, loss in zip(shares, losses, strict=True)])
        found = resamples.group_sums(lost[:, None], game).pooled().estimates()[0]
        return {"loss": found.value, "low": found.low, "high": found.high}

    table = []
    for name in variants:
        for nodes in config.nodes:
            on_progress(f"{name}, {nodes} nodes")
            started = time.process_time()
            shares = _distributions(policy, positions, VARIANTS[name], nodes)
            spent = time.process_time() - started
            speed = max(nodes, 1) * len(positions) / max(spent, 1e-9)
            table.append({"search": name, "nodes": nodes, "nodes_per_second": speed, **estimate(shares)})
    people = [np.eye(len(loss))[played] for loss, played in zip(losses, _played(sample, rows), strict=True)]
    return {
        "policy": policy.name,
        "engine": values.name,
        "positions": len(positions),
        "games": len(games),
        "config": {**asdict(config), "records": [path.name for path in config.records]},
        "people": estimate(people),
        "table": table,
    }


def held_out(config: LossConfig) -> tuple[Sample, NDArray[np.int64]]:
    """Undecided positions of the test split, spread evenly over its groups and games: sample and indices."""
    sample = read_sample(GameSelection("chess", config.records, positions=4 * config.positions, every=7))
    evaluation = sample.metadata["evaluation"]
    open_ones = np.flatnonzero((np.abs(evaluation) <= config.undecided) & (sample.metadata["legal"] > 1))
    return sample, open_ones[np.linspace(0, len(open_ones) - 1, config.positions).astype(np.int64)]


def _positions(sample: Sample, rows: NDArray[np.int64], rating: int) -> list[Position]:
    wanted = set(rows.tolist())
    found = []
    for begin, batch in sample.batches(0, 1024):
        found += [Position(each.state, rating, rating) for i, each in enumerate(batch, begin) if i in wanted]
    return found


def _played(sample: Sample, rows: NDArray[np.int64]) -> list[int]:
    played: list[int] = sample.metadata["played"][rows].tolist()
    return played


def _distributions(
    policy: Policy, positions: Sequence[Position], config: PuctConfig | None, nodes: int
) -> list[NDArray[np.floating]]:
    """The move distribution of each position at temperature 1."""
    if nodes == 0:
        return [each.probabilities.astype(np.float64) for each in policy.predict(positions)]
    rule = by_visits(1.0)
    if config is None:
        return [rule(result) for result in search_together(policy, positions, PuctConfig(), nodes)]
    return [rule(_search(policy, position, config, nodes)) for position in positions]


def _search(policy: Policy, position: Position, config: PuctConfig, nodes: int) -> SearchResult:
    def evaluate(states: Sequence[Any]) -> Any:
        return policy.predict([Position(s, position.rating, position.opponent_rating) for s in states])

    return Puct(evaluate, config).search(position.state, SearchLimits(nodes=nodes))
