"""RBC histories: what reconchess writes is read, verified and written again."""

from __future__ import annotations

import copy
import io
import json
import random
from pathlib import Path
from typing import Any

import chess
import pytest
import reconchess
import zstandard
from reconchess.history import GameHistoryEncoder

from sparring._core import RbcState
from sparring.cli import main
from sparring.rbc.history import history_record, pass_rates, read_histories, read_history, to_history
from sparring.records import GameRecord, Termination, build_table, load_preset, read_shards, records_of
from sparring.records.record import ParsedGame


def played(seed: int, turns: int = 40, stops: int = 10_000) -> reconchess.GameHistory:
    """A random game that reconchess itself plays; Black only passes after `stops` turns."""
    rng = random.Random(seed)
    game = reconchess.LocalGame(seconds_per_player=None)
    game.store_players("Ünï", "second")
    game.start()
    for turn in range(turns):
        for color in (chess.WHITE, chess.BLACK):
            if game.is_over():
                break
            dead = color == chess.BLACK and turn >= stops
            game.sense(None if dead or rng.random() < 0.1 else rng.randrange(64))
            game.move(None if dead or rng.random() < 0.05 else rng.choice(game.move_actions()))
            game.end_turn()
    if not game.is_over():
        game.resign()
    game.end()
    return game.get_game_history()


def as_json(history: reconchess.GameHistory) -> Any:
    return json.loads(json.dumps(history, cls=GameHistoryEncoder))


def read(data: bytes, chunk: int = 1 << 20, skip: int = 0) -> list[ParsedGame]:
    return list(read_histories((data[i : i + chunk] for i in range(0, len(data), chunk)), skip))


def test_histories_of_reconchess_are_read_and_written_unchanged() -> None:
    for seed in range(25):
        history = as_json(played(seed))
        record = history_record(history)
        assert json.loads(to_history(record)) == history
        assert (record.first, record.ending) == ("Ünï", Termination.NORMAL)


def test_reconchess_loads_what_we_write(tmp_path: Path) -> None:
    history = played(3)
    (tmp_path / "a.json").write_text(to_history(history_record(as_json(history))))
    again = reconchess.GameHistory.from_file(tmp_path / "a.json")
    for color in (chess.WHITE, chess.BLACK):
        assert list(again.turns(color)) == list(history.turns(color))
        for turn in history.turns(color):
            assert again.requested_move(turn) == history.requested_move(turn)
            assert again.sense_result(turn) == history.sense_result(turn)
    assert again.get_winner_color() == history.get_winner_color()
    assert again.get_win_reason() == history.get_win_reason()


@pytest.mark.parametrize("chunk", [97, 1 << 20])
def test_reading_goes_on_after_any_game(chunk: int) -> None:
    lines = [json.dumps({**as_json(played(seed, 6)), "game_id": str(seed)}) for seed in range(5)]
    data = ("\n".join(lines) + "\n\n").encode()
    found = read(data, chunk)
    sites = [game.record.site for game in found if game.record]
    assert sites == list("01234")
    for i, game in enumerate(found):
        rest = read(data, chunk, game.end)
        assert [each.where for each in rest] == [f"line {j + 1}" for j in range(i + 1, 5)]


def cut_short(history: Any) -> Any:
    """The same game, over by time in the middle of the last turn."""
    history = copy.deepcopy(history)
    color = "true" if len(history["senses"]["true"]) > len(history["senses"]["false"]) else "false"
    for name in list(history)[5:10]:
        history[name][color].pop()
    return {
        **history,
        "winner_color": color == "false",
        "win_reason": {"type": "WinReason", "value": "TIMEOUT"},
    }


def test_a_turn_may_end_after_the_sense() -> None:
    history = cut_short(as_json(played(4)))
    record = history_record(history)
    assert record.plies("rbc") % 2 == 1
    assert record.ending is Termination.TIME
    assert json.loads(to_history(record)) == history


def test_results_and_reasons() -> None:
    history = as_json(played(5, turns=2))
    for winner, reason, result, ending in [
        (True, "RESIGN", 1.0, Termination.NORMAL),
        (False, "TIMEOUT", 0.0, Termination.TIME),
        (None, "TURN_LIMIT", 0.5, Termination.NORMAL),
        (None, None, None, Termination.UNKNOWN),
        (None, "SERVER_ERROR", 0.5, Termination.UNKNOWN),
    ]:
        history["winner_color"] = winner
        history["win_reason"] = reason and {"type": "WinReason", "value": reason}
        record = history_record(history)
        assert (record.result, record.ending) == (result, ending)
        if reason != "SERVER_ERROR":
            assert json.loads(to_history(record)) == history


def change(history: Any, name: str, turn: int, value: Any) -> Any:
    history = copy.deepcopy(history)
    history[name]["true"][turn] = value
    return history


FIRST = {"senses": 49, "requested_moves": "e2e4", "taken_moves": "e2e4"}


@pytest.mark.parametrize(
    ("name", "value", "complaint"),
    [
        ("senses", 64, "White's turn 3: 64 is no square"),
        ("senses", True, "White's turn 3: True is no square"),
        ("sense_results", [], "other pieces"),
        ("requested_moves", {"type": "Move", "value": "a1a8a1"}, "cannot be requested"),
        ("requested_moves", {"type": "Move", "value": "e1e5"}, "e1e5 cannot be requested"),
        ("requested_moves", "e2e4", "a Move or null expected"),
        (
            "taken_moves",
            {"type": "Move", "value": "a2a3q"},
            "asking for f1c4 gives f1c4; the file says a2a3q",
        ),
        ("taken_moves", None, "asking for f1c4 gives f1c4; the file says pass"),
        ("capture_squares", 11, "captures on None, not on 11"),
        ("fens_before_move", "8/8/8/8/8/8/8/8 w - - 0 1", "the board before the move is"),
        ("fens_after_move", None, "the board after the move is"),
    ],
)
def test_contradictions_are_found_and_say_where(name: str, value: Any, complaint: str) -> None:
    history = as_json(quiet())
    with pytest.raises(ValueError, match=complaint):
        history_record(change(history, name, 2, value))


def quiet() -> reconchess.GameHistory:
    """Four turns each without captures."""
    game = reconchess.LocalGame(seconds_per_player=None)
    game.store_players("a", "b")
    game.start()
    for white, black in [("e2e4", "e7e5"), ("g1f3", "b8c6"), ("f1c4", "f8c5"), ("e1g1", "g8f6")]:
        for move in (white, black):
            game.sense(27)
            game.move(chess.Move.from_uci(move))
            game.end_turn()
    game.resign()
    game.end()
    return game.get_game_history()


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        (b'{"type": "GameHistory", "senses": {', "no JSON at character"),
        (b"\xff\xfe{}", "decode"),
        (b"[]", "GameHistory object expected"),
        (b'{"type": "Game"}', "GameHistory object expected"),
        (b"{}", "no list of senses for White"),
        (b"[" * 100_000, "recursion"),
        (b"9" * 100_000, "digits"),
    ],
)
def test_lines_that_are_no_history_say_so_and_the_next_is_read(line: bytes, complaint: str) -> None:
    good = json.dumps(as_json(played(1, 3))).encode()
    found = read(b"\n".join([good, line, good]))
    assert [game.record is not None for game in found] == [True, False, True]
    assert complaint in found[1].error
    assert len(found[1].error) <= 200
    assert found[1].where == "line 2"


def test_a_history_must_be_of_one_game() -> None:
    history = as_json(quiet())
    for name in ("senses", "taken_moves"):
        broken = copy.deepcopy(history)
        broken[name]["false"].pop()
        with pytest.raises(ValueError, match=r"lengths|alternate"):
            history_record(broken)
    with pytest.raises(ValueError, match="no king was captured"):
        history_record({**history, "win_reason": {"type": "WinReason", "value": "KING_CAPTURE"}})


def test_absurdly_long_values_cost_little_memory() -> None:
    history = {**as_json(played(1, 3)), "white_name": "x" * 100_000, "black_name": "\ud800"}
    record = history_record(history)
    assert (len(record.first or ""), record.second) == (200, "?")
    good = json.dumps(as_json(played(1, 3))).encode()

    def chunks() -> Any:
        yield good + b'\n{"white_name": "'
        for _ in range(40):
            yield b"x" * (1 << 20)
        yield b'"}\n' + good

    found = list(read_histories(chunks()))
    assert [game.error for game in found] == ["", "the line is too long for a game", ""]
    assert next(read_history(b"x" * (1 << 20) for _ in range(40))).error == "the file is too long for a game"


def test_empty_files_have_no_games() -> None:
    assert read(b"") == read(b"\n\n") == list(read_history([])) == list(read_history([b"\n"])) == []


def test_habits_of_the_old_server() -> None:
    """Queens without a name, and en passant only where chess allows it."""
    history = as_json(quiet())
    for name in ("fens_before_move", "fens_after_move"):
        for fens in history[name].values():
            fens[:] = [" ".join([*fen.split()[:3], "-", *fen.split()[4:]]) for fen in fens]
    assert history_record(history) == history_record(as_json(quiet()))


def pinned_en_passant() -> Any:
    """White asks for exf6 en passant, which would leave its king in check: the old server did nothing."""
    game = reconchess.LocalGame(seconds_per_player=None)
    game.store_players("a", "b")
    game.start()
    for move in ["e2e4", "e7e6", "e4e5", "d8h4", "g2g3", "h4e4", "a2a3", "f7f5", None]:
        game.sense(None)
        game.move(move and chess.Move.from_uci(move))
        game.end_turn()
    game.resign()
    game.end()
    history = as_json(game.get_game_history())
    history["requested_moves"]["true"][4] = {"type": "Move", "value": "e5f6"}
    for fens in (history["fens_before_move"]["true"], history["fens_after_move"]["false"]):
        fens[:] = [fen.replace(" f6 ", " - ") for fen in fens]
    return history


def test_en_passant_that_came_to_nothing_is_a_pass() -> None:
    record = history_record(pinned_en_passant())
    assert json.loads(to_history(record))["requested_moves"]["true"][4] is None


def test_games_without_a_move_limit_are_kept_whole() -> None:
    state = RbcState.initial()
    while state.ply < 440:
        state = state.play_past_end(state.parse_move("sense none")).play_past_end(0)
    assert state.outcome is not None
    record = GameRecord(moves=state.pack_moves(2), result=1.0, ending=Termination.TIME)
    assert history_record(json.loads(to_history(record))) == record


def test_the_preset_leaves_out_bots_that_stopped(tmp_path: Path) -> None:
    games = [played(7, 30), played(8, 30, stops=15), played(9, 30, stops=29)]
    lines = "\n".join(json.dumps(as_json(game)) for game in games).encode()
    (tmp_path / "a.jsonl.zst").write_bytes(zstandard.compress(lines))
    report = build_table([tmp_path / "a.jsonl.zst"], load_preset("rbc"), tmp_path / "t")
    assert (report.kept, report.dropped) == (2, {"a player stopped playing": 1})
    white, black = pass_rates(history_record(as_json(games[1])))
    assert white < 0.25 < black


def test_the_commands_for_rbc(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.json").write_text(json.dumps(as_json(played(10, 30))))
    (tmp_path / "in" / "b.jsonl").write_text(json.dumps(as_json(played(11, 30))) + "\n{broken\n")
    out = str(tmp_path / "t")
    with pytest.raises(SystemExit) as ended:
        main(["records", "build", str(tmp_path / "in"), "--out", out, "--preset", "rbc"])
    assert ended.value.code == 1
    assert "b.jsonl, line 2: no JSON" in capsys.readouterr().out
    record = next(records_of(next(read_shards(tmp_path / "t"))))
    main(["records", "stats", out])
    printed = capsys.readouterr().out
    assert "2 games of rbc" in printed
    assert "groups" not in printed
    main(["records", "export", out, "--game", f"{record.identity('rbc'):016x}"])
    again = json.load(io.StringIO(capsys.readouterr().out))
    assert history_record(again) == record
    main(["records", "list", out])
    assert f"{record.plies('rbc')}" in capsys.readouterr().out
