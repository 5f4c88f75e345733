"""Exports a synopsis network as an ONNX graph with its model card, node by node as `training.rbc.model`
computes it.

Batch normalisation is folded into the convolutions. Every headset has the outputs `policy_H` and `value_H`;
the other heads only serve the training. A player extracts the part of the graph that it needs.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import onnx
from numpy.typing import NDArray
from torch import Tensor, nn

from sparring.belief import PLANES
from sparring.games.rbc import DESCRIPTION
from sparring.networks.card import ModelCard
from sparring.networks.graph import GraphBuilder
from sparring.networks.synopsis import ACTIONS, CODEC
from sparring.training.rbc.config import RbcTrainingConfig
from sparring.training.rbc.model import ActionHead, Headset, PlainResidualBlock, SynopsisNetwork


def export_synopsis_network(
    model: SynopsisNetwork, config: RbcTrainingConfig, card: dict[str, Any]
) -> onnx.ModelProto:
    """Returns the ONNX model; `card` has further fields of the ModelCard.

    Input: `planes` float [batch, 104, 8, 8]. Outputs of each headset H: `policy_H` logits [batch, 4161] and
    `value_H` [batch, 1].
    """
    graph = GraphBuilder()
    x = graph.input("planes", (len(PLANES), 8, 8))
    x = graph.op("Relu", _convolution(graph, x, model.stem, model.stem_norm))
    for block in model.tower:
        x = _residual(graph, x, cast(PlainResidualBlock, block))
    for name, module in zip(config.headset_names, model.headsets, strict=True):
        headset = cast(Headset, module)
        graph.output(f"policy_{name}", _policy(graph, x, headset.policy), (ACTIONS,))
        graph.output(f"value_{name}", _value(graph, x, headset), (1,))
    part = config.network
    return graph.build(
        ModelCard(
            name=config.name,
            game=DESCRIPTION.name,
            codec=CODEC,
            architecture=f"residual {part.blocks}x{part.width}, {len(config.headsets)} headsets, "
            f"{part.policy_blocks} residual blocks and from-to products of size {part.policy_width} a policy",
            parameters=sum(parameter.numel() for parameter in model.parameters()),
            settings={"headsets": ",".join(config.headset_names)},
            **card,
        )
    )


def _policy(graph: GraphBuilder, x: str, head: ActionHead) -> str:
    for block in head.blocks:
        x = _residual(graph, x, cast(PlainResidualBlock, block))
    x = graph.op("Relu", _convolution(graph, x, head.embed))
    width, size = head.embed.out_channels, head.query.out_channels
    query = graph.reshape(_convolution(graph, x, head.query, scale=size**-0.5), 0, size, 64)
    key = graph.reshape(_convolution(graph, x, head.key), 0, size, 64)
    moves = graph.op("MatMul", graph.op("Transpose", query, perm=[0, 2, 1]), key)
    pooled = graph.reshape(graph.op("GlobalAveragePool", x), -1, width)
    return graph.op(
        "Concat",
        graph.reshape(_convolution(graph, x, head.sense), 0, 64),
        graph.reshape(moves, 0, 64 * 64),
        _dense(graph, pooled, head.passing),
        axis=1,
    )


def _value(graph: GraphBuilder, x: str, headset: Headset) -> str:
    squares = graph.op("Relu", _convolution(graph, x, headset.value_squares))
    squares = graph.reshape(squares, 0, headset.value_hidden.in_features)
    hidden = graph.op("Relu", _dense(graph, squares, headset.value_hidden))
    return graph.op("Tanh", _dense(graph, hidden, headset.value))


def _residual(graph: GraphBuilder, x: str, block: PlainResidualBlock) -> str:
    y = graph.op("Relu", _convolution(graph, x, block.first, block.first_norm))
    y = _convolution(graph, y, block.second, block.second_norm)
    return graph.op("Relu", graph.op("Add", y, x))


def _convolution(
    graph: GraphBuilder, x: str, layer: nn.Conv2d, norm: nn.BatchNorm2d | None = None, scale: float = 1.0
) -> str:
    weights = _array(layer.weight)
    if norm is None:
        biases = _array(cast(Tensor, layer.bias))
    else:
        factors = _array(norm.weight) / np.sqrt(_array(norm.running_var) + norm.eps)
        biases = _array(norm.bias) - _array(norm.running_mean) * factors
        weights = weights * factors[:, None, None, None]
    kernel = weights.shape[-1]
    return graph.op(
        "Conv",
        x,
        graph.weights(weights * np.float32(scale)),
        graph.weights(biases * np.float32(scale)),
        kernel_shape=[kernel, kernel],
        pads=[kernel // 2] * 4,
    )


def _dense(graph: GraphBuilder, x: str, layer: nn.Linear) -> str:
    return graph.op(
        "Gemm", x, graph.weights(_array(layer.weight)), graph.weights(_array(layer.bias)), transB=1
    )


def _array(tensor: Tensor | None) -> NDArray[np.float32]:
    assert tensor is not None
    return tensor.detach().float().cpu().numpy()
