"""Lockstep search: many positions searched at once, with leaves of all trees in each network batch.

Every tree has the visits of a search of its own. `PuctConfig(batch=1)` searches leaf by leaf, as the textbook
does, while the network sees full batches. Leaves and evaluations cross the native border as arrays.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from sparring._core import PuctConfig
from sparring.networks import Position, Prediction
from sparring.networks.codec import PositionBatch, PredictionBatch
from sparring.policies import Policy
from sparring.policies.policy import predict_batch
from sparring.search.puct import SearchResult
from sparring.search.trees import States, forest_class


def search_together(
    policy: Policy,
    positions: Sequence[Position],
    config: PuctConfig,
    nodes: int,
) -> list[SearchResult]:
    """Searches every position with `nodes` visits and the policy as evaluator.

    Each player has the rating of its position in the whole tree. The clock is that of the player to move in
    the position; for the opponent it is unknown. Each step takes `config.batch_size` leaves of every tree;
    with `config.batch` 1 it is one. Raises ValueError if the policy gives no values or a game is over.
    """
    if not positions:
        return []
    search = LockstepSearch(policy, positions, config)
    search.run(nodes)
    return search.results()


class LockstepSearch:
    """A search of many positions that can be continued.

    With `config.batch` 1, `run(8)` and then `run(16)` give the visits of a search of 16 nodes.
    """

    def __init__(self, policy: Policy, positions: Sequence[Position], config: PuctConfig) -> None:
        """Raises ValueError if a game is over."""
        for position in positions:
            if (outcome := position.state.outcome) is not None:
                raise ValueError(f"nothing to search: the game is over ({outcome.reason})")
        self._policy, self._positions = policy, positions
        theirs = [p.rating if p.opponent_rating is None else p.opponent_rating for p in positions]
        ratings = [[p.rating, other] for p, other in zip(positions, theirs, strict=True)]
        self._mover = np.array([p.state.to_move for p in positions], np.int8)
        self._ratings = np.array(ratings, np.float64).reshape(-1, 2)
        self._clocks = np.array([p.clock for p in positions], np.float64)
        self.forest = forest_class(policy.game)([position.state for position in positions], config)
        """The native trees, one for each position."""
        self.root: PredictionBatch | None = None
        """The policy's predictions for the positions; None before the first run."""
        self.seconds = 0.0

    def run(self, nodes: int) -> None:
        """Searches until every tree has `nodes` visits or is solved. See `search_together`."""
        started = time.perf_counter()
        while True:
            leaves, trees = self.forest.select(nodes)
            if not len(leaves):
                break
            predicted = predict_batch(self._policy, self._batch(leaves, trees))
            if np.isnan(predicted.values).any():
                raise ValueError(
                    f"{self._policy.name} gives no value (who is winning): it cannot be searched with"
                )
            self.forest.evaluate(np.ascontiguousarray(predicted.probabilities), predicted.values)
            self.root = self.root or predicted
        self.seconds += time.perf_counter() - started

    def _batch(self, leaves: States, trees: NDArray[np.int64]) -> PositionBatch:
        """The leaves of these trees with the ratings and clocks of their players."""
        own = leaves.to_move == self._mover[trees]
        ratings = self._ratings[trees]
        return PositionBatch(
            leaves,
            np.where(own[:, None], ratings, ratings[:, ::-1]),
            np.where(own, self._clocks[trees], np.nan),
        )

    def results(self) -> list[SearchResult]:
        """The results so far, one for each position."""
        forest, root = self.forest, self.root
        assert root is not None
        moves, priors, visits, values, forced, offsets = forest.root_moves()
        totals, roots, depths = forest.visits, forest.values, forest.max_depths
        results = []
        for i, position in enumerate(self._positions):
            part = slice(offsets[i], offsets[i + 1])
            shares = root.probabilities[root.offsets[i] : root.offsets[i + 1]]
            legal, value = tuple(moves[part].tolist()), float(root.values[i])
            results.append(
                SearchResult(
                    moves=moves[part],
                    priors=priors[part],
                    visits=visits[part],
                    values=values[part],
                    forced=forced[part],
                    value=float(roots[i]),
                    nodes=int(totals[i]),
                    new_visits=int(totals[i]),
                    depth=int(depths[i]),
                    seconds=self.seconds,
                    principal_variation=partial(forest.pv, i),
                    evaluation=Prediction(legal, shares, value, state=position.state),
                )
            )
        return results
