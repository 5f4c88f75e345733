"""Lc0's heads: policy, value and moves left."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sparring._core import lc0_policy_moves
from sparring.networks.graph import GraphBuilder
from sparring.networks.lc0.attention import EncoderConfig, encoders
from sparring.networks.lc0.ops import activate, convolution, dense, gather_columns
from sparring.networks.lc0.weights import (
    SQUARES,
    ActivationFunction,
    AttentionBody,
    AttentionPolicyHead,
    ClassicalPolicyHead,
    ConvolutionPolicyHead,
    Head,
    Lc0Convolution,
    Lc0Weights,
)

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
            return gather_columns(graph, flat, convolution_policy_map())
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
    return gather_columns(graph, graph.op("Concat", plain, named, axis=1), attention_policy_map())


def promotion_logits(graph: GraphBuilder, plain: str, key: str, head: AttentionPolicyHead) -> str:
    """Logits of promotions to queen, rook and bishop [batch, 8 * 8 * 3]: the knight promotion's logit plus
    an offset."""
    offsets = head.promotion[:3] + head.promotion[3]
    last_rank = graph.op("Gather", key, graph.constant(np.arange(56, 64, dtype=np.int64)), axis=1)
    extra = graph.op("MatMul", last_rank, graph.weights(offsets.T))  # [batch, to-file, piece]
    ranks = (np.arange(48, 56)[:, None] * SQUARES + np.arange(56, 64)).reshape(-1).astype(np.int64)
    knight = graph.reshape(gather_columns(graph, plain, ranks), -1, 8, 8, 1)
    return graph.reshape(graph.op("Add", knight, graph.reshape(extra, -1, 1, 8, 3)), -1, 8 * 8 * 3)


def attention_policy_map() -> NDArray[np.int64]:
    """The index of each of the 1858 moves in an attention policy."""

    def place(start: int, end: int, promotion: int) -> int:
        if not promotion:
            return start * SQUARES + end
        kind = (_QUEEN, _ROOK, _BISHOP).index(promotion)
        return SQUARES * SQUARES + (start % 8 * 8 + end % 8) * 3 + kind

    return np.array([place(*move) for move in lc0_policy_moves()], dtype=np.int64)


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
