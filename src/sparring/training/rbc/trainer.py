"""Training of a synopsis network (DSMCP paper, section 5.3): one step for one headset at a time.

The folder of a run has `checkpoint.pt`, `metrics.jsonl` (a line per validation), `best.onnx` (the network of
the best validation so far) and at the end `model.onnx`. Headset and examples of a step depend on the seed and
the number of the step alone, so that a run that was killed resumes from its last checkpoint and ends with the
same weights on a CPU.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from torch import nn

from sparring.networks.graphed_callable import GraphedCallable
from sparring.networks.synopsis import ALL, TOP
from sparring.storage import Journal, atomic_write
from sparring.training.config import BadTrainingConfig
from sparring.training.divergence import check_loss
from sparring.training.ema import ExponentialMovingAverage
from sparring.training.optimisers import (
    learning_rate_at,
    load_optimiser_state,
    make_optimiser,
    set_learning_rate,
)
from sparring.training.rbc.checkpoint import CHECKPOINT, RbcCheckpoint, read_checkpoint, write_checkpoint
from sparring.training.rbc.config import RbcTrainingConfig
from sparring.training.rbc.device_examples import DeviceExamples, Indices
from sparring.training.rbc.example_files import read_examples
from sparring.training.rbc.examples import ExampleSet
from sparring.training.rbc.export import export_synopsis_network
from sparring.training.rbc.loss import Measures, measure, total_loss, without_targets
from sparring.training.rbc.model import SynopsisNetwork
from sparring.training.rbc.teachers import Teachers
from sparring.training.snapshot import take_snapshot

_BEST = "best.onnx"
"""The network of the best validation so far."""
_REPORT_EVERY = 50
_VALIDATION_BATCH = 4096


@dataclass(frozen=True)
class RbcProgress:
    """Progress of a run."""

    step: int
    steps: int
    headset: str
    """Headset of the last step."""
    loss: float
    speed: float
    """Examples per second since the last report."""
    validation: dict[str, Any] | None
    """The last validation metrics by headset, or None."""


class RbcTrainer:
    """A training run. Resumes from the checkpoint of `folder` if there is one.

    Every headset of `config` must have training examples (`with_trained_headsets`); examples may be on the
    device already. `device` is `cpu`, `cuda` or `cuda:1`, empty for the best available. `teachers` are
    folders of finished runs, whose predictions are part of the targets. Raises BadTrainingConfig or OSError.
    """

    def __init__(
        self,
        config: RbcTrainingConfig,
        examples: ExampleSet | DeviceExamples,
        folder: Path,
        device: str = "",
        teachers: Sequence[Path] = (),
    ) -> None:
        self.config, self.folder = config, folder
        self.device = torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
        torch.manual_seed(config.training.seed)
        self.model = SynopsisNetwork(config).to(self.device)
        if self.device.type == "cuda":
            torch.set_float32_matmul_precision("high")
            self.model = self.model.to(memory_format=torch.channels_last)  # type: ignore[call-overload]  # missing in PyTorch's stubs
        self.average = ExponentialMovingAverage(self.model, config.training.ema_decay)
        self.optimiser = make_optimiser(self.model, config.training)
        self.teachers = Teachers(teachers, self.device)
        self.data = (
            examples
            if isinstance(examples, DeviceExamples)
            else DeviceExamples(examples, config.data.trial, self.device)
        )
        self._rows = [self.data.rows(each, validation=False) for each in config.headsets]
        weights = np.array([each.weight for each in config.headsets])
        self._shares = weights / weights.sum()
        self._any_row = np.flatnonzero(~self.data.validation)
        self._included = [self.data.included(each) for each in config.headsets]
        self._graphs: dict[int, GraphedCallable] = {}
        self.step = 0
        self.metrics: dict[str, Any] | None = None
        self._stopping = False
        self._resume()

    def stop(self) -> None:
        """Ends `train` after the current step, with a checkpoint. May be called from a signal handler."""
        self._stopping = True

    def train(self, on_progress: Callable[[RbcProgress], None] = lambda _: None) -> bool:
        """Trains up to the last step, with validations and checkpoints. Returns True if it was reached.

        Raises TrainingDiverged if the loss is no finite number any more.
        """
        part = self.config.training
        journal = Journal(self.folder / "metrics.jsonl", lenient=True)
        journal.keep(lambda entries: entries["step"] <= self.step)
        best = min((score(entry["headsets"]) for entry in journal.entries), default=math.inf)
        started, steps = time.perf_counter(), 0
        while self.step < part.steps and not self._stopping:
            headset, loss = self.train_step()
            steps += 1
            ended, due = self.step == part.steps, self.step % part.validate_every == 0
            if self.step % _REPORT_EVERY == 0 or ended or due or self._stopping:
                number = float(loss)
                check_loss(number, f"step {self.step:,}", self.folder)
                speed = steps * part.batch / (time.perf_counter() - started)
                if ended or due:
                    self.metrics = self.validate()
                    if score(self.metrics) <= best:
                        best = score(self.metrics)
                        atomic_write(self.folder / _BEST, self.export().SerializeToString())
                    journal.add({"step": self.step, "loss": number, "headsets": self.metrics})
                name = self.config.headsets[headset].name
                on_progress(RbcProgress(self.step, part.steps, name, number, speed, self.metrics))
                if ended or due or self._stopping:
                    self._save()
                started, steps = time.perf_counter(), 0
        finished = self.step == part.steps
        if finished:
            atomic_write(self.folder / "model.onnx", self._final_network())
        return finished

    def _final_network(self) -> bytes:
        if self.config.keep_best and (self.folder / _BEST).exists():
            return (self.folder / _BEST).read_bytes()
        return bytes(self.export().SerializeToString())

    def train_step(self) -> tuple[int, torch.Tensor]:
        """Makes one optimiser step for one headset, drawn by weight. Returns the headset and its loss."""
        part = self.config.training
        rng = np.random.default_rng([part.seed, self.step])
        headset = int(rng.choice(len(self._rows), p=self._shares))
        rows = rng.choice(self._rows[headset], part.batch)
        mirrored = rng.random(part.batch) < 0.5
        distilled = round(part.batch * self.config.loss.distilled)
        if distilled and self.teachers.know(self.config.headset_names[headset]):
            rows[:distilled] = rng.choice(self._any_row, distilled)
        inputs = [self.data.tensor(each) for each in (rows, mirrored, self._included[headset][rows])]
        set_learning_rate(self.optimiser, learning_rate_at(self.step, part))
        self.average.prepare(self.step + 1)
        if self.device.type == "cuda" and not self._graphs:
            self._capture(inputs)
        torch.manual_seed(part.seed * 1_000_003 + self.step)  # for dropout
        loss: torch.Tensor = self._graphs.get(headset, partial(self._step, headset))(*inputs)
        self.step += 1
        return headset, loss

    def _step(
        self, headset: int, rows: torch.Tensor, mirrored: torch.Tensor, labelled: torch.Tensor
    ) -> torch.Tensor:
        """Makes a step with the examples of `rows`; captured as a CUDA graph."""
        part = self.config.training
        batch = self.data.gather(rows, mirrored if self.config.data.mirrored else None)
        batch = without_targets(batch, labelled)
        self.optimiser.zero_grad(set_to_none=True)
        with self._precision():
            targets = self.teachers.targets(batch, self.config.headsets[headset].name)
            outputs = self.model(batch.planes, headset)
        loss = total_loss(outputs, batch, part.value_weight, self.config.loss, targets)
        loss.backward()  # type: ignore[no-untyped-call]
        if part.max_grad_norm:
            nn.utils.clip_grad_norm_(self.model.parameters(), part.max_grad_norm)
        self.optimiser.step()
        self.average.update()
        return loss.detach()

    def _capture(self, example: Sequence[torch.Tensor]) -> None:
        """Captures the steps of all headsets as CUDA graphs, which share their memory."""
        first: GraphedCallable | None = None
        for headset in range(len(self.config.headsets)):
            step = partial(self._step, headset)
            self._graphs[headset] = GraphedCallable(
                step, example, take_snapshot(self.model, self.average, self.optimiser), first
            )
            first = first or self._graphs[headset]

    def validate(self) -> dict[str, Any]:
        """Returns the metrics of each headset on its own held-out examples."""
        found = {}
        for index, headset in enumerate(self.config.headsets):
            rows = self.data.rows(headset, validation=True)
            if len(rows):
                rng = np.random.default_rng([self.config.training.seed, index])
                count = min(len(rows), self.config.training.validation_positions)
                found[headset.name] = summarise(self.measure(index, rng.choice(rows, count, replace=False)))
        return found

    @torch.no_grad()
    def measure(self, headset: int, rows: Indices) -> Measures:
        """Returns the measures of a headset on some rows, on the CPU."""
        parts = []
        with self.average.average_parameters():
            self.model.eval()
            for begin in range(0, len(rows), _VALIDATION_BATCH):
                batch = self.data.batch(rows[begin : begin + _VALIDATION_BATCH])
                with self._precision():
                    outputs = self.model(batch.planes, headset)
                parts.append([each.cpu() for each in measure(outputs, batch)])
            self.model.train()
        return Measures(*(torch.cat(columns) for columns in zip(*parts, strict=True)))

    @torch.no_grad()
    def values(self, headset: int, rows: Indices) -> NDArray[np.float32]:
        """Returns the values of a headset for some rows, [rows]."""
        parts = []
        with self.average.average_parameters():
            self.model.eval()
            for begin in range(0, len(rows), _VALIDATION_BATCH):
                batch = self.data.batch(rows[begin : begin + _VALIDATION_BATCH])
                with self._precision():
                    parts.append(self.model(batch.planes, headset).value.float().cpu().numpy())
            self.model.train()
        return np.concatenate(parts)

    def export(self) -> onnx.ModelProto:
        """Returns the averaged network as an ONNX model with its model card."""
        accuracy = "; ".join(
            f"{name}: top-1 {found['top1']:.3f}, winner {found['winner']:.3f} of {found['examples']:,}"
            for name, found in (self.metrics or {}).items()
        )
        taught = "".join(f" --teacher {folder.name}" for folder in self.teachers.runs)
        card = {
            "source": f"sparring train rbc --config {self.config.name}{taught}, step {self.step:,}",
            "licence": self.config.licence,
            "trained_on": self.config.about or "games of the user's own records",
            "accuracy": accuracy or "not measured",
        }
        with self.average.average_parameters():
            return export_synopsis_network(self.model, self.config, card)

    def _precision(self) -> AbstractContextManager[Any]:
        return torch.autocast("cuda", torch.bfloat16) if self.device.type == "cuda" else nullcontext()

    def _save(self) -> None:
        state = RbcCheckpoint(
            config=self.config,
            step=self.step,
            model=self.model.state_dict(),
            average=self.average.state,
            optimiser=self.optimiser.state_dict(),
            metrics=self.metrics,
        )
        write_checkpoint(self.folder, state)

    def _resume(self) -> None:
        if not (self.folder / CHECKPOINT).exists():
            return
        state = read_checkpoint(self.folder)
        if state.config != self.config:
            raise BadTrainingConfig(f"{self.folder} has a run of another configuration: give another --out")
        self.step, self.metrics = state.step, state.metrics
        self.model.load_state_dict(state.model)
        self.average.load(state.average)
        load_optimiser_state(self.optimiser, state.optimiser)


def open_run(folder: Path, device: str = "") -> RbcTrainer:
    """Opens a run as its checkpoint is, with the examples of its folder. Raises BadTrainingConfig."""
    config = read_checkpoint(folder).config
    return RbcTrainer(config, read_examples(folder / "examples"), folder, device)


def score(metrics: dict[str, Any]) -> float:
    """Returns how bad a validation is: nats of Top's actions and squared error of All's values. The planner
    plays with these two. Without held-out examples every validation is the best."""
    if ALL not in metrics or TOP not in metrics:
        return -math.inf
    return float(metrics[TOP]["nll"]) + float(metrics[ALL]["value_error"])


def summarise(measures: Measures) -> dict[str, float]:
    """Returns the means over the examples that have a target, and the number of examples."""
    means = {name: float(values.nanmean()) for name, values in measures._asdict().items()}
    return {"examples": len(measures.top1), **means}
