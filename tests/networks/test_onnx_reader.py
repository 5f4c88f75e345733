"""ONNX files without the library: what is read agrees with the library, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import onnx.utils
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

from sparring import data
from sparring.base.errors import BadFile
from sparring.games import load_game
from sparring.networks import Position, load_network
from sparring.networks.card import read_card
from sparring.networks.formats import make_codec, open_network
from sparring.networks.onnx_reader import check_content, read_onnx
from tests.networks.tiny_networks import tiny_network, write

SHIPPED = [("networks", name) for name in data.names("networks")]
SHIPPED += [("synopsis_networks", name) for name in data.names("synopsis_networks")]


@pytest.fixture
def as_shipped(monkeypatch: pytest.MonkeyPatch) -> None:
    """All files are opened as shipped ones are: without the library."""
    monkeypatch.setattr(data, "is_shipped", lambda _: True)


@pytest.mark.parametrize(("kind", "name"), SHIPPED)
def test_the_reader_agrees_with_the_library(kind: data.Kind, name: str) -> None:
    path = data.path(kind, name)
    read, model = read_onnx(path.read_bytes()), onnx.load(path)
    assert read.metadata == {entry.key: entry.value for entry in model.metadata_props}
    for values, protos in ((read.inputs, model.graph.input), (read.outputs, model.graph.output)):
        assert [value.name for value in values] == [proto.name for proto in protos]
        for value, proto in zip(values, protos, strict=True):
            tensor = proto.type.tensor_type
            dims = [dim.dim_value if dim.HasField("dim_value") else None for dim in tensor.shape.dim]
            assert (value.dtype, list(value.dims)) == (tensor.elem_type, dims)


def test_kept_outputs_are_those_of_the_library() -> None:
    path = data.path("synopsis_networks", data.names("synopsis_networks")[0])
    file, model = read_onnx(path.read_bytes()), onnx.load(path)
    names = [value.name for value in file.outputs][:2]
    kept = onnx.ModelProto.FromString(file.keep_outputs(names))
    expected = onnx.utils.Extractor(model).extract_model([value.name for value in file.inputs], names)
    assert kept.graph.node == expected.graph.node
    assert kept.graph.output == expected.graph.output
    assert {tensor.name for tensor in kept.graph.initializer} == {
        tensor.name for tensor in expected.graph.initializer
    }
    assert kept.metadata_props == model.metadata_props


@pytest.mark.usefixtures("as_shipped")
def test_a_network_gives_the_same_answers_without_the_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tiny_network("chess"), tmp_path / "tiny.onnx")
    content, card = open_network(path)
    assert isinstance(content, bytes)
    monkeypatch.setattr(data, "is_shipped", lambda _: False)
    model, same = open_network(path)
    assert isinstance(model, onnx.ModelProto)
    assert card == same
    inputs = make_codec(card).encode([load_position()])
    first, second = (
        onnxruntime.InferenceSession(graph).run(None, dict(inputs))
        for graph in (content, model.SerializeToString())
    )
    for a, b in zip(first, second, strict=True):
        assert np.array_equal(a, b)


def load_position() -> Position:
    return Position(load_game("chess").initial())


def broken(kind: str) -> onnx.ModelProto:
    """A network that must be refused."""
    model = tiny_network("chess")
    weights = next(each for each in model.graph.initializer if each.data_type == TensorProto.FLOAT)
    if kind == "nan":
        array = numpy_helper.to_array(weights).copy()
        array.flat[0] = np.nan
        weights.CopyFrom(numpy_helper.from_array(array, weights.name))
    elif kind == "sizes":
        weights.raw_data = weights.raw_data[:-4]
    elif kind == "apart":
        onnx.external_data_helper.set_external_data(weights, "weights.bin")
    elif kind == "domain":
        model.graph.node[0].domain = "com.microsoft"
    elif kind == "graph":
        body = helper.make_graph([], "body", [], [])
        model.graph.node[0].attribute.append(helper.make_attribute("body", body))
    elif kind == "functions":
        model.functions.append(helper.make_function("x", "f", [], [], [], []))
    elif kind == "input":
        model.graph.input[0].name = "other"
    elif kind == "dtype":
        model.graph.input[0].type.tensor_type.elem_type = TensorProto.DOUBLE
    elif kind == "batch":
        model.graph.input[0].type.tensor_type.shape.dim[0].dim_value = 1
    else:
        del model.graph.output[:]
    return model


KINDS = ("nan", "sizes", "apart", "domain", "graph", "functions", "input", "dtype", "batch", "output")


@pytest.mark.usefixtures("as_shipped")
@pytest.mark.parametrize("kind", KINDS)
def test_a_hostile_network_is_refused(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "hostile.onnx"
    path.write_bytes(broken(kind).SerializeToString())
    with pytest.raises(BadFile, match=r"hostile\.onnx: "):
        load_network(path)


@pytest.mark.usefixtures("as_shipped")
def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    content = write(tiny_network("chess"), tmp_path / "tiny.onnx").read_bytes()
    random = np.random.default_rng(1)
    for _ in range(300):
        bad = bytearray(content[: random.integers(1, len(content) + 1)])
        bad[random.integers(len(bad))] ^= 1 << int(random.integers(8))
        try:
            file = read_onnx(bytes(bad))
            check_content(file, make_codec(read_card(file.metadata)))
        except BadFile:
            continue
