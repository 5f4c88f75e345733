"""The review of a game in a tab is that of the server, and a tab reads the files that the program writes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sparring.games import load_game
from sparring.measure.review import Reviewer, assumed_ratings, most_lost
from sparring.policies import load_policy
from sparring.records.readers import RecordedGame
from sparring.server.pasted import parse_record
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
SHOGI = "7g7f 3c3d 2g2f 4c4d 3i4h 8b4b 5i6h 5a6b 6h7h 6b7b 2f2e 2b3c 9g9f 9c9d 5g5f 7b8b 3h3i".rsplit(" ", 1)[0]
GO = (
    "(;GM[1]FF[4]SZ[9]KM[7]RU[Chinese]PB[A]PW[B]BR[2k]WR[1d]RE[B+3.5]"
    ";B[ee];W[ge];B[gd](;W[fe];B[fd];W[ed];B[ec];W[dd];B[de];W[aa];B[dc];W[cd];B[cc];W[tt])(;W[cc]))"
)
GAMES = {"chess": (CHESS, "pgn", 19), "shogi": (SHOGI, "usi", 16), "go": (GO, "sgf", 14)}


@pytest.mark.parametrize("game", GAMES)
def test_a_review_is_that_of_the_program(site: Path, game: str) -> None:
    """Marks, moments, lines and numbers. The networks of chess round to 8 bits, so that numbers differ there as
    they do between two native runs."""
    text, suffix, plies = GAMES[game]
    (tab,) = in_node(
        {"kind": "requests", "requests": [["POST", "/reviews", {"game": game, "record": text, "format": suffix}]]}
    )
    rules = load_game(game)
    record, warning = parse_record(rules, text, suffix)
    played = RecordedGame(game, record)
    reviewer = Reviewer(game, load_policy("human", game), load_policy("strong", game), threads=1)
    ratings = assumed_ratings(played, reviewer.human, None)
    native = [
        move
        for begin in range(0, plies, 10)
        for move in reviewer.block(played.states, begin, ratings)
    ]
    assert (tab["total"], len(tab["moves"]), len(native), warning) == (plies, plies, plies, None)
    near = 0.03 if game == "chess" else 0.002
    for move, found in zip(native, tab["moves"], strict=True):
        state = played.states[move.ply]
        assert found["text"] == rules.move_text(state, move.move)
        assert found["name"] == move.name
        assert found["likely"] == pytest.approx(move.likely, abs=near)
        assert found["loss"] == pytest.approx(move.loss, abs=near), move
        assert found["found"] == pytest.approx(move.found, abs=10 * near)
        assert found["difficulty"] == pytest.approx(move.difficulty, abs=near)
        if abs(move.loss - 0.05) > near:
            assert found["mark"] == move.mark
    assert tab["moments"] == [move.ply for move in most_lost(native)]
    assert tab["moments"]
    worst = max(tab["moves"], key=lambda move: float(move["loss"]))
    assert worst["best"] == worst["line"][0]["text"]
    assert len(worst["line"]) >= 3
    assert tab["players"] == [record.first, record.second]
    assert tab["error"] is None


def answers(*requests: list[Any]) -> list[Any]:
    return in_node({"kind": "requests", "requests": list(requests)})
