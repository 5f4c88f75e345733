"""Saliency of the planes of a synopsis (DSMCP paper, section 7), and ablation of some of them.

During a training run, gradients of the Top headset are taken on batches of held-out examples:

- loss PBS: the gradient of a batch's mean loss with respect to each bit of a plane, summed over the examples;
  its absolute value, averaged over squares and batches.
- action PbS: the absolute gradient of the log-probability of the action taken with respect to each bit of
  each example, averaged over bits; also over bits that are 0, and over bits that are 1.

An ablation trains the same network again with a plane set to 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from sparring.belief import PLANES
from sparring.networks.synopsis import TOP
from sparring.training.rbc.config import RbcTrainingConfig
from sparring.training.rbc.examples import NO_ACTION, ExampleSet
from sparring.training.rbc.loss import policy_nll, total_loss
from sparring.training.rbc.trainer import RbcTrainer
from studies.dsmcp.accuracy import estimate

_BATCH = 512


@dataclass
class Saliency:
    """Sums of the statistics of each plane, [104] each, over `batches` batches."""

    loss_pbs: NDArray[np.float64]
    action_pbs: NDArray[np.float64]
    action_pbs_0: NDArray[np.float64]
    action_pbs_1: NDArray[np.float64]
    batches: int = 0

    @staticmethod
    def zero() -> Saliency:
        """Returns the statistics of no batch."""
        zeros = np.zeros((4, len(PLANES)))
        return Saliency(zeros[0], zeros[1], zeros[2], zeros[3])

    def add(self, run: RbcTrainer, headset: int, rows: NDArray[np.int64]) -> None:
        """Adds a batch of examples that have an action."""
        batch = run.data.batch(rows)
        planes = batch.planes.requires_grad_()
        run.model.eval()
        outputs = run.model(planes, headset)
        part = run.config
        loss = total_loss(outputs, batch, part.training.value_weight, part.loss)
        (of_loss,) = torch.autograd.grad(loss, planes, retain_graph=True)
        (of_action,) = torch.autograd.grad(policy_nll(outputs, batch).sum(), planes)
        run.model.train()
        bits = planes.detach()
        size = of_action.abs()
        zeros, ones = (
            (each * size).sum((0, 2, 3)) / each.sum((0, 2, 3)).clamp(min=1) for each in (1 - bits, bits)
        )
        self.loss_pbs += _numpy(of_loss.sum(0).abs().mean((1, 2)))
        self.action_pbs += _numpy(size.mean((0, 2, 3)))
        self.action_pbs_0 += _numpy(zeros)
        self.action_pbs_1 += _numpy(ones)
        self.batches += 1

    def rows(self) -> list[dict[str, Any]]:
        """Returns the planes in order, with their means and their rank by action PbS (0: most salient)."""
        ranks = np.argsort(np.argsort(-self.action_pbs))
        return [
            {
                "plane": number,
                "name": plane.name,
                "loss_pbs": float(self.loss_pbs[number] / self.batches),
                "action_pbs": float(self.action_pbs[number] / self.batches),
                "action_pbs_0": float(self.action_pbs_0[number] / self.batches),
                "action_pbs_1": float(self.action_pbs_1[number] / self.batches),
                "rank": int(ranks[number]),
            }
            for number, plane in enumerate(PLANES)
        ]


def saliency_and_ablation(
    config: RbcTrainingConfig,
    examples: ExampleSet,
    folder: Path,
    *,
    every: int,
    ablated: int,
    device: str = "",
    on_progress: Callable[[str, dict[str, Any]], None] = lambda *_: None,
) -> dict[str, Any]:
    """Trains a network with saliency measured every `every` steps, then without single planes.

    The `ablated` most and the `ablated` least salient planes are removed, one at a time. `on_progress` is
    called after each network, with what was trained and the report so far.
    """
    saliency = Saliency.zero()
    baseline = _train(config, examples, folder / "baseline", (), every, saliency, device)
    report: dict[str, Any] = {
        "steps": config.training.steps,
        "batches": saliency.batches,
        "planes": saliency.rows(),
        "baseline": {name: estimate(*each) for name, each in baseline.items()},
        "ablations": [],
    }
    on_progress("baseline", report)
    order = sorted(report["planes"], key=lambda row: int(row["rank"]))
    for row in [*order[:ablated], *order[len(order) - ablated :]] if ablated else []:
        found = _train(config, examples, folder / f"without-{row['plane']}", (row["plane"],), 0, None, device)
        differences = {
            name: estimate(found[name][0] - baseline[name][0], baseline[name][1]) for name in baseline
        }
        report["ablations"].append({"plane": row["plane"], "name": row["name"], "difference": differences})
        on_progress(f"without plane {row['plane']}, {row['name']}", report)
    return report


Hits = tuple[NDArray[np.float32], NDArray[np.uint64]]
"""Top-1 hits and games of held-out examples."""


def _train(
    config: RbcTrainingConfig,
    examples: ExampleSet,
    folder: Path,
    removed: Sequence[int],
    every: int,
    saliency: Saliency | None,
    device: str,
) -> dict[str, Hits]:
    """Trains a network and returns the hits of All and Top on their own held-out examples."""
    run = RbcTrainer(config, examples, folder, device)
    run.data.remove_planes(removed)
    top = config.headset_names.index(TOP)
    held_out = run.data.rows(config.headsets[top], validation=True)
    held_out = held_out[examples.actions[held_out] != NO_ACTION]
    for step in range(1, config.training.steps + 1):
        run.train_step()
        if saliency is not None and step % every == 0:
            rng = np.random.default_rng([config.training.seed, step, 1])
            saliency.add(run, top, rng.choice(held_out, _BATCH))
    found = {}
    for index, headset in enumerate(config.headsets):
        if headset.name in ("All", TOP):
            rows = run.data.rows(headset, validation=True)
            rng = np.random.default_rng([config.training.seed, index])
            rows = rng.choice(rows, min(len(rows), config.training.validation_positions), replace=False)
            found[headset.name] = run.measure(index, rows).top1.numpy(), examples.games[rows]
    return found


def _numpy(tensor: torch.Tensor) -> NDArray[np.float64]:
    return tensor.double().cpu().numpy()
