"""ONNX files that are broken, hostile or from elsewhere give one clear line."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from sparring.base.errors import BadFile
from sparring.chess import maia3
from sparring.networks.onnx_files import load_onnx
from sparring.shogi import dlshogi
from tests.networks.dlshogi_files import dlshogi_model
from tests.networks.maia3_files import maia3_model


def spoilt(change: Callable[[onnx.ModelProto], object]) -> bytes:
    model = dlshogi_model()
    change(model)
    return bytes(model.SerializeToString())


def put(model: onnx.ModelProto, name: str, value: float) -> None:
    tensor = next(tensor for tensor in model.graph.initializer if tensor.name == name)
    values = numpy_helper.to_array(tensor).copy()
    values.flat[3] = value
    tensor.CopyFrom(numpy_helper.from_array(values, name))


def outer_product(model: onnx.ModelProto) -> None:
    """Two thin weights whose product would fill the memory."""
    for name, shape in (("tall", (1 << 20, 1)), ("wide", (1, 1 << 20))):
        model.graph.initializer.append(numpy_helper.from_array(np.zeros(shape, np.float32), name))
    model.graph.node.insert(0, helper.make_node("MatMul", ["tall", "wide"], ["huge"]))


def far_future(model: onnx.ModelProto) -> None:
    model.opset_import[0].version = 999


def stretch(model: onnx.ModelProto) -> None:
    model.graph.initializer[0].dims[0] = 1 << 40


def turn_negative(model: onnx.ModelProto) -> None:
    model.graph.initializer[0].dims[0] = -1


def foreign_operator(model: onnx.ModelProto) -> None:
    model.graph.node[4].domain = "com.example"


def unknown_operator(model: onnx.ModelProto) -> None:
    model.graph.node[4].op_type = "Sigmund"


def inner_graph(model: onnx.ModelProto) -> None:
    inner = helper.make_graph([], "inner", [], [])
    model.graph.node.insert(0, helper.make_node("If", ["x"], ["y"], then_branch=inner, else_branch=inner))


def dangling(model: onnx.ModelProto) -> None:
    model.graph.node[2].input[0] = "nowhere"


def odd_type(model: onnx.ModelProto) -> None:
    model.graph.initializer[0].data_type = TensorProto.STRING


def elsewhere(model: onnx.ModelProto) -> None:
    tensor = model.graph.initializer[0]
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="../../etc/passwd")


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (b"", "not an ONNX file"),
        (b"\x1f\x8b garbage of no kind", "not an ONNX file"),
        (dlshogi_model().SerializeToString()[:-700], "not an ONNX file, or cut off"),
        (spoilt(lambda model: put(model, "c3", np.nan)), "c3 hold a NaN or an infinite number"),
        (spoilt(lambda model: put(model, "c1", -np.inf)), "c1 hold a NaN or an infinite number"),
        (spoilt(far_future), "opset 999 is from the future; we read up to"),
        (spoilt(stretch), "c1 do not fit together"),
        (spoilt(turn_negative), "c1 have a negative size"),
        (spoilt(odd_type), "c1 are of type object"),
        (spoilt(foreign_operator), "operator Sigmoid is not ONNX's own but of com.example"),
        (spoilt(unknown_operator), "its ONNX graph is broken .*Sigmund"),
        (spoilt(inner_graph), "operator If holds a graph of its own"),
        (spoilt(dangling), "its ONNX graph is broken"),
        (spoilt(outer_product), "computes 1,099,511,627,776 numbers"),
        (spoilt(elsewhere), "which is not a file beside it"),
        (maia3_model().SerializeToString(), "not a dlshogi network: it has an input"),
    ],
)
def test_a_bad_file_is_refused_with_its_reason(data: bytes, complaint: str) -> None:
    with pytest.raises(BadFile, match=complaint):
        dlshogi.read(load_onnx(data), "bad")


def test_a_network_for_another_game_is_refused() -> None:
    with pytest.raises(BadFile, match="not a Maia-3 network: it has an input input1"):
        maia3.read(load_onnx(dlshogi_model().SerializeToString()), "shogi")


@pytest.mark.parametrize("seed", range(60))
def test_any_bytes_give_a_network_or_a_reason(seed: int) -> None:
    rng = random.Random(seed)
    data = bytearray(dlshogi_model().SerializeToString())
    for _ in range(rng.randrange(1, 4)):
        # Most of the file is weights: aim at its structure as often.
        at = rng.choice((rng.randrange(len(data)), rng.randrange(400), len(data) - 1 - rng.randrange(400)))
        data[at] = rng.randrange(256)
    if rng.random() < 0.3:
        del data[rng.randrange(len(data)) :]
    with contextlib.suppress(BadFile):
        assert dlshogi.read(load_onnx(bytes(data)), "fuzzed").graph.node


def external(folder: Path, **changes: str) -> bytes:
    """A model whose first weights lie in `weights.bin`, with changes to how it says so."""
    model = dlshogi_model()
    tensor = model.graph.initializer[0]
    (folder / "weights.bin").write_bytes(tensor.raw_data)
    entries = {"location": "weights.bin", "offset": "0", "length": str(len(tensor.raw_data)), **changes}
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in entries.items():
        tensor.external_data.add(key=key, value=value)
    return bytes(model.SerializeToString())


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"offset": "4"}, "too short for its weights"),
        ({"offset": "-4"}, "too short for its weights"),
        ({"length": "8"}, "need 17856 bytes of weights.bin, not 8"),
        ({"offset": "first"}, "is no number"),
        ({"location": "/etc/passwd"}, "which is not a file beside it"),
        ({"location": "other.bin"}, "other.bin, which is not beside it"),
        ({"location": ""}, "which is not a file beside it"),
    ],
)
def test_weights_in_another_file_are_read_with_care(
    tmp_path: Path, changes: dict[str, str], complaint: str
) -> None:
    data = external(tmp_path, **changes)
    with pytest.raises(BadFile, match=complaint):
        maia3.read(load_onnx(data, tmp_path), "apart")


def test_many_weights_cannot_share_one_small_file(tmp_path: Path) -> None:
    model = onnx.load_from_string(external(tmp_path))
    for i in range(3):
        copy = model.graph.initializer.add()
        copy.CopyFrom(model.graph.initializer[0])
        copy.name = f"copy{i}"
    with pytest.raises(BadFile, match="too short for its weights"):
        maia3.read(load_onnx(model.SerializeToString(), tmp_path), "apart")
