"""Locks of folders: a second writer is refused or waits, and a killed writer leaves no lock."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sparring.base.errors import CannotWrite
from sparring.base.storage import lock_folder
from sparring.cli import main
from sparring.rbc.matches import GenerationConfig, generate
from sparring.records import build_table, load_preset

HOLD = """
import sys, time
from pathlib import Path
from sparring.base.storage import lock_folder
lock = lock_folder(Path(sys.argv[1]))
print("locked", flush=True)
time.sleep(float(sys.argv[2]))
"""


def test_a_second_writer_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    with lock_folder(folder):
        with pytest.raises(CannotWrite, match=f"another process is writing {folder}"):
            lock_folder(folder)
        lock_folder(folder, "part.lock").release()
    lock = lock_folder(folder)
    lock.release()
    lock.release()


@contextmanager
def holder(folder: Path, seconds: float) -> Iterator[subprocess.Popen[str]]:
    """A process that holds the folder's lock for some seconds."""
    command = [sys.executable, "-c", HOLD, str(folder), str(seconds)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "locked\n"
        yield process


def test_another_process_is_refused_and_a_kill_leaves_no_lock(tmp_path: Path) -> None:
    with holder(tmp_path, 60) as process:
        with pytest.raises(CannotWrite):
            lock_folder(tmp_path)
        process.kill()
    lock_folder(tmp_path).release()


def build(folder: Path) -> None:
    build_table([], load_preset("everything"), folder)


def generate_games(folder: Path) -> None:
    generate(GenerationConfig(("random", "attacker"), 1, 0, 0), folder, 1)


@pytest.mark.parametrize("write", [build, generate_games])
def test_commands_that_write_a_folder_refuse_a_second_writer(
    write: Callable[[Path], None], tmp_path: Path
) -> None:
    with lock_folder(tmp_path), pytest.raises(CannotWrite, match=f"another process is writing {tmp_path}"):
        write(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [".lock"]
    write(tmp_path)


@pytest.mark.parametrize(
    "words",
    [
        ("train", "people", "chess", "--records", "none", "--config", "maia-s-wide"),
        ("train", "treestrap", "breakthrough", "--games", "1"),
    ],
)
def test_training_refuses_a_folder_that_is_written(
    words: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with lock_folder(tmp_path), pytest.raises(SystemExit, match="2"):
        main([*words, "--out", str(tmp_path)])
    assert f"another process is writing {tmp_path}" in capsys.readouterr().err


def test_waiting_ends_when_the_lock_is_free(tmp_path: Path) -> None:
    with holder(tmp_path, 0.5):
        start = time.monotonic()
        lock_folder(tmp_path, wait=True).release()
        assert time.monotonic() - start > 0.2
