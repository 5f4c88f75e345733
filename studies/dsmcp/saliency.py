"""Saliency of the planes of a synopsis (DSMCP paper, section 7).

During a training run, gradients of a headset are taken on batches of held-out examples:

- loss PBS: the gradient of a batch's mean loss with respect to each bit of a plane, summed over the examples;
  its absolute value, averaged over squares and batches.
- action PbS: the absolute gradient of the log-probability of the action taken with respect to each bit of
  each example, averaged over bits; also over bits that are 0, and over bits that are 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from sparring.rbc.synopsis import PLANES, TOP
from sparring.rbc.training.examples import NO_ACTION
from sparring.rbc.training.task import total_loss
from studies.dsmcp.run import StudiedRun, policy_nll

STATISTICS = ("loss_pbs", "action_pbs", "action_pbs_0", "action_pbs_1")
FOLLOWED = 8
"""The plane that the paper's figure 8, (a) and (b), follows for each headset: dark squares."""
_BATCH = 512
_POINTS = 20
"""Points of a curve; each is a mean over batches."""


class Saliency:
    """The statistics of all planes on batches of held-out examples of one headset."""

    def __init__(self, run: StudiedRun, headset: int) -> None:
        self._run, self._headset = run, headset
        rows = run.data.rows(run.config.headsets[headset], validation=True)
        self._rows = rows[run.data.examples.actions[rows] != NO_ACTION]
        self._steps: list[int] = []
        self._batches: list[NDArray[np.float64]] = []

    def add(self) -> None:
        """Measures the network as it is on a batch of examples, if the headset has any."""
        if not len(self._rows):
            return
        run, training = self._run, self._run.config.training
        rng = np.random.default_rng([training.seed, run.step, 1])
        batch = run.data.batch(rng.choice(self._rows, _BATCH))
        planes = batch.planes.requires_grad_()
        run.model.eval()
        outputs = run.network.headsets[self._headset](
            run.network.features(planes)
        )  # also if gradients stop there
        loss = total_loss(outputs, batch, training.value_weight, run.config.loss)
        (of_loss,) = torch.autograd.grad(loss, planes, retain_graph=True)
        (of_action,) = torch.autograd.grad(policy_nll(outputs, batch).sum(), planes)
        run.model.train()
        bits, size = planes.detach(), of_action.abs()
        zeros, ones = (
            (each * size).sum((0, 2, 3)) / each.sum((0, 2, 3)).clamp(min=1) for each in (1 - bits, bits)
        )
        found = torch.stack([of_loss.sum(0).abs().mean((1, 2)), size.mean((0, 2, 3)), zeros, ones])
        self._steps.append(run.step)
        self._batches.append(found.double().cpu().numpy())

    def __len__(self) -> int:
        return len(self._batches)

    def rows(self) -> list[dict[str, Any]]:
        """Returns the planes in order, with their means and their rank by action PbS (0: most salient)."""
        means = np.mean(self._batches, axis=0)
        ranks = np.argsort(np.argsort(-means[STATISTICS.index("action_pbs")]))
        return [
            {"plane": number, "name": plane.name, "rank": int(ranks[number])}
            | {name: float(means[i, number]) for i, name in enumerate(STATISTICS)}
            for number, plane in enumerate(PLANES)
        ]

    def curve(self, plane: int) -> dict[str, list[float]]:
        """Returns the steps of at most 20 points, and loss PBS and action PbS of a plane there."""
        groups = np.array_split(np.arange(len(self)), min(_POINTS, len(self)))
        values = np.array(self._batches)[:, :2, plane]
        return {
            "steps": [float(np.mean([self._steps[i] for i in group])) for group in groups],
            **{
                name: [round(float(values[group, i].mean()), 6) for group in groups]
                for i, name in enumerate(STATISTICS[:2])
            },
        }


def train_with_saliency(run: StudiedRun, batches: int) -> dict[str, Any]:
    """Trains a network; returns the statistics of Top's planes and the curves of the paper's figure 8.

    Top is measured with `batches` batches, the other headsets with 20.
    """
    steps = run.config.training.steps
    measured = [Saliency(run, index) for index in range(len(run.config.headsets))]
    top = measured[run.config.headset_names.index(TOP)]
    often, seldom = max(1, steps // batches), max(1, steps // _POINTS)
    for step in range(1, steps + 1):
        run.next_step()
        for each in measured:
            if step % (often if each is top else seldom) == 0:
                each.add()
    planes = top.rows()
    order = [row["plane"] for row in sorted(planes, key=lambda row: int(row["rank"]))]
    names = zip(run.config.headset_names, measured, strict=True)
    return {
        "steps": steps,
        "batches": len(top),
        "planes": planes,
        "curves_of_headsets": {name: each.curve(FOLLOWED) for name, each in names if len(each)},
        "curves_of_planes": {str(plane): top.curve(plane) for plane in (*order[:5], order[-1])},
    }
