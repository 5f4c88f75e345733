"""Anything that a person pastes anywhere is recognised, and of a broken game the legal part is read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient

from sparring.server.app import create_app
from tests.server.conftest import ACCESS
from tests.server.test_games_api import begin

FEN = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3"
SFEN = "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2"
PGN = '[White "Anna"]\n[Black "Ben"]\n[Event "Club"]\n[Date "2024.05.06"]\n\n1. e4 e5 2. Nf3 Nc6 1/2-1/2\n'
KIF = """手合割：平手
先手：Anna
後手：Ben
手数----指手---------消費時間--
   1 ７六歩(77)   ( 0:01/00:00:01)
   2 ３四歩(33)   ( 0:01/00:00:01)
   3 投了
"""
KI2 = "手合割：平手\n先手：Anna\n後手：Ben\n▲７六歩    △３四歩\nまで2手で後手の勝ち\n"
CSA = "V2.2\nN+Anna\nN-Ben\nPI\n+\n+7776FU\n-3334FU\n%TORYO\n"
SGF = "(;GM[1]FF[4]SZ[9]KM[7.5]PB[Anna]PW[Ben]RE[B+R];B[ee];W[cc];B[gg])"
BREAKTHROUGH = '[White "Anna"]\n[Black "Ben"]\n[Variant "Breakthrough"]\n\n1. b2b3 g7g6 2. b3b4 *\n'
RECORDS = {
    "pgn": (PGN, "chess", 4),
    "kif": (KIF, "shogi", 2),
    "ki2": (KI2, "shogi", 2),
    "csa": (CSA, "shogi", 2),
    "sgf": (SGF, "go", 3),
    "variant": (BREAKTHROUGH, "breakthrough", 3),
}
BOXES = ["chess", "go", "shogi", "breakthrough", "rbc", "expendibots", None]


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    """One server for all texts: what is read is not kept."""
    with TestClient(create_app(":memory:", ACCESS, None)) as found:
        yield found


def read(client: TestClient, text: str, game: str | None = None) -> Any:
    answer = client.post("/api/read", json={"text": text, "game": game})
    assert answer.status_code == 200, answer.text
    return answer.json()


def refusal(client: TestClient, text: str, game: str | None = None) -> str:
    answer = client.post("/api/read", json={"text": text, "game": game})
    assert answer.status_code == 422, answer.text
    sentence: str = answer.json()["detail"]
    assert len(sentence) < 400
    return sentence


@pytest.mark.parametrize("game", BOXES)
@pytest.mark.parametrize("kind", RECORDS)
def test_records_are_recognised_in_every_box(client: TestClient, kind: str, game: str | None) -> None:
    text, expected, plies = RECORDS[kind]
    for shown in (text, f"\N{BYTE ORDER MARK}{text}", text.replace("\n", "\r\n"), f"\n\n  {text}"):
        view = read(client, shown, game)
        (entry,) = view["games"]
        assert (view["game"], view["kind"]) == (expected, "record")
        assert (entry["plies"], entry["error"]) == (plies, None)
        assert entry["players"] == ["Anna", "Ben"]


@pytest.mark.parametrize("game", BOXES)
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (FEN, "chess"),
        (f"fen {FEN}", "chess"),
        (f"position fen {FEN}", "chess"),
        (FEN.rsplit(" ", 2)[0], "chess"),
        ("8/8/8/4k3/8/4K3/4P3/8 w", "chess"),
        (SFEN, "shogi"),
        (f"sfen {SFEN}", "shogi"),
        (f"position sfen {SFEN}", "shogi"),
        ("9/9/2O6/9/4X4/9/6X2/9/9 b - 0 0 1 7.5", "go"),
    ],
)
def test_positions_are_recognised_in_every_box(
    client: TestClient, text: str, expected: str, game: str | None
) -> None:
    view = read(client, f" {text}\n", game)
    assert (view["game"], view["kind"], view["format"]) == (expected, "position", "position")
    assert text.split()[-1] in view["position"] or "w" in view["position"]
    assert begin(client, expected, position=view["position"])["position"] == view["position"]


@pytest.mark.parametrize(
    ("text", "game", "plies"),
    [
        ("position startpos moves e2e4 e7e5", "chess", 2),
        ("position startpos moves 7g7f 3c3d 8h2b+", "shogi", 3),
        ("startpos moves 7g7f 3c3d", "shogi", 2),
        ("startpos moves e2e4 e7e5", "chess", 2),
        (f"sfen {SFEN} moves 3c3d", "shogi", 1),
        (f"{SFEN} moves 3c3d", "shogi", 1),
        (f"position fen {FEN} moves f1b5", "chess", 1),
        (f"position sfen {SFEN} moves 3c3d", "shogi", 1),
        ("e2e4 e7e5 g1f3", "chess", 3),
        ("7g7f 3c3d", "shogi", 2),
        ("e4 e5 Nf3", "chess", 3),
        ("1.e4 e5 2.Nf3", "chess", 3),
    ],
)
def test_lists_of_moves_are_games(client: TestClient, text: str, game: str, plies: int) -> None:
    view = read(client, text)
    (entry,) = view["games"]
    assert (view["game"], view["kind"], entry["plies"], entry["error"]) == (game, "record", plies, None)
    for record_format in (None, view["format"]):
        started = begin(client, game, record=text, format=record_format)
        assert len(started["moves"]) >= plies


BROKEN = {
    "pgn": ("1. e4 e5 2. Nf3 Nc6 3. Ke4 Nf6 *", "chess", 4, "Move 3 of White, Ke4,"),
    "black": ("1. e4 e4 *", "chess", 1, "Move 1 of Black, e4,"),
    "listed": ("e4 e5 Nf3 Nf3", "chess", 3, "Move 2 of Black, Nf3,"),
    "points": ("Q16 Q16", "go", 1, "Move 2, Q16,"),
    "variation": ("1. e4 {good; move} (1. d4 d5 (1... Nf6)) e5 2. Ke4 *", "chess", 2, "Ke4"),
    "kif": (KIF.replace("   3 投了", "   3 ５五歩(77)   ( 0:01/00:00:01)"), "shogi", 2, "５五歩"),
    "ki2": ("手合割：平手\n▲７六歩    △３四歩    ▲５五歩\n", "shogi", 2, "５五歩"),
    "csa": (CSA.replace("%TORYO", "+2222FU"), "shogi", 2, "+2222FU"),
    "sgf": ("(;GM[1]SZ[9];B[ee]C[a ; b \\] ];W[cc];B[ee];W[aa])", "go", 2, "Move 3, E5,"),
    "variant": (BREAKTHROUGH.replace("b3b4", "b3b7"), "breakthrough", 2, "b3b7"),
    "uci": ("e2e4 e7e5 e1e5", "chess", 2, "e1e5"),
    "usi": ("7g7f 3c3d 1a1a", "shogi", 2, "1a1a"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_the_legal_part_of_a_broken_game_is_read_and_the_bad_move_named(
    client: TestClient, kind: str
) -> None:
    text, game, plies, bad = BROKEN[kind]
    view = read(client, text, "chess")
    (entry,) = view["games"]
    assert (view["game"], entry["plies"]) == (game, plies)
    assert bad in entry["error"]["text"]
    assert entry["error"]["template"] != entry["error"]["text"], "it can be translated"
    answer = client.post("/api/games", json={"game": game, "record": text, "format": view["format"]})
    assert answer.status_code == 201, answer.text
    assert len(answer.json()["moves"]) >= plies
    assert bad in answer.json()["warning"]["text"]


def test_a_broken_game_is_understood_and_reviewed_as_far_as_it_goes(client: TestClient) -> None:
    body = {"game": "chess", "record": BROKEN["pgn"][0]}
    insight = client.post("/api/understand", json=body).json()
    assert insight["ply"] == 4
    assert "Ke4" in insight["warning"]["text"]
    review = client.post("/api/reviews", json=body).json()
    assert review["total"] == 4
    assert "Ke4" in review["warning"]["text"]


def test_one_of_several_games_is_chosen(client: TestClient) -> None:
    text = f'{PGN}\n1. d4 d5 *\n\n[Event "x"]\n\n1. c4 c5 2. Ke4 *\n'
    view = read(client, text)
    assert [entry["plies"] for entry in view["games"]] == [4, 2, 2]
    assert [entry["error"] is None for entry in view["games"]] == [True, True, False]
    assert view["games"][0]["title"] == "Club, 2024-05-06"
    assert view["games"][0]["result"] == "1/2-1/2"
    firsts = [begin(client, "chess", record=text, record_index=i)["moves"][0]["name"] for i in range(3)]
    assert firsts == ["e4", "d4", "c4"]
    insight = client.post("/api/understand", json={"game": "chess", "record": text, "record_index": 1})
    assert insight.json()["last"] == "d7d5"
    answer = client.post("/api/games", json={"game": "chess", "record": text, "record_index": 3})
    assert (answer.status_code, answer.json()["detail"]) == (422, "The text has 3 games.")


def test_a_game_of_another_kind_is_named(client: TestClient) -> None:
    answer = client.post("/api/games", json={"game": "chess", "record": CSA})
    assert answer.status_code == 422
    assert answer.json()["detail"] == "This is Shogi, not Chess."
    assert "position" in client.post("/api/games", json={"game": "chess", "record": FEN}).json()["detail"]


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "nothing"),
        (" \n\t", "nothing"),
        ("hello world", "recognised"),
        ("\ufffd\ufffd\ufffd\ufffd 1", "UTF-8"),
        ("\0\1\2", "UTF-8"),
        ("((((((;", ""),
        ("{" * 5000, ""),
        ("(;" * 5000, ""),
        ("1. " * 9000, ""),
        ("▲" * 20000, ""),
        ("9/9/9/9/9/9/9/9/9 b - 1", "Shogi"),
        ("8/8/8/8/8/8/8/8 w - - 0 1", "Chess"),
        ("/" * 400, ""),
        ("[" * 9000, ""),
        ('[White "' + "x" * 9000, ""),
        ('{"a": ' * 2000, ""),
    ],
)
@pytest.mark.parametrize("game", ["chess", "go", None, "poker"])
def test_what_is_no_game_gets_one_sentence(
    client: TestClient, text: str, part: str, game: str | None
) -> None:
    assert part in refusal(client, text, game)


@pytest.mark.parametrize("game", [None, "chess", "go"])
@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP w KQkq - 2 3", "Chess"),  # a row is missing
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQ1BNR w - - 0 1", "Chess"),  # no king
        ("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1 b - 1", "Shogi"),
        ("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSN b - 1", "Shogi"),
        ("9/9/2X6/9/9/9/6O2/9/8 b - 0 0 0 7.5", "Go"),
    ],
)
def test_a_broken_position_is_of_the_game_with_its_pieces(
    client: TestClient, text: str, title: str, game: str | None
) -> None:
    assert refusal(client, text, game).startswith(f"This looks like a position of {title}, but")


def test_a_text_that_is_too_long_is_refused(client: TestClient) -> None:
    assert "500000" in refusal(client, "1. e4 " * 100_000)
