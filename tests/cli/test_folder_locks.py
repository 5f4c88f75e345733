"""Every command that writes a folder or a file over time refuses to be the second writer."""

from __future__ import annotations

from pathlib import Path

import pytest

from sparring.base.storage import lock_file, lock_folder
from sparring.cli import main
from studies.__main__ import main as run_study
from tests.cli.command_errors import one_line_error

PGN = "1. e4 e5 1-0\n"
FOLDERS = {
    "records": ["records", "build", "{games}"],
    "generation": ["rbc", "generate", "--players", "attacker,random", "--games", "1"],
    "treestrap": ["train", "treestrap", "breakthrough", "--games", "1"],
    "people": ["train", "people", "chess", "--records", "{games}", "--config", "people-chess"],
    "evaluator": ["train", "evaluator", "expendibots", "--games", "1"],
    "matching": ["measure", "matching", "chess", "--policy", "human", "--records", "{games}"],
    "arena": ["arena", "run", "{tournament}"],
}
FILES = {
    "tables": ["expendibots", "tables", "build"],
    "book": ["expendibots", "book", "build", "--positions", "1", "--nodes", "10"],
}
TOURNAMENT = """
game = "breakthrough"
games = 2
[[player]]
name = "a"
strength = 1
[[player]]
name = "b"
strength = 1
"""


def filled(arguments: list[str], folder: Path) -> list[str]:
    (folder / "games.pgn").write_text(PGN)
    (folder / "cup.toml").write_text(TOURNAMENT)
    places = {"games": str(folder / "games.pgn"), "tournament": str(folder / "cup.toml")}
    return [argument.format(**places) for argument in arguments]


@pytest.mark.parametrize("kind", FOLDERS)
def test_a_second_writer_of_a_folder_is_refused(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    with lock_folder(out):
        line = one_line_error(capsys, [*filled(FOLDERS[kind], tmp_path), "--out", str(out)])
    assert f"another process is writing {out}" in line
    assert [path.name for path in out.iterdir()] == [".lock"]


@pytest.mark.parametrize("kind", FILES)
def test_a_second_writer_of_a_file_is_refused(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.bin"
    with lock_file(out):
        line = one_line_error(capsys, [*FILES[kind], "--out", str(out)])
    assert f"another process is writing {out}" in line
    assert [path.name for path in tmp_path.iterdir()] == [".out.bin.lock"]


@pytest.mark.parametrize("study", [["ladder"], ["expendibots-accept", "champion", "report", "--games", "2"]])
def test_a_second_run_of_a_study_in_a_folder_is_refused(
    study: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with lock_folder(tmp_path, f".{study[0]}.lock"), pytest.raises(SystemExit):
        run_study([*study, "--out", str(tmp_path)])
    assert "another process is writing" in capsys.readouterr().err


@pytest.mark.parametrize("kind", FILES)
def test_nothing_is_written_into_the_package_by_default(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        "sparring.expendibots.commands.build_tables", lambda out, finished, origin: build(out, finished)
    )
    monkeypatch.setattr("sparring.expendibots.commands.MATERIALS", [(1, 1)])

    def build(out: Path, finished: object) -> None:
        out.write_bytes(b"tables")
        finished("1 v 1")  # type: ignore[operator]  # a callback

    main(FILES[kind])
    written = {path.name for path in tmp_path.iterdir() if not path.name.startswith(".")}
    assert written == {"tables": {"expendibots-endgames.zip"}, "book": {"expendibots-book.npz"}}[kind]
