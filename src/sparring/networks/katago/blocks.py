"""The blocks of KataGo's trunks: convolutional ones with and without global pooling, nested ones."""

from __future__ import annotations

from sparring.networks.katago.layers import (
    Board,
    activate,
    convolve,
    multiply,
    normalised,
    pooled,
    scaled,
    spread,
)
from sparring.networks.katago.transformer import attention, feed_forward
from sparring.networks.katago.weights import (
    Attention,
    Biased,
    Block,
    FeedForward,
    GlobalPooling,
    Nested,
    Residual,
)


def block(board: Board, x: str, weights: Block) -> str:
    """x and what the block adds to it."""
    match weights:
        case Residual():
            added = residual(board, x, weights)
        case GlobalPooling():
            added = global_pooling(board, x, weights)
        case Nested():
            added = nested(board, x, weights)
        case Attention():
            added = attention(board, x, weights)
        case FeedForward():
            added = feed_forward(board, x, weights)
    return board.graph.op("Add", x, added)


def residual(board: Board, x: str, weights: Residual) -> str:
    """Two convolutions."""
    x = normalised(board, x, weights.before)
    x = activate(board, convolve(board, x, weights.first, weights.between), weights.between.kind)
    return convolve(board, x, weights.second)


def global_pooling(board: Board, x: str, weights: GlobalPooling) -> str:
    """Two convolutions, the first with a bias from the whole board."""
    x, _ = biased(board, normalised(board, x, weights.before), weights.first)
    return convolve(board, x, weights.second)


def biased(board: Board, x: str, weights: Biased) -> tuple[str, str]:
    """The activated convolution with its bias, and the pooled channels [batch, 3 * channels]."""
    g = board.graph
    local = convolve(board, x, weights.local, weights.activation)
    seen = convolve(board, x, weights.pooled, weights.pooled_activation)
    pool = pooled(board, activate(board, seen, weights.pooled_activation.kind))
    # The normalisation is part of the convolution's weights already: it scales the bias too.
    scale = weights.activation.scale
    bias = spread(g, multiply(g, pool, scaled(weights.to_bias, scale)), scale.size)
    return activate(board, g.op("Add", local, bias), weights.activation.kind), pool


def nested(board: Board, x: str, weights: Nested) -> str:
    """A narrower trunk within the trunk."""
    x = convolve(board, normalised(board, x, weights.before), weights.first)
    for inner in weights.blocks:
        x = block(board, x, inner)
    return convolve(board, normalised(board, x, weights.between), weights.second)
