"""Expendibots referee logs: read, checked against the rules, and written again."""

from __future__ import annotations

import datetime
import random
from pathlib import Path

import pytest

from sparring.cli import main
from sparring.expendibots.game import Expendibots
from sparring.expendibots.log import read_logs, to_log
from sparring.records import Termination, build_table, load_preset, read_shards, records_of
from sparring.records.record import ParsedGame

START = "[game ] - Start game log at Sun Nov 15 07:25:24 2026\n"
MOVES = "[white] - MOVE 1 from (0, 1) to (0, 2).\n[black] - MOVE 1 from (0, 6) to (0, 5).\n"


def log_of(seed: int, booms: bool = True, limit: int = 1000) -> str:
    """A random game as the referee logs it; without booms it ends by repetition or the turn limit."""
    rng, game = random.Random(seed), Expendibots()
    state, lines = game.initial(), [START]
    while state.outcome is None and state.ply < limit:
        moves = [move for move in state.legal_moves() if booms or move >= 64]
        move = rng.choice(moves)
        kind, *rest = game.action(state, move)
        text = "MOVE {} from {} to {}.".format(*rest) if kind == "MOVE" else "BOOM at {}.".format(*rest)
        lines.append(f"[{('white', 'black')[state.to_move]}] - {text}\n")
        state = state.play(move)
    if state.outcome is None:
        return "".join(lines)
    drawn = {
        "all tokens gone": "no tokens remaining",
        "repetition": "game state occurred 4 times.",
        "move limit": "maximum number of turns reached.",
    }
    winner = state.outcome.winner
    end = (
        f"draw detected: {drawn[state.outcome.reason]}"
        if winner is None
        else f"winner: {('white', 'black')[winner]}"
    )
    return "".join([*lines, f"[over ] - {end}\n"])


def read(text: str | bytes, chunk: int = 1 << 20, skip: int = 0) -> list[ParsedGame]:
    data = text.encode() if isinstance(text, str) else text
    return list(read_logs((data[i : i + chunk] for i in range(0, len(data), chunk)), skip))


@pytest.mark.parametrize("chunk", [7, 1 << 20])
def test_logs_come_back_as_they_were(chunk: int) -> None:
    logs = [log_of(seed) for seed in range(12)] + [log_of(50, booms=False)]
    text = "".join(logs)
    found = read(text, chunk)
    assert [game.error for game in found] == [""] * len(logs)
    assert "".join(to_log(game.record) for game in found if game.record) == text
    assert {game.record.result for game in found if game.record} >= {0.0, 0.5, 1.0}
    assert found[0].record is not None
    assert found[0].record.date == datetime.date(2026, 11, 15)
    for i, game in enumerate(found):
        rest = read(text, chunk, game.end)
        assert [each.where for each in rest] == [each.where for each in found[i + 1 :]]


@pytest.mark.parametrize(
    ("last", "result", "ending"),
    [
        ("[error] - illegal action detected (white): ('BOOM', (0, 0)).\n", 0.0, Termination.RULES),
        ("[error] - illegal action detected (black): None.\n", 1.0, Termination.RULES),
        ("[error] - resource limit exceeded!\n", None, Termination.TIME),
        ("[error] - resource limit exceeded (black)!\n", 1.0, Termination.TIME),
        ("", None, Termination.UNKNOWN),
    ],
)
def test_how_games_end_otherwise(last: str, result: float | None, ending: Termination) -> None:
    for game in read(START + MOVES + last + START + MOVES + last):
        assert game.record is not None
        assert (game.record.result, game.record.ending, len(game.record.moves)) == (result, ending, 2)
        again = read(to_log(game.record))[0].record
        assert again == game.record


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        ("[white] - MOVE 1 from (0, 2) to (0, 3).\n", "line 2: illegal move"),
        ("[white] - MOVE 1 from (0, 1) to (7, 7).\n", "line 2: "),
        ("[black] - BOOM at (0, 6).\n", "line 2: it is not black's turn"),
        ("[over ] - winner: white\n", "line 2: 'winner: white', but by the rules 'the game goes on'"),
        ("[white] - BOOM at (0, 0).\nwhat?\n", "line 3: no line of a referee's log"),
        ("[white] - " + "x" * 5000 + "\n", "line 2: no line of a referee's log"),
        ("[white] - MOVE 1 fr", "line 2: "),
        ("\x00\x01\x02\n", "line 2: no line"),
    ],
)
def test_a_broken_game_says_where_and_does_not_hurt_the_next(lines: str, complaint: str) -> None:
    good = log_of(1)
    found = read(START + lines + "\n" * (not lines.endswith("\n")) + MOVES + good)
    assert [bool(game.error) for game in found] == [True, False]
    assert complaint in found[0].error
    assert len(found[0].error) < 200


def test_wrong_encodings_and_other_files() -> None:
    found = read(b"\xff\xfe nonsense\n" * 1000 + log_of(2).encode())
    assert [bool(game.error) for game in found] == [True, False]
    assert read("") == read("\n\n") == []
    windows = log_of(3).replace("\n", "\r\n")
    assert [game.error for game in read(windows)] == [""]


def test_the_preset_and_the_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole, cut = log_of(4), log_of(5, limit=4)
    illegal = START + MOVES + "[error] - illegal action detected (white): None.\n"
    (tmp_path / "games.log").write_text(whole + cut + illegal)
    out = str(tmp_path / "t")
    main(["records", "build", str(tmp_path), "--out", out, "--preset", "expendibots"])
    printed = capsys.readouterr().out
    assert "1 of 3 games" in printed
    assert "ending: unknown 1" in printed
    assert "ending: rules infraction 1" in printed
    main(["records", "export", out, "--game", "all"])
    assert capsys.readouterr().out.strip() == whole.strip()
    record = next(records_of(next(read_shards(tmp_path / "t"))))
    assert record.ending is Termination.NORMAL


def test_a_truncated_file_is_resumed(tmp_path: Path) -> None:
    logs = [log_of(seed) for seed in range(9)]
    (tmp_path / "a.log").write_text("".join(logs) + START + MOVES + "[white] - BO")
    report = build_table([tmp_path / "a.log"], load_preset("expendibots"), tmp_path / "t", shard=2)
    assert (report.kept, report.broken) == (9, 1)
    assert "a.log, line" in report.examples[0]
