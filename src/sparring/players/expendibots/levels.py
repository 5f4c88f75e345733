"""The Expendibots agent by level."""

from __future__ import annotations

from sparring.players.expendibots.ladder import make_level_agent
from sparring.players.learned_player import LearnedPlayer
from sparring.players.levels import effort


def level_agent(game: str, level: int) -> LearnedPlayer:
    """The shipped agent with the nodes of a level from 1 to 9."""
    return make_level_agent(150 * effort(level), megabytes=max(1, effort(level) // 100))
