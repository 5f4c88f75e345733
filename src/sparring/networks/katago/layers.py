"""The layers of KataGo's networks as ONNX nodes.

A board smaller than the tensor stands in its corner. The mask zeroes what convolutions write beyond the
board after every activation, so it never reaches the board.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sparring.networks.errors import BadNetwork
from sparring.networks.graph import GraphBuilder
from sparring.networks.katago.weights import (
    BatchNormActivation,
    Floats,
    KataGoConvolution,
    KataGoDense,
    Nonlinearity,
    RmsNormActivation,
)

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
    """Weights [..., out] times a factor per output. Raises BadNetwork if float32 overflows."""
    with np.errstate(over="ignore"):
        product = weights * by
    if not np.isfinite(product).all():
        raise BadNetwork("its weights are too large to be folded into each other")
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
