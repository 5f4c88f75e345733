"""Search trees of any game: native ones, and those of games in Python."""

from __future__ import annotations

from typing import Any

from sparring._core import PuctConfig
from sparring.games import describe


def make_tree(state: Any, config: PuctConfig) -> Any:
    """A new PUCT tree with this state at the root."""
    if hasattr(state, "tree"):
        return state.tree(config)
    from sparring.search.python_tree import PythonTree

    return PythonTree(state, config)


def forest_class(game: str) -> type[Any]:
    """The class of many PUCT trees that are searched in lockstep."""
    description = describe(game)
    if description.native:
        return description.forest_class
    from sparring.search.python_tree import PythonForest

    return PythonForest
