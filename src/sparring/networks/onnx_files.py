"""Reads ONNX files and validates them before anything runs them.

Weights must be present, fit their shapes and be finite. The graph must pass ONNX's checker.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import onnx
import onnx.version_converter
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]  # protobuf ships no types
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from sparring.base.errors import BadFile, first_line
from sparring.networks.codec import Codec, Tensors
from sparring.networks.graph import OPSET
from sparring.networks.onnx_reader import TensorSpec, ValueInfo, check_inputs, type_words


def load_onnx(data: bytes, folder: Path | None = None) -> onnx.ModelProto:
    """Parses the bytes of a file into a model with all weights inside. Raises BadFile.

    External weight files are looked up in `folder`.
    """
    model = onnx.ModelProto()
    try:
        model.ParseFromString(data)
    except DecodeError:
        raise BadFile("not an ONNX file, or cut off: its protobuf cannot be read") from None
    if not model.graph.node:
        raise BadFile("not an ONNX file: there is no graph in it")
    _check_operators(model)
    _drop_initializer_inputs(model)
    _load_weights(model, folder)
    try:
        onnx.checker.check_model(model)
    except (onnx.checker.ValidationError, ValueError, RuntimeError) as error:
        raise BadFile(f"its ONNX graph is broken ({first_line(error)})") from None
    return model


def check_tensor_specs(
    model: onnx.ModelProto, family: str, inputs: Sequence[TensorSpec], outputs: Sequence[TensorSpec]
) -> None:
    """Raises BadFile unless the model has exactly these inputs and at least these outputs."""
    present = {value.name for value in model.graph.input}
    if extra := present - {wanted.name for wanted in inputs}:
        raise BadFile(f"not a {family} network: it has an input {min(extra)}")
    _check_values(family, "input", model.graph.input, inputs)
    _check_values(family, "output", model.graph.output, outputs)


def convert_opset(model: onnx.ModelProto) -> onnx.ModelProto:
    """Converts an older model to the opset of our graphs if ONNX can."""
    if max((entry.version for entry in model.opset_import if not entry.domain), default=0) >= OPSET:
        return model
    try:
        return onnx.version_converter.convert_version(model, OPSET)
    except Exception:  # any operator may be beyond the converter; ONNX Runtime runs old ones as they are
        return model


def count_parameters(model: onnx.ModelProto) -> int:
    """The number of trained parameters: the elements of floating-point constants that are not scalars."""
    return sum(
        math.prod(tensor.dims)
        for tensor in _tensors(model)
        if _dtype(tensor).kind == "f" and math.prod(tensor.dims) > 1
    )


def count_operators(model: onnx.ModelProto) -> Counter[str]:
    """The operators of a model with their counts."""
    return Counter(node.op_type for node in model.graph.node)


def _check_values(
    family: str, role: str, values: Iterable[onnx.ValueInfoProto], wanted: Sequence[TensorSpec]
) -> None:
    present = {value.name: value_info(value) for value in values}
    for spec in wanted:
        if spec.name not in present:
            raise BadFile(f"not a {family} network: it has no {role} {spec.name}")
        if words := present[spec.name].difference(spec):
            raise BadFile(f"not a {family} network: its {role} {spec.name} is {words[0]}, not {words[1]}")


def value_info(value: onnx.ValueInfoProto) -> ValueInfo:
    """An input or output as a model states it."""
    tensor = value.type.tensor_type
    dims = (dim.dim_value if dim.HasField("dim_value") else None for dim in tensor.shape.dim)
    return ValueInfo(value.name, tensor.elem_type, tuple(dims))


def _check_operators(model: onnx.ModelProto) -> None:
    known = onnx.defs.onnx_opset_version()
    for entry in model.opset_import:
        if entry.domain in ("", "ai.onnx") and entry.version > known:
            raise BadFile(f"its ONNX opset {entry.version} is from the future; we read up to {known}")
    if model.functions or model.graph.sparse_initializer:
        raise BadFile("its ONNX graph has functions or sparse weights, which networks here do not need")
    for node in model.graph.node:
        if node.domain not in ("", "ai.onnx"):
            raise BadFile(f"its operator {node.op_type} is not ONNX's own but of {node.domain}")
        if any(attribute.HasField("g") or attribute.graphs for attribute in node.attribute):
            raise BadFile(f"its operator {node.op_type} holds a graph of its own")


def _drop_initializer_inputs(model: onnx.ModelProto) -> None:
    """Removes weights from the graph's inputs, where early ONNX versions list them."""
    weights = {tensor.name for tensor in model.graph.initializer}
    true = [value for value in model.graph.input if value.name not in weights]
    if len(true) < len(model.graph.input):
        del model.graph.input[:]
        model.graph.input.extend(true)
        model.ir_version = max(model.ir_version, 4)


def _tensors(model: onnx.ModelProto) -> Iterator[onnx.TensorProto]:
    """The initializers, and the constants among the nodes."""
    yield from model.graph.initializer
    for node in model.graph.node:
        for attribute in node.attribute:
            if attribute.HasField("t"):
                yield attribute.t
            yield from attribute.tensors


def _load_weights(model: onnx.ModelProto, folder: Path | None) -> None:
    """Loads external weights into the model and validates all weights."""
    taken: Counter[Path] = Counter()
    for tensor in _tensors(model):
        if min(tensor.dims, default=0) < 0:
            raise BadFile(f"its weights {tensor.name} have a negative size")
        if tensor.data_location == TensorProto.EXTERNAL:
            _load_external(tensor, folder, taken)
        values = to_array(tensor)
        if values.dtype.kind == "f" and not np.isfinite(values).all():
            raise BadFile(f"its weights {tensor.name} hold a NaN or an infinite number")


def _load_external(tensor: onnx.TensorProto, folder: Path | None, taken: Counter[Path]) -> None:
    """Reads one tensor's bytes from its external file. All tensors together read at most the size of the
    file."""
    entries = {entry.key: entry.value for entry in tensor.external_data}
    location = entries.get("location", "")
    if not location or Path(location).name != location:
        raise BadFile(f"its weights {tensor.name} lie in {location!r}, which is not a file beside it")
    if folder is None or not (folder / location).is_file():
        raise BadFile(f"its weights are in a file of their own, {location}, which is not beside it")
    path = folder / location
    needed = math.prod(tensor.dims) * _dtype(tensor).itemsize
    try:
        offset, length = int(entries.get("offset", 0)), int(entries.get("length", needed))
    except ValueError:
        raise BadFile(f"the place of its weights {tensor.name} in {location} is no number") from None
    if length != needed:
        raise BadFile(f"its weights {tensor.name} need {needed} bytes of {location}, not {length}")
    taken[path] += length
    size = path.stat().st_size
    if offset < 0 or offset + length > size or taken[path] > size:
        raise BadFile(f"{location} beside it is too short for its weights: {size} bytes")
    with path.open("rb") as file:
        file.seek(offset)
        tensor.raw_data = file.read(length)
    tensor.data_location = TensorProto.DEFAULT
    del tensor.external_data[:]


def _dtype(tensor: onnx.TensorProto) -> np.dtype[np.generic]:
    try:
        dtype: np.dtype[np.generic] = np.dtype(helper.tensor_dtype_to_np_dtype(tensor.data_type))
    except (KeyError, TypeError, ValueError):
        raise BadFile(f"its weights {tensor.name} are of the unknown type {tensor.data_type}") from None
    if dtype.kind not in "fiub":
        raise BadFile(f"its weights {tensor.name} are of type {dtype}, which we do not read")
    return dtype


def to_array(tensor: onnx.TensorProto) -> NDArray[np.generic]:
    """The array of a tensor. Raises BadFile if its data does not fit its shape."""
    _dtype(tensor)
    try:
        return numpy_helper.to_array(tensor)
    except (ValueError, TypeError, OverflowError, MemoryError) as error:
        raise BadFile(f"its weights {tensor.name} do not fit together ({first_line(error)})") from None


# Checks a graph before anything runs it: its inputs and outputs fit the codec, its memory and time are
# bounded.


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
