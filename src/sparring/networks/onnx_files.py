"""Reads ONNX files and validates them before anything runs them.

Weights must be present, fit their shapes and be finite. The graph must pass ONNX's checker.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import onnx
import onnx.version_converter
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]  # protobuf ships no types
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from sparring.base.errors import BadFile, first_line
from sparring.networks.graph import OPSET
from sparring.networks.onnx_reader import TensorSpec, ValueInfo


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
