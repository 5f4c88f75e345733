"""Builds and extends ONNX graphs in the wire format: values have names, trained parameters are counted.

Readers create every node with `op`, so the set of operators stays small; `sparring.networks.torch_executor`
implements the same ones. Only `build`, which lets ONNX check the graph, needs the library `onnx`.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sparring._core import lc0_policy_moves
from sparring.networks import onnx_reader as onnx_format
from sparring.networks.card import ModelCard, write_card
from sparring.networks.onnx_reader import FieldValue, encode, parse

if TYPE_CHECKING:
    import onnx

OPSET = 18
_IR_VERSION = 9
BATCH_DIMENSION = "batch"
"""The name of the dynamic first dimension of every input and output."""
Attribute: TypeAlias = int | float | str | Sequence[int]
"""An attribute of a node."""


class GraphBuilder:
    """An ONNX graph under construction. Values are referred to by name."""

    def __init__(self, content: bytes | None = None, prefix: str = "") -> None:
        """Begins with an empty graph, or extends that of an ONNX file: the names of the new values have the
        prefix. Raises BadFile."""
        self._model: Mapping[int, Sequence[FieldValue]] = {}
        self._graph: dict[int, list[FieldValue]] = {}
        if content is not None:
            model, graph = onnx_format.parse_model(content)
            self._model = model.fields
            self._graph = {number: list(values) for number, values in graph.fields.items()}
        self._nodes = self._graph.setdefault(onnx_format.NODES, [])
        self._constants = self._graph.setdefault(onnx_format.WEIGHTS, [])
        self._prefix = prefix
        self.parameters = 0

    def input(self, name: str, shape: Sequence[int | str], dtype: int = onnx_format.FLOAT) -> str:
        """Adds an input of shape [batch, *shape]; a string in the shape is a dynamic dimension."""
        info = _value_info(name, dtype, [BATCH_DIMENSION, *shape])
        self._graph.setdefault(onnx_format.INPUTS, []).append(info)
        return name

    def weights(self, array: NDArray[np.float32]) -> str:
        """Adds trained weights, which count as parameters."""
        self.parameters += array.size
        return self.constant(np.asarray(array, dtype=np.float32))

    def constant(self, array: NDArray[np.generic]) -> str:
        """Adds a constant that is not trained, such as a shape or indices."""
        name = f"{self._prefix}c{len(self._constants)}"
        self._constants.append(_tensor(array, name))
        return name

    def op(self, kind: str, *inputs: str, **attributes: Attribute) -> str:
        """Adds a node and returns the name of its output."""
        name = self._new_name(kind)
        self._add(kind, inputs, [name], attributes)
        return name

    def split(self, value: str, sizes: Sequence[int], axis: int) -> list[str]:
        """Splits a value along an axis into parts of these sizes."""
        name, lengths = self._new_name("Split"), self.constant(np.array(sizes, np.int64))
        parts = [f"{name}_{i}" for i in range(len(sizes))]
        self._add("Split", [value, lengths], parts, {"axis": axis})
        return parts

    def reshape(self, value: str, *shape: int) -> str:
        """Reshapes a value; 0 keeps a dimension, -1 is inferred."""
        return self.op("Reshape", value, self.constant(np.array(shape, dtype=np.int64)))

    def gather_columns(self, value: str, indices: NDArray[np.int64]) -> str:
        """Selects columns of [batch, columns].

        The gather runs on the transposed matrix, where a column is one copy for the whole batch; gathering
        single elements takes three times as long.
        """
        columns = self.op("Gather", self.op("Transpose", value, perm=[1, 0]), self.constant(indices), axis=0)
        return self.op("Transpose", columns, perm=[1, 0])

    def output(self, name: str, value: str, shape: Sequence[int | str]) -> None:
        """Adds an output of shape [batch, *shape] under a name."""
        self._add("Identity", [value], [name], {})
        info = _value_info(name, onnx_format.FLOAT, [BATCH_DIMENSION, *shape])
        self._graph.setdefault(onnx_format.OUTPUTS, []).append(info)

    def only_output(self, name: str) -> None:
        """Makes a value of any shape the only output."""
        self._graph[onnx_format.OUTPUTS] = [_value_info(name, onnx_format.FLOAT, None)]

    def rename(self, old: str, new: str) -> None:
        """Gives a value that nodes compute another name. Outputs of the graph keep theirs."""
        for i, value in enumerate(self._nodes):
            assert isinstance(value, memoryview)
            node = parse(value)
            ends = (onnx_format.NODE_INPUTS, onnx_format.NODE_OUTPUTS)
            names = {end: node.texts(end, "names") for end in ends}
            if any(old in part for part in names.values()):
                renamed = {end: [_text(new if name == old else name) for name in names[end]] for end in ends}
                self._nodes[i] = _message({**node.fields, **renamed})

    def content(self) -> bytes:
        """The file that is extended, with this graph."""
        return encode({**self._model, onnx_format.GRAPH: [_message(self._graph)]})

    def build(self, card: ModelCard) -> onnx.ModelProto:
        """The model, checked by ONNX, with its card."""
        import onnx

        graph = onnx.GraphProto.FromString(encode(self._graph))
        graph.name = card.name
        opsets = [onnx.helper.make_opsetid("", OPSET)]
        model = onnx.helper.make_model(graph, opset_imports=opsets, ir_version=_IR_VERSION)
        model.producer_name = "sparring"
        write_card(model, card)
        onnx.checker.check_model(model)
        return model

    def _new_name(self, kind: str) -> str:
        return f"{self._prefix}{kind.lower()}_{len(self._nodes)}"

    def _add(
        self, kind: str, inputs: Sequence[str], outputs: Sequence[str], attributes: Mapping[str, Attribute]
    ) -> None:
        node = {
            onnx_format.NODE_INPUTS: [_text(name) for name in inputs],
            onnx_format.NODE_OUTPUTS: [_text(name) for name in outputs],
            onnx_format.OPERATOR: [_text(kind)],
            onnx_format.ATTRIBUTES: [_attribute(name, attributes[name]) for name in sorted(attributes)],
        }
        self._nodes.append(_message(node))


# The parts of a graph in the wire format. The numbers are those of onnx.proto.


def _message(fields: Mapping[int, Sequence[FieldValue]]) -> memoryview:
    return memoryview(encode(fields))


def _text(text: str) -> memoryview:
    return memoryview(text.encode())


def _attribute(name: str, value: Attribute) -> memoryview:
    real, integer, text, integers, kind = 2, 3, 4, 8, 20
    fields: dict[int, Sequence[FieldValue]] = {1: [_text(name)]}
    if isinstance(value, str):
        fields |= {text: [_text(value)], kind: [3]}
    elif isinstance(value, float):
        fields |= {real: [struct.pack("<f", value)], kind: [1]}
    elif isinstance(value, int):
        fields |= {integer: [value], kind: [2]}
    else:
        fields |= {integers: [int(number) for number in value], kind: [7]}
    return _message(fields)


def _tensor(array: NDArray[np.generic], name: str) -> memoryview:
    stored = np.ascontiguousarray(array)
    fields: dict[int, Sequence[FieldValue]] = {
        onnx_format.DIMS: stored.shape,
        onnx_format.TYPE: [onnx_format.type_number(stored.dtype)],
        onnx_format.NAME: [_text(name)],
        onnx_format.RAW: [memoryview(stored.astype(stored.dtype.newbyteorder("<"), copy=False).tobytes())],
    }
    return _message(fields)


def _value_info(name: str, dtype: int, shape: Sequence[int | str] | None) -> memoryview:
    tensor: dict[int, Sequence[FieldValue]] = {1: [dtype]}
    if shape is not None:
        dims = [_message({1: [dim]} if isinstance(dim, int) else {2: [_text(dim)]}) for dim in shape]
        tensor[2] = [_message({1: dims})]
    return _message({1: [_text(name)], 2: [_message({1: [_message(tensor)]})]})


def attention_policy_map() -> NDArray[np.int64]:
    """The index of each of Lc0's 1858 moves in an attention policy: 64 from-squares by 64 to-squares, then
    promotions by files and by piece (queen, rook, bishop), [moves]."""

    def place(start: int, end: int, promotion: int) -> int:
        if not promotion:
            return start * 64 + end
        return 64 * 64 + (start % 8 * 8 + end % 8) * 3 + (4, 3, 2).index(promotion)

    return np.array([place(*move) for move in lc0_policy_moves()], dtype=np.int64)
