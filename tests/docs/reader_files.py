"""Small versions of the files that a reader of the docs has."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path

from sparring import data
from tests.matching.tables import rated, write_table
from tests.records.test_table import pgn


def _table(path: Path) -> None:
    """Enough games that every split has some."""
    rng = random.Random(1)
    write_table(path, "chess", [each for group in (1100, 1500) for each in rated(60, rng, group, plies=16)])


def _shipped_network(path: Path) -> None:
    """A network under another name: the format is found by the content."""
    shutil.copyfile(data.path("networks", "human-chess"), path)


def _text(text: str) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        path.write_text(text)

    return write


FILES: dict[str, Callable[[Path], None]] = {
    "december/": _table,
    "games.pgn": lambda path: _text(pgn(1, 5))(path),
    "maia-1500.pb.gz": _shipped_network,
    "t1-256x10.pb.gz": _shipped_network,
    "club.toml": _text('game = "chess"\nmodel = "human"\nrating = 1500\n'),
    "blend.toml": _text(
        'game = "chess"\n[[policy]]\nuse = "human"\nweight = 0.7\n[[policy]]\nuse = "strong"\nweight = 0.3\n'
    ),
    "cup.toml": _text(
        'game = "breakthrough"\ngames = 2\n'
        '[[player]]\nname = "a"\nstrength = 1\n[[player]]\nname = "b"\nstrength = 2\n'
    ),
}
"""Functions that write a file or a folder, by the name that the docs use."""


def write_reader_files(folder: Path, names: tuple[str, ...]) -> None:
    """Writes those of the files that are not there yet. Raises KeyError for an unknown name."""
    for name in names:
        if not (folder / name).exists():
            FILES[name](folder / name)
