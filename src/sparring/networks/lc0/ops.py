"""The layers that Lc0's networks consist of, as graph nodes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sparring.networks.graph import GraphBuilder
from sparring.networks.lc0.weights import ActivationFunction, LayerNorm, Lc0Convolution, Lc0Dense


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


def gather_columns(graph: GraphBuilder, x: str, indices: NDArray[np.int64]) -> str:
    """Selects columns of [batch, columns].

    The gather runs on the transposed matrix, where a column is one copy for the whole batch; gathering
    single elements takes three times as long.
    """
    columns = graph.op("Gather", graph.op("Transpose", x, perm=[1, 0]), graph.constant(indices), axis=0)
    return graph.op("Transpose", columns, perm=[1, 0])
