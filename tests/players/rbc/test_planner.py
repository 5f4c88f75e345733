"""The planner: algorithms 1 to 3 against plain Python and known answers, and the bot in whole games."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from sparring._core import (
    RbcBoardSet,
    RbcInfostate,
    RbcPlanner,
    RbcPlannerConfig,
    RbcState,
    rbc_bandit,
    rbc_policy_index,
)
from sparring.arena.rbc_match import play_rbc_game
from sparring.belief import Tracker, TrackerOptions, compute_synopsis, replay, unpack_planes
from sparring.games.rbc import NO_SENSE, PASS, SENSE, MoveResult, OpponentMoveResult, Rbc, SenseResult
from sparring.networks.synopsis import ACTIONS, action_index
from sparring.players import Clock, GameStart, SearchLimits, Turn
from sparring.players.rbc import BOTS, BadBotConfig, load_bot_config, make_bot
from sparring.players.rbc.planner import PlannerBot, PlannerOptions
from sparring.players.rbc.synopsis_evaluators import UniformEvaluator
from tests.belief.games import random_game
from tests.reference.dsmcp import bandit_scores, belief_after_a_known_board, board_key

QUICK = replace(
    BOTS["planner"],
    boards=2_000,
    use_clock=False,
    threads=1,
    planner=PlannerOptions(playouts=24, batch=8, particles=24, states=16, native_weight=1.0),
)


def evaluate_uniformly(planner: RbcPlanner, batches: int = 10**6) -> int:
    """Evaluates batches with equal logits and values of 0; returns the number of synopses."""
    count = 0
    for _ in range(batches):
        planes, opponent = planner.select()
        if not len(planes):
            break
        count += len(planes)
        planner.evaluate(*UniformEvaluator().evaluate(planes, opponent))
    return count


def planner_bot(**options: Any) -> PlannerBot:
    made = make_bot(replace(QUICK, planner=replace(QUICK.planner, **options)))
    assert isinstance(made, PlannerBot)
    made.evaluator = UniformEvaluator()
    return made


# Algorithm 1


@pytest.mark.parametrize(("avop", "phi"), [(False, 0.0), (False, 0.3), (True, 0.0)])
def test_the_bandit_chooses_as_formula_2_says(avop: bool, phi: float) -> None:
    rng = np.random.default_rng(1)
    config = RbcPlannerConfig(exploration=1.5, mixing=math.inf, paranoia=phi, avop=avop)
    for _ in range(200):
        priors = rng.dirichlet(np.ones(7)).astype(np.float32)
        visits = rng.integers(0, 6, 7).astype(np.float32)
        totals = (visits * rng.uniform(-1, 1, 7)).astype(np.float32)
        worst = rng.uniform(-1, 1, 7).astype(np.float32)
        scores = bandit_scores(
            priors.tolist(),
            visits.tolist(),
            totals.tolist(),
            worst.tolist(),
            c=1.5,
            phi=phi,
            avop=avop,
        )
        chosen = rbc_bandit(config, priors, visits, totals, worst, at_root=False, seed=0)
        assert scores[chosen] == pytest.approx(max(scores), abs=1e-5)


def test_the_bandit_draws_from_the_policy_with_probability_exp_of_minus_m_n() -> None:
    priors = np.array([0.5, 0.3, 0.2], np.float32)
    visits, totals = np.array([0, 0, 2], np.float32), np.array([0, 0, 2], np.float32)
    config = RbcPlannerConfig(mixing=0.5)
    chosen = Counter(
        rbc_bandit(config, priors, visits, totals, np.ones(3, np.float32), at_root=False, seed=seed)
        for seed in range(4000)
    )
    mixed = math.exp(-0.5 * 2)
    best = int(np.argmax(bandit_scores(priors.tolist(), [0, 0, 2], [0, 0, 2], [1, 1, 1], c=2)))
    for action in range(3):
        expected = mixed * float(priors[action]) + (1 - mixed) * (action == best)
        assert chosen[action] / 4000 == pytest.approx(expected, abs=0.03)
    at_root = {
        rbc_bandit(config, priors, visits, totals, np.ones(3, np.float32), at_root=True, seed=seed)
        for seed in range(100)
    }
    assert at_root == {best}


# Infostates


def tracked_game(seed: int, turns: int) -> tuple[Tracker, RbcState]:
    """The tracker of White, and the true state at White's sense."""
    game = random_game(seed, turns)
    tracker = Tracker(0, TrackerOptions(limit=100_000, threads=1))
    truth = game
    for step in replay(game, tracker):
        truth = step.truth
    return tracker, truth


def test_an_infostate_has_exactly_as_many_boards_as_asked_with_the_true_one_among_them() -> None:
    tracker, truth = tracked_game(3, 4)
    assert len(tracker.boards) > 200
    for seed in range(20):
        state = RbcInfostate(tracker.boards, False, truth, 128, seed)
        assert len(state) == 128
        assert truth in state.boards
        assert len(state.boards.intersection(tracker.boards)) == 128


def test_a_reply_gives_a_uniform_sample_of_exact_size() -> None:
    state = Rbc().initial().play(NO_SENSE).play(PASS).play(NO_SENSE)
    everything = RbcBoardSet.of([state], 0).after_opponent(None)
    counts: Counter[str] = Counter()
    truth = state.play(PASS)
    for seed in range(1500):
        infostate = RbcInfostate(RbcBoardSet.of([state], 0), False)
        infostate.reply(None, truth, 6, seed)
        assert len(infostate) == 6
        assert truth in infostate.boards
        counts.update(infostate.boards.fens())
    assert set(counts) == set(everything.fens())
    others = [count for fen, count in counts.items() if fen not in RbcBoardSet.of([truth], 0).fens()]
    assert max(others) / min(others) < 1.5


def test_infostates_follow_sense_move_and_reply_as_board_sets_do() -> None:
    game = random_game(11, 5)
    line = [game]
    while line[-1].previous is not None:
        line.append(line[-1].previous)
    line.reverse()
    tracker = Tracker(0, TrackerOptions(limit=100_000, threads=1))
    infostate = RbcInfostate(tracker.boards, False, line[0], 100_000)
    for before, after in itertools.pairwise(line):
        move = after.last_move
        assert move is not None
        observation = Rbc().observe(before, 0, move)
        if isinstance(observation, SenseResult):
            infostate.sense(move, before)
        elif isinstance(observation, MoveResult):
            infostate.move(move, before)
        elif isinstance(observation, OpponentMoveResult):
            infostate.reply(observation.capture_square, after, 100_000)
        if after.outcome is not None:
            break
        tracker.observe(observation)
        assert set(infostate.boards.fens()) == set(tracker.boards.fens())


def test_the_key_does_not_depend_on_the_order_of_the_boards_but_on_the_phase() -> None:
    tracker, truth = tracked_game(3, 2)
    count = len(tracker.boards)
    first, second = (RbcInfostate(tracker.boards, False, truth, count, seed) for seed in (1, 2))
    assert first.key == second.key
    assert first.key != RbcInfostate(tracker.boards, True, truth, count).key
    assert first.key != RbcInfostate(tracker.boards, False, truth, count - 1).key


def test_the_sets_of_both_players_share_the_true_board_only() -> None:
    for seed in range(5):
        game = random_game(seed, 4)
        trackers = [Tracker(player, TrackerOptions(limit=100_000, threads=1)) for player in (0, 1)]
        for tracker in trackers:
            truth = [step.truth for step in replay(game, tracker)][-1]
        if game.outcome is None:
            shared = trackers[0].boards.intersection(trackers[1].boards)
            assert len(shared) == 1
            assert truth in shared


def test_the_cheap_test_of_wins_finds_only_certain_wins() -> None:
    found = 0
    for seed in range(40):
        tracker, _ = tracked_game(seed, 6)
        boards = tracker.boards
        for moving in (False, True):
            if boards.to_move == 0 and RbcInfostate(boards, moving, None, 100_000).wins:
                found += 1
                if moving:
                    assert boards.king_captures()[0][1] == len(boards)
                else:
                    assert max(boards.wins_after_sense()) == len(boards)
    board = Rbc().parse("4k3/8/8/8/8/8/4R3/4K3 w - - 0 1 move")
    assert RbcInfostate(RbcBoardSet.of([board], 0), True).wins
    assert found < 80


# Algorithm 2


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


def test_a_rational_opponent_is_believed_not_to_blunder() -> None:
    # The black queen is attacked by a rook; it can capture it or hang elsewhere.
    start = Rbc().parse("4k3/8/8/3q4/8/8/8/3RK3 b - - 0 1 sense")
    capture = start.play(NO_SENSE).parse_move("d5d1")
    boards = RbcBoardSet.of([start], 0).after_opponent(None)
    shares = []
    for rationality in (0.0, 20.0):
        config = RbcPlannerConfig(particles=500, rationality=rationality, belief_noise=0.0)
        planner = RbcPlanner(config, 0, start, 7)
        evaluate_uniformly(planner)
        planner.draw(boards, True)
        left = [fen for fen in planner.particle_fens() if fen.startswith("4k3/8/8/3q4/")]
        shares.append(len(left) / 500)
    assert capture
    assert shares[0] > 3 * shares[1]


def test_an_opponent_is_believed_to_seek_attacks_on_the_king() -> None:
    start = Rbc().parse("4k3/8/8/3r4/8/8/8/4K3 b - - 0 1 sense")
    boards = RbcBoardSet.of([start], 0).after_opponent(None)
    odds = []
    for threat_weight in (1.0, 5.0):
        planner = RbcPlanner(RbcPlannerConfig(particles=4000, threat_weight=threat_weight), 0, start, 7)
        evaluate_uniformly(planner)
        planner.draw(boards, True)
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


# Algorithm 3


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


def test_wrong_calls_are_refused() -> None:
    start = Rbc().initial()
    planner = RbcPlanner(RbcPlannerConfig(particles=4), 0, start, 0)
    boards = RbcBoardSet.of([start], 0)
    planner.draw(boards, True)
    planner.begin_search(boards, True)
    planes, _ = planner.select()
    logits = np.zeros((len(planes), ACTIONS), np.float32)
    with pytest.raises(ValueError, match="4161"):
        planner.evaluate(logits[:, :-1].copy(), np.zeros(len(planes), np.float32))
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
            expected = unpack_planes(synopsis)
            if mover == 0:
                planner.draw(trackers[0].boards, True)
                planner.begin_search(trackers[0].boards, not state.sensing)
                planes, _ = planner.select()
                assert np.array_equal(planes[0], expected)
                planner.evaluate(*UniformEvaluator().evaluate(planes, np.zeros(len(planes), bool)))
                checked += 1
            elif state.sensing and state.ply < 4:  # the opponent knows the start, so it has one infostate
                planes, opponent = planner.select()
                assert opponent.all()
                assert np.array_equal(planes[0], expected)
                planner.evaluate(*UniformEvaluator().evaluate(planes, opponent))
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


# The bot


@pytest.mark.parametrize("color", [0, 1])
def test_the_planner_plays_whole_games(color: int) -> None:
    bots = [planner_bot(), make_bot(BOTS["guesser"])]
    seeds = [[5, player] for player in (0, 1)]
    state = play_rbc_game(bots if color == 0 else bots[::-1], seeds, 1, np.random.default_rng(2), 40)
    assert state.ply > 8


def test_the_same_seed_gives_the_same_game_of_the_planner() -> None:
    games = [
        play_rbc_game(
            [planner_bot(), make_bot(BOTS["attacker"])], [[1], [2]], 0, np.random.default_rng(0), 12
        ).pack_moves(2)
        for _ in range(2)
    ]
    assert games[0] == games[1]


def test_a_hint_does_not_change_the_game() -> None:
    decisions = []
    for hints in (0, 2):
        made = planner_bot()
        made.new_game(GameStart(Rbc(), 0, seed=4))
        made.observe(OpponentMoveResult(None))
        turn = Turn.of(Rbc().initial().play(NO_SENSE))
        made.observe(SenseResult(()))
        for _ in range(hints):
            made.hint(turn)
        decisions.append(made.choose(turn))
    assert decisions[0] == decisions[1]


def test_the_planner_goes_on_after_contradictory_and_lost_observations() -> None:
    made = planner_bot()
    made.new_game(GameStart(Rbc(), 0, seed=1))
    made.observe(OpponentMoveResult(None))
    senses = [*range(SENSE, SENSE + 64), NO_SENSE]
    assert made.choose(Turn(None, senses)).move in senses
    made.observe(SenseResult(((36, "k"), (37, "q"), (38, None))))  # impossible in the first turn
    moves = Rbc().initial().play(NO_SENSE).legal_moves()
    move = made.choose(Turn(None, moves)).move
    assert move in moves
    made.observe(SenseResult(()))  # out of order: the result of the move was lost
    assert made.choose(Turn(None, moves)).move in moves
    assert made.inference.restarts > 0


def test_the_planner_decides_with_an_empty_clock() -> None:
    made = make_bot(replace(QUICK, use_clock=True))
    made.new_game(GameStart(Rbc(), 1, seed=1))
    made.observe(OpponentMoveResult(None))
    senses = [*range(SENSE, SENSE + 64), NO_SENSE]
    for seconds in (0.0, 0.5, 20.0):
        limits = SearchLimits(clock=Clock(seconds, 0.0))
        assert made.choose(Turn(None, senses, limits)).move in senses


def test_the_belief_is_evaluated_even_with_little_time(monkeypatch: pytest.MonkeyPatch) -> None:
    made = make_bot(replace(QUICK, use_clock=True))
    assert isinstance(made, PlannerBot)
    monkeypatch.setattr("time.perf_counter", lambda: 0.0)  # time stands still: whatever is allowed is done
    made.new_game(GameStart(Rbc(), 1, seed=1))
    made.observe(OpponentMoveResult(None))
    allowed: list[float | None] = []
    monkeypatch.setattr(made, "_complete_belief", allowed.append)
    monkeypatch.setattr(made, "_play_out", lambda *_: None)
    senses = [*range(SENSE, SENSE + 64), NO_SENSE]
    for clock in (Clock(0.0, 5.0), Clock(5.0, 0.0), Clock(5.0, 0.5)):
        made.choose(Turn(None, senses, SearchLimits(clock=clock)))  # the inference bot plans no time
    assert allowed == pytest.approx([0.0, 0.025, 0.08])


def test_a_search_with_a_clock_ends_when_its_choice_is_settled(monkeypatch: pytest.MonkeyPatch) -> None:
    made = make_bot(replace(QUICK, use_clock=True))
    assert isinstance(made, PlannerBot)
    made.evaluator = UniformEvaluator()
    made.new_game(GameStart(Rbc(), 0, seed=1))
    made.observe(OpponentMoveResult(None))
    made.observe(SenseResult(()))
    monkeypatch.setattr("sparring.players.rbc.planner.is_settled", lambda *_: True)
    limits = SearchLimits(clock=Clock(1e6, 0.0))  # without the end it would search for hours
    made.choose(Turn(None, Rbc().initial().play(NO_SENSE).legal_moves(), limits))
    assert made.last_search is not None
    assert 0 < made.last_search.playouts < 200


def test_a_planner_that_wins_takes_less_time(monkeypatch: pytest.MonkeyPatch) -> None:
    made = make_bot(replace(QUICK, use_clock=True))
    assert isinstance(made, PlannerBot)
    monkeypatch.setattr("time.perf_counter", lambda: 0.0)
    made.new_game(GameStart(Rbc(), 1, seed=1))
    made.observe(OpponentMoveResult(None))
    allowed: list[float] = []
    monkeypatch.setattr(made, "_complete_belief", allowed.append)
    monkeypatch.setattr(made, "_play_out", lambda *_: None)
    senses = [*range(SENSE, SENSE + 64), NO_SENSE]
    for made._last_rating in (0.5, 0.9):
        made.choose(Turn(None, senses, SearchLimits(clock=Clock(900.0, 5.0))))
    assert allowed[1] == pytest.approx(0.3 * allowed[0])


def test_an_opponent_who_passes_for_ever_does_not_stop_the_planner() -> None:
    made = planner_bot(playouts=8)
    state = Rbc().initial()
    made.new_game(GameStart(Rbc(), 0, seed=3))
    made.observe(OpponentMoveResult(None))
    for _ in range(8):
        for _ in range(2):
            move = made.choose(Turn.of(state)).move
            before, state = state, state.play(move)
            if state.outcome is not None:
                return
            made.observe(Rbc().observe(before, 0, move))
        state = state.play(NO_SENSE).play(PASS)
        made.observe(OpponentMoveResult(None))


def test_ratings_of_the_inference_bot_join_in_the_decision() -> None:
    made = planner_bot(inference_weight=0.5, rating_visits=1e6, playouts=8)
    made.new_game(GameStart(Rbc(), 0, seed=3))
    made.observe(OpponentMoveResult(None))
    made.observe(SenseResult(()))
    decision = made.choose(Turn.of(Rbc().initial().play(NO_SENSE)))
    found = made.last_search
    assert found is not None
    assert found.ratings is not None
    chosen = found.ratings[found.actions.tolist().index(decision.move)]
    assert chosen == pytest.approx(found.ratings.max(), abs=1e-4)


def test_senses_with_ratings_need_no_playouts_and_moves_have_them_by_share() -> None:
    for share, played in ((1.0, False), (0.5, True)):
        made = planner_bot(inference_weight=0.5, rating_visits=10.0, rating_share=share, playouts=8)
        made.new_game(GameStart(Rbc(), 1, seed=3))
        state = Rbc().initial().play(NO_SENSE).play(PASS)
        made.observe(OpponentMoveResult(None))
        assert made.choose(Turn.of(state)).reason.startswith("rated ")
        assert made.last_search is not None
        assert made.last_search.playouts == 0
        made.observe(SenseResult(()))
        made.choose(Turn.of(state.play(NO_SENSE)))
        assert (made.last_search.playouts > 0) == played


def test_a_planner_is_described_by_a_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('kind = "planner"\n[planner]\nmixing = inf\nparticles = 32\n')
    config = load_bot_config(str(file))
    assert config.planner.mixing == math.inf
    assert config.planner.particles == 32
    file.write_text('kind = "planner"\n[planner]\ncaution = 2\n')
    with pytest.raises(BadBotConfig, match="caution"):
        load_bot_config(str(file))


def test_a_failing_network_does_not_lose_the_game() -> None:
    """The front end of reconchess plays a random action then; here the error must reach it."""

    def fail(planes: object, opponent: object) -> None:
        raise RuntimeError("no network")

    made = planner_bot()
    made.evaluator = SimpleNamespace(evaluate=fail, recognise=lambda _: None)
    made.new_game(GameStart(Rbc(), 0, seed=3))
    made.observe(OpponentMoveResult(None))
    made.observe(SenseResult(()))
    with pytest.raises(RuntimeError, match="no network"):
        made.choose(Turn.of(Rbc().initial().play(NO_SENSE)))
    made.evaluator = UniformEvaluator()
    assert made.choose(Turn.of(Rbc().initial().play(NO_SENSE))).move is not None
