"""Any bytes give a network or a one-line BadFile."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

import numpy as np
import pytest

from sparring.base.errors import BadFile
from sparring.chess.lc0_graph import read
from sparring.chess.lc0_weights import LayerReader
from sparring.networks.card import read_card
from sparring.networks.onnx_reader import parse
from tests.networks.lc0_writer import (
    NetworkKind,
    RandomLayers,
    SmallNetwork,
    delimited,
    linear16,
    number,
    real,
    small_network,
    varint,
)

RESIDUAL = NetworkKind(excitation=4, width=8, depth=1, batch_norm="with gammas")
ATTENTION = NetworkKind(
    structure=7, policy=3, embedding=2, smolgen=2, gate=True, moves_left=1, policy_encoders=1
)


def changed(kind: NetworkKind, change: Callable[[SmallNetwork], None]) -> bytes:
    network = small_network(kind)
    change(network)
    return network.content()


def set_attribute(name: str, value: object) -> Callable[[SmallNetwork], None]:
    return lambda network: setattr(network, name, value)


def formatted(*numbers: int) -> Callable[[SmallNetwork], None]:
    """Another network_format, field by field."""
    return set_attribute("network_format", b"".join(number(i + 1, n) for i, n in enumerate(numbers)))


def added(part: bytes) -> Callable[[SmallNetwork], None]:
    def add(network: SmallNetwork) -> None:
        network.weights += part

    return add


NOT_FINITE = {
    "a NaN range": real(1, float("nan")) + real(2, 1.0) + delimited(3, b"\1\2" * 112 * 9 * 8),
    "an infinite range": real(1, 0.0) + real(2, float("inf")) + delimited(3, b"\1\2" * 112 * 9 * 8),
    "a range too wide for floats": real(1, -3e38) + real(2, 3e38) + delimited(3, b"\1\2" * 112 * 9 * 8),
    "a NaN among 16-bit floats": number(4, 2) + delimited(3, np.full(112 * 72, np.nan, "<f2").tobytes()),
    "a NaN among floats": number(4, 4) + delimited(3, np.full(112 * 72, np.nan, "<f4").tobytes()),
}

BAD = {
    "another magic": (set_attribute("magic", 0x1C1), "does not begin with Lc0's number 0x1c0"),
    "a version from the future": (set_attribute("version", (1, 0, 0)), r"needs Lc0 1\.0\.0 .*up to .*0\.33"),
    "a minor version from the future": (set_attribute("version", (0, 34, 1)), r"needs Lc0 0\.34\.1"),
    "an unknown encoding": (set_attribute("encoding", 9), "encoding 9"),
    "no encoding": (set_attribute("encoding", 0), "encoding 0"),
    "canonical input": (formatted(3, 2, 4, 2, 2), "input format is 3; only 1"),
    "an unknown body": (formatted(1, 2, 77, 2, 2), "network structure is 77"),
    "a wrapped ONNX model": (formatted(1, 2, 5, 2, 2), "wraps an ONNX model"),
    "an unknown policy": (formatted(1, 2, 4, 9, 2), "policy format is 9"),
    "an unknown value": (formatted(1, 2, 4, 2, 3), "value format is 3"),
    "an unknown moves-left head": (formatted(1, 2, 4, 2, 2, 5), "moves-left format is 5"),
    "an unknown default activation": (formatted(1, 2, 4, 2, 2, 0, 4), "default activation is 4"),
    "an unknown activation": (formatted(1, 2, 4, 2, 2, 0, 0, 9), "activation 9 is unknown"),
    "a head that is not there": (formatted(1, 2, 4, 2, 2, 1), "weights.moves_left.weights is missing"),
    "a policy of another kind": (formatted(1, 2, 4, 1, 2), "weights.policy.biases has 80 numbers"),
    "a value of another size": (formatted(1, 2, 4, 2, 1), "ip2_val_b has 3 numbers; 1 are expected"),
    "no weights at all": (set_attribute("weights", b""), "weights.input.weights is missing"),
    "a second input": (added(delimited(1, b"")), "weights.input is there 2 times"),
    "an empty block": (added(delimited(2, b"")), r"weights.residual\[1\].conv1.weights is missing"),
    "a number for a block": (added(number(2, 7)), r"weights.residual\[1\] is not a message"),
}  # fmt: skip


@pytest.mark.parametrize(("change", "message"), BAD.values(), ids=BAD.keys())
def test_a_bad_file_is_refused_with_the_reason(change: Callable[[SmallNetwork], None], message: str) -> None:
    with pytest.raises(BadFile, match=message):
        read(changed(RESIDUAL, change), "x")


def test_an_unused_field_is_ignored() -> None:
    with_it = read(changed(RESIDUAL, added(delimited(99, b"x") + number(98, 3))), "x")
    assert with_it == read(small_network(RESIDUAL).content(), "x")


def test_a_compatible_version_that_looks_new_is_read() -> None:
    new = read(changed(RESIDUAL, set_attribute("version", (97, 98, 99))), "x")
    assert new.graph == read(small_network(RESIDUAL).content(), "x").graph


@pytest.mark.parametrize("layer", NOT_FINITE.values(), ids=NOT_FINITE.keys())
def test_weights_that_are_not_finite_are_refused(layer: bytes) -> None:
    network = small_network(RESIDUAL)
    rest = b"".join(
        varint(tag << 3 | 2) + varint(len(value)) + bytes(value)
        for tag, values in parse(memoryview(network.weights)).fields.items()
        for value in values
        if tag != 1 and isinstance(value, memoryview)
    )
    network.weights = delimited(1, delimited(1, layer)) + rest
    with pytest.raises(BadFile, match=r"weights\.input\.weights has weights that are not finite"):
        read(network.content(), "x")


@pytest.mark.parametrize("kind", [RESIDUAL, ATTENTION], ids=["residual", "attention"])
def test_a_file_cut_off_anywhere_is_refused(kind: NetworkKind) -> None:
    content = small_network(kind).content()
    cuts = {
        *range(64),
        *range(len(content) - 64, len(content)),
        *range(64, len(content), len(content) // 200),
    }
    for cut in sorted(cuts):
        with pytest.raises(BadFile):
            read(content[:cut], "x")


@pytest.mark.parametrize("kind", [RESIDUAL, ATTENTION], ids=["residual", "attention"])
def test_broken_bytes_give_a_network_or_a_reason(kind: NetworkKind) -> None:
    content = small_network(kind).content()
    rng = np.random.default_rng(3)
    tags = content.index(b"\x1a")
    for _ in range(300):
        broken = bytearray(content)
        for place in rng.integers(0, len(broken), 20):
            broken[place] = rng.integers(256)
        broken[rng.integers(tags, 120)] = rng.integers(256)
        with contextlib.suppress(BadFile):
            read(bytes(broken), "x")


@pytest.mark.parametrize(
    ("bytes_", "message"),
    [
        (b"", "does not begin"),
        (b"\x0d\xc0\x01\x00\x00" + b"\x12\xff\xff\xff\xff\x7f", "34,359,738,367 bytes announced, 0 left"),
        (b"\x0d\xc0\x01\x00\x00" + b"\xff" * 11, "more than 10 bytes"),
        (b"\x0d\xc0\x01\x00\x00" + b"\x0b", "wire type 3"),
        (b"\x0d\xc0\x01\x00\x00" + b"\x0d\xc0\x01\x00\x00", "magic is there 2 times"),
        (b"\x0d\xc0\x01\x00\x00", "no weights"),
        (b"\x0d\xc0\x01\x00\x00" + b"\0" * 100, "field 0"),
        (b"\x0d\xc0\x01\x00\x00" + b"\x50\x01" * 20_000, "more than 10,000 fields"),
    ],
)
def test_bytes_that_are_no_message_are_refused(bytes_: bytes, message: str) -> None:
    with pytest.raises(BadFile, match=message):
        read(bytes_, "x")


@pytest.mark.parametrize(("heads", "message"), [(0, "0 heads"), (5, "5 heads"), (1 << 40, "heads")])
def test_heads_must_divide_the_attention(heads: int, message: str) -> None:
    network = small_network(ATTENTION)
    network.weights = network.weights.replace(number(28, 2), number(28, heads))
    with pytest.raises(BadFile, match=message):
        read(network.content(), "x")


def test_variances_below_zero_are_refused() -> None:
    random = RandomLayers(np.random.default_rng(1))
    block = random.layer(1, 9, 1.0) + random.layer(3, 1, 1.0) + delimited(4, linear16(np.full(1, -1.0)))
    with pytest.raises(BadFile, match="variances below zero"):
        LayerReader(encoding=1).convolution(parse(memoryview(block), "conv"), inputs=1, kernel=3)


@pytest.mark.parametrize(
    ("encoding", "tolerance"), [(2, 1e-3), (3, 1e-2), (4, 1e-7)], ids=["float16", "bfloat16", "float32"]
)
def test_layers_may_name_an_encoding_of_their_own(encoding: int, tolerance: float) -> None:
    values = np.random.default_rng(2).standard_normal(50).astype(np.float32)
    stored = {
        2: values.astype("<f2").tobytes(),
        3: (values.view(np.uint32) >> 16).astype("<u2").tobytes(),
        4: values.astype("<f4").tobytes(),
    }[encoding]
    message = parse(memoryview(delimited(7, number(4, encoding) + delimited(3, stored))), "weights")
    np.testing.assert_allclose(LayerReader(encoding=1).vector(message, 7, "x"), values, rtol=tolerance)


def test_the_card_describes_the_file() -> None:
    network = small_network(ATTENTION)
    network.licence = "CC0"
    card = read_card({entry.key: entry.value for entry in read(network.content(), "mine").metadata_props})
    assert (card.name, card.game, card.codec, card.licence) == ("mine", "chess", "lc0", "CC0")
    assert card.architecture.startswith("attention 2x16, 2 heads, feed-forward 20, dense embedding, gates, ")
    assert card.architecture.endswith("attention policy, WDL, moves left")
    assert "1,000 steps" in card.trained_on


def test_parameters_are_counted_as_in_the_file() -> None:
    model = read(small_network(NetworkKind(width=8, depth=1)).content(), "x")
    card = read_card({entry.key: entry.value for entry in model.metadata_props})
    assert card.architecture.startswith("residual 1x8")
    convolutions = (112 * 9 + 1) * 8 + 3 * (8 * 9 + 1) * 8 + (8 * 9 + 1) * 80
    assert card.parameters == convolutions + (8 + 1) * 4 + (4 * 64 + 1) * 9 + (9 + 1) * 3
