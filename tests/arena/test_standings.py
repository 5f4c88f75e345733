"""Standings: scores, failures, warnings, expected against observed scores."""

from __future__ import annotations

import pytest

from sparring.arena.results import ArenaGame, compute_standings
from sparring.base.errors import BadConfig


def game(first: str, second: str, result: float | None, reason: str = "checkmate") -> ArenaGame:
    return ArenaGame(0, first, second, 0, result, reason, "", 40, 1.0)


def test_scores_and_troubles_are_counted() -> None:
    standings = compute_standings(
        [
            game("a", "b", 1.0),
            game("b", "a", 0.5, "repetition"),
            game("b", "a", 1.0, "died"),
            game("a", "b", 0.0, "time forfeit"),
        ]
    )
    a, b = standings.rows
    assert (a.wins, a.draws, a.losses, a.score) == (1, 1, 2, 0.375)
    assert (b.wins, b.draws, b.losses, b.score) == (2, 1, 1, 0.625)
    assert a.failures == {"died": 1, "time forfeit": 1}
    assert not b.failures
    assert [standings.rows[index].name for index in standings.order] == ["b", "a"]


def test_games_of_players_that_could_not_start_do_not_count() -> None:
    absent = "could not be started"
    standings = compute_standings([game("a", "b", 1.0, absent), game("b", "a", None, absent)], ["a", "b"])
    assert standings.ratings is None
    assert [row.games for row in standings.rows] == [0, 0]
    assert [row.failures[absent] for row in standings.rows] == [1, 2]
    (warning,) = standings.warnings
    assert warning.startswith("2 games")
    assert standings.as_json()["superiority"] is None


def test_warnings_name_unconnected_players() -> None:
    apart = compute_standings(
        [game("a", "b", 0.5), game("b", "a", 0.0), game("c", "d", 1.0), game("d", "c", 0.5)]
    )
    (warning,) = apart.warnings
    assert warning.endswith("a, b; c, d")
    perfect = compute_standings([game("a", "b", 1.0), game("b", "a", 0.0)])
    best, worst = perfect.warnings
    assert best.startswith("a won every game")
    assert worst.startswith("b lost every game")


def test_a_misfit_shows_in_its_pair() -> None:
    # In a circle where each beats the next nobody is stronger, and no ratings explain it.
    circle = [game(*pair, 1.0) for pair in [("a", "b"), ("b", "c"), ("c", "a")] * 20]
    circle += [game(*pair, 0.0) for pair in [("b", "a"), ("c", "b"), ("a", "c")] * 20]
    standings = compute_standings(circle)
    assert standings.ratings is not None
    assert standings.ratings.elo == pytest.approx([0, 0, 0], abs=1e-6)
    for meeting in standings.head_to_head:
        assert meeting.games == 40
        assert meeting.expected == pytest.approx(0.5)
        assert abs(meeting.z) > 6


def test_an_unknown_anchor_is_named() -> None:
    with pytest.raises(BadConfig, match="there are a, b"):
        compute_standings([game("a", "b", 1.0)], anchor="c")
