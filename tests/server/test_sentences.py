"""Texts for people have a template and values, so that the page can translate them."""

from __future__ import annotations

import copy
import pickle

import pytest
from fastapi.testclient import TestClient

from sparring.base.sentences import Sentence, from_stored, joined, to_stored
from sparring.games import ParseError, load_game
from sparring.play.result import reason_text
from sparring.server.messages import text_of
from sparring.server.pasted import read_games
from sparring.server.refusal import PARSER_SENTENCES, message_of
from tests.server.test_games_api import begin, play, post


def test_a_sentence_is_its_english_text() -> None:
    sentence = Sentence("{side} has {points} points.", side="White", points=3.0)
    assert sentence == "White has 3 points."
    assert (sentence.template, sentence.values) == (
        "{side} has {points} points.",
        {"side": "White", "points": 3.0},
    )


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s))])
def test_a_copy_of_a_sentence_has_its_values(copied: object) -> None:
    inner = Sentence("{side} wins", side="White")
    made = copied(Sentence("{side} resigns: {wins}.", side="Black", wins=inner))  # type: ignore[operator]
    assert made == "Black resigns: White wins."
    assert made.values["wins"].template == "{side} wins"


def test_a_stored_sentence_keeps_its_template_and_other_texts_stay() -> None:
    sentence = joined(Sentence("You pass."), Sentence("{move} became {taken}.", move="e4", taken="e3"))
    restored = from_stored(to_stored(sentence))
    assert restored == "You pass. e4 became e3."
    assert text_of(restored) == text_of(sentence)
    for plain in ("White resigns: you win.", '{"template": ', '{"template": 3}', '{"template": "{x}"}', ""):
        assert from_stored(to_stored(plain)) == plain


def test_the_message_of_a_sentence_has_messages_of_its_values() -> None:
    wins = Sentence("{side} wins", side="White")
    message = text_of(Sentence("{side} resigns: {wins}.", side="Black", wins=wins)).model_dump()
    assert message == {
        "text": "Black resigns: White wins.",
        "template": "{side} resigns: {wins}.",
        "values": {
            "side": "Black",
            "wins": {"text": "White wins", "template": "{side} wins", "values": {"side": "White"}},
        },
    }
    assert text_of("d4").model_dump() == {"text": "d4", "template": "d4", "values": {}}


def test_the_message_of_a_text_that_utf8_cannot_have_is_sent() -> None:
    assert text_of(Sentence("There is no '{name}'.", name="\ud800")).text == "There is no '?'."


def test_the_reasons_of_ends_are_sentences() -> None:
    for reason in ("checkmate", "score", "king capture", "fifty moves", "far row", "no tokens"):
        assert isinstance(reason_text(reason), Sentence)
    assert reason_text("a rule of a plug-in") == "a rule of a plug-in"


def test_the_texts_of_a_game_are_templates(client: TestClient) -> None:
    view = play(client, begin(client, "breakthrough"), "a2a3")
    assert view["players"][0]["name"]["template"] == "You"
    assert "{" in view["players"][1]["name"]["template"]
    over = post(client, view, "resign").json()
    assert over["message"]["template"] == "You resign: {winner} wins."
    assert over["message"]["values"] == {"winner": "Black"}
    assert client.get("/api/games").json()[0]["result"] == over["message"]
    refused = post(client, view, "resign").json()
    assert refused == {"detail": "The game is over.", "text": text_of("The game is over.").model_dump()}


def test_every_refusal_has_a_text(client: TestClient) -> None:
    for answer in (
        client.get("/api/nothing"),
        client.get("/api/games/none"),
        client.post("/api/games", json={"game": "chess", "rating": 3}),
        client.post("/api/games", content=b"x" * 3_000_000),
    ):
        assert answer.json()["text"]["text"] == answer.json()["detail"]


PIECES = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/"
ARMY = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL"
KINGS = "4k4/9/9/9/9/9/9/9/4K4"
BROKEN = [
    ("chess", f"{PIECES[1:]}RNBQKBNR w - - 0 1"),
    ("chess", "x w - -"),
    ("chess", "8/8/8/8 w - -"),
    ("chess", "44/11p/8/8/8/8/8/8 w - -"),
    ("chess", f"{PIECES}RNBQQBNR w - - 0 1"),
    ("chess", f"{PIECES}RNBKKBNR w - - 0 1".replace("PPPPPPPP", "PPPPPPP1")),
    ("chess", "qqqqqqqq/qqqqqqqk/1q6/8/8/8/8/K7 w - -"),
    ("chess", "k7/pppppppp/p7/8/8/8/8/K7 w - -"),
    ("chess", "P6k/8/8/8/8/8/8/K7 w - -"),
    ("chess", f"{PIECES}RNBQKBNR x - -"),
    ("chess", f"{PIECES}RNBQKBNR w A -"),
    ("chess", f"{PIECES}RNBQKBNR w KK -"),
    ("chess", f"{PIECES}RNBQKBNR w - e5"),
    ("chess", f"{PIECES}RNBQKBNR w - - a 1"),
    ("chess", "k7/8/8/8/8/8/8/K6R b - - 0 1 2 3"),
    ("chess", "k7/8/8/8/8/8/8/K6r b - -"),
    ("shogi", ARMY),
    ("shogi", f"{ARMY} b - 1 win"),
    ("shogi", f"{ARMY} x - 1"),
    ("shogi", f"{ARMY} b - x"),
    ("shogi", "9/9 b - 1"),
    ("shogi", "4k4/9/+/9/9/9/9/9/4K4 b - 1"),
    ("shogi", "4k4/9/+G8/9/9/9/9/9/4K4 b - 1"),
    ("shogi", "4k4/9/9/9/9/9/9/9/9 b - 1"),
    ("shogi", f"{KINGS} b 19P 1"),
    ("shogi", f"{KINGS} b 3 1"),
    ("shogi", f"{KINGS} b PP 1"),
    ("shogi", f"{KINGS} b 3R 1"),
    ("shogi", "P3k4/9/9/9/9/9/9/9/4K4 b - 1"),
    ("shogi", "4k4/9/P8/P8/9/9/9/9/4K4 b - 1"),
    ("go", "5/5/5/5 b - 0 0 0 7.5"),
    ("go", "5/5/6/5/5 b - 0 0 0 7.5"),
    ("go", "5/5/4/5/5 b - 0 0 0 7.5"),
    ("go", "5/5/Z4/5/5 b - 0 0 0 7.5"),
    ("go", "5/5/9/5/5 b - 0 0 0 7.5"),
    ("go", "XXXXX/XXXXX/XXXXX/XXXXX/XXXXX b - 0 0 0 7.5"),
    ("go", "5/5/5/5/5 x - 0 0 0 7.5"),
    ("go", "5/5/5/5/5 b Z9 0 0 0 7.5"),
    ("go", "5/5/5/5/5 b A1 0 0 0 7.5"),
    ("go", "5/5/5/5/5 b - x 0 0 7.5"),
    ("go", "5/5/5/5/5 b - 0 0 3 7.5"),
    ("go", "5/5/5/5/5 b - 0 0 0 5.3"),
    ("go", "5/5/5/5/5 b - 0 0 0 x"),
    ("go", "5/5/5/5/5 b - 0 0 0 7.5 marsian"),
    ("go", "5/5/5/5/5"),
    ("expendibots", "8/8 w"),
    ("expendibots", "7/8/8/8/8/8/8/8 w"),
    ("expendibots", "8/8/8/8/8/8/8/8/8 w"),
    ("expendibots", "44/8/8/8/8/8/8/8 w"),
    ("expendibots", "Z7/8/8/8/8/8/8/8 w"),
    ("expendibots", "LL6/8/8/8/8/8/8/8 w"),
    ("expendibots", "8/8/8/8/8/8/8/8 x"),
    ("expendibots", "8/8/8/8/8/8/8/8 w x"),
    ("expendibots", "8/8/8/8/8/8/8/8"),
    ("breakthrough", "x"),
    ("breakthrough", "8/8 w"),
    ("breakthrough", "Z7/8/8/8/8/8/8/8 w"),
    ("breakthrough", "P7/8/8/8/8/8/8/p7 x"),
    ("breakthrough", "8/PPPPPPPP/PPPPPPPP/P7/8/8/8/8 w"),
    ("breakthrough", "P7/8/8/8/8/8/8/p7 w"),
]
"""Games and positions that their parsers refuse, one for each reason and more."""
BROKEN_RULES: list[dict[str, object]] = [
    {"komi": 5.3},
    {"komi": 1e9},
    {"size": 3},
    {"handicap": 12},
    {"handicap": 5, "size": 7},
    {"handicap": 2, "size": 5},
    {"ko": "marsian"},
    {"scoring": "marsian"},
    {"tax": "marsian"},
]
"""Options of Go that its rules refuse."""
BROKEN_SGF = [
    "(;GM[1]SZ[25];B[aa])",
    "(;GM[1]SZ[x];B[aa])",
    "(;GM[1]SZ[9:13];B[aa])",
    "(;GM[1]SZ[9]KM[5.3];B[aa])",
    "(;GM[1]SZ[9]KM[x];B[aa])",
    "(;GM[1]SZ[9];B[zz])",
    "(;GM[1]SZ[9]AB[zz])",
    "(;GM[1]SZ[9]AB[ss];B[aa])",
    f"(;GM[1]SZ[9]AB{'[aa]' * 4_001};B[aa])",
    "(;GM[1]SZ[9]",
    "(;GM[1]SZ[9](;GM[1]SZ[9];B[aa]))",
    "(;GM[2])",
]
"""Files of Go that cannot be read, one for each reason."""


@pytest.mark.parametrize(("game", "position"), BROKEN)
def test_why_a_position_is_refused_is_a_sentence(client: TestClient, game: str, position: str) -> None:
    answer = client.post("/api/games", json={"game": game, "position": position})
    assert answer.status_code == 422
    text = answer.json()["text"]
    if text["template"] == "{where}: {error}":
        text = text["values"]["error"]
    assert text["template"] in {str(made.template) for _, made in PARSER_SENTENCES}


def test_every_sentence_of_the_parsers_is_reached() -> None:
    reached = set()
    for game, position in BROKEN:
        with pytest.raises(ParseError) as refused:
            load_game(game).parse(position)
        reached.add(sentence_of(message_of(refused.value)))
    for options in BROKEN_RULES:
        with pytest.raises(ParseError) as refused:
            load_game("go", **options)
        reached.add(sentence_of(message_of(refused.value)))
    for sgf in BROKEN_SGF:
        (read,) = read_games("go", "sgf", sgf, 1)
        assert isinstance(read.error, Sentence)
        reached.add(sentence_of(read.error.values["reason"]))
    templates = {made.template for _, made in PARSER_SENTENCES}
    assert templates - reached == set()


def sentence_of(text: object) -> str:
    """The template of what a parser says of a position, the rules or a file."""
    assert isinstance(text, Sentence), text
    inner = text.values.get("error", text)
    assert isinstance(inner, Sentence)
    return inner.template


@pytest.mark.parametrize("options", BROKEN_RULES)
def test_why_rules_of_go_are_refused_is_a_sentence(client: TestClient, options: dict[str, object]) -> None:
    answer = client.post("/api/games", json={"game": "go", "options": options})
    assert answer.status_code == 422
    assert answer.json()["text"]["template"] in {str(made.template) for _, made in PARSER_SENTENCES}


def test_unknown_rules_of_go_are_refused_in_a_sentence(client: TestClient) -> None:
    answer = client.post("/api/games", json={"game": "go", "options": {"rules": "marsian"}})
    assert answer.json()["text"]["template"] == "rules {rules} are not known; there are {known}"


@pytest.mark.parametrize("sgf", BROKEN_SGF)
def test_why_a_file_of_go_is_refused_is_a_sentence(client: TestClient, sgf: str) -> None:
    answer = client.post("/api/games", json={"game": "go", "record": sgf, "format": "sgf"})
    assert answer.status_code == 422
    reason = answer.json()["text"]["values"]["second"]["values"]["reason"]
    assert reason["template"] in {str(made.template) for _, made in PARSER_SENTENCES}


def test_a_point_without_a_stone_is_refused_in_a_sentence(client: TestClient) -> None:
    sgf = "(;GM[1]FF[4]SZ[9]KM[7.5];B[ee];W[cc];B[gg];W[])"
    weak = {"kind": "strength", "strength": 1}
    view = play(client, begin(client, "go", record=sgf, format="sgf", opponent=weak), "pass")
    for point, template in {
        "A1": "there is no stone on {point}",
        "Z99": "{text} is not a point from A1 to {corner} (there is no column I)",
    }.items():
        refused = post(client, view, "dead", points=[point]).json()["text"]
        assert refused["values"]["error"]["template"] == template


@pytest.mark.parametrize("size", ["x", 3.5, 10**20, 26, -1])
@pytest.mark.parametrize("path", ["games", "understand", "tournaments"])
def test_a_bad_size_of_the_board_is_refused_in_one_sentence(
    client: TestClient, size: object, path: str
) -> None:
    for options in ({"size": size}, {"size": size, "rules": "chinese"}):
        players = {"players": [{"strength": 1}] * 2} if path == "tournaments" else {}
        answer = client.post(f"/api/{path}", json={"game": "go", "options": options, **players})
        assert answer.status_code == 422
        text = answer.json()["text"]
        assert len(text["text"]) < 100
        assert text["template"] in (
            "A rule option is unknown, or its value is of another kind.",
            "board size {size} is not from 5 to 19",
        )
