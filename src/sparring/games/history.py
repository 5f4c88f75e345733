"""The states that led to a state."""

from __future__ import annotations

from typing import TypeVar

from sparring.games.native import NativeState

N = TypeVar("N", bound=NativeState)


def states_to(state: N) -> list[N]:
    """The states of a game from its first one to this one, along `previous`."""
    states = [state]
    while (before := states[-1].previous) is not None:
        states.append(before)
    return states[::-1]
