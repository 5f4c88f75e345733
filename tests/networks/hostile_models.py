"""Hostile model files: wrong cards on sound graphs, and graphs that cannot or must not run."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from tests.networks.tiny_networks import tiny_network

KEY = "sparring.card"
DEEP = "[" * 100_000 + "]" * 100_000


def with_card_text(model: onnx.ModelProto, text: str) -> onnx.ModelProto:
    """The model with another text as its card."""
    changed = onnx.ModelProto()
    changed.CopyFrom(model)
    helper.set_model_props(changed, {KEY: text})
    return changed


def card_entries(model: onnx.ModelProto) -> dict[str, object]:
    """The card of a model as plain values."""
    (text,) = [entry.value for entry in model.metadata_props if entry.key == KEY]
    entries: dict[str, object] = json.loads(text)
    return entries


def with_entries(model: onnx.ModelProto, **entries: object) -> onnx.ModelProto:
    """The model with other entries in its card; None removes an entry."""
    changed = {**card_entries(model), **entries}
    kept = {key: value for key, value in changed.items() if value is not None}
    return with_card_text(model, json.dumps(kept))


def chess_model() -> onnx.ModelProto:
    """A sound network."""
    return tiny_network("chess")


def _constant(model: onnx.ModelProto, name: str, values: object, dtype: type[np.generic]) -> str:
    model.graph.initializer.append(numpy_helper.from_array(np.array(values, dtype), name))
    return name


def _node(model: onnx.ModelProto, kind: str, inputs: list[str], output: str, **attributes: Any) -> str:
    at = next(i for i, node in enumerate(model.graph.node) if "policy" in node.output)
    model.graph.node.insert(at, helper.make_node(kind, inputs, [output], **attributes))
    return output


def _add_to_policy(model: onnx.ModelProto, value: str) -> onnx.ModelProto:
    """The sum of a value is added to the logits, so that nothing removes it."""
    (last,) = [node for node in model.graph.node if "policy" in node.output]
    total = _node(model, "ReduceSum", [value], "hostile.total", keepdims=0)
    last.input[0] = _node(model, "Add", [last.input[0], total], "hostile.logits")
    return model


def computed_shape() -> onnx.ModelProto:
    """A few kilobytes that compute the shape [1, 2**31] from the input: 8 GB."""
    model = chess_model()
    _node(model, "ReduceMax", ["planes"], "hostile.one", keepdims=0)
    _constant(model, "hostile.size", [1, 2**31], np.int64)
    _node(model, "Cast", ["hostile.one"], "hostile.integer", to=TensorProto.INT64)
    _node(model, "Mul", ["hostile.size", "hostile.integer"], "hostile.shape")
    return _add_to_policy(model, _node(model, "ConstantOfShape", ["hostile.shape"], "hostile.values"))


def constant_shape() -> onnx.ModelProto:
    """8 GB from a constant shape."""
    model = chess_model()
    _constant(model, "hostile.shape", [2**31], np.int64)
    return _add_to_policy(model, _node(model, "ConstantOfShape", ["hostile.shape"], "hostile.values"))


def repeated_input() -> onnx.ModelProto:
    """1.2 GB for each position."""
    model = chess_model()
    _constant(model, "hostile.shape", [1, 1, 1, 8, 2**18], np.int64)
    planes = _node(
        model, "Reshape", ["planes", _constant(model, "hostile.five", [0, -1, 8, 8, 1], np.int64)], "h"
    )
    return _add_to_policy(model, _node(model, "Expand", [planes, "hostile.shape"], "hostile.values"))


def endless_products() -> onnx.ModelProto:
    """Four megabytes of weights that are multiplied with themselves 200 times for each position."""
    model = chess_model()
    value = _constant(model, "hostile.square", np.full((1, 1024, 1024), 1e-4), np.float32)
    planes = _node(model, "ReduceSum", ["planes"], "hostile.sum", keepdims=0)
    value = _node(model, "Add", [value, planes], "hostile.0")
    for i in range(1, 200):
        value = _node(model, "MatMul", [value, value], f"hostile.{i}")
    return _add_to_policy(model, value)


def wide_convolutions() -> onnx.ModelProto:
    """Kernels that are computed from a shape: they take no space in the file."""
    model = chess_model()
    shape = _constant(model, "hostile.shape", [64, 64, 63, 63], np.int64)
    kernel = _node(model, "ConstantOfShape", [shape], "hostile.kernel")
    size = _constant(model, "hostile.size", [1, 64, 128, 128], np.int64)
    planes = _node(model, "ReduceSum", ["planes"], "hostile.sum", keepdims=0)
    value = _node(model, "Expand", [planes, size], "hostile.0")
    for i in range(1, 20):
        value = _node(model, "Conv", [value, kernel], f"hostile.{i}", pads=[31] * 4)
    return _add_to_policy(model, value)


def power_of_the_batch() -> onnx.ModelProto:
    """One number for one position, 68 billion for a batch of 64."""
    model = chess_model()
    shape = _node(model, "Shape", ["planes"], "hostile.shape")
    first = _constant(model, "hostile.first", [0], np.int64)
    size = _node(model, "Gather", [shape, first], "hostile.batch")
    power = _node(model, "Concat", [size] * 6, "hostile.power", axis=0)
    return _add_to_policy(model, _node(model, "ConstantOfShape", [power], "hostile.values"))


def growing_text() -> onnx.ModelProto:
    """Text that doubles forty times."""
    model = chess_model()
    model.opset_import[0].version = 20
    text = _node(model, "Cast", ["planes"], "hostile.0", to=TensorProto.STRING)
    for i in range(1, 41):
        text = _node(model, "StringConcat", [text, text], f"hostile.{i}")
    return model


def not_a_number() -> onnx.ModelProto:
    """Logits of NaN from finite weights."""
    model = chess_model()
    return _add_to_policy(
        model, _node(model, "Log", [_constant(model, "hostile.minus", [-1.0], np.float32)], "hostile.log")
    )


def infinite_value() -> onnx.ModelProto:
    """An infinite value and finite logits."""
    model = chess_model()
    (last,) = [node for node in model.graph.node if "value" in node.output]
    one = _constant(model, "hostile.one", [1.0], np.float32)
    zero = _constant(model, "hostile.zero", [0.0], np.float32)
    infinite = _node(model, "Div", [one, zero], "hostile.infinite")
    last.op_type = "Add"
    last.input.append(infinite)
    return model


def other_policy() -> onnx.ModelProto:
    """A policy of half the moves, under the shape of all of them."""
    model = chess_model()
    (last,) = [node for node in model.graph.node if "policy" in node.output]
    _constant(model, "hostile.begin", [0], np.int64)
    _constant(model, "hostile.end", [10_000], np.int64)
    _constant(model, "hostile.axis", [1], np.int64)
    inputs = [last.input[0], "hostile.begin", "hostile.end", "hostile.axis"]
    last.input[0] = _node(model, "Slice", inputs, "hostile.half")
    return model


def unsupported_operator() -> onnx.ModelProto:
    """A graph that ONNX's checker takes and ONNX Runtime has no kernel for."""
    model = chess_model()
    double = _node(model, "Cast", ["planes"], "hostile.double", to=TensorProto.BFLOAT16)
    squashed = _node(model, "Mish", [double], "hostile.mish")
    return _add_to_policy(model, _node(model, "Cast", [squashed], "hostile.float", to=TensorProto.FLOAT))


def dead_input() -> onnx.ModelProto:
    """An input that no codec supplies."""
    model = chess_model()
    model.graph.input.append(helper.make_tensor_value_info("hostile", TensorProto.FLOAT, ["batch", 3]))
    return model


def without_value_of_people() -> onnx.ModelProto:
    """A card of the codec `people` on a graph without its inputs."""
    settings = {"game": "chess", "encoding": "lc0", "history": 1, "lowest": 600, "highest": 2600}
    return with_entries(chess_model(), codec="people", settings=settings)


GRAPHS: list[Callable[[], onnx.ModelProto]] = [
    computed_shape, constant_shape, repeated_input, endless_products, wide_convolutions, power_of_the_batch,
    growing_text, not_a_number,
    infinite_value, other_policy, unsupported_operator, dead_input, without_value_of_people,
]  # fmt: skip
ENTRIES: list[dict[str, Any]] = [
    {"codec": "none"}, {"codec": None}, {"codec": []}, {"codec": "lc0"}, {"codec": "maia3"},
    {"codec": "dlshogi"}, {"codec": "katago"}, {"codec": "people"}, {"settings": {}}, {"settings": None},
    {"settings": []}, {"settings": {"game": "go"}}, {"settings": {"game": "x"}}, {"settings": {"game": []}},
    {"settings": {"game": {"a": "b"}}}, {"settings": "chess"}, {"game": "go"}, {"game": "x"}, {"game": []},
    {"game": {}}, {"game": 1}, {"game": None}, {"name": 5}, {"name": None}, {"parameters": -1},
    {"parameters": "many"}, {"parameters": 10**400}, {"parameters": 1.5}, {"parameters": float("nan")},
    {"licence": ["GPL"]}, {"accuracy": {}}, {"version": 2}, {"version": None}, {"version": [1]},
    {"encoding_version": 9}, {"move_numbering": "x"}, {"unknown": 1}, {"limitations": "x" * 100_000},
    {"codec": "katago", "game": "go", "settings": {"version": 8, "lead_multiplier": "x", "side": 0}},
    {
        "codec": "katago", "game": "go",
        "settings": {"version": 8, "lead_multiplier": 1e400, "side": 10**9, "metadata": 0},
    },
    {"codec": "maia3", "settings": {"rating_low": 10**30, "rating_high": 0}},
    *(
        {
            "codec": "people",
            "settings": {"game": "chess", "encoding": "lc0", "history": 1, "lowest": 0, "highest": 1} | other,
        }
        for other in (
            {}, {"lowest": 5, "highest": 5}, {"lowest": "a"}, {"highest": float("inf")}, {"history": 10**9},
            {"history": -1}, {"history": "1"}, {"encoding": "x"}, {"encoding": "planes"}, {"game": "go"},
            {"game": "rbc", "encoding": "planes"}, {"history": 1.5},
        )
    ),
]  # fmt: skip
CARDS = [
    "",
    "{",
    "[]",
    "null",
    '"x"',
    "{}",
    DEEP,
    '{"a":' * 100_000,
    "\x00",
    "NaN",
    '{"version": 1}',
    "9" * 5000,
]
