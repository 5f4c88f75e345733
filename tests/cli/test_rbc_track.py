"""`sparring rbc track`: the possible boards of a recorded game for one player."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sparring.cli import main
from sparring.games import describe
from sparring.rbc.history import to_history
from sparring.records.record import GameRecord
from tests.belief.games import random_game, write_history
from tests.cli.command_errors import one_line_error


@pytest.fixture
def history(tmp_path: Path) -> Path:
    path = tmp_path / "game.json"
    write_history(path)
    return path


def steps_of(capsys: pytest.CaptureFixture[str]) -> list[dict[str, object]]:
    steps: list[dict[str, object]] = json.loads(capsys.readouterr().out)["steps"]
    return steps


def test_each_observation_is_shown_with_what_it_ruled_out(
    history: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["rbc", "track", str(history), "--player", "black", "--limit", "9000000", "--json"])
    steps = steps_of(capsys)
    assert [step["event"] for step in steps[:3]] == ["opponent", "sense", "move"]
    assert steps[0]["before"] == 1
    assert steps[0]["after"] == 21  # twenty first moves, and a pass
    assert all(step["has_truth"] and step["exact"] for step in steps)
    for step in steps:
        if step["event"] == "sense":
            assert step["after"] == int(str(step["before"])) - int(str(step["ruled_out"]))


def test_the_table_has_the_same_numbers(history: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["rbc", "track", str(history), "--player", "white", "--json"])
    steps = steps_of(capsys)
    main(["rbc", "track", str(history), "--player", "white"])
    table = capsys.readouterr().out
    assert "the opponent moves" in table
    assert f"{max(int(str(step['after'])) for step in steps):,}" in table
    assert "not among them" not in table


def test_without_a_player_both_are_tracked_one_after_the_other(
    history: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    alone = []
    for color in ("white", "black"):
        main(["rbc", "track", str(history), "--player", color, "--json"])
        alone.append(json.loads(capsys.readouterr().out))
    main(["rbc", "track", str(history), "--json"])
    assert json.loads(capsys.readouterr().out) == alone
    main(["rbc", "track", str(history)])
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == "white"
    assert lines.count("black") == 1


def test_a_file_with_many_games_has_numbers(history: Path, capsys: pytest.CaptureFixture[str]) -> None:
    many = history.with_suffix(".jsonl")
    many.write_text("".join(f"{history.read_text()}\n" for _ in range(2)))
    main(["rbc", "track", str(many), "--player", "white", "--number", "2", "--json"])
    assert steps_of(capsys)
    arguments = ["rbc", "track", str(many), "--player", "white", "--number", "3"]
    assert "has no game 3" in one_line_error(capsys, arguments)


def test_a_corrupt_history_is_refused_in_one_line(history: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content = json.loads(history.read_text())
    content["sense_results"]["true"][1][0][1] = {"type": "Piece", "value": "q"}
    history.write_text(json.dumps(content))
    for wrong in (history.read_text(), "{", "[]", ""):
        history.write_text(wrong)
        one_line_error(capsys, ["rbc", "track", str(history), "--player", "white"])


def test_a_sample_says_so(history: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["rbc", "track", str(history), "--player", "white", "--limit", "50"])
    assert "a sample is kept until the sense" in " ".join(capsys.readouterr().out.split())


def test_progress_is_shown_turn_by_turn(history: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[tuple[str, int, int]] = []
    monkeypatch.setattr(
        "sparring.rbc.commands.ProgressBar.on_progress",
        lambda _, what, done, total: shown.append((what, done, total)),
    )
    main(["rbc", "track", str(history), "--player", "black", "--json"])
    assert len(shown) > 6
    assert shown[-1][1] == shown[-1][2]
    assert "boards" in shown[-1][0]


def test_a_long_game_is_sampled_by_default(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = random_game(3, 9)
    moves = game.pack_moves(describe("rbc").packed_move_bytes)
    (tmp_path / "game.json").write_text(to_history(GameRecord(moves=moves, result=None)))
    main(["rbc", "track", str(tmp_path / "game.json"), "--player", "white", "--json"])
    assert max(int(str(step["after"])) for step in steps_of(capsys)) <= 100_000


@pytest.mark.parametrize("option", ["--limit=99999999999999999999", "--threads=99999999999", "--seed=-1"])
def test_numbers_out_of_range_are_one_line(
    option: str, history: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "Input should be" in one_line_error(
        capsys, ["rbc", "track", str(history), "--player", "white", option]
    )
