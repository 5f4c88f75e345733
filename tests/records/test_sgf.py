"""SGF to the table and back, and malformed SGF."""

from __future__ import annotations

import datetime
import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from sparring._core import GoState, SgfParser
from sparring.cli import main
from sparring.games.ratings import parse_rank, rank_order
from sparring.go.sgf import parse_result, read_sgf, to_sgf
from sparring.records import (
    GameRecord,
    Termination,
    build_table,
    find_sources,
    load_preset,
    read_shards,
    records_of,
)
from sparring.records.record import ParsedGame

EVERYTHING = load_preset("go-everything")


def found(text: str | bytes, chunk: int = 1 << 20, skip: int = 0) -> list[ParsedGame]:
    data = text.encode() if isinstance(text, str) else text
    return list(read_sgf((data[at : at + chunk] for at in range(0, len(data), chunk)), skip))


def record(text: str | bytes) -> GameRecord:
    (game,) = found(text)
    assert game.record is not None, game.error
    return game.record


def line(record: GameRecord) -> list[str]:
    """The moves in GTP's words."""
    state: GoState | None = GoState.parse(record.start or "").unpack_moves(record.moves, 2)
    texts = []
    while state is not None and state.previous is not None and state.last_move is not None:
        texts.append(state.previous.move_text(state.last_move))
        state = state.previous
    return texts[::-1]


def letters(point: int, size: int) -> str:
    if point == size * size:
        return ""
    return chr(97 + point % size) + chr(97 + size - 1 - point // size)


def random_game(rng: random.Random, plies: int = 60) -> tuple[str, GoState]:
    """A random game with all that SGF allows around its main line, and where it leads."""
    size = rng.choice([5, 9, 13, 19])
    state = GoState.initial(size, 6.5, "simple", False, "territory")
    nodes = [f";GM[1]FF[4]SZ[{size}]KM[6.50]RU[Japanese]PB[a \\] b\\\\c]C[(;B[aa\\])] HA[0]"]
    for _ in range(plies):
        moves = state.legal_moves()
        move = rng.choice(moves[:-1] or moves)
        if rng.random() < 0.05 and state.passes == 0:
            move = moves[-1]
        nodes.append(f";{'BW'[state.to_move]}[{letters(move, size)}]")
        if rng.random() < 0.2:
            nodes.append("C[a comment: \\] ; ( \\\\] TR[aa][bb]\n LB [cc:1]")
        state = state.play(move)
        if state.outcome is not None:
            break
    at = rng.randrange(1, len(nodes) + 1)
    text = (
        "(" + "".join(nodes[:at]) + "\n(" + (";N[x]" + "".join(nodes[at:])) + ")\n(;B[aa](;W[bb])(;W[cc])))"
    )
    return text, state


@pytest.mark.parametrize("chunk", [1, 13, 1 << 20])
def test_only_the_main_line_is_read(chunk: int) -> None:
    rng = random.Random(1)
    games = [random_game(rng) for _ in range(25)]
    read = found("words before (not a game)\n" + "\n".join(text for text, _ in games), chunk)
    assert len(read) == len(games)
    for game, (_, state) in zip(read, games, strict=True):
        assert game.record is not None, game.error
        assert GoState.parse(game.record.start or "").unpack_moves(game.record.moves, 2) == state
        assert game.record.first == "a ] b\\c"


def test_reading_goes_on_from_the_end_of_any_game() -> None:
    rng = random.Random(2)
    text = "\n".join(random_game(rng, 10)[0] for _ in range(8))
    games = found(text)
    for done, game in enumerate(games, 1):
        again = found(text, 7, game.end)
        assert [(g.record, g.where, g.end) for g in again] == [
            (g.record, g.where, g.end) for g in games[done:]
        ]


def test_a_game_comes_back_from_the_table_as_it_was(tmp_path: Path) -> None:
    rng = random.Random(3)
    facts = "PB[黒 \\] ]PW[b]BR[3k]WR[P9段]RE[W+3.5]TM[600]OT[5x30 byo-yomi]DT[2019-02-03,04]EV[e]PC[p]"
    texts = [random_game(rng)[0].replace("PB[a \\] b\\\\c]", facts) for _ in range(20)]
    (tmp_path / "a.sgf").write_text("\n".join(texts))
    assert build_table([tmp_path / "a.sgf"], EVERYTHING, tmp_path / "t").kept == 20
    kept = [r for shard in read_shards(tmp_path / "t") for r in records_of(shard)]
    assert {r.moves for r in kept} == {g.record.moves for g in found("".join(texts)) if g.record}
    for game in kept:
        assert record(to_sgf(game)) == game
        assert (game.first, game.first_rank, game.second_rank) == ("黒 ]", "3k", "9p")
        assert (game.result, game.margin, game.date) == (0.0, 3.5, datetime.date(2019, 2, 3))


def test_handicap_clocks_and_old_spelling() -> None:
    game = record("(;GaMe[1]SiZe[9]KoMi[0.5]HAndicap[2]AddBlack[cc][gg];White[ee]WL[59.5];Black[]BL[60])")
    assert game.start == "9/9/2X6/9/9/9/6X2/9/9 w - 0 0 0 0.5 simple"
    assert line(game) == ["E5", "pass"]
    assert game.clocks == (595).to_bytes(4, "little") + (600).to_bytes(4, "little")
    assert record(to_sgf(game)) == game
    assert "HA[2]" in to_sgf(game)


def test_rectangles_of_stones_and_the_side_to_move() -> None:
    game = record("(;SZ[5]AB[aa:ba]AW[ae:be]AE[ba]PL[W]RU[NZ]KM[])")
    assert game.start == "X4/5/5/5/OO3 w - 0 0 0 0 simple suicide"


@pytest.mark.parametrize(
    ("written", "komi"),
    [("6.50", "6.5"), ("650", "6.5"), ("375", "7.5"), ("325", "6.5"), ("3.75", "7.5"), ("0", "0"),
     ("-44.50", "-44.5"), ("-100.00", "-100"), ("+5.5", "5.5"), ("7.5目", "7.5")],
)  # fmt: skip
def test_komi_as_people_write_it(written: str, komi: str) -> None:
    assert (record(f"(;KM[{written}])").start or "").split()[6] == komi


@pytest.mark.parametrize(
    ("facts", "komi"),
    [("KM[0]HA[0]BR[3k]WR[3k]RU[Japanese]", "6.5"), ("KM[0]HA[0]BR[9段]WR[9段]RU[Chinese]", "7.5"),
     ("KM[0]HA[0]BR[3k]WR[1k]", "0"), ("KM[0]HA[1]BR[3k]WR[3k]", "0"), ("KM[0.00]HA[0]BR[3k]WR[3k]", "0"),
     ("KM[0]BR[3k]WR[3k]", "0"), ("KM[650]HA[0]BR[3k]WR[3k]", "6.5")],
)  # fmt: skip
def test_a_komi_of_0_in_an_even_game_of_fox_is_not_believed(facts: str, komi: str) -> None:
    assert (record(f"(;SZ[19]{facts};B[dd])").start or "").split()[6] == komi


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("B+R", (1.0, Termination.RESIGNATION, None)),
        ("W+Resign", (0.0, Termination.RESIGNATION, None)),
        ("W+3.5", (0.0, Termination.NORMAL, 3.5)),
        ("b+T", (1.0, Termination.TIME, None)),
        ("W+Forfeit", (0.0, Termination.RULES, None)),
        ("B+", (1.0, Termination.UNKNOWN, None)),
        ("Draw", (0.5, Termination.NORMAL, 0.0)),
        ("0", (0.5, Termination.NORMAL, 0.0)),
        ("Void", (None, Termination.ABANDONED, None)),
        ("?", (None, Termination.UNKNOWN, None)),
        ("B+nan", (1.0, Termination.UNKNOWN, None)),
        ("", (None, Termination.UNKNOWN, None)),
    ],
)
def test_results(text: str, expected: tuple[float | None, Termination, float | None]) -> None:
    assert parse_result(text) == expected


@pytest.mark.parametrize(
    ("text", "rank"),
    [("3k", "3k"), ("6d", "6d"), ("5d?", "5d"), ("9段", "9d"), ("3级", "3k"), ("P9段", "9p"), ("8p", "8p"),
     ("10 kyu", "10k"), ("2 dan", "2d"), ("9d pro", "9p"), ("三段", "3d"), ("初段", "1d"), ("十二級", "12k"),
     ("7단", "7d"), ("", None), ("?", None), ("99d", None), ("0k", None), ("strong", None), ("1500", None)],
)  # fmt: skip
def test_ranks_become_a_number_and_a_letter(text: str, rank: str | None) -> None:
    assert parse_rank(text) == rank


def test_ranks_have_an_order() -> None:
    assert sorted(["1d", "9p", "30k", "1k", "9d", "1p"], key=rank_order) == [
        "30k",
        "1k",
        "1d",
        "9d",
        "1p",
        "9p",
    ]


@pytest.mark.parametrize(
    ("charset", "declared", "name"),
    [
        ("utf-8", "UTF-8", "黑棋"),
        ("utf-8", "", "黑棋"),
        ("gb18030", "GB18030", b"\x81\\\x81]".decode("gb18030")),  # second bytes that SGF has a use for
        ("gb18030", "", "柯洁九段"),
        ("shift_jis", "Shift_JIS", "ソ表"),
        ("shift_jis", "", "さくら"),
        ("euc-kr", "EUC-KR", "이세돌"),
        ("latin-1", "ISO-8859-1", "Müller"),
        ("latin-1", "", "José Müller"),
        ("latin-1", "no-such-charset", "José"),
    ],
)
def test_names_in_any_charset(charset: str, declared: str, name: str) -> None:
    mark = f"CA[{declared}]" if declared else ""
    text = f"(;{mark}PB[".encode() + name.encode(charset) + b"]PW[x];B[aa])"
    game = record(text)
    assert (game.first, game.second) == (name, "x")


@pytest.mark.parametrize(
    ("text", "defect"),
    [
        ("(;B[aa];W[bb];W[cc])", "two moves running by one player"),
        ("(;B[aa];W[bb]AB[cc])", "stones set up in the middle of the game"),
        ("(;HA[4];W[cc];B[dd])", "handicap stones not recorded"),
    ],
)
def test_unusable_records_are_distinguished_from_broken_ones(text: str, defect: str) -> None:
    (game,) = found(text)
    assert (game.record, game.error, game.defect) == (None, defect, defect)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("(;B[aa];W[aa])", "'aa' is no legal move at move 2"),
        ("(;SZ[9];B[ss])", "'ss' is no point of a board of size 9"),
        ("(;B[aa;W[bb])", "no point"),
        ("(;SZ[25])", "25"),
        ("(;SZ[9:13])", "not square"),
        ("(;SZ[x])", "no number"),
        ("(;GM[2];B[aa])", "not Go"),
        ("(;KM[what];B[aa])", "komi"),
        ("(;KM[1e99];B[aa])", "komi"),
        ("(;AB[zz])", "no point"),
        ("(;SZ[9]AB[ss])", "beyond"),
        ("(;SZ[5]AB[aa:ee])", "liberty"),
        ("(;B[aa];W[bb]", "ends in the middle"),
        ("(;B[aa];W[bb]C[never closed", "ends in the middle"),
        ("(;B[" + "x" * 100_000 + "])", "no point"),
        ("(;B[aa]" + "B[bb]" * 5000 + ")", "too many"),
    ],
)
def test_errors_in_a_game_are_reported(text: str, complaint: str) -> None:
    (game,) = found(text)
    assert complaint in game.error
    assert (game.record, game.defect) == (None, "")
    assert len(game.error) < 200


def test_a_broken_game_does_not_hurt_the_next() -> None:
    good = "(;GM[1]FF[4]PB[good];B[aa];W[bb])\n"
    cut = "(;GM[1]FF[4]PB[bad];B[aa](;W[bb]\n"
    read = found(good + cut + good + "(;GM[1];B[aa];W[aa](;B[cc])\n)\n" + good + "(;SZ[19]B[")
    assert [game.record.first if game.record else game.error for game in read] == [
        "good",
        "another game begins in the middle of it",
        "good",
        "'aa' is no legal move at move 2",
        "good",
        "the file ends in the middle of it",
    ]
    assert [game.where for game in read] == [f"line {n}" for n in (1, 2, 3, 4, 6, 7)]


def test_play_that_goes_on_after_two_passes_is_kept_without_them() -> None:
    assert line(record("(;B[cc];W[];B[];W[dd];B[])")) == ["C17", "D16", "pass"]
    assert line(record("(;B[cc];W[tt];B[];W[];B[dd])")) == ["C17", "pass", "D16"]
    assert line(record("(;B[cc];W[];B[];W[];B[])")) == ["C17", "pass", "pass"]


def test_a_ko_that_superko_would_forbid_is_read() -> None:
    """Each takes one of two kos and after a pass the other's: the whole board has come back."""
    stones = {"X": "", "O": ""}
    for y, row in enumerate([".XO...", "XO.O..", ".XO...", ".XO...", "X.XO..", ".XO..."]):
        for x, piece in enumerate(row):
            if piece in stones:
                stones[piece] += f"[{chr(97 + x)}{chr(97 + y)}]"
    game = record(f"(;SZ[9]AB{stones['X']}AW{stones['O']};B[cb];W[be];B[];W[bb];B[ce])")
    start = GoState.parse(game.start or "")
    assert start.unpack_moves(game.moves, 2).stones == start.stones


@pytest.mark.parametrize("data", [b"", b" \n\n", b"\xef\xbb\xbf"])
def test_a_file_without_games_has_none(data: bytes) -> None:
    assert [game for game in found(data) if game.record] == []


def test_another_charset_than_8_bits_is_named() -> None:
    (game,) = found("(;GM[1];B[aa])".encode("utf-16"))
    assert "8-bit charset" in game.error


def test_values_of_any_length_cost_no_memory() -> None:
    def pieces() -> Iterator[bytes]:
        yield b"(;GM[1]PB["
        for _ in range(30):
            yield b"\xe9\xbb\x92" * 100_000
        yield b"]C["
        for _ in range(30):
            yield b"no end \\] in sight" * 20_000
        yield b"];B[aa])"

    (game,) = read_sgf(pieces())
    assert game.record is not None
    assert len(game.record.first or "") <= 1000
    assert len(game.record.moves) == 2


def test_any_bytes_are_survived() -> None:
    rng = random.Random(4)
    good = "\n".join(random_game(rng, 20)[0] for _ in range(8)).encode()
    for _ in range(300):
        data = bytearray(good)
        for _ in range(rng.randint(1, 30)):
            at = rng.randrange(len(data))
            data[at : at + rng.randint(0, 5)] = bytes(rng.choices(range(256), k=rng.randint(0, 5)))
        parser = SgfParser()
        parser.feed(bytes(data))
        parser.finish()
        for game in found(bytes(data), rng.choice([13, 1 << 20])):
            if game.record:
                line(game.record)
                to_sgf(game.record)


def test_go_ranks_says_what_is_left_out_and_why(tmp_path: Path) -> None:
    def game(black: str, white: str, rest: str = ";B[aa];W[bb]", size: int = 19) -> str:
        return f"(;SZ[{size}]BR[{black}]WR[{white}]{rest})"

    games = [
        game("3k", "3k"),
        game("9段", "9d"),
        game("3k", "2k"),
        game("", "3k"),
        game("9p", "9p"),
        game("3k", "3k", size=13),
        game("3k", "3k", "HA[2]AB[dd][pp];W[aa]"),
        game("3k", "3k", ";W[aa];B[bb]"),
        game("3k", "3k", ";B[aa];B[bb]"),
        game("3k", "3k", ""),
        game("3k", "3k", ";B[aa];W[aa]"),
    ]
    (tmp_path / "in").mkdir()
    for number, text in enumerate(games):
        (tmp_path / "in" / f"{number}.sgf").write_text(text)
    sources = find_sources([tmp_path / "in"], "go", pytest.fail)
    report = build_table(sources, load_preset("go-ranks"), tmp_path / "t")
    assert (report.kept, report.broken) == (2, 1)
    assert report.dropped == {
        "ranks apart": 1,
        "no ranks": 1,
        "ranks out of range": 1,
        "board size": 1,
        "handicap": 1,
        "White began": 1,
        "two moves running by one player": 1,
        "too short": 1,
    }


def test_the_commands_support_go(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.sgf").write_text("(;BR[3k]WR[3k]PB[x];B[aa];W[bb])\n(;BR[1d]WR[1d];B[cc])")
    out = str(tmp_path / "t")
    main(["records", "build", str(tmp_path / "a.sgf"), "--out", out, "--preset", "go-everything"])
    capsys.readouterr()
    main(["records", "stats", out, "--json"])
    stats = json.loads(capsys.readouterr().out)
    assert (stats["positions"], stats["groups"]) == (3, {"3k": 1, "1d": 1})
    main(["records", "stats", out])
    assert "groups: 3k 1, 1d 1" in capsys.readouterr().out
    main(["records", "list", out])
    listed = capsys.readouterr().out
    assert "3k - 3k" in listed
    identity = next(row.split()[0] for row in listed.splitlines() if "3k" in row)
    main(["records", "export", out, "--game", identity])
    assert record(capsys.readouterr().out).first == "x"
