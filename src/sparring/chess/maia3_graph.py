"""Exports of Maia-3 as graphs of ours: dynamic batches and a card."""

from __future__ import annotations

import dataclasses

import onnx
from onnx import numpy_helper

from sparring.chess.maia3 import INPUTS, OUTPUTS, Maia3Settings
from sparring.networks.card import ModelCard, write_card
from sparring.networks.dynamic_batch import with_dynamic_batch
from sparring.networks.onnx_files import check_tensor_specs, count_operators, count_parameters, to_array


def read(model: onnx.ModelProto, name: str) -> onnx.ModelProto:
    """Converts an exported Maia-3 network to dynamic batches and adds its card. Raises BadFile."""
    check_tensor_specs(model, "Maia-3", INPUTS, OUTPUTS)
    freed = with_dynamic_batch(model, [output.name for output in OUTPUTS], _replace_gather_nd)
    layers = count_operators(freed)["Softmax"]
    card = ModelCard(
        name=name,
        game="chess",
        codec="maia3",
        architecture=f"Chessformer: {layers} attention layers over 64 squares, from-to policy, WDL",
        parameters=count_parameters(freed),
        source=name,
        licence="AGPL-3.0",
        trained_on="Lichess games from January 2023 to July 2025",
        settings=dataclasses.asdict(Maia3Settings()),
    )
    write_card(freed, card)
    return freed


def _replace_gather_nd(model: onnx.ModelProto) -> None:
    """Replaces GatherND with one index per row, PyTorch's export of x[:, list], by Gather."""
    tensors = {tensor.name: tensor for tensor in model.graph.initializer}
    for node in model.graph.node:
        with_dynamic_batch = any(
            attribute.name == "batch_dims" and attribute.i for attribute in node.attribute
        )
        if node.op_type != "GatherND" or with_dynamic_batch or node.input[1] not in tensors:
            continue
        indices = to_array(tensors[node.input[1]])
        if indices.ndim > 0 and indices.shape[-1] == 1:
            name = f"{node.output[0]}.indices"
            model.graph.initializer.append(numpy_helper.from_array(indices[..., 0], name))
            node.op_type, node.input[1] = "Gather", name
            del node.attribute[:]
