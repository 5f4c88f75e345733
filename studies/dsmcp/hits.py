"""Top-1 hits of the networks of an ablation on the same held-out examples, one file a network.

A killed ablation resumes: a network whose file is there is not trained again.
"""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.base.storage import atomic_write

Hits = Mapping[str, NDArray[np.float32]]
"""[held-out examples] by headset: 1 if the likeliest action is the one taken, NaN without an action."""
_UNKNOWN = -1
_FILE = re.compile(r"(?:all-planes|without-(\d+))-seed-(\d+)\.npz")
_GAMES = "games.npz"


class HitFiles:
    """The hits in a folder, by removed plane (None for a network with all planes) and seed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def trained(self) -> list[tuple[int | None, int]]:
        """Returns removed plane and seed of the networks that are there, those with all planes first."""
        matches = (_FILE.fullmatch(path.name) for path in sorted(self._folder.glob("*.npz")))
        found = [(int(m[1]) if m[1] else None, int(m[2])) for m in matches if m]
        return sorted(found, key=lambda key: (-1 if key[0] is None else key[0], key[1]))

    def read(self, plane: int | None, seed: int) -> Hits:
        """Returns the hits of a network. Raises OSError."""
        with np.load(self._path(plane, seed)) as arrays:
            return {
                name: np.where(values == _UNKNOWN, np.nan, values).astype(np.float32)
                for name, values in arrays.items()
            }

    def write(self, plane: int | None, seed: int, hits: Hits) -> None:
        """Saves the hits of a network."""
        _save(
            self._path(plane, seed),
            {name: np.nan_to_num(values, nan=_UNKNOWN).astype(np.int8) for name, values in hits.items()},
        )

    def games(self) -> dict[str, NDArray[np.uint64]]:
        """Returns the games of the held-out examples by headset. Raises OSError."""
        with np.load(self._folder / _GAMES) as arrays:
            return dict(arrays)

    def write_games(self, games: Mapping[str, NDArray[np.uint64]]) -> None:
        """Saves the games of the held-out examples by headset."""
        _save(self._folder / _GAMES, games)

    def _path(self, plane: int | None, seed: int) -> Path:
        return self._folder / f"{'all-planes' if plane is None else f'without-{plane}'}-seed-{seed}.npz"


def _save(path: Path, arrays: Mapping[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    atomic_write(path, buffer.getvalue())
