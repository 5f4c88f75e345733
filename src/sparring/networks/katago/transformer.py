"""The transformer blocks of KataGo's later networks.

They need the size of the tensor, which is the largest board's: smaller boards stand in its corner.
"""

from __future__ import annotations

import math

import numpy as np

from sparring.networks.graph import Graph
from sparring.networks.katago.layers import Board, integers, multiply, nonlinear, number
from sparring.networks.katago.weights import Attention, FeedForward, Floats, RmsNorm

LARGEST = 19
POINTS = LARGEST * LARGEST
_NEVER = 1e4  # taken from the scores of points beyond the board


def attention(board: Board, x: str, weights: Attention) -> str:
    """What each point learns from the others. Heads stand in groups that share keys and values."""
    g = board.graph
    keys, group = weights.key_heads, weights.heads // weights.key_heads
    size, value_size = weights.query.shape[1] // weights.heads, weights.value.shape[1] // keys
    x = normalised_points(board, x, weights.norm)

    query = by_head(g, multiply(g, x, weights.query / math.sqrt(size)), weights.heads, size)
    key = by_head(g, multiply(g, x, weights.key), keys, size)
    value = by_head(g, multiply(g, x, weights.value), keys, value_size)
    if weights.rotation is not None:
        query = turned(g, query, weights.rotation.repeat(group if len(weights.rotation) > 1 else 1, axis=0))
        key = turned(g, key, weights.rotation)

    # [batch, keys, group, points, points]
    query = g.reshape(query, 0, keys, group, POINTS, size)
    key = g.reshape(g.op("Transpose", key, perm=[0, 1, 3, 2]), 0, keys, 1, size, POINTS)
    beyond = g.reshape(g.op("Mul", board.beyond, number(g, _NEVER)), 0, 1, 1, 1, POINTS)
    scores = g.op("Softmax", g.op("Add", g.op("MatMul", query, key), beyond), axis=-1)

    seen = g.op("MatMul", scores, g.reshape(value, 0, keys, 1, POINTS, value_size))
    seen = g.op("Transpose", g.reshape(seen, 0, weights.heads, POINTS, value_size), perm=[0, 2, 1, 3])
    seen = g.reshape(seen, 0, POINTS, weights.heads * value_size)
    return as_planes(g, multiply(g, seen, weights.out), weights.out.shape[1])


def feed_forward(board: Board, x: str, weights: FeedForward) -> str:
    """What each point makes of what it knows."""
    g = board.graph
    x = normalised_points(board, x, weights.norm)
    hidden = nonlinear(g, multiply(g, x, weights.first), "silu")
    gated = g.op("Mul", hidden, multiply(g, x, weights.gate))
    return as_planes(g, multiply(g, gated, weights.second), weights.second.shape[1])


def normalised_points(board: Board, x: str, norm: RmsNorm) -> str:
    """[batch, points, channels]"""
    g = board.graph
    x = g.op("Mul", x, board.mask)
    x = g.op("Transpose", g.reshape(x, 0, norm.scale.size, POINTS), perm=[0, 2, 1])
    mean = g.op("ReduceMean", g.op("Mul", x, x), integers(g, 2))
    root = g.op("Sqrt", g.op("Add", mean, number(g, norm.epsilon)))
    return g.op("Mul", g.op("Div", x, root), g.weights(norm.scale))


def by_head(graph: Graph, x: str, heads: int, size: int) -> str:
    """[batch, heads, points, size]"""
    return graph.op("Transpose", graph.reshape(x, 0, POINTS, heads, size), perm=[0, 2, 1, 3])


def turned(graph: Graph, x: str, rotation: Floats) -> str:
    """Rotary position embedding: pairs of channels turn with the point's column and row."""
    rows, columns = np.divmod(np.arange(POINTS), LARGEST)
    angles = rotation[..., 0, np.newaxis] * columns + rotation[..., 1, np.newaxis] * rows
    angles = angles.transpose(0, 2, 1).repeat(2, axis=2)[np.newaxis]  # [1, heads, points, channels]
    signs = np.resize(np.array([-1.0, 1.0], np.float32), angles.shape[-1])
    partners = np.arange(angles.shape[-1]) ^ 1
    cosine = graph.constant(np.cos(angles).astype(np.float32))
    sine = graph.constant((np.sin(angles) * signs).astype(np.float32))
    swapped = graph.op("Gather", x, integers(graph, *partners.tolist()), axis=3)
    return graph.op("Add", graph.op("Mul", x, cosine), graph.op("Mul", swapped, sine))


def as_planes(graph: Graph, x: str, channels: int) -> str:
    """[batch, channels, rows, columns]"""
    return graph.reshape(graph.op("Transpose", x, perm=[0, 2, 1]), 0, channels, LARGEST, LARGEST)
