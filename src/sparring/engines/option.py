"""What an option of an engine is: a name, a kind of value, and what it changes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple, TypeAlias

from sparring.engines.settings import Settings
from sparring.records.ranks import normal_rank

Value: TypeAlias = int | float | bool | str | None
EMPTY = "<empty>"
"""How UCI and USI write a text that is empty."""


class BadOption(ValueError):
    """An option's value that cannot be; the message says what is expected."""


class Kind(StrEnum):
    """What an option's value is."""

    WHOLE = "whole number"
    NUMBER = "number"
    CHECK = "true or false"
    TEXT = "text"
    RANK = "rank"
    BUTTON = "button"

    @property
    def metavar(self) -> str:
        """What stands for the value in the command line's help."""
        return {"true or false": "true|false", "whole number": "N"}.get(self, self.upper())


class Effect(NamedTuple):
    """What an option is about."""

    read: Callable[[Settings], Value]
    change: Callable[[Settings, Any], Settings]
    """The settings with a value of the option's kind. Raises BadOption."""


@dataclass(frozen=True)
class Option:
    """Something that can be set."""

    flag: str
    """Its name in GTP and, with two hyphens, on the command line."""
    names: Mapping[str, str]
    """Its name in each protocol that has it."""
    kind: Kind
    help: str
    """One sentence."""
    effect: Effect
    low: float = 0
    high: float = math.inf
    missing: Value = None
    """The value that stands for None, such as 0 for a rating that is not told."""

    def changed(self, settings: Settings, text: str) -> Settings:
        """The settings with a value as text. Raises BadOption."""
        return self.effect.change(settings, self.parse(text))

    def value(self, settings: Settings) -> str:
        """The value as text."""
        return self.written(self.effect.read(settings))

    def parse(self, text: str) -> Value:
        """The value that a text means. Raises BadOption."""
        words = "" if text.strip() == EMPTY else text.strip()
        match self.kind:
            case Kind.BUTTON:
                return None
            case Kind.TEXT:
                return words
            case Kind.CHECK if words.lower() in ("true", "false"):
                return words.lower() == "true"
            case Kind.RANK if not words:
                return None
            case Kind.RANK if (rank := normal_rank(words)) is not None:
                return rank
            case Kind.WHOLE | Kind.NUMBER:
                return self._number(words)
        raise self._bad(words)

    def written(self, value: Value) -> str:
        """A value as text; `parse` reads it back."""
        if value is None:
            value = self.missing
        if isinstance(value, bool):
            return str(value).lower()
        return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)

    def range_text(self) -> str:
        """What may be given, in words."""
        match self.kind:
            case Kind.WHOLE | Kind.NUMBER:
                bounds = f"{self.low:g}" + (" or more" if self.high == math.inf else f" to {self.high:.12g}")
                return f"{self.kind}, {bounds}"
            case Kind.RANK:
                return "rank, such as 5k or 3d"
        return str(self.kind)

    def _number(self, words: str) -> Value:
        try:
            number = int(words) if self.kind is Kind.WHOLE else float(words)
        except ValueError:
            raise self._bad(words) from None
        if not self.low <= number <= self.high:
            raise self._bad(words)
        return None if number == self.missing else number

    def _bad(self, words: str) -> BadOption:
        return BadOption(f"{self.flag} is a {self.range_text()}, not '{words[:80]}'")
