"""Modules that playing needs are imported where POSIX is missing, and where the system calls itself Windows.

It is no proof that Sparring runs there: that is untested.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import sparring

PACKAGE = Path(sparring.__file__).parent
POSIX = ("fcntl", "grp", "posix_ipc", "pty", "pwd", "readline", "resource", "syslog", "termios", "tty")
"""Modules of Python that Windows lacks."""
NAMES = {
    "os": (
        "fork",
        "forkpty",
        "getloadavg",
        "getuid",
        "killpg",
        "nice",
        "sched_getaffinity",
        "setsid",
        "uname",
    ),
    "signal": ("SIGALRM", "SIGHUP", "SIGKILL", "alarm", "pthread_sigmask", "setitimer"),
    "select": ("epoll", "poll"),
}
"""Names that modules of Windows lack."""
NOT_PLAYING = ("sparring.training", "sparring.networks.torch_executor", "sparring.__main__")
EXTRAS = (
    "matplotlib",
    "onnx",
    "openvino",
    "pyarrow",
    "ray",
    "reconchess",
    "tensorboard",
    "torch",
    "zstandard",
)
BEGIN = f"""
import asyncio, concurrent.futures, importlib, multiprocessing, os, pathlib, select, signal, sqlite3
import subprocess, sys  # Python's own modules and those of others are not tried here
import anyio, chess.engine, chess.pgn, fastapi.staticfiles, filelock, msgspec, numpy, onnxruntime
import rich.console, typer, uvicorn, websockets.sync.client

for name in {(*POSIX, *EXTRAS)}:
    sys.modules[name] = None
for module, names in {NAMES}.items():
    for name in names:
        if hasattr(sys.modules[module], name):
            delattr(sys.modules[module], name)
"""


def modules() -> list[str]:
    """All modules of the package but those that need an extra."""
    paths = sorted(PACKAGE.rglob("*.py"))
    names = [".".join(("sparring", *path.relative_to(PACKAGE).with_suffix("").parts)) for path in paths]
    return [name.removesuffix(".__init__") for name in names if not name.startswith(NOT_PLAYING)]


def run(code: str, folder: Path) -> str:
    """What a program prints after the names of POSIX are gone."""
    command = [sys.executable, "-c", BEGIN + code]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("platform", [sys.platform, "win32"])
def test_every_module_of_playing_is_imported_without_posix(platform: str, tmp_path: Path) -> None:
    code = f"""
from sparring.base.errors import MissingExtra
sys.platform = {platform!r}
seen = 0
for name in {modules()}:
    try:
        importlib.import_module(name)
        seen += 1
    except MissingExtra:
        pass
    except ModuleNotFoundError as error:
        assert error.name.partition(".")[0] in {EXTRAS}, (name, error)
print(seen)
"""
    assert int(run(code, tmp_path)) > 0.8 * len(modules())


def test_a_game_is_played_without_posix(tmp_path: Path) -> None:
    code = """
from sparring.cli import main
main(["play", "chess", "--level", "800", "--seed", "1"])
"""
    command = [sys.executable, "-c", BEGIN + code]
    typed = "e4\nresign\nquit\n"
    done = subprocess.run(
        command, cwd=tmp_path, input=typed, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "Your opponent is" in done.stdout


def test_an_engine_is_driven_without_waiting_for_pipes(tmp_path: Path) -> None:
    """As on Windows: threads move the bytes, and no process group is killed."""
    code = """
program = [sys.executable, "-u", "-c", "for line in iter(input, 'quit'): print(line.upper())"]
import time
from sparring.players import engines
sys.platform, signal.SIGKILL = "win32", signal.Signals(9)  # Python itself kills by it here
engine = engines.EngineProcess(program, {}, None)
engine.send("uci", time.monotonic() + 60)
assert engine.receive(time.monotonic() + 60) == "UCI"
engine.close("quit", 60)
print("closed")
"""
    assert run(code, tmp_path) == "closed\n"


def test_the_user_s_folder_on_windows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from sparring.base.config import user_data_folder

    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.delenv("SPARRING_HOME", raising=False)
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    assert user_data_folder() == tmp_path / "sparring"
