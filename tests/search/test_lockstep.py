"""Lockstep search: every tree is searched as if it were alone, and failures leave nothing behind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest

from sparring.games import describe, load_game
from sparring.networks import Position, Prediction
from sparring.networks.codec import PositionBatch
from sparring.policies import load_policy
from sparring.policies.policy import predict_batch
from sparring.search import Puct, PuctConfig, SearchLimits, search_together
from tests.policies.fixed_policy import FixedPolicy, random_states
from tests.search.test_puct import hashed_evaluator

GAMES = ("chess", "shogi", "go", "expendibots", "breakthrough")


@dataclass
class HashedPolicy:
    """Random probabilities and values that depend on the state only."""

    game: str
    name: str = "hashed"
    batches: list[int] = field(default_factory=list)

    def predict(self, positions: Sequence[Position]) -> list[Prediction]:
        self.batches.append(len(positions))
        return hashed_evaluator([position.state for position in positions])


def batch_of(game: str, positions: Sequence[Position]) -> PositionBatch:
    numbers = np.array([[p.rating, p.opponent_rating, p.clock] for p in positions], np.float64)
    states = describe(game).states_class([p.state for p in positions])
    return PositionBatch(states, numbers[:, :2], numbers[:, 2])


@pytest.mark.parametrize("batch", [1, 16])
@pytest.mark.parametrize("game", GAMES)
def test_each_tree_is_searched_as_if_it_were_alone(game: str, batch: int) -> None:
    states = random_states(game, 40)[::5]
    policy, config = HashedPolicy(game), PuctConfig(c_puct=1.2, batch=batch)
    results = search_together(policy, [Position(state) for state in states], config, 60)
    for state, result in zip(states, results, strict=True):
        alone = Puct(hashed_evaluator, config).search(state, SearchLimits(nodes=60))
        np.testing.assert_array_equal(result.moves, alone.moves)
        np.testing.assert_array_equal(result.visits, alone.visits)
        np.testing.assert_array_equal(result.values, alone.values)
        np.testing.assert_array_equal(result.forced, alone.forced)
        assert (result.value, result.nodes, result.depth) == (alone.value, alone.nodes, alone.depth)
        best = int(result.moves[result.ranked()[0]])
        assert result.principal_variation(best) == alone.principal_variation(best)
    assert max(policy.batches[: 1 if batch > 1 else None]) == len(states), "one leaf of each tree a step"
    assert (max(policy.batches) > len(states)) == (batch > 1), "batches grow with the trees"


@pytest.mark.parametrize(
    ("game", "model"), [("chess", "human"), ("chess", "blend"), ("go", "human"), ("shogi", "blend")]
)
def test_arrays_of_positions_give_the_predictions_of_positions(game: str, model: str) -> None:
    policy = load_policy(model, game)
    rating = {"chess": 1500, "go": 3, "shogi": None}[game]
    positions = [Position(s, rating, rating, 60.0) for s in random_states(game, 90)[::9]]
    plain = policy.predict(positions)
    found = predict_batch(policy, batch_of(game, positions))
    for i, prediction in enumerate(plain):
        part = found.probabilities[found.offsets[i] : found.offsets[i + 1]]
        np.testing.assert_array_equal(part, prediction.probabilities)
        assert found.values[i] == np.float32(prediction.value)


def test_players_keep_their_ratings_and_the_clock_is_that_of_its_owner() -> None:
    policy = FixedPolicy([0.5, 0.5], value=0.0)
    search_together(policy, [Position(load_game("chess").initial(), 1100, 1900, 30.0)], PuctConfig(), 10)
    assert {(p.state.to_move, p.rating, p.opponent_rating, p.clock) for p in policy.positions} == {
        (0, 1100, 1900, 30.0),
        (1, 1900, 1100, None),
    }


def test_a_failed_evaluation_leaves_the_trees_usable() -> None:
    state = load_game("chess").initial()
    forest = describe("chess").forest_class([state, state], PuctConfig())
    leaves, trees = forest.select(10)
    assert (len(leaves), trees.tolist()) == (2, [0, 1])
    priors, values = np.full(40, 0.05, np.float32), np.zeros(2, np.float32)
    broken = priors.copy()
    broken[39] = np.nan
    for bad_priors, bad_values in (
        (broken, values),
        (priors[:39], values),
        (priors, values[:1]),
        (priors, np.full(2, np.nan, np.float32)),
    ):
        with pytest.raises(ValueError, match=r"expected|finite"):
            forest.evaluate(bad_priors, bad_values)
    assert forest.visits.tolist() == [0, 0]
    forest.evaluate(priors, values)
    assert forest.visits.tolist() == [1, 1]
    forest.select(10)
    with pytest.raises(RuntimeError, match="not evaluated yet"):
        forest.select(10)
    forest.cancel()
    assert len(forest.select(10)[0]) == 2


def test_nothing_to_search_is_said() -> None:
    assert search_together(HashedPolicy("chess"), [], PuctConfig(), 5) == []
    over = load_game("chess").parse("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1")
    with pytest.raises(ValueError, match="the game is over"):
        search_together(HashedPolicy("chess"), [Position(over)], PuctConfig(), 5)
    with pytest.raises(ValueError, match="who is winning"):
        search_together(FixedPolicy([1.0]), [Position(load_game("chess").initial())], PuctConfig(), 5)
