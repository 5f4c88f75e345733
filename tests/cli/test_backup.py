"""The data folder as one file, and back: nothing is lost, whatever the file is."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from sparring.cli import main
from sparring.cli.backup import LIST, restore_backup
from sparring.cli.serve import ADDRESS, GAMES
from sparring.server.app import create_app
from sparring.server.store import Database
from tests.server.conftest import ACCESS
from tests.server.test_game_store import start
from tests.server.test_games_api import begin, play


@pytest.fixture(scope="module")
def made_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with a game, a person and what does not belong into a backup."""
    folder = tmp_path_factory.mktemp("made") / "home"
    for name in ("persons/chess-Anna.toml", "models/own.onnx", "games/one.pgn", "choices/cache"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(name.encode() * 1000)
    (folder / ADDRESS).write_text("http://localhost:1/")
    (folder / "persons" / "link").symlink_to("/etc/hostname")
    with TestClient(create_app(folder / GAMES, ACCESS, None)) as client:
        play(client, begin(client, "breakthrough", opponent={"think_time": "none"}), "d2d3")
    return folder


@pytest.fixture
def home(made_home: Path, tmp_path: Path) -> Path:
    """A copy of that folder for one test."""
    return shutil.copytree(made_home, tmp_path / "home", symlinks=True)


def run(command: str, file: Path, folder: Path) -> int:
    try:
        main([command, str(file), "--folder", str(folder)])
        return 0
    except SystemExit as ended:
        return int(ended.code or 0)


def sentence(capsys: pytest.CaptureFixture[str]) -> str:
    """The one line on standard error."""
    (line,) = capsys.readouterr().err.splitlines()
    return line


def moves(folder: Path) -> list[Any]:
    with closing(sqlite3.connect(folder / GAMES)) as database:
        return database.execute("SELECT text FROM moves ORDER BY ply").fetchall()


def content(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_only_the_owner_reads_a_backup_and_what_comes_back(home: Path, tmp_path: Path) -> None:
    file, again = tmp_path / "all.zip", tmp_path / "again"
    file.with_name("all.zip.part").write_bytes(b"of a backup that was killed")
    file.with_name("all.zip.part").chmod(0o644)
    assert run("backup", file, home) == 0
    assert run("restore", file, again) == 0
    restored = [path for path in again.rglob("*") if path.is_file()]
    assert len(restored) > 3
    assert {path.stat().st_mode & 0o777 for path in (file, *restored)} == {0o600}


def test_a_folder_comes_back_as_it_was(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, before = tmp_path / "all.zip", moves(home)
    assert run("backup", file, home) == 0
    (home / "persons" / "chess-Anna.toml").write_text("lost")
    (home / "persons" / "chess-Later.toml").write_text("later")
    with closing(sqlite3.connect(home / GAMES)) as database, database:
        database.execute("DELETE FROM moves")
    assert run("restore", file, home) == 0
    assert moves(home) == before
    assert (home / GAMES).stat().st_mode & 0o777 == 0o600
    names = {"persons/chess-Anna.toml", "models/own.onnx", "games/one.pgn"}
    back = content(home)
    assert names <= set(back) <= names | {GAMES}
    assert all(back[name] == name.encode() * 1000 for name in names)
    (kept,) = tmp_path.glob("home.before-*")
    assert (kept / "persons" / "chess-Later.toml").read_text() == "later"
    assert str(kept) in capsys.readouterr().out.replace("\n", "")


def test_a_backup_has_the_changes_that_are_not_in_the_file_of_games_yet(home: Path, tmp_path: Path) -> None:
    server, _ = start(home)
    os.kill(server.pid, signal.SIGKILL)  # leaves the changes in the file beside it
    server.wait()
    assert server.stdout is not None
    server.stdout.close()
    database = sqlite3.connect(home / GAMES)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("UPDATE moves SET text = 'late' WHERE ply = 0")
    database.commit()
    assert run("backup", tmp_path / "all.zip", home) == 0
    database.close()
    assert run("restore", tmp_path / "all.zip", tmp_path / "other") == 0
    assert moves(tmp_path / "other")[0] == ("late",)
    assert not list(tmp_path.glob("other.before-*"))


@pytest.mark.parametrize("command", ["backup", "restore"])
def test_nothing_is_done_while_a_server_runs(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    file = tmp_path / "all.zip"
    assert run("backup", file, home) == 0
    size = file.stat().st_size
    server, _ = start(home)
    try:
        assert run(command, file, home) == 2
        assert "a server runs" in sentence(capsys)
        assert file.stat().st_size == size
        assert not list(tmp_path.glob("home.before-*"))
    finally:
        server.terminate()
        server.communicate()


def test_another_file_is_not_overwritten(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    letter = tmp_path / "letter.txt"
    letter.write_text("Dear Anna")
    assert run("backup", letter, home) == 2
    assert "no backup" in sentence(capsys)
    assert letter.read_text() == "Dear Anna"
    assert run("backup", home / "own.zip", home) == 0
    assert run("backup", home / "own.zip", home) == 0, (
        "an older backup is replaced, and is not in the new one"
    )
    with zipfile.ZipFile(home / "own.zip") as archive:
        assert "own.zip" not in archive.namelist()


def rewritten(file: Path, change: Any) -> None:
    """Writes a backup anew, with its files and list as `change` leaves them."""
    with zipfile.ZipFile(file) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    table = json.loads(entries.pop(LIST))
    change(entries, table)
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
        archive.writestr(LIST, json.dumps(table))


def _add(name: str) -> Any:
    def change(entries: dict[str, bytes], table: dict[str, Any]) -> None:
        entries[name] = b""
        empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        table["files"][name] = [0, empty]

    return change


CHANGES: dict[str, Any] = {
    "outside": _add("../outside"),
    "absolute": _add("/tmp/outside"),
    "windows": _add("..\\outside"),
    "drive": _add("c:/outside"),
    "lock": _add(".page.lock"),
    "journal": _add("page.sqlite-wal"),
    "content": lambda entries, table: entries.update({"games/one.pgn": b"other"}),
    "missing": lambda entries, table: entries.pop("games/one.pgn"),
    "unlisted": lambda entries, table: table["files"].pop("games/one.pgn"),
    "format": lambda entries, table: table.update(format=9),
    "list": lambda entries, table: table.update(files=[]),
    "entry": lambda entries, table: table["files"].update({"games/one.pgn": "x"}),
    "size": lambda entries, table: table["files"].update({"games/one.pgn": [1 << 60, ""]}),
    "games": lambda entries, table: _replace(entries, table, GAMES, b"no database" * 99),
}


def _replace(entries: dict[str, bytes], table: dict[str, Any], name: str, data: bytes) -> None:
    import hashlib

    entries[name] = data
    table["files"][name] = [len(data), hashlib.sha256(data).hexdigest()]


@pytest.mark.parametrize("kind", [*CHANGES, "cut", "noise", "empty", "newer"])
def test_a_backup_that_cannot_be_used_changes_nothing(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    file = tmp_path / "all.zip"
    assert run("backup", file, home) == 0
    if kind in CHANGES:
        rewritten(file, CHANGES[kind])
    elif kind == "newer":
        newer = tmp_path / "newer"
        Database(_made(newer) / GAMES).close()
        with closing(sqlite3.connect(newer / GAMES)) as database:
            database.execute("PRAGMA user_version = 99")
        assert run("backup", file, newer) == 0
    else:
        data = file.read_bytes()
        file.write_bytes({"cut": data[: len(data) // 2], "noise": bytes(range(256)) * 9, "empty": b""}[kind])
    before = content(home)
    capsys.readouterr()
    assert run("restore", file, home) == 2
    sentence(capsys)
    after = content(home)
    after.pop(".page.lock", None), before.pop(".page.lock", None)
    assert after == before
    assert sorted(path.name for path in tmp_path.iterdir() if "home" in path.name) == ["home"]


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def test_a_full_disk_leaves_the_folder_and_the_older_backup(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "all.zip"
    assert run("backup", file, home) == 0
    good, before = file.read_bytes(), content(home)

    def full(*arguments: Any) -> Any:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("sparring.cli.backup._copied", full)
    for command in ("backup", "restore"):
        assert run(command, file, home) == 2
        assert "No space left" in sentence(capsys)
        assert (file.read_bytes(), content(home)) == (good, before)
    monkeypatch.undo()
    monkeypatch.setattr("pathlib.Path.rename", full)
    with pytest.raises(OSError, match="No space left"):
        restore_backup(file, home)
    assert content(home) == before
