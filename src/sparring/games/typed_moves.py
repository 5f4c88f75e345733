"""Moves as people type them: move numbers, annotations and dashes that every game's parser removes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sparring.games.game import IllegalMove

_NUMBER = re.compile(r"^\d{1,3}\s*(?:\.(?:\s*\.\.)?|…)\s*(?=\S)")
_NUMBER_ALONE = re.compile(r"(?:\d{1,3})?(?:\.{1,3}|…)")
_RESULT = re.compile(r"1-0|0-1|1/2-1/2|½-½|\*")
_REMARK = re.compile(r"\s*[!?#†‡]+$")
_SIGNS = str.maketrans(dict.fromkeys("‐‑‒–—−", "-") | dict.fromkeys("×✕", "x"))


def strip_annotations(text: str) -> str:
    """A move without its number (`5. h3`, `5... h6`) and comment (`h3?!`), with plain dashes."""
    words = _NUMBER.sub("", text[:80].translate(_SIGNS).strip(), count=1)
    return _REMARK.sub("", words).strip()


def split_moves(text: str) -> list[str]:
    """The moves of a list, without move numbers that stand alone and without the result at the end."""
    words = [word for word in text.split() if not _NUMBER_ALONE.fullmatch(word)]
    return words[:-1] if words and _RESULT.fullmatch(words[-1].translate(_SIGNS)) else words


def ambiguous(text: str, names: Sequence[str]) -> IllegalMove:
    """The error for a text that several moves fit; the message lists them."""
    return IllegalMove(f"{text} is ambiguous: {', '.join(names[:-1])} or {names[-1]}")
