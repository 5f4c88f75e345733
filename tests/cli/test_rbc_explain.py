"""`sparring rbc explain`: the planner's belief and choices in a recorded game."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sparring.cli import main
from tests.belief.games import write_history
from tests.cli.command_errors import one_line_error

BOT = """
kind = "planner"
boards = 2000
threads = 1
[planner]
particles = 32
batch = 8
states = 16
"""


@pytest.fixture
def history(tmp_path: Path) -> Path:
    path = tmp_path / "game.json"
    write_history(path)
    (tmp_path / "bot.toml").write_text(BOT)
    return path


def explain(history: Path, *options: str) -> None:
    bot = str(history.with_name("bot.toml"))
    main(["rbc", "explain", str(history), "--bot", bot, "--playouts", "8", *options])


def test_each_action_is_explained(history: Path, capsys: pytest.CaptureFixture[str]) -> None:
    explain(history, "--player", "black", "--turns", "3", "--json")
    actions = json.loads(capsys.readouterr().out)
    assert [(each["turn"], each["phase"]) for each in actions] == [
        (turn, phase) for turn in (1, 2, 3) for phase in ("sense", "move")
    ]
    for each in actions:
        assert 0 <= each["true_share"] <= 1
        assert len(each["opponent_squares"]) == 64
        assert 1 <= sum(each["opponent_squares"]) <= 16
        if each["actions"]:
            assert each["chosen"] in {action["action"] for action in each["actions"]}
            assert sum(action["visits"] for action in each["actions"]) >= 8


def named(history: Path, black: str) -> Path:
    content = json.loads(history.read_text()) | {"black_name": black}
    history.write_text(json.dumps(content))
    return history


@pytest.mark.parametrize(("black", "headset"), [("TroutBot", "trout"), ("nobody we know", "Top")])
def test_the_opponent_is_predicted_by_its_own_headset(
    black: str, headset: str, history: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    explain(named(history, black), "--turns", "1", "--json")
    actions = json.loads(capsys.readouterr().out)
    assert {each["headset"] for each in actions["white"]} == {headset}
    assert {each["headset"] for each in actions["black"]} == {"Top"}


def test_a_bad_network_is_named(history: Path, capsys: pytest.CaptureFixture[str]) -> None:
    network = history.with_name("network.onnx")
    network.write_bytes(b"no network")
    bot = history.with_name("bot.toml")
    bot.write_text(f'{BOT}network = "{network}"\n')
    assert f"{network}: not an ONNX file" in one_line_error(
        capsys, ["rbc", "explain", str(history), "--bot", str(bot)]
    )


def test_json_with_a_page_is_json_alone(
    history: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "page.html"
    explain(history, "--player", "white", "--turns", "1", "--json", "--out", str(out))
    printed = capsys.readouterr()
    assert len(json.loads(printed.out)) == 2
    assert "written: " in printed.err
    assert out.exists()


def test_a_page_shows_the_boards(history: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "page.html"
    explain(history, "--player", "white", "--turns", "2", "--out", str(out))
    text = out.read_text()
    assert text.count("<svg") == 8
    assert "<script" not in text
    assert "planner" in capsys.readouterr().out


def test_by_default_both_players_are_explained_on_a_page_in_the_current_folder(
    history: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    explain(history, "--turns", "1")
    assert "game-explained.html" in capsys.readouterr().out
    text = (folder / "game-explained.html").read_text()
    assert text.count("<svg") == 8
    assert "White, turn 1, sense" in text
    assert "Black, turn 1, move" in text
    assert " 1 possible boards" not in text
    explain(history, "--turns", "1", "--json")
    assert json.loads(capsys.readouterr().out).keys() == {"white", "black"}
    assert [path.name for path in folder.iterdir()] == ["game-explained.html"]


def test_only_planners_explain(history: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["rbc", "explain", str(history), "--player", "white", "--bot", "random"]
    assert "no planner" in one_line_error(capsys, arguments)


def test_a_corrupt_history_is_refused_in_one_line(history: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content = json.loads(history.read_text())
    content["sense_results"]["true"][1][0][1] = {"type": "Piece", "value": "q"}
    arguments = [
        "rbc",
        "explain",
        str(history),
        "--player",
        "white",
        "--bot",
        str(history.with_name("bot.toml")),
    ]
    for wrong in (json.dumps(content), "{", "[]", ""):
        history.write_text(wrong)
        one_line_error(capsys, arguments)
