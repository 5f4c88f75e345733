"""The frame of the robustness tests: trials on the surfaces of the package, generated from a seed.

A surface is where input of others comes in: models, arrays, records, tables, TOML, engines, the terminal, the
server. Each is a module of `tests/robustness/surfaces` with a function `trial`:

    def trial(rng: random.Random, folder: Path) -> None: ...

It makes one hostile case from the generator, in the empty folder, and gives it to the package. A trial is
broken if the function raises: an exception that the package should have turned into a clear error, or an
AssertionError.
`SHARE` in the module (default 1) is its share of all trials: expensive surfaces take less.

`make test` runs a few trials of each surface, `make fuzz` 6,000 of all together. One trial again:
`python -m tests.robustness SURFACE NUMBER`.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import pkgutil
import random
import signal
import sys
import tempfile
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Protocol

from sparring.cli import main
from tests.robustness import surfaces

TRIALS = int(os.environ.get("SPARRING_TRIALS", "500"))
"""The number of trials of all surfaces together."""
_HANGS_AFTER = 120
"""Seconds after which a trial counts as hanging; trials take milliseconds."""


class Surface(Protocol):
    """A module of `tests/robustness/surfaces`."""

    def trial(self, rng: random.Random, folder: Path) -> None:
        """Makes a hostile case and gives it to the package; raises if that breaks it."""
        ...


class Hangs(BaseException):
    """A trial does not end. No `except Exception` catches it."""


def surface_names() -> list[str]:
    """The names of all surfaces, sorted."""
    return sorted(module.name for module in pkgutil.iter_modules(surfaces.__path__))


def load_surface(name: str) -> Surface:
    """The module of a surface."""
    return importlib.import_module(f"{surfaces.__name__}.{name}")


def trials_of(name: str, total: int) -> int:
    """The number of trials of a surface among `total` trials of all."""
    shares = {each: float(getattr(load_surface(each), "SHARE", 1)) for each in surface_names()}
    return max(1, round(total * shares[name] / sum(shares.values())))


def run_trial(name: str, number: int) -> str:
    """Runs one trial; returns what broke, or an empty text."""
    rng = random.Random(f"{name} {number}")  # the same trial each time, whatever ran before
    with tempfile.TemporaryDirectory(prefix=f"sparring-{name}-") as folder:
        try:
            with _alarm(_HANGS_AFTER):
                load_surface(name).trial(rng, Path(folder))
        except (Exception, SystemExit, Hangs):
            return f"{name} {number}: {traceback.format_exc()}"
    return ""


@dataclass(frozen=True)
class Finished:
    """How a command ended."""

    code: int
    out: str
    err: str


def run_command(arguments: Sequence[str], stdin: str = "") -> Finished:
    """Runs `sparring` in this process. An exception that a user would see as a traceback passes."""
    out, err = io.StringIO(), io.StringIO()
    code = 0
    with _stdin(stdin), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main(arguments)
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    return Finished(code, out.getvalue(), err.getvalue())


def mutated(rng: random.Random, content: bytes, pieces: Sequence[bytes] = ()) -> bytes:
    """The content with one to six changes: bytes flipped, removed, doubled, or a piece put in."""
    changed = bytearray(content)
    usual = (b"", b"\x00", b"\xff", b"\xef\xbb\xbf", b"\r", b"\n", b'"', b"9" * 30, b"-1", b"[", b"}")
    for _ in range(rng.randint(1, 6)):
        at = rng.randrange(len(changed) + 1)
        to = min(len(changed), at + rng.choice((0, 1, 3, 20, 400)))
        match rng.randrange(4):
            case 0 if at < len(changed):
                changed[at] ^= 1 << rng.randrange(8)
            case 1:
                del changed[at:to]
            case 2:
                changed[at:at] = changed[at:to] * rng.randint(1, 3)
            case _:
                changed[at : at + rng.randint(0, 3)] = rng.choice((*usual, *pieces))
    return bytes(changed)


@contextlib.contextmanager
def _alarm(seconds: int) -> Iterator[None]:
    def ring(signum: int, frame: FrameType | None) -> None:
        raise Hangs(f"no end after {seconds} seconds")

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@contextlib.contextmanager
def _stdin(text: str) -> Iterator[None]:
    before = sys.stdin
    sys.stdin = io.StringIO(text)
    try:
        yield
    finally:
        sys.stdin = before
