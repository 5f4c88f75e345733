"""Engines survive any input: seeded mutations of real dialogues, and random bytes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.engines.engine_client import engine
from tests.engines.test_dialogues import DIALOGUES, PROTOCOL_GAMES, PROTOCOL_OF

NOISE = [
    b"\x00\xff\xfe",
    b"\xf0\x9f\x8d\xb5" * 50,
    b" " * 1000,
    b"go " * 300,
    b"9" * 5000,
    b"position fen " + b"/" * 999,
]
_WORDS = [
    *b"-1 0 99999999999999999999 nan inf name value moves fen sfen startpos".split(),
    *b"ponder infinite # ? = \x00 \xff".split(),
]


def spoiled(lines: list[bytes], rng: np.random.Generator) -> list[bytes]:
    """Lines with words dropped, doubled, swapped and put in."""
    result = []
    for line in lines:
        words = line.split()
        for _ in range(int(rng.integers(3))):
            at = int(rng.integers(len(words) + 1))
            kind = int(rng.integers(4))
            if kind == 0:
                del words[at : at + 1]
            elif kind == 1:
                words.insert(at, _WORDS[int(rng.integers(len(_WORDS)))])
            elif kind == 2 and words:
                words[at % len(words)] = words[at % len(words)][::-1]
            elif words:
                words.insert(at, words[int(rng.integers(len(words)))])
        result.append(b" ".join(words))
    return result


@pytest.mark.parametrize("gui", PROTOCOL_OF)
def test_spoiled_dialogues_leave_the_engine_alive(gui: str, small: dict[str, Path]) -> None:
    protocol = PROTOCOL_OF[gui]
    text = (DIALOGUES / f"{gui}.txt").read_bytes()
    lines = [line[2:] for line in text.splitlines() if line.startswith(b"> ")]
    rng = np.random.default_rng(7)
    with engine(protocol, small[PROTOCOL_GAMES[protocol]], nodes=3, overhead=10_000) as session:
        for _ in range(6):
            batch = [line for line in spoiled(lines, rng) if b"quit" not in line]
            session.send_bytes(b"\n".join([*batch, *NOISE]) + b"\n")
        if protocol == "gtp":
            session.send("4711 name")
            assert session.until("=4711 Sparring")
        else:
            session.send("stop")
            session.send(f"setoption name Model value {small[PROTOCOL_GAMES[protocol]]}", "isready")
            session.until("readyok")
            session.send("position startpos", "go nodes 2", "stop")
            session.until(r"bestmove \S+.*")
    words = {line.split()[0] for line in session.received if line.strip()}
    allowed = {"info", "bestmove", "readyok", "checkmate", "id", "option", "uciok", "usiok"}
    if protocol != "gtp":
        assert words <= allowed
