"""Tables of people's shogi games by player, and strengths from an engine's answers."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from sparring._core import ShogiState
from sparring.records.record import GameRecord
from studies.shogi.judge import JudgedGame, engine_games
from studies.shogi.people import players, read_games, shared_with, split_by_player, with_ratings
from studies.shogi.strength import correlation, cross_fit, estimate, fit_strengths, make_sides, measure_spread

LINE = "2026-04-18\tp1\tp2\t0-1\t7g7f 3c3d 2g2f 8c8d\n"


def moves(*played: str) -> bytes:
    state = ShogiState.initial()
    for move in played:
        state = state.play(state.parse_move(move))
    return state.pack_moves(2)


def game(first: str, second: str, number: int = 0, result: float = 1.0) -> GameRecord:
    return GameRecord(moves("7g7f", "3c3d"), result, first=first, second=second, site=str(number))


def test_lines_of_usi_moves_become_games(tmp_path: Path) -> None:
    (tmp_path / "games.tsv").write_text(LINE)
    (record,) = read_games(tmp_path / "games.tsv")
    assert (record.first, record.second, record.result, str(record.date)) == ("p1", "p2", 0.0, "2026-04-18")
    states = record.states("shogi")
    assert [a.move_text(b.last_move) for a, b in pairwise(states)] == ["7g7f", "3c3d", "2g2f", "8c8d"]


def test_a_line_with_an_illegal_move_is_an_error_with_its_number(tmp_path: Path) -> None:
    (tmp_path / "games.tsv").write_text(LINE + LINE.replace("2g2f", "2g2e"))
    with pytest.raises(ValueError, match="line 2"):
        list(read_games(tmp_path / "games.tsv"))


def test_people_of_the_test_games_play_no_game_of_the_training() -> None:
    random = np.random.default_rng(1)
    pairs = [sorted(random.choice(40, 2, replace=False) + 40 * (i % 5)) for i in range(400)]
    games = [game(f"p{a}", f"p{b}", i) for i, (a, b) in enumerate(pairs)]
    split = split_by_player(games, 80)
    assert abs(len(split.test) - 80) <= 5
    trained = {name for record in split.train for name in players(record)}
    assert trained.isdisjoint(name for record in split.test for name in players(record))
    assert len(split.train) + len(split.test) > 390  # five circles of people: one of them is the test


def test_the_split_is_the_same_in_every_run() -> None:
    games = [game(f"p{i % 7}", f"p{i % 5 + 7}", i) for i in range(60)]
    assert split_by_player(games, 10) == split_by_player(games, 10)


def planted(people: int = 60, games: int = 1500) -> tuple[list[GameRecord], list[JudgedGame], np.ndarray]:
    """Games of people who lose a third more or less a move; the stronger wins more often."""
    random = np.random.default_rng(0)
    strengths = random.normal(0, 12, people)
    records, judged = [], []
    for number in range(games):
        first, second = random.choice(people, 2, replace=False)
        won = float(random.random() < 1 / (1 + np.exp(-(strengths[first] - strengths[second]) / 12)))
        records.append(game(f"p{first:02}", f"p{second:02}", number, won))
        score, scores = 0.0, [0]
        for ply in range(60):
            loss = max(0.0, random.exponential(40) - strengths[(first, second)[ply % 2]])
            score = -(score - loss) * 0.9
            scores.append(round(score))
        judged.append(JudgedGame(records[-1].identity("shogi"), 0, scores, [""] * 61))
    return records, judged, strengths


def test_planted_strengths_are_found() -> None:
    records, judged, strengths = planted()
    found = estimate(make_sides(judged, records, scale=600, clip=False))
    numbers = np.array([found.people[f"p{i:02}"] for i in range(60)], float)
    assert correlation(numbers, strengths) > 0.9
    assert abs(np.mean(list(found.people.values())) - 50) < 10
    assert max(found.people.values()) > 90
    assert found.report["split_half"]["20"]["halves"] > 0.6


def test_the_strength_for_a_game_is_that_of_the_other_games() -> None:
    records, judged, _ = planted(20, 60)
    sides = make_sides(judged, records, scale=600)
    spread = measure_spread(sides)
    before = cross_fit(sides, spread, 0.0)
    changed = judged[7].scores[:1] + [3000 * (-1) ** i for i in range(60)]
    other = make_sides(
        [*judged[:7], JudgedGame(judged[7].game, 0, changed, judged[7].moves), *judged[8:]],
        records,
        scale=600,
    )
    row = sides.game == judged[7].game
    after = cross_fit(other, spread, 0.0)
    same = np.abs(after[row] - before[row]).max()
    assert same < 0.2 * np.abs(fit_strengths(other, spread, 0.0) - fit_strengths(sides, spread, 0.0)).max()


def test_a_result_counts_beside_the_losses() -> None:
    records, judged, _ = planted(10, 200)
    sides = make_sides(judged, records, scale=600)
    alone, both = (fit_strengths(sides, measure_spread(sides), slope) for slope in (0.0, 100.0))
    wins = np.bincount(sides.player, sides.won - 0.5).astype(np.float64)
    assert correlation(both - alone, wins) > 0.5


def test_ratings_are_of_the_game_and_none_where_nothing_else_was_played() -> None:
    records = [game("p1", "p2", 0), game("p1", "p3", 1)]
    numbers = {str(records[0].identity("shogi")): (60, None)}
    rated = list(with_ratings(records, numbers))
    assert [(r.first_rating, r.second_rating) for r in rated] == [(60, None), (None, None)]
    assert rated[0].identity("shogi") == records[0].identity("shogi")


def test_an_engine_teaches_by_games_of_one_move() -> None:
    record = game("p1", "p2")
    judged = JudgedGame(record.identity("shogi"), 1, [-500, 100], ["8c8d", "resign"])
    (taught,) = engine_games([record], [judged])
    states = taught.states("shogi")
    assert states[0].move_text(states[1].last_move) == "8c8d"
    assert states[0].text().split()[:2] == record.states("shogi")[1].text().split()[:2]
    assert taught.result == 1.0  # White is to move and behind


def test_games_of_another_set_are_known_by_their_moves_and_not_by_their_players() -> None:
    long = GameRecord(bytes(range(80)), 1.0, first="p1", second="p2")
    same = long._replace(first=None, second=None, moves=long.moves + b"xx")
    other = long._replace(moves=bytes(reversed(range(80))))
    assert shared_with([long, other, game("p1", "p2")], [same, game("p3", "p4")]) == [True, False, False]
