"""dlshogi: features and labels as cshogi makes them, and networks of its interface."""

from __future__ import annotations

import random
import re

import cshogi
import cshogi.dlshogi
import numpy as np
import onnx
import pytest
from onnx import TensorProto, numpy_helper

from sparring import _core
from sparring.base.errors import BadFile
from sparring.networks import Position
from sparring.networks.card import read_card
from sparring.networks.onnx_files import load_onnx
from sparring.shogi import dlshogi
from sparring.shogi.game import Shogi
from tests.games.test_shogi_against_cshogi import anywhere, crowded, entering, legal_positions
from tests.networks.dlshogi_files import dlshogi_model
from tests.networks.onnx_session import run

GAME = Shogi()
DECLARABLE = "3K5/+P+P+P+P+P+P+P+P+P/RRBB5/9/9/9/9/9/4k4 b - 1"


def random_states(seed: int, count: int) -> list[_core.ShogiState]:
    """States of random games and random set-ups, full hands and declarations included."""
    rng = random.Random(seed)
    states: list[_core.ShogiState] = []
    while len(states) < count // 2:
        state = GAME.initial()
        for _ in range(rng.randrange(20, 250)):
            moves = state.legal_moves()
            if not moves:
                break
            state = state.play(rng.choice(moves))
            states.append(state)
    states = rng.sample(states, count // 2)
    rest = count - len(states)
    kinds = [(anywhere, 0.1), (anywhere, 0.8), (crowded, 0.4), (entering, 0.2)]
    for squares, in_hand in kinds:
        sfens = legal_positions(rng, rest // len(kinds), squares, in_hand, (0.1, 0.5, 0.9))
        states += [GAME.parse(sfen) for sfen in sfens]
    return states


@pytest.fixture(scope="module")
def states() -> list[_core.ShogiState]:
    return random_states(3, 2000)


def test_the_positions_show_every_case(states: list[_core.ShogiState]) -> None:
    moves = [(state, state.move_text(move)) for state in states for move in state.legal_moves()]
    assert len(states) == 2000
    assert {state.to_move for state in states} == {0, 1}
    assert sum(state.in_check for state in states) > 50
    assert {text[0] for _, text in moves if "*" in text} == set("PLNSGBR")
    assert any(text.endswith("+") for _, text in moves)
    assert any(text == "win" for _, text in moves)
    assert any(pawns_in_hand(state) > 8 for state in states), "more pawns than dlshogi counts"


def pawns_in_hand(state: _core.ShogiState) -> int:
    return max(
        (int(number or 1) for number in re.findall(r"(\d*)p", state.text().split()[2], re.I)), default=0
    )


def test_features_are_cshogis(states: list[_core.ShogiState]) -> None:
    pieces, hands = _core.dlshogi_encode(states)
    expected_pieces = np.empty((62, 9, 9), dtype=np.float32)
    expected_hands = np.empty((57, 9, 9), dtype=np.float32)
    for i, state in enumerate(states):
        cshogi.dlshogi.make_input_features(cshogi.Board(state.text()), expected_pieces, expected_hands)
        assert np.array_equal(pieces[i], expected_pieces), state.text()
        assert np.array_equal(hands[i], expected_hands), state.text()


def test_labels_are_cshogis_in_both_directions(states: list[_core.ShogiState]) -> None:
    for state in states:
        board = cshogi.Board(state.text())
        for move in state.legal_moves():
            text = state.move_text(move)
            label = _core.dlshogi_label(state, move)
            assert (label is None) == (text == "win")
            if label is None:
                continue
            assert label == cshogi.dlshogi.make_move_label(board.move_from_usi(text), board.turn)
            assert _core.dlshogi_move(state, label) == move


def test_a_label_that_means_no_legal_move_gives_none(states: list[_core.ShogiState]) -> None:
    for state in states[::40]:
        labels = {_core.dlshogi_label(state, move) for move in state.legal_moves()} - {None}
        found = {label for label in range(2187) if _core.dlshogi_move(state, label) is not None}
        assert found == labels
    assert _core.dlshogi_move(GAME.initial(), 2187) is None


def test_only_legal_moves_have_labels() -> None:
    for move in (0, 0xFFFF, -1, 1 << 20):
        with pytest.raises(_core.IllegalMove):
            _core.dlshogi_label(GAME.initial(), move)


@pytest.mark.parametrize(("batch", "opset"), [("batch_size", 13), (1, 9), (1, 18)])
def test_a_network_is_read_and_predicts_in_batches(
    batch: int | str, opset: int, states: list[_core.ShogiState]
) -> None:
    original = dlshogi_model(batch, opset=opset)
    model = dlshogi.read(load_onnx(original.SerializeToString()), "small")
    onnx.checker.check_model(model, full_check=True)
    assert model.opset_import[0].version == 18
    codec = dlshogi.DlshogiCodec({})
    positions = [Position(state) for state in states[:40] if state.outcome is None]
    inputs = codec.encode(positions)
    outputs = run(model, inputs)
    for i, position in enumerate(positions):
        single = run(original, {name: values[i : i + 1] for name, values in inputs.items()})
        prediction = codec.decode([position], single)[0]
        together = codec.decode(positions, outputs)[i]
        assert prediction.moves == together.moves == tuple(position.state.legal_moves())
        assert np.allclose(prediction.probabilities, together.probabilities, atol=1e-6)
        assert prediction.value == pytest.approx(together.value, abs=1e-5)


def test_probabilities_are_the_softmax_over_legal_moves_labels() -> None:
    state = GAME.initial()
    logits = np.random.default_rng(0).normal(size=(1, 2187)).astype(np.float32) * 40
    prediction = dlshogi.DlshogiCodec({}).decode(
        [Position(state)], {"output_policy": logits, "output_value": np.array([[0.75]], np.float32)}
    )[0]
    chosen = np.array([logits[0, _core.dlshogi_label(state, move) or 0] for move in state.legal_moves()])
    weights = np.exp(chosen.astype(np.float64) - chosen.max())
    assert np.allclose(prediction.probabilities, weights / weights.sum(), atol=1e-7)
    assert prediction.value == pytest.approx(0.5)
    assert prediction.wdl is None


def test_a_declaration_is_certain_where_it_is_legal() -> None:
    state = GAME.parse(DECLARABLE)
    prediction = dlshogi.DlshogiCodec({}).decode(
        [Position(state)],
        {"output_policy": np.full((1, 2187), 50, np.float32), "output_value": np.ones((1, 1), np.float32)},
    )[0]
    assert prediction.top(1)[0][:3] == (state.parse_move("win"), 1.0, "win")


def test_decoding_says_what_is_wrong_with_the_logits() -> None:
    with pytest.raises(ValueError, match=r"\[1, 2187\] expected"):
        _core.dlshogi_decode([GAME.initial()], np.zeros((1, 2186), np.float32))
    with pytest.raises(ValueError, match=r"\[1, 2187\] expected"):
        _core.dlshogi_decode([GAME.initial()], np.zeros((2, 2187), np.float32))
    with pytest.raises(ValueError, match="NaN"):
        _core.dlshogi_decode([GAME.initial()], np.full((1, 2187), np.nan, np.float32))


def test_the_card_says_what_it_is() -> None:
    model = dlshogi.read(load_onnx(dlshogi_model().SerializeToString()), "small")
    card = read_card({entry.key: entry.value for entry in model.metadata_props})
    assert (card.name, card.game, card.codec) == ("small", "shogi", "dlshogi")
    assert card.parameters == sum(
        numpy_helper.to_array(tensor).size
        for tensor in model.graph.initializer
        if tensor.data_type == TensorProto.FLOAT and tensor.name != "bv"
    )


def test_weights_listed_as_inputs_are_no_inputs() -> None:
    model = dlshogi_model()
    for tensor in model.graph.initializer:
        model.graph.input.append(
            onnx.helper.make_tensor_value_info(tensor.name, tensor.data_type, tensor.dims)
        )
    model.ir_version = 3
    read = dlshogi.read(load_onnx(model.SerializeToString()), "old")
    assert [value.name for value in read.graph.input] == ["input1", "input2"]


def test_networks_of_another_interface_are_refused() -> None:
    with pytest.raises(BadFile, match=r"input1 is float \[batch, 61, 9, 9\], not float \[batch, 62"):
        dlshogi.read(load_onnx(dlshogi_model(planes=61).SerializeToString()), "other")
    with pytest.raises(BadFile, match=r"output_policy is float \[batch, 1134\]"):
        dlshogi.read(load_onnx(dlshogi_model(policy=1134).SerializeToString()), "other")
    nameless = dlshogi_model()
    nameless.graph.output[1].name = nameless.graph.node[-1].output[0] = "winrate"
    with pytest.raises(BadFile, match="it has no output output_value"):
        dlshogi.read(load_onnx(nameless.SerializeToString()), "other")
