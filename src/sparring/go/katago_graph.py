"""The layers of KataGo's networks as ONNX nodes.

A board smaller than the tensor stands in its corner. The mask zeroes what convolutions write beyond the
board after every activation, so it never reaches the board.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import onnx

from sparring.base.errors import BadFile
from sparring.go.katago_weights import (
    GLOBAL_INPUTS,
    METADATA_INPUTS,
    SPATIAL_INPUTS,
    BatchNormActivation,
    Floats,
    GlobalPoolingBlock,
    GlobalPoolingConvolution,
    KataGoAttention,
    KataGoConvolution,
    KataGoDense,
    KataGoFeedForward,
    KataGoWeights,
    NestedBottleneckBlock,
    Nonlinearity,
    OrdinaryBlock,
    PolicyHead,
    RmsNorm,
    RmsNormActivation,
    Trunk,
    TrunkBlock,
    ValueHead,
)
from sparring.networks.card import ModelCard
from sparring.networks.graph import GraphBuilder

SIDE = "side"
"""The name of the dynamic dimensions of the planes: rows and columns."""


@dataclass(frozen=True)
class BoardContext:
    """The graph under construction and the mask of the board."""

    graph: GraphBuilder
    mask: str
    """[batch, 1, rows, columns], 1 on the board"""
    off_board: str
    """The mask minus 1."""
    points: str
    """[batch, 1]"""
    width: str
    """[batch, 1]: the board's width as pooling layers scale it, about 0.5 on 19x19."""

    @classmethod
    def of(cls, graph: GraphBuilder, planes: str) -> BoardContext:
        """From the input planes, of which the first is the mask."""
        g = graph
        mask = g.op("Slice", planes, integers(g, 0), integers(g, 1), integers(g, 1))
        points = g.op("ReduceSum", mask, integers(g, 2, 3), keepdims=0)
        width = g.op("Mul", g.op("Sub", g.op("Sqrt", points), scalar(g, 14.0)), scalar(g, 0.1))
        return cls(g, mask, g.op("Sub", mask, scalar(g, 1.0)), points, width)


def integers(graph: GraphBuilder, *values: int) -> str:
    """An integer constant [values]."""
    return graph.constant(np.array(values, dtype=np.int64))


def scalar(graph: GraphBuilder, value: float) -> str:
    """A scalar constant."""
    return graph.constant(np.array(value, dtype=np.float32))


def by_channel(graph: GraphBuilder, values: Floats) -> str:
    """Weights [1, channels, 1, 1]."""
    return graph.weights(values.reshape(1, -1, 1, 1))


def nonlinear(graph: GraphBuilder, x: str, kind: Nonlinearity) -> str:
    """Applies a nonlinearity."""
    match kind:
        case "relu":
            return graph.op("Relu", x)
        case "mish":
            return graph.op("Mul", x, graph.op("Tanh", graph.op("Softplus", x)))
        case "silu":
            return graph.op("Mul", x, graph.op("Sigmoid", x))
    return x


def activate(board: BoardContext, x: str, kind: Nonlinearity) -> str:
    """Applies a nonlinearity and zeroes what is off the board."""
    return board.graph.op("Mul", nonlinear(board.graph, x, kind), board.mask)


def batch_norm_activation(board: BoardContext, x: str, activation: BatchNormActivation) -> str:
    """Batch normalisation and activation."""
    g = board.graph
    scaled = g.op("Mul", x, by_channel(g, activation.scale))
    return activate(board, g.op("Add", scaled, by_channel(g, activation.bias)), activation.kind)


def rms_norm_activation(board: BoardContext, x: str, activation: RmsNormActivation) -> str:
    """Root-mean-square normalisation over channels, or over channels and board, and activation."""
    g = board.graph
    square = g.op("Mul", g.op("Mul", x, x), board.mask)
    if activation.spatial:
        count = g.op("Mul", board.points, scalar(g, activation.scale.size))
        mean = g.op("Div", g.op("ReduceSum", square, integers(g, 1, 2, 3)), g.reshape(count, 0, 1, 1, 1))
    else:
        mean = g.op("ReduceMean", square, integers(g, 1))
    root = g.op("Sqrt", g.op("Add", mean, scalar(g, activation.epsilon)))
    scaled = g.op("Mul", g.op("Div", x, root), by_channel(g, activation.scale))
    return activate(board, g.op("Add", scaled, by_channel(g, activation.bias)), activation.kind)


def convolve(
    board: BoardContext, x: str, convolution: KataGoConvolution, then: BatchNormActivation | None = None
) -> str:
    """A convolution. A batch normalisation that follows is folded into its weights if given."""
    g = board.graph
    weights = convolution.weights
    rows, columns = weights.shape[2:]
    dilation = convolution.dilation
    inputs = [x, g.weights(weights if then is None else scaled(weights.T, then.scale).T)]
    if then is not None:
        inputs.append(g.weights(then.bias))
    pads = [(rows - 1) // 2 * dilation[0], (columns - 1) // 2 * dilation[1]]
    return g.op("Conv", *inputs, kernel_shape=[rows, columns], pads=pads + pads, dilations=list(dilation))


def scaled(weights: Floats, by: Floats) -> Floats:
    """Weights [..., out] times a factor per output. Raises BadFile if float32 overflows."""
    with np.errstate(over="ignore"):
        product = weights * by
    if not np.isfinite(product).all():
        raise BadFile("its weights are too large to be folded into each other")
    return product


def global_pool(board: BoardContext, x: str) -> str:
    """KataGo's global pooling [batch, 3 * channels]: means, means times width, maxima over the board."""
    g = board.graph
    mean = mean_over_board(board, x)
    greatest = g.op("ReduceMax", g.op("Add", x, board.off_board), integers(g, 2, 3), keepdims=0)
    return g.op("Concat", mean, g.op("Mul", mean, board.width), greatest, axis=1)


def mean_over_board(board: BoardContext, x: str) -> str:
    """Means [batch, channels] of activations that are zero off the board."""
    return board.graph.op(
        "Div", board.graph.op("ReduceSum", x, integers(board.graph, 2, 3), keepdims=0), board.points
    )


def matmul(graph: GraphBuilder, x: str, weights: Floats) -> str:
    """x times a matrix [in, out]."""
    return graph.op("MatMul", x, graph.weights(weights))


def dense(graph: GraphBuilder, x: str, layer: KataGoDense) -> str:
    """A dense layer with bias and nonlinearity."""
    return nonlinear(
        graph, graph.op("Add", matmul(graph, x, layer.weights), graph.weights(layer.bias)), layer.kind
    )


def broadcast_to_board(graph: GraphBuilder, x: str, channels: int) -> str:
    """[batch, channels] broadcast to all points."""
    return graph.reshape(x, 0, channels, 1, 1)


# The transformer blocks of KataGo's later networks.
#
# They need the size of the tensor, which is that of the largest board; smaller boards stand in its corner.


MAX_BOARD_SIZE = 19
POINTS = MAX_BOARD_SIZE * MAX_BOARD_SIZE
_MASK_VALUE = 1e4  # taken from the scores of points beyond the board


def attention(board: BoardContext, x: str, weights: KataGoAttention) -> str:
    """Grouped-query self-attention between the points of the board."""
    g = board.graph
    keys, group = weights.kv_heads, weights.heads // weights.kv_heads
    size, value_size = weights.query.shape[1] // weights.heads, weights.value.shape[1] // keys
    x = rms_norm_points(board, x, weights.norm)

    query = split_heads(g, matmul(g, x, weights.query / math.sqrt(size)), weights.heads, size)
    key = split_heads(g, matmul(g, x, weights.key), keys, size)
    value = split_heads(g, matmul(g, x, weights.value), keys, value_size)
    if weights.rope_angles is not None:
        query = apply_rotary(
            g, query, weights.rope_angles.repeat(group if len(weights.rope_angles) > 1 else 1, axis=0)
        )
        key = apply_rotary(g, key, weights.rope_angles)

    # [batch, keys, group, points, points]
    query = g.reshape(query, 0, keys, group, POINTS, size)
    key = g.reshape(g.op("Transpose", key, perm=[0, 1, 3, 2]), 0, keys, 1, size, POINTS)
    off_board = g.reshape(g.op("Mul", board.off_board, scalar(g, _MASK_VALUE)), 0, 1, 1, 1, POINTS)
    scores = g.op("Softmax", g.op("Add", g.op("MatMul", query, key), off_board), axis=-1)

    seen = g.op("MatMul", scores, g.reshape(value, 0, keys, 1, POINTS, value_size))
    seen = g.op("Transpose", g.reshape(seen, 0, weights.heads, POINTS, value_size), perm=[0, 2, 1, 3])
    seen = g.reshape(seen, 0, POINTS, weights.heads * value_size)
    return as_planes(g, matmul(g, seen, weights.out), weights.out.shape[1])


def feed_forward(board: BoardContext, x: str, weights: KataGoFeedForward) -> str:
    """A SwiGLU feed-forward layer per point."""
    g = board.graph
    x = rms_norm_points(board, x, weights.norm)
    hidden = nonlinear(g, matmul(g, x, weights.first), "silu")
    gated = g.op("Mul", hidden, matmul(g, x, weights.gate))
    return as_planes(g, matmul(g, gated, weights.second), weights.second.shape[1])


def rms_norm_points(board: BoardContext, x: str, norm: RmsNorm) -> str:
    """RMS normalisation of [batch, points, channels]."""
    g = board.graph
    x = g.op("Mul", x, board.mask)
    x = g.op("Transpose", g.reshape(x, 0, norm.scale.size, POINTS), perm=[0, 2, 1])
    mean = g.op("ReduceMean", g.op("Mul", x, x), integers(g, 2))
    root = g.op("Sqrt", g.op("Add", mean, scalar(g, norm.epsilon)))
    return g.op("Mul", g.op("Div", x, root), g.weights(norm.scale))


def split_heads(graph: GraphBuilder, x: str, heads: int, size: int) -> str:
    """[batch, points, heads * size] to [batch, heads, points, size]."""
    return graph.op("Transpose", graph.reshape(x, 0, POINTS, heads, size), perm=[0, 2, 1, 3])


def apply_rotary(graph: GraphBuilder, x: str, rope_angles: Floats) -> str:
    """Rotary position embedding by the column and row of each point."""
    rows, columns = np.divmod(np.arange(POINTS), MAX_BOARD_SIZE)
    angles = rope_angles[..., 0, np.newaxis] * columns + rope_angles[..., 1, np.newaxis] * rows
    angles = angles.transpose(0, 2, 1).repeat(2, axis=2)[np.newaxis]  # [1, heads, points, channels]
    signs = np.resize(np.array([-1.0, 1.0], np.float32), angles.shape[-1])
    partners = np.arange(angles.shape[-1]) ^ 1
    cosine = graph.constant(np.cos(angles).astype(np.float32))
    sine = graph.constant((np.sin(angles) * signs).astype(np.float32))
    swapped = graph.op("Gather", x, integers(graph, *partners.tolist()), axis=3)
    return graph.op("Add", graph.op("Mul", x, cosine), graph.op("Mul", swapped, sine))


def as_planes(graph: GraphBuilder, x: str, channels: int) -> str:
    """[batch, points, channels] to [batch, channels, rows, columns]."""
    return graph.reshape(
        graph.op("Transpose", x, perm=[0, 2, 1]), 0, channels, MAX_BOARD_SIZE, MAX_BOARD_SIZE
    )


# The blocks of KataGo's trunks: ordinary, global pooling and nested bottleneck blocks.


def block(board: BoardContext, x: str, weights: TrunkBlock) -> str:
    """Adds a block with its skip connection to x."""
    match weights:
        case OrdinaryBlock():
            added = residual(board, x, weights)
        case GlobalPoolingBlock():
            added = global_pooling(board, x, weights)
        case NestedBottleneckBlock():
            added = nested(board, x, weights)
        case KataGoAttention():
            added = attention(board, x, weights)
        case KataGoFeedForward():
            added = feed_forward(board, x, weights)
    return board.graph.op("Add", x, added)


def residual(board: BoardContext, x: str, weights: OrdinaryBlock) -> str:
    """Two convolutions."""
    x = batch_norm_activation(board, x, weights.before)
    x = activate(board, convolve(board, x, weights.first, weights.between), weights.between.kind)
    return convolve(board, x, weights.second)


def global_pooling(board: BoardContext, x: str, weights: GlobalPoolingBlock) -> str:
    """A global pooling block: two convolutions, the first with a bias pooled from the whole board."""
    x, _ = global_pooling_convolution(board, batch_norm_activation(board, x, weights.before), weights.first)
    return convolve(board, x, weights.second)


def global_pooling_convolution(
    board: BoardContext, x: str, weights: GlobalPoolingConvolution
) -> tuple[str, str]:
    """The activated convolution with its bias, and the pooled channels [batch, 3 * channels]."""
    g = board.graph
    local = convolve(board, x, weights.local, weights.activation)
    seen = convolve(board, x, weights.global_pool, weights.pooled_activation)
    pool = global_pool(board, activate(board, seen, weights.pooled_activation.kind))
    # The normalisation is part of the convolution's weights already: it scales the bias too.
    scale = weights.activation.scale
    bias = broadcast_to_board(g, matmul(g, pool, scaled(weights.to_bias, scale)), scale.size)
    return activate(board, g.op("Add", local, bias), weights.activation.kind), pool


def nested(board: BoardContext, x: str, weights: NestedBottleneckBlock) -> str:
    """A nested bottleneck block."""
    x = convolve(board, batch_norm_activation(board, x, weights.before), weights.first)
    for inner in weights.blocks:
        x = block(board, x, inner)
    return convolve(board, batch_norm_activation(board, x, weights.between), weights.second)


# Converts KataGo's networks to ONNX graphs.
#
# Inputs: `spatial` [batch, 22, side, side] and `global` [batch, 19]; for human-SL networks also `metadata`
# [batch, 192]. Outputs: `policy` [batch, side * side + 1], logits with the pass last; `value` [batch, 3],
# logits of win, loss and no result for the player to move; `score` [batch, 4 or 6], of which the third is the
# lead; `ownership` [batch, side * side], 1 for the player to move.


_ROOT_OPTIMISM = 0.2
"""The share of the optimistic policy in KataGo's policy at the root."""

_WORDS = {
    OrdinaryBlock: "residual",
    GlobalPoolingBlock: "global pooling",
    NestedBottleneckBlock: "nested bottleneck",
    KataGoAttention: "attention",
    KataGoFeedForward: "feed-forward",
}


def to_onnx(weights: KataGoWeights, name: str) -> onnx.ModelProto:
    """The network's graph, with its card."""
    g = GraphBuilder()
    side: int | str = MAX_BOARD_SIZE if _is_transformer(weights.trunk) else SIDE
    planes = g.input("spatial", [SPATIAL_INPUTS, side, side])
    numbers = g.input("global", [GLOBAL_INPUTS])
    has_metadata = weights.trunk.metadata is not None
    metadata_input = g.input("metadata", [METADATA_INPUTS]) if has_metadata else None
    board = BoardContext.of(g, planes)

    x = trunk(board, planes, numbers, metadata_input, weights.trunk)
    # Human-SL networks: the plain policy predicts people's moves, so there is no optimism.
    g.output(
        "policy", policy_head(board, x, weights.policy, 0.0 if has_metadata else _ROOT_OPTIMISM), ["moves"]
    )
    value, score, ownership = value_head(board, x, weights.value)
    g.output("value", value, [3])
    g.output("score", score, [weights.value.score.bias.size])
    g.output("ownership", ownership, ["points"])
    return g.build(_card(weights, name, g.parameters))


def trunk(board: BoardContext, planes: str, numbers: str, metadata_input: str | None, weights: Trunk) -> str:
    """The inputs through all blocks, with the final activation."""
    g = board.graph
    bias = matmul(g, numbers, weights.globals_)
    if metadata_input is not None and weights.metadata is not None:
        first, second, last = weights.metadata
        bias = g.op("Add", bias, matmul(g, dense(g, dense(g, metadata_input, first), second), last))
    x = g.op("Add", convolve(board, planes, weights.spatial), broadcast_to_board(g, bias, weights.channels))
    for trunk_block in weights.blocks:
        x = block(board, x, trunk_block)
    if isinstance(weights.tip, RmsNormActivation):
        return rms_norm_activation(board, x, weights.tip)
    return batch_norm_activation(board, x, weights.tip)


def policy_head(board: BoardContext, x: str, weights: PolicyHead, optimism: float) -> str:
    """Logits of the points and the pass: [batch, points + 1]."""
    g = board.graph
    x, pool = global_pooling_convolution(board, x, weights.first)
    blended = KataGoConvolution(blend_optimism(weights.logits.weights.T, optimism).T, weights.logits.dilation)
    points = g.reshape(convolve(board, x, blended), 0, -1)
    if weights.pass_hidden is not None:
        pool = dense(g, pool, weights.pass_hidden)
    return g.op("Concat", points, matmul(g, pool, blend_optimism(weights.to_pass, optimism)), axis=1)


def blend_optimism(weights: Floats, optimism: float) -> Floats:
    """Policy weights [..., 1] from [..., channels]: the plain policy with a share of the optimistic one.

    Both are linear in the weights, so blending weights is blending logits.
    """
    plain = weights[..., :1]
    return plain if weights.shape[-1] == 1 else plain + np.float32(optimism) * (weights[..., 1:2] - plain)


def value_head(board: BoardContext, x: str, weights: ValueHead) -> tuple[str, str, str]:
    """Result, score and ownership."""
    g = board.graph
    x = convolve(board, x, weights.convolution, weights.activation)
    x = activate(board, x, weights.activation.kind)
    mean = mean_over_board(board, x)
    width_variance = g.op("Sub", g.op("Mul", board.width, board.width), scalar(g, 0.1))
    pool = g.op("Concat", mean, *(g.op("Mul", mean, by) for by in (board.width, width_variance)), axis=1)
    hidden = dense(g, pool, weights.hidden)
    ownership = g.reshape(g.op("Tanh", convolve(board, x, weights.ownership)), 0, -1)
    return dense(g, hidden, weights.value), dense(g, hidden, weights.score), ownership


def _is_transformer(trunk: Trunk) -> bool:
    return any(
        isinstance(trunk_block, KataGoAttention | KataGoFeedForward)
        for trunk_block in _all_blocks(trunk.blocks)
    )


def _all_blocks(blocks: tuple[TrunkBlock, ...]) -> Iterator[TrunkBlock]:
    for trunk_block in blocks:
        yield trunk_block
        if isinstance(trunk_block, NestedBottleneckBlock):
            yield from _all_blocks(trunk_block.blocks)


def _card(weights: KataGoWeights, name: str, parameters: int) -> ModelCard:
    blocks = weights.trunk.blocks
    kinds = Counter(_WORDS[type(trunk_block)] for trunk_block in blocks)
    words = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
    # KataGo's runs name their networks after the samples they saw and the positions these came from.
    run = re.search(r"-s([0-9]+)-d([0-9]+)$", weights.name)
    return ModelCard(
        name=name,
        game="go",
        codec="katago",
        architecture=f"{len(blocks)} blocks of {weights.trunk.channels} channels ({words}), "
        f"{weights.trunk.tip.kind}",
        parameters=parameters,
        source=f"KataGo network {weights.name}, format version {weights.version}",
        trained_on=f"{int(run[2]):,} positions of self-play, {int(run[1]):,} samples" if run else "unknown",
        settings={
            "version": weights.version,
            "lead_multiplier": weights.lead_multiplier,
            "side": MAX_BOARD_SIZE if _is_transformer(weights.trunk) else 0,
            "metadata": int(weights.trunk.metadata is not None),
        },
    )
