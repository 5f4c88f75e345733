"""Model cards: name, origin, architecture and licence of a network.

A card is stored in the metadata of the network's ONNX file, as one JSON object under one key.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import msgspec
from msgspec import Meta

from sparring.base.errors import BadFile
from sparring.games import describe
from sparring.games.description import ENCODING_VERSION, MOVE_NUMBERING
from sparring.networks.onnx_reader import parse

if TYPE_CHECKING:
    import onnx

_KEY = "sparring.card"
_PLAIN = "planes"
"""The encoding of the codec `plain`; other codecs name theirs in the settings, or have one of their own."""
_VERSION = 1
_DUTIES = {
    "AGPL-3.0-only": "Who passes the file on, or lets others use a changed one over a network, offers its "
    "source under the AGPL: here the training code and the command of `source`.",
    "GPL-3.0-or-later": "Who passes the file on offers its source under the GPL: here the training code and "
    "the command of `source`.",
    "CC0-1.0": "Anybody may pass the file on, without conditions.",
}
"""What a licence asks of whoever passes the file on."""
_UNKNOWN_TEACHER = (
    " A teacher states no licence; whether its rights reach this file is not settled, and is yours to judge."
)
_LONGEST = 1 << 16
"""Size limit of a card. The longest of our own has two thousand characters."""


@dataclass(frozen=True)
class ModelCard:
    """The facts about a network that users and programs need."""

    name: str
    game: str
    codec: str
    """The name of the codec that encodes positions and decodes outputs: a key of
    `sparring.networks.formats.codecs()`."""
    architecture: str
    """A description such as "residual 6x64, squeeze-and-excitation 8, convolution policy, WDL"."""
    parameters: Annotated[int, Meta(ge=0, le=10**12)]
    source: str
    """The file or the command from which the network was made."""
    licence: str = "not stated"
    """The licence of the file, as its makers state it. docs/networks.md has the rule."""
    teachers: str = ""
    """Networks and programs that it learned from, each with its origin and its licence, as far as known."""
    trained_on: str = "unknown"
    accuracy: str = "not measured"
    limitations: str = ""
    """Known weaknesses, and what the measurements do not show."""
    settings: dict[str, float | int | str] = field(default_factory=dict)
    """Settings of the codec for this network, such as KataGo's feature version."""

    @property
    def redistribution(self) -> str:
        """What licence and teachers mean for whoever passes the file on; empty if the licence is unknown."""
        duty = next((text for name, text in _DUTIES.items() if self.licence.startswith(name)), "")
        return duty + _UNKNOWN_TEACHER if duty and "not stated" in self.teachers else duty

    def describe(self) -> list[tuple[str, str]]:
        """The card as (label, text) rows for printing."""
        rows = [(f.name.replace("_", " "), getattr(self, f.name)) for f in dataclasses.fields(self)]
        after = next(i for i, (name, _) in enumerate(rows) if name == "teachers") + 1
        rows.insert(after, ("redistribution", self.redistribution))
        return [
            (name, f"{value:,}" if isinstance(value, int) else str(value))
            for name, value in rows
            if value not in ({}, "")
        ]


def encoding_of(card: ModelCard) -> str:
    """The name of the encoding that the card's network sees and names moves by."""
    return str(card.settings.get("encoding", _PLAIN if card.codec == "plain" else card.codec))


def write_card(model: onnx.ModelProto, card: ModelCard) -> None:
    """Stores the card in the model's metadata and replaces an existing one."""
    import onnx

    kept = {entry.key: entry.value for entry in model.metadata_props}
    game = describe(card.game)
    versions = {
        "version": _VERSION,
        ENCODING_VERSION: game.encodings.get(encoding_of(card), 1),
        MOVE_NUMBERING: game.move_numbering,
    }
    kept[_KEY] = json.dumps({**versions, **dataclasses.asdict(card)})
    onnx.helper.set_model_props(model, kept)


def has_card(metadata: Mapping[str, str]) -> bool:
    """Whether the metadata of an ONNX file has a card, that is, Sparring wrote the file."""
    return _KEY in metadata


def read_card(metadata: dict[str, str]) -> ModelCard:
    """Parses the card in an ONNX file's metadata. Raises BadFile."""
    if _KEY not in metadata:
        raise BadFile("this ONNX file has no model card of Sparring's")
    if len(metadata[_KEY]) > _LONGEST:
        raise BadFile(f"its model card has more than {_LONGEST:,} characters")
    try:
        entries = msgspec.json.decode(metadata[_KEY], type=dict[str, Any])
        version = entries.pop("version")
        if version != _VERSION:
            raise BadFile(f"its model card has version {version}; this Sparring reads version {_VERSION}")
        versions = {key: entries.pop(key) for key in (ENCODING_VERSION, MOVE_NUMBERING) if key in entries}
        if unknown := entries.keys() - {field.name for field in dataclasses.fields(ModelCard)}:
            raise BadFile(f"its model card has an unknown entry '{min(unknown)}'")
        card = msgspec.convert(entries, ModelCard)
        game, encoding = describe(card.game), encoding_of(card)
    except RecursionError:
        raise BadFile("its model card is nested too deeply") from None
    except (KeyError, ValueError) as error:  # msgspec's errors are ValueErrors
        raise BadFile(f"its model card is broken ({error})") from None
    try:
        game.check_encoding(encoding, versions)
    except BadFile as error:
        raise BadFile(f"{error}; convert or train the network again") from None
    return card


def read_card_from_file(path: Path) -> ModelCard:
    """Reads the card of an ONNX file without loading its weights. Raises BadFile or OSError."""
    metadata: dict[str, str] = {}
    try:
        with path.open("rb") as file:
            while (tag := _varint(file)) is not None:
                field, kind = tag >> 3, tag & 7
                size = _varint(file)
                if kind == _DELIMITED and field == _METADATA_FIELD:
                    entry = parse(memoryview(file.read(size or 0)), "metadata_props")
                    metadata[entry.text(1, "key")] = entry.text(2, "value")
                elif kind == _DELIMITED:
                    file.seek(size or 0, 1)
                elif kind != _NUMBER:
                    raise ValueError(f"a field of kind {kind}")
        return read_card(metadata)
    except BadFile as error:
        raise BadFile(f"{path}: {error}") from None
    except Exception as error:  # protobuf's own kinds differ between its versions
        raise BadFile(f"{path}: this is no ONNX file ({error})") from None


_NUMBER, _DELIMITED = 0, 2  # protobuf's wire types
_METADATA_FIELD = 14  # ModelProto.metadata_props


def _varint(file: BinaryIO) -> int | None:
    """Protobuf's variable-length integer, or None at the end of the file."""
    value = shift = 0
    while byte := file.read(1):
        value |= (byte[0] & 0x7F) << shift
        if byte[0] < 0x80:
            return value
        shift += 7
        if shift >= 70:  # 64 bits at most
            raise ValueError("a number of more than 64 bits")
    return None
