"""Backups: files that are changed, cut or made by others restore nothing, or a whole folder."""

from __future__ import annotations

import random
import zipfile
from pathlib import Path

from sparring.base.errors import BadFile, CannotWrite
from sparring.cli.backup import LIST, restore_backup, write_backup
from sparring.cli.serve import GAMES
from sparring.server.store import Database
from tests.robustness.trials import mutated, surface

_NAMES = (
    "../x",
    "/x",
    "a/../../x",
    "c:x",
    "a\\b",
    ".page.lock",
    "page.address",
    "",
    ".",
    "a//b",
    "x\n",
    "\ud800",
    LIST,
)


@surface("backups", trials=150)
def trial(rng: random.Random, folder: Path) -> None:
    """A hostile backup over a folder with games."""
    home, other, file = folder / "home", folder / "other", folder / "all.zip"
    for place in (home, other):
        (place / "persons").mkdir(parents=True)
        (place / "persons" / "a.toml").write_text(place.name)
        Database(place / GAMES).close()
    write_backup(other, file)
    if rng.random() < 0.5:
        file.write_bytes(mutated(rng, file.read_bytes()))
    else:
        _rewrite(rng, file)
    before = {path.relative_to(home): path.read_bytes() for path in home.rglob("*") if path.is_file()}
    try:
        kept, _ = restore_backup(file, home)
    except (BadFile, CannotWrite, OSError, zipfile.BadZipFile):
        kept = home
    else:
        assert kept is not None
        assert (home / "persons" / "a.toml").read_text() == "other"
        Database(home / GAMES).close()
    assert {path.relative_to(kept): path.read_bytes() for path in kept.rglob("*") if path.is_file()} == before
    assert {path.name.split(".before")[0] for path in folder.iterdir()} == {"home", "other", "all.zip"}


def _rewrite(rng: random.Random, file: Path) -> None:
    """Writes a backup anew, with an entry or a list that is not right."""
    with zipfile.ZipFile(file) as archive:
        entries = [(name, archive.read(name)) for name in archive.namelist()]
    at = rng.randrange(len(entries))
    name, data = entries[at]
    change = rng.randrange(4)
    if change == 0:
        entries[at] = (rng.choice(_NAMES).encode("utf-8", "replace").decode(), data)
    elif change == 1:
        entries[at] = (name, mutated(rng, data))
    elif change == 2:
        del entries[at]
    else:
        entries = [
            (other, content.replace(b"persons/a.toml", rng.choice(_NAMES).encode("utf-8", "replace")))
            for other, content in entries
        ]
    with zipfile.ZipFile(file, "w") as archive:
        for other, content in entries:
            archive.writestr(other, content)
