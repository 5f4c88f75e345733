"""Search trees of any game: native ones, and those of games in Python."""

from __future__ import annotations

from collections.abc import Sequence, Sized
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sparring._core import PuctConfig
from sparring.games import describe
from sparring.games.states import State

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class States(Sized, Protocol):
    """A batch of states: `<Game>States`, or `PythonStates`."""

    @property
    def to_move(self) -> NDArray[np.int8]:
        """[states]: the player to move, 0 or 1."""


class Forest(Protocol):
    """Many PUCT trees that are searched in lockstep: the members that all such classes have."""

    def __init__(self, roots: Sequence[State], config: PuctConfig) -> None: ...

    def select(self, visits: int | Integers) -> tuple[States, Integers]:
        """The next leaves of every tree with fewer visits, as a batch, and the index of each one's tree."""

    def evaluate(self, priors: NDArray[np.float32], values: NDArray[np.float32]) -> None:
        """Evaluates the leaves of the last `select`. Raises ValueError."""

    def add_noise(self, noise: NDArray[np.float32], share: float) -> None:
        """Mixes noise into the priors of all roots."""

    def begin_halving(
        self, noise: NDArray[np.float32], visits: Integers, considered: int, c_visit: float, c_scale: float
    ) -> None:
        """Searches all roots by Gumbel and sequential halving."""

    def halving_choices(self) -> Integers:
        """[trees]: the place of each tree's choice among its root moves."""

    def advance(self, moves: Integers) -> None:
        """Plays a move in every tree."""

    def restart(self, tree: int, root: State) -> None:
        """Replaces a tree by a new one."""

    @property
    def values(self) -> Floats:
        """[trees]: the value of each root for its side to move."""

    @property
    def visits(self) -> Integers:
        """[trees]: the visits of each root."""

    @property
    def max_depths(self) -> Integers:
        """[trees]: the length of the longest line of each tree."""

    def pv(self, tree: int, first: int) -> list[int]:
        """The principal variation of a tree."""

    def root_moves(self) -> tuple[Integers, Floats, Integers, Floats, Integers, Integers]:
        """Moves, priors, visits, values and forced of all root moves, and each tree's offsets."""


def make_tree(state: State, config: PuctConfig) -> object:
    """A new PUCT tree with this state at the root: the native class, or `PythonTree`."""
    if (make := getattr(state, "tree", None)) is not None:
        made: object = make(config)
        return made
    from sparring.search.python_tree import PythonTree

    return PythonTree(state, config)


def forest_class(game: str) -> type[Forest]:
    """The class of many PUCT trees of a game."""
    description = describe(game)
    if description.native:
        return description.forest_class
    from sparring.search.python_tree import PythonForest

    return PythonForest
