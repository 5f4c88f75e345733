"""Files that are not KataGo networks give a BadFile that says what is wrong, and nothing else."""

from __future__ import annotations

import gzip
import random
import struct

import numpy as np
import pytest

from sparring.base.errors import BadFile
from sparring.go.katago_graph import read
from tests.networks.katago_files import KataGoWriter, Part, RandomParts, small_network

NETWORKS = {version: KataGoWriter(small_network(version)).file() for version in (8, 12, 17)}


def complaint(data: bytes) -> str:
    with pytest.raises(BadFile) as caught:
        read(data, "test")
    return str(caught.value)


def replaced(data: bytes, old: bytes, new: bytes) -> bytes:
    assert old in data
    return data.replace(old, new, 1)


@pytest.mark.parametrize("version", NETWORKS)
def test_files_that_are_cut_off(version: int) -> None:
    data = NETWORKS[version]
    rng = random.Random(version)
    cuts = {*range(60), *(rng.randrange(len(data) - 1) for _ in range(150)), len(data) - 2}
    messages = [complaint(data[:cut]) for cut in cuts]
    assert sum("it ends" in message for message in messages) > 150  # other cuts leave another number


def test_a_cut_within_weights_says_where() -> None:
    data = NETWORKS[8]
    start = data.index(b"@BIN@")
    message = complaint(data[: start + 405])
    assert message == "it ends within the weights of conv: 4,400 expected, 100 found"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"   \n",
        b"\x89PNG\r\n\x1a\n" + bytes(100),
        gzip.compress(NETWORKS[8]),
        b"\x08\x09\x12\x08sparring" + bytes(500),
        b"just some text, not a network",
        bytes(range(256)) * 20,
    ],
)
def test_other_files(data: bytes) -> None:
    assert complaint(data).startswith("this is not a KataGo network")


@pytest.mark.parametrize("version", [99, 18, 7, 3, 0, -1])
def test_other_versions(version: int) -> None:
    message = complaint(KataGoWriter(small_network(8)).file(version=version))
    if version < 0:
        assert "-1" in message
    else:
        assert f"version {version} is not supported: this Sparring reads 8 to 17" in message


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("text", [False, True])
def test_weights_that_are_not_finite(value: float, text: bool) -> None:
    net = small_network(8)
    net["v2"][3, 2] = value
    assert "the weights of matmul are not all finite" in complaint(KataGoWriter(net, text).file())


def test_text_weights_that_do_not_fit_or_are_no_numbers() -> None:
    data = KataGoWriter(small_network(8), text=True).file()
    first = data.split(b"\n")[18].split()[0]
    assert "not all finite" in complaint(replaced(data, first, b"1e99"))
    assert "neither binary nor numbers" in complaint(replaced(data, first, b"one"))


def change(part: str, **values: object) -> bytes:
    """A network of version 17 in which a part has other values."""
    net = small_network(17)
    net[part] = {**net[part], **values}
    return KataGoWriter(net).file()


def test_variances_that_are_negative() -> None:
    assert "a variance is negative" in complaint(change("tip_bn", variance=np.full(8, -1, np.float32)))


def test_normalisations_that_overflow() -> None:
    huge = np.full(8, 3e38, np.float32)
    tiny = np.full(8, 0, np.float32)
    message = complaint(change("tip_bn", scale=huge, variance=tiny, epsilon=1e-30))
    assert "too large" in message


def test_weights_that_overflow_when_they_are_folded() -> None:
    net = small_network(8)
    net["v1"]["w"][:] = 3e38
    net["v1_bn"]["scale"][:] = 100
    assert "too large to be folded" in complaint(KataGoWriter(net).file())


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (b"conv\n5\n5\n22\n8\n", b"conv\n5\n5\n999999999\n8\n", "999999999 channels do not fit the 22"),
        (b"conv\n5\n5\n22\n8\n", b"conv\n5\n5\n22\n99999999999\n", "not an integer"),
        (b"conv\n5\n5\n22\n8\n", b"conv\n4\n5\n22\n8\n", "a kernel of 4x5"),
        (b"conv\n5\n5\n22\n8\n", b"conv\n99999999\n5\n22\n8\n", "a kernel of 99999999x5"),
        (b"conv\n5\n5\n22\n8\n1", b"conv\n5\n5\n22\n8\n4000", "a dilation of 4000"),
        (b"conv\n5\n5\n22\n8\n", b"conv\n-5\n5\n22\n8\n", "-5; at least 1"),
        (b"trunk\n3\n8\n", b"trunk\n0\n8\n", "the trunk's blocks is 0"),
        (b"trunk\n3\n8\n", b"trunk\n3\n9\n", "8 channels do not fit the 9"),
        (b"trunk\n3\n8\n", b"trunk\n999999999\n8\n", "is not a supported kind of block"),
        (b"ordinary_block", b"fancy_block", "'fancy_block' is not a supported kind of block"),
        (b"ACTIVATION_MISH", b"ACTIVATION_SINE", "'ACTIVATION_SINE' is not one of ACTIVATION_IDENTITY"),
        (b"bn\n8\n0.0001\n", b"bn\n8\n0.0\n", "epsilon is 0.0; a positive number"),
        (b"bn\n8\n0.0001\n", b"bn\n8\nnan\n", "epsilon is nan"),
        (b"\n22\n19\n", b"\n21\n19\n", "spatial inputs: 21 channels do not fit the 22"),
        (b"\n22\n19\n", b"\n22\n20\n", "global inputs: 20 channels do not fit the 19"),
        (b"30.0\n0\n0\n", b"30.0\n2\n0\n", "its metadata encoder has version 2"),
        (b"30.0\n0\n0\n", b"30.0\n0\n1\n", "an option of the model is 1: it needs a newer Sparring"),
        (b"\n15.0\n", b"\n-15.0\n", "the multiplier of lead is -15.0"),
        (b"policyhead\n4\n", b"policyhead\n3\n", "the policy head has 3 channels; 2 or 4"),
    ],
)
def test_numbers_that_make_no_sense(old: bytes, new: bytes, expected: str) -> None:
    assert expected in complaint(replaced(NETWORKS[17], old, new))


def nest(make: RandomParts, depth: int) -> Part:
    return make.nested(2, 2, [nest(make, depth - 1)]) if depth else make.ordinary(2, 2)


def test_blocks_within_blocks_without_end() -> None:
    make = RandomParts(1, 11)
    assert "blocks stand within blocks" in complaint(KataGoWriter(make.network(2, [nest(make, 30)])).file())


def test_attention_that_does_not_fit_together() -> None:
    make = RandomParts(1, 17)
    data = KataGoWriter(make.network(4, [make.attention(4, 4, 2, 2, "learned"), make.ffn(4, 4)])).file()
    header = b"block\n4\n2\n2\n3\n1\n1\n"
    assert "4 heads cannot share 3 keys" in complaint(replaced(data, header, b"block\n4\n3\n2\n3\n1\n1\n"))
    assert "cannot turn in pairs" in complaint(replaced(data, header, b"block\n4\n2\n1\n3\n1\n1\n"))
    assert "a rotation of (2, 1, 3)" in complaint(replaced(data, b"rope\n2\n1\n2\n", b"rope\n2\n1\n3\n"))
    message = complaint(replaced(data, b"_ffn_block\nblock\n4\n4\n1\n", b"_ffn_block\nblock\n4\n4\n0\n"))
    assert "without a gate" in message


def test_bytes_changed_at_random_give_a_network_or_a_complaint() -> None:
    rng = random.Random(1)
    complaints = 0
    for data in NETWORKS.values():
        for _ in range(200):
            changed = bytearray(data)
            for _ in range(rng.randrange(1, 4)):
                changed[rng.randrange(len(data))] = rng.randrange(256)
            try:
                read(bytes(changed), "test")
            except BadFile:
                complaints += 1
    assert complaints > 20


def test_absurd_sizes_are_refused_before_anything_is_made() -> None:
    """Sizes whose product would need terabytes, in a file of a few bytes."""
    data = b"net 8 22 19 trunk 1 900000000 1 1 1 1 conv1 37 37 22 900000000 1 1 @BIN@" + struct.pack("<f", 1)
    assert complaint(data) == "it ends within the weights of conv1: 27,106,200,000,000 expected, 1 found"
    assert "it ends within the weights of conv1" in complaint(data.replace(b"@BIN@", b"1.0 2.0 "))
