"""Trees in Python have the visits of the native ones, so that a game in Python is searched alike."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from sparring.games import describe
from sparring.search import PuctConfig
from sparring.search.python_tree import PythonForest, PythonTree
from tests.search.test_puct import hashed_evaluator, random_state


def searched(tree: Any, visits: int) -> Any:
    """A tree after a search with batches of the configuration's sizes."""
    while tree.visits < visits:
        before = tree.visits
        size = CONFIG.batch_size(before)
        leaves = tree.select(min(size, visits - before), min(size, visits - before))
        if not leaves and tree.visits == before:
            break
        if leaves:
            predictions = hashed_evaluator(leaves)
            priors = np.concatenate([prediction.probabilities for prediction in predictions])
            tree.evaluate(priors, np.array([prediction.value for prediction in predictions], np.float32))
    return tree


CONFIG = PuctConfig(c_puct=1.3, draw_value=-0.1, policy_temperature=1.2, virtual_loss=0.5)


@pytest.mark.parametrize("game", ["breakthrough", "chess", "expendibots"])
def test_visits_values_and_proofs_are_those_of_the_native_tree(game: str) -> None:
    rng = random.Random(4)
    for plies in (5, 40, 60):
        state = random_state(game, rng, plies)
        native, python = searched(state.tree(CONFIG), 120), searched(PythonTree(state, CONFIG), 120)
        for ours, theirs in zip(python.root_moves(), native.root_moves(), strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-6)
        assert (python.visits, python.max_depth, python.lead) == (
            native.visits,
            native.max_depth,
            native.lead,
        )
        assert python.value == pytest.approx(native.value)
        first = int(native.root_moves()[0][np.argmax(native.root_moves()[2])])
        assert python.pv(first) == native.pv(first)


def test_sequential_halving_is_that_of_the_native_forest() -> None:
    rng = random.Random(9)
    states = [random_state("breakthrough", rng, plies) for plies in (0, 20, 50)]
    config, budgets = PuctConfig(batch=1), np.array([16, 5, 40])
    forests = PythonForest(states, config), describe("breakthrough").forest_class(states, config)
    for forest in forests:
        run(forest, np.ones(3, np.int64))
        sizes = len(forest.root_moves()[0])
        noise = np.random.default_rng(2).gumbel(size=sizes).astype(np.float32)
        forest.begin_halving(noise, budgets, 8, 50.0, 0.2)
        run(forest, budgets + 1)
    for ours, theirs in zip(forests[0].root_moves(), forests[1].root_moves(), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-6)
    assert forests[0].halving_choices().tolist() == forests[1].halving_choices().tolist()


def run(forest: Any, visits: Any) -> None:
    while True:
        leaves, _ = forest.select(visits)
        if not len(leaves):
            return
        predictions = hashed_evaluator([leaves[i] for i in range(len(leaves))])
        priors = np.concatenate([prediction.probabilities for prediction in predictions])
        forest.evaluate(priors, np.array([prediction.value for prediction in predictions], np.float32))


def test_a_restricted_search_and_a_cancelled_batch_leave_the_tree_whole() -> None:
    state = random_state("breakthrough", random.Random(2), 10)
    tree = searched(PythonTree(state, CONFIG), 10)
    moves = state.legal_moves()
    tree.restrict(moves[:2])
    tree.select(4, 4)
    tree.cancel()
    searched(tree, 60)
    grown = tree.root_moves()[2]
    assert grown[:2].sum() >= 45
    tree.advance(moves[0])
    assert tree.visits == 0
    assert tree.root == state.play(moves[0])
