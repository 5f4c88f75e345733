"""Which charset a game's texts are in: what the file says if that fits, else what the bytes look like."""

from __future__ import annotations

import codecs
from collections.abc import Iterable

_GUESSES = ("utf-8", "gb18030", "shift_jis")


def detect_charset(texts: Iterable[bytes], declared: str = "") -> str:
    """A charset in which all the texts make sense.

    Without a declaration: UTF-8 if it fits; then GB 18030 if the bytes come in the pairs that Chinese
    text has; then Shift-JIS if that gives Japanese; then Latin-1, which SGF supposes. Korean cannot be
    told from Chinese and has to be declared.
    """
    together = b"\n".join(texts)
    if together.isascii():
        return "ascii"
    for charset in (_known(declared), *_GUESSES):
        if charset and _fits(together, charset, guessed=charset != _known(declared)):
            return charset
    return "latin-1"


def _known(declared: str) -> str:
    name = declared.strip().lower()
    if name.startswith("gb"):
        name = "gb18030"  # what calls itself GB2312 often has more
    if name in ("euc-kr", "ks_c_5601-1987"):
        name = "cp949"
    if name in ("shift_jis", "shift-jis", "sjis"):
        name = "cp932"
    try:
        return codecs.lookup(name).name if name else ""
    except LookupError:
        return ""


def _fits(text: bytes, charset: str, *, guessed: bool) -> bool:
    try:
        decoded = text.decode(charset)
    except UnicodeDecodeError:
        return False
    if not guessed or charset == "utf-8":
        return True
    if charset == "gb18030":
        return _in_pairs(text)
    # Latin-1's accented letters would come out as anything.
    return all("\u3000" <= c <= "\u30ff" or "\u4e00" <= c <= "\u9fff" for c in decoded if c > "\x7f")


def _in_pairs(text: bytes) -> bool:
    """Whether bytes beyond ASCII come in runs of even length, as in the charsets of the EUC family."""
    run = 0
    for byte in (*text, 0):
        if byte >= 0xA1:
            run += 1
        elif byte >= 0x80 or run % 2:
            return False
        else:
            run = 0
    return True
