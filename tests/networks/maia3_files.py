"""Small networks with Maia-3's inputs and outputs and random weights, exported for one position."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

WIDTH, HEADS = 16, 2


class Export:
    """Collects nodes as an exporter would, with the batch of 1 written into every shape."""

    def __init__(self) -> None:
        self.rng = np.random.default_rng(11)
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def const(self, values: NDArray[np.generic] | np.float32 | list[int]) -> str:
        array = np.array(values, dtype=np.int64) if isinstance(values, list) else np.asarray(values)
        self.constants.append(numpy_helper.from_array(array, f"val_{len(self.constants)}"))
        return self.constants[-1].name

    def weight(self, *shape: int) -> str:
        return self.const((self.rng.normal(size=shape) / np.sqrt(shape[0])).astype(np.float32))

    def op(self, kind: str, *inputs: str, outputs: int = 1, **attributes: Any) -> str:
        names = [f"{kind.lower()}_{len(self.nodes)}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(kind, list(inputs), names, **attributes))
        return names[0]

    def reshape(self, value: str, *shape: int) -> str:
        return self.op("Reshape", value, self.const(list(shape)), allowzero=1)


def rating(export: Export, name: str, low: str, high: str) -> str:
    """The rating's embedding, repeated for every square."""
    one, most = export.const(np.float32(1)), export.const(np.float32(5000))
    number = export.op("Cast", name, to=TensorProto.FLOAT)
    share = export.op("Div", export.op("Clip", number, export.const(np.float32(0)), most), most)
    rest = export.op("Sub", one, share)
    axis = export.const([1])
    mixed = export.op(
        "Add",
        export.op("Mul", export.op("Unsqueeze", share, axis), low),
        export.op("Mul", export.op("Unsqueeze", rest, axis), high),
    )
    return export.op("Expand", export.op("Unsqueeze", mixed, axis), export.const([1, 64, 1]))


def attention(export: Export, x: str, squares: int, *, merged: bool) -> str:
    """Self-attention; `merged` folds the heads into the batch, as older exporters write it."""
    size = WIDTH // HEADS
    lead = (HEADS,) if merged else (1, HEADS)
    parts = []
    for _ in range(3):
        part = export.reshape(export.op("MatMul", x, export.weight(WIDTH, WIDTH)), 1, squares, HEADS, size)
        part = export.op("Transpose", part, perm=[0, 2, 1, 3])
        parts.append(export.reshape(part, *lead, squares, size))
    flip = [0, 2, 1] if merged else [0, 1, 3, 2]
    scores = export.op("MatMul", parts[0], export.op("Transpose", parts[1], perm=flip))
    mixed = export.op("MatMul", export.op("Softmax", scores, axis=-1), parts[2])
    mixed = export.op("Transpose", export.reshape(mixed, 1, HEADS, squares, size), perm=[0, 2, 1, 3])
    return export.op("Add", x, export.reshape(mixed, 1, squares, WIDTH))


def maia3_model(batch: int | str = 1, *, moves: int = 4352, mixing: bool = False) -> onnx.ModelProto:
    """Ratings, a class token that is joined to the squares, attention, and the three outputs.

    `mixing` reshapes a value whose outermost dimension is the squares, not the batch: the same for one
    position, but for several it mixes them.
    """
    export = Export()
    low, high = export.weight(1, 4), export.weight(1, 4)
    ratings = [rating(export, name, low, high) for name in ("self_elo", "oppo_elo")]
    joined = export.op("Concat", "tokens", *ratings, axis=-1)
    x = export.op("MatMul", joined, export.weight(104, WIDTH))
    x = export.op("Concat", export.weight(1, 1, WIDTH), x, axis=1)
    x = attention(export, x, 65, merged=False)
    x = attention(export, x, 65, merged=True)
    by_square = export.op("Transpose", x, perm=[1, 0, 2])
    squares = export.op("GatherND", by_square, export.const(np.arange(1, 65, dtype=np.int64)[:, None]))
    if mixing:
        squares = export.reshape(squares, 1, 64, WIDTH)
    else:
        squares = export.op("Transpose", squares, perm=[1, 0, 2])
    origins, targets = (export.op("MatMul", squares, export.weight(WIDTH, WIDTH)) for _ in range(2))
    scores = export.op("MatMul", origins, export.op("Transpose", targets, perm=[0, 2, 1]))
    flat = export.reshape(export.reshape(scores, 1, -1), 1, 4096)
    pooled = export.op("ReduceMean", x, export.const([1]), keepdims=0)
    promotions = export.op("Gemm", pooled, export.weight(WIDTH, moves - 4096))
    outputs = {
        "logits_move": export.op("Concat", flat, promotions, axis=1),
        "logits_value": export.op("Gemm", pooled, export.weight(WIDTH, 3)),
        "logits_ponder": export.op(
            "Squeeze", export.op("Gemm", pooled, export.weight(WIDTH, 1)), export.const([1])
        ),
    }
    nodes = [*export.nodes, *(helper.make_node("Identity", [v], [n]) for n, v in outputs.items())]
    value = helper.make_tensor_value_info
    graph = helper.make_graph(
        nodes,
        "small",
        [
            value("tokens", TensorProto.FLOAT, [batch, 64, 96]),
            value("self_elo", TensorProto.INT64, [batch]),
            value("oppo_elo", TensorProto.INT64, [batch]),
        ],
        [
            value("logits_move", TensorProto.FLOAT, [batch, moves]),
            value("logits_value", TensorProto.FLOAT, [batch, 3]),
            value("logits_ponder", TensorProto.FLOAT, [batch]),
        ],
        export.constants,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
