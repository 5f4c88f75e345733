"""Atomic writes: old or new content after an error, a kill, a full disk, or in a read-only folder."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from sparring.base.storage import append_or_rollback, atomic_write, atomic_writer
from tests.storage.fault_injection import linux, run


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize(
    ("content", "there"), [("Grüße\n", "Grüße\n".encode()), (b"\x00\xff", b"\x00\xff"), ("", b"")]
)
def test_a_written_file_has_exactly_its_content(content: str | bytes, there: bytes, tmp_path: Path) -> None:
    atomic_write(tmp_path / "new" / "folder" / "a.txt", content)
    assert (tmp_path / "new" / "folder" / "a.txt").read_bytes() == there
    assert names(tmp_path / "new" / "folder") == ["a.txt"]


def test_the_old_file_stays_until_the_new_one_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.b.json"
    path.write_text("old")
    with atomic_writer(path) as part:
        part.write_text("new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert names(tmp_path) == ["a.b.json"]


@pytest.mark.parametrize("error", [OSError("full"), ValueError("ours"), KeyboardInterrupt()])
def test_any_error_leaves_the_old_file_and_no_part(error: BaseException, tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("old")

    def fail() -> None:
        with atomic_writer(path) as part:
            part.write_text("half of the n")
            raise error

    with pytest.raises(type(error)):
        fail()
    assert path.read_text() == "old"
    assert names(tmp_path) == ["a"]


def test_an_error_before_anything_was_written_is_the_one_that_is_seen(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="nothing yet"), atomic_writer(tmp_path / "a"):
        raise ValueError("nothing yet")
    assert names(tmp_path) == []


def test_appending_says_how_long_the_file_is_then(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "a"
    assert append_or_rollback(path, b"one") == 3
    assert append_or_rollback(path, b"") == 3
    assert append_or_rollback(path, b"three" * 100_000, sync=True) == 500_003
    assert path.read_bytes() == b"one" + b"three" * 100_000


def test_a_path_that_is_not_a_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "taken").touch()
    for path in (tmp_path / "taken" / "a", tmp_path / "taken" / "b" / "a"):
        with pytest.raises(OSError, match="taken"):
            atomic_write(path, "text")
        with pytest.raises(OSError, match="taken"):
            append_or_rollback(path, b"text")


@linux
def test_a_full_disk_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("old")
    (tmp_path / "a.part").symlink_to("/dev/full")
    with pytest.raises(OSError, match="No space left"):
        atomic_write(path, "new")
    assert path.read_text() == "old"
    assert names(tmp_path) == ["a"]


@linux
def test_the_error_is_seen_even_where_nothing_can_be_taken_back() -> None:
    with pytest.raises(OSError, match="No space left"):
        append_or_rollback(Path("/dev/full"), b"text")


FULL = """
import resource, sys
from pathlib import Path
from sparring.base.storage import append_or_rollback, atomic_write
path = Path(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
for write, size in ((append_or_rollback, 999), (atomic_write, 1001), (append_or_rollback, 994)):
    try:
        write(path, b"x" * size)
    except OSError as error:
        print(error.strerror)
"""


def test_a_disk_that_is_full_in_the_middle_has_what_it_had_before(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"before")
    tried = run(FULL, path)
    assert (tried.returncode, tried.stdout) == (0, "File too large\nFile too large\n")
    assert path.read_bytes() == b"before" + b"x" * 994, "of the 999 bytes 994 had fitted"
    assert names(tmp_path) == ["a"]


SHUT = """
import sys
from pathlib import Path
from sparring.base.storage import append_or_rollback, atomic_write
path = Path(sys.argv[1])
for write in (atomic_write, append_or_rollback):
    try:
        write(path, b"new")
        print("written")
    except PermissionError as error:
        print(Path(error.filename).name)
"""


@linux
def test_a_folder_that_is_shut_is_named_and_keeps_its_file(tmp_path: Path) -> None:
    folder = tmp_path / "shut"
    folder.mkdir()
    path = folder / "a"
    path.write_text("old")
    path.chmod(0o444)
    folder.chmod(0o555)
    try:
        tried = run(SHUT, path, drop_capabilities=True).stdout.split()
    finally:
        folder.chmod(0o755)
    if tried == ["written", "written"]:
        pytest.skip("this user may write everywhere, and the right to do so cannot be given up")
    assert tried == ["a.part", "a"]
    assert path.read_text() == "old"


KILLED = """
import os, signal, sys
from pathlib import Path
from sparring.base.storage import atomic_writer
with atomic_writer(Path(sys.argv[1])) as part:
    part.write_text("half of the n")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_kill_in_the_middle_leaves_the_old_file_and_the_next_writer_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("old")
    assert run(KILLED, path).returncode == -signal.SIGKILL
    assert path.read_text() == "old"
    atomic_write(path, "new")
    assert path.read_text() == "new"
    assert names(tmp_path) == ["a"]
