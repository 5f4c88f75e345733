"""Versions of move numberings and encodings in files.

A table stores moves by number, and a network sees and names moves by an encoding. Files that depend on either
store its version. A file without one was written before versions existed and counts as version 1.
"""

from __future__ import annotations

from collections.abc import Mapping

from sparring.base.errors import BadFile
from sparring.games.description import GameDescription

MOVE_NUMBERING = "move_numbering"
ENCODING_VERSION = "encoding_version"
_FIRST = 1


def check_move_numbering(game: GameDescription, entries: Mapping[str, object]) -> None:
    """Checks the entry `move_numbering` of a file. Raises BadFile."""
    _check(entries.get(MOVE_NUMBERING, _FIRST), game.move_numbering, f"move numbering of {game.name}")


def check_encoding(game: GameDescription, encoding: str, entries: Mapping[str, object]) -> None:
    """Checks the entry `encoding_version` of a file that uses an encoding. Raises BadFile.

    The encoding "planes" names moves by their codes, so it depends on the move numbering too.
    """
    expected = game.encodings.get(encoding, _FIRST)
    _check(entries.get(ENCODING_VERSION, _FIRST), expected, f"encoding '{encoding}' of {game.name}")
    if encoding == "planes":
        check_move_numbering(game, entries)


def _check(actual: object, expected: int, what: str) -> None:
    if actual != expected:
        raise BadFile(f"found version {str(actual)[:40]} of the {what}, expected version {expected}")
