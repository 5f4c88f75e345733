"""Exports a student to ONNX with a model card: blocks in 8 bits, other large arrays in 16.

    python -m studies.student.export CHECKPOINT.pt OUT.onnx --card CARD.json

CARD.json has the fields of `ModelCard` that the network does not determine: name, source, licence,
trained_on, accuracy and limitations.
"""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import TensorProto
from torch import Tensor

from sparring.networks.card import ModelCard
from sparring.networks.conditioned import InputSpec
from sparring.networks.graph import GraphBuilder
from studies.student.blocks import MAX_WEIGHT, SQUARES, Block
from studies.student.network import CLOCK_KNOTS, CONTEXT, KNOTS, PLANES, Student, load_student

_SMALL = 512
"""Arrays with fewer numbers stay in float32."""
_RULE_50 = 109
"""The plane of the rule-50 counter."""


class _Writer:
    """Writes the parts of a student into one graph. Methods take and return names of graph values.

    Values between blocks are [batch * 64, width] in float networks and [batch, 64, width] in 8-bit networks:
    ONNX Runtime runs a two-dimensional product with a bias in float.
    """

    def __init__(self, ranges: dict[str, float]) -> None:
        self.graph = GraphBuilder()
        self.ranges = ranges

    def weights(self, tensor: Tensor) -> str:
        array = _array(tensor)
        if array.size < _SMALL:
            return self.graph.weights(array)
        self.graph.parameters += array.size
        return self.graph.op("Cast", self.graph.constant(array.astype(np.float16)), to=TensorProto.FLOAT)

    def number(self, value: float) -> str:
        return self.graph.constant(np.array(value, np.float32))

    def indices(self, *values: int) -> str:
        return self.graph.constant(np.array(values, np.int64))

    def linear(self, x: str, weight: Tensor, bias: Tensor | None = None) -> str:
        """Over [rows, inputs]."""
        biases = [] if bias is None else [self.weights(bias)]
        return self.graph.op("Gemm", x, self.weights(weight), *biases, transB=1)

    def layer(self, name: str, x: str, weight: Tensor, bias: Tensor | None = None) -> str:
        """A layer of a block, in 8 bits if the range of its input is known."""
        if not self.ranges:
            return self.linear(x, weight, bias)
        return self.linear_8_bits(self.quantised(x, self.ranges[name]), weight, bias)

    def quantised(self, x: str, limit: float) -> str:
        """Rounds the input of a layer. ONNX Runtime fuses this and the layer into an integer product."""
        scale, zero = self.number(limit / 127), self.graph.constant(np.array(128, np.uint8))
        steps = self.graph.op("QuantizeLinear", x, scale, zero)
        return self.graph.op("DequantizeLinear", steps, scale, zero)

    def linear_8_bits(self, x: str, weight: Tensor, bias: Tensor | None = None) -> str:
        graph, array = self.graph, _array(weight)
        scales = (np.maximum(np.abs(array).max(1), 1e-12) / MAX_WEIGHT).astype(np.float32)
        steps = np.clip(np.round(array / scales[:, None]), -MAX_WEIGHT, MAX_WEIGHT).astype(np.int8)
        graph.parameters += array.size
        zeros = graph.constant(np.zeros(len(scales), np.int8))
        weights = graph.op("DequantizeLinear", graph.constant(steps.T), graph.constant(scales), zeros, axis=1)
        y = graph.op("MatMul", x, weights)
        return y if bias is None else graph.op("Add", y, self.weights(bias))

    def once(self, x: str, width: int) -> str:
        """The first of the two equal rows for each board: [batch * 2, width] to [batch, width]."""
        first = self.graph.op("Gather", self.graph.reshape(x, -1, 2, width), self.indices(0), axis=1)
        return self.graph.reshape(first, -1, width)

    def rows(self, x: str, width: int) -> str:
        """The shape between blocks."""
        return self.graph.reshape(x, *((-1, SQUARES, width) if self.ranges else (-1, width)))

    def gelu(self, x: str) -> str:
        """In the form that ONNX Runtime fuses into one operator."""
        graph = self.graph
        erf = graph.op("Erf", graph.op("Div", x, self.number(math.sqrt(2))))
        return graph.op("Mul", graph.op("Mul", x, graph.op("Add", erf, self.number(1))), self.number(0.5))

    def layer_norm(self, x: str, norm: Any) -> str:
        weights = self.weights(norm.weight), self.weights(norm.bias)
        return self.graph.op("LayerNormalization", x, *weights, axis=-1, epsilon=norm.eps)

    def rms_norm(self, x: str, norm: Any) -> str:
        """In the form that ONNX Runtime fuses into one operator."""
        graph = self.graph
        mean = graph.op("ReduceMean", graph.op("Pow", x, self.number(2)), self.indices(-1), keepdims=1)
        root = graph.op("Sqrt", graph.op("Add", mean, self.number(1e-5)))
        return graph.op("Mul", graph.op("Div", x, root), self.weights(norm.weight))

    def means(self, x: str, width: int) -> str:
        """Means over the squares, in two equal rows for each board: [batch * 2, width].

        The result must not depend on the batch. ONNX Runtime has special kernels for the mean of one board
        and for products with one row. Their rounding differs, and the blocks' rounding to 8 bits makes that a
        difference of 0.01 in a probability. A product with two rows is the same for every batch.
        """
        average = self.graph.constant(np.full((2, SQUARES), 1 / SQUARES, np.float32))
        product = self.graph.op("MatMul", average, self.graph.reshape(x, -1, SQUARES, width))
        return self.graph.reshape(product, -1, width)

    def conditioning(self, student: Student, context: str) -> str:
        """The embedding [batch, width] of ratings and clock."""
        graph = self.graph

        def columns(*which: int) -> str:
            return graph.op("Gather", context, self.indices(*which), axis=1)

        hats = self.hats(graph.reshape(columns(0, 2), -1, 2, 1), KNOTS)
        hats = graph.op("Mul", hats, graph.reshape(columns(1, 3), -1, 2, 1))
        clock = graph.op("Mul", columns(4), columns(5))
        clock_hats = graph.op("Mul", self.hats(columns(4), CLOCK_KNOTS), columns(5))
        inputs = graph.op("Concat", graph.reshape(hats, -1, 2 * KNOTS), clock, columns(5), clock_hats, axis=1)
        twice = graph.op("Concat", inputs, inputs, axis=1)  # two rows each, as in `means`
        weight = student.conditioning.weight
        return self.once(self.linear(graph.reshape(twice, -1, CONTEXT), weight), len(weight))

    def hats(self, values: str, knots: int) -> str:
        """Hat functions [..., knots] of values [..., 1] in [0, 1]."""
        graph = self.graph
        steps = graph.op("Mul", values, self.number(knots - 1))
        distance = graph.op("Abs", graph.op("Sub", steps, graph.constant(np.arange(knots, dtype=np.float32))))
        return graph.op("Relu", graph.op("Sub", self.number(1), distance))

    def embedding(self, student: Student, planes: str, context: str) -> str:
        graph, width = self.graph, student.shape.width
        scales = np.ones((PLANES, 1), np.float32)
        scales[_RULE_50] = 1 / 100
        x = graph.op("Cast", graph.reshape(planes, -1, PLANES, SQUARES), to=TensorProto.FLOAT)
        tokens = graph.op("Transpose", graph.op("Mul", x, graph.constant(scales)), perm=[0, 2, 1])
        x = self.linear(graph.reshape(tokens, -1, PLANES), student.embed.weight, student.embed.bias)
        x = graph.reshape(x, -1, SQUARES, width)
        x = graph.op("Add", x, self.weights(student.squares))
        x = graph.op("Add", x, graph.reshape(self.conditioning(student, context), -1, 1, width))
        return self.rows(x, width)

    def attention_bias(self, block: Block, x: str, templates: str, width: int) -> str:
        """The bias [batch, heads, 64, 64] that a board mixes from the templates."""
        graph = self.graph
        board = self.linear(self.means(x, width), block.compress.weight, block.compress.bias)
        board = self.layer_norm(self.gelu(board), block.compress_norm)
        mixed = self.gelu(self.linear(board, block.mix.weight, block.mix.bias))
        mixed = self.once(self.layer_norm(mixed, block.mix_norm), block.heads * block.templates)
        bias = graph.op("MatMul", graph.reshape(mixed, -1, block.templates), templates)
        return graph.reshape(bias, -1, block.heads, SQUARES, SQUARES)

    def block(self, name: str, block: Block, x: str, templates: str, width: int) -> str:
        graph, heads = self.graph, block.heads
        depth = width // heads
        bias = self.attention_bias(block, x, templates, width)
        weight = block.qkv.weight.detach().float().clone()
        weight[:width] *= depth**-0.5
        shown = self.quantised(x, self.ranges[f"{name}.qkv"]) if self.ranges else x
        project = self.linear_8_bits if self.ranges else self.linear
        parts = []
        for part, order in zip(
            torch.split(weight, width), ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]), strict=True
        ):
            split = graph.reshape(project(shown, part), -1, SQUARES, heads, depth)
            parts.append(graph.op("Transpose", split, perm=order))
        scores = graph.op("Add", graph.op("MatMul", parts[0], parts[1]), bias)
        seen = graph.op("MatMul", graph.op("Softmax", scores, axis=-1), parts[2])
        seen = self.rows(graph.op("Transpose", seen, perm=[0, 2, 1, 3]), width)
        attended = self.layer(f"{name}.project", seen, block.project.weight)
        x = self.rms_norm(graph.op("Add", x, attended), block.norm1)
        hidden = self.layer(f"{name}.ffn_in", x, block.ffn_in.weight, block.ffn_in.bias)
        y = self.layer(f"{name}.ffn_out", self.gelu(hidden), block.ffn_out.weight, block.ffn_out.bias)
        return self.rms_norm(graph.op("Add", x, y), block.norm2)

    def policy(self, student: Student, x: str) -> str:
        """Logits [batch, 1858] of Lc0's moves, from the scores of from-squares, to-squares and promotions."""
        graph, size = self.graph, student.shape.asked
        query = self.linear(x, student.query.weight * size**-0.5)
        key = graph.reshape(self.linear(x, student.key.weight), -1, SQUARES, size)
        scores = graph.op(
            "MatMul",
            graph.reshape(query, -1, SQUARES, size),
            graph.op("Transpose", key, perm=[0, 2, 1]),
        )
        plain = graph.reshape(scores, -1, SQUARES * SQUARES)
        last_rank = graph.op("Gather", key, self.indices(*range(56, 64)), axis=1)
        extra = graph.op("MatMul", last_rank, self.weights(student.promotion.weight.t() * size**0.5))
        pushes = (np.arange(48, 56)[:, None] * SQUARES + np.arange(56, 64)).reshape(-1)
        base = graph.reshape(graph.op("Gather", plain, self.indices(*pushes), axis=1), -1, 8, 8, 1)
        promotions = graph.op("Add", base, graph.reshape(extra, -1, 1, 8, 3))
        both = graph.op("Concat", plain, graph.reshape(promotions, -1, 8 * 8 * 3), axis=1)
        return graph.op("Gather", both, graph.constant(student.columns.cpu().numpy()), axis=1)

    def wdl(self, student: Student, x: str) -> str:
        """Probabilities [batch, 3] of win, draw and loss."""
        pooled = self.layer_norm(self.means(x, student.shape.width), student.value_norm)
        embedded = self.linear(pooled, student.value_embed.weight, student.value_embed.bias)
        result = self.linear(self.graph.op("Relu", embedded), student.wdl.weight, student.wdl.bias)
        return self.graph.op("Softmax", self.once(result, 3), axis=-1)


def export(student: Student, card: dict[str, str], ranges: dict[str, float] | None = None) -> onnx.ModelProto:
    """Returns the ONNX model of a student, for the codec `people`.

    `card` has the fields of the ModelCard that the network does not determine. With `ranges` (`input_ranges`)
    the blocks' layers run in 8 bits.
    """
    writer, shape = _Writer(ranges or {}), student.shape
    graph, width = writer.graph, shape.width
    planes = graph.input("planes", (PLANES, 8, 8), TensorProto.UINT8)
    x = writer.embedding(student, planes, graph.input("context", (6,)))
    templates = writer.weights(student.tower.templates.t().contiguous())
    for name, block in student.tower.blocks.named_children():
        assert isinstance(block, Block)
        x = writer.block(name, block, x, templates, width)
    x = writer.layer_norm(x, student.tower.norm)
    graph.output("policy", writer.policy(student, graph.reshape(x, -1, width)), (len(student.columns),))
    graph.output("wdl", writer.wdl(student, x), (3,))
    return graph.build(
        ModelCard(
            game="chess",
            codec="people",
            architecture=_describe(student, bool(ranges)),
            parameters=sum(p.numel() for p in student.parameters()),
            settings=dict(vars(_input_spec(student))),
            **card,
        )
    )


def _input_spec(student: Student) -> InputSpec:
    """A range of ratings from 0 to 1 stands for a network without ratings."""
    return InputSpec("chess", "lc0") if student.sees_context else InputSpec("chess", "lc0", 1, 0, 1)


def _describe(student: Student, in_8_bits: bool) -> str:
    shape = student.shape
    conditioned = "conditioned on both players' ratings and on the clock, " if student.sees_context else ""
    bits = "; block layers in 8 bits (weights in 7)" if in_8_bits else ""
    return (
        f"attention {shape.layers}x{shape.width}, {shape.heads} heads, feed-forward {shape.hidden}, "
        f"geometric bias of {shape.templates} templates, {conditioned}from-to policy, WDL{bits}"
    )


def _array(tensor: Tensor) -> NDArray[np.float32]:
    array: NDArray[np.float32] = np.ascontiguousarray(tensor.detach().float().cpu().numpy())
    return array


def main() -> None:
    """Runs the command."""
    parser = argparse.ArgumentParser(description="Exports a student to ONNX.")
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--card", type=Path, required=True, help="JSON file with fields of the model card")
    parser.add_argument("--float", action="store_true", help="all layers in float")
    options = parser.parse_args()
    student, ranges = load_student(options.checkpoint)
    card = json.loads(options.card.read_text())
    onnx.save(export(student, card, None if options.float else ranges), options.out)


if __name__ == "__main__":
    main()
