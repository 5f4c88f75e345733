"""Journals: entries survive any end of a run; journals of other runs are refused."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sparring.base.errors import BadFile, JournalMismatch
from sparring.base.storage import Journal, read_journal
from tests.storage.fault_injection import linux, run
from tests.waiting import wait_for_lines

HEADER = {"limit": 5, "players": ("a", "b"), "games": 3}


def filled(path: Path, *entries: Any, **options: Any) -> Path:
    journal = Journal(path, **options)
    for entry in entries:
        journal.add(entry)
    return path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "journal.jsonl"


def test_entries_are_lines_of_json_that_the_next_run_has(path: Path) -> None:
    entries = [{"a": 1, "b": None}, [0.1, "Grüße\n\u2028"], "text", float("inf")]
    filled(path, *entries)
    assert Journal(path).entries == read_journal(path) == entries
    assert path.read_bytes().count(b"\n") == 4
    filled(path, 5, sync=True)
    assert Journal(path).entries == [*entries, 5]


def test_no_journal_is_an_empty_one_and_opening_makes_it(path: Path) -> None:
    assert read_journal(path) == []
    assert not path.exists()
    assert Journal(path).entries == []
    assert path.read_bytes() == b""


@pytest.mark.parametrize("half", [b"{", b'{"a": 2', b'{"a": 2}', b"\xff\x00\x00", b"\x00" * 5000])
def test_a_half_line_is_cut_off(half: bytes, path: Path) -> None:
    filled(path, {"a": 1})
    whole = path.read_bytes()
    path.write_bytes(whole + half)
    assert read_journal(path) == [{"a": 1}]
    assert path.read_bytes() == whole + half, "who only reads changes nothing"
    assert Journal(path).entries == [{"a": 1}]
    assert path.read_bytes() == whole
    filled(path, {"a": 2})
    assert Journal(path).entries == [{"a": 1}, {"a": 2}]


def test_nothing_but_a_half_line_is_an_empty_journal(path: Path) -> None:
    path.parent.mkdir()
    for header in (None, HEADER):
        path.write_bytes(b'{"limit": 5, "pla')
        assert Journal(path, header=header).entries == []
        assert read_journal(path) == ([] if header is None else [{**HEADER, "players": ["a", "b"]}])


@pytest.mark.parametrize("broken", [b'{"a": 2', b"", b"\xff", b'{"a": {"a": 3}', b"[" * 100_000])
def test_two_half_lines_are_named_or_left_out_as_the_caller_says(broken: bytes, path: Path) -> None:
    filled(path, {"a": 1})
    content = path.read_bytes() + broken + b'\n{"a": 4}\n{"a": '
    path.write_bytes(content)
    for read in (Journal, read_journal):
        with pytest.raises(BadFile, match=r"journal.jsonl, line 2 is not JSON"):
            read(path)
    assert path.read_bytes() == content, "nothing is done to a journal that cannot be gone on with"
    assert read_journal(path, lenient=True) == [{"a": 1}, {"a": 4}]
    assert Journal(path, lenient=True).entries == [{"a": 1}, {"a": 4}]
    filled(path, {"a": 5}, lenient=True)
    assert Journal(path, lenient=True).entries == [{"a": 1}, {"a": 4}, {"a": 5}]


def test_the_first_line_says_what_it_is_about_and_is_no_entry(path: Path) -> None:
    filled(path, 1, 2, header=HEADER)
    assert path.read_text() == '{"limit": 5, "players": ["a", "b"], "games": 3}\n1\n2\n'
    assert Journal(path, header=HEADER).entries == [1, 2]


@pytest.mark.parametrize(
    "other", [{**HEADER, "limit": 6}, {"limit": 5}, {**HEADER, "more": None}, {**HEADER, "players": "ab"}]
)
def test_another_setting_is_refused_or_begun_anew(other: dict[str, Any], path: Path) -> None:
    filled(path, 1, 2, header=HEADER)
    content = path.read_bytes() + b"3"
    path.write_bytes(content)
    with pytest.raises(JournalMismatch, match=r'has the header \{"limit": 5, .* not \{"limit"'):
        Journal(path, header=other)
    assert path.read_bytes() == content
    assert Journal(path, header=other, overwrite=True).entries == []
    filled(path, 7, header=other, overwrite=True)
    assert Journal(path, header=other).entries == [7]


def test_a_first_line_that_is_no_header_is_a_mismatch(path: Path) -> None:
    filled(path, 1, 2)
    with pytest.raises(JournalMismatch, match="has the header 1, not"):
        Journal(path, header=HEADER)


def test_mutable_keys_of_the_header_may_change(path: Path) -> None:
    filled(path, 1, header=HEADER)
    assert Journal(path, header={**HEADER, "games": 9}, mutable_keys=("games",)).entries == [1]
    assert read_journal(path) == [{"limit": 5, "players": ["a", "b"], "games": 9}, 1]
    with pytest.raises(JournalMismatch):
        Journal(path, header={**HEADER, "limit": 9}, mutable_keys=("games",))


def test_entries_that_are_not_wanted_are_dropped_for_good(path: Path) -> None:
    filled(path, *range(6), header=HEADER)
    journal = Journal(path, header=HEADER)
    journal.keep(lambda entry: entry < 4)
    assert journal.entries == [0, 1, 2, 3]
    journal.add(9)
    assert Journal(path, header=HEADER).entries == [0, 1, 2, 3, 9]


def test_entries_that_are_not_json_are_not_written(path: Path) -> None:
    filled(path, 1)
    with pytest.raises(TypeError):
        Journal(path).add({1, 2})
    assert Journal(path).entries == [1]


FULL = """
import resource, sys
from pathlib import Path
from sparring.base.storage import Journal
journal = Journal(Path(sys.argv[1]))
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
journal.add("x" * 50)
for size in (50, 10):
    try:
        journal.add("y" * size)
    except OSError as error:
        print(error.strerror)
"""


def test_a_line_that_does_not_fit_leaves_no_half_behind(path: Path) -> None:
    assert run(FULL, path).stdout == "File too large\n"
    assert path.read_text() == f'"{"x" * 50}"\n"{"y" * 10}"\n'


SHUT = """
import sys
from pathlib import Path
from sparring.base.storage import Journal
try:
    Journal(Path(sys.argv[1]))
except PermissionError as error:
    print(Path(error.filename).name)
"""


@linux
def test_a_read_only_folder_is_detected_before_any_work(path: Path) -> None:
    path.parent.mkdir(mode=0o555)
    tried = run(SHUT, path, drop_capabilities=True).stdout
    if path.exists():
        pytest.skip("this user may write everywhere, and the right to do so cannot be given up")
    assert tried == "journal.jsonl.part\n"


KILLED_IN_A_LINE = """
import resource, signal, sys
from pathlib import Path
from sparring.base.storage import Journal
journal = Journal(Path(sys.argv[1]))
journal.add("x" * 50)
signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # a file that grows beyond the limit ends the process at once
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
journal.add("y" * 90)
"""


def test_killed_in_the_middle_of_a_line_a_run_goes_on_with_the_whole_ones(path: Path) -> None:
    assert run(KILLED_IN_A_LINE, path).returncode == -signal.SIGXFSZ
    assert path.read_text() == f'"{"x" * 50}"\n"{"y" * 46}'
    filled(path, "z")
    assert Journal(path).entries == ["x" * 50, "z"]


WORKING = """
import sys
from pathlib import Path
from sparring.base.storage import Journal
journal = Journal(Path(sys.argv[1]), header={"work": 1})
done = len(journal.entries)
while True:
    journal.add({"number": done, "text": "some work " * 500})
    done += 1
"""


def test_killed_again_and_again_no_piece_is_lost_or_done_twice(path: Path) -> None:
    for lines in (30, 60, 90):
        working = subprocess.Popen([sys.executable, "-c", WORKING, str(path)])
        wait_for_lines(path, lines)
        working.send_signal(signal.SIGKILL)
        assert working.wait() == -signal.SIGKILL
        entries = Journal(path, header={"work": 1}).entries
        assert [entry["number"] for entry in entries] == list(range(len(entries)))
        assert len(entries) >= lines - 1
