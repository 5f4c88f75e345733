"""Reads what playing needs of an ONNX file without the library `onnx`: metadata, inputs and outputs.

The file itself is opened by a runtime as it is. `check_content` refuses what needs no shape inference to be
recognised; `sparring.networks.onnx_files` checks more, with the library.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

import numpy as np

from sparring.base.errors import BadFile, first_line
from sparring.games import load_game
from sparring.networks.codec import Codec, Position, Tensors

_MOST_FIELDS = 200_000
"""Limit of nodes, weights and values of a graph."""

# Field numbers of onnx.proto.
GRAPH, OPSETS, METADATA, FUNCTIONS = 7, 8, 14, 25  # ModelProto
NODES, WEIGHTS, INPUTS, OUTPUTS, SPARSE = 1, 5, 11, 12, 15  # GraphProto
NODE_INPUTS, NODE_OUTPUTS, OPERATOR, ATTRIBUTES, DOMAIN = 1, 2, 4, 5, 7  # NodeProto
TENSOR, INNER_GRAPH, TENSORS, INNER_GRAPHS, SPARSE_TENSOR, SPARSE_TENSORS = 5, 6, 10, 11, 22, 23
DIMS, TYPE, FLOATS, NAME, RAW, DOUBLES, EXTERNAL, LOCATION = 1, 2, 4, 8, 9, 10, 13, 14  # TensorProto

FLOAT, INT64 = 1, 7
_DTYPES = {
    1: "float", 2: "uint8", 3: "int8", 4: "uint16", 5: "int16", 6: "int32", 7: "int64", 8: "string",
    9: "bool", 10: "float16", 11: "double", 12: "uint32", 13: "uint64", 14: "complex64", 15: "complex128",
    16: "bfloat16",
}  # fmt: skip
"""Names of TensorProto.DataType."""
_STORED = {
    1: "<f4", 2: "u1", 3: "i1", 4: "<u2", 5: "<i2", 6: "<i4", 7: "<i8", 9: "?",
    10: "<f2", 11: "<f8", 12: "<u4", 13: "<u8",
}  # fmt: skip
"""How the numbers of a tensor are stored, by its type."""


@dataclass(frozen=True)
class TensorSpec:
    """An input or output that a family of networks has. The shape is without the batch dimension."""

    name: str
    shape: tuple[int, ...]
    dtype: int = FLOAT
    """A number of TensorProto.DataType."""


@dataclass(frozen=True)
class ValueInfo:
    """An input or output as a file states it."""

    name: str
    dtype: int
    dims: tuple[int | None, ...]
    """None for a dimension that is open."""

    @property
    def numpy_type(self) -> np.dtype[Any]:
        """The type of its arrays. Raises BadFile."""
        if self.dtype not in _STORED:
            raise BadFile(
                f"{self.name} is of type {_DTYPES.get(self.dtype, self.dtype)}, which we do not read"
            )
        return np.dtype(_STORED[self.dtype])

    def difference(self, spec: TensorSpec, *, any_batch: bool = False) -> tuple[str, str] | None:
        """The types and shapes of the value and of a specification in words; None if they agree.

        A dimension that the value leaves open agrees with any. With `any_batch` the first one must be open.
        """
        sizes = (None, *spec.shape)
        fits = len(self.dims) == len(sizes) and all(
            dim in (None, size) for dim, size in zip(self.dims[1:], spec.shape, strict=True)
        )
        if fits and self.dtype == spec.dtype and not (any_batch and self.dims[0] is not None):
            return None
        return type_words(self.dtype, self.dims), type_words(spec.dtype, sizes)


@dataclass(frozen=True)
class OnnxFile:
    """The content of an ONNX file, and what it states about itself."""

    content: bytes
    metadata: dict[str, str]
    inputs: tuple[ValueInfo, ...]
    outputs: tuple[ValueInfo, ...]

    def keep_outputs(self, names: Sequence[str]) -> bytes:
        """The content without other outputs, and without the nodes and weights that only they need."""
        model, graph = parse_model(self.content)
        needed = set(names)
        nodes: list[FieldValue] = []
        for node, value in _reversed(graph, NODES):
            if needed.intersection(node.texts(NODE_OUTPUTS, "output")):
                needed.update(node.texts(NODE_INPUTS, "input"))
                nodes.append(value)
        tensors, values = _reversed(graph, WEIGHTS), _reversed(graph, OUTPUTS)
        weights = [value for tensor, value in tensors if tensor.text(NAME, "name") in needed]
        outputs = [value for output, value in values if output.text(1, "name") in names]
        kept = {NODES: nodes[::-1], WEIGHTS: weights[::-1], OUTPUTS: outputs[::-1]}
        return encode({**model.fields, GRAPH: (memoryview(encode({**graph.fields, **kept})),)})


def read_onnx(content: bytes) -> OnnxFile:
    """Reads a file. Raises BadFile."""
    model, graph = parse_model(content)
    entries = model.messages(METADATA, "metadata_props")
    return OnnxFile(
        content,
        {entry.text(1, "key"): entry.text(2, "value") for entry in entries},
        tuple(_value(value) for value in graph.messages(INPUTS, "input")),
        tuple(_value(value) for value in graph.messages(OUTPUTS, "output")),
    )


def parse_model(content: bytes) -> tuple[Message, Message]:
    """The model and its graph. Raises BadFile."""
    try:
        model = parse(memoryview(content))
        graph = model.message(GRAPH, "graph", _MOST_FIELDS)
    except BadFile:
        raise BadFile("not an ONNX file, or cut off: its protobuf cannot be read") from None
    if NODES not in graph:
        raise BadFile("not an ONNX file: there is no graph in it")
    return model, graph


def check_content(file: OnnxFile, codec: Codec) -> None:
    """Checks an ONNX file as far as it goes without inferring shapes. Raises BadFile.

    Operators are ONNX's own, without graphs inside; all weights are inside, fit their shapes and are finite;
    inputs and outputs have the names and types that the codec needs, inputs also the shapes. How much memory
    and time the graph needs is not known.
    """
    model, graph = parse_model(file.content)
    _check_graph(model, graph)
    weights = {tensor.text(NAME, "name") for tensor in graph.messages(WEIGHTS, "initializer")}
    sample = check_inputs([value for value in file.inputs if value.name not in weights], codec)
    _check_outputs({value.name: value for value in file.outputs}, codec, sample)


def check_inputs(values: Iterable[ValueInfo], codec: Codec) -> Tensors:
    """What the codec makes of an initial position. Raises BadFile if inputs of a graph cannot take it."""
    try:
        sample = codec.encode([Position(load_game(codec.game).initial())])
    except (ValueError, LookupError, TypeError, OverflowError, MemoryError) as error:
        raise BadFile(f"the settings of its model card are wrong ({first_line(error)})") from None
    inputs = {value.name: value for value in values}
    if inputs.keys() != sample.keys():
        there, needed = (", ".join(sorted(names)) or "none" for names in (inputs, sample))
        raise BadFile(f"its inputs are {there}; its model card needs {needed}")
    for name, array in sample.items():
        spec = TensorSpec(name, array.shape[1:], type_number(array.dtype))
        if words := inputs[name].difference(spec, any_batch=True):
            raise BadFile(f"its input {name} is {words[0]}; its model card needs {words[1]}")
    return sample


def type_number(dtype: np.dtype[Any]) -> int:
    """The number of TensorProto.DataType of an array's type."""
    return next(number for number, stored in _STORED.items() if np.dtype(stored) == dtype)


def type_words(dtype: int, dims: Sequence[int | None]) -> str:
    """The type and shape of a value in words, such as "float [batch, 3]"."""
    name = _DTYPES.get(dtype, str(dtype))
    return f"{name} [{', '.join('batch' if dim is None else str(dim) for dim in dims)}]"


def _reversed(graph: Message, number: int) -> list[tuple[Message, FieldValue]]:
    """The messages of a field with their bytes, the last first."""
    pairs = zip(graph.messages(number, "graph"), graph.fields.get(number, ()), strict=True)
    return list(pairs)[::-1]


def _value(value: Message) -> ValueInfo:
    tensor = value.message(2, "type").message(1, "tensor_type")
    dims = tensor.message(2, "shape").messages(1, "dim")
    sizes = tuple(dim.number(1, "dim_value") if 1 in dim else None for dim in dims)
    return ValueInfo(value.text(1, "name"), tensor.number(1, "elem_type"), sizes)


def _check_graph(model: Message, graph: Message) -> None:
    if FUNCTIONS in model or SPARSE in graph:
        raise BadFile("its ONNX graph has functions or sparse weights, which networks here do not need")
    for tensor in graph.messages(WEIGHTS, "initializer"):
        _check_weights(tensor)
    for node in graph.messages(NODES, "node"):
        operator, domain = node.text(OPERATOR, "op_type"), node.text(DOMAIN, "domain")
        if domain not in ("", "ai.onnx"):
            raise BadFile(f"its operator {operator} is not ONNX's own but of {domain}")
        for attribute in node.messages(ATTRIBUTES, "attribute"):
            if INNER_GRAPH in attribute or INNER_GRAPHS in attribute:
                raise BadFile(f"its operator {operator} holds a graph of its own")
            if SPARSE_TENSOR in attribute or SPARSE_TENSORS in attribute:
                raise BadFile(f"its operator {operator} has sparse weights, which networks here do not need")
            for tensor in (*attribute.messages(TENSOR, "t"), *attribute.messages(TENSORS, "tensors")):
                _check_weights(tensor)


def _check_weights(tensor: Message) -> None:
    name, dtype = tensor.text(NAME, "name"), tensor.number(TYPE, "data_type")
    if tensor.number(LOCATION, "data_location") or EXTERNAL in tensor:
        raise BadFile(f"its weights {name} lie in a file of their own, which needs the library onnx")
    if dtype not in _STORED:
        raise BadFile(f"its weights {name} are of type {_DTYPES.get(dtype, dtype)}, which we do not read")
    stored = np.dtype(_STORED[dtype])
    raw = tensor.bytes(RAW, "raw_data")
    if RAW in tensor and len(raw) != math.prod(tensor.numbers(DIMS, "dims")) * stored.itemsize:
        raise BadFile(f"its weights {name} do not fit together ({len(raw):,} bytes)")
    numbers = [np.frombuffer(raw, stored)]
    for field, kind in ((FLOATS, "<f4"), (DOUBLES, "<f8")):
        packed = b"".join(value for value in tensor.fields.get(field, ()) if not isinstance(value, int))
        if len(packed) % np.dtype(kind).itemsize:
            raise BadFile(f"its weights {name} do not fit together ({len(packed):,} bytes)")
        numbers.append(np.frombuffer(packed, kind))
    if not all(np.isfinite(part).all() for part in numbers):
        raise BadFile(f"its weights {name} hold a NaN or an infinite number")


def _check_outputs(outputs: Mapping[str, ValueInfo], codec: Codec, sample: Tensors) -> None:
    """The shapes of outputs are compared when they occur (`Network`): the file's word is no evidence."""
    for name in codec.output_shapes(sample):
        if name not in outputs:
            if name in codec.optional_outputs:
                continue
            raise BadFile(f"it has no output {name}, which its model card needs")
        if outputs[name].dtype != FLOAT:
            given = type_words(outputs[name].dtype, outputs[name].dims)
            raise BadFile(f"its output {name} is {given}; its model card needs float")


# A strict, copy-free reader of protobuf's wire format.


FieldValue: TypeAlias = int | bytes | memoryview
"""A varint, the four bytes of a fixed32, or a view of a length-delimited field."""

T = TypeVar("T", int, bytes, memoryview)

_VARINT, _FIXED64, _DELIMITED, _FIXED32 = 0, 1, 2, 5
_LONGEST_VARINT = 10
MOST_FIELDS = 10_000
"""Limit per message; the deepest of Lc0's networks have some hundreds."""
_KIND_NAMES = {int: "a number", bytes: "four bytes", memoryview: "bytes with a length"}


@dataclass(frozen=True)
class Message:
    """A message: its fields by number, each with its values in order."""

    path: str
    """Its place in the file for error messages, such as `weights.residual[3].conv1`."""
    fields: Mapping[int, tuple[FieldValue, ...]]

    def __contains__(self, number: int) -> bool:
        return number in self.fields

    def number(self, number: int, name: str, default: int = 0) -> int:
        """An integer or enumeration field."""
        value = self._single(number, name, int)
        return default if value is None else value

    def fixed(self, number: int, name: str, default: int = 0) -> int:
        """A fixed32 field."""
        value = self._single(number, name, bytes)
        return default if value is None else int.from_bytes(value, "little")

    def real(self, number: int, name: str) -> float:
        """A float field; 0 if missing."""
        value = self._single(number, name, bytes)
        return 0.0 if value is None else float(struct.unpack("<f", value)[0])

    def bytes(self, number: int, name: str) -> memoryview:
        """A bytes field; empty if missing."""
        value = self._single(number, name, memoryview)
        return memoryview(b"") if value is None else value

    def numbers(self, number: int, name: str) -> list[int]:
        """A repeated field of integers, packed or not. Raises BadFile."""
        numbers = []
        for value in self.fields.get(number, ()):
            if isinstance(value, memoryview):
                at = 0
                while at < len(value):
                    packed, at = _varint(value, at, self._inside(name))
                    numbers.append(packed)
            elif isinstance(value, int):
                numbers.append(value)
            else:
                raise BadFile(f"{self._inside(name)} is no list of numbers")
        return numbers

    def text(self, number: int, name: str) -> str:
        """A string field; empty if missing."""
        return bytes(self.bytes(number, name)).decode("utf-8", errors="replace")

    def message(self, number: int, name: str, most: int = MOST_FIELDS) -> Message:
        """A nested message of at most `most` fields; empty if missing."""
        return parse(self.bytes(number, name), self._inside(name), most)

    def texts(self, number: int, name: str) -> list[str]:
        """A repeated field of strings. Raises BadFile."""
        values = self.fields.get(number, ())
        if not all(isinstance(value, memoryview) for value in values):
            raise BadFile(f"{self._inside(name)} is no text")
        return [bytes(value).decode("utf-8", errors="replace") for value in values]

    def messages(self, number: int, name: str) -> list[Message]:
        """The messages of a repeated field. Raises BadFile."""
        messages = []
        for i, value in enumerate(self.fields.get(number, ())):
            path = self._inside(f"{name}[{i}]")
            if not isinstance(value, memoryview):
                raise BadFile(f"{path} is not a message")
            messages.append(parse(value, path))
        return messages

    def _inside(self, name: str) -> str:
        return f"{self.path}.{name}" if self.path else name

    def _single(self, number: int, name: str, kind: type[T]) -> T | None:
        values = self.fields.get(number, ())
        if not values:
            return None
        if len(values) > 1:
            raise BadFile(f"{self._inside(name)} is there {len(values)} times; once is expected")
        if not isinstance(values[0], kind):
            raise BadFile(f"{self._inside(name)} has the wrong type; {_KIND_NAMES[kind]} is expected")
        return values[0]


def parse(data: memoryview, path: str = "", most: int = MOST_FIELDS) -> Message:
    """Parses a message of at most `most` fields. Raises BadFile."""
    where = path or "the file"
    fields: dict[int, list[FieldValue]] = {}
    at = count = 0
    while at < len(data):
        tag, at = _varint(data, at, where)
        number, kind = tag >> 3, tag & 7
        count += 1
        if count > most or number == 0:
            what = "field 0" if number == 0 else f"more than {most:,} fields"
            raise BadFile(f"{where} is no message: it has {what}")
        value: FieldValue
        if kind == _VARINT:
            value, at = _varint(data, at, where)
        elif kind == _DELIMITED:
            size, at = _varint(data, at, where)
            value, at = _take(data, at, size, where), at + size
        elif kind == _FIXED32:
            value, at = bytes(_take(data, at, 4, where)), at + 4
        elif kind == _FIXED64:
            value, at = _take(data, at, 8, where), at + 8
        else:
            raise BadFile(f"{where} is no protobuf message (wire type {kind} at byte {at:,})")
        fields.setdefault(number, []).append(value)
    return Message(path, {number: tuple(values) for number, values in fields.items()})


def _take(data: memoryview, at: int, size: int, where: str) -> memoryview:
    left = len(data) - at
    if size > left:
        raise BadFile(f"{where} is cut off or broken: {size:,} bytes announced, {left:,} left")
    return data[at : at + size]


def _varint(data: memoryview, at: int, where: str) -> tuple[int, int]:
    """A varint and the offset after it."""
    value = 0
    for i in range(_LONGEST_VARINT):
        if at + i >= len(data):
            raise BadFile(f"{where} is cut off or broken: it ends inside a number")
        byte = data[at + i]
        value |= (byte & 0x7F) << 7 * i
        if byte < 0x80:
            return value, at + i + 1
    raise BadFile(f"{where} is broken: a number has more than {_LONGEST_VARINT} bytes")


def encode(fields: Mapping[int, Sequence[FieldValue]]) -> bytes:
    """The bytes of a message with these fields, which may hold no fixed64."""
    parts: list[bytes | memoryview] = []
    for number, values in fields.items():
        for value in values:
            if isinstance(value, int):
                parts += [_encoded_varint(number << 3 | _VARINT), _encoded_varint(value)]
            elif isinstance(value, memoryview):
                parts += [_encoded_varint(number << 3 | _DELIMITED), _encoded_varint(len(value)), value]
            else:
                parts += [_encoded_varint(number << 3 | _FIXED32), value]
    return b"".join(parts)


def _encoded_varint(value: int) -> bytes:
    value &= 0xFFFF_FFFF_FFFF_FFFF  # a negative number is stored as its two's complement
    groups = bytearray()
    while value > 0x7F:
        groups.append(value & 0x7F | 0x80)
        value >>= 7
    groups.append(value)
    return bytes(groups)
