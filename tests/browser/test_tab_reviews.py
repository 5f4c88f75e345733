"""The review of a game in a tab is that of the server, and a tab reads the files that the program writes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sparring.games import load_game
from sparring.measure.review import Reviewer, assumed_ratings, most_lost
from sparring.policies import load_policy
from sparring.records.readers import RecordedGame
from sparring.server.pasted import parse_record, read_pasted, read_view, states_of
from tests.browser.conftest import in_node

CHESS = """[Event "A game"]
[White "Ann"]
[Black "Bob"]
[WhiteElo "1400"]
[BlackElo "1600"]
[Result "1-0"]

1. e4 {a [comment] with (all)} e5 2. Nf3 (2. f4 exf4 (2... d5)) 2... Nc6 $1 3. Bc4 h6? 4. O-O Nd4 5. Nxe5
Qg5 6. Bxf7+ Ke7 7. Nf3 Nxf3+ 8. Qxf3 d6 9. d4 Qg6 10. Bxg6 1-0
"""
SHOGI = "7g7f 3c3d 2g2f 4c4d 3i4h 8b4b 5i6h 5a6b 6h7h 6b7b 2f2e 2b3c 9g9f 9c9d 5g5f 7b8b"
GO = (
    "(;GM[1]FF[4]SZ[9]KM[7]RU[Chinese]PB[A]PW[B]BR[2k]WR[1d]RE[B+3.5]"
    ";B[ee];W[ge];B[gd](;W[fe];B[fd];W[ed];B[ec];W[dd];B[de];W[aa];B[dc];W[cd];B[cc];W[tt])(;W[cc]))"
)
GAMES = {"chess": (CHESS, "pgn", 19), "shogi": (SHOGI, "usi", 16), "go": (GO, "sgf", 14)}


def answers(*requests: list[Any]) -> list[Any]:
    return in_node({"kind": "requests", "requests": list(requests)})


@pytest.mark.parametrize("game", GAMES)
def test_a_review_is_that_of_the_program(site: Path, game: str) -> None:
    """Marks, moments, lines and numbers. The networks of chess round to 8 bits, so that numbers differ there,
    as they do between two native runs."""
    text, suffix, plies = GAMES[game]
    (tab,) = in_node(
        {
            "kind": "requests",
            "requests": [["POST", "/reviews", {"game": game, "record": text, "format": suffix}]],
        }
    )
    rules = load_game(game)
    record, warning = parse_record(rules, text, suffix)
    played = RecordedGame(game, record)
    reviewer = Reviewer(game, load_policy("human", game), load_policy("strong", game), threads=1)
    ratings = assumed_ratings(played, reviewer.human, None)
    native = [move for begin in range(0, plies, 10) for move in reviewer.block(played.states, begin, ratings)]
    assert (tab["total"], len(tab["moves"]), len(native), warning) == (plies, plies, plies, None)
    near, likely = (0.03, 0.1) if game == "chess" else (0.002, 0.002)
    for move, found in zip(native, tab["moves"], strict=True):
        state = played.states[move.ply]
        assert found["text"] == rules.move_text(state, move.move)
        assert found["name"] == move.name
        assert found["likely"] == pytest.approx(move.likely, abs=likely)
        assert found["score"] == pytest.approx(move.people_score, abs=likely)
        if not reviewer.judges:
            assert (found["loss"], found["found"], found["difficulty"], found["chance"]) == (None,) * 4
            assert found["best"] == rules.move_text(state, move.best)
        else:
            assert found["loss"] == pytest.approx(move.loss, abs=near), move
            assert found["found"] == pytest.approx(move.found, abs=3 * likely)
            assert found["difficulty"] == pytest.approx(move.difficulty, abs=near)
        if abs(move.loss - 0.05) > near:
            assert found["mark"] == move.mark
    assert tab["moments"] == [move.ply for move in most_lost(native)]
    assert tab["players"] == [record.first, record.second]
    assert tab["error"] is None
    assert bool(tab["moments"]) == reviewer.judges == (game != "shogi"), "shogi's values are not good enough"
    if not reviewer.judges:
        return
    worst = max(tab["moves"], key=lambda move: float(move["loss"]))
    assert worst["best"] == worst["line"][0]["text"]
    assert len(worst["line"]) >= 3


def test_the_catalogue_says_how_long_the_opponents_of_each_game_think(site: Path) -> None:
    """Not of the first game alone: each is measured when it is chosen."""

    def times(catalogue: list[dict[str, Any]], game: str) -> list[Any]:
        (offer,) = (offer for offer in catalogue if offer["name"] == game)
        levels = [step["seconds"] for step in (offer["levels"] or {"estimates": []})["estimates"]]
        return [levels, offer.get("strength_seconds") or []]

    first, _, chess, _, both = answers(
        ["GET", "/catalogue"],
        ["PREPARE", "/games/chess"],
        ["GET", "/catalogue"],
        ["PREPARE", "/games/shogi"],
        ["GET", "/catalogue"],
    )
    assert not any(times(first, "chess")[0])
    assert times(first, "chess")[1] == []
    assert all(times(chess, "chess")[0])
    assert not any(times(chess, "shogi")[0])
    for game in ("chess", "shogi"):
        levels, strengths = times(both, game)
        assert all(levels)
        assert len(strengths) == 9
        assert strengths[8] == pytest.approx(3**8 * strengths[0], rel=0.2), (
            "each step searches three times as long"
        )


CSA = """V2.2
N+Ann
N-Bob
P1-KY-KE-GI-KI-OU-KI-GI-KE-KY
P2 * -HI *  *  *  *  * -KA *
P3-FU-FU-FU-FU-FU-FU-FU-FU-FU
P4 *  *  *  *  *  *  *  *  *
P5 *  *  *  *  *  *  *  *  *
P6 *  *  *  *  *  *  *  *  *
P7+FU+FU+FU+FU+FU+FU+FU+FU+FU
P8 * +KA *  *  *  *  * +HI *
P9+KY+KE+GI+KI+OU+KI+GI+KE+KY
+
+7776FU,T5
-3334FU,T3
+8822UM
-3122GI
+0055KA
%TORYO
"""
KIF = """手合割：平手
先手：Ann
後手：Bob
手数----指手---------消費時間--
   1 ７六歩(77)   ( 0:01/00:00:01)
   2 ３四歩(33)
*a comment
   3 ２二角成(88)
   4 同　銀(31)
   5 ５五角打
   6 投了
"""
POSITION = """[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"]

1. e4 Kd7 2. e5 *
"""
TEXTS = {
    "a PGN": (CHESS, "chess", "pgn", 19),
    "a PGN with a bad move": ("1. e4 e5 2. Ke3 Nc6", "chess", "pgn", 2),
    "a PGN from a position": (
        '[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"]\n\n1. e4 Kd7 2. e5 *',
        "chess",
        "pgn",
        3,
    ),
    "moves of UCI": ("e2e4 e7e5 g1f3", "chess", "uci", 3),
    "a position with moves": ("position startpos moves e2e4 c7c5", "chess", "uci", 2),
    "an SGF": (GO, "go", "sgf", 14),
    "an SGF with handicap": ("(;SZ[9]HA[2]KM[0.5]AB[cg][gc];W[ee];B[ce])", "go", "sgf", 2),
    "a CSA": (CSA, "shogi", "csa", 5),
    "a KIF": (KIF, "shogi", "kif", 5),
    "moves of USI": (SHOGI, "shogi", "usi", 16),
    "moves of Breakthrough": ("a2a3 a7a6", "breakthrough", "moves", 2),
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_is_read_as_by_the_program(site: Path, name: str) -> None:
    """The format, the moves, the names and the result, and the last position."""
    text, game, suffix, plies = TEXTS[name]
    read, *rest = answers(
        ["POST", "/read", {"text": text, "game": game}],
        *(
            [["POST", "/understand", {"game": game, "record": text, "format": suffix}]]
            if game != "breakthrough"
            else []
        ),
    )
    native = read_view(read_pasted(text, game))
    assert (read["game"], read["format"], read["kind"]) == (game, suffix, "record")
    assert native.format == suffix
    (found,), (wanted,) = read["games"], native.games
    assert (found["plies"], found["players"], found["result"]) == (plies, list(wanted.players), wanted.result)
    assert wanted.plies == plies
    assert (found["error"] or {}).get("text") == (wanted.error and wanted.error.text)
    rules = load_game(game)
    last = states_of(rules, parse_record(rules, text, suffix)[0])[-1]
    for view in rest:
        assert view["position"] == rules.text(last)


def test_a_game_begins_from_a_pasted_one(site: Path) -> None:
    (view,) = answers(["POST", "/games", {"game": "shogi", "you": 1, "record": CSA, "format": "csa"}])
    assert [move["text"] for move in view["moves"]] == ["7g7f", "3c3d", "8h2b+", "3a2b", "B*5e"]
    assert view["phase"] == "move"


@pytest.mark.parametrize(
    "text", ["", "nonsense", "1. z9", "(;SZ[9])", "V2.2\nP1 rubbish\n+\n+7776FU", '[Event "x"]']
)
def test_a_text_that_is_no_game_is_refused(site: Path, text: str) -> None:
    (found,) = answers(["POST", "/read", {"text": text, "game": None}])
    assert found["refusal"].startswith("A tab reads positions, lists of moves, PGN, SGF, KIF and CSA")


@pytest.mark.parametrize(
    ("game", "suffix", "options", "position", "opening"),
    [
        ("chess", "pgn", {}, None, ["e4", "e5", "Nf3"]),
        ("go", "sgf", {"size": 9, "handicap": 2, "komi": 0.5}, None, ["E5", "pass", "C4"]),
        ("shogi", "csa", {}, None, ["7g7f", "3c3d", "8h2b+", "3a2b", "B*5e"]),
        ("shogi", "csa", {}, "4k4/9/9/9/9/9/9/9/4K4 b 2P2g 1", ["P*5e", "G*4d"]),
    ],
)
def test_a_saved_game_is_read_by_the_program(
    site: Path, game: str, suffix: str, options: dict[str, Any], position: str | None, opening: list[str]
) -> None:
    wanted = {"game": game, "you": 0, "options": options, "position": position, "opening": opening}
    (_, record) = answers(["POST", "/games", wanted], ["GET", f"/games/LAST/record?format={suffix}"])
    rules = load_game(game, **options)
    native, warning = parse_record(load_game(game), record, suffix)
    assert warning is None
    states = states_of(load_game(game), native)
    state = rules.initial() if position is None else rules.parse(position)
    for move in opening:
        state = rules.play(state, rules.parse_move(state, move))
    # Files of Go do not say the rule of ko, the eighth word of a position.
    assert rules.text(states[-1]).split()[:7] == rules.text(state).split()[:7]
    assert len(states) == len(opening) + 1
    assert "You" in (native.first, native.second)
