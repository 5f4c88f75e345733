"""What the four algorithms do to weights, against their formulas in plain Python."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from sparring.games import load
from sparring.learn.bootstrap import BadSettings, Settings
from sparring.learn.bootstrap.algorithms import Strap, TdLeaf, teacher
from sparring.search.evaluations import Searcher, open_evaluation

GAMES = ["expendibots", "breakthrough"]


def searcher_of(game: str) -> Searcher:
    return open_evaluation(game, "start").searcher(megabytes=1)


def late(game: str, searcher: Searcher, seed: int) -> Any:
    """A position in which trees are small and nothing is decided yet."""
    rng = random.Random(seed)
    state = load(game).initial()
    few, plies = (14, 30) if game == "expendibots" else (26, 20)
    while len(searcher.plausible(state)) > few or state.ply < plies:
        after = state.play(rng.choice(searcher.plausible(state)))
        if after.outcome is not None:
            return late(game, searcher, seed + 100)
        state = after
    if searcher.analyse(state, depth=3).plies_to_end is not None:
        return late(game, searcher, seed + 100)
    return state


def taught(searcher: Searcher, state: Any, **changes: Any) -> tuple[Any, np.ndarray[Any, Any], int, float]:
    syllabus: dict[str, Any] = {
        "depth": 2,
        "tree": True,
        "full": False,
        "least_depth": 1,
        "decay": 0.5,
        "most_error": 100.0,
        "skip_draws": False,
        "staged": False,
    }
    return searcher.teach(state, **{**syllabus, **changes})


@pytest.mark.parametrize("game", GAMES)
def test_rootstrap_moves_the_root_alone(game: str) -> None:
    searcher = searcher_of(game)
    state = late(game, searcher, 1)
    found, sums, positions, error = taught(searcher, state, tree=False)
    stage, features = searcher.describe(state)
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
    found, sums, *_ = taught(searcher, state, full=True)
    expected = np.zeros_like(sums)
    nodes: dict[Any, tuple[float, float]] = {state: (found.value, 1.0)}
    for move in searcher.plausible(state):
        after = state.play(move)
        if after.outcome is None:
            value = taught(searcher, after, depth=1, full=True, tree=False)[0].value
            nodes[after] = (value, 0.5)
    for node, (value, weight) in nodes.items():
        stage, features = searcher.describe(node)
        expected[stage] += weight * (value - searcher.evaluate(node)) * features
    np.testing.assert_allclose(sums, expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("seed", range(4))
def test_bounds_move_a_node_only_towards_what_is_known(game: str, seed: int) -> None:
    """Alpha-beta's changes are part of minimax's: fewer nodes, none in another direction than its value."""
    searcher = searcher_of(game)
    state = late(game, searcher, seed)
    exact = taught(searcher, state, full=True)
    bounded = taught(searcher, state, full=False)
    assert bounded[0].value == pytest.approx(exact[0].value)
    assert 0 < bounded[2] <= exact[2]
    assert bounded[3] <= exact[3] + 1e-6
    assert float((bounded[1] * exact[1]).sum()) > 0


def test_the_bottom_layers_and_draws_can_be_left_out() -> None:
    searcher = searcher_of("expendibots")
    state = late("expendibots", searcher, 2)
    everything = taught(searcher, state, depth=3)[2]
    fewer = taught(searcher, state, depth=3, least_depth=2)[2]
    assert 0 < fewer < everything
    drawn = load("expendibots").parse("8/8/8/8/8/8/8/Ab6 w 0")  # all that White can do is draw
    assert taught(searcher, drawn, tree=False)[2] == 1
    assert taught(searcher, drawn, tree=False, skip_draws=True)[2] == 0


def test_staged_searches_end_with_the_stage() -> None:
    """Four missing tokens are taken for a boom; the next one ends the opening, one token ahead."""
    searcher = searcher_of("expendibots")
    state = load("expendibots").parse("aa1aa1aa/aa6/8/5b2/5A2/8/AA1A4/AA1AA1AA w 0")
    plain = taught(searcher, state, depth=1, tree=False)[0]
    staged = taught(searcher, state, depth=1, tree=False, staged=True)[0]
    assert plain.value < 100
    assert state.move_text(staged.moves[0][0]) == "boom f4"
    assert staged.value == pytest.approx(100 + 1)
    assert taught(searcher, state, depth=1, tree=False)[0].value == plain.value


def test_no_weight_changes_by_more_than_m() -> None:
    settings = Settings("expendibots", most_change=1e-4, warm_up=0)
    searcher = searcher_of("expendibots")
    _, change = Strap(settings, "treestrap-ab", 4, 1.0, 0.5).move(searcher, load("expendibots").initial())
    assert change is not None
    assert np.abs(change).max() == pytest.approx(1e-4)


def test_tdleaf_is_its_formula() -> None:
    searcher = searcher_of("breakthrough")
    settings = Settings("breakthrough", algorithm="tdleaf", most_change=1e9, warm_up=0)
    learner = TdLeaf(settings, depth=2, rate=0.1, decay=0.7)
    state = late("breakthrough", searcher, 5)
    leaves, signs = [], []
    for _ in range(6):
        found, change = learner.move(searcher, state)
        assert change is None
        leaf = state
        for move in found.line:
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
            expected[0] += 0.1 * ahead * sign * searcher.describe(leaf)[1]
    change = learner.end(state.outcome)
    assert change is not None
    np.testing.assert_allclose(change, expected, atol=2e-2)


def test_a_run_begins_with_rootstrap_at_depth_two() -> None:
    settings = Settings("expendibots", algorithm="tdleaf", warm_up=3, settle=10)
    assert settings.teaching(2)[:2] == ("rootstrap", 2)
    assert settings.teaching(3)[:2] == ("tdleaf", 4)
    assert settings.teaching(10)[2] == pytest.approx(settings.teaching(20)[2] * 1.5)
    assert isinstance(teacher(settings, 0), Strap)
    assert isinstance(teacher(settings, 5), TdLeaf)


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"game": "chess"}, "offers no features"),
        ({"algorithm": "q"}, "the algorithms are"),
        ({"games": 0}, "games is at least 1"),
        ({"depth": 0}, "depth is from 1 to 20"),
        ({"rate": 0.0}, "above 0"),
        ({"decay": 1.5}, "from 0 to 1"),
        ({"warm_up": -1}, "not below 0"),
    ],
)
def test_bad_settings_are_refused(changes: dict[str, Any], complaint: str) -> None:
    with pytest.raises(BadSettings, match=complaint):
        Settings(**{"game": "expendibots", **changes})
