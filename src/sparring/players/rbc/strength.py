"""RBC bots by strength."""

from __future__ import annotations

from sparring.players.player import Player
from sparring.players.rbc.config import BotConfig, make_bot


def strength_bot(game: str, strength: int) -> Player:
    """The inference bot of a strength from 1 to 9."""
    config = BotConfig(
        depth=1 + (strength > 3) + (strength > 7),
        boards=min(1_000 * 2 ** (strength - 1), 100_000),
        sense_boards=4 + strength,
        move_boards=4 + 5 * strength,
    )
    return make_bot(config)
