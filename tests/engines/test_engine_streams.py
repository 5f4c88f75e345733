"""Closed, full and blocked streams, and files that never end."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import time
from pathlib import Path

import pytest

from sparring.base.errors import BadConfig, BadFile
from sparring.go import gtp as gtp_search
from sparring.networks import store
from sparring.players import load_player_config, load_player_file
from tests.engines.engine_client import TIMEOUT_SECONDS, command, engine

PROTOCOLS = {"uci": "uci\nisready\nquit\n", "gtp": "name\nversion\nquit\n"}


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("redirection", ["<&-", ">&-", "<&- >&- 2>&-", ">/dev/full", "2>&- >/dev/full"])
def test_closed_and_full_streams_end_an_engine_in_order(protocol: str, redirection: str) -> None:
    if "/dev/full" in redirection and not Path("/dev/full").exists():
        pytest.skip("needs /dev/full")
    done = subprocess.run(
        ["sh", "-c", f"{shlex.join(command(protocol))} {redirection}"],
        input=PROTOCOLS[protocol],
        capture_output=True,
        text=True,
        check=False,
        timeout=10 * TIMEOUT_SECONDS,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_gui_that_never_reads_does_not_block_quit(small: dict[str, Path]) -> None:
    with subprocess.Popen(
        command("uci", "--model", str(small["chess"])), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as running:
        assert running.stdin is not None
        running.stdin.write(b"uci\n" * 500 + b"isready\ngo infinite\nquit\n")
        running.stdin.flush()
        assert running.wait(10 * TIMEOUT_SECONDS) == 0


def test_answers_wait_for_a_slow_gui_and_information_is_dropped(small: dict[str, Path]) -> None:
    with engine("uci", small["chess"]) as session:
        for _ in range(300):
            session.send("uci")
        session.send("isready")
        time.sleep(0.2)  # the pipe is full by now
        lines = session.until("readyok")
    assert lines.count("uciok") == 300


def test_the_end_of_the_input_ends_genmove(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gtp_search, "_LAST_SECONDS", 0.2)
    with engine("gtp", nodes=10**9, memory=64) as session:
        session.send("boardsize 9", "genmove b", "genmove w")
        session.until("=")
        time.sleep(0.5)
        answers = [line for line in session.hang_up() if line]
    assert len(answers) == 2
    assert all(answer.startswith("= ") for answer in answers)


def test_a_script_in_a_pipe_gets_whole_searches() -> None:
    with engine("gtp", nodes=8) as session:
        session.send("boardsize 9", "lz-genmove_analyze b 1")
        lines = session.hang_up()
    assert sum(int(visits) for visits in re.findall(r"visits (\d+)", lines[-3])) == 7


@pytest.fixture(params=["fifo", "device"])
def endless(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A file that never ends, or never begins."""
    if request.param == "device":
        link = tmp_path / "endless.toml"
        link.symlink_to("/dev/zero")
        return link
    path = tmp_path / "fifo.toml"
    os.mkfifo(path)
    return path


def test_endless_files_are_refused(endless: Path) -> None:
    with engine("gtp") as session:
        assert session.gtp(f"loadsgf {endless}") == "? cannot load file: it is not a regular file"
    with engine("uci") as session:
        lines = session.ask(f"setoption name Player value {endless}", "uci", until="uciok")
        assert lines[0].endswith("not a regular file")
    with pytest.raises(BadConfig, match="not a regular file"):
        load_player_config(endless)
    with pytest.raises(BadConfig, match="not a regular file"):
        load_player_file(endless)
    with pytest.raises(BadFile, match="regular file"):
        store.add(endless, "endless")
