"""Checks a graph before anything runs it: its inputs and outputs fit the codec, its memory and time are
bounded.

The shape of every value must follow from the shapes of the inputs. A graph of a few kilobytes could otherwise
compute a shape of gigabytes at run time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import onnx
from onnx import TensorProto, helper

from sparring.base.errors import BadFile, first_line
from sparring.networks.codec import Codec, Tensors
from sparring.networks.onnx_files import value_info
from sparring.networks.onnx_reader import check_inputs, type_words

Shape: TypeAlias = tuple[int, ...]
Cost: TypeAlias = Callable[[list[Shape], list[Shape], dict[str, Any]], int]
"""(shapes of the inputs, shapes of the outputs, attributes) -> multiply-adds."""


# The time that a graph needs: an estimate of its multiply-adds from the shapes of its values.
#
# Most operators need a constant time for each number of their inputs and outputs. The others are listed here.
# The estimate does not depend on the values, so that a graph can be judged before it runs.


def multiply_adds(model: onnx.ModelProto, shapes: Mapping[str, Shape]) -> int:
    """The multiply-adds of all operators of a graph whose values have these shapes.

    An upper bound for operators that networks seldom have, an exact count for products and convolutions.
    """
    return sum(_cost(node, shapes) for node in model.graph.node)


def _cost(node: onnx.NodeProto, shapes: Mapping[str, Shape]) -> int:
    inputs = [shapes.get(name, ()) for name in node.input]
    outputs = [shapes[name] for name in node.output if name]
    attributes = {attribute.name: helper.get_attribute_value(attribute) for attribute in node.attribute}
    plain = sum(map(math.prod, [*inputs, *outputs]))
    superlinear = _SUPERLINEAR.get(node.op_type)
    return plain if superlinear is None else plain + superlinear(inputs, outputs, attributes)


def _product(inputs: list[Shape], outputs: list[Shape], attributes: dict[str, Any]) -> int:
    """A matrix product: a sum over the last axis of the first input for each number of the output."""
    first = inputs[0] or (1,)
    return math.prod(outputs[0]) * first[0 if attributes.get("transA") else -1]


def _convolution(weights: int) -> Cost:
    """A convolution with the kernel [outputs, inputs of a group, ...] as the input of this number."""
    return lambda inputs, outputs, _: math.prod(outputs[0]) * math.prod(inputs[weights][1:])


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


def _pairwise(inputs: list[Shape], outputs: list[Shape], _: dict[str, Any]) -> int:
    """Each number with as many as the longest axis has: transforms, determinants, attention."""
    longest = max((size for shape in [*inputs, *outputs] for size in shape), default=1)
    return 4 * longest * sum(map(math.prod, [*inputs, *outputs]))


_SUPERLINEAR: dict[str, Cost] = {
    **dict.fromkeys(("MatMul", "MatMulInteger", "QLinearMatMul", "Gemm"), _product),
    "Conv": _convolution(1),
    "ConvInteger": _convolution(1),
    "DeformConv": _convolution(1),
    "QLinearConv": _convolution(3),
    "ConvTranspose": lambda inputs, _, __: math.prod(inputs[0]) * math.prod(inputs[1][1:]),
    **dict.fromkeys(("AveragePool", "MaxPool", "LpPool", "LRN"), _window),
    "Einsum": _einsum,
    # A recurrent layer: all weights for each step of each sequence.
    **dict.fromkeys(
        ("RNN", "GRU", "LSTM"),
        lambda inputs, _, __: math.prod(inputs[0][:2]) * (math.prod(inputs[1]) + math.prod(inputs[2])),
    ),
    **dict.fromkeys(
        ("Attention", "Det", "DFT", "STFT", "Col2Im", "MaxRoiPool", "RoiAlign", "NonMaxSuppression"),
        _pairwise,
    ),
}

_MAX_LIVE = 1 << 24
"""Maximum numbers that a position needs at once: 64 MB, a hundred times as many as Lc0's T1 needs."""
_MAX_CONSTANTS = 1 << 26
"""Maximum numbers that a graph computes from its weights alone, besides 8 for each weight."""
_MAX_MULTIPLY_ADDS = 1 << 37
"""For one position: 137 billion, five times as many as KataGo's b28c512 needs. A core takes some seconds."""
_NUMERIC = frozenset(
    (
        TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.BFLOAT16, TensorProto.DOUBLE, TensorProto.BOOL,
        TensorProto.INT8, TensorProto.INT16, TensorProto.INT32, TensorProto.INT64,
        TensorProto.UINT8, TensorProto.UINT16, TensorProto.UINT32, TensorProto.UINT64,
    )
)  # fmt: skip


def check_graph(model: onnx.ModelProto, codec: Codec) -> None:
    """Raises BadFile unless the graph takes what the codec encodes and gives what the codec decodes."""
    sample = check_inputs(map(value_info, model.graph.input), codec)
    shapes = check_memory(model, {name: array.shape for name, array in sample.items()})
    if (needed := multiply_adds(model, shapes)) > _MAX_MULTIPLY_ADDS:
        raise BadFile(f"a position would need {needed:,} multiply-adds, more than {_MAX_MULTIPLY_ADDS:,}")
    two = _infer_shapes(model, {name: (2, *array.shape[1:]) for name, array in sample.items()})
    for name, shape in two.items():
        if math.prod(shape) > 2 * math.prod(shapes[name]):
            raise BadFile(f"its value {name} grows faster than the number of positions")
    _check_outputs(model, codec, sample, shapes)


def check_memory(model: onnx.ModelProto, inputs: Mapping[str, Shape]) -> dict[str, Shape]:
    """The shapes of all values for inputs of these shapes. Raises BadFile if a shape is not known before
    the graph runs, or if the values need too much memory."""
    shapes = _infer_shapes(model, inputs)
    last_use = {name: i for i, node in enumerate(model.graph.node) for name in node.input}
    kept = {value.name for value in model.graph.output}
    fed, constants = set(inputs), 0
    live = sum(map(math.prod, inputs.values()))
    for i, node in enumerate(model.graph.node):
        size = sum(math.prod(shapes[name]) for name in node.output if name)
        if fed.isdisjoint(node.input):
            constants += size
            continue
        fed.update(node.output)
        live += size
        if live > _MAX_LIVE:
            raise BadFile(f"a position would need {live:,} numbers at once, more than {_MAX_LIVE:,}")
        done = (name for name in {*node.input, *node.output} & fed if name and last_use.get(name, -1) <= i)
        live -= sum(math.prod(shapes[name]) for name in done if name not in kept)
    limit = _MAX_CONSTANTS + 8 * sum(math.prod(tensor.dims) for tensor in model.graph.initializer)
    if constants > limit:
        raise BadFile(f"it computes {constants:,} numbers from its weights alone, more than {limit:,}")
    return shapes


def _infer_shapes(model: onnx.ModelProto, inputs: Mapping[str, Shape]) -> dict[str, Shape]:
    """ONNX's inference. What the file states about its values and outputs is not believed."""
    fixed = onnx.ModelProto()
    fixed.CopyFrom(model)
    del fixed.graph.value_info[:]
    for value in fixed.graph.input:
        tensor = value.type.tensor_type
        tensor.shape.CopyFrom(
            helper.make_tensor_type_proto(tensor.elem_type, inputs[value.name]).tensor_type.shape
        )
    for value in fixed.graph.output:
        value.type.tensor_type.ClearField("shape")
    try:
        inferred = onnx.shape_inference.infer_shapes(fixed, strict_mode=True, data_prop=True).graph
    except (onnx.shape_inference.InferenceError, ValueError, RuntimeError) as error:
        raise BadFile(f"its ONNX graph is broken ({first_line(error)})") from None
    shapes = {tensor.name: tuple(tensor.dims) for tensor in inferred.initializer}
    for value in (*inferred.input, *inferred.value_info, *inferred.output):
        tensor = value.type.tensor_type
        known = value.type.HasField("tensor_type") and tensor.HasField("shape")
        if known and all(dim.HasField("dim_value") and dim.dim_value >= 0 for dim in tensor.shape.dim):
            shapes[value.name] = tuple(dim.dim_value for dim in tensor.shape.dim)
            if tensor.elem_type not in _NUMERIC:
                raise BadFile(f"its value {value.name} does not hold numbers")
    for node in inferred.node:
        for name in filter(None, node.output):
            if name not in shapes:
                raise BadFile(f"its operator {node.op_type} computes the shape of {name} at run time")
    return shapes


def _check_outputs(
    model: onnx.ModelProto, codec: Codec, sample: Tensors, shapes: Mapping[str, Shape]
) -> None:
    types = {value.name: value.type.tensor_type.elem_type for value in model.graph.output}
    for name, expected in codec.output_shapes(sample).items():
        if name not in types:
            if name in codec.optional_outputs:
                continue
            raise BadFile(f"it has no output {name}, which its model card needs")
        if shapes.get(name) != (1, *expected) or types[name] != TensorProto.FLOAT:
            raise BadFile(
                f"its output {name} is {type_words(types[name], [None, *shapes.get(name, ())[1:]])}; "
                f"its model card needs {type_words(TensorProto.FLOAT, [None, *expected])}"
            )
