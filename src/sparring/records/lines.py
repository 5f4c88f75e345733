"""A file's content as lines, in bounded memory: what is too long to be of use is cut."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

_LONGEST = 4096


class Line(NamedTuple):
    """A line without its end."""

    text: bytes
    """At most a few thousand bytes."""
    number: int
    begin: int
    end: int
    """Bytes of the content up to the line, and with it."""


def read_lines(chunks: Iterable[bytes], skip: int = 0) -> Iterator[Line]:
    """The lines of the content, from byte `skip` on; their numbers are those of the whole."""
    position, number, begin = 0, 1, skip
    kept = b""
    for chunk in chunks:
        passed = max(0, min(len(chunk), skip - position))
        number += chunk.count(b"\n", 0, passed)
        at = passed
        while (stop := chunk.find(b"\n", at)) >= 0:
            kept += chunk[at : min(stop, at + _LONGEST)]
            end = position + stop + 1
            yield Line(kept[:_LONGEST].rstrip(b"\r"), number, begin, end)
            kept, begin, at = b"", end, stop + 1
            number += 1
        if len(kept) < _LONGEST:
            kept += chunk[at : at + _LONGEST]
        position += len(chunk)
    if kept:
        yield Line(kept[:_LONGEST].rstrip(b"\r"), number, begin, position)
