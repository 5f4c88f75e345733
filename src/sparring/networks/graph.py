"""Builds ONNX graphs: a thin layer over onnx.helper that names values and counts parameters.

Readers create every node with `op`, so the set of operators stays small; `sparring.networks.torch_executor`
implements the same ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from sparring._core import lc0_policy_moves
from sparring.networks.card import ModelCard, write_card

OPSET = 18
_IR_VERSION = 9
BATCH_DIMENSION = "batch"
"""The name of the dynamic first dimension of every input and output."""


class GraphBuilder:
    """An ONNX graph under construction. Values are referred to by name."""

    def __init__(self, graph: onnx.GraphProto | None = None, prefix: str = "") -> None:
        """Begins with an empty graph, or adds to `graph`: the names of the new values have the prefix."""
        self._graph = onnx.GraphProto() if graph is None else graph
        self._prefix = prefix
        self.parameters = 0

    def input(self, name: str, shape: Sequence[int | str], dtype: int = TensorProto.FLOAT) -> str:
        """Adds an input of shape [batch, *shape]; a string in the shape is a dynamic dimension."""
        self._graph.input.append(helper.make_tensor_value_info(name, dtype, [BATCH_DIMENSION, *shape]))
        return name

    def weights(self, array: NDArray[np.float32]) -> str:
        """Adds trained weights, which count as parameters."""
        self.parameters += array.size
        return self.constant(np.asarray(array, dtype=np.float32))

    def constant(self, array: NDArray[np.generic]) -> str:
        """Adds a constant that is not trained, such as a shape or indices."""
        name = f"{self._prefix}c{len(self._graph.initializer)}"
        self._graph.initializer.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def op(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """Adds a node and returns the name of its first output."""
        name = f"{self._prefix}{kind.lower()}_{len(self._graph.node)}"
        self._graph.node.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

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
        self._graph.node.append(helper.make_node("Identity", [value], [name]))
        info = helper.make_tensor_value_info(name, TensorProto.FLOAT, [BATCH_DIMENSION, *shape])
        self._graph.output.append(info)

    def build(self, card: ModelCard) -> onnx.ModelProto:
        """The model, checked by ONNX, with its card."""
        self._graph.name = card.name
        opsets = [helper.make_opsetid("", OPSET)]
        model = helper.make_model(self._graph, opset_imports=opsets, ir_version=_IR_VERSION)
        model.producer_name = "sparring"
        write_card(model, card)
        onnx.checker.check_model(model)
        return model


def attention_policy_map() -> NDArray[np.int64]:
    """The index of each of Lc0's 1858 moves in an attention policy: 64 from-squares by 64 to-squares, then
    promotions by files and by piece (queen, rook, bishop), [moves]."""

    def place(start: int, end: int, promotion: int) -> int:
        if not promotion:
            return start * 64 + end
        return 64 * 64 + (start % 8 * 8 + end % 8) * 3 + (4, 3, 2).index(promotion)

    return np.array([place(*move) for move in lc0_policy_moves()], dtype=np.int64)
