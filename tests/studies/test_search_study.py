"""The search study: positions, losses, matches and figures."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from sparring.arena.results import compute_standings, read_results
from sparring.networks import Position, Prediction
from sparring.players.player_config import PlayerConfig
from sparring.players.policy_player import puct_config
from sparring.search import PuctConfig
from studies.__main__ import main
from studies.search.loss import LossRow, findings, loss_report, measure_losses
from studies.search.match import Contestant, play_match
from studies.search.positions import ScoredPosition, read_positions, write_positions
from tests.policies.fixed_policy import random_states
from tests.search.test_lockstep import HashedPolicy


def scored(states: Sequence[object]) -> list[ScoredPosition]:
    rng = np.random.default_rng(0)
    found = []
    for game, state in enumerate(states):
        losses = rng.random(len(state.legal_moves()))  # type: ignore[attr-defined]
        found.append(ScoredPosition(state, game // 2, 0, losses - losses.min()))
    return found


def test_positions_keep_their_history_in_a_file(tmp_path: Path) -> None:
    positions = scored(random_states("chess", 30)[::6])
    write_positions(positions, tmp_path / "positions.jsonl.gz")
    for before, after in zip(positions, read_positions(tmp_path / "positions.jsonl.gz"), strict=True):
        assert (after.state, after.state.ply) == (before.state, before.state.ply)
        assert (after.game, after.played) == (before.game, before.played)
        np.testing.assert_allclose(after.losses, before.losses, atol=1e-6)


def test_a_search_loses_less_than_its_policy_where_values_are_the_losses() -> None:
    class Oracle:
        """Uniform probabilities; a position's value is the loss of the move that led to it."""

        name, game = "oracle", "chess"

        def predict(self, positions: Sequence[Position]) -> list[Prediction]:
            found = []
            for position in positions:
                moves = tuple(position.state.legal_moves())
                previous = position.state.previous
                value = known.get((previous, position.state.last_move), 0.0)
                found.append(Prediction(moves, np.full(len(moves), 1 / len(moves), np.float32), value))
            return found

    positions = scored(random_states("chess", 20)[::4])
    known = {
        (each.state, move): loss
        for each in positions
        for move, loss in zip(each.state.legal_moves(), each.losses.tolist(), strict=True)
    }
    rows = list(measure_losses(Oracle(), positions, ["leaf by leaf", "default"], [50, 200], 1500))
    assert [(row.search, row.nodes) for row in rows] == [
        ("policy", 0), ("leaf by leaf", 50), ("leaf by leaf", 200), ("default", 50), ("default", 200),
    ]  # fmt: skip
    means = [row.losses.mean() for row in rows]
    assert means[0] > means[1] > means[2]
    np.testing.assert_allclose(means[0], np.mean([each.losses.mean() for each in positions]))
    report = loss_report(positions, rows)
    assert [(step["search"], step["from"], step["to"]) for step in report["steps"][:2]] == [
        ("leaf by leaf", 0, 50), ("leaf by leaf", 50, 200),
    ]  # fmt: skip
    assert report["steps"][1]["value"] == pytest.approx(means[2] - means[1])
    assert [(row["search"], row["nodes"]) for row in report["against"]] == [("default", 50), ("default", 200)]


def test_a_rise_beyond_its_interval_is_found() -> None:
    positions = scored(random_states("chess", 40))
    flat = np.full(40, 0.5)
    falling = [LossRow("policy", 0, flat), LossRow("a", 8, flat - 0.1), LossRow("a", 16, flat - 0.1)]
    report = loss_report(positions, falling)
    assert report["monotone"] == {"a": True}
    assert findings(report) == ["a: the loss falls monotonically within its intervals; certain falls: 0 to 8"]
    rising = loss_report(positions, [*falling, LossRow("a", 32, flat)])
    assert rising["monotone"] == {"a": False}
    assert "rises from 16 to 32" in findings(rising)[0]


def test_the_default_search_of_the_study_is_that_of_a_player() -> None:
    assert puct_config(PlayerConfig("chess")) == PuctConfig()


@pytest.mark.parametrize("game", ["chess", "go", "shogi"])
def test_a_match_alternates_colours_and_is_reproducible(game: str) -> None:
    pair = (Contestant(0), Contestant.parse("4:1"))
    assert [each.name for each in pair] == ["0 nodes", "4 nodes, batch 1"]
    first, second = (
        [(r.number, r.first, r.second, r.result, r.plies)
         for r in play_match(HashedPolicy(game), pair, 4, rating=None, max_plies=12)]
        for _ in range(2)
    )  # fmt: skip
    assert first == second
    colours = [("0 nodes", "4 nodes, batch 1"), ("4 nodes, batch 1", "0 nodes")] * 2
    assert sorted(first) == [(number, *names, 0.5, 12) for number, names in enumerate(colours)]


def test_a_player_that_sees_forced_wins_beats_its_policy() -> None:
    results = list(play_match(HashedPolicy("breakthrough"), (Contestant(0), Contestant(16)), 12, rating=None))
    assert len(results) == 12
    row = compute_standings(results, ["16 nodes"]).rows[0]
    assert row.score > 0.6


def test_losses_and_ratings_are_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    positions = scored(random_states("chess", 10))
    write_positions(positions, tmp_path / "positions.jsonl.gz")
    main(["search-loss", str(tmp_path / "positions.jsonl.gz"), "--nodes", "2,4", "--searches", "default",
          "--out", str(tmp_path / "loss.json")])  # fmt: skip
    players = [Contestant(0), Contestant(2)]
    games = play_match(HashedPolicy("breakthrough"), (players[0], players[1]), 4, rating=None)
    lines = [json.dumps({**asdict(game), "games_end": 0}) for game in games]
    (tmp_path / "ladder.jsonl").write_text("\n".join(lines) + "\n")
    main(["search-ratings", str(tmp_path)])
    ladder = json.loads((tmp_path / "ratings.json").read_text())["ladder"]
    assert ladder["anchor"] == {"player": "0 nodes", "elo": 0.0}
    for name in ("loss.svg", "elo.svg"):
        assert (tmp_path / name).read_text().count("<svg") == 1


def test_the_games_of_a_match_can_be_rated(tmp_path: Path) -> None:
    out = tmp_path / "games.jsonl"
    words = ["search-match", "0,2", "--policy", "human", "--games", "2", "--max-plies", "4"]
    main([*words, "--out", str(out)])
    assert [result.reason for result in read_results([out])] == ["length limit"] * 2
    with pytest.raises(SystemExit):
        main([*words, "--out", str(out)])
