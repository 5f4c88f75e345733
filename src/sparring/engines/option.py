"""An option of an engine: names, type and range of its value, and the setting that it changes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple, TypeAlias

from sparring.engines.settings import EngineSettings
from sparring.games.ranks import parse_rank

OptionValue: TypeAlias = int | float | bool | str | None
EMPTY = "<empty>"
"""The empty text in UCI and USI."""


class BadOption(ValueError):
    """An unknown option or a bad value; the message says what is expected."""


class OptionKind(StrEnum):
    """The type of an option's value."""

    INTEGER = "whole number"
    NUMBER = "number"
    CHECK = "true or false"
    TEXT = "text"
    RANK = "rank"
    BUTTON = "button"

    @property
    def metavar(self) -> str:
        """The placeholder of the value in the command line's help."""
        return {"true or false": "true|false", "whole number": "N"}.get(self, self.upper())


class OptionAccessor(NamedTuple):
    """How an option reads and changes the settings."""

    read: Callable[[EngineSettings], OptionValue]
    change: Callable[[EngineSettings, Any], EngineSettings]
    """Returns the settings with a new value. Raises BadOption."""


@dataclass(frozen=True)
class Option:
    """An option, declared once for all protocols, the command line and the docs."""

    flag: str
    """Name in GTP and, with two hyphens, on the command line."""
    names: Mapping[str, str]
    """Name by protocol, for the protocols that have the option."""
    kind: OptionKind
    help: str
    """One sentence."""
    effect: OptionAccessor
    low: float = 0
    high: float = math.inf
    low_excluded: bool = False
    """Whether `low` itself is out of range."""
    missing: OptionValue = None
    """The value that means None, such as 0 for no rating."""

    def apply(self, settings: EngineSettings, text: str) -> EngineSettings:
        """Returns the settings with the value of a text. Raises BadOption."""
        return self.effect.change(settings, self.parse(text))

    def value(self, settings: EngineSettings) -> str:
        """The current value as text."""
        return self.to_text(self.effect.read(settings))

    def parse(self, text: str) -> OptionValue:
        """Parses a value. Raises BadOption."""
        words = "" if text.strip() == EMPTY else text.strip()
        match self.kind:
            case OptionKind.BUTTON:
                return None
            case OptionKind.TEXT:
                return words
            case OptionKind.CHECK if words.lower() in ("true", "false"):
                return words.lower() == "true"
            case OptionKind.RANK if not words:
                return None
            case OptionKind.RANK if (rank := parse_rank(words)) is not None:
                return rank
            case OptionKind.INTEGER | OptionKind.NUMBER:
                return self._number(words)
        raise self._bad(words)

    def to_text(self, value: OptionValue) -> str:
        """A value as text; `parse` reads it back."""
        if value is None:
            value = self.missing
        if isinstance(value, bool):
            return str(value).lower()
        return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)

    def range_text(self) -> str:
        """Type and range of the value, in words."""
        match self.kind:
            case OptionKind.INTEGER | OptionKind.NUMBER:
                low = f"above {self.low:g}" if self.low_excluded else f"{self.low:g}"
                if self.high == math.inf:
                    return f"{self.kind}, {low}{'' if self.low_excluded else ' or more'}"
                return f"{self.kind}, {low}{' and up' if self.low_excluded else ''} to {self.high:.12g}"
            case OptionKind.RANK:
                return "rank, such as 5k or 3d"
        return str(self.kind)

    def _number(self, words: str) -> OptionValue:
        try:
            number = int(words) if self.kind is OptionKind.INTEGER else float(words)
        except ValueError:
            raise self._bad(words) from None
        if not self.low <= number <= self.high or (self.low_excluded and number == self.low):
            raise self._bad(words)
        return None if number == self.missing else number

    def _bad(self, words: str) -> BadOption:
        return BadOption(f"{self.flag} is a {self.range_text()}, not '{words[:80]}'")
