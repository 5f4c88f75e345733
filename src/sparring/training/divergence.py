"""Training that diverges stops: its weights are never saved."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray


class TrainingDiverged(Exception):
    """The loss or the weights are no finite numbers any more; the message says when and what to do."""


def check_loss(loss: float, when: str, folder: Path | None = None) -> None:
    """Raises TrainingDiverged unless the loss is a finite number.

    `when` names the moment, such as "step 20". `folder` is a run that keeps its last checkpoint.
    """
    if math.isfinite(loss):
        return
    kept = "" if folder is None else f"; the checkpoint in {folder} is from before"
    raise TrainingDiverged(
        f"training diverged: the loss is {loss} at {when}; choose a lower learning rate, a longer warm-up "
        f"or a smaller max_grad_norm{kept}"
    )


def check_weights(weights: NDArray[np.floating], when: str, folder: Path) -> None:
    """Raises TrainingDiverged unless all weights are finite; `when` and `folder` as in `check_loss`."""
    if not np.isfinite(weights).all():
        raise TrainingDiverged(
            f"training diverged: weights are no finite numbers after {when}; choose a lower learning rate; "
            f"what {folder} has is from before"
        )
