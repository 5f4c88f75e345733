"""Game files: broken, hostile and compressed ones are read into tables; a broken game costs no other."""

from __future__ import annotations

import bz2
import gzip
import random
from collections.abc import Callable
from pathlib import Path

import zstandard

from sparring.records import open_records
from sparring.records.presets import preset_names
from tests.robustness.game_files import game_formats, game_texts
from tests.robustness.trials import mutated, run_command, surface

_PRESETS = {"chess": "everything", "go": "go-everything", "shogi": "shogi-everything"}
_PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".zst": zstandard.compress,
}
_NUMBERS = ("0001500000", "9" * 400, "-1", "1e9", "٣", "²", "nan", "", "0", "32768", "4294967296")
_TEXTS = ("[/bold]x", "\x1b[31m", "\x00", "\ud800", "\u202e", "x" * 70_000, "", "?", '"', "\\", "]", "}{")
_CHARSETS = ("zlib", "hex", "rot13", "undefined", "\x00", "idna", "punycode", "utf-16", "utf-7", "bz2", "é")
_DATES = ("0000.00.00", "9999.99.99", "2020.02.30", "1.1.1", "????.??.??", "2020-W01-1", "99999.1.1")
_ANY = (*_NUMBERS, *_TEXTS, *_CHARSETS, *_DATES)
_TAGS = {
    "WhiteElo": _NUMBERS, "BlackElo": _NUMBERS, "TimeControl": _NUMBERS, "FEN": _TEXTS, "White": _TEXTS,
    "Site": _TEXTS, "Result": _TEXTS, "UTCDate": _DATES, "Date": _DATES,
}  # fmt: skip
_PROPERTIES = {
    "CA": _CHARSETS, "SZ": _NUMBERS, "KM": _NUMBERS, "HA": _NUMBERS, "RE": _TEXTS, "BR": _NUMBERS,
    "DT": _DATES, "TM": _NUMBERS, "OT": _TEXTS, "PB": _TEXTS, "AB": _TEXTS, "B": _TEXTS, "BL": _NUMBERS,
}  # fmt: skip


@surface("records", trials=600, few=15)
def trial(rng: random.Random, folder: Path) -> None:
    """A file of good games, one of them hostile, or with changed bytes, in one of the compressed forms."""
    game, suffix = rng.choice(
        [*game_formats(), ("chess", "pgn"), ("chess", "pgn"), ("go", "sgf"), ("go", "sgf")]
    )
    games = list(game_texts(game, suffix))
    hostile = rng.random() < 0.5
    at = rng.randrange(len(games))
    games[at] = _hostile(rng, suffix, games[at]) if hostile else mutated(rng, games[at], _pieces())
    content = b"".join(games)
    if rng.random() < 0.2:
        content = rng.choice(
            [b"\xef\xbb\xbf" + content, content.replace(b"\n", b"\r"), content[: len(content) // 2]]
        )
    ending = rng.choice(list(_PACKERS))
    packed = _PACKERS[ending](content)
    file = folder / f"games.{suffix}{ending}"
    file.write_bytes(mutated(rng, packed) if ending and rng.random() < 0.5 else packed)
    _read(game, file, folder)


def _hostile(rng: random.Random, suffix: str, text: bytes) -> bytes:
    """The game with hostile facts in its format's own syntax."""
    value = rng.choice((*_NUMBERS, *_TEXTS, *_CHARSETS, *_DATES))
    if suffix == "pgn":
        tag = rng.choice(
            ("WhiteElo", "BlackElo", "FEN", "White", "TimeControl", "UTCDate", "Date", "Result", "Site")
        )
        line = f'[{tag} "{value}"]\n'.encode(errors="surrogatepass")
        kept = [each for each in text.splitlines(keepends=True) if not each.startswith(f"[{tag} ".encode())]
        return line + b"".join(kept)
    if suffix == "sgf":
        name = rng.choice(list(_PROPERTIES))
        value = rng.choice(_PROPERTIES[name])
        head = f"(;{name}[{value}]EV[\xe9\xe8]".encode(rng.choice(("latin-1", "utf-8")), "replace")
        return text.replace(b"(;", head, 1)
    places = [at for at, byte in enumerate(text) if byte in b' :,"\n'] or [0]
    at = rng.choice(places) + 1
    return text[:at] + rng.choice(_ANY).encode(errors="surrogatepass") + text[at:]


def _pieces() -> list[bytes]:
    return [each.encode(errors="surrogatepass") for each in _ANY]


def _read(game: str, file: Path, folder: Path) -> None:
    preset = _PRESETS.get(game, game)
    assert preset in preset_names()
    table = folder / "table"
    built = run_command(["records", "build", str(file), "--preset", preset, "--out", str(table)])
    assert built.code in (0, 1), built
    for _ in open_records(file, game):
        pass
    if (table / "manifest.json").exists():
        for command in (["list"], ["stats"], ["export", "--game", "all"]):
            done = run_command(["records", command[0], str(table), *command[1:]])
            assert done.code in (0, 2), done
