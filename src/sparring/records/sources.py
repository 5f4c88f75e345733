"""The sources of a table: which files were read, how far, and which of them a new file continues.

A file is known by its content: its size, and hashes of its head and its tail. Its name does not matter, so
that a file that was moved is not read twice, and another file of the same name is read.
"""

from __future__ import annotations

import bz2
import codecs
import gzip
import hashlib
import os
import re
import stat
import zlib
from codecs import BOM_UTF8
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TypeAlias

import msgspec

from sparring.base.errors import BadFile, TruncatedFile, require

# Files as streams of decompressed bytes: plain, gzip, bzip2 or Zstandard, detected by their first bytes.


_CHUNK = 1 << 17
_PIECE, _SMALL_PIECE = 1 << 14, 1 << 6
"""Decompressed bytes that are read at once."""
_SALVAGED = 1 << 26
"""Decompressed bytes before a broken place up to which the last of them are salvaged."""


def reason(error: OSError) -> str:
    """The system's text of an error, such as "No space left on device"."""
    return os.strerror(error.errno) if error.errno else str(error)


def source_size(path: Path) -> int:
    """Size of the file on disk in bytes; 0 if unknown."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def check_regular(path: Path) -> None:
    """Refuses pipes and devices, which may have no end. Raises BadFile or OSError."""
    if not stat.S_ISREG(path.stat().st_mode):
        raise BadFile(f"{path}: not a regular file")


def open_chunks(path: Path, progress: Callable[[int], None] = lambda _: None) -> Iterator[bytes]:
    """The decompressed content in chunks of at most 128 KiB, however much a file decompresses to.

    `progress` is called with the number of file bytes read. Raises BadFile, or TruncatedFile after the
    last good chunk.
    """
    try:
        check_regular(path)
        with path.open("rb") as file:
            head = file.read(_MAGIC)
            file.seek(0)
            decompress = next(
                (reader for magic, reader in _READERS if re.match(magic, head, re.DOTALL)), None
            )
            plain = iter(lambda: file.read(_CHUNK), b"")
            for chunk in plain if decompress is None else _decompressed(file, decompress):
                progress(file.tell())
                yield chunk
    except OSError as error:
        raise BadFile(f"{path}: {reason(error)}") from None


def first_line(path: Path, most: int = 1000) -> str:
    """The first line of a file that is not blank, at most its first `most` characters; empty without one.
    Raises BadFile, or TruncatedFile."""
    for chunk in open_chunks(path):
        if text := chunk.decode("utf-8-sig", "replace").lstrip("\ufeff\0 \t\r\n"):
            return text.splitlines()[0][:most].rstrip()
    return ""


def _decompressed(file: BinaryIO, decompress: Callable[[BinaryIO], _ByteReader]) -> Iterator[bytes]:
    """Frames may be concatenated, as Lichess and parallel compressors write them."""
    done, waiting, trouble = 0, bytearray(), None
    try:
        for piece in _pieces(decompress(file), _PIECE):
            done += len(piece)
            waiting += piece
            if len(waiting) + _PIECE > _CHUNK:
                yield bytes(waiting)
                waiting.clear()
    except TruncatedFile as error:
        trouble = error
    if waiting:
        yield bytes(waiting)
    if trouble is not None:
        if done < _SALVAGED:
            yield from _last_pieces(file, decompress, done)
        raise trouble


def _last_pieces(file: BinaryIO, decompress: Callable[[BinaryIO], _ByteReader], done: int) -> Iterator[bytes]:
    """What the piece with the broken place has before it; a reader loses it when it raises."""
    file.seek(0)
    read = 0
    with suppress(TruncatedFile):
        for piece in _pieces(decompress(file), _SMALL_PIECE):
            read += len(piece)
            if read > done:
                yield piece[done - read :]


def _pieces(read: _ByteReader, size: int) -> Iterator[bytes]:
    """The pieces of a compressed file. Raises TruncatedFile, or OSError of the disk."""
    try:
        while piece := read(size):
            yield piece
    except EOFError:
        raise TruncatedFile("the compressed file is cut off") from None
    except (OSError, zlib.error, ValueError) as error:
        if isinstance(error, OSError) and error.errno:
            raise
        if "Truncated" in str(error):
            raise TruncatedFile("the compressed file is cut off") from None
        raise TruncatedFile(f"the compressed data is broken ({error})") from None


def _zstandard(file: BinaryIO) -> _ByteReader:
    require("pyarrow", "records", "files compressed by Zstandard (.zst) need")
    import pyarrow as pa  # its reader bounds the output of a call and notices a cut-off frame

    read: _ByteReader = pa.CompressedInputStream(pa.PythonFile(_KeptOpen(file), "r"), "zstd").read
    return read


class _KeptOpen:
    """A file that its reader does not close."""

    closed = False

    def __init__(self, file: BinaryIO) -> None:
        self.read, self.tell, self.seek = file.read, file.tell, file.seek

    def close(self) -> None:
        pass


_ByteReader: TypeAlias = Callable[[int], bytes]
"""Returns at most so many bytes; none at the end."""
_MAGIC = 4
_READERS: tuple[tuple[bytes, Callable[[BinaryIO], _ByteReader]], ...] = (
    (rb"\x1f\x8b", lambda file: gzip.GzipFile(fileobj=file).read1),
    (rb"BZh", lambda file: bz2.BZ2File(file).read1),
    (rb"\x28\xb5\x2f\xfd", _zstandard),
    (rb"[\x50-\x5f]\x2a\x4d\x18", _zstandard),  # a skippable frame
)
"""A pattern of a file's first bytes, and the reader of its compression."""

_SPAN = 1 << 18
"""Bytes of the head and of the tail that are hashed."""
_MOST_CANDIDATES = 16
"""Files of the same name that are compared."""


class Fingerprint(NamedTuple):
    """The content of a file on disk; equal fingerprints are taken for equal files."""

    size: int
    head: str
    tail: str


class LastGame(msgspec.Struct, frozen=True):
    """The last game that was read from a file: if the file grows, it may turn out to be longer."""

    begin: int
    """Uncompressed bytes before the game."""
    fate: str
    """`kept`, `broken`, or the reason why it was left out."""
    identity: int = 0
    """`GameRecord.identity` of a kept game."""


class SourceFile(msgspec.Struct):
    """A file of games and how far it was read."""

    path: str
    """As it was typed."""
    size: int
    head: str
    tail: str
    read: int = 0
    """Uncompressed bytes up to the end of the last game in the table."""
    finished: bool = False
    last: LastGame | None = None

    @property
    def content(self) -> Fingerprint:
        """The fingerprint that the file had when it was read."""
        return Fingerprint(self.size, self.head, self.tail)


class Continuation(Enum):
    """How a file relates to those that were read before."""

    NEW = "new"
    RESUMED = "resumed"
    """Its reading was interrupted."""
    READ = "read"
    """All of it is in the table."""
    GREW = "grew"
    """It begins with all of a file that was read."""
    CHANGED = "changed"
    """Another content is in the table under the same path."""


@dataclass
class SourceLog:
    """The files that a table was built from, as its manifest lists them."""

    sources: list[SourceFile]

    def __post_init__(self) -> None:
        self._by_content: dict[Fingerprint, SourceFile] = {}
        self._by_head: dict[str, list[SourceFile]] = defaultdict(list)
        self._by_name: dict[str, list[SourceFile]] = defaultdict(list)
        for source in self.sources:
            self._index(source)

    @classmethod
    def from_manifest(cls, progress: dict[str, Any]) -> SourceLog:
        """Reads the manifest's `progress`. Raises msgspec.ValidationError."""
        return cls(msgspec.convert(progress.get("sources", []), list[SourceFile]))

    def manifest_entry(self) -> dict[str, Any]:
        """The part of the manifest's `progress`, as plain values."""
        return {"sources": msgspec.to_builtins(self.sources)} if self.sources else {}

    def open(self, path: Path) -> tuple[SourceFile, Continuation]:
        """The entry of a file, a new one if its content is not known. Raises BadFile."""
        content = fingerprint(path)
        source = self._by_content.get(content)
        if source is not None:
            return source, Continuation.READ if source.finished else Continuation.RESUMED
        if (source := self._shorter(path, content)) is not None:
            how = Continuation.GREW if source.finished else Continuation.RESUMED
            source.path, source.finished = str(path), False
            source.size, source.head, source.tail = content
            self._index(source)
            return source, how
        changed = any(other.path == str(path) for other in self._by_name[path.name])
        source = SourceFile(str(path), *content)
        self.sources.append(source)
        self._index(source)
        return source, Continuation.CHANGED if changed else Continuation.NEW

    def _shorter(self, path: Path, content: Fingerprint) -> SourceFile | None:
        """The longest known file that this one begins with."""
        candidates = [*self._by_head[content.head], *self._by_name[path.name][-_MOST_CANDIDATES:]]
        shorter = [source for source in candidates if 0 < source.size < content.size]
        for source in sorted(shorter, key=lambda source: -source.size):
            if fingerprint(path, source.size) == source.content:
                return source
        return None

    def _index(self, source: SourceFile) -> None:
        self._by_content[source.content] = source
        self._by_head[source.head].append(source)
        self._by_name[Path(source.path).name].append(source)


def fingerprint(path: Path, size: int | None = None) -> Fingerprint:
    """The fingerprint of a file, or of its first `size` bytes. Raises BadFile."""
    try:
        check_regular(path)
        with path.open("rb") as file:
            size = path.stat().st_size if size is None else size
            tail = max(0, size - _SPAN)
            return Fingerprint(size, _digest(file, 0, min(size, _SPAN)), _digest(file, tail, size))
    except OSError as error:
        raise BadFile(f"{path}: {reason(error)}") from None


def _digest(file: BinaryIO, begin: int, end: int) -> str:
    file.seek(begin)
    return hashlib.blake2b(file.read(end - begin), digest_size=8).hexdigest()


# Splits content into lines in bounded memory; long lines are truncated.


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


# Detects the charset of a game's texts: the declared one if it fits, else a guess from the bytes.


_GUESSES = ("utf-8", "gb18030", "shift_jis")
_PAIRS = re.compile(rb"(?:[\x00-\x7f]++|(?:[\xa1-\xff]{2})++)*+")
"""Non-ASCII bytes in runs of even length, as in EUC charsets."""
_ALIASES = {"euc-kr": "cp949", "ks_c_5601-1987": "cp949"} | dict.fromkeys(
    ("shift_jis", "shift-jis", "sjis"), "cp932"
)


def detect_charset(texts: Iterable[bytes], declared: str = "") -> str:
    """The charset of the texts.

    Without a declaration: UTF-8 if it fits; then GB 18030 if non-ASCII bytes come in pairs, as in Chinese
    text; then Shift-JIS if the result is Japanese; then Latin-1, the default of SGF. Korean cannot be
    distinguished from Chinese and must be declared.
    """
    together = b"\n".join(texts)
    if together.isascii():
        return "ascii"
    for charset in (_known(declared), *_GUESSES):
        if charset and _fits(together, charset, guessed=charset != _known(declared)):
            return charset
    return "latin-1"


@lru_cache(maxsize=256)
def _known(declared: str) -> str:
    """The codec of a declared charset; empty if there is none, or none that decodes any bytes to text."""
    name = declared.strip().lower()
    if not name:
        return ""
    # Files that declare GB2312 often use more.
    name = "gb18030" if name.startswith("gb") else _ALIASES.get(name, name)
    try:
        bytes(range(256)).decode(name, "replace")  # zlib, hex and others are no charsets
        return codecs.lookup(name).name
    except (LookupError, ValueError):
        return ""


def _fits(text: bytes, charset: str, *, guessed: bool) -> bool:
    try:
        decoded = text.decode(charset)
    except ValueError:
        return False
    if not guessed or charset == "utf-8":
        return True
    if charset == "gb18030":
        return _PAIRS.fullmatch(text) is not None
    # Accented letters of Latin-1 would decode to arbitrary characters.
    return all("\u3000" <= c <= "\u30ff" or "\u4e00" <= c <= "\u9fff" for c in decoded if c > "\x7f")
