"""The user's folder of players that play like one person (`sparring train person`)."""

from __future__ import annotations

import difflib
import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from pathlib import Path

from sparring.base.config import user_data_folder
from sparring.base.errors import BadConfig, NotFound
from sparring.policies.person import SUFFIX, PersonCard, read_person

_SHOWN = 5
_LONGEST = 60
"""Characters of a file's name."""


@dataclass(frozen=True)
class PersonEntry:
    """A person's player."""

    name: str
    """The person's name in the records: any text."""
    game: str
    path: Path
    """The TOML file of the player."""
    games: int
    rating: int | None
    measured: str
    """What was measured on games that were not trained on, in a sentence; may be empty."""


def persons_folder() -> Path:
    """The folder of people's players. It may not exist."""
    return user_data_folder() / "persons"


def person_file(name: str, game: str) -> Path:
    """The TOML file of a person's player in the folder, with safe letters only: the file that this person has
    already, or one that nobody has."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    safe = re.sub(r"[^A-Za-z0-9_]+", "-", plain).strip("-")[:_LONGEST]
    stem = f"{game}-{safe or 'person'}"
    paths = (persons_folder() / f"{stem}{'' if i == 1 else f'-{i}'}.toml" for i in count(1))
    return next(path for path in paths if not path.exists() or _is_of(path, name, game))


def _is_of(path: Path, name: str, game: str) -> bool:
    card = _card(path)
    return card is None or (card.person, card.game) == (name, game)


def _card(path: Path) -> PersonCard | None:
    file = path.with_suffix(SUFFIX)
    try:
        state = file.stat()
        return _read_card(file, state.st_mtime_ns, state.st_size)
    except (BadConfig, OSError):
        return None


@lru_cache(256)
def _read_card(file: Path, changed: int, size: int) -> PersonCard:
    """The card of a file as it was at a time. Raises BadConfig or OSError."""
    return read_person(file).card


def stored_persons(game: str | None = None) -> list[PersonEntry]:
    """The players of the folder, sorted by name. Files that cannot be read are left out."""
    entries = []
    for path in sorted(persons_folder().glob("*.toml")):
        if (card := _card(path)) is not None and game in (None, card.game):
            entries.append(PersonEntry(card.person, card.game, path, card.games, card.rating, card.measured))
    return sorted(entries, key=lambda entry: (entry.name.casefold(), entry.path.name))


def find_person(name: str, game: str) -> PersonEntry:
    """The player of a person, by the person's name or the name of the file. Letters of either case are the
    same. Raises NotFound."""
    entries = stored_persons(game)
    wanted = name.casefold()
    for entry in sorted(entries, key=lambda person: person.name != name):  # the same letters first
        if wanted in (entry.name.casefold(), entry.path.stem.casefold()):
            return entry
    if not entries:
        raise NotFound(
            f"there is no person of {game} in {persons_folder()}: `sparring train person {game}` makes one"
        )
    folded = {entry.name.casefold(): entry.name for entry in entries}
    near = difflib.get_close_matches(wanted, folded, _SHOWN, 0.5) or list(folded)[:_SHOWN]
    raise NotFound(
        f"there is no person '{name}' of {game}; there are {', '.join(folded[key] for key in near)}"
    )
