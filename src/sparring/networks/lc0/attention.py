"""Lc0's attention bodies: squares are tokens, processed by encoder layers.

Between layers the values are [batch * 64, width], one row per square, so that a dense layer is one matrix
product.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sparring._core import lc0_policy_moves
from sparring.networks.graph import GraphBuilder
from sparring.networks.lc0.ops import activate, dense, layer_norm
from sparring.networks.lc0.weights import (
    PLANES,
    SQUARES,
    ActivationFunction,
    Array,
    AttentionBody,
    DenseEmbedding,
    EncoderLayer,
    Lc0Dense,
    Lc0Weights,
    Smolgen,
)

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
