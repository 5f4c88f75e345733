"""Text files as lines, in bounded memory however long a line is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Line:
    """A line without its end."""

    content: bytes
    """At most as long as the reader wants to hear of."""
    number: int
    """From 1, in the whole file."""
    end: int
    """Bytes of the file up to the next line."""
    whole: bool
    """Whether `content` is all of it."""


def lines_of(chunks: Iterable[bytes], skip: int, longest: int) -> Iterator[Line]:
    """The lines from byte `skip` on, which is where a line begins; of long ones the first `longest` bytes."""
    number, position = 1, 0
    content, length = bytearray(), 0
    for chunk in chunks:
        start = min(max(skip - position, 0), len(chunk))
        number += chunk.count(b"\n", 0, start)
        while start < len(chunk):
            end = chunk.find(b"\n", start)
            stop = len(chunk) if end < 0 else end
            content += chunk[start : min(stop, start + longest - len(content))]
            length += stop - start
            start = stop + 1
            if end >= 0:
                yield Line(bytes(content), number, position + start, length <= longest)
                number += 1
                content, length = bytearray(), 0
        position += len(chunk)
    if length:
        yield Line(bytes(content), number, position, length <= longest)
