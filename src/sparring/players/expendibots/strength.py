"""The Expendibots agent by strength."""

from __future__ import annotations

from sparring.players.expendibots.ladder import make_level_agent
from sparring.players.learned_player import LearnedPlayer
from sparring.players.strength import effort


def strength_agent(game: str, strength: int) -> LearnedPlayer:
    """The shipped agent with the nodes of a strength from 1 to 9."""
    return make_level_agent(150 * effort(strength), megabytes=max(1, effort(strength) // 100))
