"""What a run measured of itself: a line of JSON each, and TensorBoard's files where that is installed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.learn.seats import group_name

_DRAWN = ("loss", "train_top1", "rate", "top1", "nll")


class Journal:
    """The measurements of a run up to a step; those after it will be made again."""

    def __init__(self, folder: Path, step: int) -> None:
        self._path = folder / "metrics.jsonl"
        folder.mkdir(parents=True, exist_ok=True)
        kept = [line for line in self._lines() if _step_of(line) <= step]
        part = self._path.with_suffix(".part")
        part.write_text("".join(f"{line}\n" for line in kept), encoding="utf-8")
        part.replace(self._path)
        self._board = _tensorboard(folder, step)

    def write(self, entries: dict[str, Any]) -> None:
        """One more measurement."""
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entries) + "\n")
        if self._board is not None:
            for name in _DRAWN:
                self._board.add_scalar(name, entries[name], entries["step"])
            self._board.flush()

    def _lines(self) -> list[str]:
        return self._path.read_text(encoding="utf-8").splitlines() if self._path.exists() else []


def summary(
    hits: NDArray[np.bool_], likelihoods: NDArray[np.float32], groups: NDArray[np.float64], game: str
) -> dict[str, Any]:
    """Accuracy and negative log-likelihood of all positions, and of each group's."""
    by_group = {
        group_name(group, game): _means(hits[groups == group], likelihoods[groups == group])
        for group in np.unique(groups[~np.isnan(groups)]).tolist()
    }
    return {**_means(hits, likelihoods), "groups": by_group}


def _means(hits: NDArray[np.bool_], likelihoods: NDArray[np.float32]) -> dict[str, Any]:
    return {"positions": len(hits), "top1": float(hits.mean()), "nll": float(likelihoods.mean())}


def _step_of(line: str) -> float:
    """Infinite for a line that a kill left unfinished."""
    try:
        return float(json.loads(line)["step"])
    except ValueError:
        return float("inf")


def _tensorboard(folder: Path, step: int) -> Any:
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        return None
    return SummaryWriter(str(folder), purge_step=step + 1)
