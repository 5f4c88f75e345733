"""Exports a trained network as an ONNX graph with its model card, node by node as `training.model` computes
it.

Batch normalisation is folded into the convolutions, the scale of attention into the query weights. Large
weights are stored in float16 and cast to float32 at load time. Geometric networks have the layers of their
blocks in 8 bits if they were trained so. docs/training.md compares this with torch.onnx.export.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any, cast

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto
from torch import Tensor, nn

from sparring.games import NetworkLayout
from sparring.networks.card import ModelCard
from sparring.networks.conditioned import CONTEXT, InputSpec
from sparring.networks.graph import GraphBuilder
from sparring.training.config import TrainingConfig
from sparring.training.model import (
    KNOTS,
    LEAD_SCALE,
    MAX_WEIGHT,
    QUERY_WIDTH,
    TEMPLATES,
    AttentionBlock,
    AttentionTower,
    ContextEncoder,
    FactHeads,
    FromToHead,
    GeometricBlock,
    GeometricNetwork,
    PlanesHead,
    PointsHead,
    PolicyValueNetwork,
    ResidualBlock,
    ResidualTower,
    input_spec_of,
    layout_of,
)


def export(model: nn.Module, config: TrainingConfig, card: dict[str, Any]) -> onnx.ModelProto:
    """Returns the ONNX model. Its weights are those of `model`; `card` has further fields of the ModelCard.

    Inputs: `planes` uint8 [batch, planes, rows, columns], `context` float [batch, 6 or more]. Outputs:
    `policy` logits [batch, moves], `wdl` probabilities [batch, 3]; with facts `ownership` [batch, points]
    and `lead` [batch, 1]. The batch is dynamic; so is the board if the game has several board sizes.
    """
    layout = layout_of(config)
    if isinstance(model, GeometricNetwork):
        graph = _GeometricWriter(layout, model.input_ranges()).network(model)
        bits = "; block layers in 8 bits (weights in 7)" if model.input_ranges() else ""
    else:
        assert isinstance(model, PolicyValueNetwork)
        graph, bits = _Writer(layout).network(model, input_spec_of(config)), ""
    return graph.build(
        ModelCard(
            name=config.name,
            game=config.game,
            codec="people",
            architecture=describe_architecture(config) + bits,
            parameters=sum(parameter.numel() for parameter in model.parameters()),
            settings=dict(vars(input_spec_of(config))),
            **card,
        )
    )


def describe_architecture(config: TrainingConfig) -> str:
    """Returns a description of the architecture for the model card."""
    part = config.network
    shape = f"{part.blocks}x{part.width}"
    if part.kind == "residual":
        words = [f"residual {shape}", f"squeeze-and-excitation {part.se_ratio}"]
    else:
        words = [f"attention {shape}", f"{part.heads} heads"]
    if part.kind == "geometric":
        words.append(f"geometric bias of {TEMPLATES} templates")
    if part.rating_range:
        words.append("conditioned on both players' ratings")
    if part.clock:
        words.append("and on the clock")
    if part.servers:
        words.append(f"and on the server ({', '.join(part.servers)})")
    facts = ["ownership", "lead"] if part.facts else []
    return ", ".join([*words, f"{layout_of(config).head} policy", "WDL", *facts])


class _Writer:
    """Writes the parts of a model into one graph. Methods take and return names of graph values."""

    def __init__(self, layout: NetworkLayout) -> None:
        self.graph = GraphBuilder()
        self._layout = layout

    def network(self, model: PolicyValueNetwork, spec: InputSpec) -> GraphBuilder:
        """Writes a whole network and returns the graph."""
        graph, layout = self.graph, self._layout
        side: tuple[int | str, ...] = (
            ("rows", "columns") if layout.any_board_size else (layout.rows, layout.columns)
        )
        planes = graph.input("planes", (layout.planes, *side), TensorProto.UINT8)
        context = graph.input("context", (spec.context_width,))
        x = graph.op("Cast", planes, to=TensorProto.FLOAT)
        x = graph.op("Mul", x, graph.constant(_array(model.scales)))
        conditioning = self.context(model.context, context, spec.context_width)
        if isinstance(model.tower, ResidualTower):
            x = self.residual(model.tower, x, conditioning)
        else:
            x = self.attention(model.tower, x, conditioning)
        moves: int | str = "moves" if layout.any_board_size else layout.moves
        graph.output("policy", self.policy(model.policy, x), (moves,))
        pooled = self.means(x, model.value_embed.in_features)
        value_hidden = graph.op("Add", self.dense(pooled, model.value_embed),
                          self.dense(conditioning, model.condition))  # fmt: skip
        value_hidden = graph.op("Relu", value_hidden)
        result = self.dense(value_hidden, model.result)
        if model.facts is not None:
            komi = graph.op("Mul", self.columns(context, CONTEXT), self.number(model.komi_unit))
            owner, lead, of_lead = self.facts(model.facts, x, value_hidden, komi)
            result = graph.op("Add", result, of_lead)
            graph.output("ownership", owner, ("points" if layout.any_board_size else layout.cells,))
            graph.output("lead", lead, (1,))
        graph.output("wdl", graph.op("Softmax", result, axis=-1), (3,))
        return graph

    def facts(self, heads: FactHeads, x: str, hidden: str, komi: str) -> tuple[str, str, str]:
        """Ownership [batch, points], lead [batch, 1] and its part of the result's logits [batch, 3]."""
        graph = self.graph
        middle = graph.op("Relu", self.convolution(x, heads.middle))
        owner = graph.op("Tanh", graph.op("Flatten", self.convolution(middle, heads.owner), axis=1))
        lead = graph.op("ReduceSum", owner, self.indices(1), keepdims=1)
        lead = graph.op("Add", graph.op("Add", lead, komi), self.dense(hidden, heads.correction))
        return owner, lead, self.dense(graph.op("Mul", lead, self.number(LEAD_SCALE)), heads.to_result)

    def number(self, value: float) -> str:
        return self.graph.constant(np.array(value, np.float32))

    def indices(self, *values: int) -> str:
        return self.graph.constant(np.array(values, np.int64))

    def columns(self, x: str, *which: int) -> str:
        return self.graph.op("Gather", x, self.indices(*which), axis=1)

    def hats(self, values: str, ratings: int, knots: Tensor) -> str:
        """Hat functions [batch, ratings, KNOTS] of values [batch, ratings] in 0..1."""
        graph = self.graph
        steps = graph.op("Mul", graph.reshape(values, -1, ratings, 1), self.number(KNOTS - 1))
        away = graph.op("Abs", graph.op("Sub", steps, graph.constant(_array(knots))))
        return graph.op("Relu", graph.op("Sub", self.number(1), away))

    def heads(self, parts: Iterable[str], heads: int, depth: int, bias: Callable[[str], str]) -> str:
        """Attention of projected queries, keys and values, made one by one; `bias` adds to scores."""
        graph, cells = self.graph, self._layout.cells
        query, key, value = (
            graph.op("Transpose", graph.reshape(part, -1, cells, heads, depth), perm=order)
            for part, order in zip(parts, ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]), strict=True)
        )
        scores = bias(graph.op("MatMul", query, key))
        attended = graph.op("MatMul", graph.op("Softmax", scores, axis=-1), value)
        return graph.op("Transpose", attended, perm=[0, 2, 1, 3])

    def weights(self, array: NDArray[Any]) -> str:
        """Adds an array; arrays of 512 numbers or more are stored in float16."""
        if array.size < 512:
            return self.graph.weights(array)
        stored = self.graph.constant(array.astype(np.float16))
        self.graph.parameters += array.size
        return self.graph.op("Cast", stored, to=TensorProto.FLOAT)

    def dense(self, x: str, layer: nn.Linear) -> str:
        """Linear layer: [rows, inputs] to [rows, outputs]."""
        biases = [] if layer.bias is None else [self.weights(_array(layer.bias))]
        return self.graph.op("Gemm", x, self.weights(_array(layer.weight)), *biases, transB=1)

    def convolution(self, x: str, layer: nn.Conv2d, norm: nn.BatchNorm2d | None = None) -> str:
        weights = _array(layer.weight)
        if norm is None:
            biases = _array(cast(Tensor, layer.bias))
        else:
            scales = _array(norm.weight) / np.sqrt(_array(norm.running_var) + norm.eps)
            biases = _array(norm.bias) - _array(norm.running_mean) * scales
            weights = weights * scales[:, None, None, None]
        kernel = weights.shape[-1]
        return self.graph.op("Conv", x, self.weights(weights), self.weights(biases),
                             kernel_shape=[kernel, kernel], pads=[kernel // 2] * 4)  # fmt: skip

    def norm(self, x: str, layer: nn.LayerNorm) -> str:
        return self.graph.op(
            "LayerNormalization", x, self.weights(_array(layer.weight)), self.weights(_array(layer.bias)),
            axis=-1, epsilon=layer.eps,
        )  # fmt: skip

    def means(self, x: str, width: int) -> str:
        """Mean of each channel: [batch, width, rows, columns] to [batch, width]."""
        return self.graph.reshape(self.graph.op("GlobalAveragePool", x), -1, width)

    def context(self, part: ContextEncoder, context: str, width: int = CONTEXT) -> str:
        graph = self.graph
        known = graph.op("Mul", self.columns(context, 1, 3, 5), graph.constant(_array(part.enabled)))
        hats = self.hats(self.columns(context, 0, 2), 2, part.knots)
        of_ratings, of_clock = self.columns(known, 0, 1), self.columns(known, 2)
        hats = graph.op("Mul", hats, graph.reshape(of_ratings, -1, 2, 1))
        clock = graph.op("Mul", self.columns(context, 4), of_clock)
        further = [self.columns(context, *range(CONTEXT, width))] if width > CONTEXT else []
        condition = graph.op("Concat", graph.reshape(hats, -1, 2 * KNOTS), clock, of_clock, *further, axis=1)
        return graph.op("Relu", self.dense(condition, part.project))

    def residual(self, tower: ResidualTower, x: str, conditioning: str) -> str:
        x = self.graph.op("Relu", self.convolution(x, tower.stem, tower.stem_norm))
        for block in tower.blocks:
            x = self.residual_block(cast(ResidualBlock, block), x, conditioning)
        return x

    def residual_block(self, block: ResidualBlock, x: str, conditioning: str) -> str:
        graph, width = self.graph, block.first.in_channels
        y = graph.op("Relu", self.convolution(x, block.first, block.first_norm))
        y = self.convolution(y, block.second, block.second_norm)
        middle = graph.op(
            "Add", self.dense(self.means(y, width), block.squeeze), self.dense(conditioning, block.condition)
        )
        excited = self.dense(graph.op("Relu", middle), block.excite)
        halves = [self.columns(excited, *range(start, start + width)) for start in (0, width)]
        scale, shift = (graph.reshape(half, -1, width, 1, 1) for half in halves)
        y = graph.op("Add", graph.op("Mul", y, graph.op("Sigmoid", scale)), shift)
        return graph.op("Relu", graph.op("Add", y, x))

    def attention(self, tower: AttentionTower, x: str, conditioning: str) -> str:
        """Attention tower; between blocks the values are [batch * cells, width]."""
        graph, layout, width = self.graph, self._layout, tower.embed.out_features
        squares = graph.op("Transpose", graph.reshape(x, -1, layout.planes, layout.cells), perm=[0, 2, 1])
        x = self.dense(graph.reshape(squares, -1, layout.planes), tower.embed)
        x = graph.op(
            "Add", graph.reshape(x, -1, layout.cells, width), self.weights(_array(tower.position_embedding))
        )
        x = graph.op("Add", x, graph.reshape(self.dense(conditioning, tower.condition), -1, 1, width))
        x = graph.reshape(x, -1, width)
        smolgen_weights = (
            None if tower.smolgen_weights is None else self.weights(_array(tower.smolgen_weights))
        )
        for block in tower.blocks:
            x = self.attention_block(cast(AttentionBlock, block), x, conditioning, smolgen_weights)
        x = graph.reshape(self.norm(x, tower.norm), -1, layout.cells, width)
        x = graph.op("Transpose", x, perm=[0, 2, 1])
        return graph.reshape(x, -1, width, layout.rows, layout.columns)

    def attention_block(
        self, block: AttentionBlock, x: str, conditioning: str, smolgen_weights: str | None
    ) -> str:
        graph, cells = self.graph, self._layout.cells
        y = self.norm(x, block.attention_norm)
        attended = self.self_attention(block, y, smolgen_weights)
        x = graph.op("Add", x, self.dense(attended, block.attention_out))
        hidden = block.first.out_features
        middle = graph.reshape(self.dense(self.norm(x, block.ffn_norm), block.first), -1, cells, hidden)
        middle = graph.op(
            "Add", middle, graph.reshape(self.dense(conditioning, block.condition), -1, 1, hidden)
        )
        middle = graph.reshape(graph.op("Relu", middle), -1, hidden)
        return graph.op("Add", x, self.dense(middle, block.second))

    def self_attention(self, block: AttentionBlock, y: str, smolgen_weights: str | None) -> str:
        graph, cells, heads = self.graph, self._layout.cells, block.heads
        width = block.attention_out.in_features
        depth = width // heads
        weights, biases = _array(block.qkv.weight).copy(), _array(block.qkv.bias).copy()
        weights[:width] *= np.float32(depth**-0.5)
        biases[:width] *= np.float32(depth**-0.5)
        parts = (
            graph.op("Gemm", y, self.weights(part), self.weights(bias), transB=1)
            for part, bias in zip(np.split(weights, 3), np.split(biases, 3), strict=True)
        )

        def biased(scores: str) -> str:
            scores = graph.op("Add", scores, self.weights(_array(block.attention_bias)))
            if smolgen_weights is None:
                return scores
            compressed = graph.op("MatMul", y, self.weights(_array(block.smolgen_compress.weight).T))
            board = self.dense(
                graph.reshape(compressed, -1, block.smolgen_dense.in_features), block.smolgen_dense
            )
            generated = self.dense(
                self.norm(graph.op("Relu", board), block.smolgen_norm), block.smolgen_generate
            )
            bias = graph.op("MatMul", graph.reshape(generated, -1, block.smolgen_size), smolgen_weights)
            return graph.op("Add", scores, graph.reshape(bias, -1, heads, cells, cells))

        return graph.reshape(self.heads(parts, heads, depth, biased), -1, width)

    def policy(self, head: nn.Module, x: str) -> str:
        graph = self.graph
        match head:
            case PlanesHead():
                return graph.op("Flatten", self.convolution(x, head.convolution), axis=1)
            case PointsHead():
                middle = graph.op("Relu", self.convolution(x, head.middle))
                points = graph.op("Flatten", self.convolution(middle, head.point), axis=1)
                passing = self.dense(self.means(x, head.passing.in_features), head.passing)
                return graph.op("Concat", points, passing, axis=1)
            case FromToHead():
                return self.from_to(head, x)
            case _:
                raise TypeError(f"unknown policy head: {head}")

    def from_to(self, head: FromToHead, x: str) -> str:
        graph, cells, width = self.graph, self._layout.cells, head.query.in_features
        squares = graph.op("Transpose", graph.reshape(x, -1, width, cells), perm=[0, 2, 1])
        squares = graph.reshape(squares, -1, width)
        query = graph.reshape(self.dense(squares, head.query), -1, cells, QUERY_WIDTH)
        query = graph.op("Mul", query, graph.constant(np.array(QUERY_WIDTH**-0.5, np.float32)))
        key = graph.reshape(self.dense(squares, head.key), -1, cells, QUERY_WIDTH)
        return self.from_to_moves(query, key, _array(head.promotion.weight).T, _array(head.move_indices))

    def from_to_moves(
        self, query: str, key: str, promotion: NDArray[Any], move_indices: NDArray[np.int64]
    ) -> str:
        """Logits [batch, 1858] from queries and keys [batch, cells, size]."""
        graph, cells = self.graph, self._layout.cells
        scores = graph.op("MatMul", query, graph.op("Transpose", key, perm=[0, 2, 1]))
        plain = graph.reshape(scores, -1, cells * cells)
        last_rank = graph.op("Gather", key, graph.constant(np.arange(56, 64, dtype=np.int64)), axis=1)
        extra = graph.op("MatMul", last_rank, self.weights(promotion))
        ranks = (np.arange(48, 56)[:, None] * cells + np.arange(56, 64)).reshape(-1).astype(np.int64)
        knight = graph.reshape(graph.gather_columns(plain, ranks), -1, 8, 8, 1)
        promotions = graph.op("Add", knight, graph.reshape(extra, -1, 1, 8, 3))
        both = graph.op("Concat", plain, graph.reshape(promotions, -1, 8 * 8 * 3), axis=1)
        return graph.gather_columns(both, move_indices)


class _GeometricWriter(_Writer):
    """Writes a geometric network.

    Values between blocks are [batch * cells, width] in float networks and [batch, cells, width] in 8-bit
    networks: ONNX Runtime runs a two-dimensional product with a bias in float.
    """

    def __init__(self, layout: NetworkLayout, ranges: dict[str, float]) -> None:
        super().__init__(layout)
        self._ranges, self._cells = ranges, layout.cells

    def network(self, model: GeometricNetwork) -> GraphBuilder:  # type: ignore[override]  # another network
        """Writes a whole network and returns the graph."""
        graph, layout, width = self.graph, self._layout, model.embed.out_features
        planes = graph.input("planes", (layout.planes, layout.rows, layout.columns), TensorProto.UINT8)
        context = graph.input("context", (CONTEXT,))
        x = self.embedding(model, planes, context)
        templates = self.weights(_array(model.tower.templates.t()))
        for name, block in model.tower.blocks.named_children():
            x = self.block(f"tower.blocks.{name}", cast(GeometricBlock, block), x, templates)
        x = self.norm(x, model.tower.norm)
        graph.output("policy", self.moves(model, graph.reshape(x, -1, width)), (layout.moves,))
        pooled = self.norm(self.board_means(x, width), model.value_norm)
        result = self.dense(graph.op("Relu", self.dense(pooled, model.value_embed)), model.result)
        graph.output("wdl", graph.op("Softmax", self.once(result, 3), axis=-1), (3,))
        return graph

    def layer(self, name: str, x: str, layer: nn.Linear) -> str:
        """A layer of a block, in 8 bits if the range of its input is known."""
        if not self._ranges:
            return self.dense(x, layer)
        y = self.product_8_bits(self.quantised(x, self._ranges[name]), _array(layer.weight))
        return y if layer.bias is None else self.graph.op("Add", y, self.weights(_array(layer.bias)))

    def quantised(self, x: str, limit: float) -> str:
        """Rounds the input of a layer. ONNX Runtime fuses this and the layer into an integer product."""
        scale, zero = self.number(limit / 127), self.graph.constant(np.array(128, np.uint8))
        steps = self.graph.op("QuantizeLinear", x, scale, zero)
        return self.graph.op("DequantizeLinear", steps, scale, zero)

    def product_8_bits(self, x: str, weights: NDArray[Any]) -> str:
        graph = self.graph
        scales = (np.maximum(np.abs(weights).max(1), 1e-12) / MAX_WEIGHT).astype(np.float32)
        steps = np.clip(np.round(weights / scales[:, None]), -MAX_WEIGHT, MAX_WEIGHT).astype(np.int8)
        graph.parameters += weights.size
        zeros = graph.constant(np.zeros(len(scales), np.int8))
        stored = graph.op("DequantizeLinear", graph.constant(steps.T), graph.constant(scales), zeros, axis=1)
        return graph.op("MatMul", x, stored)

    def once(self, x: str, width: int) -> str:
        """The first of the two equal rows for each board: [batch * 2, width] to [batch, width]."""
        first = self.graph.op("Gather", self.graph.reshape(x, -1, 2, width), self.indices(0), axis=1)
        return self.graph.reshape(first, -1, width)

    def rows(self, x: str, width: int) -> str:
        """The shape between blocks."""
        return self.graph.reshape(x, *((-1, self._cells, width) if self._ranges else (-1, width)))

    def gelu(self, x: str) -> str:
        """In the form that ONNX Runtime fuses into one operator."""
        graph = self.graph
        erf = graph.op("Erf", graph.op("Div", x, self.number(math.sqrt(2))))
        return graph.op("Mul", graph.op("Mul", x, graph.op("Add", erf, self.number(1))), self.number(0.5))

    def rms_norm(self, x: str, weight: Tensor) -> str:
        """In the form that ONNX Runtime fuses into one operator."""
        graph = self.graph
        mean = graph.op("ReduceMean", graph.op("Pow", x, self.number(2)), self.indices(-1), keepdims=1)
        root = graph.op("Sqrt", graph.op("Add", mean, self.number(1e-5)))
        return graph.op("Mul", graph.op("Div", x, root), self.weights(_array(weight)))

    def board_means(self, x: str, width: int) -> str:
        """Means over the squares, in two equal rows for each board: [batch * 2, width].

        The result must not depend on the batch. ONNX Runtime has special kernels for the mean of one board
        and for products with one row. Their rounding differs, and the blocks' rounding to 8 bits makes that a
        difference of 0.01 in a probability. A product with two rows is the same for every batch.
        """
        average = self.graph.constant(np.full((2, self._cells), 1 / self._cells, np.float32))
        product = self.graph.op("MatMul", average, self.graph.reshape(x, -1, self._cells, width))
        return self.graph.reshape(product, -1, width)

    def conditioning(self, model: GeometricNetwork, context: str) -> str:
        """The embedding [batch, width] of ratings and clock."""
        graph = self.graph
        known = graph.op("Mul", self.columns(context, 1, 3, 5), graph.constant(_array(model.enabled)))
        flag = self.columns(known, 2)
        hats = self.hats(self.columns(context, 0, 2, 4), 3, model.knots)
        hats = graph.op("Mul", hats, graph.reshape(known, -1, 3, 1))
        ratings = graph.reshape(self.columns(hats, 0, 1), -1, 2 * KNOTS)
        clock = graph.reshape(self.columns(hats, 2), -1, KNOTS)
        seconds = graph.op("Mul", self.columns(context, 4), flag)
        inputs = graph.op("Concat", ratings, seconds, flag, clock, axis=1)
        twice = graph.op("Concat", inputs, inputs, axis=1)  # two rows each, as in `board_means`
        layer = model.conditioning
        return self.once(self.dense(graph.reshape(twice, -1, layer.in_features), layer), layer.out_features)

    def embedding(self, model: GeometricNetwork, planes: str, context: str) -> str:
        graph, layout, width = self.graph, self._layout, model.embed.out_features
        x = graph.op("Cast", graph.reshape(planes, -1, layout.planes, layout.cells), to=TensorProto.FLOAT)
        x = graph.op("Mul", x, graph.constant(_array(model.scales.flatten(1))))
        tokens = graph.op("Transpose", x, perm=[0, 2, 1])
        x = self.dense(graph.reshape(tokens, -1, layout.planes), model.embed)
        x = graph.op("Add", graph.reshape(x, -1, layout.cells, width), self.weights(_array(model.squares)))
        x = graph.op("Add", x, graph.reshape(self.conditioning(model, context), -1, 1, width))
        return self.rows(x, width)

    def attention_bias(self, block: GeometricBlock, x: str, templates: str) -> str:
        """The bias [batch, heads, cells, cells] that a board mixes from the templates."""
        board = self.dense(self.board_means(x, block.compress.in_features), block.compress)
        mixed = self.gelu(self.dense(self.norm(self.gelu(board), block.compress_norm), block.mix))
        mixed = self.once(self.norm(mixed, block.mix_norm), block.heads * TEMPLATES)
        bias = self.graph.op("MatMul", self.graph.reshape(mixed, -1, TEMPLATES), templates)
        return self.graph.reshape(bias, -1, block.heads, self._cells, self._cells)

    def block(self, name: str, block: GeometricBlock, x: str, templates: str) -> str:
        graph, heads, width = self.graph, block.heads, block.project.in_features
        depth = width // heads
        bias = self.attention_bias(block, x, templates)
        weights = _array(block.qkv.weight).copy()
        weights[:width] *= np.float32(depth**-0.5)
        shown = self.quantised(x, self._ranges[f"{name}.qkv"]) if self._ranges else x
        parts = (
            self.product_8_bits(shown, part)
            if self._ranges
            else graph.op("Gemm", shown, self.weights(part), transB=1)
            for part in np.split(weights, 3)
        )
        attended = self.heads(parts, heads, depth, lambda scores: graph.op("Add", scores, bias))
        attended = self.rows(attended, width)
        attended = self.layer(f"{name}.project", attended, block.project)
        x = self.rms_norm(graph.op("Add", x, attended), block.norm1.weight)
        hidden = self.gelu(self.layer(f"{name}.ffn_in", x, block.ffn_in))
        y = self.layer(f"{name}.ffn_out", hidden, block.ffn_out)
        return self.rms_norm(graph.op("Add", x, y), block.norm2.weight)

    def moves(self, model: GeometricNetwork, x: str) -> str:
        """Logits [batch, moves], from the scores of from-squares, to-squares and promotions."""
        graph, size = self.graph, model.query.out_features
        query = graph.op("Gemm", x, self.weights(_array(model.query.weight) * size**-0.5), transB=1)
        query = graph.reshape(query, -1, self._cells, size)
        key = graph.reshape(self.dense(x, model.key), -1, self._cells, size)
        promotion = _array(model.promotion.weight).T * size**0.5
        return self.from_to_moves(query, key, promotion, _array(model.move_indices))


def _array(tensor: Any) -> NDArray[Any]:
    array: NDArray[Any] = tensor.detach().cpu().numpy()
    return array.astype(np.float32) if array.dtype.kind == "f" else array
