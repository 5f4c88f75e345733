"""Losses by kind of position, for people and for levels."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sparring.games import load_game
from sparring.players import PlayerConfig
from sparring.policies import load_policy
from studies.levels.grid import parse_dials
from studies.levels.losses import (
    blunder_rates,
    clustering,
    expected_losses,
    log_likelihoods,
    mean_by_kind,
    move_shares,
    phase,
    played_losses,
    standing,
)
from studies.levels.positions import GamePosition, own_positions, read_game_positions, write_game_positions


def position(moves: str = "", played: int = 0, best: float = 0.6, game: int = 1) -> GamePosition:
    state = load_game("chess").initial()
    for text in moves.split():
        state = state.play(state.parse_move(text))
    scores = np.full(len(state.legal_moves()), best - 0.3)
    scores[3] = best
    return GamePosition("people", 1500, game, state, played, scores)


def test_positions_are_read_as_they_were_written(tmp_path: Path) -> None:
    written = [position("e2e4 e7e5", 4), replace(position("d2d4"), scores=None)]
    write_game_positions(written, tmp_path / "p.jsonl.gz")
    read = read_game_positions(tmp_path / "p.jsonl.gz")
    assert [each.state for each in read] == [each.state for each in written]
    assert [each.played for each in read] == [4, 0]
    assert read[0].scores == pytest.approx(written[0].scores)
    assert read[1].scores is None


def test_losses_are_expectations_over_the_moves() -> None:
    rows = [position(played=3), position(played=0)]
    shares = [np.full(20, 0.05), np.eye(20)[3]]
    assert played_losses(rows) == pytest.approx([0, 0.3])
    assert expected_losses(rows, shares) == pytest.approx([0.3 * 19 / 20, 0])
    assert blunder_rates(rows, shares) == pytest.approx([19 / 20, 0])
    assert log_likelihoods(rows, shares) == pytest.approx(np.log([0.05, 0.001 / 20]))


def test_kinds_of_positions_are_told_apart() -> None:
    assert (phase(position()), standing(position())) == ("opening", "undecided")
    assert (standing(position(best=0.95)), standing(position(best=0.05))) == ("won", "lost")
    rows = mean_by_kind([position(game=n) for n in range(4)], {"loss": np.array([0.0, 0.1, 0.2, 0.3])})
    assert {row["kind"] for row in rows} == {"all", "undecided", "opening"}
    assert rows[0]["loss"]["mean"] == pytest.approx(0.15)
    low, high = rows[0]["loss"]["interval"]
    assert 0 <= low < 0.15 < high <= 0.3


def test_errors_that_come_in_games_are_clustered() -> None:
    games = np.repeat(np.arange(20), 30)
    rng = np.random.default_rng(1)
    independent = rng.random(600)
    assert clustering(independent, games) == pytest.approx(1, abs=0.6)
    assert clustering(independent * (games % 2), games) > 5


def test_a_search_and_a_policy_give_a_distribution_over_the_legal_moves() -> None:
    policy = load_policy("human", "chess")
    rows = [position("e2e4"), position()]
    for nodes in (0, 4):
        config = PlayerConfig("chess", model="human", rating=1500, nodes=nodes)
        shares = move_shares(policy, config, rows)
        assert [len(share) for share in shares] == [20, 20]
        assert [share.sum() for share in shares] == pytest.approx([1, 1])


def test_positions_of_own_games_are_those_of_one_player() -> None:
    config = PlayerConfig("chess", model="human", rating=1500)
    found = list(own_positions(config, load_policy("human", "chess"), "own", 1500, games=2))
    assert {each.state.to_move for each in found if each.game == 0} == {0}
    assert {each.state.to_move for each in found if each.game == 1} == {1}


def test_a_grid_of_dials_is_a_product() -> None:
    players = parse_dials(["1600,2000:1,0.5:0,32", "2400:1:8:regularised"], "chess")
    assert len(players) == 9
    assert players["2000:0.5:32:visits:blend"] == PlayerConfig(
        "chess", rating=2000, temperature=0.5, nodes=32
    )
    assert players["2400:1:8:regularised:blend"].rule == "regularised"
