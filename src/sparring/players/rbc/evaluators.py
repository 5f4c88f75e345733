"""Evaluators of single boards: the protocol, the native search, and `find_stockfish`."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sparring._core import RbcBoardSet

_MARGIN = 700
"""Centipawns behind the best request of a board beyond which scores are cut off."""
_DEBIAN = Path("/usr/games/stockfish")


@dataclass(frozen=True)
class BoardEvaluations:
    """The score of every request on every board."""

    requests: NDArray[np.uint16]
    """[requests], in ascending order; the pass is first."""
    scores: NDArray[np.int32]
    """[boards, requests], in centipawns for the player."""
    attacks: NDArray[np.bool_]
    """[boards, requests]: whether the opponent's king is attacked afterwards and the own king is not."""


class BoardEvaluator(Protocol):
    """Evaluates all requests on all boards of a set."""

    cost_ratio: float
    """Estimated cost ratio of searching one step deeper."""

    def evaluate(self, boards: RbcBoardSet, extra_depth: int = 0) -> BoardEvaluations:
        """Evaluates the boards, in their order, `extra_depth` steps deeper than configured; a negative number
        of steps is less deep."""
        ...

    def new_game(self) -> None:
        """Clears the state of the last game."""
        ...

    def close(self) -> None:
        """Ends processes. A later evaluation starts them again."""
        ...


class NativeEvaluator:
    """The native search by the rules of the game: tens of boards in a hundredth of a second."""

    cost_ratio = 12.0

    def __init__(self, depth: int, threads: int = 1) -> None:
        self._depth, self._threads = depth, threads

    def evaluate(self, boards: RbcBoardSet, extra_depth: int = 0) -> BoardEvaluations:
        """Evaluates the boards, in their order, `extra_depth` plies deeper than configured, at least one."""
        depth = max(self._depth + extra_depth, 1)
        return BoardEvaluations(*boards.evaluate_requests(depth, _MARGIN, self._threads))

    def new_game(self) -> None:
        """Does nothing."""

    def close(self) -> None:
        """Does nothing."""


class StockfishNotFound(Exception):
    """Stockfish is not installed, or not at the given path."""


def find_stockfish(path: str | None = None) -> str:
    """Stockfish by path, by STOCKFISH_EXECUTABLE, on the PATH, or Debian's. Raises StockfishNotFound."""
    named = path or os.environ.get("STOCKFISH_EXECUTABLE")
    found = shutil.which(named or "stockfish") or (None if named or not _DEBIAN.exists() else str(_DEBIAN))
    if found is None:
        raise StockfishNotFound(
            f"there is no program {named}" if named else "Stockfish is not installed (make engines)"
        )
    return found
