"""Lc0's residual towers: convolutions, with or without squeeze-and-excitation."""

from __future__ import annotations

import numpy as np

from sparring.networks.graph import Graph
from sparring.networks.lc0.blocks import activate, convolution, dense
from sparring.networks.lc0.weights import Activation, Dense, Excitation, ResidualBlock, ResidualTower


def tower(graph: Graph, planes: str, body: ResidualTower, activation: Activation) -> str:
    """From the input planes to [batch, width, 8, 8]."""
    x = activate(graph, convolution(graph, planes, body.input), activation)
    for layer in body.blocks:
        x = block(graph, x, layer, activation)
    return x


def block(graph: Graph, x: str, layer: ResidualBlock, activation: Activation) -> str:
    """Two convolutions and what they are added to."""
    y = activate(graph, convolution(graph, x, layer.first), activation)
    y = convolution(graph, y, layer.second)
    if layer.excitation:
        y = excite(graph, y, layer.excitation, activation)
    return activate(graph, graph.op("Add", y, x), activation)


def excite(graph: Graph, x: str, unit: Excitation, activation: Activation) -> str:
    """Every plane scaled and shifted by what all planes' means say."""
    width = unit.excite.outputs // 2
    means = graph.reshape(graph.op("GlobalAveragePool", x), -1, width)
    squeezed = activate(graph, dense(graph, means, unit.squeeze), activation)
    scales, shifts = (
        graph.reshape(dense(graph, squeezed, half), -1, width, 1, 1) for half in halves(unit.excite)
    )
    return graph.op("Add", graph.op("Mul", x, graph.op("Sigmoid", scales)), shifts)


def halves(layer: Dense) -> tuple[Dense, Dense]:
    """A layer as two with half of the outputs each."""
    weights, biases = np.split(layer.weights, 2), np.split(layer.biases, 2)
    return Dense(weights[0], biases[0]), Dense(weights[1], biases[1])
