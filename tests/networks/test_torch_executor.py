"""Graphs in PyTorch give ONNX Runtime's numbers, operator by operator and as whole networks."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
import pytest
import torch
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from sparring.base.errors import BadFile
from sparring.chess import maia3
from sparring.chess.game import Chess
from sparring.networks import Position
from sparring.networks.onnx_files import load_onnx
from sparring.networks.torch_executor import OPERATORS, TorchGraph
from sparring.shogi import dlshogi
from sparring.shogi.game import Shogi
from tests.networks.dlshogi_files import dlshogi_model
from tests.networks.maia3_files import maia3_model
from tests.networks.onnx_session import run

RNG = np.random.default_rng(0)
X = RNG.normal(size=(2, 3, 4)).astype(np.float32)
Y = RNG.normal(size=(2, 3, 4)).astype(np.float32)
ROW = RNG.normal(size=(1, 4)).astype(np.float32)
POSITIVE = np.abs(X) + 0.5
IMAGE = RNG.normal(size=(2, 4, 5, 6)).astype(np.float32)
MATRIX = RNG.normal(size=(3, 4)).astype(np.float32)
HALVES = np.array([-0.5, 0.5, 1.5, 2.5, -2.5, 200, -200], np.float32)
BYTES = RNG.integers(0, 256, (3, 5), dtype=np.uint8)
INTS = np.array([[7, -7, 3], [0, 5, -1]], np.int64)
BITS = np.array([[1], [1 << 63], [0xF0F0F0F0F0F0F0F0], [(1 << 64) - 1]], np.uint64)


def ints(*values: int) -> NDArray[np.int64]:
    return np.array(values, np.int64)


def scalar(value: float) -> NDArray[np.float32]:
    return np.array(value, np.float32)


def weights(*shape: int) -> NDArray[np.float32]:
    return RNG.normal(size=shape).astype(np.float32)


Case = tuple[str, NDArray[Any], Sequence[NDArray[Any] | None], Mapping[str, Any]]
"""An operator, what goes in at run time, its constant inputs, and its attributes."""

CASES: list[Case] = [
    *((kind, X, [], {}) for kind in ("Relu", "Sigmoid", "Tanh", "Softplus", "Mish", "Erf", "Exp", "Neg")),
    *((kind, X, [], {}) for kind in ("Abs", "Identity", "Softmax", "LogSoftmax", "Elu", "Selu")),
    ("HardSigmoid", X, [], {}),
    ("Elu", X, [], {"alpha": 0.5}),
    ("Selu", X, [], {"alpha": 1.5, "gamma": 2.0}),
    ("HardSigmoid", X, [], {"alpha": 0.4, "beta": 0.1}),
    ("Softmax", X, [], {"axis": 1}),
    ("LogSoftmax", X, [], {"axis": 0}),
    ("Sqrt", POSITIVE, [], {}),
    *((kind, X, [Y], {}) for kind in ("Add", "Sub", "Mul", "Div", "Min", "Max", "Equal", "Less", "Greater")),
    *((kind, X, [ROW], {}) for kind in ("Add", "Sub", "Mul", "Div")),
    ("Equal", INTS, [ints(7, 5, -1)], {}),
    ("Div", INTS, [ints(2)], {}),
    ("Max", X, [Y, ROW], {}),
    ("Pow", POSITIVE, [scalar(2.5)], {}),
    ("Pow", INTS, [scalar(2)], {}),
    ("Pow", X, [scalar(2)], {}),
    ("QuantizeLinear", X, [scalar(0.01), np.array(128, np.uint8)], {}),
    ("QuantizeLinear", X, [scalar(0.25)], {}),
    ("QuantizeLinear", HALVES, [scalar(1), np.array(0, np.int8)], {}),
    ("QuantizeLinear", X, [np.abs(weights(3)), np.array([3, -5, 0], np.int8)], {"axis": 1}),
    ("DequantizeLinear", BYTES, [scalar(0.1), np.array(128, np.uint8)], {}),
    ("DequantizeLinear", BYTES, [scalar(0.1)], {}),
    ("DequantizeLinear", BYTES.astype(np.int8), [weights(5), np.zeros(5, np.int8)], {"axis": -1}),
    ("Clip", X, [scalar(-0.5), scalar(0.5)], {}),
    ("Clip", X, [scalar(-0.5)], {}),
    ("Clip", X, [None, scalar(0.5)], {}),
    ("Where", X > 0, [X, Y], {}),
    ("Cast", X, [], {"to": TensorProto.INT32}),
    ("Cast", INTS, [], {"to": TensorProto.FLOAT}),
    ("Cast", INTS, [], {"to": TensorProto.BOOL}),
    ("MatMul", X, [weights(4, 5)], {}),
    ("MatMul", X, [weights(2, 4, 3)], {}),
    ("Gemm", MATRIX, [weights(4, 2), weights(2)], {}),
    ("Gemm", MATRIX, [weights(2, 4)], {"transB": 1, "alpha": 0.5}),
    ("Gemm", MATRIX, [weights(3, 2), weights(4, 1)], {"transA": 1, "alpha": 2.0, "beta": 0.3}),
    ("Conv", IMAGE, [weights(8, 4, 3, 3), weights(8)], {"pads": [1, 1, 1, 1]}),
    ("Conv", IMAGE, [weights(8, 4, 1, 1)], {}),
    ("Conv", IMAGE, [weights(8, 2, 3, 2)], {"pads": [1, 0, 2, 1], "group": 2, "strides": [2, 1]}),
    ("Conv", IMAGE, [weights(2, 4, 3, 3)], {"dilations": [2, 2], "pads": [2, 2, 2, 2]}),
    ("Conv", X, [weights(5, 3, 3)], {"pads": [1, 1]}),
    ("Reshape", X, [ints(0, -1)], {}),
    ("Reshape", X, [ints(4, 1, 6)], {"allowzero": 1}),
    ("Transpose", X, [], {}),
    ("Transpose", X, [], {"perm": [1, 0, 2]}),
    ("Flatten", X, [], {}),
    ("Flatten", X, [], {"axis": 2}),
    ("Flatten", X, [], {"axis": 0}),
    ("Squeeze", X[:, :1], [ints(1)], {}),
    ("Squeeze", X[:, :1], [], {}),
    ("Unsqueeze", X, [ints(0, -1)], {}),
    ("Concat", X, [Y], {"axis": 1}),
    ("Concat", X, [Y], {"axis": -1}),
    ("Split", X, [], {"axis": 1, "num_outputs": 3}),
    ("Split", X, [], {"axis": 1, "num_outputs": 2}),
    ("Split", X, [ints(1, 3)], {"axis": -1}),
    ("Slice", IMAGE, [ints(1, -3), ints(100, -1), ints(1, 3)], {}),
    ("Slice", IMAGE, [ints(4, 0), ints(-100, 5), ints(2, 3), ints(-2, 2)], {}),
    ("Slice", X, [ints(0), ints(1)], {}),
    ("Gather", X, [ints(2, 0, -1)], {"axis": 1}),
    ("Gather", X, [np.array(1, np.int64)], {"axis": 2}),
    ("Gather", X, [np.array([[0, 1], [1, -2]], np.int64)], {}),
    ("Expand", X[:, :1], [ints(2, 1, 3, 4)], {}),
    ("Expand", X[:, :1], [ints(3, 1)], {}),
    ("Shape", X, [], {}),
    ("Shape", X, [], {"start": 1, "end": -1}),
    ("ConstantOfShape", ints(2, 3), [], {}),
    ("ConstantOfShape", ints(2), [], {"value": numpy_helper.from_array(np.array([5], np.int64))}),
    *((kind, X, [], {}) for kind in ("ReduceMean", "ReduceSum", "ReduceMax")),
    *((kind, X, [ints(1, -1)], {"keepdims": 0}) for kind in ("ReduceMean", "ReduceSum", "ReduceMax")),
    ("ReduceSum", X, [], {"noop_with_empty_axes": 1}),
    ("GlobalAveragePool", IMAGE, [], {}),
    ("LayerNormalization", X, [weights(4), weights(4)], {}),
    ("LayerNormalization", X, [weights(3, 4)], {"axis": 1, "epsilon": 0.01}),
    ("BatchNormalization", IMAGE, [*weights(3, 4), np.abs(weights(4))], {"epsilon": 0.01}),
    ("BitShift", BITS, [np.arange(64, dtype=np.uint64)], {"direction": "RIGHT"}),
    ("BitShift", BITS.astype(np.uint8), [np.arange(8, dtype=np.uint8)], {"direction": "RIGHT"}),
    ("BitShift", BITS.astype(np.uint8), [np.array([3], np.uint8)], {"direction": "LEFT"}),
    ("BitwiseAnd", BITS, [np.array([0xFF00000000000001], np.uint64)], {}),
    ("BitwiseAnd", BITS.astype(np.uint8), [np.array([0x3C], np.uint8)], {}),
    ("Pad", IMAGE, [ints(0, 0, 1, 2, 0, 1, 0, 3)], {}),
    ("Pad", IMAGE, [ints(1, 2), scalar(7), ints(-1)], {}),
]  # fmt: skip


def small_graph(case: Case) -> onnx.ModelProto:
    kind, x, constants, attributes = case
    names = ["" if c is None else f"c{i}" for i, c in enumerate(constants)]
    tensors = [
        numpy_helper.from_array(c, name) for c, name in zip(constants, names, strict=True) if c is not None
    ]
    pieces = attributes.get("num_outputs", 2 if kind == "Split" else 1)
    outputs = [f"y{i}" for i in range(pieces)]
    node = helper.make_node(kind, ["x", *names], outputs, **attributes)
    graph = helper.make_graph(
        [node],
        "one",
        [helper.make_tensor_value_info("x", helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)],
        [onnx.ValueInfoProto(name=name) for name in outputs],
        tensors,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    return onnx.shape_inference.infer_shapes(model)


def in_torch(model: onnx.ModelProto, inputs: Mapping[str, NDArray[Any]]) -> dict[str, torch.Tensor]:
    tensors = {name: torch.from_numpy(np.ascontiguousarray(values)) for name, values in inputs.items()}
    with torch.inference_mode():
        found: dict[str, torch.Tensor] = TorchGraph(model).eval()(**tensors)
    return found


def assert_same(found: Mapping[str, torch.Tensor], expected: Mapping[str, NDArray[Any]]) -> None:
    assert found.keys() == expected.keys()
    for name, values in expected.items():
        ours = found[name].numpy()
        if values.dtype == np.uint64:
            ours = ours.view(np.uint64)
        assert ours.shape == values.shape
        assert ours.dtype == values.dtype
        if values.dtype.kind == "f":
            assert np.abs(ours - values).max(initial=0) < 1e-4
        else:
            assert np.array_equal(ours, values)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_each_operator_is_onnx_runtimes(case: Case) -> None:
    model = small_graph(case)
    inputs = {"x": case[1]}
    assert_same(in_torch(model, inputs), run(model, inputs))


def test_every_operator_of_the_table_has_a_case() -> None:
    assert {case[0] for case in CASES} | {"Gelu"} == set(OPERATORS)


@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_gelu_is_onnx_runtimes(approximate: str) -> None:
    model = small_graph(("Gelu", X, [], {"approximate": approximate}))
    model.opset_import[0].version = 20
    model.graph.output[0].type.tensor_type.elem_type = TensorProto.FLOAT
    assert_same(in_torch(model, {"x": X}), run(model, {"x": X}))


def test_shapes_that_the_graph_computes_are_followed() -> None:
    nodes = [
        helper.make_node("Constant", [], ["one"], value_ints=[1]),
        helper.make_node("Constant", [], ["half"], value_float=0.5),
        helper.make_node("Shape", ["x"], ["batch"], start=0, end=1),
        helper.make_node("Concat", ["batch", "minus"], ["shape"], axis=0),
        helper.make_node("Reshape", ["x", "shape"], ["flat"]),
        helper.make_node("Unsqueeze", ["flat", "one"], ["tall"]),
        helper.make_node("Mul", ["tall", "half"], ["y"]),
    ]
    graph = helper.make_graph(
        nodes,
        "shapes",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 3, 4])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["batch", 1, 12])],
        [numpy_helper.from_array(ints(-1), "minus")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    assert_same(in_torch(model, {"x": X}), run(model, {"x": X}))


def networks() -> dict[str, tuple[onnx.ModelProto, dict[str, NDArray[Any]]]]:
    """Our two families as read, with a batch of inputs."""
    shogi = dlshogi.read(load_onnx(dlshogi_model(1, opset=11).SerializeToString()), "small")
    chess = maia3.read(load_onnx(maia3_model().SerializeToString()), "small")
    return {
        "dlshogi": (shogi, dict(dlshogi.DlshogiCodec({}).encode([Position(Shogi().initial())] * 3))),
        "maia3": (chess, dict(maia3.Maia3Codec({}).encode([Position(Chess().initial())] * 3))),
    }


@pytest.mark.parametrize("family", ["dlshogi", "maia3"])
def test_networks_are_onnx_runtimes(family: str) -> None:
    model, inputs = networks()[family]
    assert_same(in_torch(model, inputs), run(model, inputs))


@pytest.mark.parametrize("family", ["dlshogi", "maia3"])
def test_networks_can_be_fine_tuned(family: str) -> None:
    model, inputs = networks()[family]
    graph = TorchGraph(model)
    tensors = {name: torch.from_numpy(values) for name, values in inputs.items()}
    optimizer = torch.optim.SGD(graph.parameters(), lr=0.01)
    losses = []
    for _ in range(3):
        optimizer.zero_grad()
        loss = sum((output**2).mean() for output in graph(**tensors).values())
        assert isinstance(loss, torch.Tensor)
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        losses.append(loss.item())
    assert losses[2] < losses[1] < losses[0]
    assert all(parameter.grad is not None for parameter in graph.parameters())


@pytest.mark.parametrize("family", ["dlshogi", "maia3"])
def test_bfloat16_and_channels_last_stay_close(family: str) -> None:
    model, inputs = networks()[family]
    expected = run(model, inputs)
    graph = TorchGraph(model).eval()
    graph.to(memory_format=torch.channels_last)  # type: ignore[call-overload]  # missing in PyTorch's types
    tensors = {
        name: value.to(memory_format=torch.channels_last) if value.dim() == 4 else value
        for name, value in ((n, torch.from_numpy(v)) for n, v in inputs.items())
    }
    with torch.inference_mode(), torch.autocast("cpu", torch.bfloat16):
        found = graph(**tensors)
    for name, values in expected.items():
        assert np.abs(found[name].float().numpy() - values).max() < 0.05 * max(1, np.abs(values).max())


def test_a_graph_stays_on_its_device() -> None:
    """The `meta` device has no numbers: asking it for one, which would make a GPU wait, fails."""
    model, inputs = networks()["dlshogi"]
    found = TorchGraph(model).to("meta")(
        **{name: torch.from_numpy(values).to("meta") for name, values in inputs.items()}
    )
    assert {name: tuple(value.shape) for name, value in found.items()} == {
        "output_policy": (3, 2187),
        "output_value": (3, 1),
    }


def test_formulas_and_statistics_are_not_trained() -> None:
    normalise = small_graph(("BatchNormalization", IMAGE, [*weights(3, 4), np.abs(weights(4))], {}))
    assert len(list(TorchGraph(normalise).parameters())) == 2
    power = small_graph(("Pow", POSITIVE, [scalar(2.5)], {}))
    assert not list(TorchGraph(power).parameters())


def test_an_unknown_operator_is_named() -> None:
    with pytest.raises(BadFile, match="cannot run the operator Sinh"):
        TorchGraph(small_graph(("Sinh", X, [], {})))


def test_an_old_opset_is_refused() -> None:
    model = small_graph(("Relu", X, [], {}))
    model.opset_import[0].version = 12
    with pytest.raises(BadFile, match="opset 18 and later, not 12"):
        TorchGraph(model)


def test_without_pytorch_the_extra_is_named() -> None:
    code = "import sys; sys.modules['torch'] = None; import sparring.networks.torch_executor"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "PyTorch or onnx is not installed: pip install 'sparring[train]'" in done.stderr
