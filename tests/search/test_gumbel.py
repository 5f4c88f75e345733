"""Gumbel root selection: visits of the reference, and policy improvement on bandits with known answers."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from sparring.games import describe, load_game
from sparring.search import PuctConfig
from sparring.search.gumbel import RootMoves, completed_values, improved_policy, visit_policy
from tests.reference.gumbel import ReferenceGumbel, visits_in_turn
from tests.search.test_puct import hashed_evaluator, random_state

C_VISIT, C_SCALE = 50.0, 0.2


def search_alone(
    state: Any, noise: NDArray[np.float32], visits: int, considered: int, config: PuctConfig
) -> Any:
    """A native tree after a search by sequential halving."""
    tree = state.tree(config)
    evaluate(tree, tree.select(1, 1))
    tree.begin_halving(noise, visits, considered, C_VISIT, C_SCALE)
    while tree.visits <= visits:
        before = tree.visits
        leaves = tree.select(1, 1)
        if not leaves and tree.visits == before:
            break
        evaluate(tree, leaves)
    return tree


def evaluate(tree: Any, leaves: list[Any]) -> None:
    if leaves:
        predictions = hashed_evaluator(leaves)
        priors = np.concatenate([prediction.probabilities for prediction in predictions])
        tree.evaluate(priors, np.array([prediction.value for prediction in predictions], np.float32))


@pytest.mark.parametrize("game", ["breakthrough", "chess", "go", "expendibots"])
def test_the_native_tree_has_the_visits_and_the_choice_of_the_reference(game: str) -> None:
    rng = random.Random(11)
    for visits, considered in ((2, 4), (7, 4), (16, 8), (16, 16), (50, 5), (64, 1), (90, 300)):
        state = random_state(game, rng, 30)
        noise = (
            np.random.default_rng(rng.randrange(1000))
            .gumbel(size=len(state.legal_moves()))
            .astype(np.float32)
        )
        config = PuctConfig(batch=1)
        reference = ReferenceGumbel(state, hashed_evaluator, config, noise, considered, C_VISIT, C_SCALE)
        choice = reference.search(visits)
        tree = search_alone(state, noise, visits, considered, config)
        assert tree.root_moves()[2].tolist() == reference.root_visits()
        assert tree.root_moves()[4].tolist() == reference.root_forced()
        assert tree.halving_choice() == choice


def test_the_visits_are_shared_by_halves() -> None:
    assert visits_in_turn(4, 8) == [0, 0, 0, 0, 1, 1, 2, 2]
    assert visits_in_turn(1, 3) == [0, 1, 2]
    assert sorted(visits_in_turn(16, 64)).count(0) == 16


# Bandits: the value of a position is that of the root's move which led to it, whoever moves there.


class Bandit:
    """A state whose moves have known values, and a forest of searches from it."""

    def __init__(self, seed: int) -> None:
        self.state = load_game("breakthrough").initial()
        rng = np.random.default_rng(seed)
        moves = self.state.legal_moves()
        self.values = rng.uniform(-1, 1, len(moves))
        weights = rng.gamma(0.6, size=len(moves)) + 1e-3
        self.priors = (weights / weights.sum()).astype(np.float32)
        self.places = {move: place for place, move in enumerate(moves)}
        self.expected = float(self.priors @ self.values)

    def value(self, state: Any) -> float:
        first, before = state, state.previous
        if before is None:
            return self.expected
        while before.previous is not None:
            first, before = before, before.previous
        value = float(self.values[self.places[first.last_move]])
        return value if state.to_move == self.state.to_move else -value

    def search(self, noise: NDArray[np.float32], visits: int, considered: int) -> tuple[Any, RootMoves]:
        """A forest with a tree for each row of the noise."""
        n = len(noise)
        forest = describe("breakthrough").forest_class([self.state] * n, PuctConfig(batch=1))
        self._run(forest, np.ones(n, np.int64))
        forest.begin_halving(noise.reshape(-1), np.full(n, visits), considered, C_VISIT, C_SCALE)
        self._run(forest, np.full(n, visits + 1))
        return forest, RootMoves(*forest.root_moves())

    def _run(self, forest: Any, visits: NDArray[np.int64]) -> None:
        while True:
            leaves, _ = forest.select(visits)
            if not len(leaves):
                return
            states = [leaves[i] for i in range(len(leaves))]
            priors = [
                self.priors if state.ply == 0 else np.ones(len(state.legal_moves()), np.float32)
                for state in states
            ]
            values = np.array([self.value(state) for state in states], np.float32)
            forest.evaluate(np.concatenate(priors).astype(np.float32), values)


@pytest.mark.parametrize(("visits", "considered"), [(2, 2), (4, 4), (16, 8), (16, 16)])
def test_the_expected_value_of_the_choice_is_never_below_that_of_the_prior(
    visits: int, considered: int
) -> None:
    """The theorem of the paper, with few visits and many moves."""
    for seed in range(6):
        bandit = Bandit(seed)
        noise = np.random.default_rng(seed).gumbel(size=(300, len(bandit.values))).astype(np.float32)
        forest, _ = bandit.search(noise, visits, considered)
        chosen = bandit.values[forest.halving_choices()]
        assert chosen.mean() >= bandit.expected - 2.6 * chosen.std() / np.sqrt(len(chosen))
        assert chosen.mean() >= bandit.expected + 0.05, "the searches add something"


def test_the_improved_policy_is_worth_at_least_the_prior() -> None:
    """In every search that visits all moves; in the mean of the searches that complete values by v_mix."""
    for seed in range(6):
        bandit = Bandit(seed)
        noise = np.random.default_rng(seed).gumbel(size=(40, len(bandit.values))).astype(np.float32)
        for visits, considered in ((30, 30), (16, 8)):
            _, roots = bandit.search(noise, visits, considered)
            raw = np.full(40, bandit.expected)
            policy = improved_policy(roots, raw, c_visit=C_VISIT, c_scale=C_SCALE).reshape(40, -1)
            assert policy.sum(axis=1) == pytest.approx(np.ones(40))
            gained = policy @ bandit.values - bandit.expected
            assert gained.mean() > 0.1
            assert considered < len(bandit.values) or (gained > 0).all()
            completed = completed_values(roots, raw).reshape(40, -1)
            visited = roots.visits.reshape(40, -1) > 0
            exact = np.broadcast_to(bandit.values, completed.shape)
            assert completed[visited] == pytest.approx(exact[visited], abs=1e-6)


def test_without_differences_in_value_the_choices_are_samples_of_the_prior() -> None:
    bandit = Bandit(3)
    bandit.values[:], bandit.expected = 0.1, 0.1
    noise = np.random.default_rng(5).gumbel(size=(1500, len(bandit.values))).astype(np.float32)
    forest, _ = bandit.search(noise, 4, 4)
    shares = np.bincount(forest.halving_choices(), minlength=len(bandit.values)) / 1500
    assert np.abs(shares - bandit.priors).max() < 0.05


def test_a_completed_value_is_the_mixture_of_the_papers_appendix() -> None:
    roots = RootMoves(
        np.arange(3), np.array([0.5, 0.3, 0.2]), np.array([2, 1, 0]), np.array([0.4, -0.2, np.nan]),
        np.zeros(3, np.int64), np.array([0, 3]),
    )  # fmt: skip
    mixed = (0.1 + 3 * (0.5 * 0.4 - 0.3 * 0.2) / 0.8) / 4
    assert completed_values(roots, np.array([0.1])) == pytest.approx([0.4, -0.2, mixed])


def test_proofs_are_exact_in_the_targets() -> None:
    visits, values = np.array([3, 1, 1, 1, 2]), np.array([0.5, 1.0, -1.0, -1.0, 0.0])
    forced, offsets = np.array([0, 3, -2, -2, 0]), np.array([0, 3, 5])
    roots = RootMoves(np.arange(5), np.array([0.8, 0.1, 0.1, 0.5, 0.5]), visits, values, forced, offsets)
    for policy in (improved_policy(roots, np.zeros(2), c_visit=50, c_scale=0.1), visit_policy(roots)):
        assert policy == pytest.approx([0, 1, 0, 0, 1])


def test_a_leash_draws_the_policy_towards_it() -> None:
    """With weight lambda the policy maximises sum p sigma - KL(p || P) - lambda KL(p || L)."""
    roots = RootMoves(
        np.arange(2), np.array([0.5, 0.5]), np.array([1, 1]), np.array([0.2, -0.2]), np.zeros(2, np.int64),
        np.array([0, 2]),
    )  # fmt: skip
    leash, raw = np.array([0.1, 0.9], np.float32), np.zeros(1)

    def policy(weight: float) -> NDArray[np.float64]:
        return improved_policy(roots, raw, c_visit=9, c_scale=0.5, leash=leash, leash_weight=weight)

    def worth(p: float, weight: float) -> float:
        both = np.array([p, 1 - p])
        gain = float(both @ (5 * np.array([0.2, -0.2])) - both @ np.log(both / 0.5))
        return gain - weight * float(both @ np.log(both / leash))

    for weight in (0.5, 3.0):
        grid = np.linspace(0.001, 0.999, 999)
        best = grid[np.argmax([worth(p, weight) for p in grid])]
        assert policy(weight)[0] == pytest.approx(best, abs=2e-3)
    assert policy(1e6) == pytest.approx(leash, abs=1e-3)
    assert policy(0)[0] > 0.8


def test_a_tree_whose_moves_were_visited_cannot_begin() -> None:
    state = load_game("breakthrough").initial()
    noise = np.zeros(len(state.legal_moves()), np.float32)
    tree = search_alone(state, noise, 4, 4, PuctConfig(batch=1))
    with pytest.raises(RuntimeError, match="visited before"):
        tree.begin_halving(noise, 4, 4, C_VISIT, C_SCALE)
    tree.advance(int(tree.root_moves()[0][0]))
    with pytest.raises(RuntimeError, match="not searched by sequential halving"):
        tree.halving_choice()
    with pytest.raises(ValueError, match="noise for each legal move"):
        state.tree(PuctConfig()).begin_halving(noise, 4, 4, C_VISIT, C_SCALE)
