"""Think time, repertoires and levels that follow the person's results, at the terminal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sparring.cli import main, terminal


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("SPARRING_HOME", str(tmp_path))
    return tmp_path


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that the opponent takes; nobody waits."""
    waited: list[float] = []

    def wait(seconds: float | None, *_: Any) -> None:
        waited.append(seconds or 0.0)

    monkeypatch.setattr(terminal, "wait_out", wait)
    return waited


def play(monkeypatch: pytest.MonkeyPatch, typed: list[str], *options: str) -> None:
    lines = iter(typed)
    monkeypatch.setattr(terminal.LineInput, "read", lambda self, prompt, words: next(lines))
    main(["play", "chess", "--seed", "1", *options])


def test_with_a_clock_the_opponent_takes_peoples_time(
    monkeypatch: pytest.MonkeyPatch, waits: list[float]
) -> None:
    moves = ["e4", "Nf3", "quit"]
    play(monkeypatch, moves, "--clock", "90+30")
    thinking = list(waits)
    assert len(thinking) == 2
    waits.clear()
    play(monkeypatch, moves, "--clock", "90+30", "--instant")
    assert sum(waits) < sum(thinking)
    waits.clear()
    play(monkeypatch, moves)
    assert not waits  # no clock, no wait


def test_the_level_follows_the_results(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], home: Path
) -> None:
    play(monkeypatch, ["e4", "resign"], "--level", "adapt", "--my-rating", "1400")
    first = capsys.readouterr().out
    assert "level 1400" in first
    assert "this is your first game" in first
    assert "After 1 game your strength is" in first
    (result,) = [json.loads(line) for line in (home / "opponents" / "chess.jsonl").read_text().splitlines()]
    assert (result["level"], result["score"]) == (1400, 0)
    play(monkeypatch, ["quit"], "--level", "adapt", "--my-rating", "1400")
    second = capsys.readouterr().out
    assert "level 1400" not in second
    assert "after 1 game your strength is" in second


def test_the_opponent_plays_the_repertoire(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "black.pgn"
    path.write_text("1. e4 (1. a4 h5 2. h4 a5) 1... Nh6 *\n")
    play(monkeypatch, ["a4", "h4", "quit"], "--repertoire", str(path))
    shown = capsys.readouterr().out
    assert "Black plays h5 (from the book (100%))" in shown
    assert "Black plays a5 (from the book (100%))" in shown
