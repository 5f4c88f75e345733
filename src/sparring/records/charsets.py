"""Detects the charset of a game's texts: the declared one if it fits, else a guess from the bytes."""

from __future__ import annotations

import codecs
from collections.abc import Iterable
from functools import lru_cache

_GUESSES = ("utf-8", "gb18030", "shift_jis")


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
    if name.startswith("gb"):
        name = "gb18030"  # files that declare GB2312 often use more
    if name in ("euc-kr", "ks_c_5601-1987"):
        name = "cp949"
    if name in ("shift_jis", "shift-jis", "sjis"):
        name = "cp932"
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
        return _in_pairs(text)
    # Accented letters of Latin-1 would decode to arbitrary characters.
    return all("\u3000" <= c <= "\u30ff" or "\u4e00" <= c <= "\u9fff" for c in decoded if c > "\x7f")


def _in_pairs(text: bytes) -> bool:
    """Whether non-ASCII bytes come in runs of even length, as in EUC charsets."""
    run = 0
    for byte in (*text, 0):
        if byte >= 0xA1:
            run += 1
        elif byte >= 0x80 or run % 2:
            return False
        else:
            run = 0
    return True
