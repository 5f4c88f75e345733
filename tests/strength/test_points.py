"""Points lost a move: leads by a network with a small search, and games in groups of movers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sparring.base.errors import BadConfig
from sparring.cli import main
from sparring.go.game import Go
from sparring.measure import POINTS, GameSelection, PointsConfig, judge_points, mistakes_report, read_sample
from sparring.measure.points import search_leads
from sparring.networks import Position
from sparring.networks.codec import PositionBatch, PredictionBatch
from sparring.policies import load_policy
from sparring.records import PositionFilter
from tests.cli.command_errors import one_line_error
from tests.networks.katago_files import KataGoWriter, small_network

HEAD = "(;GM[1]FF[4]SZ[9]KM[7.5]RU[Chinese]"
MOVES = ";B[ee];W[cc];B[gg];W[cg];B[gc];W[ec];B[eg]"
GAME = f"{HEAD}PB[a]PW[b]BR[3k]WR[3k]RE[B+R]{MOVES})"
UNEVEN = f"{HEAD}PB[a]PW[b]BR[3k]WR[1d]RE[W+0.5]{MOVES};W[];B[])"


@pytest.fixture
def network(tmp_path: Path) -> str:
    path = tmp_path / "small.bin"
    path.write_bytes(KataGoWriter(small_network(8)).file())
    return str(path)


def sgf(folder: Path, *games: str) -> Path:
    path = folder / "games.sgf"
    path.write_text("\n".join(games))
    return path


class BlackStones:
    """A policy that leads by its side's stones and plays every move alike, a pass with the given share."""

    name, game = "stones", "go"

    def __init__(self, passes: float = 0.001) -> None:
        self.passes, self.evaluated = passes, 0

    def predict(self, positions: Any) -> Any:
        raise NotImplementedError

    def predict_batch(self, batch: PositionBatch) -> PredictionBatch:
        self.evaluated += len(batch)
        states = [batch.states[i] for i in range(len(batch))]
        sizes = [len(state.legal_moves()) for state in states]
        shares = [[(1 - self.passes) / (size - 1)] * (size - 1) + [self.passes] for size in sizes]
        leads = [len(state.stones[state.to_move]) - len(state.stones[1 - state.to_move]) for state in states]
        return PredictionBatch(
            np.concatenate(shares).astype(np.float32),
            np.concatenate([[0], np.cumsum(sizes)]),
            np.zeros(len(states), np.float32),
            np.array(leads, np.float32),
        )


def test_one_visit_is_the_networks_lead(network: str) -> None:
    policy = load_policy(network, "go")
    state = Go.by_rules("chinese", 9).initial()
    states = [state, state.play(40)]
    leads, raw = search_leads(policy, states, 1)
    predictions = policy.predict([Position(state) for state in states])
    assert leads.tolist() == pytest.approx([prediction.lead for prediction in predictions], rel=1e-4)
    np.testing.assert_array_equal(leads, raw)


def test_a_search_returns_the_mean_lead_of_its_visits() -> None:
    policy = BlackStones()
    (lead,), (raw,) = search_leads(policy, [Go.by_rules("chinese", 9).initial()], 2)
    assert raw == 0
    assert lead == pytest.approx(1 / 2), "the root, and a move after which its side has a stone more"


def test_a_finished_position_is_not_searched() -> None:
    policy = BlackStones(passes=0.5)
    search_leads(policy, [Go.by_rules("chinese", 9).initial()], 16)
    assert policy.evaluated == 1


def test_a_search_never_ends_the_game_by_passes() -> None:
    state = Go.by_rules("chinese", 5).initial()
    state = state.play(12).play(25)  # White has passed: another pass ends the game
    (lead,), _ = search_leads(BlackStones(passes=0.04), [state], 40)
    assert abs(lead) < 3, "a finished game would count as 361 points"


def test_losses_are_of_the_side_that_moved(network: str, tmp_path: Path) -> None:
    sample = read_sample(GameSelection("go", (sgf(tmp_path, UNEVEN),), None, by_mover=True))
    assert sorted(sample.groups) == ["1d", "3k"]
    judged = judge_points(sample, PointsConfig("go", network, visits=1))
    policy = load_policy(network, "go")
    line = [Go.by_rules("chinese", 9).initial()]
    for move in ("E5", "C7", "G3", "C3", "G7", "E7", "E3", "pass", "pass"):
        line.append(line[-1].play(line[-1].parse_move(move)))
    leads = [p.lead or 0.0 for p in policy.predict([Position(state) for state in line[:-1]])]
    for row, (ply, mover) in enumerate(zip(sample.metadata["ply"], sample.metadata["mover"], strict=True)):
        assert mover == ply % 2
        assert judged.before[row] == pytest.approx(leads[ply], rel=1e-3)
        if ply == 8:
            assert np.isnan(judged.after[row]), "the second pass ended the game"
        else:
            assert judged.after[row] == pytest.approx(-leads[ply + 1], rel=1e-3)


def test_the_report_counts_points_and_leaves_out_ends_and_decided_positions(tmp_path: Path) -> None:
    sample = read_sample(GameSelection("go", (sgf(tmp_path, GAME),), None, filter=PositionFilter(0)))
    before = np.array([0, 40.0, 5, 0, 0, 0, 0])
    after = np.array([0, 0.0, -5, -3, 1, np.nan, 0])
    entry = mistakes_report(sample, before, after, POINTS)["3k"]
    assert entry["moves"] == 5
    assert entry["drift"]["value"] == pytest.approx((10 + 3 - 1) / 5)
    assert entry["mistakes"]["value"] == pytest.approx(2 / 5)
    assert entry["blunders"]["value"] == pytest.approx(1 / 5)
    assert entry["by"]["standing"]["won"]["moves"] == 1


def test_the_command_writes_report_and_leads(
    network: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records, out = str(sgf(tmp_path, GAME)), tmp_path / "report"
    command = ["measure", "mistakes", "go", "-r", records, "--points", "--visits", "2", "--skip", "0"]
    main([*command, "--judge", network, "--threads", "2", "--out", str(out), "--json"])
    printed = json.loads(capsys.readouterr().out)
    assert printed["judge"]["unit"] == "points"
    assert printed["groups"]["3k"]["games"] == 1
    leads = np.load(out / "leads.npz")
    assert len(leads["before"]) == len(leads["metadata"]) == 7
    assert "predicts no lead" in one_line_error(capsys, [*command, "--judge", "human-dan"])


def test_a_judge_without_leads_is_refused() -> None:
    with pytest.raises(BadConfig, match="no lead"):
        search_leads(load_policy("human-dan", "go"), [Go().initial()], 4)
