"""Human expectation: trees of people's moves, the safer move, traps, and where people go wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from sparring.games import load_game
from sparring.measure import ExpectationConfig, safer_moves
from sparring.measure.expectation import (
    ExpectationTree,
    LeafCalibration,
    grow,
    shipped_calibration,
    values_are_usable,
)
from sparring.networks import Position, Prediction
from sparring.policies import Policy, load_policy
from sparring.policies.policy import Curve
from tests.policies.fixed_policy import FixedPolicy, random_states
from tests.search.test_lockstep import GAMES, HashedPolicy

CHESS = load_game("chess")
PLAIN = LeafCalibration()


def after(*moves: str) -> Any:
    state = CHESS.initial()
    for move in moves:
        state = CHESS.play(state, CHESS.parse_move(state, move))
    return state


@dataclass
class ScriptedPolicy:
    """Plays the moves of a script with given probabilities, else the first legal move. The value for White is
    a function of the moves that led to the position."""

    script: dict[str, dict[str, float]]
    """By the moves so far, such as "e4 e5"."""
    value: Callable[[str], float]
    name: str = "scripted"
    game: str = "chess"
    asked: list[Position] = field(default_factory=list)

    def predict(self, positions: Sequence[Position]) -> list[Prediction]:
        self.asked += positions
        return [self._one(position.state) for position in positions]

    def _one(self, state: Any) -> Prediction:
        line = line_of(state)
        legal = tuple(state.legal_moves())
        shares = np.zeros(len(legal), np.float32)
        for name, share in self.script.get(line, {}).items():
            shares[legal.index(CHESS.parse_move(state, name))] = share
        if not shares.any():
            shares[0] = 1
        return Prediction(legal, shares, value=(1 if state.to_move == 0 else -1) * self.value(line))


def line_of(state: Any) -> str:
    names: list[str] = []
    while state.previous is not None:
        names.append(CHESS.move_text(state.previous, state.last_move))
        state = state.previous
    return " ".join(names[::-1])


def test_the_expectation_is_that_of_the_likely_continuations() -> None:
    """E = 0.6 (1.0) + 0.3 (0.25) + 0.1 (0.5): two replies in the tree, the rest by the root's own value."""
    values = {"e2e4": 0.0, "e2e4 e7e5": 1.0, "e2e4 c7c5": -0.5}
    human = ScriptedPolicy({"e2e4": {"e5": 0.6, "c5": 0.3, "a6": 0.1}}, lambda line: values.get(line, 0.0))
    tree = ExpectationTree(after("e4"), (1500, 1500))
    grow([tree], 1, human, PLAIN)
    assert tree.expectation(0) == pytest.approx(0.5)
    grow([tree], 2, human, PLAIN)
    assert tree.expectation(0) == pytest.approx(0.6 * 0.995 + 0.4 * 0.5, abs=1e-6)
    human.script["e2e4 e7e5"] = {"Nf3": 0.4, "Nc3": 0.3, "d3": 0.3}
    human.script["e2e4 c7c5"] = {"Nf3": 0.5, "Nc3": 0.5}
    both = ExpectationTree(after("e4"), (1500, 1500))
    grow([both], 4, human, PLAIN)
    lines = ["e2e4", "e2e4 e7e5", "e2e4 c7c5", "e2e4 e7e5 g1f3"]
    assert [line_of(node.state) for node in both.nodes] == lines, "the likeliest lines first"
    expected = 0.6 * (0.4 * 0.5 + 0.6 * 0.995) + 0.3 * 0.25 + 0.1 * 0.5
    assert both.expectation(0) == pytest.approx(expected, abs=1e-6)
    assert both.expectation(1) == pytest.approx(1 - expected, abs=1e-6)


def test_each_player_has_its_own_rating_in_the_whole_tree() -> None:
    human = ScriptedPolicy({}, lambda _: 0.0)
    grow([ExpectationTree(after("e4"), (1000, 2000))], 4, human)
    assert [(p.state.to_move, p.rating, p.opponent_rating) for p in human.asked] == [
        (1, 2000, 1000),
        (0, 1000, 2000),
        (1, 2000, 1000),
        (0, 1000, 2000),
    ]


def test_the_end_of_a_game_counts_as_it_ended() -> None:
    human = ScriptedPolicy({"f2f3 e7e5 g2g4": {"Qh4": 0.9, "a6": 0.1}}, lambda _: 1.0)
    tree = ExpectationTree(after("f3", "e5", "g4"), (None, None))
    grow([tree], 2, human, PLAIN)
    assert tree.expectation(0) == pytest.approx(0.9 * 0 + 0.1 * 0.995)
    assert len(human.asked) == 1, "a position after mate is not predicted"


def test_leaves_are_calibrated_by_the_mean_rating() -> None:
    leaf = LeafCalibration(Curve.through({1000: 1.0, 2000: 2.0}))
    assert leaf.score(0.75, 1000) == pytest.approx(0.75)
    assert leaf.score(0.75, 2000) == pytest.approx(0.9)  # odds of 3 squared
    human = ScriptedPolicy({}, lambda _: 0.5)
    tree = ExpectationTree(after("e4"), (2400, 1600))
    grow([tree], 1, human, leaf)
    assert tree.expectation(0) == pytest.approx(0.9)


def test_chess_has_a_calibration_and_other_games_take_values_as_they_are() -> None:
    assert shipped_calibration("chess").score(0.7, 1500) > 0.7
    assert shipped_calibration("go").score(0.7, None) == pytest.approx(0.7)


SCRIPT = {
    "": {"e4": 0.6, "d4": 0.3, "f3": 0.1},
    "e2e4": {"e5": 0.9, "a6": 0.1},
    "e2e4 e7e5": {"Nf3": 0.7, "Qh5": 0.3},
}
"""People like 1. e4, and then go wrong with 2. Qh5."""


def people_value(line: str) -> float:
    """1. d4 is good for White among people, 1. e4 even, 1. f3 better still, for what people know."""
    return {"e2e4": 0.0, "d2d4": 0.3, "f2f3": 0.6}.get(line[:4], 0.0)


def engine_value(line: str) -> float:
    """1. e4 is best by far, 1. f3 loses, and so does 2. Qh5."""
    if line.startswith("e2e4 e7e5 d1h5"):
        return -0.4
    return {"e2e4": 0.4, "d2d4": 0.3, "f2f3": -0.8}.get(line[:4], 0.2)


def policies(engine: Callable[[str], float] = engine_value) -> tuple[ScriptedPolicy, ScriptedPolicy]:
    human = ScriptedPolicy(SCRIPT, people_value)
    return human, ScriptedPolicy({"": {"e4": 0.9, "d4": 0.1}}, engine)


def test_the_safer_move_is_the_best_among_people_that_the_engine_does_not_refute() -> None:
    human, strong = policies()
    config = ExpectationConfig(tree_nodes=1)
    (found,) = safer_moves([Position(CHESS.initial(), 1500)], human, strong, config, PLAIN)
    assert (found.engine.name, found.safer.name) == ("e4", "d4")
    assert found.gain == pytest.approx(0.15)
    assert [candidate.name for candidate in found.candidates] == ["f3", "d4", "e4"], (
        "people score best by 1. f3, which the engine refutes"
    )
    assert [trap.name for trap in found.traps] == ["f3"]
    wide = ExpectationConfig(tree_nodes=1, most_loss=1.0)
    (found,) = safer_moves([Position(CHESS.initial(), 1500)], human, strong, wide, PLAIN)
    assert found.safer.name == "f3"


def test_a_gain_below_the_least_one_recommends_the_engine_s_move() -> None:
    human, strong = policies()
    config = ExpectationConfig(tree_nodes=1, least_gain=0.16)
    (found,) = safer_moves([Position(CHESS.initial(), 1500)], human, strong, config, PLAIN)
    assert found.safer is found.engine
    assert found.mistake is None
    assert found.gain == 0


def test_where_people_go_wrong_after_the_engine_s_move() -> None:
    human, strong = policies()
    config = ExpectationConfig(tree_nodes=1, mistake_nodes=6)
    (found,) = safer_moves([Position(CHESS.initial(), 1500)], human, strong, config, PLAIN)
    assert found.mistake is not None
    assert found.mistake.names == ("e4", "e5", "Qh5")
    assert found.mistake.probability == pytest.approx(0.9 * 0.3)
    assert found.mistake.loss == pytest.approx(0.4)  # from 0.7 to 0.3


def test_black_s_numbers_are_black_s() -> None:
    """The same for the other player: what is good for White is bad here."""
    human = ScriptedPolicy({"e2e4": {"e5": 0.6, "c5": 0.4}}, lambda line: -0.3 if "c7c5" in line else 0.0)
    strong = ScriptedPolicy({"e2e4": {"e5": 1.0}}, lambda line: 0.0)
    (found,) = safer_moves(
        [Position(after("e4"), 1500)], human, strong, ExpectationConfig(tree_nodes=1), PLAIN
    )
    assert (found.engine.name, found.safer.name) == ("e5", "c5")
    assert found.safer.expectation == pytest.approx(0.65)
    assert found.engine.engine == pytest.approx(0.5)


@pytest.mark.parametrize("game", GAMES)
def test_every_game_and_many_positions_at_once(game: str) -> None:
    states = random_states(game, 30)[::10]
    human, strong = HashedPolicy(game), HashedPolicy(game)
    config = ExpectationConfig(least_share=0.0, tree_nodes=5, mistake_nodes=9, engine_nodes=12, check_nodes=4)
    places = [Position(state, None, None) for state in states]
    together = safer_moves(places, human, strong, config, PLAIN)
    for place, found in zip(places, together, strict=True):
        (alone,) = safer_moves([place], human, strong, config, PLAIN)
        assert [(c.move, c.engine, c.expectation) for c in alone.candidates] == [
            (c.move, c.engine, c.expectation) for c in found.candidates
        ]
        assert (alone.safer.move, alone.mistake) == (found.safer.move, found.mistake)
        expectations = [candidate.expectation for candidate in found.candidates]
        assert expectations == sorted(expectations, reverse=True)
        assert all(0 <= candidate.expectation <= 1 for candidate in found.candidates)
    assert safer_moves([], human, strong) == []


def test_a_policy_without_values_is_refused() -> None:
    strong = ScriptedPolicy({}, lambda _: 0.0)
    with pytest.raises(ValueError, match="stating gives no value"):
        safer_moves([Position(CHESS.initial())], FixedPolicy([1.0]), strong)


def test_values_that_call_the_first_position_won_are_not_usable() -> None:
    assert not values_are_usable(FixedPolicy([1.0], value=0.8))
    assert not values_are_usable(FixedPolicy([1.0]))
    assert values_are_usable(FixedPolicy([1.0], value=0.1))


def test_with_the_shipped_networks_a_mate_in_one_against_them_is_a_trap() -> None:
    """After 1. e4 e5 2. Bc4 Nc6 3. Qh5 the natural 3... Nf6 is mated on f7; many beginners play it."""
    human: Policy = load_policy("human", "chess")
    strong: Policy = load_policy("strong", "chess")
    config = ExpectationConfig(tree_nodes=4, engine_nodes=16, check_nodes=8)
    place = Position(after("e4", "e5", "Bc4", "Nc6", "Qh5"), 800)
    (found,) = safer_moves([place], human, strong, config)
    assert "Nf6" in [trap.name for trap in found.traps]
    assert found.safer.name != "Nf6"
    moves = {candidate.name: candidate for candidate in found.candidates}
    assert moves["Nf6"].engine < 0.05
    assert moves["Nf6"].expectation < found.engine.expectation
