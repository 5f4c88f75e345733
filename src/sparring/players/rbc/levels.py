"""RBC bots by level."""

from __future__ import annotations

from sparring.players.player import Player
from sparring.players.rbc.config import BotConfig, make_bot


def level_bot(game: str, level: int) -> Player:
    """The inference bot of a level from 1 to 9."""
    config = BotConfig(
        depth=1 + (level > 3) + (level > 7),
        boards=min(1_000 * 2 ** (level - 1), 100_000),
        sense_boards=4 + level,
        move_boards=4 + 5 * level,
    )
    return make_bot(config)
