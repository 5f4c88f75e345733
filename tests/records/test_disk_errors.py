"""Disk errors: complete games are kept, the error is reported, and the same command resumes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from sparring.base.errors import CannotWrite
from sparring.cli import main
from sparring.records import build_table, load_preset, read_shards, records_of
from tests.storage.fault_injection import drop_root_capabilities, linux

EVERYTHING = load_preset("everything")
COMMAND = """
import resource, sys
from sparring.cli import main
files, out, largest = sys.argv[1], sys.argv[2], int(sys.argv[3])
if largest:
    resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))
main(["records", "build", files, "--out", out, "--preset", "everything"])
"""


def write_games(path: Path, count: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    games = (f'[Site "{path.name}-{i}"]\n\n1. e4 e5 2. Nf3 Nc6 1-0\n\n' for i in range(count))
    path.write_text("".join(games))


def sites(folder: Path) -> Counter[str | None]:
    return Counter(record.site for shard in read_shards(folder) for record in records_of(shard))


def run(files: Path, out: Path, largest: int = 0) -> subprocess.CompletedProcess[str]:
    """`records build` as a user whom permissions bind, with files of at most so many bytes (0: any)."""
    return subprocess.run(
        [sys.executable, "-c", COMMAND, str(files), str(out), str(largest)],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "COLUMNS": "200"},
        preexec_fn=drop_root_capabilities if sys.platform == "linux" else None,
    )


@linux
@pytest.mark.parametrize("full", ["00000.parquet.part", "00002.parquet.part", "manifest.json.part"])
def test_a_full_disk_keeps_what_was_safe_and_the_same_call_goes_on(full: str, tmp_path: Path) -> None:
    write_games(tmp_path / "a.pgn", 30)
    out = tmp_path / "t"
    out.mkdir()
    safe = {"00000.parquet.part": 0, "00002.parquet.part": 14, "manifest.json.part": 0}[full]
    (out / full).symlink_to("/dev/full")
    with pytest.raises(CannotWrite, match=f"No space left on device; {safe} games are safe"):
        build_table([tmp_path / "a.pgn"], EVERYTHING, out, shard=7)
    if safe:
        assert sites(out).total() == safe
    assert not list(out.glob("*.part")), "half a file takes no room"
    report = build_table([tmp_path / "a.pgn"], EVERYTHING, out, shard=7)
    assert report.kept == 30
    assert sites(out) == Counter(f"a.pgn-{i}" for i in range(30))


def test_the_command_says_what_the_disk_refused_and_goes_on_when_there_is_room(tmp_path: Path) -> None:
    write_games(tmp_path / "a.pgn", 300)
    full = run(tmp_path / "a.pgn", tmp_path / "t", largest=1000)
    assert full.returncode == 2
    assert len(full.stderr.splitlines()) == 1
    assert f"{tmp_path / 't'} cannot be written: File too large" in full.stderr
    assert run(tmp_path / "a.pgn", tmp_path / "t").returncode == 0
    assert sites(tmp_path / "t") == Counter(f"a.pgn-{i}" for i in range(300))


@linux
def test_unreadable_files_are_reported_and_read_later(tmp_path: Path) -> None:
    source, out = tmp_path / "in", tmp_path / "t"
    for name in ("a.pgn", "b-locked.pgn", "c/locked/d.pgn", "e-unsearchable/f.pgn", "g.pgn"):
        write_games(source / name, 5)
    locked = {source / "b-locked.pgn": 0, source / "c/locked": 0, source / "e-unsearchable": 0o400}
    for path, mode in locked.items():
        path.chmod(mode)
    try:
        first = run(source, out)
        if "25 of 25 games" in first.stdout:
            pytest.skip("this user may read everything, and the right to do so cannot be given up")
        assert first.returncode == 1, "exit status tells"
        assert "10 of 10 games" in first.stdout
        for name in ("b-locked.pgn", "c/locked", "e-unsearchable/f.pgn"):
            assert f"not read: {source / name}: Permission denied" in first.stdout
        assert set(sites(out)) == {f"{name}-{i}" for name in ("a.pgn", "g.pgn") for i in range(5)}
    finally:
        for path in locked:
            path.chmod(0o755)
    again = run(source, out)
    assert (again.returncode, again.stderr) == (0, "")
    names = ("a.pgn", "b-locked.pgn", "d.pgn", "f.pgn", "g.pgn")
    assert sites(out) == Counter(f"{name}-{i}" for name in names for i in range(5))


def test_a_file_that_vanished_is_named(tmp_path: Path) -> None:
    write_games(tmp_path / "a.pgn", 3)
    report = build_table([tmp_path / "a.pgn", tmp_path / "b.pgn"], EVERYTHING, tmp_path / "t")
    assert report.kept == 3
    assert report.unread == [f"{tmp_path / 'b.pgn'}: No such file or directory"]


def test_a_table_cannot_be_made_where_a_file_lies(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_games(tmp_path / "a.pgn", 3)
    (tmp_path / "t").write_text("not a folder")
    with pytest.raises(SystemExit) as ended:
        main(["records", "build", str(tmp_path / "a.pgn"), "--out", str(tmp_path / "t")])
    assert ended.value.code == 2
    error = capsys.readouterr().err
    assert str(tmp_path / "t") in error
    assert len(error.splitlines()) == 1
