"""The frame of the robustness tests: trials on the surfaces of the package, generated from a seed.

A surface is where input of others comes in: models, arrays, records, tables, TOML, engines, the terminal, the
server, its connections, its files, a browser. The modules of `tests/robustness/surfaces` have one function a
surface:

    @surface("cookies", trials=60)
    def cookies(rng: random.Random, folder: Path) -> None: ...

It makes one hostile case from the generator, in the empty folder, and gives it to the package. A trial is
broken if the function raises: an exception that the package should have turned into a clear error, or an
AssertionError. `trials` is the number of trials in a run of 6,000, at least those of the attack that is
repeated (results/robustness); `few` is the number in the ordinary suite.

`make test` runs the few, `make fuzz` all 6,000. One trial again: `python -m tests.robustness SURFACE NUMBER`.
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
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import FrameType
from typing import TypeAlias

from sparring.cli import main
from tests.robustness import surfaces

TRIALS = int(os.environ.get("SPARRING_TRIALS", "0"))
"""The number of trials of all surfaces together; 0 for the few of the ordinary suite."""
_HANGS_AFTER = 180
"""Seconds after which a trial counts as hanging; most take milliseconds."""
_FEW = 15
"""Of so many trials the ordinary suite runs one."""

Trial: TypeAlias = Callable[[random.Random, Path], None]


@dataclass(frozen=True)
class Surface:
    """A surface."""

    name: str
    trial: Trial
    """Makes a hostile case and gives it to the package; raises if that breaks it."""
    trials: int
    few: int


_SURFACES: dict[str, Surface] = {}


def surface(name: str, trials: int, few: int | None = None) -> Callable[[Trial], Trial]:
    """Registers a function as a surface, with its trials in a run of all and in the ordinary suite."""

    def register(trial: Trial) -> Trial:
        _SURFACES[name] = Surface(name, trial, trials, max(1, trials // _FEW) if few is None else few)
        return trial

    return register


class Hangs(BaseException):
    """A trial does not end. No `except Exception` catches it."""


@cache
def load_surfaces() -> dict[str, Surface]:
    """All surfaces by name, sorted."""
    for module in pkgutil.iter_modules(surfaces.__path__):
        importlib.import_module(f"{surfaces.__name__}.{module.name}")
    return dict(sorted(_SURFACES.items()))


def trials_of(name: str, total: int) -> int:
    """The number of trials of a surface among `total` trials of all; without a total, the few."""
    chosen = load_surfaces()[name]
    if not total:
        return chosen.few
    return max(1, round(total * chosen.trials / sum(entry.trials for entry in load_surfaces().values())))


def run_trial(name: str, number: int) -> str:
    """Runs one trial; returns what broke, or an empty text."""
    rng = random.Random(f"{name} {number}")  # the same trial each time, whatever ran before
    with tempfile.TemporaryDirectory(prefix=f"sparring-{name}-") as folder:
        try:
            with _alarm(_HANGS_AFTER):
                load_surfaces()[name].trial(rng, Path(folder))
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
