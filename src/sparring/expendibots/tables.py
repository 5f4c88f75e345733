"""Endgame tables of Expendibots: the result of perfect play for every position with few tokens.

The shipped archive has all materials of up to five tokens. A member, such as 3v2, has a signed byte per
position up to symmetry: 0 for a draw, else the number of actions until the side to move wins (positive) or
loses (negative). The limit of 250 turns is ignored, because it depends on the history.
"""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np

from sparring import data
from sparring._core import ExpendibotsEndgameTables, ParseError
from sparring.base.errors import BadFile
from sparring.base.storage import atomic_writer

SHIPPED_TABLES = data.path("endgames", "expendibots")
"""The shipped tables."""
MATERIALS = ((1, 1), (2, 1), (2, 2), (3, 1), (3, 2), (4, 1))
"""Tokens of the stronger and the weaker side, in an order in which every BOOM leads to an earlier
material."""

_ABOUT = "about.json"
_NO_POSITION = -128


def build_tables(path: Path, done: Callable[[str], None], origin: dict[str, object]) -> None:
    """Solves all materials, verifies every value against its successors, and writes the archive atomically.

    `done` is called with the name of each material. Raises BadFile if the verification fails.
    """
    endgames, about = ExpendibotsEndgameTables(), []
    with (
        atomic_writer(path) as part,
        zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive,
    ):
        for strong, weak in MATERIALS:
            values = endgames.solve(strong, weak)
            endgames.add(strong, weak, values)
            if errors := endgames.count_errors(strong, weak):
                raise BadFile(f"{errors} values of {strong} v {weak} do not follow from their successors")
            about += _count(strong, weak, values)
            _write(archive, f"{strong}v{weak}", values)
            done(f"{strong} v {weak}")
        _write(archive, _ABOUT, json.dumps({**origin, "materials": about}, indent=1).encode())


def open_tables(path: Path = SHIPPED_TABLES) -> ExpendibotsEndgameTables:
    """Reads an archive that `build_tables` wrote. Raises BadFile or OSError."""
    endgames = ExpendibotsEndgameTables()
    try:
        with zipfile.ZipFile(path) as archive:
            for strong, weak in MATERIALS:
                endgames.add(strong, weak, archive.read(f"{strong}v{weak}"))
    except (zipfile.BadZipFile, zlib.error, KeyError, ParseError) as error:
        raise BadFile(f"{path} has no endgame tables: {error}") from None
    return endgames


@cache
def shipped_tables() -> ExpendibotsEndgameTables:
    """Returns the shipped tables; they are read once."""
    return open_tables()


def about_tables(path: Path = SHIPPED_TABLES) -> dict[str, object]:
    """Returns the origin of the tables and the counts of each material. Raises BadFile or OSError."""
    try:
        with zipfile.ZipFile(path) as archive:
            about: dict[str, object] = json.loads(archive.read(_ABOUT))
            return about
    except (zipfile.BadZipFile, zlib.error, KeyError, ValueError) as error:
        raise BadFile(f"{path} has no endgame tables: {error}") from None


def _write(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    """Adds a member with a fixed date: the same content gives the same file."""
    entry = zipfile.ZipInfo(name)
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, content)


def _count(strong: int, weak: int, values: bytes) -> list[dict[str, object]]:
    """Counts the results of a table by the side to move; positions with the stronger side to move come
    first."""
    places = np.frombuffer(values, np.int8)
    halves = [(strong, weak, places)]
    if strong != weak:
        middle = len(places) // 2
        halves = [(strong, weak, places[:middle]), (weak, strong, places[middle:])]
    rows: list[dict[str, object]] = []
    for mover, other, half in halves:
        real = half[half != _NO_POSITION].astype(int)
        rows.append(
            {
                "mover": mover,
                "other": other,
                "positions": len(real),
                "won": int((real > 0).sum()),
                "drawn": int((real == 0).sum()),
                "lost": int((real < 0).sum()),
                "longest_win": int(real.max(initial=0)),
                "longest_loss": int(-real.min(initial=0)),
            }
        )
    return rows
