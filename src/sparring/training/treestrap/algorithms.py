"""RootStrap, TreeStrap (Veness et al. 2009) and TDLeaf (Baxter et al. 1999) on linear evaluations.

H is the evaluation, phi its features and so its gradient, V what a search says. Sums over the nodes of a
search are made natively (`core/search/treestrap.hpp`); here is what becomes of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from sparring._core import Analysis, Outcome
from sparring.search.evaluations import AlphaBetaSearcher, FeatureWeights
from sparring.training.treestrap.config import ALGORITHMS, TreeStrapRunConfig

WIN = 100.0


@dataclass
class UpdateStats:
    """What was learned from."""

    positions: int = 0
    squared_error: float = 0.0


class UpdateRule(Protocol):
    """Teaches through one game."""

    stats: UpdateStats

    def move(self, searcher: AlphaBetaSearcher, state: Any) -> tuple[Analysis, FeatureWeights | None]:
        """Searches a state; how the weights change at once, if they do."""
        ...

    def end(self, outcome: Outcome | None) -> FeatureWeights | None:
        """How the weights change once the game is over, or given up without an outcome, if they do."""
        ...


def update_rule(config: TreeStrapRunConfig, number: int) -> UpdateRule:
    """The one for a game of a run."""
    name, depth, rate, decay = config.schedule(number)
    if name == "tdleaf":
        return TDLeaf(config, depth, rate, decay)
    return TreeStrap(config, name, depth, rate, decay)


def clipped(update: FeatureWeights, config: TreeStrapRunConfig) -> FeatureWeights:
    """No component beyond M."""
    return np.clip(update, -config.max_update, config.max_update)


class TreeStrap:
    """theta += clip(alpha sum_s lambda^d (V(s) - H(s)) phi(s)) at every move; s is the root or all nodes."""

    def __init__(self, config: TreeStrapRunConfig, name: str, depth: int, rate: float, decay: float) -> None:
        self.stats = UpdateStats()
        self._settings, self._rate = config, rate
        algorithm = ALGORITHMS[name]
        self._config: dict[str, Any] = {
            "depth": depth,
            "all_nodes": algorithm.all_nodes,
            "minimax": algorithm.minimax,
            # The two bottom layers do not learn, as in the report; a minimax search has no layers to spare.
            "min_depth": 1 if algorithm.minimax else 2,
            "decay": decay,
            "max_error": config.max_error,
            "skip_draws": config.skip_draws,
            "staged": config.staged,
        }

    def move(self, searcher: AlphaBetaSearcher, state: Any) -> tuple[Analysis, FeatureWeights | None]:
        """Searches, and moves what it searched towards what it found."""
        found, sums, positions, error = searcher.treestrap(state, **self._config)
        self.stats.positions += positions
        self.stats.squared_error += error
        return found, clipped(self._rate * sums, self._settings)

    def end(self, outcome: Outcome | None) -> FeatureWeights | None:
        """Everything was learned already."""
        return None


@dataclass
class _Leaf:
    """The end of a principal variation, seen by player 0."""

    stage: int
    gradient: FeatureWeights
    """[features]; zero where the game ends there."""
    value: float


@dataclass
class TDLeaf:
    """theta += alpha sum_t grad H(l_t) sum_{j>=t} lambda^(j-t) d_j after the game.

    l_t is the principal leaf of move t's search, d_t = H(l_{t+1}) - H(l_t); at the end the outcome takes the
    place of the next leaf.
    """

    config: TreeStrapRunConfig
    depth: int
    rate: float
    decay: float
    stats: UpdateStats = field(default_factory=UpdateStats)
    _leaves: list[_Leaf] = field(default_factory=list)

    def move(self, searcher: AlphaBetaSearcher, state: Any) -> tuple[Analysis, FeatureWeights | None]:
        """Searches, and remembers where that led."""
        found = searcher.analyse(state, depth=self.depth, reduce=False)
        leaf = state
        for move in found.pv:
            leaf = leaf.play(move)
        stage, features = searcher.extract_features(leaf)
        value = found.value if state.to_move == 0 else -found.value
        gradient = features if leaf.to_move == 0 else -features
        self._leaves.append(_Leaf(stage, gradient * (leaf.outcome is None), value))
        return found, None

    def end(self, outcome: Outcome | None) -> FeatureWeights | None:
        """All of the game at once."""
        if not self._leaves:
            return None
        values = [leaf.value for leaf in self._leaves]
        values.append(values[-1] if outcome is None else _value(outcome))
        stages = max(leaf.stage for leaf in self._leaves) + 1
        update = np.zeros((stages, len(self._leaves[0].gradient)))
        ahead = 0.0
        for leaf, difference in zip(reversed(self._leaves), reversed(np.diff(values)), strict=True):
            ahead = float(difference) + self.decay * ahead
            update[leaf.stage] += clipped(self.rate * ahead * leaf.gradient, self.config)
            self.stats.positions += 1
            self.stats.squared_error += ahead**2
        return update


def _value(outcome: Outcome) -> float:
    """For player 0."""
    return 0.0 if outcome.winner is None else WIN if outcome.winner == 0 else -WIN
