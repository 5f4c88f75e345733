"""Measured ratings of the named bots of a game."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from sparring import data
from sparring.base.config import PositiveInt, read_config


@dataclass(frozen=True)
class BotRating:
    """The measured rating of a bot."""

    name: str
    rating: float
    games: PositiveInt
    interval: tuple[float, float] | None = None
    """95 % interval of `rating`; None for the anchor, whose rating is given."""
    seconds: float | None = None
    """Its time for a turn, where it has a budget."""


@dataclass(frozen=True)
class BotRatingTable:
    """The keys of a file of ratings."""

    anchor: str
    """The bot whose rating is given."""
    bots: tuple[BotRating, ...]
    """`[[bots]]`"""


@cache
def bot_ratings(game: str) -> Mapping[tuple[str, float | None], BotRating]:
    """The ratings of a game's bots, by name and time budget; empty if none was measured."""
    if game not in data.names("bot_ratings"):
        return {}
    table = read_config(BotRatingTable, data.path("bot_ratings", game))
    return {(row.name, row.seconds): row for row in table.bots}
