"""The graph builder with the library `onnx`: what `sparring.networks.graph` writes must be the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from sparring.networks.card import ModelCard, write_card
from sparring.networks.graph import BATCH_DIMENSION, OPSET


class LibraryBuilder:
    """An ONNX graph under construction, of the library's objects."""

    def __init__(self, content: bytes | None = None, prefix: str = "") -> None:
        self.model = onnx.ModelProto()
        if content is not None:
            self.model.ParseFromString(content)
        self.graph = self.model.graph
        self.prefix = prefix
        self.parameters = 0

    def input(self, name: str, shape: Sequence[int | str], dtype: int = TensorProto.FLOAT) -> str:
        self.graph.input.append(helper.make_tensor_value_info(name, dtype, [BATCH_DIMENSION, *shape]))
        return name

    def weights(self, array: NDArray[np.float32]) -> str:
        self.parameters += array.size
        return self.constant(np.asarray(array, dtype=np.float32))

    def constant(self, array: NDArray[np.generic]) -> str:
        name = f"{self.prefix}c{len(self.graph.initializer)}"
        self.graph.initializer.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def op(self, kind: str, *inputs: str, **attributes: Any) -> str:
        name = f"{self.prefix}{kind.lower()}_{len(self.graph.node)}"
        self.graph.node.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def split(self, value: str, sizes: Sequence[int], axis: int) -> list[str]:
        name = self.op("Split", value, self.constant(np.array(sizes, np.int64)), axis=axis)
        parts = [f"{name}_{i}" for i in range(len(sizes))]
        self.graph.node[-1].output[:] = parts
        return parts

    def reshape(self, value: str, *shape: int) -> str:
        return self.op("Reshape", value, self.constant(np.array(shape, dtype=np.int64)))

    def gather_columns(self, value: str, indices: NDArray[np.int64]) -> str:
        columns = self.op("Gather", self.op("Transpose", value, perm=[1, 0]), self.constant(indices), axis=0)
        return self.op("Transpose", columns, perm=[1, 0])

    def output(self, name: str, value: str, shape: Sequence[int | str]) -> None:
        self.graph.node.append(helper.make_node("Identity", [value], [name]))
        info = helper.make_tensor_value_info(name, TensorProto.FLOAT, [BATCH_DIMENSION, *shape])
        self.graph.output.append(info)

    def only_output(self, name: str) -> None:
        del self.graph.output[:]
        self.graph.output.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, None))

    def rename(self, old: str, new: str) -> None:
        for node in self.graph.node:
            for names in (node.input, node.output):
                for i, name in enumerate(names):
                    if name == old:
                        names[i] = new

    def content(self) -> bytes:
        content: bytes = self.model.SerializeToString()
        return content

    def build(self, card: ModelCard) -> onnx.ModelProto:
        self.graph.name = card.name
        opsets = [helper.make_opsetid("", OPSET)]
        model = helper.make_model(self.graph, opset_imports=opsets, ir_version=9)
        model.producer_name = "sparring"
        write_card(model, card)
        onnx.checker.check_model(model)
        return model
