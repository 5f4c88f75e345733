"""A person's games, found by name in recorded games."""

from __future__ import annotations

import datetime
import difflib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sparring.games import describe
from sparring.records import GameRecord, open_records

_SHOWN = 5


class NoSuchPerson(Exception):
    """No game of the person; the message names the nearest names."""


@dataclass(frozen=True)
class PersonGames:
    """The games of one person, earliest first. Games of one day are in the order of the file."""

    name: str
    game: str
    records: tuple[GameRecord, ...]
    sides: tuple[int, ...]
    """[games]: the player, 0 or 1, that the person was."""

    def __len__(self) -> int:
        return len(self.records)

    def __getitem__(self, which: slice) -> PersonGames:
        return PersonGames(self.name, self.game, self.records[which], self.sides[which])

    def take(self, which: Sequence[int] | NDArray[np.integer]) -> PersonGames:
        """The games with these indices."""
        rows = [int(i) for i in which]
        return PersonGames(
            self.name, self.game, tuple(self.records[i] for i in rows), tuple(self.sides[i] for i in rows)
        )

    @property
    def identities(self) -> NDArray[np.uint64]:
        """[games]: hashes of the games."""
        return np.array([record.identity(self.game) for record in self.records], np.uint64)

    @property
    def dates(self) -> tuple[str, str]:
        """The first and the last date; empty if unknown."""
        known = sorted(record.date for record in self.records if record.date is not None)
        return (known[0].isoformat(), known[-1].isoformat()) if known else ("", "")

    def ratings(self) -> NDArray[np.float64]:
        """[games, 2]: recorded ratings of the person and of the opponent; NaN if unknown."""
        system = describe(self.game).ratings
        pairs = [record.ratings(system) for record in self.records]
        rows = [pair if side == 0 else pair[::-1] for pair, side in zip(pairs, self.sides, strict=True)]
        return np.array(rows, np.float64).reshape(-1, 2)


def read_person_games(paths: Sequence[Path], game: str, name: str) -> PersonGames:
    """All games of a person in files and tables. Letters of either case are the same if only one name
    matches.

    Raises NoSuchPerson, UnsupportedFormat, BadTable or OSError."""
    records = [each.record for path in paths for each in open_records(path, game)]
    names = Counter(each for record in records for each in (record.first, record.second) if each)
    if name not in names:
        same = [each for each in names if each.casefold() == name.casefold()]
        if len(same) != 1:
            raise NoSuchPerson(_complaint(name, names, len(records)))
        name = same[0]
    return person_games(records, game, name)


def person_games(records: Iterable[GameRecord], game: str, name: str) -> PersonGames:
    """The games of a name, each once, earliest first. Games against oneself are left out."""
    rows: list[tuple[datetime.date, int, GameRecord, int]] = []
    seen: set[int] = set()
    for number, record in enumerate(records):
        if (name == record.first) == (name == record.second):
            continue
        identity = record.identity(game)
        if identity not in seen and record.plies(game):
            seen.add(identity)
            side = 0 if record.first == name else 1
            rows.append((record.date or datetime.date.min, number, record, side))
    rows.sort(key=lambda row: row[:2])
    return PersonGames(name, game, tuple(row[2] for row in rows), tuple(row[3] for row in rows))


def _complaint(name: str, names: Counter[str], games: int) -> str:
    if not names:
        return f"there is no game of '{name}': no player has a name in {games:,} games"
    folded = {each.casefold(): each for each in names}
    near = [folded[each] for each in difflib.get_close_matches(name.casefold(), folded, _SHOWN, 0.5)]
    if near:
        listed = ", ".join(f"{each} ({names[each]:,})" for each in near)
        return f"there is no game of '{name}'; the nearest names are {listed}"
    most = ", ".join(f"{each} ({count:,})" for each, count in names.most_common(_SHOWN))
    return f"there is no game of '{name}'; the names with the most games are {most}"
