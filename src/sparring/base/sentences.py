"""`Sentence`: a text for people that carries its template and values, so that a page can translate it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TypeAlias

Value: TypeAlias = "str | int | float"
"""A value of a sentence: a word, a number, or a sentence."""


class Sentence(str):
    """A text in English, made of a template with {names} and the values of these names.

    It is a `str`: it prints, compares and is stored as its English text. `template` is the key of a
    translation; a value that is a sentence is translated too. Floats are written without trailing zeros.
    """

    template: str
    values: Mapping[str, Value]

    def __new__(cls, template: str, /, **values: Value) -> Sentence:
        """The sentence of a template. Raises KeyError for a name without a value."""
        shown = {name: f"{value:g}" if isinstance(value, float) else value for name, value in values.items()}
        made = super().__new__(cls, template.format_map(shown))
        made.template, made.values = template, values
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.template, dict(self.values))

    def __deepcopy__(self, memo: dict[int, Any]) -> Sentence:
        return self  # it never changes


def joined(*sentences: str) -> str:
    """Sentences one after the other; empty ones are left out."""
    kept = [sentence for sentence in sentences if sentence]
    if not kept:
        return ""
    first, *others = kept
    for other in others:
        first = Sentence("{first} {second}", first=first, second=other)
    return first


def to_stored(text: str) -> str:
    """A text for a database: a sentence as JSON with its template, another text as it is."""
    return json.dumps(_table(text)) if isinstance(text, Sentence) else text


def from_stored(text: str) -> str:
    """The text of `to_stored`."""
    if not text.startswith(_STORED):
        return text
    try:
        return _sentence(json.loads(text))
    except (ValueError, LookupError, TypeError, AttributeError):
        return text


_STORED = '{"template": '


def _restored(template: str, values: dict[str, Value]) -> Sentence:
    return Sentence(template, **values)


def _table(sentence: Sentence) -> dict[str, Any]:
    values = {
        name: _table(value) if isinstance(value, Sentence) else value
        for name, value in sentence.values.items()
    }
    return {"template": sentence.template, "values": values}


def _sentence(table: dict[str, Any]) -> Sentence:
    values = {
        name: _sentence(value) if isinstance(value, dict) else value
        for name, value in table["values"].items()
    }
    return Sentence(table["template"], **values)
