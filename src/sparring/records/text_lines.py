"""A file's content as lines, in bounded memory: what is too long to be of use is cut."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

_LONGEST = 4096


class TextLine(NamedTuple):
    """A line without its end."""

    text: bytes
    """At most as long as the reader wants to hear of."""
    number: int
    """From 1, in the whole content."""
    begin: int
    end: int
    """Bytes of the content up to the line, and with it."""
    whole: bool
    """Whether `text` is all of it."""


def read_lines(chunks: Iterable[bytes], skip: int = 0, longest: int = _LONGEST) -> Iterator[TextLine]:
    """The lines from byte `skip` on, which is where a line begins; of long ones the first `longest` bytes."""
    position, number, begin = 0, 1, skip
    kept = bytearray()
    for chunk in chunks:
        at = max(0, min(len(chunk), skip - position))
        number += chunk.count(b"\n", 0, at)
        while (stop := chunk.find(b"\n", at)) >= 0:
            kept += chunk[at : min(stop, at + longest + 1)]
            end = position + stop + 1
            yield _line(kept, number, begin, end, longest)
            kept, begin, at = bytearray(), end, stop + 1
            number += 1
        if len(kept) <= longest:
            kept += chunk[at : at + longest + 1]
        position += len(chunk)
    if kept:
        yield _line(kept, number, begin, position, longest)


def _line(kept: bytearray, number: int, begin: int, end: int, longest: int) -> TextLine:
    return TextLine(bytes(kept[:longest]).rstrip(b"\r"), number, begin, end, len(kept) <= longest)
