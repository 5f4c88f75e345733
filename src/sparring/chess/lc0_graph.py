"""The layers that Lc0's networks consist of, as graph nodes."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto

from sparring._core import lc0_policy_moves
from sparring.chess.lc0 import read_weights
from sparring.chess.lc0_weights import (
    PLANES,
    POLICY,
    SQUARES,
    ActivationFunction,
    Array,
    AttentionBody,
    AttentionPolicyHead,
    ClassicalPolicyHead,
    ConvolutionPolicyHead,
    DenseEmbedding,
    EncoderLayer,
    Head,
    LayerNorm,
    Lc0Convolution,
    Lc0Dense,
    Lc0ResidualBlock,
    Lc0ResidualTower,
    Lc0Weights,
    Smolgen,
    SqueezeExcitation,
)
from sparring.networks.card import ModelCard
from sparring.networks.graph import GraphBuilder, attention_policy_map


def activate(graph: GraphBuilder, x: str, activation: ActivationFunction) -> str:
    """Applies an activation function."""
    match activation:
        case ActivationFunction.NONE:
            return x
        case ActivationFunction.MISH:
            return mish(graph, x)
        case ActivationFunction.SWISH:
            return graph.op("Mul", x, graph.op("Sigmoid", x))
        case ActivationFunction.RELU_SQUARED:
            positive = graph.op("Relu", x)
            return graph.op("Mul", positive, positive)
        case _:
            return graph.op(activation.name.capitalize(), x)


def mish(graph: GraphBuilder, x: str) -> str:
    """x tanh(softplus(x)), as x (1 - s²) / (1 + s²) with s = sigmoid(-x): no logarithm, no overflow."""
    one = graph.constant(np.array(1, dtype=np.float32))
    s = graph.op("Sigmoid", graph.op("Neg", x))
    square = graph.op("Mul", s, s)
    return graph.op("Mul", x, graph.op("Div", graph.op("Sub", one, square), graph.op("Add", one, square)))


def dense(graph: GraphBuilder, x: str, layer: Lc0Dense, scale: float = 1.0) -> str:
    """A dense layer over [rows, inputs]; its output is multiplied by `scale`."""
    factor = np.float32(scale)
    weights, biases = graph.weights(layer.weights * factor), graph.weights(layer.biases * factor)
    return graph.op("Gemm", x, weights, biases, transB=1)


def convolution(graph: GraphBuilder, x: str, layer: Lc0Convolution) -> str:
    """A convolution over [batch, planes, 8, 8]."""
    kernel = layer.weights.shape[-1]
    return graph.op(
        "Conv",
        x,
        graph.weights(layer.weights),
        graph.weights(layer.biases),
        kernel_shape=[kernel, kernel],
        pads=[kernel // 2] * 4,
    )


def layer_norm(graph: GraphBuilder, x: str, norm: LayerNorm, epsilon: float) -> str:
    """A layer normalisation over the last dimension."""
    return graph.op(
        "LayerNormalization",
        x,
        graph.weights(norm.gammas),
        graph.weights(norm.betas),
        axis=-1,
        epsilon=epsilon,
    )


# Lc0's attention bodies: squares are tokens, processed by encoder layers.
#
# Between layers the values are [batch * 64, width], one row per square, so that a dense layer is one matrix
# product.


_SMOLGEN_EPSILON = 1e-3


@dataclass(frozen=True)
class EncoderConfig:
    """Options shared by all layers of a stack."""

    skip: float
    """Factor of a layer's output in its skip connection."""
    epsilon: float
    """Epsilon of the layer normalisations."""
    smolgen_activation: ActivationFunction
    feed_forward_activation: ActivationFunction
    smolgen: str | None
    """The shared smolgen weights [size per head, 64 * 64]."""


def attention_body(graph: GraphBuilder, planes: str, weights: Lc0Weights, body: AttentionBody) -> str:
    """From the input planes to [batch * 64, width]."""
    config = EncoderConfig(
        skip=float((2.0 * len(body.layers)) ** -0.25),
        epsilon=1e-3 if body.dense else 1e-6,
        smolgen_activation=weights.smolgen_activation,
        feed_forward_activation=weights.feed_forward_activation,
        smolgen=None if body.smolgen is None else graph.weights(body.smolgen.T),
    )
    x = input_embedding(graph, planes, body, weights.activation)
    if body.dense:
        x = layer_norm(graph, x, body.dense.norm, 1e-3)
    if body.gate:
        x = graph.op("Mul", x, graph.weights(body.gate.factors))
        x = graph.op("Add", x, graph.weights(body.gate.addends))
    x = graph.reshape(x, -1, body.width)
    if body.dense:
        x = feed_forward(graph, x, body.dense, config)
    return encoders(graph, x, body.layers, config)


def input_embedding(
    graph: GraphBuilder, planes: str, body: AttentionBody, activation: ActivationFunction
) -> str:
    """The planes of each square with its positional encoding, embedded: [batch, 64, width]."""
    squares = graph.op("Transpose", graph.reshape(planes, -1, PLANES, SQUARES), perm=[0, 2, 1])
    seen, position_weights = body.embedding.weights[:, :PLANES], body.embedding.weights[:, PLANES:]
    x = graph.op("MatMul", squares, graph.weights(seen.T))
    if body.dense:
        x = graph.op(
            "Add",
            x,
            dense_positional_encoding(
                graph, planes, body.dense, Lc0Dense(position_weights, body.embedding.biases)
            ),
        )
    else:
        # A constant goes through a dense layer as a constant: a bias of its own for every square.
        biases = (
            positional_encoding().astype(np.float64) @ position_weights.T.astype(np.float64)
            + body.embedding.biases
        )
        x = graph.op("Add", x, graph.weights(biases.astype(np.float32)))
    return activate(graph, x, activation)


def positional_encoding() -> Array:
    """The positional encoding of older networks [64, 64]: the squares a queen or a knight could reach."""
    codes = -np.eye(SQUARES, dtype=np.float32)
    for start, end, _ in lc0_policy_moves():
        codes[start, end] = 1
    return codes


def dense_positional_encoding(
    graph: GraphBuilder, planes: str, embedding: DenseEmbedding, position_weights: Lc0Dense
) -> str:
    """The positional encoding of newer networks, computed from all pieces on the board."""
    first = graph.op("Gather", planes, graph.constant(np.arange(12, dtype=np.int64)), axis=1)
    pieces = graph.op("Transpose", graph.reshape(first, -1, 12, SQUARES), perm=[0, 2, 1])
    made = dense(graph, graph.reshape(pieces, -1, 12 * SQUARES), embedding.pieces)
    x = dense(graph, graph.reshape(made, -1, embedding.pieces.outputs // SQUARES), position_weights)
    return graph.reshape(x, -1, SQUARES, position_weights.outputs)


def feed_forward(
    graph: GraphBuilder, x: str, layer: EncoderLayer | DenseEmbedding, config: EncoderConfig
) -> str:
    """The feed-forward part of a layer with its skip connection and normalisation."""
    y = activate(graph, dense(graph, x, layer.feed_forward.first), config.feed_forward_activation)
    y = dense(graph, y, layer.feed_forward.second, scale=config.skip)
    epsilon = 1e-3 if isinstance(layer, DenseEmbedding) else config.epsilon
    return layer_norm(graph, graph.op("Add", y, x), layer.feed_forward_norm, epsilon)


def encoders(graph: GraphBuilder, x: str, layers: Sequence[EncoderLayer], config: EncoderConfig) -> str:
    """A stack of encoder layers."""
    for layer in layers:
        y = dense(graph, self_attention(graph, x, layer, config), layer.output, scale=config.skip)
        x = layer_norm(graph, graph.op("Add", y, x), layer.attention_norm, config.epsilon)
        x = feed_forward(graph, x, layer, config)
    return x


def self_attention(graph: GraphBuilder, x: str, layer: EncoderLayer, config: EncoderConfig) -> str:
    """Multi-head self-attention between the squares of each board."""
    depth = layer.query.outputs // layer.heads

    def split_heads(projected: str, order: Sequence[int]) -> str:
        split = graph.reshape(projected, -1, SQUARES, layer.heads, depth)
        return graph.op("Transpose", split, perm=list(order))

    query = split_heads(dense(graph, x, layer.query, scale=depth**-0.5), (0, 2, 1, 3))
    key = split_heads(dense(graph, x, layer.key), (0, 2, 3, 1))
    value = split_heads(dense(graph, x, layer.value), (0, 2, 1, 3))
    scores = graph.op("MatMul", query, key)
    if layer.smolgen and config.smolgen:
        added = smolgen(graph, x, layer.smolgen, config.smolgen_activation)
        heads = graph.reshape(added, -1, layer.smolgen.second.outputs // layer.heads)
        made = graph.op("MatMul", heads, config.smolgen)
        scores = graph.op("Add", scores, graph.reshape(made, -1, layer.heads, SQUARES, SQUARES))
    seen = graph.op("MatMul", graph.op("Softmax", scores, axis=-1), value)
    return graph.reshape(graph.op("Transpose", seen, perm=[0, 2, 1, 3]), -1, layer.query.outputs)


def smolgen(graph: GraphBuilder, x: str, layer: Smolgen, activation: ActivationFunction) -> str:
    """The per-layer part of smolgen: [batch, heads * size per head]."""
    compressed = graph.op("MatMul", x, graph.weights(layer.compress.T))
    board = graph.reshape(compressed, -1, SQUARES * len(layer.compress))
    y = activate(graph, dense(graph, board, layer.first), activation)
    y = layer_norm(graph, y, layer.first_norm, _SMOLGEN_EPSILON)
    y = activate(graph, dense(graph, y, layer.second), activation)
    return layer_norm(graph, y, layer.second_norm, _SMOLGEN_EPSILON)


# Lc0's heads: policy, value and moves left.


_QUEEN, _ROOK, _BISHOP = 4, 3, 2
_DIRECTIONS = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))  # files, ranks
_KNIGHT_JUMPS = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))


def policy(graph: GraphBuilder, x: str, weights: Lc0Weights) -> str:
    """The logits of 1858 moves from the body's output."""
    match weights.policy:
        case ClassicalPolicyHead() as head:
            y = activate(graph, convolution(graph, x, head.entry), weights.activation)
            return dense(graph, graph.reshape(y, -1, head.entry.outputs * SQUARES), head.output)
        case ConvolutionPolicyHead() as head:
            y = activate(graph, convolution(graph, x, head.first), weights.activation)
            y = convolution(graph, y, head.second)
            flat = graph.reshape(y, -1, head.second.outputs * SQUARES)
            return graph.gather_columns(flat, convolution_policy_map())
        case AttentionPolicyHead() as head:
            return attention_policy(graph, x, head, weights)


def attention_policy(graph: GraphBuilder, x: str, head: AttentionPolicyHead, weights: Lc0Weights) -> str:
    """The attention policy: the logit of a move is the product of its from-square's query and its
    to-square's key."""
    if isinstance(weights.body, AttentionBody):
        activation, inner = weights.activation, weights.feed_forward_activation
    else:
        x = graph.reshape(graph.op("Transpose", x, perm=[0, 2, 3, 1]), -1, weights.body.width)
        activation = inner = ActivationFunction.SELU
    config = EncoderConfig(
        skip=1.0,
        epsilon=1e-6,
        smolgen_activation=weights.smolgen_activation,
        feed_forward_activation=inner,
        smolgen=None,
    )
    x = activate(graph, dense(graph, x, head.embedding), activation)
    x = encoders(graph, x, head.layers, config)
    width = head.query.outputs
    query = graph.reshape(dense(graph, x, head.query, scale=width**-0.5), -1, SQUARES, width)
    key = graph.reshape(dense(graph, x, head.key), -1, SQUARES, width)
    scores = graph.op("MatMul", query, graph.op("Transpose", key, perm=[0, 2, 1]))
    plain = graph.reshape(scores, -1, SQUARES * SQUARES)
    named = promotion_logits(graph, plain, key, head)
    return graph.gather_columns(graph.op("Concat", plain, named, axis=1), attention_policy_map())


def promotion_logits(graph: GraphBuilder, plain: str, key: str, head: AttentionPolicyHead) -> str:
    """Logits of promotions to queen, rook and bishop [batch, 8 * 8 * 3]: the knight promotion's logit plus
    an offset."""
    offsets = head.promotion[:3] + head.promotion[3]
    last_rank = graph.op("Gather", key, graph.constant(np.arange(56, 64, dtype=np.int64)), axis=1)
    extra = graph.op("MatMul", last_rank, graph.weights(offsets.T))  # [batch, to-file, piece]
    ranks = (np.arange(48, 56)[:, None] * SQUARES + np.arange(56, 64)).reshape(-1).astype(np.int64)
    knight = graph.reshape(graph.gather_columns(plain, ranks), -1, 8, 8, 1)
    return graph.reshape(graph.op("Add", knight, graph.reshape(extra, -1, 1, 8, 3)), -1, 8 * 8 * 3)


def convolution_policy_map() -> NDArray[np.int64]:
    """The index of each of the 1858 moves in a convolution policy: 73 planes of 64 from-squares.

    The planes are eight directions by one to seven squares, eight knight moves, and for each pawn direction
    promotions to rook, bishop and queen.
    """

    def plane(start: int, end: int, promotion: int) -> int:
        files, ranks = end % 8 - start % 8, end // 8 - start // 8
        if promotion:
            return 64 + (files + 1) * 3 + (_ROOK, _BISHOP, _QUEEN).index(promotion)
        if (files, ranks) in _KNIGHT_JUMPS:
            return 56 + _KNIGHT_JUMPS.index((files, ranks))
        distance = max(abs(files), abs(ranks))
        return _DIRECTIONS.index((files // distance, ranks // distance)) * 7 + distance - 1

    return np.array([plane(*move) * SQUARES + move[0] for move in lc0_policy_moves()], dtype=np.int64)


def head_output(graph: GraphBuilder, x: str, head: Head, activation: ActivationFunction) -> str:
    """The value and moves-left heads before their final activation."""
    if isinstance(head.entry, Lc0Convolution):
        y = convolution(graph, x, head.entry)
    else:
        y = dense(graph, x, head.entry)
    y = graph.reshape(activate(graph, y, activation), -1, head.entry.outputs * SQUARES)
    y = activate(graph, dense(graph, y, head.hidden), activation)
    return dense(graph, y, head.output)


# Lc0's residual towers: convolutions, with or without squeeze-and-excitation.


def tower(graph: GraphBuilder, planes: str, body: Lc0ResidualTower, activation: ActivationFunction) -> str:
    """From the input planes to [batch, width, 8, 8]."""
    x = activate(graph, convolution(graph, planes, body.input), activation)
    for layer in body.blocks:
        x = block(graph, x, layer, activation)
    return x


def block(graph: GraphBuilder, x: str, layer: Lc0ResidualBlock, activation: ActivationFunction) -> str:
    """A residual block: two convolutions with a skip connection."""
    y = activate(graph, convolution(graph, x, layer.first), activation)
    y = convolution(graph, y, layer.second)
    if layer.squeeze_excitation:
        y = excite(graph, y, layer.squeeze_excitation, activation)
    return activate(graph, graph.op("Add", y, x), activation)


def excite(graph: GraphBuilder, x: str, unit: SqueezeExcitation, activation: ActivationFunction) -> str:
    """Squeeze-and-excitation: every plane is scaled and shifted by a function of all planes' means."""
    width = unit.excite.outputs // 2
    means = graph.reshape(graph.op("GlobalAveragePool", x), -1, width)
    squeezed = activate(graph, dense(graph, means, unit.squeeze), activation)
    scales, shifts = (
        graph.reshape(dense(graph, squeezed, half), -1, width, 1, 1) for half in split_outputs(unit.excite)
    )
    return graph.op("Add", graph.op("Mul", x, graph.op("Sigmoid", scales)), shifts)


def split_outputs(layer: Lc0Dense) -> tuple[Lc0Dense, Lc0Dense]:
    """Splits a layer into two with half of the outputs each."""
    weights, biases = np.split(layer.weights, 2), np.split(layer.biases, 2)
    return Lc0Dense(weights[0], biases[0]), Lc0Dense(weights[1], biases[1])


# Converts Lc0's files to ONNX graphs with model cards.


def read(data: bytes, name: str) -> onnx.ModelProto:
    """Converts the decompressed content of a file. Raises BadFile."""
    weights = read_weights(data)
    graph = GraphBuilder()
    planes = graph.op("Cast", graph.input("planes", [PLANES, 8, 8], TensorProto.UINT8), to=TensorProto.FLOAT)
    match weights.body:
        case Lc0ResidualTower() as body:
            x = tower(graph, planes, body, weights.activation)
        case AttentionBody() as body:
            x = attention_body(graph, planes, weights, body)
    graph.output("policy", policy(graph, x, weights), [POLICY])
    value = head_output(graph, x, weights.value, weights.activation)
    if weights.value.output.outputs == 3:
        graph.output("wdl", graph.op("Softmax", value, axis=-1), [3])
    else:
        graph.output("value", graph.op("Tanh", value), [1])
    if weights.moves_left:
        left = head_output(graph, x, weights.moves_left, weights.activation)
        graph.output("moves_left", graph.op("Relu", left), [1])
    return graph.build(_card(weights, name))


def _card(weights: Lc0Weights, name: str) -> ModelCard:
    steps = f"unknown data, {weights.training_steps:,} steps" if weights.training_steps else "unknown"
    return ModelCard(
        name=name,
        game="chess",
        codec="lc0",
        architecture=_architecture(weights),
        parameters=weights.parameters,
        source=f"{name} (weights in Lc0's format)",
        licence=_short(weights.licence) or "not stated",
        trained_on=steps,
    )


def _short(text: str) -> str:
    """A text of unknown length, shortened to fit a line."""
    return textwrap.shorten(text, width=200, placeholder=" …")


def _architecture(weights: Lc0Weights) -> str:
    body = weights.body
    if isinstance(body, Lc0ResidualTower):
        parts = [f"residual {len(body.blocks)}x{body.width}"]
        units = {
            block.squeeze_excitation.squeeze.outputs for block in body.blocks if block.squeeze_excitation
        }
        parts += [f"squeeze-and-excitation {'/'.join(map(str, sorted(units)))}"] if units else []
    else:
        layer = body.layers[0]
        parts = [f"attention {len(body.layers)}x{body.width}, {layer.heads} heads"]
        parts += [f"feed-forward {layer.feed_forward.first.outputs}"]
        parts += ["dense embedding"] if body.dense else []
        parts += ["gates"] if body.gate else []
        parts += ["smolgen"] if body.smolgen is not None else []
    parts += [weights.activation.name.lower()]
    match weights.policy:
        case ConvolutionPolicyHead():
            parts += ["convolution policy"]
        case AttentionPolicyHead():
            parts += ["attention policy"]
        case _:
            parts += ["classical policy"]
    parts += ["WDL" if weights.value.output.outputs == 3 else "classical value"]
    parts += ["moves left"] if weights.moves_left else []
    return ", ".join(parts)
