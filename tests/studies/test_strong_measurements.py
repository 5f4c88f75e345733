"""Puzzles and graded positions of the strong network, and the model card of a network."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from sparring.chess.game import Chess
from sparring.networks import Position, Prediction, load_network
from sparring.networks.card import read_card_from_file
from sparring.training.export import export
from sparring.training.model import PolicyValueNetwork, layout_of
from studies.student.fold_temperature import fold_temperature
from studies.student.puzzles import interval, read_graded, read_puzzles, score
from studies.student.set_card import set_card
from studies.student.teacher_divergence import differences, measure
from tests.networks.onnx_session import run
from tests.networks.tiny_networks import tiny_network, write
from tests.training.factories import small_config

PUZZLES = "PuzzleId,FEN,Moves,Rating\na,6k1/5ppp/8/8/8/8/5PPP/R5K1 b - - 0 1,g8h8 a1a8,600\n"
GRADED = '6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - bm Ra8#; c0 "Ra8#=100, Kf1=3";\n'


def test_puzzles_are_solved_by_the_second_move(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text(PUZZLES)
    states, grades = read_puzzles(tmp_path / "p.csv", 5)
    assert [state.to_move for state in states] == [0]
    assert grades == [{"a1a8": 1.0}]


def test_a_network_has_the_grade_of_its_likeliest_move(tmp_path: Path) -> None:
    (tmp_path / "g.epd").write_text(GRADED)
    states, grades = read_graded(tmp_path / "g.epd", 5)
    assert grades == [{"a1a8": 100.0, "g1f1": 3.0}]
    network = load_network(str(write(tiny_network("chess"), tmp_path / "tiny.onnx")), game="chess")
    (prediction,) = network.predict(states)
    best = states[0].move_text(prediction.moves[int(np.argmax(prediction.probabilities))])
    assert score(network, states, [{best: 7.0}]).tolist() == [7.0]


def test_intervals_have_a_mean_and_half_a_width() -> None:
    assert interval(np.array([1.0, 1.0])) == [1.0, 0.0]


def test_fields_of_a_card_are_changed(tmp_path: Path) -> None:
    path = write(tiny_network("chess"), tmp_path / "tiny.onnx")
    before = read_card_from_file(path)
    set_card(path, {"accuracy": "measured"})
    after = read_card_from_file(path)
    assert after.accuracy == "measured"
    assert (after.name, after.parameters) == (before.name, before.parameters)


def test_a_network_does_not_diverge_from_itself(tmp_path: Path) -> None:
    teacher = load_network(str(write(tiny_network("chess"), tmp_path / "a.onnx")), game="chess")
    state = Chess().initial()
    positions = [Position(state), Position(state.play(state.legal_moves()[0]))]
    found = measure(teacher, {"same": teacher}, positions, np.array([0, 1]))
    assert found == {
        "same": {"policy_kl": [0.0] * 3, "same_move": [1.0] * 3, "value_error": [0.0] * 3},
    }


def test_the_divergence_is_that_of_the_probabilities() -> None:
    a, b = (
        Prediction((1, 2), np.array(p, np.float32), value=v)
        for p, v in (([0.5, 0.5], 0.5), ([0.25, 0.75], 0))
    )
    kl, same, error = differences(a, b)
    assert kl == pytest.approx(0.5 * np.log(2) + 0.5 * np.log(2 / 3))
    assert (same, error) == (0.0, 0.25)


def test_a_folded_temperature_divides_the_logits(tmp_path: Path) -> None:
    config = small_config("shogi")
    model = export(PolicyValueNetwork(config.network, layout_of(config)), config, {"source": "a test"})
    planes = (np.random.default_rng(0).random((2, layout_of(config).planes, 9, 9)) < 0.1).astype(np.uint8)
    inputs: dict[str, NDArray[Any]] = {"planes": planes, "context": np.zeros((2, 6), np.float32)}
    before = run(model, inputs)
    fold_temperature(model, 2.0)
    after = run(model, inputs)
    np.testing.assert_allclose(after["policy"], before["policy"] / 2, atol=1e-3)
    np.testing.assert_array_equal(after["wdl"], before["wdl"])


def test_a_policy_that_is_no_convolution_is_refused() -> None:
    with pytest.raises(ValueError, match="not from a convolution"):
        fold_temperature(tiny_network("chess"), 2.0)
