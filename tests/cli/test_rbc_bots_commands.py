"""`sparring rbc generate`, `sparring play rbc --bot`; `sparring study` says what to run instead."""

from __future__ import annotations

import io
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from sparring.cli import main
from sparring.players import RandomPlayer, loading
from sparring.players.game_players import games_with_bots
from sparring.rbc.bots import BotConfig
from tests.players.test_player_conformance import has_stockfish


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """The exit status and what was printed."""
    try:
        main(list(words))
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    out, err = capsys.readouterr()
    return status, out, err


def test_games_are_generated_and_the_same_command_adds_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["rbc", "generate", "--players", "random, attacker", "--games", "2", "--processes", "1"]
    for _ in range(2):
        status, out, _ = run(capsys, *command, "--out", str(tmp_path))
        assert status == 0
        assert "2 games in" in out
    status, out, _ = run(capsys, "rbc", "track", str(tmp_path / "histories.jsonl.zst"), "--player", "white")
    assert status == 0
    assert "the opponent moves" in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["rbc", "generate", "--players", "nobody", "--out", "x"], "there is no bot 'nobody'"),
        (["rbc", "generate", "--players", ",", "--out", "x"], "at least one player"),
        (["play", "rbc", "--bot", "nobody"], "there is no player 'nobody'"),
        (["play", "rbc", "--bot", "sneaky", "--strength", "3"], "leave out --strength"),
        (["play", "rbc", "--bot", "sneaky", "--level", "1500"], "choose a --strength or a --bot"),
        (["play", "chess", "--bot", "sneaky"], "--bot is for rbc"),
    ],
)
def test_impossible_requests_are_one_line_errors(
    words: list[str],
    said: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    status, _, err = run(capsys, *words)
    assert status == 2
    assert said in err
    assert len(err.strip().splitlines()) == 1


def test_a_missing_network_of_a_bot_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.toml").write_text('kind = "planner"\n[planner]\nnetwork = "run/model.onnx"\n')
    status, _, err = run(capsys, "rbc", "generate", "--players", "mine.toml,random", "--out", "g2")
    assert (status, err) == (2, "sparring: bot mine.toml: run/model.onnx: No such file or directory\n")
    assert not Path("g2").exists()


def test_the_opponent_comes_from_a_file_and_is_closed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[BotConfig] = []
    closed: list[bool] = []

    def spying_bot(config: BotConfig) -> RandomPlayer:
        made.append(config)
        opponent = RandomPlayer()
        monkeypatch.setattr(opponent, "close", lambda: closed.append(True))
        return opponent

    bots = {game: replace(bots, make=spying_bot) for game, bots in games_with_bots().items()}
    monkeypatch.setattr(loading, "games_with_bots", lambda: bots)
    monkeypatch.setattr("sys.stdin", io.StringIO("e4\ne2e4\nquit\n"))
    (tmp_path / "mine.toml").write_text('kind = "inference"\nboards = 77\n')
    status, out, _ = run(capsys, "play", "rbc", "--player", str(tmp_path / "mine.toml"), "--seed", "3")
    assert (status, closed) == (0, [True])
    assert made[0].boards == 77
    assert "You leave the game." in out


@pytest.mark.skipif(not has_stockfish(), reason="Stockfish is not installed")
def test_a_game_against_stockfish_ends_the_process() -> None:
    script = "from sparring.cli import main; main(['play', 'rbc', '--bot', 'trout', '--side', 'black'])"
    done = subprocess.run([sys.executable, "-c", script], input=b"quit\n", capture_output=True, timeout=120)
    assert done.returncode == 0
