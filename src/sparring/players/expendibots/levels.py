"""Expendibots agents by level."""

from __future__ import annotations

import numpy as np

from sparring.players.expendibots.ladder import make_level_agent
from sparring.players.learned_player import LearnedPlayer


def level_agent(game: str, level: int, rng: np.random.Generator, player: int = 0) -> LearnedPlayer:
    """The shipped agent with the nodes of a level from 1 to 9."""
    effort = int(3 ** (level - 1))
    return make_level_agent(150 * effort, rng, megabytes=max(1, effort // 100))
