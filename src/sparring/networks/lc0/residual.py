"""Lc0's residual towers: convolutions, with or without squeeze-and-excitation."""

from __future__ import annotations

import numpy as np

from sparring.networks.graph import GraphBuilder
from sparring.networks.lc0.ops import activate, convolution, dense
from sparring.networks.lc0.weights import (
    ActivationFunction,
    Lc0Dense,
    Lc0ResidualBlock,
    Lc0ResidualTower,
    SqueezeExcitation,
)


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
