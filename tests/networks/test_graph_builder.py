"""Graphs are the same, to the byte, whether the library `onnx` builds them or the wire format is written."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any

import numpy as np
import onnx
import pytest

from sparring import data
from sparring.base.errors import BadFile
from sparring.networks import graph, style
from sparring.networks.card import ModelCard
from sparring.networks.formats import make_codec, open_network
from sparring.networks.network import open_session
from sparring.networks.style import matches, read_style, with_features, with_person
from sparring.policies.person import base_network, graph_digest
from tests.reference.graph_builder import LibraryBuilder


@pytest.mark.parametrize("game", ["chess", "go"])
def test_a_person_s_graph_is_that_of_the_library(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model, _ = open_network(data.path("networks", f"{base_network(game)}-{game}"))
    person = read_style(data.path("styles", game))
    vector = np.random.default_rng(3).normal(size=person.dimensions).astype(np.float32)
    ours = [with_person(model, person, vector, 1.3), with_features(model, person)]
    monkeypatch.setattr(style, "GraphBuilder", LibraryBuilder)
    theirs = [with_person(model, person, vector, 1.3), with_features(model, person)]
    for mine, library in zip(ours, theirs, strict=True):
        parsed = onnx.ModelProto.FromString(mine)
        onnx.checker.check_model(parsed)
        assert parsed.SerializeToString() == library
        inputs = {"planes": zeros(model, "planes"), "context": zeros(model, "context")}
        outputs, expected = open_session(mine).run(inputs), open_session(library).run(inputs)
        assert outputs.keys() == expected.keys()
        assert all(np.array_equal(outputs[name], expected[name]) for name in outputs)


def zeros(model: Any, name: str) -> np.ndarray[Any, Any]:
    value = next(value for value in onnx.ModelProto.FromString(model).graph.input if value.name == name)
    tensor = value.type.tensor_type
    shape = [dim.dim_value or 19 for dim in tensor.shape.dim[1:]]
    return np.zeros([2, *shape], onnx.helper.tensor_dtype_to_np_dtype(tensor.elem_type))


def build(builder: Any) -> onnx.ModelProto:
    """A graph with every kind of attribute, constant and shape."""
    planes = builder.input("planes", [3, "rows", 8], onnx.TensorProto.UINT8)
    x = builder.op("Cast", planes, to=onnx.TensorProto.FLOAT)
    kernel = builder.weights(np.arange(54, dtype=np.float32).reshape(2, 3, 3, 3) / 7)
    x = builder.op("Conv", x, kernel, auto_pad="SAME_UPPER", kernel_shape=[3, 3])
    x = builder.op("Elu", x, alpha=0.25)
    x = builder.op("Mul", x, builder.constant(np.array(-1.5, np.float32)))
    first, second = builder.split(x, [1, 1], axis=-3)
    x = builder.op("Concat", first, second, axis=1)
    flat = builder.reshape(x, 0, -1)
    builder.output("flat", builder.gather_columns(flat, np.arange(3, dtype=np.int64)), [3])
    card = ModelCard("small", "chess", "plain", "one of everything", builder.parameters, "tests")
    model: onnx.ModelProto = builder.build(card)
    return model


def test_a_graph_is_that_of_the_library() -> None:
    mine, library = build(graph.GraphBuilder()), build(LibraryBuilder())
    assert mine.SerializeToString() == library.SerializeToString()


def test_the_hash_of_a_network_is_that_of_the_library() -> None:
    for name in data.names("networks"):
        content = data.path("networks", name).read_bytes()
        graph_bytes = onnx.ModelProto.FromString(content).graph.SerializeToString(deterministic=True)
        assert graph_digest(content) == hashlib.sha256(graph_bytes).hexdigest()[:32]


def test_a_style_network_of_other_channels_is_refused() -> None:
    model, card = open_network(data.path("networks", "human-dan-go"))
    person = read_style(data.path("styles", "go"))
    other = replace(person, hidden=person.hidden[1:])
    with pytest.raises(BadFile, match="the style network is for 127 channels, not for "):
        with_person(model, other, np.zeros(other.dimensions, np.float32), 1.0)
    assert matches(model, make_codec(card), person)
    assert not matches(model, make_codec(card), other)
