"""Reads TOML files into frozen dataclasses.

A configuration is a frozen dataclass. Its fields are the keys of the file, its annotations are the types, and
`typing.Annotated[int, msgspec.Meta(ge=0)]` gives a range. msgspec checks single values; this module checks
keys, names the place of an error and says what is allowed:

    club.toml: nodes = -3: expected an integer from 0 to 1000000000
    club.toml: unknown key 'nods'; did you mean 'nodes'? Known keys: game, name, model, ...
    club.toml: 'judge' is now 'evaluator'

A class lists its old keys in `RENAMED: ClassVar[Mapping[str, str]]`. It checks relations between keys in
`__post_init__`, which raises ValueError or BadValue.
"""

from __future__ import annotations

import dataclasses
import difflib
import math
import re
import tomllib
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta

from sparring.config.description import describe_type, field_hints, is_union, show_value

MAX_BYTES = 1 << 20
"""Size limit of a configuration file. The largest of our own has a few kilobytes."""
MAX_INTEGER = (1 << 63) - 1
"""Limit of every integer: native code has 64 bits."""
MAX_DEPTH = 32
"""Limit of the parts of a dotted key: tomllib takes quadratic time over them."""

_KEY = r"""(?:"[^"\n]*+"|'[^'\n]*+'|[\w-]++)"""
_LONG_KEY = re.compile(rf"(?<![\w-])(?:{_KEY}[ \t]*+\.[ \t]*+){{{MAX_DEPTH}}}")

T = TypeVar("T")


class BadConfig(Exception):
    """A configuration that cannot be used.

    The message is one line: the file, the key path, the given value and what is allowed. `player[2].nodes`
    is the key `nodes` in the second `[[player]]`.
    """


class BadValue(BadConfig):
    """A value of one key that a dataclass refuses in `__post_init__`; the reader adds file and key path."""

    def __init__(self, key: str, given: object, expected: str) -> None:
        super().__init__(f"{key} = {show_value(given)}: expected {expected}")


@dataclass(frozen=True)
class Source:
    """The place of a table, for error messages and relative paths."""

    file: Path | None = None
    error: type[BadConfig] = BadConfig
    """The exception to raise."""
    path: str = ""
    """The key path of the table; empty for the whole file."""

    @property
    def folder(self) -> Path:
        """The folder against which paths in the file are resolved."""
        return Path() if self.file is None else self.file.parent.absolute()

    def inside(self, key: str) -> Source:
        """The source of the table under a key."""
        return dataclasses.replace(self, path=self.key_path(key))

    def key_path(self, key: str) -> str:
        """The full path of a key of this table."""
        return f"{self.path}.{key}" if self.path else key

    def fault(self, message: str) -> BadConfig:
        """The exception with the file in front of the message."""
        text = message if self.file is None else f"{self.file}: {message}"
        return self.error(" ".join(text.splitlines()))

    def bad_value(self, key: str, given: object, expected: str) -> BadConfig:
        """The exception for a value that is not allowed under a key."""
        return self.fault(f"{self.key_path(key)} = {show_value(given)}: expected {expected}")


def read_config(cls: type[T], file: Path, error: type[BadConfig] = BadConfig) -> T:
    """Reads a TOML file into a frozen dataclass. Raises `error` if anything is wrong with it."""
    return from_table(cls, read_toml(file, error), Source(file, error))


def read_toml(file: Path, error: type[BadConfig] = BadConfig) -> dict[str, Any]:
    """Parses a TOML file into plain values.

    Raises `error` for a file that is missing, unreadable, over 1 MB, not UTF-8 or not TOML.
    """
    source = Source(file, error)
    try:
        if file.exists() and not is_file(file):
            raise source.fault("not a regular file")
        with file.open("rb") as stream:
            content = stream.read(MAX_BYTES + 1)
    except (OSError, ValueError) as fault:
        raise source.fault(getattr(fault, "strerror", None) or str(fault)) from None
    if len(content) > MAX_BYTES:
        raise source.fault(f"too large: a configuration has at most {MAX_BYTES:,} bytes")
    try:
        text = content.decode("utf-8-sig")  # some editors write a byte order mark
    except UnicodeDecodeError as fault:
        raise source.fault(f"not UTF-8 text (byte {fault.start})") from None
    if _LONG_KEY.search(text):
        raise source.fault(f"a dotted key has more than {MAX_DEPTH} parts")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise source.fault("nested too deeply") from None
    except ValueError as fault:
        raise source.fault(f"not TOML: {str(fault).split(';')[0]}") from None


def from_table(cls: type[T], table: object, source: Source | None = None) -> T:
    """Makes a dataclass from a TOML table.

    Integers serve as floats and lists as tuples. Paths are relative to the file's folder. NaN is refused, and
    infinity too, unless the field's Meta has `extra={"infinite": True}`. Raises `source.error`.
    """
    source = source or Source()
    if not isinstance(table, Mapping):
        raise source.fault(f"{source.path or 'the file'} = {show_value(table)}: expected a table")
    hints = field_hints(cls)
    _check_keys(cls, table, hints, source)
    values = {key: _value(hints[key], value, key, source) for key, value in table.items()}
    try:
        return cls(**values)
    except BadValue as fault:
        raise source.fault(source.key_path(str(fault))) from None
    except ValueError as fault:
        raise source.fault(f"{source.path}: {fault}" if source.path else str(fault)) from None


def is_file(path: Path) -> bool:
    """Whether a file exists; False also for a path that the system refuses."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _check_keys(cls: type[Any], table: Mapping[str, Any], hints: dict[str, Any], source: Source) -> None:
    renamed: Mapping[str, str] = getattr(cls, "RENAMED", {})
    if old := [key for key in table if key in renamed and key not in hints]:
        pairs = (f"'{source.key_path(key)}' is now '{source.key_path(renamed[key])}'" for key in old)
        raise source.fault(", ".join(pairs))
    for key in table:
        if key in hints:
            continue
        close = difflib.get_close_matches(key[:80], hints, 1, cutoff=0.7)
        hint = f"; did you mean '{close[0]}'?" if close else "."
        raise source.fault(
            f"unknown key {show_value(source.key_path(key))}{hint} Known keys: {', '.join(hints)}"
        )
    for field in dataclasses.fields(cls):
        needed = field.default is field.default_factory is dataclasses.MISSING
        if needed and field.name not in table:
            expected = describe_type(hints[field.name])
            raise source.fault(f"missing key '{source.key_path(field.name)}': expected {expected}")


def _value(hint: Any, value: Any, key: str, source: Source) -> Any:
    """A checked value; tables become dataclasses, so that their keys are checked too."""
    inner = _without_none(hint)
    if dataclasses.is_dataclass(inner) and isinstance(value, Mapping):
        return from_table(typing.cast("type[Any]", inner), value, source.inside(key))
    if _is_dataclass_list(inner) and isinstance(value, list | tuple):
        item = typing.get_args(inner)[0]
        return tuple(from_table(item, each, source.inside(f"{key}[{n}]")) for n, each in enumerate(value, 1))
    try:
        if dataclasses.is_dataclass(inner) and value is not None:
            raise msgspec.ValidationError
        converted = msgspec.convert(value, hint, dec_hook=lambda _, text: _path(text, source.folder))
    except msgspec.ValidationError:
        raise source.bad_value(key, value, describe_type(hint)) from None
    if not _is_sound(converted, _allows_infinity(hint)):
        raise source.bad_value(
            key, value, f"{describe_type(hint)}: no NaN, infinity, huge number or NUL"
        ) from None
    return converted


def _path(text: object, folder: Path) -> Path:
    if not isinstance(text, str):
        raise ValueError("not a path")
    return folder / text


def _is_sound(value: Any, infinite: bool) -> bool:
    """Whether no part of a value is NaN, infinity, a huge integer or text with NUL (no file name)."""
    if isinstance(value, float):
        return math.isfinite(value) or (infinite and not math.isnan(value))
    if isinstance(value, int):
        return -MAX_INTEGER <= value <= MAX_INTEGER
    if isinstance(value, str | Path):
        return "\0" not in str(value)
    if isinstance(value, dict):
        return all(_is_sound(key, infinite) and _is_sound(each, infinite) for key, each in value.items())
    return not isinstance(value, list | tuple) or all(_is_sound(each, infinite) for each in value)


def _allows_infinity(hint: Any) -> bool:
    extras = typing.get_args(hint)[1:] if typing.get_origin(hint) is Annotated else ()
    return any(isinstance(each, Meta) and bool((each.extra or {}).get("infinite")) for each in extras)


def _without_none(hint: Any) -> Any:
    """X for `X | None`, else the hint itself."""
    if not is_union(hint):
        return hint
    others = [each for each in typing.get_args(hint) if each is not types.NoneType]
    return others[0] if len(others) == 1 else hint


def _is_dataclass_list(hint: Any) -> bool:
    arguments = typing.get_args(hint)
    return (
        typing.get_origin(hint) is tuple
        and arguments[-1] is Ellipsis
        and dataclasses.is_dataclass(arguments[0])
    )
