"""`sparring backup` and `sparring restore`: the data folder as one file, and back.

A backup is a zip file with the files of the folder and a list of them with checksums. Restoring reads and
checks all of it beside the data folder, and then exchanges the two folders: whatever goes wrong, one whole
folder is there. The folder that was there before is kept.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
import time
import zipfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, Annotated, Any

import typer

from sparring.base.config import user_data_folder
from sparring.base.errors import BadFile, CannotWrite, UserError
from sparring.base.storage import FolderLock, atomic_writer, lock_folder
from sparring.cli.console import foreign, make_console
from sparring.cli.serve import ADDRESS, GAMES, PAGE_LOCK

LIST = "sparring-backup.json"
"""The list of the files in a backup."""
_FORMAT = 1
_CACHES = ("choices",)
"""Folders whose content can be computed again."""
_CHUNK = 1 << 20
_LARGEST_LIST = 64 << 20
_MOST_FILES = 1_000_000
_RESERVE = 64 << 20
"""Bytes of the disk that stay free."""

BackupFile = Annotated[Path, typer.Argument(help="The backup, a zip file.", show_default=False)]
DataFolder = Annotated[Path | None, typer.Option(help="The folder of games (your data folder).")]


def backup(file: BackupFile, folder: DataFolder = None) -> None:
    """Write your data folder to one file.

    Games, persons and added networks are in it. The file is read again and compared before it replaces an
    older backup. A server with these games must be ended first.
    """
    place = folder or user_data_folder()
    if not place.is_dir():
        raise UserError(f"there is no folder {place}: nothing to back up")
    with _guarded(), _unused(place):
        if file.exists() and not _is_backup(file):
            raise UserError(f"{file} is there already and is no backup: choose another name")
        count, size = write_backup(place, file)
    make_console().print(
        f"{count:,} files, {size / 1e6:,.1f} MB: [bold]{foreign(file)}[/]  "
        f"(sparring restore {foreign(file)} brings them back)",
        soft_wrap=True,
    )


def restore(file: BackupFile, folder: DataFolder = None) -> None:
    """Bring a data folder back from a backup.

    The whole backup is checked first. What was in the folder before is kept in a folder beside it. A server
    with these games must be ended first.
    """
    place = folder or user_data_folder()
    with _guarded():
        if not file.is_file():
            raise UserError(f"there is no file {file}")
        place.mkdir(parents=True, exist_ok=True)
        with _unused(place):
            kept, count = restore_backup(file, place)
    console = make_console()
    console.print(f"{count:,} files are back in [bold]{foreign(place)}[/]", soft_wrap=True)
    if kept is not None:
        console.print(f"What was there before is in {foreign(kept)}", soft_wrap=True)


@contextmanager
def _guarded() -> Iterator[None]:
    """One sentence for what the disk or the file does not allow."""
    try:
        yield
    except (BadFile, CannotWrite, OSError, sqlite3.Error, zipfile.BadZipFile) as error:
        raise UserError(str(error)) from None


def _unused(folder: Path) -> FolderLock:
    """Locks the games of a folder. Raises CannotWrite if a server uses them, or OSError."""
    try:
        return lock_folder(folder, PAGE_LOCK)
    except CannotWrite:
        raise CannotWrite(f"a server runs with the games of {folder}: end it first (Ctrl-C)") from None


# Writing.


def write_backup(folder: Path, file: Path) -> tuple[int, int]:
    """Writes a backup of a folder, and compares it with what was written. Returns the number of files and
    the bytes of the backup. Raises BadFile or OSError."""
    with atomic_writer(file) as part:
        _make_private(part)
        skipped = {file.resolve(), part.resolve()}
        paths = sorted(path for path in _kept_files(folder) if path.resolve() not in skipped)
        listed: dict[str, list[Any]] = {}
        with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED, allowZip64=True) as archive:
            for path in paths:
                name = path.relative_to(folder).as_posix()
                with _opened(path) as source, archive.open(name, "w", force_zip64=True) as target:
                    listed[name] = list(_copied(source, target))
            table = {"format": _FORMAT, "created": int(time.time()), "files": listed}
            archive.writestr(LIST, json.dumps(table))
        with zipfile.ZipFile(part) as archive:
            for name, expected in _listed(archive).items():
                with archive.open(name) as source:
                    _compare(name, _copied(source, None), expected)
    return len(listed), file.stat().st_size


def _make_private(part: Path) -> None:
    """Makes an empty file that only its owner reads: games have their visitors' secrets."""
    part.touch(mode=0o600)
    part.chmod(0o600)  # one that a kill left has another mode


def _kept_files(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        top = path.relative_to(folder).parts[0]
        if top in _CACHES or path.is_symlink() or not path.is_file():
            continue
        if path.name.endswith((".lock", ".part", "-wal", "-shm")) or path.name == ADDRESS:
            continue
        yield path


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    """A file to be copied; of a database what is stored, with the changes in the files beside it."""
    if path.name != GAMES:
        with path.open("rb") as file:
            yield file
        return
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with path.open("rb") as file:
        yield file


def _copied(source: IO[bytes], target: IO[bytes] | None, most: int | None = None) -> tuple[int, str]:
    """Copies a file; its size and SHA-256. Raises BadFile if it has more than `most` bytes."""
    size, checksum = 0, hashlib.sha256()
    while chunk := source.read(_CHUNK):
        size += len(chunk)
        if most is not None and size > most:
            raise BadFile("the backup is damaged: a file is longer than its list says")
        checksum.update(chunk)
        if target is not None:
            target.write(chunk)
    return size, checksum.hexdigest()


# Reading.


def restore_backup(file: Path, folder: Path) -> tuple[Path | None, int]:
    """Replaces a folder by a backup. Returns the folder that has what was there before, None if nothing was,
    and the number of files. Raises BadFile or OSError; the folder is then as it was."""
    new = folder.with_name(f".{folder.name}.restoring")
    shutil.rmtree(new, ignore_errors=True)  # of a restore that was killed
    try:
        count = _unpack(file, new)
        if (new / GAMES).exists():
            _check_games(new / GAMES)
        kept = _exchange(folder, new)
    except BaseException:
        shutil.rmtree(new, ignore_errors=True)
        raise
    return kept, count


def _unpack(file: Path, folder: Path) -> int:
    try:
        with zipfile.ZipFile(file) as archive:
            listed = _listed(archive)
            total = sum(size for size, _ in listed.values())
            folder.mkdir(parents=True)
            if total + _RESERVE > shutil.disk_usage(folder).free:
                raise CannotWrite(f"the disk has no room for the {total:,} bytes of {file}")
            for name, (size, checksum) in listed.items():
                path = folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                with atomic_writer(path) as part, archive.open(name) as source:
                    _make_private(part)
                    with part.open("wb") as target:
                        copied = _copied(source, target, size)
                _compare(name, copied, [size, checksum])
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, KeyError, ValueError) as error:
        raise BadFile(f"{file} is damaged, or no backup ({' '.join(str(error).split())[:200]})") from None
    except Exception as error:
        if isinstance(error, BadFile | CannotWrite | OSError):
            raise
        raise BadFile(f"{file} is damaged, or no backup ({type(error).__name__})") from None
    return len(listed)


def _listed(archive: zipfile.ZipFile) -> dict[str, tuple[int, str]]:
    """The files of a backup with size and checksum. Raises BadFile, or the exceptions of zipfile."""
    with archive.open(LIST) as file:
        content = file.read(_LARGEST_LIST + 1)
    if len(content) > _LARGEST_LIST:
        raise BadFile("the list of the backup's files is too long")
    table = json.loads(content)
    if not isinstance(table, dict) or not isinstance(table.get("files"), dict):
        raise BadFile("it has no list of files")
    if table.get("format") != _FORMAT:
        raise BadFile("the backup was written by another version of Sparring")
    listed: dict[str, tuple[int, str]] = {}
    for name, entry in table["files"].items():
        if not _is_safe(name):
            raise BadFile(f"the backup has a file of a name that is not allowed: {name[:80]!r}")
        size, checksum = entry
        if not isinstance(size, int) or size < 0 or not isinstance(checksum, str):
            raise BadFile("its list of files is damaged")
        listed[name] = (size, checksum)
    names = [entry.filename for entry in archive.infolist()]
    if len(names) > _MOST_FILES or sorted(names) != sorted([*listed, LIST]):
        raise BadFile("its files are not those of its list")
    return listed


def _is_safe(name: str) -> bool:
    """Whether a name is that of a file in the folder, on every system."""
    if "\\" in name or "\0" in name or ":" in name or not name.isprintable() or name.endswith("/"):
        return False
    path = PurePosixPath(name)
    if path.is_absolute() or not path.parts or str(path) != name or ".." in path.parts:
        return False
    return path.name not in (ADDRESS, LIST, f"{GAMES}-wal", f"{GAMES}-shm") and path.suffix != ".lock"


def _compare(name: str, copied: tuple[int, str], expected: Any) -> None:
    if list(copied) != list(expected):
        raise BadFile(f"the backup is damaged: {name} differs from its checksum")


def _check_games(path: Path) -> None:
    """Raises BadFile if the file of games is damaged or of a newer version."""
    from sparring.server.store import SCHEMA_VERSION

    with closing(sqlite3.connect(path)) as database:
        (version,) = database.execute("PRAGMA user_version").fetchone()
        if not 0 <= version <= SCHEMA_VERSION:
            raise BadFile("the games of the backup were written by another version of Sparring")
        rows = database.execute("PRAGMA integrity_check(1)").fetchall()
    if rows != [("ok",)]:
        raise BadFile("the games of the backup are damaged")


def _exchange(folder: Path, new: Path) -> Path | None:
    """Puts a folder in the place of another, which is kept under a name with the time, unless it is empty."""
    own = [path for path in folder.iterdir() if path.name not in (PAGE_LOCK, ADDRESS)]
    stamp = time.strftime("%Y-%m-%d-%H%M%S")
    kept = folder.with_name(f"{folder.name}.before-{stamp}")
    while kept.exists():
        kept = kept.with_name(f"{kept.name}-2")
    folder.rename(kept)
    try:
        new.rename(folder)
    except BaseException:
        kept.rename(folder)
        raise
    if own:
        return kept
    shutil.rmtree(kept, ignore_errors=True)
    return None


def _is_backup(file: Path) -> bool:
    try:
        with zipfile.ZipFile(file) as archive:
            return LIST in archive.namelist()
    except (OSError, zipfile.BadZipFile):
        return False
