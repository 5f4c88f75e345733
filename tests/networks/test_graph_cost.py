"""The estimate of a graph's multiply-adds."""

from __future__ import annotations

from typing import Any

import onnx
import pytest
from onnx import TensorProto, helper

from sparring import data
from sparring.networks.onnx_files import multiply_adds

Shape = tuple[int, ...]


def cost(kind: str, inputs: list[Shape], output: Shape, **attributes: Any) -> int:
    """The multiply-adds of a graph with one operator, besides those for each number."""
    names = [f"in{i}" for i in range(len(inputs))]
    node = helper.make_node(kind, names, ["out"], **attributes)
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in (*names, "out")]
    model = helper.make_model(helper.make_graph([node], "g", values[:-1], values[-1:]))
    shapes = dict(zip((*names, "out"), (*inputs, output), strict=True))
    linear = helper.make_node("Sum", names, ["out"])
    plain = helper.make_model(helper.make_graph([linear], "g", values[:-1], values[-1:]))
    return multiply_adds(model, shapes) - multiply_adds(plain, shapes)


@pytest.mark.parametrize(
    ("kind", "inputs", "output", "attributes", "expected"),
    [
        ("Add", [(5, 6), (5, 6)], (5, 6), {}, 0),
        ("MatMul", [(7, 5, 6), (6, 4)], (7, 5, 4), {}, 7 * 5 * 6 * 4),
        ("Gemm", [(5, 6), (6, 4)], (5, 4), {}, 5 * 6 * 4),
        ("Gemm", [(6, 5), (6, 4)], (5, 4), {"transA": 1}, 5 * 6 * 4),
        ("Conv", [(1, 8, 9, 9), (16, 8, 3, 3)], (1, 16, 9, 9), {}, 16 * 81 * 8 * 9),
        ("Conv", [(1, 8, 9, 9), (8, 1, 3, 3)], (1, 8, 9, 9), {"group": 8}, 8 * 81 * 9),
        ("ConvTranspose", [(1, 8, 4, 4), (8, 2, 2, 2)], (1, 2, 8, 8), {}, 8 * 16 * 2 * 4),
        ("MaxPool", [(1, 8, 8, 8)], (1, 8, 4, 4), {"kernel_shape": [2, 3]}, 8 * 16 * 6),
        ("Einsum", [(3, 5, 6), (3, 6, 7)], (3, 5, 7), {"equation": "bij,bjk->bik"}, 2 * 3 * 5 * 6 * 7),
        ("Einsum", [(3, 5, 6), (6, 7)], (3, 5, 7), {"equation": "...j, jk -> ...k"}, 2 * 15 * 6 * 7),
        ("LSTM", [(9, 2, 5), (1, 16, 5), (1, 16, 4)], (9, 1, 2, 4), {}, 9 * 2 * 16 * 9),
    ],
)
def test_the_multiply_adds_of_an_operator(
    kind: str, inputs: list[Shape], output: Shape, attributes: dict[str, Any], expected: int
) -> None:
    assert cost(kind, inputs, output, **attributes) == expected


def test_a_shipped_network_is_far_below_the_limit() -> None:
    model = onnx.load(data.path("networks", "strong-chess"))
    inferred = onnx.shape_inference.infer_shapes(model, data_prop=True).graph
    shapes = {each.name: tuple(each.dims) for each in inferred.initializer}
    for value in (*inferred.input, *inferred.value_info, *inferred.output):
        shapes[value.name] = tuple(dim.dim_value or 1 for dim in value.type.tensor_type.shape.dim)
    assert 10**7 < multiply_adds(model, shapes) < 10**10
