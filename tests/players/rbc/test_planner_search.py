"""Algorithm 3 of DSMCP: playouts on positions with known answers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from sparring._core import (
    RbcBoardSet,
    RbcPlanner,
    RbcPlannerConfig,
    rbc_policy_index,
)
from sparring.rbc.game import NO_SENSE, PASS, SENSE, MoveResult, OpponentMoveResult, Rbc
from sparring.rbc.synopsis import ACTIONS, action_index, compute_synopsis
from sparring.rbc.tracker import Tracker, TrackerOptions
from tests.players.rbc.planner_factories import UniformEvaluator, evaluate_uniformly


def search(fens: list[str], moving: bool, **config: Any) -> RbcPlanner:
    states = [Rbc().parse(f"{fen} {'move' if moving else 'sense'}") for fen in fens]
    boards = RbcBoardSet.of(states, 0)
    planner = RbcPlanner(RbcPlannerConfig(particles=64, batch=16, **config), 0, states[0], 3)
    planner.draw(boards, True)
    planner.begin_search(boards, moving)
    while planner.playouts < 600:
        evaluate_uniformly(planner, 1)
    return planner


def most_visited(planner: RbcPlanner) -> str:
    actions, _, visits, _, _ = planner.root_actions()
    return Rbc().initial().play(NO_SENSE).move_text(int(actions[np.argmax(visits)]))


def test_a_search_captures_the_king() -> None:
    planner = search(["4k3/8/8/8/8/8/4R3/K7 w - - 0 1"], True, native_weight=1.0)
    assert most_visited(planner) == "e2e8"
    assert planner.decided > 300


def test_a_search_captures_the_king_where_it_most_likely_is() -> None:
    # The king is on e8 on two boards of three, on a8 on one; the rook stands on neither line twice.
    fens = [
        "4k3/8/8/8/8/8/8/K3R3 w - - 0 1",
        "4k2n/8/8/8/8/8/8/K3R3 w - - 0 1",
        "3k4/8/8/8/8/8/8/K3R3 w - - 0 1",
    ]
    assert most_visited(search(fens, True, native_weight=1.0)) == "e1e8"


def test_a_search_saves_a_hanging_queen() -> None:
    planner = search(
        ["k2r4/8/8/8/8/8/8/K2Q4 w - - 0 1"], True, native_weight=1.0, mixing=math.inf, move_depth=4
    )
    assert most_visited(planner) == "d1d8"


def test_leaves_with_native_values_alone_need_no_network() -> None:
    fen = "k2r4/8/8/8/8/8/8/K2Q4 w - - 0 1"
    planner = search([fen], True, native_weight=1.0, move_depth=1)
    assert planner.tree_size == 0
    assert most_visited(planner) == "d1d8"
    assert search([fen], True, native_weight=0.5, move_depth=1).tree_size > 0


def test_a_search_senses_where_boards_differ() -> None:
    fens = [f"{row}/8/8/8/8/8/8/K3R3 w - - 0 1" for row in ("1k6", "2k5", "k7")]
    planner = search(fens, False)
    actions, priors, visits, _, _ = planner.root_actions()
    assert set(actions.tolist()) <= {SENSE + square for square in range(64)}
    assert priors.sum() == pytest.approx(1)
    assert visits.sum() >= 600


def test_the_same_seed_gives_the_same_search_with_any_number_of_threads() -> None:
    found = [
        search(["r3k3/8/8/8/8/8/4R3/K7 w - - 0 1"], True, threads=threads).root_actions()[2].tolist()
        for threads in (1, 1, 3)
    ]
    assert found[0] == found[1] == found[2]


def test_statistics_of_the_root_leave_out_playouts_under_way() -> None:
    fen = "r3k3/8/8/8/8/8/4R3/K7 w - - 0 1"
    state = Rbc().parse(f"{fen} move")
    boards = RbcBoardSet.of([state], 0)
    planner = RbcPlanner(RbcPlannerConfig(particles=8, batch=16), 0, state, 3)
    planner.draw(boards, True)
    planner.begin_search(boards, True)
    evaluate_uniformly(planner, 1)
    while planner.playouts < 100:
        synopses, opponent = planner.select()  # the playouts wait for the network, with virtual losses
        assert planner.root_actions()[2].sum() == planner.playouts
        planner.evaluate(*UniformEvaluator().evaluate(synopses, opponent))
        assert planner.root_actions()[2].sum() == planner.playouts


@pytest.mark.parametrize("searched", [True, False])
def test_previous_planes_are_those_of_the_previous_turn_with_and_without_a_search(searched: bool) -> None:
    """In time trouble a turn has no search."""
    state = Rbc().initial()
    planner = RbcPlanner(RbcPlannerConfig(particles=16, batch=16, states=4000), 0, state, 1)
    tracker, previous = Tracker(0, TrackerOptions(threads=1)), None
    for number, move in enumerate(("e2e4", "d2d4", "g1f3")):
        for moving in (False, True):
            synopsis = compute_synopsis(tracker.boards, tracker.synopsis_context, previous, count=4000)
            planner.draw(tracker.boards, True)
            if searched or number != 1:
                planner.begin_search(tracker.boards, moving)
                synopses, _ = planner.select()
                assert np.array_equal(synopses[0], synopsis)
                evaluate_uniformly(planner, 1)
            action = state.parse_move(move) if moving else NO_SENSE
            previous = synopsis if moving else previous
            observation = Rbc().observe(state, 0, action)
            tracker.observe(observation)
            state = state.play(action)
        assert isinstance(observation, MoveResult)
        assert observation.taken is not None
        planner.moved(observation.request, observation.taken, None)
        state = state.play(NO_SENSE).play(PASS)
        tracker.observe(OpponentMoveResult(None))
        planner.opponent_moved(None)


def test_wrong_calls_are_refused() -> None:
    start = Rbc().initial()
    planner = RbcPlanner(RbcPlannerConfig(particles=4), 0, start, 0)
    boards = RbcBoardSet.of([start], 0)
    planner.draw(boards, True)
    planner.begin_search(boards, True)
    synopses, _ = planner.select()
    logits = np.zeros((len(synopses), ACTIONS), np.float32)
    with pytest.raises(ValueError, match="4161"):
        planner.evaluate(logits[:, :-1].copy(), np.zeros(len(synopses), np.float32))
    with pytest.raises(ValueError, match="do not match"):
        planner.evaluate(logits[:0], np.zeros(0, np.float32))
    with pytest.raises(ValueError, match="mixing"):
        RbcPlannerConfig(mixing=-1)
    with pytest.raises(ValueError, match="no sense"):
        rbc_policy_index(0, NO_SENSE)


def test_planner_and_training_number_actions_alike() -> None:
    for player in (0, 1):
        for action in [*range(SENSE, SENSE + 64), *range(0, 4096, 37), PASS]:
            assert rbc_policy_index(player, action) == action_index(action, player)
    assert rbc_policy_index(0, PASS) == ACTIONS - 1


def test_the_planner_computes_the_synopses_that_networks_are_trained_on() -> None:
    """Boards, context and previous planes are those of `compute_synopsis` with a tracker, turn by turn."""
    start = Rbc().parse("4k3/pp6/8/8/8/8/PP6/4K3 w - - 0 1 sense")
    for seed in range(4):
        rng = np.random.default_rng(seed)
        trackers = [Tracker(player, TrackerOptions(threads=1), start) for player in (0, 1)]
        planner = RbcPlanner(RbcPlannerConfig(particles=200, batch=500, states=4000), 0, start, seed)
        previous: list[Any] = [None, None]
        state, checked = start, 0
        for _ in range(16):
            mover = state.to_move
            synopsis = compute_synopsis(
                trackers[mover].boards, trackers[mover].synopsis_context, previous[mover], count=4000
            )
            if mover == 0:
                planner.draw(trackers[0].boards, True)
                planner.begin_search(trackers[0].boards, not state.sensing)
                synopses, _ = planner.select()
                assert np.array_equal(synopses[0], synopsis)
                planner.evaluate(*UniformEvaluator().evaluate(synopses, np.zeros(len(synopses), bool)))
                checked += 1
            elif state.sensing and state.ply < 4:  # the opponent knows the start, so it has one infostate
                synopses, opponent = planner.select()
                assert opponent.all()
                assert np.array_equal(synopses[0], synopsis)
                planner.evaluate(*UniformEvaluator().evaluate(synopses, opponent))
            if not state.sensing:
                previous[mover] = synopsis
            legal_moves = state.legal_moves()
            before, state = state, state.play(legal_moves[int(rng.integers(len(legal_moves)))])
            if state.outcome is not None:
                break
            assert state.last_move is not None
            for player, tracker in enumerate(trackers):
                observation = Rbc().observe(before, player, state.last_move)
                tracker.observe(observation)
                if player == 0 and isinstance(observation, MoveResult):
                    taken = PASS if observation.taken is None else observation.taken
                    planner.moved(observation.request, taken, observation.capture_square)
                elif player == 0 and isinstance(observation, OpponentMoveResult):
                    evaluate_uniformly(planner)
                    planner.opponent_moved(observation.capture_square)
        assert checked > 1
