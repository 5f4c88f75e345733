"""The blocks of KataGo's trunks: ordinary, global pooling and nested bottleneck blocks."""

from __future__ import annotations

from sparring.networks.katago.layers import (
    BoardContext,
    activate,
    batch_norm_activation,
    broadcast_to_board,
    convolve,
    global_pool,
    matmul,
    scaled,
)
from sparring.networks.katago.transformer import attention, feed_forward
from sparring.networks.katago.weights import (
    GlobalPoolingBlock,
    GlobalPoolingConvolution,
    KataGoAttention,
    KataGoFeedForward,
    NestedBottleneckBlock,
    OrdinaryBlock,
    TrunkBlock,
)


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
