"""`sparring arena` from the command line."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from sparring.cli import main
from tests.arena.tournaments import FAKE
from tests.cli.command_errors import one_line_error

TOML = """
game = "expendibots"
seed = 3
games = 8
[[player]]
name = "one"
strength = 1
[[player]]
name = "two"
strength = 2
"""


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    return ended.value.code if isinstance(ended.value.code, int) else 0


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small tournament."""
    base = tmp_path_factory.mktemp("arena")
    (base / "cup.toml").write_text(TOML)
    main(["arena", "run", str(base / "cup.toml"), "--out", str(base / "cup")])
    return base / "cup"


def test_run_prints_the_standings_and_resumes_with_more_games(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["arena", "run", str(folder.parent / "cup.toml"), "--out", str(folder)])
    shown = capsys.readouterr().out
    assert "Elo" in shown
    assert "8 games in" in shown
    more = folder.parent / "more"
    main(["arena", "run", str(folder.parent / "cup.toml"), "--games", "4", "--out", str(more)])
    main(["arena", "run", str(folder.parent / "cup.toml"), "--games", "6", "--out", str(more)])
    assert "6 games in" in capsys.readouterr().out


def test_rate_prints_everything_as_json_too(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["arena", "rate", str(folder), "--anchor", "one=1500", "--json"])
    found = json.loads(capsys.readouterr().out)
    players = {player["name"]: player for player in found["players"]}
    assert players["one"]["elo"] == pytest.approx(1500)
    assert players["two"]["low"] < players["two"]["elo"] < players["two"]["high"]
    assert found["head_to_head"][0]["games"] == 8
    assert found["anchor"] == {"player": "one", "elo": 1500.0}
    main(["arena", "rate", str(folder)])
    shown = capsys.readouterr().out
    assert "likelihood of superiority" in shown
    assert "expected" in shown


@pytest.mark.parametrize("players", [8, 9, 20])
def test_who_is_stronger_than_whom_fits_80_columns(
    players: int, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    names = [f"player-{number:02}" for number in range(players)]
    pairs = [(a, b, game) for a in range(players) for b in range(a + 1, players) for game in range(8)]
    lines = [
        {
            "number": number, "first": names[a], "second": names[b], "opening": 0,
            "result": float(game > 0) if b - a > 1 else 0.5, "reason": "mate", "detail": "", "plies": 9,
            "seconds": 1.0, "games_end": 0,
        }
        for number, (a, b, game) in enumerate(pairs)
    ]  # fmt: skip
    (tmp_path / "results.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    main(["arena", "rate", str(tmp_path)])
    shown = capsys.readouterr().out
    assert "…" not in shown
    assert max(map(len, shown.splitlines())) <= 80
    rows = [line.split() for line in shown.splitlines() if "player-00" in line]
    if players > 8:
        assert rows[1][1] == "player-00"
        assert any(word.endswith(f"-{players}") for word in rows[1][2:])


@pytest.mark.parametrize("anchor", ["one=nan", "one=inf", "one=1e300", "=1", "one"])
def test_an_anchor_is_a_finite_rating(anchor: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "expected NAME=ELO" in one_line_error(capsys, ["arena", "rate", str(folder), "--anchor", anchor])


def test_a_file_of_results_can_be_rated(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["arena", "rate", str(folder / "results.jsonl"), "--json"])
    assert json.loads(capsys.readouterr().out)["head_to_head"][0]["games"] == 8


def test_sprt_prints_the_ratio(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["arena", "sprt", str(folder), "--player", "two", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert sum(found["pairs"]) == 4
    assert found["verdict"] == "undecided"
    main(["arena", "sprt", str(folder)])
    assert "undecided (LLR" in capsys.readouterr().out


def test_an_engine_that_cannot_be_started_is_a_one_line_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = json.dumps([sys.executable, str(FAKE), "uci", "crash-start"])
    (tmp_path / "t.toml").write_text(
        f'game = "chess"\ngames = 2\n[[player]]\nname = "a"\nstrength = 1\n'
        f'[[player]]\nname = "broken"\nprotocol = "uci"\nnodes = 1\ncommand = {command}\n'
    )
    assert run("arena", "run", str(tmp_path / "t.toml"), "--out", str(tmp_path / "out")) == 1
    shown = capsys.readouterr().out
    assert len([line for line in shown.splitlines() if line.startswith("broken could not be started")]) == 1
    assert "no such network" in shown
    assert "2 games do not count" in shown


def test_a_program_that_does_not_exist_is_reported_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "t.toml").write_text(
        'game = "chess"\ngames = 2\n[[player]]\nname = "a"\nstrength = 1\n'
        '[[player]]\nname = "missing"\nprotocol = "uci"\nnodes = 1\ncommand = ["no-such-engine"]\n'
    )
    assert run("arena", "run", str(tmp_path / "t.toml"), "--out", str(tmp_path / "out")) == 1
    assert "missing could not be started: no-such-engine: " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["run", "absent.toml"], "absent.toml"),
        (["run", "{base}/cup.toml", "--out", "{base}/cup", "--games", "2"], "8 games already"),
        (["run", "{base}/other.toml", "--out", "{base}/cup"], "another tournament"),
        (["rate", "{base}"], "no results"),
        (["rate", "{base}/cup", "--anchor", "three=1"], "the anchor 'three' is no player"),
        (["rate", "{base}/cup", "--anchor", "one"], "expected NAME=ELO"),
        (["sprt", "{base}/cup", "--elo0", "9"], "less than"),
        (["sprt", "{base}/cup", "--player", "x"], "SPRT compares two players"),
    ],
)
def test_errors_are_one_line(
    arguments: list[str], complaint: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder.parent / "other.toml").write_text(TOML.replace("seed = 3", "seed = 4"))
    capsys.readouterr()
    assert run("arena", *(argument.format(base=folder.parent) for argument in arguments)) == 2
    captured = capsys.readouterr()
    assert len(captured.err.splitlines()) == 1
    assert complaint in captured.err
