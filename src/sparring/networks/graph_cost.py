"""The time that a graph needs: an estimate of its multiply-adds from the shapes of its values.

Most operators need a constant time for each number of their inputs and outputs. The others are listed here.
The estimate does not depend on the values, so that a graph can be judged before it runs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import onnx
from onnx import helper

Shape: TypeAlias = tuple[int, ...]


def multiply_adds(model: onnx.ModelProto, shapes: Mapping[str, Shape]) -> int:
    """The multiply-adds of all operators of a graph whose values have these shapes.

    An upper bound for operators that networks seldom have, an exact count for products and convolutions.
    """
    return sum(_cost(node, shapes) for node in model.graph.node)


def _cost(node: onnx.NodeProto, shapes: Mapping[str, Shape]) -> int:
    inputs = [shapes.get(name, ()) for name in node.input]
    outputs = [shapes[name] for name in node.output if name]
    attributes = {each.name: helper.get_attribute_value(each) for each in node.attribute}
    plain = sum(map(math.prod, [*inputs, *outputs]))
    superlinear = _SUPERLINEAR.get(node.op_type)
    return plain if superlinear is None else plain + superlinear(inputs, outputs, attributes)


def _product(inputs: list[Shape], outputs: list[Shape], attributes: dict[str, Any]) -> int:
    """A matrix product: a sum over the last axis of the first input for each number of the output."""
    first = inputs[0] or (1,)
    return math.prod(outputs[0]) * first[0 if attributes.get("transA") else -1]


def _convolution(weights: int) -> Callable[[list[Shape], list[Shape], dict[str, Any]], int]:
    """A convolution with the kernel [outputs, inputs of a group, ...] as the input of this number."""

    def cost(inputs: list[Shape], outputs: list[Shape], _: dict[str, Any]) -> int:
        return math.prod(outputs[0]) * math.prod(inputs[weights][1:])

    return cost


def _transposed_convolution(inputs: list[Shape], _: list[Shape], __: dict[str, Any]) -> int:
    return math.prod(inputs[0]) * math.prod(inputs[1][1:])


def _window(_: list[Shape], outputs: list[Shape], attributes: dict[str, Any]) -> int:
    """A pool: its window for each number of the output."""
    window: list[int] = attributes.get("kernel_shape", [attributes.get("size", 1)])
    return math.prod(outputs[0]) * math.prod(window)


def _einsum(inputs: list[Shape], _: list[Shape], attributes: dict[str, Any]) -> int:
    """Every combination of the indices, for each input. An ellipsis counts as an index of its own."""
    terms = attributes["equation"].decode("utf-8", "replace").replace(" ", "").split("->")[0].split(",")
    sizes: dict[str, int] = {}
    for term, shape in zip(terms, inputs, strict=False):
        before, dots, after = term.partition("...")
        rest = shape[len(before) : len(shape) - len(after)] if dots else ()
        named = [*zip(before, shape, strict=False), *zip(after[::-1], shape[::-1], strict=False)]
        for index, size in [*named, ("...", math.prod(rest))]:
            sizes[index] = max(sizes.get(index, 1), size)
    return len(inputs) * math.prod(sizes.values())


def _recurrence(inputs: list[Shape], _: list[Shape], __: dict[str, Any]) -> int:
    """A recurrent layer: all weights for each step of each sequence."""
    return math.prod(inputs[0][:2]) * (math.prod(inputs[1]) + math.prod(inputs[2]))


def _pairwise(inputs: list[Shape], outputs: list[Shape], _: dict[str, Any]) -> int:
    """Each number with as many as the longest axis has: transforms, determinants, attention."""
    longest = max((size for shape in [*inputs, *outputs] for size in shape), default=1)
    return 4 * longest * sum(map(math.prod, [*inputs, *outputs]))


_SUPERLINEAR: dict[str, Callable[[list[Shape], list[Shape], dict[str, Any]], int]] = {
    **dict.fromkeys(("MatMul", "MatMulInteger", "QLinearMatMul", "Gemm"), _product),
    "Conv": _convolution(1),
    "ConvInteger": _convolution(1),
    "DeformConv": _convolution(1),
    "QLinearConv": _convolution(3),
    "ConvTranspose": _transposed_convolution,
    **dict.fromkeys(("AveragePool", "MaxPool", "LpPool", "LRN"), _window),
    "Einsum": _einsum,
    **dict.fromkeys(("RNN", "GRU", "LSTM"), _recurrence),
    **dict.fromkeys(
        ("Attention", "Det", "DFT", "STFT", "Col2Im", "MaxRoiPool", "RoiAlign", "NonMaxSuppression"),
        _pairwise,
    ),
}
