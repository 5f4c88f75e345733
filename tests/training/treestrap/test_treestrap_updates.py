"""Updates of the four algorithms against their formulas in plain Python."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from sparring.base.errors import BadConfig
from sparring.games import load_game
from sparring.search.linear_evaluation import AlphaBetaSearcher, open_evaluation
from sparring.training.treestrap.algorithms import (
    RootStrap,
    TDLeaf,
    TreeStrapAlphaBeta,
    UpdateParameters,
    algorithm_for_game,
)
from sparring.training.treestrap.run import TreeStrapRunConfig

GAMES = ["expendibots", "breakthrough"]


def searcher_of(game: str) -> AlphaBetaSearcher:
    return open_evaluation(game, "start").searcher(megabytes=1)


def late(game: str, searcher: AlphaBetaSearcher, seed: int) -> Any:
    """A late position with a small tree and no decided result."""
    rng = random.Random(seed)
    state = load_game(game).initial()
    few, plies = (14, 30) if game == "expendibots" else (26, 20)
    while len(searcher.candidate_moves(state)) > few or state.ply < plies:
        after = state.play(rng.choice(searcher.candidate_moves(state)))
        if after.outcome is not None:
            return late(game, searcher, seed + 100)
        state = after
    if searcher.analyse(state, depth=3).plies_to_end is not None:
        return late(game, searcher, seed + 100)
    return state


def treestrap_update(
    searcher: AlphaBetaSearcher, state: Any, **changes: Any
) -> tuple[Any, np.ndarray[Any, Any], int, float]:
    config: dict[str, Any] = {
        "depth": 2,
        "all_nodes": True,
        "minimax": False,
        "min_depth": 1,
        "decay": 0.5,
        "max_error": 100.0,
        "skip_draws": False,
        "staged": False,
    }
    return searcher.treestrap(state, **{**config, **changes})


@pytest.mark.parametrize("game", GAMES)
def test_rootstrap_moves_the_root_alone(game: str) -> None:
    searcher = searcher_of(game)
    state = late(game, searcher, 1)
    found, sums, positions, error = treestrap_update(searcher, state, all_nodes=False)
    stage, features = searcher.extract_features(state)
    difference = found.value - searcher.evaluate(state)
    expected = np.zeros_like(sums)
    expected[stage] = difference * features
    np.testing.assert_allclose(sums, expected, atol=1e-9)
    assert positions == (difference != 0)
    assert error == pytest.approx(difference**2)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("seed", range(3))
def test_treestrap_on_minimax_moves_every_inner_node_by_lambda_to_its_depth(game: str, seed: int) -> None:
    """Depth two: the root and its successors, each towards the exact value of its own search."""
    searcher = searcher_of(game)
    state = late(game, searcher, seed)
    found, sums, *_ = treestrap_update(searcher, state, minimax=True)
    expected = np.zeros_like(sums)
    nodes: dict[Any, tuple[float, float]] = {state: (found.value, 1.0)}
    for move in searcher.candidate_moves(state):
        after = state.play(move)
        if after.outcome is None:
            value = treestrap_update(searcher, after, depth=1, minimax=True, all_nodes=False)[0].value
            nodes[after] = (value, 0.5)
    for node, (value, weight) in nodes.items():
        stage, features = searcher.extract_features(node)
        expected[stage] += weight * (value - searcher.evaluate(node)) * features
    np.testing.assert_allclose(sums, expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("seed", range(4))
def test_bounds_move_a_node_only_towards_what_is_known(game: str, seed: int) -> None:
    """Alpha-beta updates are a subset of minimax updates: fewer nodes, never away from the value."""
    searcher = searcher_of(game)
    state = late(game, searcher, seed)
    exact = treestrap_update(searcher, state, minimax=True)
    bounded = treestrap_update(searcher, state, minimax=False)
    assert bounded[0].value == pytest.approx(exact[0].value)
    assert 0 < bounded[2] <= exact[2]
    assert bounded[3] <= exact[3] + 1e-6
    assert float((bounded[1] * exact[1]).sum()) > 0


def test_the_bottom_layers_and_draws_can_be_left_out() -> None:
    searcher = searcher_of("expendibots")
    state = late("expendibots", searcher, 2)
    everything = treestrap_update(searcher, state, depth=3)[2]
    fewer = treestrap_update(searcher, state, depth=3, min_depth=2)[2]
    assert 0 < fewer < everything
    drawn = load_game("expendibots").parse("8/8/8/8/8/8/8/Ab6 w 0")  # all that White can do is draw
    assert treestrap_update(searcher, drawn, all_nodes=False)[2] == 1
    assert treestrap_update(searcher, drawn, all_nodes=False, skip_draws=True)[2] == 0


def test_staged_searches_end_with_the_stage() -> None:
    """Four missing tokens count as a boom; the next boom ends the opening, one token ahead."""
    searcher = searcher_of("expendibots")
    state = load_game("expendibots").parse("aa1aa1aa/aa6/8/5b2/5A2/8/AA1A4/AA1AA1AA w 0")
    plain = treestrap_update(searcher, state, depth=1, all_nodes=False)[0]
    staged = treestrap_update(searcher, state, depth=1, all_nodes=False, staged=True)[0]
    assert plain.value < 100
    assert state.move_text(staged.moves[0][0]) == "boom f4"
    assert staged.value == pytest.approx(100 + 1)
    assert treestrap_update(searcher, state, depth=1, all_nodes=False)[0].value == plain.value


def test_no_weight_changes_by_more_than_m() -> None:
    parameters = UpdateParameters(depth=4, learning_rate=1.0, decay=0.5, max_update=1e-4)
    searcher = searcher_of("expendibots")
    _, update = TreeStrapAlphaBeta(parameters).search(searcher, load_game("expendibots").initial())
    assert update is not None
    assert np.abs(update).max() == pytest.approx(1e-4)


def test_tdleaf_is_its_formula() -> None:
    searcher = searcher_of("breakthrough")
    learner = TDLeaf(UpdateParameters(depth=2, learning_rate=0.1, decay=0.7, max_update=1e9))
    state = late("breakthrough", searcher, 5)
    leaves, signs = [], []
    for _ in range(6):
        found, update = learner.search(searcher, state)
        assert update is None
        leaf = state
        for move in found.pv:
            leaf = leaf.play(move)
        leaves.append(leaf)
        signs.append(1 if leaf.to_move == 0 else -1)
        state = state.play(found.moves[0][0])
        if state.outcome is not None:
            break

    def for_first(state: Any) -> float:
        if state.outcome is not None:
            return 100.0 if state.outcome.winner == 0 else -100.0
        return searcher.evaluate(state) if state.to_move == 0 else -searcher.evaluate(state)

    values = [for_first(leaf) for leaf in leaves]
    final = values[-1] if state.outcome is None else for_first(state)
    differences = np.diff([*values, final])
    expected = np.zeros((1, 9))
    for t, (leaf, sign) in enumerate(zip(leaves, signs, strict=True)):
        if leaf.outcome is None:
            ahead = sum(0.7 ** (j - t) * differences[j] for j in range(t, len(differences)))
            expected[0] += 0.1 * ahead * sign * searcher.extract_features(leaf)[1]
    update = learner.end_game(state.outcome)
    assert update is not None
    np.testing.assert_allclose(update, expected, atol=2e-2)


def test_a_run_begins_with_rootstrap_at_depth_two(monkeypatch: pytest.MonkeyPatch) -> None:
    config = TreeStrapRunConfig("expendibots", algorithm="tdleaf", warmup_games=3, rate_halving_games=10)
    given: list[UpdateParameters] = []
    for algorithm in (RootStrap, TDLeaf):
        monkeypatch.setattr(algorithm, "__init__", lambda _, parameters: given.append(parameters))
    assert isinstance(algorithm_for_game(config, 0), RootStrap)
    assert type(algorithm_for_game(config, 2)) is RootStrap
    assert [each.depth for each in given] == [2, 2]
    assert isinstance(algorithm_for_game(config, 3), TDLeaf)
    assert (given[2].depth, given[2].decay) == (4, 0.7)
    algorithm_for_game(config, 10)
    algorithm_for_game(config, 20)
    assert given[3].learning_rate == pytest.approx(given[4].learning_rate * 1.5)


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"game": "chess"}, "has no features"),
        ({"algorithm": "q"}, "expected one of rootstrap"),
        ({"games": 0}, "games = 0: expected an integer >= 1"),
        ({"depth": 0}, "depth = 0: expected 1 to 20"),
        ({"learning_rate": 0.0}, "learning_rate = 0.0: expected a number > 0"),
        ({"max_update": float("nan")}, "max_update = nan: expected a number > 0"),
        ({"decay": 1.5}, "decay = 1.5: expected a number from 0 to 1"),
        ({"warmup_games": -1}, "warmup_games = -1: expected an integer >= 0"),
    ],
)
def test_bad_settings_are_refused(changes: dict[str, Any], complaint: str) -> None:
    with pytest.raises(BadConfig, match=complaint):
        TreeStrapRunConfig(**{"game": "expendibots", **changes})
