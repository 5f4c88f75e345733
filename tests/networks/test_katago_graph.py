"""The graphs of KataGo's networks against a plain NumPy forward pass, for every version and block."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import onnxruntime
import pytest

from sparring.go.game import Go
from sparring.go.katago import KataGoCodec
from sparring.go.katago_graph import read
from sparring.networks import ModelCard, Position
from sparring.networks.card import read_card
from tests.networks.katago_files import KataGoWriter, Part, RandomParts, small_network
from tests.reference.katago_numpy import forward


def positions(*sizes: int, moves: int = 30) -> list[Position]:
    """A position in the middle of a random game on each size."""
    found = []
    for seed, size in enumerate(sizes):
        rng, state = random.Random(seed), Go.by_rules("chinese", size=size).initial()
        for _ in range(moves):
            state = state.play(rng.choice(state.legal_moves()[:-1]))
        found.append(Position(state, rating=1500, opponent_rating=2400))
    return found


def run(data: bytes, batch: list[Position]) -> tuple[ModelCard, Any, dict[str, Any]]:
    model = read(data, "test")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    card = read_card({entry.key: entry.value for entry in model.metadata_props})
    inputs = KataGoCodec(card.settings).encode(batch)
    names = [output.name for output in session.get_outputs()]
    return card, inputs, dict(zip(names, session.run(names, dict(inputs)), strict=True))


def assert_agrees(net: Part, batch: list[Position], text: bool = False) -> None:
    _, inputs, outputs = run(KataGoWriter(net, text).file(), batch)
    side = inputs["spatial"].shape[2]
    people = net["metadata"] is not None
    for i in range(len(batch)):
        metadata = inputs["metadata"][i] if people else None
        optimism = 0.0 if people else 0.2
        expected = forward(net, inputs["spatial"][i], inputs["global"][i], metadata, optimism)
        size = expected["size"]
        on_board = np.s_[:size, :size]
        found = outputs["policy"][i, :-1].reshape(side, side)[on_board]
        np.testing.assert_allclose(found, expected["policy"], atol=2e-4)
        np.testing.assert_allclose(outputs["policy"][i, -1], expected["pass"], atol=2e-4)
        np.testing.assert_allclose(outputs["value"][i], expected["value"], atol=2e-4)
        np.testing.assert_allclose(outputs["score"][i], expected["score"], atol=2e-4)
        found = outputs["ownership"][i].reshape(side, side)[on_board]
        np.testing.assert_allclose(found, expected["ownership"], atol=2e-4)


@pytest.mark.parametrize("version", range(8, 18))
def test_every_version_agrees_with_numpy(version: int) -> None:
    assert_agrees(small_network(version), positions(19, 19))


@pytest.mark.parametrize("activation", ["IDENTITY", "RELU", "MISH", "SILU"])
def test_every_activation_agrees_with_numpy(activation: str) -> None:
    make = RandomParts(2, 17, activation)
    assert_agrees(make.network(6, [make.ordinary(6, 6)]), positions(9))


def test_weights_as_text_agree_with_numpy() -> None:
    assert_agrees(small_network(8), positions(9), text=True)


@pytest.mark.parametrize("version", [8, 15])
def test_boards_of_several_sizes_in_one_batch_agree_with_numpy(version: int) -> None:
    assert_agrees(small_network(version), positions(9, 19, 13, 6))


def test_a_batch_of_small_boards_takes_no_more_room_than_they_need() -> None:
    _, inputs, outputs = run(KataGoWriter(small_network(8)).file(), positions(7, 9))
    assert inputs["spatial"].shape == (2, 22, 9, 9)
    assert outputs["policy"].shape == (2, 82)


@pytest.mark.parametrize("rope", ["none", "fixed", "learned"])
@pytest.mark.parametrize("keys", [1, 2])
def test_transformers_agree_with_numpy(rope: str, keys: int) -> None:
    make = RandomParts(3, 17, "SILU")
    inside = make.nested(8, 6, [make.attention(6, 2, keys, 4, rope), make.ffn(6, 7)])
    blocks = [make.attention(8, 4, keys, 4, rope), make.ffn(8, 10), make.ordinary(8, 8), inside]
    assert_agrees(make.network(8, blocks), positions(19, 9, 13))


@pytest.mark.parametrize("tip", ["rms", "spatial rms"])
def test_root_mean_square_at_the_tip_agrees_with_numpy(tip: str) -> None:
    make = RandomParts(4, 16, "MISH")
    assert_agrees(make.network(8, [make.ordinary(8, 6)], tip=tip), positions(19, 9))


def test_networks_that_imitate_people_agree_with_numpy() -> None:
    make = RandomParts(5, 15, "MISH")
    assert_agrees(make.network(8, [make.ordinary(8, 6)], metadata=True), positions(19, 9))


def test_nests_within_nests_agree_with_numpy() -> None:
    make = RandomParts(6, 11, "MISH")
    inner = make.nested(4, 3, [make.gpool(3, 2, 2), make.ordinary(3, 5)])
    assert_agrees(make.network(8, [make.nested(8, 4, [inner, make.ordinary(4, 4)])]), positions(13))


def test_the_card_says_what_the_network_is() -> None:
    card, _, _ = run(KataGoWriter(small_network(15)).file("kata1-s123456-d7890"), positions(9))
    assert (card.name, card.game, card.codec) == ("test", "go", "katago")
    assert card.architecture == (
        "3 blocks of 8 channels (1 residual, 1 global pooling, 1 nested bottleneck), mish"
    )
    assert card.source == "KataGo network kata1-s123456-d7890, format version 15"
    assert card.trained_on == "7,890 positions of self-play, 123,456 samples"
    assert card.settings == {"version": 15, "lead_multiplier": 15.0, "side": 0, "metadata": 0}
    assert card.parameters > 5000
