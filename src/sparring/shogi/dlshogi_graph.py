"""Exports of dlshogi as graphs of ours: dynamic batches and a card."""

from __future__ import annotations

import onnx

from sparring.networks.card import ModelCard, write_card
from sparring.networks.dynamic_batch import with_dynamic_batch
from sparring.networks.onnx_files import check_tensor_specs, count_operators, count_parameters
from sparring.shogi.dlshogi import INPUTS, OUTPUTS


def read(model: onnx.ModelProto, name: str) -> onnx.ModelProto:
    """Converts an exported dlshogi network to dynamic batches and adds its card. Raises BadFile."""
    check_tensor_specs(model, "dlshogi", INPUTS, OUTPUTS)
    freed = with_dynamic_batch(model, [output.name for output in OUTPUTS])
    convolutions = count_operators(freed)["Conv"]
    card = ModelCard(
        name=name,
        game="shogi",
        codec="dlshogi",
        architecture=f"dlshogi: {convolutions} convolutions, policy of 2187 labels, value",
        parameters=count_parameters(freed),
        source=name,
    )
    write_card(freed, card)
    return freed
