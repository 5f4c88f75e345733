"""Metrics of a training run: `metrics.jsonl`, and TensorBoard files if TensorBoard is installed."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from sparring import storage
from sparring.training.conditioning import rating_group_name

_SCALARS = ("loss", "train_top1", "rate", "top1", "nll")
"""Entries shown in TensorBoard."""


class _Metrics(TypedDict):
    step: float


class MetricsLogger:
    """Appends metrics to the files of a run.

    Lines after `step` are dropped: the resumed run writes them again.
    """

    def __init__(self, folder: Path, step: int) -> None:
        # A lost line does no harm.
        self._lines = storage.Journal(folder / "metrics.jsonl", lenient=True, kind=_Metrics)
        self._lines.keep(lambda entries: float(entries["step"]) <= step)
        self._board = _tensorboard(folder, step)

    def write(self, entries: dict[str, Any]) -> None:
        """Appends one set of metrics; `entries` has a key `step`."""
        self._lines.add(entries)
        if self._board is not None:
            for name in _SCALARS:
                self._board.add_scalar(name, entries[name], entries["step"])
            self._board.flush()


def summary(
    hits: NDArray[np.bool_], nll: NDArray[np.float32], groups: NDArray[np.float64], game: str
) -> dict[str, Any]:
    """Returns number, top-1 accuracy and mean negative log-likelihood of the positions, overall and by group.

    `hits`, `nll` and `groups` are [n]; positions with group NaN count only overall.
    """
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
