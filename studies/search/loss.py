"""Expected loss of a player's moves by the number of nodes of its search."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.measure.metrics import Resamples
from sparring.networks import Position
from sparring.policies import Policy
from sparring.search import PuctConfig, by_visits, prefer_proven, search_together
from studies.search.positions import ScoredPosition

SEARCHES: Mapping[str, PuctConfig] = {
    "default": PuctConfig(),
    "leaf by leaf": PuctConfig(batch=1),
    "batch share 0.25": PuctConfig(batch_share=0.25),
    "batch share 0.5": PuctConfig(batch_share=0.5),
    "batch share 1": PuctConfig(batch_share=1.0),
    "batches of 16, virtual loss": PuctConfig(batch=16, batch_share=1e9, virtual_loss=1.0),
}
"""Searches to compare. By default batches have up to 16 leaves and up to a tenth of the tree's visits."""
_POLICY = "policy"


@dataclass(frozen=True)
class LossRow:
    """The losses of one search."""

    search: str
    nodes: int
    losses: NDArray[np.float64]
    """[positions]: the expected loss of a move drawn at temperature 1, in expected points."""


def measure_losses(
    policy: Policy,
    positions: Sequence[ScoredPosition],
    searches: Sequence[str],
    nodes: Sequence[int],
    rating: int | None,
) -> Iterator[LossRow]:
    """Yields the losses of the policy itself (0 nodes), then of each search at each size.

    All positions are searched in lockstep; each tree has the visits of a search of its own. Moves are drawn
    as a player draws them: by visits, with proven wins and losses.
    """
    asked = [Position(position.state, rating, rating) for position in positions]
    losses = [position.losses for position in positions]
    shares = [prediction.probabilities.astype(np.float64) for prediction in policy.predict(asked)]
    yield LossRow(_POLICY, 0, _expected(shares, losses))
    rule = prefer_proven(by_visits(1.0))
    for search in searches:
        for count in nodes:
            found = search_together(policy, asked, SEARCHES[search], count)
            yield LossRow(search, count, _expected([rule(result) for result in found], losses))


def loss_report(positions: Sequence[ScoredPosition], rows: Sequence[LossRow]) -> dict[str, Any]:
    """Mean losses with 95 % intervals by bootstrap over games, paired differences, and what they say.

    `steps` compares neighbouring sizes of one search, `against` each search with the first one at equal
    nodes. A negative difference means that the first named loses less.
    """
    games, game = np.unique([position.game for position in positions], return_inverse=True)
    resamples = Resamples.draw(np.zeros(len(games), np.int64))

    def estimate(losses: NDArray[np.float64]) -> dict[str, float]:
        found = resamples.group_sums(losses[:, None], game).pooled().estimates()[0]
        return {"value": found.value, "low": found.low, "high": found.high}

    people = np.array([position.losses[position.played] for position in positions])
    policy = next(row for row in rows if row.search == _POLICY)
    by_search = {row.search: [each for each in rows if each.search == row.search] for row in rows[1:]}
    steps: list[dict[str, Any]] = [
        {"search": name, "from": small.nodes, "to": large.nodes, **estimate(large.losses - small.losses)}
        for name, each in by_search.items()
        for small, large in pairwise([policy, *each])
    ]
    first = next(iter(by_search), None)
    against = [
        {"search": row.search, "other": first, "nodes": row.nodes, **estimate(row.losses - other.losses)}
        for name, each in by_search.items()
        if name != first
        for row in each
        for other in by_search[first or ""]
        if other.nodes == row.nodes
    ]
    return {
        "positions": len(positions),
        "games": len(games),
        "people": estimate(people),
        "table": [{"search": r.search, "nodes": r.nodes, **estimate(r.losses)} for r in rows],
        "steps": steps,
        "against": against,
        "monotone": {
            name: all(step["low"] <= 0 for step in steps if step["search"] == name) for name in by_search
        },
    }


def findings(report: Mapping[str, Any]) -> list[str]:
    """What a report says, in sentences."""
    said = []
    for name, holds in report["monotone"].items():
        steps = [step for step in report["steps"] if step["search"] == name]
        falls = [f"{s['from']} to {s['to']}" for s in steps if s["high"] < 0]
        rises = [f"{s['from']} to {s['to']}" for s in steps if s["low"] > 0]
        verdict = "falls monotonically within its intervals" if holds else f"rises from {', '.join(rises)}"
        certain = f"; certain falls: {', '.join(falls)}" if falls else ""
        said.append(f"{name}: the loss {verdict}{certain}")
    return said


def _expected(
    shares: Sequence[NDArray[np.floating]], losses: Sequence[NDArray[np.float64]]
) -> NDArray[np.float64]:
    return np.array([float(p @ loss) for p, loss in zip(shares, losses, strict=True)])
