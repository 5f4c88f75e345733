"""The ACE paper's round robin: expected scores, the chi-square test the right way round, lockstep games."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sparring.arena.results import ArenaGame
from sparring.base.storage import Journal
from sparring.games import load_game
from sparring.measure.tuning import PlayedPositions, Theta, cross_entropy, search_visits
from sparring.networks import Position
from sparring.players.player_config import PlayerConfig
from sparring.players.policy_player import lockstep_distributions
from sparring.policies import load_policy
from studies.ace.commands import ace_games, ace_null
from studies.ace.games import Pairing, play_pairings
from studies.ace.players import class_players
from studies.ace.round_robin import (
    PAPER_EXPECTED,
    PairScore,
    chi_square,
    chi_square_tail,
    expected_score,
    round_robin_report,
)


def test_the_stronger_player_expects_more() -> None:
    assert expected_score(0) == 0.5
    assert expected_score(400) == pytest.approx(10 / 11)
    ratings = {"D": 1250, "B": 1650, "Expert": 2150, "GM": 2550}
    for (weak, strong), score in PAPER_EXPECTED.items():
        assert expected_score(ratings[weak] - ratings[strong]) == pytest.approx(score, abs=0.001)


@pytest.mark.parametrize(
    ("x", "degrees", "p"),
    [
        (3.841, 1, 0.05),
        (5.991, 2, 0.05),
        (7.815, 3, 0.05),
        (11.07, 5, 0.05),
        (16.812, 6, 0.01),
        (0.0, 4, 1.0),
    ],
)
def test_tails_of_chi_square_are_those_of_the_tables(x: float, degrees: int, p: float) -> None:
    assert chi_square_tail(x, degrees) == pytest.approx(p, rel=0.01)


def test_equal_scores_have_a_large_p_and_different_ones_a_small_p() -> None:
    same = chi_square([PairScore(20, 20, 200), PairScore(50, 51, 200)])
    apart = chi_square([PairScore(60, 20, 200), PairScore(50, 51, 200)])
    assert same.p > 0.9
    assert apart.p < 1e-6
    assert (same.degrees, same.merged) == (2, 0)


def test_pairs_with_few_expected_points_are_merged() -> None:
    found = chi_square([PairScore(0, 0.2, 200), PairScore(1, 1.2, 200), PairScore(10, 10, 200)])
    assert (found.degrees, found.merged) == (1, 2)
    assert math.isfinite(found.statistic)


def test_under_the_null_hypothesis_p_is_uniform() -> None:
    rng = np.random.default_rng(1)
    found = [
        chi_square(
            [PairScore(float(rng.binomial(200, share)), 200 * share, 200) for share in (0.1, 0.3, 0.5)]
        ).p
        for _ in range(400)
    ]
    assert 0.02 < np.mean(np.array(found) < 0.05) < 0.09


def result(first: str, second: str, score: float, number: int) -> ArenaGame:
    return ArenaGame(number, first, second, 0, score, "checkmate", "", 40, 0.0)


def test_the_report_has_scores_of_the_weaker_player_of_each_pair() -> None:
    games = [result("D", "B", score, n) for n, score in enumerate((0, 0, 0.5, 0))]
    games += [result("B", "D", score, n) for n, score in enumerate((1, 1, 1, 0), 4)]
    report: dict[str, Any] = round_robin_report(games, {"B": 1650, "D": 1250})
    (row,) = report["pairs"]
    assert (row["weaker"], row["stronger"], row["games"], row["draws"]) == ("D", "B", 8, 1)
    assert row["observed"] == pytest.approx(1.5 / 8)
    assert row["paper_observed"] == 0.105
    assert (
        report["paper_chi_square"]["p"] > 0.05
    )  # the paper's own scores do not differ from its expectations


def by_number(result: ArenaGame) -> int:
    return result.number


def test_games_in_lockstep_are_the_same_for_the_same_seed() -> None:
    policy = load_policy("strong", "chess")
    players = {
        name: PlayerConfig("chess", nodes=nodes, temperature=3.0) for name, nodes in (("a", 0), ("b", 2))
    }
    pairings = [Pairing("a", "b", 0), Pairing("a", "b", 1)]
    found = [
        list(play_pairings(dict.fromkeys(players, policy), players, pairings, seed=1, max_plies=6))
        for _ in range(2)
    ]
    assert found[0] == found[1]
    assert {(each.first, each.second, each.plies) for each in found[0]} == {("a", "b", 6), ("b", "a", 6)}
    assert {each.reason for each in found[0]} == {"length limit"}


def test_stopped_games_go_on_from_the_checkpoint(tmp_path: Path) -> None:
    policy = load_policy("strong", "chess")
    players = {name: PlayerConfig("chess", nodes=0, temperature=3.0) for name in ("a", "b")}
    pairings = [Pairing("a", "b", number) for number in range(3)]
    checkpoint = tmp_path / "unfinished.jsonl"

    def play(max_plies: int, file: Path | None, some: list[Pairing]) -> list[ArenaGame]:
        return list(
            play_pairings(
                dict.fromkeys(players, policy), players, some, 1, max_plies=max_plies, checkpoint=file
            )
        )

    whole = play(10, None, pairings)
    stopped = play_pairings(
        dict.fromkeys(players, policy), players, pairings, 1, max_plies=10, checkpoint=checkpoint
    )
    first = next(stopped)  # all games end at the length limit, the others are in progress
    progress = [json.loads(line) for line in checkpoint.read_text().splitlines()]
    assert [len(row["moves"]) for row in progress] == [8, 8, 8]
    left = [pairing for pairing in pairings if pairing.number != first.number]
    assert sorted([first, *play(10, checkpoint, left)], key=by_number) == sorted(whole, key=by_number)
    assert checkpoint.read_text() == ""


def test_a_checkpoint_has_the_moves_and_the_random_numbers(tmp_path: Path) -> None:
    policy = load_policy("strong", "chess")
    players = {name: PlayerConfig("chess", nodes=0, temperature=3.0) for name in ("a", "b")}
    pairings = [Pairing("a", "b", 0)]
    files = tmp_path / "whole.jsonl", tmp_path / "stopped.jsonl"
    next(
        play_pairings(dict.fromkeys(players, policy), players, pairings, 1, max_plies=18, checkpoint=files[0])
    )
    next(
        play_pairings(dict.fromkeys(players, policy), players, pairings, 1, max_plies=10, checkpoint=files[1])
    )
    assert len(json.loads(files[1].read_text())["moves"]) == 8
    next(
        play_pairings(dict.fromkeys(players, policy), players, pairings, 1, max_plies=18, checkpoint=files[1])
    )
    assert files[1].read_text() == files[0].read_text()


def test_a_class_draws_moves_from_the_distribution_that_was_fitted(tmp_path: Path) -> None:
    theta = Theta(1.7, 0.8, 1.2, 0.25)
    journal = Journal(tmp_path / "class-1250.jsonl", header={})
    journal.add({"class": 1250, "theta": asdict(theta), "network": "strong", "nodes": 24})
    player = class_players(tmp_path, [1250])["D"]
    rules, policy = load_game("chess"), load_policy("strong", "chess")
    mate_in_one = rules.parse("6k1/5ppp/8/8/8/8/1q3PPP/3R2K1 w - - 0 1")
    for state in (rules.initial(), mate_in_one):
        (drawn,) = lockstep_distributions(policy, player, [state])
        count = len(state.legal_moves())
        each_move = PlayedPositions(
            [Position(state)] * count, np.arange(count), np.zeros(count, np.int64), np.zeros(count, np.int64)
        )
        losses = cross_entropy(search_visits(policy, each_move, theta, [24]), theta)
        assert drawn.moves.tolist() == state.legal_moves()
        assert np.allclose(drawn.weights, np.exp(-losses), atol=1e-6)


def test_shipped_levels_play_the_round_robin_with_their_own_policies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[set[str], list[str]]] = []

    def play(policies: dict[str, Any], players: dict[str, PlayerConfig], *_: Any, **__: Any) -> list[Any]:
        asked.append(({policy.name for policy in policies.values()}, [p.model for p in players.values()]))
        return []

    monkeypatch.setattr("studies.ace.games.play_pairings", play)
    ace_games(classes="1250,1650,2200", games=2, out=tmp_path / "games-levels.jsonl")
    ((loaded, models),) = asked
    assert loaded == set(models)
    header = json.loads((tmp_path / "games-levels.jsonl").read_text())
    assert {name: player["level"] for name, player in header["players"].items()} == {
        "D": 1250, "B": 1650, "2200": 2200,
    }  # fmt: skip


def test_a_class_tuned_twice_plays_itself_and_the_score_has_an_interval(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gain = {"value": 0.0, "low": -0.1, "high": 0.1}
    for seed, c_puct in ((0, 1.0), (1, 3.0)):
        result = {
            "class": 1250, "network": "strong", "nodes": 2, "steps": 1, "converged": False, "games": 3,
            "theta": asdict(Theta(c_puct=c_puct)), "start": {}, "held_out": {}, "gain": gain, "gained": False,
        }  # fmt: skip
        journal = Journal(tmp_path / f"seed-{seed}" / "class-1250.jsonl", header={})
        journal.add(result)
    sides: list[float] = []

    def play(policies: Any, players: dict[str, PlayerConfig], pairings: list[Pairing], _: int) -> Any:
        sides.extend(player.c_puct for player in players.values())
        for pairing in pairings:
            white, black = pairing.sides
            yield ArenaGame(pairing.number, white, black, 0, 1.0, "checkmate", "", 40, 0.0)

    monkeypatch.setattr("studies.ace.games.play_pairings", play)
    ace_null(tmp_path / "seed-0", tmp_path / "seed-1", games=20, out=tmp_path / "null.json")
    report = json.loads((tmp_path / "null.json").read_text())
    assert sides == [1.0, 3.0]
    assert report["score_of_first"]["value"] == 0.5  # White wins every game
    assert report["score_of_first"]["low"] < 0.5 < report["score_of_first"]["high"]
    assert not report["tunings"]["second"]["gained"]
