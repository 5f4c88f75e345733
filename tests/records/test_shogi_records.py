"""Shogi records as cshogi writes them, to the table and back; and malformed files."""

from __future__ import annotations

import datetime
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import cshogi
import numpy as np
import pytest
from cshogi import CSA, KI2, KIF

from sparring._core import ShogiState, hcp_to_sfen, move16_to_usi
from sparring.cli import main
from sparring.games import ParseError
from sparring.records import GameRecord, Termination, build_table, load_preset, read_shards, records_of
from sparring.records.record import ParsedGame, Reader
from sparring.records.statistics import collect_statistics, group_of, rating_bounds
from sparring.shogi.csa import read_csa, to_csa
from sparring.shogi.kif import read_ki2, read_kif
from sparring.shogi.records import read_hcpe

HEAD = "手合割：平手\n先手：a\n後手：b\n手数----指手---------消費時間--\n"
USUAL_TEXT = "   1 ７六歩(77)   ( 0:05/00:00:05)\n   2 ３四歩(33)   ( 1:07/00:01:07)\n"


def found(read: Reader, data: bytes | str, chunk: int = 1 << 20, skip: int = 0) -> list[ParsedGame]:
    content = data.encode() if isinstance(data, str) else data
    return list(read((content[at : at + chunk] for at in range(0, len(content), chunk)), skip))


def record(read: Reader, data: bytes | str) -> GameRecord:
    (game,) = found(read, data)
    assert game.record is not None, game.error
    return game.record


def line(record: GameRecord) -> list[str]:
    start = ShogiState.parse(record.start) if record.start else ShogiState.initial()
    state: ShogiState | None = start.unpack_moves(record.moves, 2)
    texts = []
    while state is not None and state.previous is not None and state.last_move is not None:
        texts.append(state.previous.move_text(state.last_move))
        state = state.previous
    return texts[::-1]


def random_line(rng: random.Random, plies: int, sfen: str | None = None) -> list[int]:
    board = cshogi.Board(sfen) if sfen else cshogi.Board()
    moves: list[int] = []
    while len(moves) < plies and not board.is_game_over() and board.is_draw() == cshogi.NOT_REPETITION:
        moves.append(rng.choice(list(board.legal_moves)))
        board.push(moves[-1])
    return moves


def usi(moves: list[int]) -> list[str]:
    return [cshogi.move_to_usi(move) for move in moves]


def write_kif(path: Path, moves: list[int]) -> None:
    writer = KIF.Exporter(str(path))
    writer.header(["名前 (1523)", "b 三段"], datetime.datetime(2020, 5, 28, 12, 0))
    for number, move in enumerate(moves):
        writer.move(move, sec=number % 100, sec_sum=number)
    writer.end("resign")
    writer.close()


def write_ki2(path: Path, moves: list[int]) -> None:
    writer = KI2.Exporter(str(path))
    writer.header(["名前 (1523)", "b 三段"], datetime.datetime(2020, 5, 28, 12, 0))
    for move in moves:
        writer.move(move)
    writer.end("%TORYO")
    writer.close()


def write_csa(path: Path, moves: list[int]) -> None:
    writer = CSA.Exporter(str(path), encoding="utf-8")
    info = {"START_TIME": "2020/05/28 12:00:00", "EVENT": "e", "TIME_LIMIT": "00:10+00"}
    writer.info(names=["名前 (1523)", "b 三段"], var_info=info, version="V2.2")
    for number, move in enumerate(moves):
        writer.move(move, time=number % 100)
    writer.endgame("%TORYO")
    writer.close()


@pytest.mark.parametrize(
    ("ending", "write", "read"),
    [("kif", write_kif, read_kif), ("kifu", write_kif, read_kif), ("ki2", write_ki2, read_ki2),
     ("csa", write_csa, read_csa)],
)  # fmt: skip
def test_games_read_as_cshogi_wrote_them(
    ending: str, write: Callable[[Path, list[int]], None], read: Reader, tmp_path: Path
) -> None:
    rng = random.Random(5)
    for _ in range(12):
        moves = random_line(rng, rng.randint(1, 120))
        write(tmp_path / f"a.{ending}", moves)
        data = (tmp_path / f"a.{ending}").read_bytes()
        for chunk in (7, 1 << 20):
            (game,) = found(read, data, chunk)
            assert game.record is not None, game.error
            assert line(game.record) == usi(moves)
            assert game.record.result == float(len(moves) % 2)
            assert game.record.ending == Termination.RESIGNATION
            assert (game.record.first, game.record.first_rating) == ("名前", 1523)
            assert (game.record.second, game.record.second_rank) == ("b", "3d")
            assert game.record.date == datetime.date(2020, 5, 28)
            if ending != "ki2":
                expected = [10 * (number % 100) for number in range(len(moves))]
                assert np.frombuffer(game.record.spent or b"", np.int32).tolist() == expected


def test_csa_comes_back_from_a_record_as_it_was_and_cshogi_reads_it() -> None:
    rng = random.Random(6)
    handicap = "lnsgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"
    drops = "4k4/9/9/9/9/9/9/9/4K4 b RB2G2S2N2L9Prb2g2s2n2l9p 1"
    for sfen in (None, handicap, drops):
        moves = random_line(rng, 80, sfen)
        board = cshogi.Board(sfen) if sfen else cshogi.Board()
        rows = "PI\n+\n" if sfen is None else board.csa_pos()
        body = ""
        for number, move in enumerate(moves):
            body += f"{'+-'[board.turn]}{cshogi.move_to_csa(move)}\nT{number}\n'** {number * 7 - 100}\n"
            board.push(move)
        game = record(read_csa, f"V2.2\nN+a (3k) (1500)\nN-b\n$SITE:s\n{rows}{body}%JISHOGI\n")
        assert line(game) == usi(moves)
        assert (game.result, game.ending) == (0.5, Termination.IMPASSE)
        again = to_csa(game)
        assert record(read_csa, again) == game
        (parsed,) = CSA.Parser.parse_str(again.removesuffix("/\n"))
        assert usi(parsed.moves) == usi(moves)
        assert parsed.times[: len(moves)] == list(range(len(moves)))


def hcpe(games: list[tuple[list[int], int]], evals: bool = True) -> bytes:
    rows = []
    for moves, result in games:
        board = cshogi.Board()
        for number, move in enumerate(moves):
            row = np.zeros(1, cshogi.HuffmanCodedPosAndEval)
            board.to_hcp(row[0]["hcp"])
            row["eval"], row["bestMove16"], row["gameResult"] = number * evals, cshogi.move16(move), result
            rows.append(row)
            board.push(move)
    return b"".join(row.tobytes() for row in rows)


def test_games_are_found_again_in_positions() -> None:
    rng = random.Random(7)
    games = [(random_line(rng, rng.randint(2, 150)), rng.randint(0, 2)) for _ in range(15)]
    data = hcpe(games)
    for chunk in (1, 41, 1 << 20):
        read = found(read_hcpe, data, chunk)
        assert [line(game.record) for game in read if game.record] == [usi(moves) for moves, _ in games]
        assert [game.record.result for game in read if game.record] == [(0.5, 1, 0)[r] for _, r in games]
    record = read[0].record
    assert record is not None
    assert record.start is None
    evals = np.frombuffer(record.evals or b"", np.int16).tolist()
    after = [number if number % 2 == 0 else -number for number in range(1, len(games[0][0]))]
    assert evals == [*after, -32768]
    (flat,) = found(read_hcpe, hcpe(games[:1], evals=False))
    assert flat.record is not None
    assert flat.record.evals is None


def test_reading_goes_on_from_the_end_of_any_game() -> None:
    rng = random.Random(8)
    positions = hcpe([(random_line(rng, 20), 1) for _ in range(5)])
    sheets = "/\n".join(f"PI\n+\n+7776FU\n-{move}\n%TORYO\n" for move in ("3334FU", "8384FU", "1314FU"))
    kif = (HEAD + USUAL_TEXT + "   3 投了\nまで2手で後手の勝ち\n") * 3
    for read, data in ((read_hcpe, positions), (read_csa, sheets.encode()), (read_kif, kif.encode())):
        games = found(read, data)
        assert len(games) >= 3
        assert all(game.record for game in games)
        for done, game in enumerate(games, 1):
            again = found(read, data, 11, game.end)
            assert [(g.record, g.end) for g in again] == [(g.record, g.end) for g in games[done:]]


@pytest.mark.parametrize(
    ("last", "words", "result", "ending"),
    [
        ("投了", "まで2手で後手の勝ち", 0.0, Termination.RESIGNATION),
        ("切れ負け", "", 0.0, Termination.TIME),
        ("投了", "まで2手で時間切れにより後手の勝ち", 0.0, Termination.TIME),
        ("", "まで2手で時間切れにより先手の勝ち", 1.0, Termination.TIME),
        ("入玉宣言", "まで2手で入玉宣言", 1.0, Termination.DECLARATION),
        ("千日手", "まで2手で千日手", 0.5, Termination.REPETITION),
        ("持将棋", "まで2手で持将棋", 0.5, Termination.IMPASSE),
        ("反則勝ち", "まで2手で先手の反則勝ち", 1.0, Termination.RULES),
        ("詰み", "まで2手で後手の勝ち", 0.0, Termination.NORMAL),
        ("中断", "まで2手で中断", None, Termination.ABANDONED),
        ("", "", None, Termination.UNKNOWN),
    ],
)
def test_how_a_kif_ends(last: str, words: str, result: float | None, ending: Termination) -> None:
    tail = (f"   3 {last}   ( 0:01/00:00:06)\n" if last else "") + words + "\n\n変化：2手\n   2 ８四歩(83)\n"
    game = record(read_kif, HEAD + "*comment：x\n" + USUAL_TEXT + tail)
    assert (game.result, game.ending) == (result, ending)
    assert line(game) == ["7g7f", "3c3d"]


@pytest.mark.parametrize(
    ("end", "result", "ending"),
    [
        ("%TORYO", 0.0, Termination.RESIGNATION),
        ("%TIME_UP", 0.0, Termination.TIME),
        ("%KACHI", 1.0, Termination.DECLARATION),
        ("%SENNICHITE", 0.5, Termination.REPETITION),
        ("%+ILLEGAL_ACTION", 0.0, Termination.RULES),
        ("%-ILLEGAL_ACTION", 1.0, Termination.RULES),
        ("+7775FU\n%ILLEGAL_MOVE", 0.0, Termination.RULES),
        ("%CHUDAN", None, Termination.ABANDONED),
        ("", None, Termination.UNKNOWN),
    ],
)
def test_how_a_csa_ends(end: str, result: float | None, ending: Termination) -> None:
    text = f"'black_rate:a+x:1823.0\nN+a\n'black_rate:a+x:1823.0\nPI\n+\n+7776FU,T3\n-3334FU,T4\n{end}\n"
    game = record(read_csa, text)
    assert (game.result, game.ending, game.first_rating) == (result, ending, 1823)
    assert line(game) == ["7g7f", "3c3d"]


@pytest.mark.parametrize(
    ("read", "text", "complaint"),
    [
        (read_kif, HEAD + "   1 ７五歩(77)\n", "no legal move at move 1"),
        (read_kif, HEAD + "   1 ７六歩(7", "is no move"),
        (read_kif, HEAD + "   1 hello\n", "hello is no move"),
        (read_kif, HEAD + "   1 ７六玉(77)\n", "７六玉(77) is no move"),  # a pawn stands there
        (read_kif, HEAD + "   1 同　歩(77)\n", "is no"),
        (read_kif, "手合割：百枚落ち\n   1 ７六歩(77)\n", "handicap 百枚落ち is not known"),
        (read_kif, HEAD.replace("平手", "x" * 100_000), "handicap"),
        (read_kif, HEAD.replace("平手", "その他") + USUAL_TEXT, "その他 comes without a board diagram"),
        (read_ki2, "先手：a\n▲７六歩△３四歩▲７六歩\n", "line 2: ▲７六歩 is no legal move at move 3"),
        (read_ki2, "先手：a\n▲何か\n", "no legal move"),
        (read_csa, "PI\n+\n+7776FU\n+2726FU\n", "not to move"),
        (read_csa, "PI\n+\n+7775FU\n", "no legal move"),
        (read_csa, "PI\n+\n+77", "no statement"),
        (read_csa, "P1-KY-KE\n+\n+7776FU\n", "king"),
        (read_csa, "P-00AL\n+\n", "king"),
        (read_csa, "P1garbage\n+\n", "first position"),
        (read_csa, "PI\n+\n+0055OU\n", "no legal move"),
    ],
)  # fmt: skip
def test_errors_in_a_game_are_reported(read: Reader, text: str, complaint: str) -> None:
    (game,) = found(read, text)
    assert game.record is None
    assert complaint in game.error
    assert len(game.error) < 250


def test_broken_positions_do_not_hurt_the_other_games() -> None:
    rng = random.Random(9)
    good = hcpe([(random_line(rng, 10), 1)])
    wrong_move = good[:34] + b"\xff\x7f" + good[36:38]
    data = good + bytes(38) + good + b"\xff" * 38 + good + wrong_move + good + good[:20]
    read = found(read_hcpe, data)
    assert [bool(game.record) for game in read] == [True, False, True, False, True, False, True, False]
    assert read[-1].error == "the file ends in the middle of a position"
    assert read[1].where == "position 11"


def test_a_broken_game_of_a_sheet_does_not_hurt_the_next() -> None:
    good = "V2.2\nN+a\nPI\n+\n+7776FU\n%TORYO\n"
    read = found(read_csa, good + good.replace("7776", "7775") + good + "/\n" + good)
    assert [bool(game.record) for game in read] == [True, False, True, True]
    assert [game.where for game in read] == ["line 1", "line 7", "line 13", "line 20"]


@pytest.mark.parametrize("read", [read_kif, read_ki2, read_csa, read_hcpe])
def test_an_empty_file_has_no_games(read: Reader) -> None:
    assert found(read, b"") == []


@pytest.mark.parametrize("read", [read_kif, read_ki2, read_csa])
def test_another_charset_is_named(read: Reader) -> None:
    (game,) = found(read, (HEAD + USUAL_TEXT).encode("utf-16"))
    assert "charset" in game.error


def test_lines_of_any_length_cost_no_memory() -> None:
    def pieces() -> Iterator[bytes]:
        yield "手合割：平手\n先手：".encode()
        for _ in range(30):
            yield "長".encode() * 100_000
        yield b"\n*"
        for _ in range(30):
            yield b"no end" * 50_000
        yield ("\n" + USUAL_TEXT).encode()

    (game,) = read_kif(pieces())
    assert game.record is not None
    assert len(game.record.moves) == 4
    assert len(game.record.first or "") < 5000


def test_any_bytes_are_survived(tmp_path: Path) -> None:
    rng = random.Random(10)
    moves = random_line(rng, 30)
    for ending, write, read in (("kif", write_kif, read_kif), ("ki2", write_ki2, read_ki2),
                                ("csa", write_csa, read_csa)):  # fmt: skip
        write(tmp_path / f"a.{ending}", moves)
        good = (tmp_path / f"a.{ending}").read_bytes()
        for _ in range(60):
            fuzz(read, good, rng)
    for _ in range(60):
        fuzz(read_hcpe, hcpe([(moves, 1)]), rng)


def fuzz(read: Reader, good: bytes, rng: random.Random) -> None:
    data = bytearray(good)
    for _ in range(rng.randint(1, 20)):
        at = rng.randrange(len(data))
        data[at : at + rng.randint(0, 3)] = bytes(rng.choices(range(256), k=rng.randint(0, 3)))
    for game in found(read, bytes(data)):
        if game.record:
            line(game.record)
            to_csa(game.record)


def test_huffman_codes_are_cshogis() -> None:
    rng = random.Random(11)
    for sfen in (None, "lnsgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"):
        board = cshogi.Board(sfen) if sfen else cshogi.Board()
        for move in random_line(rng, 200, sfen):
            code = np.zeros(32, np.uint8)
            board.to_hcp(code)
            assert (
                ShogiState.parse(hcp_to_sfen(code.tobytes())).text().split()[:3] == board.sfen().split()[:3]
            )
            assert move16_to_usi(cshogi.move16(move)) == cshogi.move_to_usi(move)
            board.push(move)
    with pytest.raises(ParseError, match="32 bytes"):
        hcp_to_sfen(b"")
    with pytest.raises(ParseError, match="no move"):
        move16_to_usi(0xFFFF)


def rated(first: int, second: int, end: str = "%TORYO", plies: int = 60) -> str:
    moves = random_line(random.Random(first), plies)
    body = "".join(f"{'+-'[i % 2]}{cshogi.move_to_csa(move)}\n" for i, move in enumerate(moves))
    return f"N+a ({first})\nN-b ({second})\nPI\n+\n{body}{end}\n/\n"


def test_shogi_groups_says_what_is_left_out_and_makes_equal_groups(tmp_path: Path) -> None:
    ratings = list(range(1400, 2000, 10))
    random.Random(12).shuffle(ratings)
    games = [rated(rating, rating + 20) for rating in ratings]
    games += [
        rated(1500, 1550),
        rated(1500, 1501, "%TIME_UP"),
        rated(1500, 1501, ""),
        rated(1500, 1501, plies=50),
        rated(1500, 1501).replace("N-b (1501)", "N-b"),
        rated(1500, 1501, plies=0).replace("PI", "PI82HI").replace("\n+\n", "\n-\n"),
    ]
    (tmp_path / "a.csa").write_text("".join(games))
    report = build_table([tmp_path / "a.csa"], load_preset("shogi-groups"), tmp_path / "t")
    assert report.kept == 60
    assert report.dropped == {
        "ratings apart": 1,
        "lost on time": 1,
        "no result": 1,
        "too short": 1,
        "no ratings": 1,
        "another first position": 1,
    }
    bounds = rating_bounds(tmp_path / "t", 6)
    assert bounds == [1410, 1510, 1610, 1710, 1810, 1910, 2000]
    assert [group_of(mean, bounds) for mean in (1000, 1410, 1509, 1510, 2000, 3000)] == [0, 0, 0, 1, 5, 5]
    groups = collect_statistics(tmp_path / "t").groups
    assert sorted(groups.items())[0] == ("1410-1510", 10)
    assert set(groups.values()) == {10}


def test_tables_store_all_facts_of_shogi_records(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.csa").write_text(rated(1500, 1510).replace("%", "T7\n'** 35\n%", 1))
    out = tmp_path / "t"
    build_table([tmp_path / "a.csa"], load_preset("shogi-everything"), out)
    (kept,) = [r for shard in read_shards(out) for r in records_of(shard)]
    assert kept == record(read_csa, (tmp_path / "a.csa").read_bytes())
    assert kept.spent is not None
    main(["records", "export", str(out), "--game", "all"])
    assert record(read_csa, capsys.readouterr().out) == kept
