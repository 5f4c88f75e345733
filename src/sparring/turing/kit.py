"""The games of a Turing test (ACE paper, experiment 3) and their key.

At each level a kit has games of people, of an engine and of ours in equal numbers, shuffled, without names.
The file of the games tells nothing of who played; the key is a file of its own.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from sparring import data

Source: TypeAlias = Literal["people", "engine", "ours"]
SOURCES: tuple[Source, ...] = get_args(Source)
RESULTS = ("1-0", "0-1", "1/2-1/2")
ENDINGS = ("checkmate", "resignation", "stalemate", "draw")


class BadTuringKit(ValueError):
    """The files of a kit do not have its format."""


@dataclass(frozen=True)
class TuringGame:
    """A game to judge."""

    id: str
    """Its name in the kit, such as 1650-07."""
    level: int
    """The rating that both players have in common, within 100 points."""
    moves: tuple[str, ...]
    """In UCI's notation, from the initial position."""
    result: str
    """One of `RESULTS`."""
    ending: str
    """One of `ENDINGS`."""

    def __post_init__(self) -> None:
        if self.result not in RESULTS or self.ending not in ENDINGS or not self.moves:
            raise BadTuringKit(f"game {self.id}: result {self.result}, ending {self.ending}")

    def as_json(self) -> dict[str, Any]:
        """A line of the file of games."""
        return {"id": self.id, "level": self.level, "moves": " ".join(self.moves),
                "result": self.result, "ending": self.ending}  # fmt: skip


@dataclass(frozen=True)
class TuringKit:
    """The games, ordered by level and shuffled within a level, and who played them."""

    games: tuple[TuringGame, ...]
    key: Mapping[str, Source]
    """By id of the game."""

    def __post_init__(self) -> None:
        ids = [game.id for game in self.games]
        if len(set(ids)) < len(ids) or set(ids) != set(self.key) or not set(self.key.values()) <= {*SOURCES}:
            raise BadTuringKit("the key does not fit the games")

    @property
    def levels(self) -> list[int]:
        """The levels, ascending."""
        return sorted({game.level for game in self.games})

    def games_text(self) -> str:
        """The file of games: one JSON object a line."""
        return _lines(game.as_json() for game in self.games)

    def key_text(self) -> str:
        """The file of the key: one JSON object a line."""
        return _lines({"id": game.id, "source": self.key[game.id]} for game in self.games)


def read_kit(games: Path, key: Path) -> TuringKit:
    """The kit of two files. Raises BadTuringKit or OSError."""
    try:
        found = [json.loads(line) for line in games.read_text(encoding="utf-8").splitlines()]
        known = [json.loads(line) for line in key.read_text(encoding="utf-8").splitlines()]
        played = tuple(TuringGame(**{**each, "moves": tuple(each["moves"].split())}) for each in found)
        return TuringKit(played, {each["id"]: each["source"] for each in known})
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise BadTuringKit(f"{games} and {key} are no Turing kit: {error}") from None


@cache
def shipped_kit(game: str) -> TuringKit:
    """The kit that ships with the package. Raises BadTuringKit if a game has none."""
    if game not in data.names("turing"):
        raise BadTuringKit(f"there is no Turing kit of {game}")
    return read_kit(data.path("turing", game), data.path("turing", f"{game}-key"))


def _lines(rows: Iterable[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)
