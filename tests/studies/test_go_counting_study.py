"""The study of passing and counting against GNU Go."""

from __future__ import annotations

import shutil
from dataclasses import replace

import numpy as np
import pytest

from sparring.games import ParseError
from sparring.networks import Position, Prediction
from studies.go_ranks.counting import (
    CountedGame,
    GameNumber,
    Players,
    game_numbers,
    parse_games,
    parse_score,
    play,
    recounted,
    summary,
    third_opinions,
)

END = (
    "1XXXXOOO1/XXXXXOOOO/XXXXXOOOO/XXXXXOOOO/XXXXXOOOO/XXXXXOOOO/XXXXXOOOO/XXXXXOOOO/1XXXXOOO1 b - 0 0 2 7.5"
)
GAME = CountedGame(9, 0, 950, "ours", "E5 pass D4 pass pass", END, 1.5, 1.5, "", "", "gnugo", "", "")


def test_games_and_scores_are_read() -> None:
    assert parse_games("9=2,19=1") == {9: 2, 19: 1}
    assert list(game_numbers({9: 2, 19: 1})) == [GameNumber(9, 0), GameNumber(19, 0), GameNumber(9, 1)]
    assert [parse_score(text) for text in ("B+3.5", " W+10 ", "0")] == [3.5, -10, 0]
    for wrong in ("B", "X+3", "B+many"):
        with pytest.raises(ParseError):
            parse_score(wrong)
    with pytest.raises(ParseError):
        parse_games("nine=2")


def test_the_summary_compares_scores_and_counts_what_we_did() -> None:
    worse = replace(
        GAME, number=1, gnugo=-2.5, own_area="80:A1 82:A9", black="gnugo", moves="pass A1 pass pass"
    )
    rows = summary([GAME, worse])["games"]
    assert rows["9x9"] == rows["all"]
    assert rows["all"]["equal_score"]["count"] == rows["all"]["equal_winner"]["count"] == 1
    assert (rows["all"]["moves_in_own_area"], rows["all"]["games_with_moves_in_own_area"]) == (2, 1)
    assert rows["all"]["our_moves"] == 3 + 2
    assert rows["all"]["gnugo_passes_not_answered"] == 2, "D4 and A1"
    assert rows["all"]["our_wins"] == 2


def test_ranks_take_turns_with_both_colours_and_their_wins_are_counted_apart() -> None:
    players = Players((-5, 3), "people")
    assert [players.at(number) for number in range(5)] == [-5, -5, 3, 3, -5]
    lost = replace(GAME, level=3, gnugo=-2.5)
    wins = summary([GAME, GAME, lost])["games"]["all"]["our_wins_by_level"]
    assert [(level, share["count"], share["share"]) for level, share in wins.items()] == [
        ("3", 0, 0.0),
        ("950", 2, 1.0),
    ]


def test_games_of_an_earlier_version_are_counted_anew() -> None:
    fresh = recounted(replace(GAME, ours=99.0, our_dead="A1"))
    assert (fresh.ours, fresh.our_dead) == (1.5, "")


class Judge:
    """Says that Black owns the whole board."""

    def predict(self, positions: list[Position]) -> list[Prediction]:
        points = np.ones(81, np.float32)
        return [Prediction((0,), np.ones(1, np.float32), ownership=points) for _ in positions]


def test_a_third_opinion_is_asked_where_two_differ() -> None:
    differing = replace(GAME, number=7, gnugo=-2.5)
    assert third_opinions([GAME, differing], Judge()) == {(9, 7): 73.5}  # type: ignore[arg-type]


@pytest.mark.skipif(shutil.which("gnugo") is None, reason="gnugo is not installed")
def test_a_game_against_gnu_go_is_counted_by_both() -> None:
    game = play(GameNumber(9, 5), Players(), 1, 1)
    assert game.moves.endswith("pass pass")
    assert game.black == "gnugo"
    assert game.level == 2260
    assert game.own_eyes == ""
    assert abs(game.gnugo) < 100
