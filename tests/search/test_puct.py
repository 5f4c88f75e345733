"""PUCT: equal visits to the reference implementation, known values, tactics, and errors."""

from __future__ import annotations

import math
import random
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sparring import games
from sparring.chess.game import Chess
from sparring.networks import Prediction, load_network
from sparring.search import Puct, PuctConfig, SearchLimits, SearchResult, by_visits, kl_regularised
from tests.networks.tiny_networks import tiny_network, write
from tests.reference.puct import ReferencePuct


def hashed_evaluator(states: Sequence[Any]) -> list[Prediction]:
    """A pseudo-random evaluator that depends on the state alone."""
    predictions = []
    for state in states:
        moves = state.legal_moves()
        rng = np.random.default_rng([state.key & 0xFFFFFFFF, state.ply])
        weights = rng.gamma(0.5, size=len(moves)) + 1e-6
        priors = (weights / weights.sum()).astype(np.float32)
        predictions.append(Prediction(tuple(moves), priors, float(rng.uniform(-1, 1))))
    return predictions


_WORTH = {"P": 1, "N": 3, "B": 3, "R": 5, "Q": 9}


def material_evaluator(states: Sequence[Any]) -> list[Prediction]:
    """An evaluator of material with uniform priors."""
    predictions = []
    for state in states:
        board = state.text().split()[0]
        white = sum(_WORTH.get(c, 0) for c in board) - sum(
            _WORTH.get(c.upper(), 0) for c in board if c.islower()
        )
        ahead = math.tanh((white if state.to_move == 0 else -white) / 6)
        moves = state.legal_moves()
        predictions.append(Prediction(tuple(moves), np.full(len(moves), 1 / len(moves), np.float32), ahead))
    return predictions


def random_state(name: str, rng: random.Random, plies: int) -> Any:
    rules = games.load_game(name, size=7) if name == "go" else games.load_game(name)
    state = rules.initial()
    for _ in range(plies):
        following = rules.play(state, rng.choice(rules.legal_moves(state)))
        if following.outcome is not None:
            break
        state = following
    return state


SETTINGS = [
    PuctConfig(batch=1),
    PuctConfig(batch=1, c_puct=0.5, policy_temperature=2.2, fpu_reduction=-1.0, fpu_absolute=True),
    PuctConfig(batch=8, batch_share=0.5, c_puct=3.0, c_base=500, c_factor=2.0),
    PuctConfig(batch=8, batch_share=1.0, virtual_loss=1.0, solver=False),
    PuctConfig(batch=5, c_puct=math.inf, repetition_draws=False),
]


@pytest.mark.parametrize("name", ["chess", "shogi", "go", "expendibots"])
def test_visits_are_those_of_a_plain_search(name: str) -> None:
    rng = random.Random(name)
    for number in range(14):
        state = random_state(name, rng, rng.randint(0, 40))
        settings = SETTINGS[number % len(SETTINGS)]
        reference = ReferencePuct(state, hashed_evaluator, settings)
        reference.run(120)
        found = Puct(hashed_evaluator, settings).search(state, SearchLimits(nodes=120))
        assert found.moves.tolist() == reference.root.moves
        assert found.visits.tolist() == reference.root_visits()
        assert found.forced.tolist() == reference.root_forced()
        assert found.nodes == reference.root.visits == 120
        assert found.value == pytest.approx(reference.root_value(), abs=1e-12)


def test_fifty_positions_with_a_network_are_searched_as_plainly(tmp_path: Path) -> None:
    network = load_network(write(tiny_network("chess"), tmp_path / "small.onnx"))
    rng = random.Random(50)
    for number in range(50):
        state = random_state("chess", rng, rng.randint(0, 60))
        settings = SETTINGS[number % len(SETTINGS)]
        reference = ReferencePuct(state, network.predict, settings)
        reference.run(60)
        found = Puct(network.predict, settings).search(state, SearchLimits(nodes=60))
        assert found.visits.tolist() == reference.root_visits()


def test_a_two_armed_bandit_comes_to_rest_where_the_scores_are_equal() -> None:
    """One move mates, the other does not: 1 + cP sqrt(N) / (1 + n) is about Q + cP sqrt(N) / (1 + m)."""
    state = Chess().parse("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1")
    mate, other = state.parse_move("d1d8"), state.parse_move("g1f1")
    found = Puct(material_evaluator, PuctConfig(batch=1, c_puct=20)).search(
        state, SearchLimits(nodes=1000, searchmoves=(mate, other))
    )
    visits = dict(zip(found.moves.tolist(), found.visits.tolist(), strict=True))
    values = dict(zip(found.moves.tolist(), found.values.tolist(), strict=True))
    assert sum(visits.values()) == visits[mate] + visits[other] == 999
    assert values[mate] == 1.0
    explored = 20 * found.priors[0] * math.sqrt(999)  # all priors are equal

    mating, waiting = (values[move] + explored / (1 + visits[move]) for move in (mate, other))
    assert abs(mating - waiting) < 0.02
    assert visits[mate] > visits[other] > 10


TACTICS = [
    ("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", "d1d8"),  # back rank
    ("6k1/5ppp/8/8/8/8/1r3PPP/6K1 b - - 0 1", "b2b1"),
    ("r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4", "h5f7"),  # scholar's mate
    ("6rk/6pp/7N/8/8/8/8/6K1 w - - 0 1", "h6f7"),  # smothered
    ("7k/8/5K2/8/8/8/8/6R1 w - - 0 1", "f6f7"),  # quiet, then mate on the file
    ("4k3/8/8/3q4/8/8/8/3RK3 w - - 0 1", "d1d5"),  # a queen for nothing
    ("4k3/8/8/8/3n4/8/4P3/3RK2R w - - 0 1", "d1d4"),
    ("6k1/8/6K1/8/8/8/8/R7 w - - 0 1", "a1a8"),
    ("q3k3/8/8/1N6/8/8/8/4K3 w - - 0 1", "b5c7"),  # forks king and queen
    ("8/P7/8/8/8/8/k6p/7K w - - 0 1", "a7a8q"),
]


@pytest.mark.parametrize(("fen", "best"), TACTICS)
def test_tactics_are_found(fen: str, best: str) -> None:
    state = Chess().parse(fen)
    settings = PuctConfig(c_puct=1.0, batch=4)
    found = Puct(material_evaluator, settings).search(state, SearchLimits(nodes=3000))
    assert state.move_text(int(found.moves[found.ranked()[0]])) == best


def test_the_same_seed_gives_the_same_search() -> None:
    state = Chess().initial()
    runs = [
        Puct(hashed_evaluator, PuctConfig(noise=0.25), np.random.default_rng(seed))
        .search(state, SearchLimits(nodes=300))
        .visits.tolist()
        for seed in (1, 1, 2)
    ]
    assert runs[0] == runs[1] != runs[2]


def test_the_tree_is_kept_from_move_to_move() -> None:
    search = Puct(hashed_evaluator, PuctConfig(batch=1))
    state = Chess().initial()
    first = search.search(state, SearchLimits(nodes=400))
    best = int(first.moves[first.ranked()[0]])
    line = first.principal_variation(best)
    known = int(first.visits.max())
    after = state.play(best)
    second = search.search(after, SearchLimits(nodes=10))
    assert second.nodes == known + 10
    assert second.new_visits == 10
    assert len(line) > 1
    elsewhere = search.search(state, SearchLimits(nodes=10))
    assert elsewhere.nodes == 10


def test_an_advanced_tree_goes_on_as_the_subtree_would() -> None:
    state = Chess().initial()
    settings = PuctConfig(batch=1)
    reference = ReferencePuct(state, hashed_evaluator, settings)
    reference.run(500)
    search = Puct(hashed_evaluator, settings)
    found = search.search(state, SearchLimits(nodes=500))
    best = int(found.moves[found.ranked()[0]])
    below = search.search(state.play(best), SearchLimits(nodes=0))
    child = reference.root.children[best]
    assert below.visits.tolist() == [
        child.children[m].visits if m in child.children else 0 for m in child.moves
    ]


def test_stop_is_answered_during_an_evaluation() -> None:
    asked = threading.Event()
    release = threading.Event()

    def slow(states: Sequence[Any]) -> list[Prediction]:
        if asked.is_set():
            release.wait(30)
        asked.set()
        return hashed_evaluator(states)

    stop = threading.Event()
    found: list[SearchResult] = []
    search = Puct(slow, PuctConfig(batch=4))
    thread = threading.Thread(
        target=lambda: found.append(search.search(Chess().initial(), SearchLimits(), stop=stop))
    )
    thread.start()
    asked.wait(30)
    stop.set()
    thread.join(30)
    assert found
    assert found[0].nodes >= 1
    release.set()


def test_memory_is_bounded() -> None:
    search = Puct(hashed_evaluator, PuctConfig(memory=1, batch=64))
    found = search.search(Chess().initial(), SearchLimits(nodes=100_000))
    assert 100 < found.nodes < 20_000
    again = search.search(Chess().initial(), SearchLimits(nodes=10))
    assert again.new_visits == 0


def test_a_budget_of_seconds_ends() -> None:
    found = Puct(hashed_evaluator).search(Chess().initial(), SearchLimits(seconds=0.2))
    assert found.nodes > 1


def test_reports_come_while_it_searches() -> None:
    reports: list[SearchResult] = []

    def patient(states: Sequence[Any]) -> list[Prediction]:
        time.sleep(0.002)
        return hashed_evaluator(states)

    Puct(patient).search(Chess().initial(), SearchLimits(nodes=400), report=reports.append, every=0.01)
    assert reports
    assert reports[0].nodes < 400


def test_parameters_have_ranges_defaults_and_values() -> None:
    for wrong in (
        {"c_puct": -1.0}, {"c_puct": math.nan}, {"policy_temperature": 0.0}, {"batch": 0}, {"memory": 0},
        {"noise": 1.5}, {"noise_alpha": 0.0}, {"draw_value": 2.0},
    ):  # fmt: skip
        with pytest.raises(ValueError, match=next(iter(wrong))):
            PuctConfig(**wrong)
    config = PuctConfig(c_puct=2, batch=4)
    assert (config.c_puct, config.batch, config.memory) == (2.0, 4, 512)
    assert config == PuctConfig(batch=4, c_puct=2.0) != PuctConfig()
    assert len({config, PuctConfig(batch=4, c_puct=2.0), PuctConfig()}) == 2
    assert repr(config).startswith("PuctConfig(c_puct=2.0, c_base=0.0,")
    with pytest.raises(AttributeError):
        config.batch = 3  # type: ignore[misc]  # what is tested


def test_a_search_of_nothing_is_refused() -> None:
    mated = Chess().parse("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1")
    with pytest.raises(ValueError, match="over"):
        Puct(hashed_evaluator).search(mated, SearchLimits(nodes=1))
    with pytest.raises(ValueError, match="above 0"):
        Puct(hashed_evaluator, PuctConfig(policy_temperature=0))
    with pytest.raises(ValueError, match="who is winning"):
        Puct(
            lambda states: [Prediction(tuple(s.legal_moves()), np.ones(20, np.float32)) for s in states]
        ).search(Chess().initial(), SearchLimits(nodes=1))


def test_an_evaluator_that_fails_leaves_the_search_usable() -> None:
    calls = 0

    def moody(states: Sequence[Any]) -> list[Prediction]:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise RuntimeError("no")
        return hashed_evaluator(states)

    search = Puct(moody)
    with pytest.raises(RuntimeError, match="no"):
        search.search(Chess().initial(), SearchLimits(nodes=100))
    assert search.search(Chess().initial(), SearchLimits(nodes=100)).new_visits == 100


def search_result_of(
    visits: list[int],
    priors: list[float],
    values: list[float],
    value: float = 0.0,
    forced: list[int] | None = None,
) -> SearchResult:
    return SearchResult(
        np.arange(len(visits)), np.array(priors), np.array(visits), np.array(values),
        np.array(forced or [0] * len(visits)), value, sum(visits) + 1, sum(visits), 1, 0.0,
        lambda move: [move], None,
    )  # fmt: skip


def test_choices_follow_their_formulas() -> None:
    found = search_result_of([6, 3, 0], [0.2, 0.3, 0.5], [0.5, -0.2, math.nan], 0.1)
    assert by_visits(0)(found).tolist() == [1, 0, 0]
    np.testing.assert_allclose(by_visits(1)(found), [6 / 9, 3 / 9, 0])
    np.testing.assert_allclose(by_visits(0.5)(found), [36 / 45, 9 / 45, 0])
    weights = np.array([0.2 * math.exp(0.5 / 2), 0.3 * math.exp(-0.2 / 2), 0.5 * math.exp(0.1 / 2)])
    np.testing.assert_allclose(kl_regularised(2)(found), weights / weights.sum())
    np.testing.assert_allclose(kl_regularised(math.inf)(found), [0.2, 0.3, 0.5])
    assert kl_regularised(0)(found).tolist() == [1, 0, 0]
    np.testing.assert_allclose(by_visits(1)(search_result_of([0, 0], [0.25, 0.75], [0, 0])), [0.25, 0.75])


def test_with_infinite_exploration_visits_follow_the_prior() -> None:
    settings = PuctConfig(c_puct=math.inf, batch=1)
    found = Puct(hashed_evaluator, settings).search(Chess().initial(), SearchLimits(nodes=4001))
    np.testing.assert_allclose(found.visits / 4000, found.priors, atol=0.02)
