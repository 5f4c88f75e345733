"""Registries: file format to reader, card to codec."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import onnx

from sparring.networks import conditioned, dlshogi, katago, lc0, maia3, plain
from sparring.networks.card import ModelCard, has_card, read_card
from sparring.networks.codec import Codec
from sparring.networks.errors import BadNetwork
from sparring.networks.files import model_name, read_file
from sparring.networks.graph_check import check_graph
from sparring.networks.onnx_files import load_onnx

CODECS: dict[str, Callable[[Mapping[str, float | int | str]], Codec]] = {
    "dlshogi": dlshogi.DlshogiCodec,
    "katago": katago.KataGoCodec,
    "lc0": lc0.Lc0Codec,
    "maia3": maia3.Maia3Codec,
    "people": conditioned.ConditionedCodec,
    "plain": plain.PlainCodec,
}


def read_network(path: Path) -> tuple[onnx.ModelProto, ModelCard]:
    """Reads a network file of any supported format as an ONNX graph with its card. Raises BadNetwork or
    OSError."""
    try:
        model = _read(path)
        card = read_card({entry.key: entry.value for entry in model.metadata_props})
        check_graph(model, make_codec(card))
        return model, card
    except BadNetwork as error:
        raise BadNetwork(f"{path}: {error}") from None


def make_codec(card: ModelCard) -> Codec:
    """Creates the codec that a card names. Raises BadNetwork."""
    if card.codec not in CODECS:
        raise BadNetwork(f"{card.name}: unknown codec '{card.codec}'; this Sparring has {', '.join(CODECS)}")
    try:
        codec = CODECS[card.codec](card.settings)
    except (KeyError, ValueError) as error:
        raise BadNetwork(f"{card.name}: the settings of its model card are wrong ({error})") from None
    if codec.game != card.game:
        raise BadNetwork(f"{card.name}: its model card names {card.game}, its codec is for {codec.game}")
    return codec


def _read(path: Path) -> onnx.ModelProto:
    data = read_file(path)
    if not data:
        raise BadNetwork("the file is empty")
    if lc0.looks_like_lc0(data):
        return lc0.read(data, model_name(path))
    if katago.looks_like_katago(data):
        return katago.read(data, model_name(path))
    return _read_onnx(data, path)


def _read_onnx(data: bytes, path: Path) -> onnx.ModelProto:
    """Recognises our own files by their card and those of other programs by their inputs."""
    try:
        model = load_onnx(data, path.parent)
    except BadNetwork as error:
        raise BadNetwork(f"not a network of Lc0 or KataGo, and no valid ONNX file: {error}") from None
    if has_card(model):
        return model
    inputs = {value.name for value in model.graph.input}
    if "tokens" in inputs:
        return maia3.read(model, model_name(path))
    if {"input1", "input2"} <= inputs:
        return dlshogi.read(model, model_name(path))
    raise BadNetwork("an ONNX file without Sparring's model card, and not of Maia-3 or dlshogi by its inputs")
