"""`GamePlayers`: the players that a game brings along, ratings of its bots, and opening books."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sparring import data
from sparring.base.config import PositiveInt, read_config
from sparring.base.errors import BadFile
from sparring.games import GAMES, Move, describe, load_game
from sparring.networks.codec import Prediction
from sparring.players.player import Player
from sparring.records.readers import format_of, reader_for
from sparring.records.sources import open_chunks

StrengthPlayer: TypeAlias = Callable[[str, int], Player]
"""(game, strength) -> the small search player of a strength from 1 to 9."""

StyleWeights: TypeAlias = Callable[[Any, Sequence[Move]], NDArray[np.float64] | None]
"""(state, moves) -> weights [moves] of the moves of the side to move; None where the opening is over."""


@dataclass(frozen=True)
class OpeningStyle:
    """A way to play the opening."""

    title: str
    """What people call it, as a sentence for the page."""
    weights: StyleWeights
    """By how much likelier people of the style play each move."""


@dataclass(frozen=True)
class Bots:
    """Named players of a game that are made in another way than by a `PlayerConfig`."""

    configs: Mapping[str, Any]
    """The configurations by name, the simplest first."""
    config_class: type[Any]
    """The dataclass of a configuration: the keys of its TOML file. Its attribute `game` names the game."""
    make: Callable[[Any], Player]
    """The bot of a configuration. Raises BadConfig."""
    default: str
    """Name of the default opponent."""
    for_beginners: str
    """Name of the page's default opponent, which a beginner can beat."""
    for_people: Mapping[str, str]
    """The bots that the page offers, which need no other program and no clock, with a line about each."""
    budgets: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    """Seconds a turn that may be asked for, of the bots that use a time budget; the middle one by default."""
    with_seconds: Callable[[Any, float], Any] | None = None
    """(configuration, seconds) -> the configuration with a time budget for each turn."""


@dataclass(frozen=True)
class GamePlayers:
    """What a game adds to the players."""

    strength_player: StrengthPlayer | None = None
    """Makes the small search player. None: `small_players.alphabeta_player`, or `uct_player` in Python."""
    bots: Bots | None = None
    """The bots; None if there are none."""
    books: Mapping[str, Callable[[Path], Book | None]] = field(default_factory=dict)
    """Openers by file suffix of opening books that are not files of games. One that returns None leaves the
    file to the reader of games."""
    adjust_policy: Callable[[Any, Prediction], NDArray[np.float64]] | None = None
    """(state, prediction) -> probabilities [moves]: adjusts the distribution from which a player draws, such
    as Go's passing rules."""
    opening_styles: Mapping[str, OpeningStyle] = field(default_factory=dict)
    """Styles of the opening that a player may have, by name, such as ranging rook in shogi."""


@cache
def game_players(game: str) -> GamePlayers:
    """The players of a game. Raises BadConfig for an unknown game."""
    make = describe(game).players
    parts: GamePlayers = GamePlayers() if make is None else make()
    return parts


def games_with_bots() -> dict[str, Bots]:
    """The bots of every game that has some."""
    bots_by_game = {game: game_players(game).bots for game in GAMES}
    return {game: bots for game, bots in bots_by_game.items() if bots is not None}


# Measured ratings of the named bots of a game.


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


# Opening books: the moves of a position, weighted by how often they were played.


class Book(Protocol):
    """An opening book."""

    def moves(self, state: Any) -> dict[Move, float]:
        """The book's moves in a state with their weights; empty if it has none."""


class GameBook:
    """The moves of recorded games, up to a ply. Raises BadFile or OSError."""

    def __init__(self, path: Path, game: str, plies: int) -> None:
        self._counts: dict[int, Counter[Move]] = defaultdict(Counter)
        usual, games = load_game(game).initial(), 0
        for parsed in reader_for(path, game)(open_chunks(path), 0):
            if parsed.record is None:
                continue
            games += 1
            start = usual if parsed.record.start is None else load_game(game).parse(parsed.record.start)
            width = describe(game).packed_move_bytes
            state = start.unpack_moves(parsed.record.moves[: plies * width], width)
            while state.previous is not None:
                self._counts[state.previous.key][state.last_move] += 1
                state = state.previous
        if not games:
            raise BadFile(f"{path} has no games")

    def moves(self, state: Any) -> dict[Move, float]:
        """The known moves that are legal: two positions may have the same 64-bit key."""
        counts = self._counts.get(state.key) or Counter()
        legal = set(state.legal_moves()) if counts else set()
        return {move: float(count) for move, count in sorted(counts.items()) if move in legal}


def open_book(path: Path, game: str, plies: int) -> Book:
    """Opens a book; `plies` is the length of the openings taken from games. Raises BadFile or OSError."""
    if not path.is_file():
        raise BadFile(f"there is no book {path}")
    own_format = game_players(game).books.get(format_of(path))
    if own_format is not None and (book := own_format(path)) is not None:
        return book
    return GameBook(path, game, plies)
