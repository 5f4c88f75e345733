"""The transformer blocks of KataGo's later networks.

They need the size of the tensor, which is that of the largest board; smaller boards stand in its corner.
"""

from __future__ import annotations

import math

import numpy as np

from sparring.networks.graph import GraphBuilder
from sparring.networks.katago.layers import BoardContext, integers, matmul, nonlinear, scalar
from sparring.networks.katago.weights import Floats, KataGoAttention, KataGoFeedForward, RmsNorm

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
