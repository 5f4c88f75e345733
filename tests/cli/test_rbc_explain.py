"""`sparring rbc explain`: the planner's belief and choices in a recorded game."""

from __future__ import annotations

import json
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sparring._core import RbcState
from sparring.cli import main
from sparring.rbc.explanation import ExplainedAction, explain_game
from sparring.rbc.game import NO_SENSE
from sparring.rbc.history import to_history
from sparring.rbc.plugin import DESCRIPTION
from sparring.records import GameRecord, Termination
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
RATED = f"""{BOT}
rating_visits = 100
inference_weight = 0.9
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
    assert [(action["turn"], action["phase"]) for action in actions] == [
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
    assert "a (White) against b (Black)" in text
    assert "The result is not known" in text
    assert "8 playouts (seed 0) and no clock" in text
    assert "predicts b by its headset Top" in text
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


def write_knight_attack(path: Path, result: float | None = 0.0) -> None:
    """Black's knight takes on c2 and attacks the king; White does not see it, and its king is taken."""
    state = RbcState.initial()
    for move in ("a2a3", "b8c6", "a3a4", "c6d4", "h2h3", "d4c2", "h3h4", "c2e1"):
        state = state.play(NO_SENSE)
        state = state.play(state.parse_move(move))
    moves = state.pack_moves(DESCRIPTION.packed_move_bytes)
    record = GameRecord(moves, result, ending=Termination.NORMAL, first="Alice", second="AttackerBot")
    path.write_text(to_history(record))


def test_the_reason_of_a_choice_names_score_and_risk_for_the_king(
    history: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_knight_attack(history)
    history.with_name("bot.toml").write_text(RATED)
    out = tmp_path / "page.html"
    explain(history, "--player", "white", "--json", "--out", str(out))
    last = json.loads(capsys.readouterr().out)[-1]
    scores = [action["score"] for action in last["actions"]]
    assert scores == sorted(scores, reverse=True)
    best, second = (action["action"] for action in last["actions"][:2])
    assert best == last["chosen"]
    played = next(action for action in last["actions"] if action["action"] == "h3h4")
    assert played["king_loss"] > 0.5
    assert last["actions"][0]["king_loss"] == 0
    assert f"{best} rather than {second}: score {scores[0]:.3f} to {scores[1]:.3f}" in last["why"][0]
    assert f"{best} rather than h3h4: score" in last["why"][1]
    assert f"the king can be taken after h3h4 on {played['king_loss']:.1%} of the boards." in last["why"][1]
    loss = last["king_loss"]
    assert (loss["action"], loss["capture"]) == ("h3h4", "c2e1")
    assert 0 < loss["share"] <= played["king_loss"]
    text = out.read_text()
    assert "AttackerBot won by capturing the king after 4 turns." in text
    assert "predicts AttackerBot by its headset attacker" in text
    assert last["why"][1] in text
    assert "on which h3h4 loses the king to c2e1" in text
    for column in ("score", "rating", "king lost", "win after", "bits", "policy", "playouts", "win", "worst"):
        assert f"<th>{column}</th>" in text


def test_the_table_warns_of_a_move_that_risks_the_king(
    history: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    write_knight_attack(history)
    history.with_name("bot.toml").write_text(RATED)
    explain(history, "--player", "white")
    assert re.search(r"; h3h4 risks the king on \d\d% of the boards", capsys.readouterr().out)


def test_without_ratings_a_choice_is_explained_by_its_playouts(
    history: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    explain(history, "--player", "white", "--turns", "1", "--json")
    move = json.loads(capsys.readouterr().out)[1]
    best, second = move["actions"][:2]
    assert f"({best['visits']} to {second['visits']} playouts" in move["why"][0]
    assert move["king_loss"] is None


def test_senses_are_explained_by_the_move_after_them_and_information(
    history: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_knight_attack(history)
    history.with_name("bot.toml").write_text(RATED)
    explain(history, "--player", "white", "--turns", "2", "--json")
    sense = json.loads(capsys.readouterr().out)[2]
    assert sense["phase"] == "sense"
    for action in sense["actions"]:
        assert action["information"] >= 0
        assert 0 <= action["win_after"] <= 1
        assert action["king_loss"] is None
    assert "bits of information" in sense["why"][0]
    assert sense["why"][-1] == "sense none was not considered: another sense shows at least as much."


def test_the_page_of_a_game_among_several_has_its_number(
    history: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    games = history.with_name("games.jsonl")
    games.write_text(f"{history.read_text()}\n{named(history, 'TroutBot').read_text()}\n")
    for number in ("1", "2"):
        explain(games, "--number", number, "--player", "white", "--turns", "1")
    assert "game 1 of games.jsonl" in Path("games-1-explained.html").read_text()
    second = Path("games-2-explained.html").read_text()
    assert "game 2 of games.jsonl" in second
    assert "predicts TroutBot by its headset trout" in second


def test_a_game_without_turns_is_refused_in_one_line(
    history: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    history.write_text(to_history(GameRecord(b"", None)))
    arguments = ["rbc", "explain", str(history)]
    assert "game.json: there is no turn to explain" in one_line_error(capsys, arguments)
    assert "no turn of black to explain" in one_line_error(capsys, [*arguments, "--player", "black"])


def test_progress_is_shown_by_turn_without_a_terminal(
    history: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    explain(history, "--turns", "2", "--json")
    lines = capsys.readouterr().err.splitlines()
    assert [line.partition(" in ")[0] for line in lines] == [
        "explaining white's turn 1, move: 1 of 4",
        "explaining white's turn 2, move: 2 of 4",
        "explaining black's turn 1, move: 3 of 4",
        "explaining black's turn 2, move: 4 of 4",
    ]


def test_an_interrupted_explanation_keeps_its_page(
    history: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*arguments: Any) -> Iterator[ExplainedAction]:
        for each in explain_game(*arguments):
            signal.raise_signal(signal.SIGINT)
            yield each

    monkeypatch.setattr("sparring.rbc.explain_command.explain_game", interrupted)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        explain(history)
    assert ended.value.code == 130
    assert "interrupted" in capsys.readouterr().err
    text = Path("game-explained.html").read_text()
    assert "White, turn 1, sense" in text
    assert "White, turn 1, move" not in text
