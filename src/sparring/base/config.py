"""Reads TOML files into frozen dataclasses, and says where the user's folder is.

A configuration is a frozen dataclass. Its fields are the keys of the file, its annotations are the types, and
`typing.Annotated[int, msgspec.Meta(ge=0)]` gives a range. msgspec checks single values; this module checks
keys, names the place of an error and says what is allowed:

    club.toml: nodes = -3: expected an integer from 0 to 1000000000
    club.toml: unknown key 'nods'; did you mean 'nodes'? Known keys: game, name, model, ...

A class checks relations between keys in `__post_init__`, which raises ValueError or `bad_value`.
"""

from __future__ import annotations

import dataclasses
import difflib
import math
import os
import re
import sys
import tomllib
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, Union

import msgspec
from msgspec import Meta

from sparring.base.errors import BadConfig

# Configurations in words: for error messages, and for the tables of options in the docs
# (`tests/config/option_tables.py`).


_WORDS = {
    int: ("an integer", "integers"),
    float: ("a number", "numbers"),
    str: ("a string", "strings"),
    bool: ("true or false", "booleans"),
    Path: ("a path", "paths"),
}


def describe_type(hint: Any, *, plural: bool = False) -> str:
    """The values that a field with this annotation takes, in words."""
    if typing.get_origin(hint) is Annotated:
        inner, *extras = typing.get_args(hint)
        ranges = (_range_text(extra) for extra in extras if isinstance(extra, Meta))
        return describe_type(inner, plural=plural) + "".join(ranges)
    if plural and hint not in _WORDS:
        return "values" if hint is Any or is_union(hint) else "tables"
    if is_union(hint):
        return " or ".join(
            describe_type(part) for part in typing.get_args(hint) if part is not types.NoneType
        )
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is Literal:
        return f"one of {', '.join(map(str, arguments))}"
    if origin is tuple:
        count = "" if arguments[-1] is Ellipsis else f"{len(arguments)} "
        return f"a list of {count}{describe_type(arguments[0], plural=True)}"
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return f"a table of {describe_type(arguments[1], plural=True)}"
    return _WORDS[hint][plural] if hint in _WORDS else "a table"


_HINTS: dict[type[Any], dict[str, Any]] = {}
"""The annotations of each class that was asked for: resolving them takes longer than reading a file."""


def field_hints(cls: type[Any]) -> dict[str, Any]:
    """The annotations of the fields of a dataclass, in their order."""
    if cls not in _HINTS:
        hints = typing.get_type_hints(cls, include_extras=True)
        _HINTS[cls] = {field.name: _with_range(hints[field.name], field) for field in dataclasses.fields(cls)}
    return _HINTS[cls]


def is_union(hint: Any) -> bool:
    """Whether an annotation is `X | Y`."""
    return isinstance(hint, types.UnionType) or typing.get_origin(hint) is Union


def _range_text(meta: Meta) -> str:
    if meta.ge is not None and meta.le is not None:
        return f" from {meta.ge} to {meta.le}"
    bounds = ((">=", meta.ge), (">", meta.gt), ("<=", meta.le), ("<", meta.lt))
    numbers = " and ".join(f"{sign} {bound}" for sign, bound in bounds if bound is not None)
    length = f"of at least {meta.min_length}" if meta.min_length is not None else ""
    return "".join(f" {part}" for part in (numbers, length) if part)


def show_value(value: object) -> str:
    """A value as one short line; huge integers have no decimal text."""
    if isinstance(value, bool):
        return str(value).lower()
    try:
        text = repr(value)
    except (ValueError, RecursionError):
        return "a huge number" if isinstance(value, int) else "a huge value"
    return text if len(text) <= 60 else f"{text[:50]}..."


def user_data_folder() -> Path:
    """Sparring's folder for this user: $SPARRING_HOME, else a folder in the user's data directory."""
    if "SPARRING_HOME" in os.environ:
        return Path(os.environ["SPARRING_HOME"])
    if sys.platform == "win32" and (local := os.environ.get("LOCALAPPDATA")):
        return Path(local) / "sparring"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "sparring"


MAX_BYTES = 1 << 20
"""Size limit of a configuration file. The largest of our own has a few kilobytes."""
MAX_INTEGER = (1 << 63) - 1
"""Limit of every integer: native code has 64 bits."""
MAX_DEPTH = 32
"""Limit of the parts of a dotted key: tomllib takes quadratic time over them."""

_KEY = r"""(?:"[^"\n]*+"|'[^'\n]*+'|[\w-]++)"""
_LONG_KEY = re.compile(rf"(?<![\w-])(?:{_KEY}[ \t]*+\.[ \t]*+){{{MAX_DEPTH}}}")

T = TypeVar("T")


def bad_value(key: str, given: object, expected: str) -> BadConfig:
    """The exception for a value that a dataclass refuses in `__post_init__`; the reader adds file and key
    path."""
    return BadConfig(f"{key} = {show_value(given)}: expected {expected}")


@dataclass(frozen=True)
class Source:
    """The place of a table, for error messages and relative paths."""

    file: Path | None = None
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
        return BadConfig(" ".join(text.splitlines()))

    def bad_value(self, key: str, given: object, expected: str) -> BadConfig:
        """The exception for a value that is not allowed under a key."""
        return self.fault(f"{self.key_path(key)} = {show_value(given)}: expected {expected}")


def read_config(cls: type[T], file: Path) -> T:
    """Reads a TOML file into a frozen dataclass. Raises BadConfig if anything is wrong with it."""
    return from_table(cls, read_toml(file), Source(file))


def read_toml(file: Path) -> dict[str, Any]:
    """Parses a TOML file into plain values.

    Raises BadConfig for a file that is missing, unreadable, over 1 MB, not UTF-8 or not TOML.
    """
    source = Source(file)
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
    infinity too, unless the field's Meta has `extra={"infinite": True}`. Raises BadConfig.
    """
    source = source or Source()
    if not isinstance(table, Mapping):
        raise source.fault(f"{source.path or 'the file'} = {show_value(table)}: expected a table")
    hints = field_hints(cls)
    _check_keys(cls, table, hints, source)
    values = {key: _value(hints[key], value, key, source) for key, value in table.items()}
    try:
        return cls(**values)
    except BadConfig as fault:
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
        return tuple(from_table(item, part, source.inside(f"{key}[{n}]")) for n, part in enumerate(value, 1))
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
        value = [*value, *value.values()]
    return not isinstance(value, list | tuple) or all(_is_sound(item, infinite) for item in value)


def _allows_infinity(hint: Any) -> bool:
    extras = typing.get_args(hint)[1:] if typing.get_origin(hint) is Annotated else ()
    return any(isinstance(extra, Meta) and bool((extra.extra or {}).get("infinite")) for extra in extras)


def _without_none(hint: Any) -> Any:
    """X for `X | None`, else the hint itself."""
    if not is_union(hint):
        return hint
    others = [part for part in typing.get_args(hint) if part is not types.NoneType]
    return others[0] if len(others) == 1 else hint


def _is_dataclass_list(hint: Any) -> bool:
    arguments = typing.get_args(hint)
    return (
        typing.get_origin(hint) is tuple
        and arguments[-1] is Ellipsis
        and dataclasses.is_dataclass(arguments[0])
    )


# Options that the native core declares.


def native_option(config: Any, name: str) -> Any:
    """A field of a dataclass whose default, range and doc are those of a native option:

    c_puct: float = native_option(PuctConfig, "c_puct")

    `config` is a native class whose `options()` are declarations (`sparring._core.NativeOption`).
    """
    option = next(option for option in config.options() if option.name == name)
    return dataclasses.field(default=option.default, metadata={_NATIVE: option})


def native_values(config: Any) -> dict[str, Any]:
    """The values of a dataclass's native options, as keyword arguments of the native class."""
    return {
        field.metadata[_NATIVE].name: getattr(config, field.name)
        for field in dataclasses.fields(config)
        if _NATIVE in field.metadata
    }


_NATIVE = "native"
"""Key of a field's metadata."""


def _with_range(hint: Any, field: dataclasses.Field[Any]) -> Any:
    """The annotation of a field, with the range of its native option if it is one."""
    option = field.metadata.get(_NATIVE)
    if option is None or isinstance(option.default, bool):
        return hint
    low, high = (int(end) if end.is_integer() else end for end in (option.low, option.high))
    most = None if math.isinf(high) else high
    extra = {"infinite": True} if math.isinf(high) else None
    if option.open_low:
        return Annotated[hint, Meta(gt=low, le=most, extra=extra)]
    return Annotated[hint, Meta(ge=low, le=most, extra=extra)]


# Annotations of fields whose values have a range.


Fraction = Annotated[float, Meta(ge=0, le=1)]
NonNegative = Annotated[float, Meta(ge=0)]
Positive = Annotated[float, Meta(gt=0)]
PositiveInt = Annotated[int, Meta(ge=1, le=10**9)]
Count = Annotated[int, Meta(ge=0, le=10**9)]
Seed = Annotated[int, Meta(ge=0, le=(1 << 63) - 1)]
Threads = Annotated[int, Meta(ge=1, le=1024)]


# How many threads a configured number stands for.


def usable_threads(wanted: int) -> int:
    """`wanted` threads, but at most one for each core that this process may use; 0 for all of them.

    A file that was written for a large machine then works on a small one: more threads than cores only take
    time from each other.
    """
    has_affinity = hasattr(os, "sched_getaffinity")  # not on macOS and Windows
    cores = len(os.sched_getaffinity(0)) if has_affinity else os.cpu_count() or 1
    return min(wanted or cores, cores)
