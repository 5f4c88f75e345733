"""The test opponent of `alphabeta_opponent.cpp` as a player of the course's referee."""

from __future__ import annotations

import ctypes
import hashlib
import shutil
import subprocess
import tempfile
import time
from functools import cache
from pathlib import Path

from sparring.base.errors import SparringError
from sparring.expendibots.game import Action

_SOURCE = Path(__file__).with_suffix(".cpp")
_LONGEST, _SHARE = 3.0, 12
"""An action uses at most these seconds, and at most the time left divided by this."""


class CompilerMissing(SparringError):
    """No C++ compiler was found."""


class AlphaBetaOpponent:
    """Alpha-beta with material, mobility and quiescence, to a fixed depth; less deep where time is short.

    The seed adds a little noise to the evaluation: games with different seeds differ.
    """

    def __init__(self, colour: str, *, seed: int = 0, depth: int = 6, seconds: float = 60.0) -> None:
        """`seconds` of processor time for the game. Raises CompilerMissing."""
        started = time.process_time()
        self._depth, self._seconds = depth, seconds
        self._library = _library()
        self._native = ctypes.c_void_p(self._library.opponent_new(seed))
        self._spent = time.process_time() - started

    def __del__(self) -> None:
        if hasattr(self, "_native"):
            self._library.opponent_delete(self._native)

    def action(self) -> Action:
        """The action to take now."""
        started = time.process_time()
        seconds = min(max(self._seconds - 2 - self._spent, 0.02) / _SHARE, _LONGEST)
        out = (ctypes.c_int * 3)()
        self._library.opponent_choose(self._native, self._depth, ctypes.c_double(seconds), out)
        self._spent += time.process_time() - started
        tokens, start, end = out
        if tokens == 0:
            return ("BOOM", _point(start))
        return ("MOVE", tokens, _point(start), _point(end))

    def update(self, colour: str, action: Action) -> None:
        """Plays an action of either side."""
        if len(action) == 2:
            self._library.opponent_update(self._native, 0, _square(action[1]), 0)
        else:
            _, tokens, start, end = action
            self._library.opponent_update(self._native, tokens, _square(start), _square(end))


@cache
def _library() -> ctypes.CDLL:
    """Compiles the source into a temporary folder, once for each version of it."""
    compiler = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        raise CompilerMissing("the test opponent needs a C++ compiler (c++, g++ or clang++)")
    version = hashlib.sha256(_SOURCE.read_bytes()).hexdigest()[:16]
    path = Path(tempfile.gettempdir()) / f"sparring-alphabeta-opponent-{version}.so"
    if not path.exists():
        with tempfile.TemporaryDirectory(dir=path.parent) as folder:
            built = Path(folder) / path.name
            flags = ["-O2", "-std=c++20", "-shared", "-fPIC"]
            subprocess.run([compiler, *flags, "-o", str(built), str(_SOURCE)], check=True)
            built.replace(path)
    library = ctypes.CDLL(str(path))
    library.opponent_new.restype = ctypes.c_void_p
    library.opponent_new.argtypes = [ctypes.c_uint64]
    return library


def _square(point: tuple[int, int]) -> int:
    return 8 * point[1] + point[0]


def _point(square: int) -> tuple[int, int]:
    return square % 8, square // 8
