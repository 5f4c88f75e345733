"""A run of `sparring train rbc` step by step, with its measures."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sparring.rbc.training.examples import read_examples
from sparring.rbc.training.network import HeadOutputs
from sparring.rbc.training.task import Indices, Measures, RbcTrainer, SynopsisBatch, log_policy, read_run

_BATCH = 4096


class StudiedRun(RbcTrainer):
    """A training run whose averaged network can be measured."""

    def next_step(self) -> Tensor:
        """Makes the next step, and returns its loss."""
        self.prepare()
        return self.train_step(self.task.example(self.cursor)).total

    def measure(self, headset: int, rows: Indices) -> Measures:
        """Returns the measures of a headset of the averaged network on some rows, on the CPU."""
        with self.averaged_model() as model, torch.no_grad(), self.precision():
            return self.task.measure(model, headset, rows)

    def values(self, headset: int, rows: Indices) -> NDArray[np.float32]:
        """Returns the values of a headset of the averaged network for some rows, [rows]."""
        with self.averaged_model() as model, torch.no_grad(), self.precision():
            batches = (self.data.batch(rows[i : i + _BATCH]) for i in range(0, len(rows), _BATCH))
            return np.concatenate(
                [model(batch.planes, headset).value.float().cpu().numpy() for batch in batches]
            )


def open_run(folder: Path, device: str = "") -> StudiedRun:
    """Opens a run as its checkpoint is, with the examples of its folder. Raises BadConfig."""
    return StudiedRun(read_run(folder)[0], read_examples(folder / "examples"), folder, device)


def policy_nll(outputs: HeadOutputs, batch: SynopsisBatch) -> Tensor:
    """Returns the negative log-likelihood of the actions among the possible ones, [n]; any number where there
    is no action."""
    return -log_policy(outputs, batch).gather(1, batch.actions.clamp(min=0)[:, None]).squeeze(1)
