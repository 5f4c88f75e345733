"""RootStrap, TreeStrap (Veness et al. 2009) and TDLeaf (Baxter et al. 1999) on linear evaluations.

H is the evaluation, phi its features and so its gradient, V what a search says. Sums over the nodes of a
search are made natively (`core/search/lessons.hpp`); here is what becomes of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from sparring._core import Analysis, Outcome
from sparring.learn.bootstrap.settings import ALGORITHMS, Settings
from sparring.search.evaluations import Searcher, Weights

WIN = 100.0


@dataclass
class Tally:
    """What was learned from."""

    positions: int = 0
    squared_error: float = 0.0


class Teacher(Protocol):
    """Teaches through one game."""

    tally: Tally

    def move(self, searcher: Searcher, state: Any) -> tuple[Analysis, Weights | None]:
        """Searches a state; how the weights change at once, if they do."""
        ...

    def end(self, outcome: Outcome | None) -> Weights | None:
        """How the weights change once the game is over, or given up without an outcome, if they do."""
        ...


def teacher(settings: Settings, number: int) -> Teacher:
    """The one for a game of a run."""
    name, depth, rate, decay = settings.teaching(number)
    if name == "tdleaf":
        return TdLeaf(settings, depth, rate, decay)
    return Strap(settings, name, depth, rate, decay)


def clipped(change: Weights, settings: Settings) -> Weights:
    """No component beyond M."""
    return np.clip(change, -settings.most_change, settings.most_change)


class Strap:
    """theta += clip(alpha sum_s lambda^d (V(s) - H(s)) phi(s)) at every move; s is the root or all nodes."""

    def __init__(self, settings: Settings, name: str, depth: int, rate: float, decay: float) -> None:
        self.tally = Tally()
        self._settings, self._rate = settings, rate
        algorithm = ALGORITHMS[name]
        self._syllabus: dict[str, Any] = {
            "depth": depth,
            "tree": algorithm.tree,
            "full": algorithm.full,
            # The two bottom layers do not learn, as in the report; a minimax search has no layers to spare.
            "least_depth": 1 if algorithm.full else 2,
            "decay": decay,
            "skip_draws": settings.skip_draws,
            "staged": settings.staged,
        }

    def move(self, searcher: Searcher, state: Any) -> tuple[Analysis, Weights | None]:
        """Searches, and moves what it searched towards what it found."""
        found, sums, positions, error = searcher.teach(state, **self._syllabus)
        self.tally.positions += positions
        self.tally.squared_error += error
        return found, clipped(self._rate * sums, self._settings)

    def end(self, outcome: Outcome | None) -> Weights | None:
        """Everything was learned already."""
        return None


@dataclass
class _Leaf:
    """The end of a principal variation, seen by player 0."""

    stage: int
    gradient: Weights
    """[features]; zero where the game ends there."""
    value: float


@dataclass
class TdLeaf:
    """theta += alpha sum_t grad H(l_t) sum_{j>=t} lambda^(j-t) d_j after the game.

    l_t is the principal leaf of move t's search, d_t = H(l_{t+1}) - H(l_t); at the end the outcome takes the
    place of the next leaf.
    """

    settings: Settings
    depth: int
    rate: float
    decay: float
    tally: Tally = field(default_factory=Tally)
    _leaves: list[_Leaf] = field(default_factory=list)

    def move(self, searcher: Searcher, state: Any) -> tuple[Analysis, Weights | None]:
        """Searches, and remembers where that led."""
        found = searcher.analyse(state, depth=self.depth, reduce=False)
        leaf = state
        for move in found.line:
            leaf = leaf.play(move)
        stage, features = searcher.describe(leaf)
        value = found.value if state.to_move == 0 else -found.value
        gradient = features if leaf.to_move == 0 else -features
        self._leaves.append(_Leaf(stage, gradient * (leaf.outcome is None), value))
        return found, None

    def end(self, outcome: Outcome | None) -> Weights | None:
        """All of the game at once."""
        if not self._leaves:
            return None
        values = [leaf.value for leaf in self._leaves]
        values.append(values[-1] if outcome is None else _value(outcome))
        stages = max(leaf.stage for leaf in self._leaves) + 1
        change = np.zeros((stages, len(self._leaves[0].gradient)))
        ahead = 0.0
        for leaf, difference in zip(reversed(self._leaves), reversed(np.diff(values)), strict=True):
            ahead = float(difference) + self.decay * ahead
            change[leaf.stage] += clipped(self.rate * ahead * leaf.gradient, self.settings)
            self.tally.positions += 1
            self.tally.squared_error += ahead**2
        return change


def _value(outcome: Outcome) -> float:
    """For player 0."""
    return 0.0 if outcome.winner is None else WIN if outcome.winner == 0 else -WIN
