"""Sources are known by their content: moved, grown, completed and replaced files."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest
import zstandard

from sparring.base.storage import atomic_write
from sparring.cli import main
from sparring.records import BuildReport, build_table, load_preset, read_shards, records_of

EVERYTHING = load_preset("everything")


def games(name: str, numbers: range) -> str:
    return "".join(f'[Site "{name}-{i}"]\n\n1. e4 e5 2. Nf3 Nc6 1-0\n\n' for i in numbers)


def sites(folder: Path) -> Counter[str | None]:
    return Counter(record.site for shard in read_shards(folder) for record in records_of(shard))


def build(out: Path, *files: Path) -> BuildReport:
    return build_table(files, EVERYTHING, out, shard=3)


def expected(name: str, count: int) -> Counter[str | None]:
    return Counter(f"{name}-{i}" for i in range(count))


def test_another_file_of_the_same_name_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("x", "y"):
        atomic_write(tmp_path / name / "a.pgn", games(name, range(5)))
    for name in ("x", "y"):
        monkeypatch.chdir(tmp_path / name)
        build(tmp_path / "t", Path("a.pgn"))
    assert sites(tmp_path / "t") == expected("x", 5) + expected("y", 5)


def test_the_same_file_by_another_path_is_not_read_again(tmp_path: Path) -> None:
    (tmp_path / "a.pgn").write_text(games("a", range(5)))
    shutil.copy(tmp_path / "a.pgn", tmp_path / "b.pgn")
    build(tmp_path / "t", tmp_path / "a.pgn")
    report = build(tmp_path / "t", tmp_path / "b.pgn", tmp_path / "." / "a.pgn")
    assert sites(tmp_path / "t") == expected("a", 5)
    assert report.kept == 5
    assert "b.pgn: not read, its content is in the table already (from" in report.notes[0]
    assert "a.pgn: not read again" in report.notes[1]


def test_a_file_that_grew_is_read_on(tmp_path: Path) -> None:
    file = tmp_path / "a.pgn"
    for count in (4, 5, 9):
        file.write_text(games("a", range(count)))
        report = build(tmp_path / "t", file)
        assert sites(tmp_path / "t") == expected("a", count)
        assert (report.kept, report.seen) == (count, count)
    assert "grew" in report.notes[0]


def test_a_file_that_grew_in_the_middle_of_a_game(tmp_path: Path) -> None:
    file, text = tmp_path / "a.pgn", games("a", range(6))
    file.write_text(text[: len(text) // 2 + 20])
    assert sum(build(tmp_path / "t", file).dropped.values()) == 1  # no result
    file.write_text(text)
    report = build(tmp_path / "t", file)
    assert sites(tmp_path / "t") == expected("a", 6)
    assert (report.kept, report.seen) == (6, 6)


def test_a_download_that_was_completed_is_read_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.pgn.zst"
    packed = b"".join(zstandard.compress(games("a", range(i, i + 10)).encode()) for i in range(0, 100, 10))
    file.write_bytes(packed[: len(packed) // 2 + 7])
    report = build(tmp_path / "t", file)
    assert 0 < report.kept < 100
    assert "cut off" in report.examples[0]
    file.write_bytes(packed)
    main(["records", "build", str(file), "--preset", "everything", "--out", str(tmp_path / "t")])
    assert sites(tmp_path / "t") == expected("a", 100)
    assert "grew since it was read" in capsys.readouterr().out


def test_a_file_that_was_replaced_is_said_to_be_another(tmp_path: Path) -> None:
    file = tmp_path / "a.pgn"
    file.write_text(games("a", range(5)))
    build(tmp_path / "t", file)
    file.write_text(games("b", range(5)))
    report = build(tmp_path / "t", file)
    assert sites(tmp_path / "t") == expected("a", 5) + expected("b", 5)
    assert "another file than the one that was read" in report.notes[0]
