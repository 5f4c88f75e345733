"""KIF and KI2 that do not start from the usual position: handicaps and board diagrams (BOD)."""

from __future__ import annotations

import random

import cshogi
import pytest
from cshogi import KIF

from sparring._core import ShogiState
from sparring.records.record import ParsedGame
from sparring.shogi.kif import HANDICAPS, read_ki2, read_kif
from sparring.shogi.notation import sfen_text
from tests.records.test_shogi_records import found, line, random_line, record, usi

MIDDLE = """# by hand
手合割：その他
後手の持駒：飛　角　金二　歩十一\u3000
  ９ ８ ７ ６ ５ ４ ３ ２ １
+---------------------------+
|v香v桂 ・ ・ ・ ・ ・v桂v玉|一
| ・ ・ ・ ・ ・ ・ 龍 ・v香|二
| ・ ・ ・ ・ ・ ・ ・v歩v歩|三
| ・ ・ ・ ・ ・ ・ ・ ・ ・|四
| ・ ・ ・ ・ ・ ・ ・ ・ ・|五
| ・ ・ 歩 ・ ・ ・ ・ ・ ・|六
| 歩 歩 ・ ・ ・ ・ ・ ・ ・|七
| ・ 玉 ・vとv馬 ・ ・ ・ ・|八
| 香 桂 銀 ・ ・ ・ ・v全 香|九
+---------------------------+
先手の持駒：金二　銀二　桂　歩
手数＝80  △５八角成  まで
"""
MIDDLE_SFEN = "ln5nk/6+R1l/7pp/9/9/2P6/PP7/1K1+p+b4/LNS4+sL b 2G2SNPrb2g11p 1"
PLAYERS = "先手：a\n後手：b\n手数----指手---------消費時間--\n"


def start_of(text: str) -> str:
    """The first position of a game that nobody played on in: it shows in the record of its first move."""
    start = record(read_kif, text).start
    return start or ShogiState.initial().text()


def error_of(text: str) -> str:
    game: ParsedGame = found(read_kif, text)[0]
    assert game.record is None
    return game.error


def test_a_game_starts_from_its_diagram() -> None:
    game = record(read_kif, MIDDLE + PLAYERS + "   1 ２二金打\n   2 投了\n")
    assert game.start == MIDDLE_SFEN
    assert (game.first, game.second, game.result) == ("a", "b", 1.0)
    assert line(game) == ["G*2b"]


def test_white_to_move_and_names_of_handicap_games() -> None:
    diagram = MIDDLE.replace("後手の", "上手の").replace("先手の", "下手の") + "上手番\n"
    game = record(read_kif, diagram + "下手：a\n上手：b\n   1 ６七馬(58)\n")
    assert game.start == MIDDLE_SFEN.replace(" b ", " w ")
    assert line(game) == ["5h6g"]


def test_a_diagram_in_ki2_and_in_shift_jis() -> None:
    game = record(read_ki2, (MIDDLE + "後手番\n先手：a\n後手：b\n\n△６七馬\n").encode("cp932"))
    assert game.start == MIDDLE_SFEN.replace(" b ", " w ")
    assert line(game) == ["5h6g"]


def test_a_diagram_of_the_usual_position_is_the_usual_start() -> None:
    game = record(read_kif, cshogi.Board().to_bod() + "\n" + PLAYERS + "   1 ７六歩(77)\n")
    assert game.start is None


def test_another_diagram_after_moves_begins_another_game() -> None:
    text = MIDDLE + PLAYERS + "   1 ２二金打\n   2 投了\nまで1手で先手の勝ち\n"
    usual = PLAYERS + "   1 ７六歩(77)\n   2 投了\n\n"
    games = found(read_kif, text + usual + text, 13)
    assert [game.record.start if game.record else game.error for game in games] == [
        MIDDLE_SFEN,
        None,
        MIDDLE_SFEN,
    ]


def test_diagrams_read_as_cshogi_draws_them() -> None:
    rng = random.Random(31)
    for _ in range(15):
        board = cshogi.Board()
        for move in random_line(rng, rng.randint(1, 150)):
            board.push(move)
        moves = random_line(rng, 10, board.sfen())
        if not moves:
            continue
        body = ""
        after = board.copy()
        for number, move in enumerate(moves, 1):
            body += f"{number:4} {KIF.move_to_kif(move)}\n"
            after.push(move)
        game = record(read_kif, board.to_bod() + "\n" + PLAYERS + body)
        assert game.start is not None
        assert game.start.split()[:3] == board.sfen().split()[:3]
        assert line(game) == usi(moves)


@pytest.mark.parametrize("name", HANDICAPS)
def test_handicaps_by_name(name: str) -> None:
    known = KIF.Parser.HANDYCAP_SFENS.get(name)
    if known is not None:
        assert HANDICAPS[name] == known
    first = "   1 ７六歩(77)\n" if name == "平手" else "   1 ３四歩(33)\n"
    assert start_of(f"手合割：{name}　\n{first}") == HANDICAPS[name]


def test_a_handicap_takes_as_many_pieces_as_it_says() -> None:
    numbers = {"二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "十": 10}
    for name, sfen in HANDICAPS.items():
        pieces = sum(c.isalpha() for c in sfen.split()[0])
        given = next((count for word, count in numbers.items() if f"{word}枚" in name), None)
        expected = given if given is not None else {"平手": 0, "飛香落ち": 2}.get(name, 1)
        assert 40 - pieces == expected, name


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("| ・ ・ 歩 ・ ・ ・ ・ ・ ・|六", "| ・ ・ 歩 ・ ・ ・ ・ ・|六", "line 11: | ・ ・ 歩"),
        ("| ・ ・ 歩 ・ ・ ・ ・ ・ ・|六\n", "", "has 8 rows, not nine"),
        ("| ・ ・ 歩 ・ ・ ・ ・ ・ ・|六\n", "| ・ ・ 歩 ・ ・ ・ ・ ・ ・|六\n" * 2, "nine by nine"),
        ("vと", "v犬", "犬 in a board diagram is no piece"),
        ("歩十一", "玉二", "玉二 cannot be held in hand"),
        ("歩十一", "歩百", "歩百 cannot be held in hand"),
        ("歩十一", "歩99", "99"),
        ("v玉", " ・", "king"),
        (" 龍 ・v香|二", " ・ 龍v香|二", "the side that just moved is in check"),
    ],
)
def test_errors_in_a_diagram_are_reported(old: str, new: str, complaint: str) -> None:
    assert old in MIDDLE
    assert complaint in error_of(MIDDLE.replace(old, new) + PLAYERS + "   1 ２二金打\n")


def test_hands_of_both_sides_in_sfen() -> None:
    assert sfen_text({(5, 1): "k", (5, 9): "K"}, ({}, {}), "w") == "4k4/9/9/9/9/9/9/9/4K4 w - 1"
    board = {(5, 1): "k", (9, 9): "+P"}
    assert sfen_text(board, ({"P": 2, "R": 1}, {"G": 1}), "b") == "4k4/9/9/9/9/9/9/9/+P8 b R2Pg 1"
