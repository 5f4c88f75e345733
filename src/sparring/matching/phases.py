"""Opening, middle game and endgame, by the rules in a game's description."""

from __future__ import annotations

from typing import Any

from sparring.games import describe

PHASES = ("opening", "middle game", "endgame")


def game_phase(game: str, state: Any, ply: int) -> int:
    """The index in `PHASES` of a state that is so many plies into its game."""
    return describe(game).phases.index(state, ply)
