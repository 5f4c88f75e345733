"""A strict, copy-free reader of protobuf's wire format."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from sparring.base.errors import BadFile

FieldValue: TypeAlias = int | bytes | memoryview
"""A varint, the four bytes of a fixed32, or a view of a length-delimited field."""

T = TypeVar("T", int, bytes, memoryview)

_VARINT, _FIXED64, _DELIMITED, _FIXED32 = 0, 1, 2, 5
_LONGEST_VARINT = 10
MOST_FIELDS = 10_000
"""Limit per message; the deepest of Lc0's networks have some hundreds."""
_KIND_NAMES = {int: "a number", bytes: "four bytes", memoryview: "bytes with a length"}


@dataclass(frozen=True)
class Message:
    """A message: its fields by number, each with its values in order."""

    path: str
    """Its place in the file for error messages, such as `weights.residual[3].conv1`."""
    fields: Mapping[int, tuple[FieldValue, ...]]

    def __contains__(self, number: int) -> bool:
        return number in self.fields

    def number(self, number: int, name: str, default: int = 0) -> int:
        """An integer or enumeration field."""
        value = self._single(number, name, int)
        return default if value is None else value

    def fixed(self, number: int, name: str, default: int = 0) -> int:
        """A fixed32 field."""
        value = self._single(number, name, bytes)
        return default if value is None else int.from_bytes(value, "little")

    def real(self, number: int, name: str) -> float:
        """A float field; 0 if missing."""
        value = self._single(number, name, bytes)
        return 0.0 if value is None else float(struct.unpack("<f", value)[0])

    def bytes(self, number: int, name: str) -> memoryview:
        """A bytes field; empty if missing."""
        value = self._single(number, name, memoryview)
        return memoryview(b"") if value is None else value

    def numbers(self, number: int, name: str) -> list[int]:
        """A repeated field of integers, packed or not. Raises BadFile."""
        numbers = []
        for value in self.fields.get(number, ()):
            if isinstance(value, memoryview):
                at = 0
                while at < len(value):
                    packed, at = _varint(value, at, self._inside(name))
                    numbers.append(packed)
            elif isinstance(value, int):
                numbers.append(value)
            else:
                raise BadFile(f"{self._inside(name)} is no list of numbers")
        return numbers

    def text(self, number: int, name: str) -> str:
        """A string field; empty if missing."""
        return bytes(self.bytes(number, name)).decode("utf-8", errors="replace")

    def message(self, number: int, name: str, most: int = MOST_FIELDS) -> Message:
        """A nested message of at most `most` fields; empty if missing."""
        return parse(self.bytes(number, name), self._inside(name), most)

    def texts(self, number: int, name: str) -> list[str]:
        """A repeated field of strings. Raises BadFile."""
        values = self.fields.get(number, ())
        if not all(isinstance(value, memoryview) for value in values):
            raise BadFile(f"{self._inside(name)} is no text")
        return [bytes(value).decode("utf-8", errors="replace") for value in values]

    def messages(self, number: int, name: str) -> list[Message]:
        """The messages of a repeated field. Raises BadFile."""
        messages = []
        for i, value in enumerate(self.fields.get(number, ())):
            path = self._inside(f"{name}[{i}]")
            if not isinstance(value, memoryview):
                raise BadFile(f"{path} is not a message")
            messages.append(parse(value, path))
        return messages

    def _inside(self, name: str) -> str:
        return f"{self.path}.{name}" if self.path else name

    def _single(self, number: int, name: str, kind: type[T]) -> T | None:
        values = self.fields.get(number, ())
        if not values:
            return None
        if len(values) > 1:
            raise BadFile(f"{self._inside(name)} is there {len(values)} times; once is expected")
        if not isinstance(values[0], kind):
            raise BadFile(f"{self._inside(name)} has the wrong type; {_KIND_NAMES[kind]} is expected")
        return values[0]


def parse(data: memoryview, path: str = "", most: int = MOST_FIELDS) -> Message:
    """Parses a message of at most `most` fields. Raises BadFile."""
    where = path or "the file"
    fields: dict[int, list[FieldValue]] = {}
    at = count = 0
    while at < len(data):
        tag, at = _varint(data, at, where)
        number, kind = tag >> 3, tag & 7
        count += 1
        if count > most or number == 0:
            what = "field 0" if number == 0 else f"more than {most:,} fields"
            raise BadFile(f"{where} is no message: it has {what}")
        value: FieldValue
        if kind == _VARINT:
            value, at = _varint(data, at, where)
        elif kind == _DELIMITED:
            size, at = _varint(data, at, where)
            value, at = _take(data, at, size, where), at + size
        elif kind == _FIXED32:
            value, at = bytes(_take(data, at, 4, where)), at + 4
        elif kind == _FIXED64:
            value, at = _take(data, at, 8, where), at + 8
        else:
            raise BadFile(f"{where} is no protobuf message (wire type {kind} at byte {at:,})")
        fields.setdefault(number, []).append(value)
    return Message(path, {number: tuple(values) for number, values in fields.items()})


def _take(data: memoryview, at: int, size: int, where: str) -> memoryview:
    left = len(data) - at
    if size > left:
        raise BadFile(f"{where} is cut off or broken: {size:,} bytes announced, {left:,} left")
    return data[at : at + size]


def _varint(data: memoryview, at: int, where: str) -> tuple[int, int]:
    """A varint and the offset after it."""
    value = 0
    for i in range(_LONGEST_VARINT):
        if at + i >= len(data):
            raise BadFile(f"{where} is cut off or broken: it ends inside a number")
        byte = data[at + i]
        value |= (byte & 0x7F) << 7 * i
        if byte < 0x80:
            return value, at + i + 1
    raise BadFile(f"{where} is broken: a number has more than {_LONGEST_VARINT} bytes")


def encode(fields: Mapping[int, Sequence[FieldValue]]) -> bytes:
    """The bytes of a message with these fields, which may hold no fixed64."""
    parts: list[bytes | memoryview] = []
    for number, values in fields.items():
        for value in values:
            if isinstance(value, int):
                parts += [_encoded_varint(number << 3 | _VARINT), _encoded_varint(value)]
            elif isinstance(value, memoryview):
                parts += [_encoded_varint(number << 3 | _DELIMITED), _encoded_varint(len(value)), value]
            else:
                parts += [_encoded_varint(number << 3 | _FIXED32), value]
    return b"".join(parts)


def _encoded_varint(value: int) -> bytes:
    value &= 0xFFFF_FFFF_FFFF_FFFF  # a negative number is stored as its two's complement
    groups = bytearray()
    while value > 0x7F:
        groups.append(value & 0x7F | 0x80)
        value >>= 7
    groups.append(value)
    return bytes(groups)
