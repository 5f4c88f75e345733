"""The people of a study: those with the most games are measured, the others train the style network."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from sparring.records import GameRecord
from sparring.training.person.choices import PersonGames, person_games
from studies.person.packed_games import read_games

LEAST_GAMES = 20
"""Games of a person whose games are packed, or who is measured."""
_TRAINING_GAMES = 8
"""Games of a person who trains the style network."""

_INVENTED = "lila-db-seed"
"""The site of Lichess's games for developers: real games under invented names. The rating of such a name
jumps by 200 points from game to game."""


def people_of(records: Iterable[GameRecord], game: str, least: int) -> list[PersonGames]:
    """Everybody with at least so many games, most games first. Games with invented names are left out."""
    by_name: dict[str, list[GameRecord]] = {}
    for record in records:
        if (record.site or "").startswith(_INVENTED):
            continue
        for name in {record.first, record.second} - {None, ""}:
            by_name.setdefault(str(name), []).append(record)
    found = [person_games(games, game, name) for name, games in by_name.items() if len(games) >= least]
    return sorted((each for each in found if len(each) >= least), key=lambda each: (-len(each), each.name))


def held_out_people(paths: Sequence[Path], game: str, people: int, most: int) -> list[PersonGames]:
    """The people who are measured, each with their latest games."""
    records = [record for path in paths for record in read_games(path, game)]
    return [each[max(0, len(each) - most) :] for each in people_of(records, game, LEAST_GAMES)[:people]]


def training_people(paths: Sequence[Path], game: str, people: int, most: int) -> list[PersonGames]:
    """Everybody else, in random order, each with their latest games."""
    records = [record for path in paths for record in read_games(path, game)]
    others = people_of(records, game, _TRAINING_GAMES)[people:]
    order = np.random.default_rng(0).permutation(len(others)).tolist()
    return [others[i][max(0, len(others[i]) - most) :] for i in order]
