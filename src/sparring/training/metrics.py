"""What a run measured of itself: a line of JSON each, and TensorBoard's files where that is installed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring import storage
from sparring.training.conditioning import rating_group_name

_DRAWN = ("loss", "train_top1", "rate", "top1", "nll")


class MetricsLogger:
    """The measurements of a run up to a step; those after it will be made again."""

    def __init__(self, folder: Path, step: int) -> None:
        self._lines = storage.Journal(folder / "metrics.jsonl", lenient=True)  # nothing depends on a lost one
        self._lines.keep(lambda entries: float(entries["step"]) <= step)
        self._board = _tensorboard(folder, step)

    def write(self, entries: dict[str, Any]) -> None:
        """One more measurement."""
        self._lines.add(entries)
        if self._board is not None:
            for name in _DRAWN:
                self._board.add_scalar(name, entries[name], entries["step"])
            self._board.flush()


def summary(
    hits: NDArray[np.bool_], nll: NDArray[np.float32], groups: NDArray[np.float64], game: str
) -> dict[str, Any]:
    """Accuracy and negative log-likelihood of all positions, and of each group's."""
    by_group = {
        rating_group_name(group, game): _means(hits[groups == group], nll[groups == group])
        for group in np.unique(groups[~np.isnan(groups)]).tolist()
    }
    return {**_means(hits, nll), "groups": by_group}


def _means(hits: NDArray[np.bool_], nll: NDArray[np.float32]) -> dict[str, Any]:
    return {"positions": len(hits), "top1": float(hits.mean()), "nll": float(nll.mean())}


def _tensorboard(folder: Path, step: int) -> Any:
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        return None
    return SummaryWriter(str(folder), purge_step=step + 1)
