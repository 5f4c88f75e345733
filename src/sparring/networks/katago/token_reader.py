"""The tokens of KataGo's files: words and numbers separated by white space, and blocks of weights."""

from __future__ import annotations

import math
import re

import numpy as np
from numpy.typing import NDArray

from sparring.networks.errors import BadNetwork

_SPACE = re.compile(rb"\s*")
_WORD = re.compile(rb"\S{1,256}")
_INTEGER = re.compile(r"-?[0-9]{1,9}")
_BINARY = b"@BIN@"
_LONGEST_NUMBER = 64  # bytes of a weight written as text, with the space behind it


class TokenReader:
    """Reads a file sequentially. Every method raises BadNetwork that names what is missing."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def word(self, what: str) -> str:
        """The next word: printable ASCII."""
        self._skip_space()
        match = _WORD.match(self._data, self._at)
        if match is None:
            raise BadNetwork(f"it ends where {what} should be")
        self._at = match.end()
        text = match.group().decode("latin-1")
        if not (text.isascii() and text.isprintable()):
            raise BadNetwork(f"{what} is not a word but {match.group()[:20]!r}")
        return text

    def integer(self, what: str, least: int = 0) -> int:
        """The next integer."""
        word = self.word(what)
        if not _INTEGER.fullmatch(word):
            raise BadNetwork(f"{what} is {word[:20]!r}, not an integer")
        value = int(word)
        if value < least:
            raise BadNetwork(f"{what} is {value}; at least {least} is expected")
        return value

    def positive(self, what: str) -> float:
        """The next number, above 0."""
        word = self.word(what)
        try:
            value = float(word)
        except ValueError:
            raise BadNetwork(f"{what} is {word[:20]!r}, not a number") from None
        if not (math.isfinite(value) and value > 0):
            raise BadNetwork(f"{what} is {value}; a positive number is expected")
        return value

    def floats(self, what: str, *shape: int) -> NDArray[np.float32]:
        """A block of weights, binary or as text."""
        count = math.prod(shape)
        self._skip_space()
        if self._data.startswith(_BINARY, self._at):
            values = self._binary(what, count)
        else:
            values = self._text(what, count)
        if not np.isfinite(values).all():
            raise BadNetwork(f"the weights of {what} are not all finite numbers")
        return values.reshape(shape)

    def _binary(self, what: str, count: int) -> NDArray[np.float32]:
        start = self._at + len(_BINARY)
        there = (len(self._data) - start) // 4
        if there < count:
            raise BadNetwork(f"it ends within the weights of {what}: {count:,} expected, {there:,} found")
        self._at = start + 4 * count
        return np.frombuffer(self._data, "<f4", count, start).astype(np.float32, copy=False)

    def _text(self, what: str, count: int) -> NDArray[np.float32]:
        if 2 * count > len(self._data) - self._at + 1:  # a digit and a space for each
            raise BadNetwork(f"it ends within the weights of {what}: {count:,} expected")
        words = self._data[self._at : self._at + _LONGEST_NUMBER * count].split(None, count)[:count]
        try:
            with np.errstate(over="ignore"):  # what does not fit becomes infinite and is refused
                values = np.array([float(word) for word in words], dtype=np.float32)
        except ValueError:
            raise BadNetwork(f"the weights of {what} are neither binary nor numbers as text") from None
        if len(values) < count:
            raise BadNetwork(
                f"it ends within the weights of {what}: {count:,} expected, {len(values):,} found"
            )
        for word in words:
            self._at = self._data.index(word, self._at) + len(word)
        return values

    def _skip_space(self) -> None:
        match = _SPACE.match(self._data, self._at)
        assert match is not None  # the pattern also matches the empty string
        self._at = match.end()
