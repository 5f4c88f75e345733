"""Words, numbers and layers of KataGo's model files, in the order in which a file has them.

Words and numbers are text separated by white space; a block of weights stands behind `@BIN@` in little-endian
float32, or as text in the older `.txt.gz` files.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Literal, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from sparring.base.errors import BadFile

Floats: TypeAlias = NDArray[np.float32]
Nonlinearity: TypeAlias = Literal["identity", "relu", "mish", "silu"]

_OLDEST, _NEWEST = 8, 17
_WORD = re.compile(rb"\s*(\S{1,256})")
_INTEGER = re.compile(r"-?[0-9]{1,9}")
_BINARY = re.compile(rb"\s*@BIN@")
_LONGEST_NUMBER = 64  # bytes of a weight written as text, with the space beside it
_KINDS = {f"ACTIVATION_{kind.upper()}": kind for kind in ("identity", "relu", "mish", "silu")}
_WIDEST_KERNEL = 37  # spans a 19x19 board from every point


def looks_like_katago(data: bytes) -> bool:
    """Whether the content of a file begins like KataGo's: a name and three numbers."""
    return re.match(rb"\s*[!-~]{1,256}\s+[0-9]{1,9}\s+[0-9]{1,9}\s+[0-9]{1,9}\s", data[:1000]) is not None


@dataclass(frozen=True)
class KataGoConvolution:
    """A convolution without bias and with same padding."""

    weights: Floats
    """[out, in, rows, columns]"""
    dilation: tuple[int, int]

    @property
    def outputs(self) -> int:
        """The number of output channels."""
        return len(self.weights)


@dataclass(frozen=True)
class BatchNormActivation:
    """Batch normalisation folded into a scale and a bias per channel, then a nonlinearity."""

    scale: Floats
    """[channels]"""
    bias: Floats
    """[channels]"""
    kind: Nonlinearity


class KataGoReader:
    """Reads a file sequentially. Every method raises BadFile that names what is missing or does not fit."""

    def __init__(self, data: bytes) -> None:
        """Reads the network's name and the version of the format."""
        self._data = data
        self._at = 0
        try:
            self.name, self.version = self.word("the name"), self.integer("the version")
        except BadFile as error:
            raise BadFile(
                f"this is not a KataGo network: a name and a format version are expected, and {error}"
            ) from None
        if not _OLDEST <= self.version <= _NEWEST:
            raise BadFile(
                f"KataGo's format version {self.version} is not supported: "
                f"this Sparring reads {_OLDEST} to {_NEWEST}"
            )

    def word(self, what: str) -> str:
        """The next word: printable ASCII."""
        match = _WORD.match(self._data, self._at)
        if match is None:
            raise BadFile(f"it ends where {what} should be")
        self._at = match.end()
        text = match[1].decode("latin-1")
        if not (text.isascii() and text.isprintable()):
            raise BadFile(f"{what} is not a word but {match[1][:20]!r}")
        return text

    def integer(self, what: str, least: int = 0) -> int:
        """The next integer."""
        word = self.word(what)
        if not _INTEGER.fullmatch(word):
            raise BadFile(f"{what} is {word[:20]!r}, not an integer")
        value = int(word)
        if value < least:
            raise BadFile(f"{what} is {value}; at least {least} is expected")
        return value

    def size(self, what: str, expected: int) -> None:
        """Reads a number of channels, which must be the expected one."""
        _agree(what, self.integer(f"{what}: channels"), expected)

    def positive(self, what: str) -> float:
        """The next number, above 0."""
        word = self.word(what)
        try:
            value = float(word)
        except ValueError:
            raise BadFile(f"{what} is {word[:20]!r}, not a number") from None
        if not (math.isfinite(value) and value > 0):
            raise BadFile(f"{what} is {value}; a positive number is expected")
        return value

    def unused(self, part: str, count: int) -> None:
        """Skips options of a part that are 0 in all networks so far."""
        for _ in range(count):
            if option := self.integer(f"an unused option of the {part}"):
                raise BadFile(f"an option of the {part} is {option}: it needs a newer Sparring")

    def floats(self, what: str, *shape: int) -> Floats:
        """A block of weights, binary or as text."""
        count = math.prod(shape)
        if match := _BINARY.match(self._data, self._at):
            there = (len(self._data) - match.end()) // 4
            if there < count:
                raise BadFile(f"it ends within the weights of {what}: {count:,} expected, {there:,} found")
            self._at = match.end() + 4 * count
            values = np.frombuffer(self._data, "<f4", count, match.end()).astype(np.float32, copy=False)
        else:
            values = self._text(what, count)
        if not np.isfinite(values).all():
            raise BadFile(f"the weights of {what} are not all finite numbers")
        return values.reshape(shape)

    def _text(self, what: str, count: int) -> Floats:
        if 2 * count > len(self._data) - self._at + 1:  # a digit and a space for each
            raise BadFile(f"it ends within the weights of {what}: {count:,} expected")
        words = self._data[self._at : self._at + _LONGEST_NUMBER * count].split(None, count)[:count]
        try:
            with np.errstate(over="ignore"):  # what does not fit becomes infinite and is refused
                values = np.array([float(word) for word in words], dtype=np.float32)
        except ValueError:
            raise BadFile(f"the weights of {what} are neither binary nor numbers as text") from None
        if len(values) < count:
            raise BadFile(f"it ends within the weights of {what}: {count:,} expected, {len(values):,} found")
        for word in words:
            self._at = self._data.index(word, self._at) + len(word)
        return values

    def convolution(self, inputs: int, outputs: int | None = None) -> KataGoConvolution:
        """A convolution, checked to have `outputs` if given."""
        name = self.word("a convolution's name")
        rows, columns, ins, outs, *dilation = (
            self.integer(f"{name}: {what}", least=1)
            for what in ("rows", "columns", "inputs", "outputs", "dilation of rows", "dilation of columns")
        )
        if rows % 2 == 0 or columns % 2 == 0 or max(rows, columns) > _WIDEST_KERNEL:
            raise BadFile(f"{name}: a kernel of {rows}x{columns} is not odd and at most {_WIDEST_KERNEL}")
        if max(dilation) > _WIDEST_KERNEL:
            raise BadFile(f"{name}: a dilation of {max(dilation)} is wider than the board")
        _agree(f"{name}: in", ins, inputs)
        _agree(f"{name}: out", outs, outputs)
        weights = self.floats(name, rows, columns, ins, outs).transpose(3, 2, 0, 1)
        return KataGoConvolution(np.ascontiguousarray(weights), (dilation[0], dilation[1]))

    def matrix(self, inputs: int, outputs: int | None = None) -> Floats:
        """A matrix [in, out], checked to have `outputs` if given."""
        name = self.word("a matrix's name")
        ins, outs = (self.integer(f"{name}: {what}", least=1) for what in ("inputs", "outputs"))
        _agree(f"{name}: in", ins, inputs)
        _agree(f"{name}: out", outs, outputs)
        return self.floats(name, ins, outs)

    def vector(self, channels: int) -> Floats:
        """A bias [channels]."""
        name = self.word("a bias's name")
        self.size(name, channels)
        return self.floats(name, channels)

    def batch_norm(self, channels: int) -> BatchNormActivation:
        """Batch normalisation and the nonlinearity behind it."""
        name = self.word("a normalisation's name")
        self.size(name, channels)
        epsilon = self.positive(f"{name}: epsilon")
        has_scale, has_bias = (self.integer(f"{name}: {what}") != 0 for what in ("has scale", "has bias"))
        mean, variance = self.floats(name, channels), self.floats(name, channels)
        scale = self.floats(name, channels) if has_scale else np.ones(channels, np.float32)
        bias = self.floats(name, channels) if has_bias else np.zeros(channels, np.float32)
        if (variance + epsilon <= 0).any():
            raise BadFile(f"{name}: a variance is negative")
        with np.errstate(over="ignore", invalid="ignore"):
            scale = (scale / np.sqrt(variance + np.float32(epsilon))).astype(np.float32)
            bias = (bias - mean * scale).astype(np.float32)
        if not (np.isfinite(scale).all() and np.isfinite(bias).all()):
            raise BadFile(f"{name}: its numbers are too large")
        return BatchNormActivation(scale, bias, self.nonlinearity())

    def nonlinearity(self) -> Nonlinearity:
        """The kind of an activation."""
        name = self.word("an activation's name")
        if self.version < 11:
            return "relu"
        kind = self.word(f"{name}: kind")
        if kind not in _KINDS:
            raise BadFile(f"{name}: {kind!r} is not one of {', '.join(_KINDS)}")
        return cast(Nonlinearity, _KINDS[kind])


def _agree(what: str, channels: int, expected: int | None) -> None:
    if expected is not None and channels != expected:
        raise BadFile(f"{what}: {channels} channels do not fit the {expected} around them")
