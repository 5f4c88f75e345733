"""Splits content into lines in bounded memory; long lines are truncated."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_LONGEST = 4096
_HEAD = 1 << 16
"""Bytes at the start that show which line breaks a file has."""


class TextLine(NamedTuple):
    """A line without its line break."""

    text: bytes
    """The line's bytes, at most `longest` of them."""
    number: int
    """Line number in the whole content, from 1."""
    begin: int
    end: int
    """Byte offsets of the line's begin and end in the content."""
    whole: bool
    """Whether `text` is all of it."""


def universal_newlines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The content without a byte order mark, and with line feeds if it has carriage returns only.

    Places in the content stay the same, apart from the three bytes of the mark.
    """
    rest = iter(chunks)
    head, failure = b"", None
    try:
        while len(head) < _HEAD and (chunk := next(rest, b"")):
            head += chunk
    except Exception as error:  # what was read before it counts
        failure = error
    head = head.removeprefix(BOM_UTF8)
    only_cr = b"\r" in head and b"\n" not in head
    if head:
        yield head.replace(b"\r", b"\n") if only_cr else head
    if failure is not None:
        raise failure
    for chunk in rest:
        yield chunk.replace(b"\r", b"\n") if only_cr else chunk


def read_lines(chunks: Iterable[bytes], skip: int = 0, longest: int = _LONGEST) -> Iterator[TextLine]:
    """The lines from byte `skip` on, where a line must begin. Long lines are cut to `longest` bytes."""
    position, number, begin = 0, 1, skip
    kept = bytearray()
    for chunk in universal_newlines(chunks):
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
