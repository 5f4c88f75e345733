"""RootStrap, TreeStrap and TDLeaf: training a linear evaluation from game-tree search.

Sources: the Expendibots report, section 4.1; Veness et al. 2009, "Bootstrapping from game tree search"
(RootStrap, TreeStrap); Baxter, Tridgell and Weaver 1999 (TDLeaf). Notation:

    theta    weights of the evaluation, [stages, features]
    H(s)     evaluation of state s for its side to move; +-100 is a decided game
    phi(s)   features of s, the gradient of H
    V(s)     value of s in the search tree: exact, or a lower or upper bound
    alpha    learning rate
    lambda   decay with the depth d of a node in the tree (TDLeaf: with the distance in moves)
    M        largest change of one weight in one update

The native half, `core/search/treestrap.hpp`, runs the search and sums lambda^d (V(s) - H(s)) phi(s) over its
nodes. This module holds the rest: the four algorithms, their defaults, clipping and the schedule.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np

from sparring._core import Analysis, Outcome
from sparring.search.linear_evaluation import WIN_VALUE, AlphaBetaSearcher, FeatureWeights

if TYPE_CHECKING:  # config.py checks the names of ALGORITHMS
    from sparring.training.treestrap.run import TreeStrapRunConfig


@dataclass(frozen=True)
class UpdateParameters:
    """Parameters of the updates in one game, from an algorithm's defaults and a run's options."""

    depth: int
    """Search depth in plies."""
    learning_rate: float
    """alpha. Sums over more nodes need smaller ones."""
    decay: float
    """lambda, 0 to 1"""
    max_update: float = 0.05
    """M"""
    max_error: float = WIN_VALUE
    """|V - H| is clipped to this value."""
    skip_draws: bool = False
    """Skips nodes with V = 0."""
    staged: bool = False
    """Ends searches at the next stage of the game, which the side with more material wins (section 4.2)."""


@dataclass
class UpdateStats:
    """Counts over the updates of a game."""

    positions: int = 0
    """Positions with a nonzero error."""
    squared_error: float = 0.0
    """Sum of their squared errors, weighted as in the update."""


class LearningAlgorithm(Protocol):
    """One of the algorithms, for the moves of one game."""

    defaults: ClassVar[UpdateParameters]
    summary: ClassVar[str]
    stats: UpdateStats

    def __init__(self, parameters: UpdateParameters) -> None: ...

    def search(self, searcher: AlphaBetaSearcher, state: Any) -> tuple[Analysis, FeatureWeights | None]:
        """Searches a state.

        Returns the search result and the update of theta, [stages, features], to add before the next move, or
        None if this algorithm updates after the game.
        """
        ...

    def end_game(self, outcome: Outcome | None) -> FeatureWeights | None:
        """Returns the update after the game: [stages reached, features], or None.

        `outcome` is None if the game was stopped.
        """
        ...


def clip_update(update: FeatureWeights, limit: float) -> FeatureWeights:
    """Delta theta_i = max(min(Delta theta_i, M), -M)."""
    return np.clip(update, -limit, limit)


class RootStrap:
    """RootStrap: the root moves towards the value of its search.

    Delta theta = alpha (V(s) - H(s)) phi(s) for the root s, after each move.
    """

    summary: ClassVar = "the root moves towards the value of its search"
    defaults: ClassVar = UpdateParameters(learning_rate=5e-3, depth=4, decay=0.5)
    all_nodes: ClassVar = False
    """Updates all inner nodes; else only the root."""
    minimax: ClassVar = False
    """Searches without pruning; else by alpha-beta."""
    min_depth: ClassVar = 2
    """Nodes with less remaining depth are not updated: the bottom two layers, as in the report."""

    def __init__(self, parameters: UpdateParameters) -> None:
        self.stats = UpdateStats()
        self._parameters = parameters

    def search(self, searcher: AlphaBetaSearcher, state: Any) -> tuple[Analysis, FeatureWeights | None]:
        """Searches a state; the update is due at once."""
        p = self._parameters
        analysis, gradient, positions, squared_error = searcher.treestrap(
            state,
            depth=p.depth,
            all_nodes=self.all_nodes,
            minimax=self.minimax,
            min_depth=self.min_depth,
            decay=p.decay,
            max_error=p.max_error,
            skip_draws=p.skip_draws,
            staged=p.staged,
        )
        self.stats.positions += positions
        self.stats.squared_error += squared_error
        return analysis, clip_update(p.learning_rate * gradient, p.max_update)

    def end_game(self, outcome: Outcome | None) -> FeatureWeights | None:
        """Returns None: the updates came after each move."""
        return None


class TreeStrapMinimax(RootStrap):
    """TreeStrap(minimax): every inner node moves towards its exact minimax value.

    Delta theta = alpha sum_s lambda^d (V(s) - H(s)) phi(s) over the inner nodes s at depth d.
    """

    summary: ClassVar = "every inner node of a minimax search moves towards its value"
    defaults: ClassVar = UpdateParameters(learning_rate=3e-5, depth=2, decay=0.5)
    all_nodes: ClassVar = True
    minimax: ClassVar = True
    min_depth: ClassVar = 1
    """Without pruning only depth 2 is affordable, and that leaves no layers to skip."""


class TreeStrapAlphaBeta(RootStrap):
    """TreeStrap(alpha-beta): every inner node moves towards its exact value or its bound.

    The same sum over the nodes of an alpha-beta search (Veness et al., algorithm 2). A node with a lower
    bound V counts only if H(s) < V, a node with an upper bound only if H(s) > V.
    """

    summary: ClassVar = "every inner node of an alpha-beta search moves towards its value or bound"
    defaults: ClassVar = UpdateParameters(learning_rate=3e-4, depth=4, decay=0.5)
    all_nodes: ClassVar = True


@dataclass
class _PrincipalLeaf:
    """l_t, the end of the principal variation at move t, from the view of player 0."""

    stage: int
    gradient: FeatureWeights
    """[features]: grad H(l_t); zero if the game is over at the leaf."""
    value: float
    """H(l_t)"""


@dataclass
class TDLeaf:
    """TDLeaf(lambda): each principal leaf moves towards the leaves of the following moves.

    Delta theta = alpha sum_t grad H(l_t) sum_{j >= t} lambda^(j - t) d_j after the game, with the temporal
    differences d_t = H(l_{t+1}) - H(l_t). The outcome takes the place of the leaf after the last.
    """

    summary: ClassVar = "each principal leaf moves towards those of the following moves"
    defaults: ClassVar = UpdateParameters(learning_rate=2e-3, depth=4, decay=0.7)

    parameters: UpdateParameters
    stats: UpdateStats = field(default_factory=UpdateStats, init=False)
    _leaves: list[_PrincipalLeaf] = field(default_factory=list, init=False)

    def search(self, searcher: AlphaBetaSearcher, state: Any) -> tuple[Analysis, FeatureWeights | None]:
        """Searches a state and stores its principal leaf; the update is due after the game."""
        analysis = searcher.analyse(state, depth=self.parameters.depth, reduce=False)
        leaf = state
        for move in analysis.pv:
            leaf = leaf.play(move)
        stage, features = searcher.extract_features(leaf)
        value = analysis.value if state.to_move == 0 else -analysis.value
        gradient = features if leaf.to_move == 0 else -features
        self._leaves.append(_PrincipalLeaf(stage, gradient * (leaf.outcome is None), value))
        return analysis, None

    def end_game(self, outcome: Outcome | None) -> FeatureWeights | None:
        """Returns the sum over all moves; each move's term is clipped to M."""
        if not self._leaves:
            return None
        values = [leaf.value for leaf in self._leaves]
        values.append(values[-1] if outcome is None else _outcome_value(outcome))
        stages = max(leaf.stage for leaf in self._leaves) + 1
        update = np.zeros((stages, len(self._leaves[0].gradient)))
        p, error = self.parameters, 0.0
        for leaf, difference in zip(reversed(self._leaves), reversed(np.diff(values)), strict=True):
            error = float(difference) + p.decay * error  # sum_{j >= t} lambda^(j - t) d_j
            update[leaf.stage] += clip_update(p.learning_rate * error * leaf.gradient, p.max_update)
            self.stats.positions += 1
            self.stats.squared_error += error**2
        return update


def _outcome_value(outcome: Outcome) -> float:
    """Value of the end of a game for player 0."""
    return 0.0 if outcome.winner is None else WIN_VALUE if outcome.winner == 0 else -WIN_VALUE


ALGORITHMS: dict[str, type[LearningAlgorithm]] = {
    "rootstrap": RootStrap,
    "treestrap-minimax": TreeStrapMinimax,
    "treestrap-ab": TreeStrapAlphaBeta,
    "tdleaf": TDLeaf,
}
"""The algorithms by their names in options and files."""

_WARMUP = RootStrap, UpdateParameters(learning_rate=2e-3, depth=2, decay=0.5)
"""Alpha-beta prunes well only with sensible weights: the first games use RootStrap at depth two."""


def decayed_learning_rate(initial: float, game_number: int, halving_games: int) -> float:
    """alpha / (1 + n / N): half after N games, a third after 2 N."""
    return initial / (1 + game_number / halving_games)


def algorithm_for_game(config: TreeStrapRunConfig, number: int) -> LearningAlgorithm:
    """Returns the algorithm for game `number` (from 0) of a run, with its parameters set."""
    algorithm: type[LearningAlgorithm]
    if number < config.warmup_games:
        algorithm, values = _WARMUP
    else:
        algorithm = ALGORITHMS[config.algorithm]
        own = algorithm.defaults
        rate = decayed_learning_rate(
            config.learning_rate or own.learning_rate, number, config.rate_halving_games
        )
        decay = own.decay if config.decay is None else config.decay
        values = UpdateParameters(config.depth or own.depth, rate, decay)
    same = ("max_update", "max_error", "skip_draws", "staged")
    return algorithm(replace(values, **{key: getattr(config, key) for key in same}))
