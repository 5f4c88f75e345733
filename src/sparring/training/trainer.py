"""Training of policy and value networks on recorded games, optionally with teachers (distillation).

The folder of a run has `checkpoint.pt`, `metrics.jsonl` (a line per validation), TensorBoard files if
TensorBoard is installed, and at the end `model.onnx`. A run that was killed resumes from its last
checkpoint. On a CPU it ends with the same weights as an uninterrupted run.
"""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from sparring.networks.graphed_callable import GraphedCallable
from sparring.storage import atomic_write
from sparring.training import checkpoints, distributed
from sparring.training.config import TrainingConfig
from sparring.training.divergence import check_loss
from sparring.training.ema import ExponentialMovingAverage
from sparring.training.export import export
from sparring.training.layouts import layout_of
from sparring.training.loader import Cursor, PrefetchedBatch, RecordLoader
from sparring.training.loss import Losses, losses
from sparring.training.metrics import MetricsLogger, summary
from sparring.training.model import PolicyValueNetwork
from sparring.training.optimisers import (
    learning_rate_at,
    load_optimiser_state,
    make_optimiser,
    set_learning_rate,
)
from sparring.training.snapshot import take_snapshot
from sparring.training.teacher_cache import make_teacher_cache
from sparring.training.teachers import Teacher
from sparring.training.training_batch import TrainingBatch

_REPORT_EVERY = 20
"""Steps between progress reports, and between votes of several processes on stopping."""
_REPORT_AFTER = 1.0
"""Seconds after which progress is reported in any case."""


@dataclass(frozen=True)
class TrainingProgress:
    """Progress of a run."""

    step: int
    """Steps done."""
    steps: int
    """Steps of the whole run."""
    loss: float
    """Loss of the last batch."""
    accuracy: float
    """Top-1 accuracy in the last batch."""
    speed: float
    """Positions per second since the last report, of all processes together."""
    validation: dict[str, Any] | None
    """The last validation metrics, or None."""


ProgressCallback = Callable[[TrainingProgress], None]


class Trainer:
    """A training run. Resumes from the checkpoint of `folder` if there is one.

    `tables` are folders of game records. `device` is `cpu`, `cuda` or `cuda:1`, empty for the best available;
    `compiled` uses torch.compile; `threads` read records (0 for all cores). Raises BadTrainingConfig,
    BadTable, BadNetwork or OSError.
    """

    def __init__(
        self,
        config: TrainingConfig,
        tables: Sequence[Path],
        folder: Path,
        *,
        device: str = "",
        compiled: bool = False,
        threads: int = 0,
    ) -> None:
        self.config, self.folder = config, folder
        self.rank, self.world_size, self.device = distributed.init_distributed(device)
        torch.manual_seed(config.training.seed)
        self.model = PolicyValueNetwork(config.network, layout_of(config)).to(self.device)
        if self.device.type == "cuda":
            torch.set_float32_matmul_precision("high")
            if config.network.kind == "residual":
                self.model = self.model.to(memory_format=torch.channels_last)  # type: ignore[call-overload]  # missing in PyTorch's stubs
        self.average = ExponentialMovingAverage(self.model, config.training.ema_decay)
        self.optimiser = make_optimiser(self.model, config.training)
        self.step, self.cursor = 0, Cursor()
        self.metrics: dict[str, Any] | None = None
        self._resume()
        self.teachers = [Teacher(part, config, self.device) for part in config.teachers]
        self.loader = RecordLoader(
            config, tables, self.device, self.teachers, (self.rank, self.world_size), threads
        )
        self.loader.check()
        if config.training.cache_teachers:
            teacher_cache = make_teacher_cache(tables, config.game, config.data.trial, self.device)
            self.loader = dataclasses.replace(self.loader, teacher_cache=teacher_cache)
        trained: nn.Module = self.model
        if self.world_size > 1:
            trained = DistributedDataParallel(trained)
        self._forward: Callable[..., Any] = torch.compile(trained) if compiled else trained
        self._graphed_step: GraphedCallable | None = None
        self._stopping = False

    def stop(self) -> None:
        """Ends `train` after the current step, with a checkpoint. May be called from a signal handler."""
        self._stopping = True

    def train(
        self, on_progress: ProgressCallback = lambda progress: None, stop_at: float | None = None
    ) -> bool:
        """Trains up to the last step, with validations and checkpoints. Returns True if it was reached.

        Also ends at time `stop_at` (of `time.monotonic`), or after `stop`. `on_progress` is called regularly.
        Raises TrainingDiverged if the loss or the weights are no finite numbers any more.
        """
        part = self.config.training
        metrics_logger = MetricsLogger(self.folder, self.step) if self.rank == 0 else None
        self.prepare()
        started, seen = time.perf_counter(), 0
        loss = accuracy = speed = 0.0
        for prefetched in self.loader.training(self.cursor) if self.step < part.steps else ():
            outcome = self.train_step(prefetched)
            seen += len(prefetched)
            ended, due = self.step == part.steps, self.step % part.validate_every == 0
            out_of_time = stop_at is not None and time.monotonic() > stop_at
            stopping = self._agreed(self._stopping or out_of_time)
            waited = time.perf_counter() - started > _REPORT_AFTER
            if self.step % _REPORT_EVERY == 0 or waited or ended or due or stopping:
                loss, accuracy = float(outcome.total), float(outcome.hits.float().mean())
                check_loss(loss, f"step {self.step:,}", self.folder)
                speed = seen * self.world_size / (time.perf_counter() - started)
                started, seen = time.perf_counter(), 0
                on_progress(TrainingProgress(self.step, part.steps, loss, accuracy, speed, self.metrics))
            if ended or due or (stopping and not self._stopping):
                self._measure(loss, accuracy, metrics_logger)
                on_progress(TrainingProgress(self.step, part.steps, loss, accuracy, speed, self.metrics))
            if ended or due or stopping:
                self._save()
                started, seen = time.perf_counter(), 0
            if ended or stopping:
                break
        finished = self.step == part.steps
        if self.rank == 0 and (finished or not self._stopping):
            atomic_write(self.folder / "model.onnx", self.export().SerializeToString())
        return finished

    def prepare(self) -> None:
        """On a GPU, captures the training step (and each teacher) as a CUDA graph before the loader's thread
        starts."""
        if self.device.type != "cuda" or self._graphed_step is not None:
            return
        example = self.loader.example(self.cursor).minibatch
        if self.world_size == 1:  # gradient exchange between processes is not captured
            self._graphed_step = GraphedCallable(
                self._step, example, take_snapshot(self.model, self.average, self.optimiser)
            )

    def train_step(self, prefetched: PrefetchedBatch) -> Losses:
        """Makes one optimiser step and returns its losses. On a GPU, call `prepare` first."""
        set_learning_rate(self.optimiser, learning_rate_at(self.step, self.config.training))
        self.average.prepare(self.step + 1)
        outcome: Losses = (self._graphed_step or self._step)(*prefetched.minibatch)
        self.step, self.cursor = self.step + 1, prefetched.cursor
        return outcome

    def validate(self) -> dict[str, Any]:
        """Returns the metrics of the averaged weights on the validation split, overall and by rating
        group."""
        found: list[tuple[Any, ...]] = []
        with self.average.average_parameters(), torch.no_grad():
            self.model.eval()
            for minibatch, ranked in self.loader.validation():
                with self._precision():
                    policy, result = self.model(minibatch.planes, minibatch.context)
                outcome = losses(policy, result, minibatch, 0)
                counted = (minibatch.played >= 0).cpu().numpy()
                columns = outcome.hits.cpu().numpy(), outcome.nll.cpu().numpy(), ranked
                found.append(tuple(column[counted] for column in columns))
            self.model.train()
        hits, nll, groups = map(np.concatenate, zip(*found, strict=True))
        return summary(hits, nll, groups, self.config.game)

    def export(self) -> onnx.ModelProto:
        """Returns the averaged network as an ONNX model with its model card.

        The card names the teachers with their licences. The licence of the network is for its maker to state.
        """
        accuracy = "not measured"
        if (last := self.metrics) is not None:
            accuracy = f"top-1 {last['top1']:.4f} on {last['positions']:,} validation positions"
        card = {
            "source": f"sparring train people --config {self.config.name}, step {self.step:,}",
            "teachers": ", ".join(
                f"{each.name} (weight {each.weight:g}; licence {each.licence})" for each in self.teachers
            ),
            "trained_on": self.config.about or "games of the user's own records",
            "accuracy": accuracy,
        }
        with self.average.average_parameters():
            return export(self.model, self.config, card)

    def _step(self, *tensors: torch.Tensor) -> Losses:
        """Forward pass, backward pass, optimiser step and EMA update: the part that is captured as a CUDA
        graph."""
        part, minibatch = self.config.training, TrainingBatch(*tensors)
        self.optimiser.zero_grad(set_to_none=True)
        with self._precision():
            policy, result = self._forward(minibatch.planes, minibatch.context)
        outcome = losses(policy, result, minibatch, part.value_weight)
        outcome.total.backward()  # type: ignore[no-untyped-call]
        if part.max_grad_norm:
            nn.utils.clip_grad_norm_(self.model.parameters(), part.max_grad_norm)
        self.optimiser.step()
        self.average.update()
        return Losses(outcome.total.detach(), outcome.hits, outcome.nll)

    def _precision(self) -> AbstractContextManager[Any]:
        return torch.autocast("cuda", torch.bfloat16) if self.device.type == "cuda" else nullcontext()

    def _agreed(self, stopping: bool) -> bool:
        """Returns True if all processes should stop. Several processes vote every `_REPORT_EVERY` steps."""
        if self.world_size == 1:
            return stopping
        return self.step % _REPORT_EVERY == 0 and distributed.any_rank(stopping, self.device)

    def _measure(self, loss: float, accuracy: float, metrics_logger: MetricsLogger | None) -> None:
        """Validates and logs on rank 0; the other ranks wait in their next step."""
        if metrics_logger is not None:
            self.metrics = self.validate()
            learning_rate = learning_rate_at(self.step, self.config.training)
            metrics_logger.write(
                {
                    "step": self.step,
                    "loss": loss,
                    "train_top1": accuracy,
                    "rate": learning_rate,
                    **self.metrics,
                }
            )

    def _save(self) -> None:
        if self.rank:
            return
        if not all(bool(tensor.isfinite().all()) for tensor in self.model.parameters()):
            check_loss(math.nan, f"step {self.step:,}", self.folder)  # that of the next step
        state = {
            "step": self.step,
            "cursor": (self.cursor.epoch, self.cursor.batch * self.world_size),
            "model": self.model.state_dict(),
            "average": self.average.state,
            "optimiser": self.optimiser.state_dict(),
            "measured": self.metrics,
        }
        checkpoints.save(self.folder, self.config, state)

    def _resume(self) -> None:
        state = checkpoints.load(self.folder, self.config)
        if state is None:
            return
        epoch, batches = state["cursor"]
        self.step, self.cursor = state["step"], Cursor(epoch, batches // self.world_size)
        self.model.load_state_dict(state["model"])
        self.average.load(state["average"])
        load_optimiser_state(self.optimiser, state["optimiser"])
        self.metrics = state["measured"]
