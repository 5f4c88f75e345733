"""Which reader a file needs, and which codec a network speaks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, numpy_helper

from sparring.networks import plain
from sparring.networks.card import ModelCard, read_card
from sparring.networks.codec import Codec
from sparring.networks.errors import BadNetwork
from sparring.networks.files import read_file

CODECS: dict[str, Callable[[Mapping[str, float | int | str]], Codec]] = {
    "plain": plain.PlainCodec,
}


def read_network(path: Path) -> tuple[onnx.ModelProto, ModelCard]:
    """A network's file, whatever its format, as a graph with its card. Raises BadNetwork or OSError."""
    try:
        model = _read(path)
        _check_numbers(model)
        return model, read_card({entry.key: entry.value for entry in model.metadata_props})
    except BadNetwork as error:
        raise BadNetwork(f"{path}: {error}") from None


def make_codec(card: ModelCard) -> Codec:
    """The codec that a card names. Raises BadNetwork."""
    if card.codec not in CODECS:
        raise BadNetwork(f"{card.name}: unknown codec '{card.codec}'; this Sparring has {', '.join(CODECS)}")
    return CODECS[card.codec](card.settings)


def _read(path: Path) -> onnx.ModelProto:
    data = read_file(path)
    if not data:
        raise BadNetwork("the file is empty")
    return _read_onnx(data)


def _read_onnx(data: bytes) -> onnx.ModelProto:
    model = onnx.ModelProto()
    try:
        model.ParseFromString(data)
    except Exception as error:  # protobuf's own kinds differ between its versions
        raise BadNetwork(f"it is no network that we know ({error})") from None
    return model


def _check_numbers(model: onnx.ModelProto) -> None:
    """One weight that is not a number spoils every prediction."""
    for tensor in model.graph.initializer:
        is_float = tensor.data_type in (TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.DOUBLE)
        if is_float and not np.isfinite(numpy_helper.to_array(tensor)).all():
            raise BadNetwork("some of its weights are not finite numbers")
