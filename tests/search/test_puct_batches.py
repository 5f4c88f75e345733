"""Batches of one tree: how large they grow, failures, owners, early ends, repetitions after a move."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from sparring.games import describe, load_game
from sparring.networks import Prediction
from sparring.players.player import Turn
from sparring.players.player_config import PlayerConfig
from sparring.players.policy_player import SearchPlayer, puct_config
from sparring.search import Clock, Puct, PuctConfig, SearchLimits
from tests.search.test_lockstep import HashedPolicy
from tests.search.test_puct import hashed_evaluator

SHUFFLE = ("g1f3", "g8f6", "f3g1", "f6g8")


def test_a_batch_is_never_larger_than_its_share_of_the_tree() -> None:
    sizes, visits = [], 0

    def evaluate(states: Sequence[Any]) -> list[Prediction]:
        nonlocal visits
        sizes.append((len(states), visits))
        visits += len(states)
        return hashed_evaluator(states)

    search = Puct(evaluate, PuctConfig(batch=16, batch_share=0.1))
    search.search(load_game("chess").initial(), SearchLimits(nodes=400))
    assert all(size <= max(1, 0.1 * before) for size, before in sizes)
    assert max(size for size, _ in sizes) == 16
    config = PuctConfig(batch=8, batch_share=0.25)
    assert [config.batch_size(n) for n in (0, 3, 4, 8, 31, 32, 10**9)] == [1, 1, 1, 2, 7, 8, 8]


@pytest.mark.parametrize("trouble", ["raises", "prior", "value"])
def test_a_tree_is_usable_after_a_failed_evaluation(trouble: str) -> None:
    calls = 0

    def evaluate(states: Sequence[Any]) -> list[Prediction]:
        nonlocal calls
        calls += 1
        found = hashed_evaluator(states)
        if calls == 5:
            if trouble == "raises":
                raise OSError("the network is gone")
            shares = np.full(len(found[0].moves), np.nan if trouble == "prior" else 0.1, np.float32)
            found[0] = Prediction(found[0].moves, shares, np.nan if trouble == "value" else 0.0)
        return found

    state, search = load_game("chess").initial(), Puct(evaluate, PuctConfig(batch=1))
    with pytest.raises((OSError, ValueError), match=r"gone|finite"):
        search.search(state, SearchLimits(nodes=30))
    again = search.search(state, SearchLimits(nodes=26))
    fresh = Puct(hashed_evaluator, PuctConfig(batch=1)).search(state, SearchLimits(nodes=30))
    np.testing.assert_array_equal(again.visits, fresh.visits)


def test_a_tree_belongs_to_one_thread_at_a_time() -> None:
    forest = describe("chess").forest_class([load_game("chess").initial()] * 30_000, PuctConfig())
    for _ in range(20):
        working = threading.Thread(target=forest.select, args=(1,))
        working.start()
        try:
            while working.is_alive():
                forest.select(0)
        except RuntimeError as error:
            assert "in use by another thread" in str(error)  # noqa: PT017  # it depends on the moment
            break
        finally:
            working.join()
            forest.cancel()
    else:
        pytest.fail("two threads were in one forest at a time")


def test_a_search_may_end_once_its_choice_is_certain() -> None:
    state = load_game("chess").initial()

    def sure(states: Sequence[Any]) -> list[Prediction]:
        found = []
        for each in states:
            moves = tuple(each.legal_moves())
            shares = np.full(len(moves), 0.01, np.float32)
            shares[0] = 1
            found.append(Prediction(moves, shares, 0.0))
        return found

    whole = Puct(sure).search(state, SearchLimits(nodes=400))
    early = Puct(sure).search(state, SearchLimits(nodes=400), until_decided=True)
    assert whole.new_visits == 400
    assert 200 < early.new_visits < 300
    assert early.moves[early.ranked()[0]] == whole.moves[whole.ranked()[0]]
    timed = Puct(sure).search(state, SearchLimits(nodes=10**6, seconds=1.0), until_decided=True)
    assert timed.seconds < 1.0


def test_an_only_move_costs_no_time_on_a_clock() -> None:
    only = load_game("chess").parse("7k/8/8/8/8/8/6q1/7K w - - 0 1")
    player = SearchPlayer(PlayerConfig("chess", nodes=50), HashedPolicy("chess"))
    for limits, visits in ((SearchLimits(clock=Clock(60.0)), 1), (SearchLimits(), 50)):
        decision = player.choose(Turn.of(only, limits))
        assert [decision.move] == only.legal_moves()
        assert decision.search is not None
        assert decision.search.new_visits == visits


def test_draws_by_repetition_are_searched_again_after_the_repeated_position_is_played() -> None:
    def shuffling(states: Sequence[Any]) -> list[Prediction]:
        found = []
        for each in states:
            moves = tuple(each.legal_moves())
            wanted = each.parse_move(SHUFFLE[each.ply % 4])
            shares = np.array([1.0 if move == wanted else 1e-4 for move in moves], np.float32)
            found.append(Prediction(moves, shares, 0.3 if each.to_move == 0 else -0.3))
        return found

    state = load_game("chess").initial()
    search = Puct(shuffling, PuctConfig(batch=1, c_puct=4.0))
    first = search.search(state, SearchLimits(nodes=60))
    line = first.principal_variation(state.parse_move("g1f3"))
    assert len(line) == 4, "the repetition is a draw and ends the line"
    after = state.play(line[0])
    kept = search.search(after, SearchLimits(nodes=0))
    assert kept.nodes == 1 + kept.visits.sum(), "the visits of the draw are taken back"
    again = search.search(after, SearchLimits(nodes=60))
    fresh = Puct(shuffling, PuctConfig(batch=1, c_puct=4.0)).search(after, SearchLimits(nodes=60))
    assert len(again.principal_variation(line[1])) > 3
    assert again.value == pytest.approx(fresh.value, abs=0.05)


def test_a_player_may_miss_a_mate() -> None:
    careless = PlayerConfig(
        "chess", nodes=20, solver=False, find_immediate_wins=False, play_forced_wins=False
    )
    config = puct_config(careless)
    assert (config.solver, config.find_immediate_wins) == (False, False)
    mate = load_game("chess").parse("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")

    def blind(states: Sequence[Any]) -> list[Prediction]:
        found = []
        for state in states:
            moves = tuple(state.legal_moves())
            shares = np.ones(len(moves), np.float32)
            if state.ply == 0:
                shares[moves.index(state.parse_move("a1a8"))] = 1e-9
            found.append(Prediction(moves, shares, 0.5 if state.to_move == 0 else -0.5))
        return found

    missed = Puct(blind, config).search(mate, SearchLimits(nodes=20))
    seen = Puct(blind, PuctConfig()).search(mate, SearchLimits(nodes=20))
    index = list(missed.moves).index(mate.parse_move("a1a8"))
    assert (missed.visits[index], missed.forced[index]) == (0, 0)
    assert seen.forced[index] == 1
