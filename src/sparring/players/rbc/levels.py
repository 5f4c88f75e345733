"""RBC bots by level."""

from __future__ import annotations

import numpy as np

from sparring.players.rbc.bot import Bot
from sparring.players.rbc.config import BotConfig, make_bot


def level_bot(game: str, level: int, rng: np.random.Generator, player: int = 0) -> Bot:
    """The inference bot of a level from 1 to 9; `player` is its colour, 0 for White."""
    effort = 2 ** (level - 1)
    config = BotConfig(
        depth=1 + (level > 3) + (level > 7),
        boards=min(1_000 * effort, 100_000),
        sense_boards=4 + level,
        move_boards=4 + 5 * level,
    )
    return make_bot(config, player, rng)
