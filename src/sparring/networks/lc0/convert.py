"""Converts Lc0's files to ONNX graphs with model cards."""

from __future__ import annotations

import textwrap

import onnx
from onnx import TensorProto

from sparring.networks.card import ModelCard
from sparring.networks.graph import GraphBuilder
from sparring.networks.lc0.attention import attention_body
from sparring.networks.lc0.heads import head_output, policy
from sparring.networks.lc0.reader import read_weights
from sparring.networks.lc0.residual import tower
from sparring.networks.lc0.weights import (
    PLANES,
    POLICY,
    AttentionBody,
    AttentionPolicyHead,
    ConvolutionPolicyHead,
    Lc0ResidualTower,
    Lc0Weights,
)


def read(data: bytes, name: str) -> onnx.ModelProto:
    """Converts the decompressed content of a file. Raises BadNetwork."""
    weights = read_weights(data)
    graph = GraphBuilder()
    planes = graph.op("Cast", graph.input("planes", [PLANES, 8, 8], TensorProto.UINT8), to=TensorProto.FLOAT)
    match weights.body:
        case Lc0ResidualTower() as body:
            x = tower(graph, planes, body, weights.activation)
        case AttentionBody() as body:
            x = attention_body(graph, planes, weights, body)
    graph.output("policy", policy(graph, x, weights), [POLICY])
    value = head_output(graph, x, weights.value, weights.activation)
    if weights.value.output.outputs == 3:
        graph.output("wdl", graph.op("Softmax", value, axis=-1), [3])
    else:
        graph.output("value", graph.op("Tanh", value), [1])
    if weights.moves_left:
        left = head_output(graph, x, weights.moves_left, weights.activation)
        graph.output("moves_left", graph.op("Relu", left), [1])
    return graph.build(_card(weights, name))


def _card(weights: Lc0Weights, name: str) -> ModelCard:
    steps = f"unknown data, {weights.training_steps:,} steps" if weights.training_steps else "unknown"
    return ModelCard(
        name=name,
        game="chess",
        codec="lc0",
        architecture=_architecture(weights),
        parameters=weights.parameters,
        source=f"{name} (weights in Lc0's format)",
        licence=_short(weights.licence) or "not stated",
        trained_on=steps,
    )


def _short(text: str) -> str:
    """A text of unknown length, shortened to fit a line."""
    return textwrap.shorten(text, width=200, placeholder=" …")


def _architecture(weights: Lc0Weights) -> str:
    body = weights.body
    if isinstance(body, Lc0ResidualTower):
        parts = [f"residual {len(body.blocks)}x{body.width}"]
        units = {
            block.squeeze_excitation.squeeze.outputs for block in body.blocks if block.squeeze_excitation
        }
        parts += [f"squeeze-and-excitation {'/'.join(map(str, sorted(units)))}"] if units else []
    else:
        layer = body.layers[0]
        parts = [f"attention {len(body.layers)}x{body.width}, {layer.heads} heads"]
        parts += [f"feed-forward {layer.feed_forward.first.outputs}"]
        parts += ["dense embedding"] if body.dense else []
        parts += ["gates"] if body.gate else []
        parts += ["smolgen"] if body.smolgen is not None else []
    parts += [weights.activation.name.lower()]
    match weights.policy:
        case ConvolutionPolicyHead():
            parts += ["convolution policy"]
        case AttentionPolicyHead():
            parts += ["attention policy"]
        case _:
            parts += ["classical policy"]
    parts += ["WDL" if weights.value.output.outputs == 3 else "classical value"]
    parts += ["moves left"] if weights.moves_left else []
    return ", ".join(parts)
