"""Algorithm 2 of DSMCP: the belief, against plain Python and known answers."""

from __future__ import annotations

import math
from collections import Counter

import chess
import pytest

from sparring._core import (
    RbcBoardSet,
    RbcPlanner,
    RbcPlannerConfig,
)
from sparring.players import GameStart, Turn
from sparring.rbc.game import NO_SENSE, PASS, MoveResult, OpponentMoveResult, Rbc, SenseResult
from tests.players.rbc.planner_factories import evaluate_uniformly, planner_bot
from tests.reference.dsmcp import belief_after_a_known_board, board_key


def test_particles_have_the_distribution_of_rejection_sampling() -> None:
    start = Rbc().parse("4k3/p7/8/8/8/8/4P3/4K3 b - - 0 1 sense")
    boards = RbcBoardSet.of([start], 0).after_opponent(None)
    planner = RbcPlanner(RbcPlannerConfig(particles=4000), 0, start, 7)
    evaluate_uniformly(planner)
    for square in (None, 51, 60):  # before a sense, and after one that shows the king at home or away
        seen = [] if square is None else start.play(NO_SENSE).play(PASS).sense(square)
        possible = boards.after_sense(seen)
        expected = belief_after_a_known_board(start, possible.sample(len(possible), 0))
        planner.draw(possible, True)
        assert planner.singletons == 0
        found = Counter(board_key(Rbc().parse(f"{fen} move")) for fen in planner.particle_fens())
        assert set(found) == set(expected)
        for key, probability in expected.items():
            assert found[key] / 4000 == pytest.approx(probability, abs=0.03)


def test_the_belief_does_not_collapse_to_the_best_reply_of_a_search() -> None:
    made = planner_bot(playouts=600, particles=300)
    made.new_game(GameStart(Rbc(), 0, seed=3))
    made.observe(OpponentMoveResult(None))
    state = Rbc().initial().play(NO_SENSE)
    made.observe(SenseResult(()))
    made.choose(Turn.of(state))
    move = state.parse_move("e2e4")
    made.observe(MoveResult(move, move, None))
    made.observe(OpponentMoveResult(None))
    made.draw_belief()
    assert len(set(made.planner.particle_fens())) == 21


@pytest.mark.parametrize(("mixing", "moves"), [(1.0, 21), (math.inf, 1)])
def test_by_the_bandit_the_belief_follows_the_mixing_constant(mixing: float, moves: int) -> None:
    """A node without visits draws from the policy; without mixing it takes the likeliest action."""
    start = Rbc().initial().play(NO_SENSE).play(PASS)
    config = RbcPlannerConfig(particles=600, belief_noise=0.0, mixing=mixing, bandit_belief=True)
    planner = RbcPlanner(config, 0, start, 7)
    evaluate_uniformly(planner)
    planner.draw(RbcBoardSet.of([start], 0).after_opponent(None), True)
    assert len(set(planner.particle_fens())) == moves


def test_a_rational_opponent_is_believed_not_to_blunder() -> None:
    # A rook attacks the black queen. It is lost where it stands, and for the rook if it captures that.
    start = Rbc().parse("4k3/8/8/3q4/8/8/8/3RK3 b - - 0 1 sense")
    boards = RbcBoardSet.of([start], 0).after_opponent(None)
    captured = RbcBoardSet.of([start], 0).after_opponent(chess.D1)
    shares, captures = [], []
    for rationality in (0.0, 20.0):
        config = RbcPlannerConfig(particles=500, rationality=rationality, belief_noise=0.0)
        planner = RbcPlanner(config, 0, start, 7)
        evaluate_uniformly(planner)
        planner.draw(captured, True)
        captures.append(planner.accepted)
        planner.draw(boards, True)
        left = [fen for fen in planner.particle_fens() if fen.startswith("4k3/8/8/3q4/")]
        shares.append(len(left) / 500)
    assert shares[0] > 3 * shares[1]
    assert captures[0] > 3 * captures[1]


def test_an_opponent_is_believed_to_seek_attacks_on_the_king() -> None:
    start = Rbc().parse("4k3/8/8/3r4/8/8/8/4K3 b - - 0 1 sense")
    boards = RbcBoardSet.of([start], 0).after_opponent(None)
    odds = []
    for attack_weight in (1.0, 5.0):
        planner = RbcPlanner(RbcPlannerConfig(particles=4000, attack_weight=attack_weight), 0, start, 7)
        evaluate_uniformly(planner)
        planner.draw(boards, True)
        assert planner.accepted == pytest.approx(1.0)  # every move leads to a possible board
        assert planner.accepted <= 1
        likely, shares = planner.particle_boards(4000)
        share = float(shares[likely.indices(likely.with_king_attacked())].sum())
        odds.append(share / (1 - share))
    assert odds[1] / odds[0] == pytest.approx(5.0, rel=0.15)


def test_singletons_replace_particles_that_contradict_all_boards() -> None:
    start = Rbc().parse("4k3/8/8/8/8/8/4P3/4K3 b - - 0 1 sense")
    planner = RbcPlanner(RbcPlannerConfig(particles=50), 0, start, 1)
    evaluate_uniformly(planner)
    elsewhere = RbcBoardSet.of([Rbc().parse("8/8/8/8/k7/8/4P3/4K3 w - - 0 1 move")], 0)
    planner.draw(elsewhere, True)
    assert planner.singletons == 50
    assert planner.accepted == 0
    assert planner.particle_sizes() == [1] * 50
    planner.begin_search(elsewhere, True)
    assert evaluate_uniformly(planner, 5) > 0
