"""Search trees of any game: the native ones, and those of games in Python."""

from __future__ import annotations

from typing import Any

from sparring.games import describe


def forest_class(game: str) -> type[Any]:
    """The class of many PUCT trees that are searched in lockstep."""
    return describe(game).forest_class


def samples_class(game: str) -> type[Any]:
    """The class of positions of recorded games, which encodes them for networks."""
    return describe(game).samples_class
