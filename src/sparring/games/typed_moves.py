"""Moves as people type them: move numbers, annotations and dashes that every game's parser removes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sparring.games.game import IllegalMove

_NUMBER = re.compile(r"^\d{1,3}\s*(?:\.(?:\s*\.\.)?|…)\s*(?=\S)")
_REMARK = re.compile(r"\s*[!?#†‡]+$")
_SIGNS = str.maketrans(dict.fromkeys("‐‑‒–—−", "-") | dict.fromkeys("×✕", "x"))


def strip_annotations(text: str) -> str:
    """A move without its number (`5. h3`, `5... h6`) and comment (`h3?!`), with plain dashes."""
    words = _NUMBER.sub("", text[:80].translate(_SIGNS).strip(), count=1)
    return _REMARK.sub("", words).strip()


def ambiguous(text: str, names: Sequence[str]) -> IllegalMove:
    """The error for a text that several moves fit; the message lists them."""
    return IllegalMove(f"{text} is ambiguous: {', '.join(names[:-1])} or {names[-1]}")
