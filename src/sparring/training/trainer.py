"""The trainer: one loop for every network that Sparring trains.

A `Task` gives model, batches, loss, validation and export; the trainer makes the optimiser steps, with
learning rate schedule, moving average, validations, checkpoints and several processes. The folder of a run
has `checkpoint.pt`, `metrics.jsonl` (a line per validation), TensorBoard files if TensorBoard is installed,
and at the end the network (`model.onnx`). A run that was killed resumes from its last checkpoint. On a CPU it
ends with the same weights as an uninterrupted run.
"""

from __future__ import annotations

import atexit
import dataclasses
import math
import os
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, TypedDict

import torch
from torch import distributed, nn
from torch.nn.parallel import DistributedDataParallel

from sparring.base.errors import BadConfig, BadFile
from sparring.base.storage import Journal, atomic_write, atomic_writer
from sparring.networks.torch_executor import GraphedCallable
from sparring.training.optimisers import (
    ExponentialMovingAverage,
    learning_rate_at,
    load_optimiser_state,
    make_optimiser,
    set_learning_rate,
    take_snapshot,
)
from sparring.training.task import StepLoss, Task, TaskBatch, TaskConfig, check_loss

_REPORT_EVERY = 20
"""Steps between progress reports, and between votes of several processes on stopping."""
_REPORT_AFTER = 1.0
"""Seconds after which progress is reported in any case."""
_EXTRAPOLATED_FROM = 0.01
"""Fraction of the time from which on the number of steps is extrapolated, if the time is limited."""
_TIMEOUT = timedelta(hours=2)
"""Of several processes. Long, because the other ranks wait while rank 0 validates or compiles."""
_CHECKPOINT = "checkpoint.pt"
_VERSION = 4


@dataclass(frozen=True)
class TrainingProgress:
    """Progress of a run."""

    step: int
    """Steps done."""
    steps: int
    """Steps of the whole run."""
    variant: int
    """Which of the task's losses the last batch had."""
    loss: float
    """Loss of the last batch."""
    figures: dict[str, float]
    """Further figures of the last batch, by name."""
    speed: float
    """Positions per second since the last report, of all processes together."""
    validation: dict[str, Any] | None
    """The last validation metrics, or None."""


ProgressCallback = Callable[[TrainingProgress], None]


class Trainer:
    """A training run. Resumes from the checkpoint of `folder` if there is one.

    `device` is `cpu`, `cuda` or `cuda:1`, empty for the best available; `compiled` uses torch.compile. With
    `seconds` the run ends after this time of training instead of the configuration's steps, and the learning
    rate follows the clock. Raises BadConfig, BadFile or OSError.
    """

    def __init__(
        self, task: Task, folder: Path, *, device: str = "", compiled: bool = False, seconds: float = 0.0
    ) -> None:
        self.task, self.folder = task, folder
        part = self.config.training
        self.rank, self.world_size, self.device = init_distributed(device)
        torch.manual_seed(part.seed)
        self.model = task.make_model().to(self.device)
        if self.device.type == "cuda":
            torch.set_float32_matmul_precision("high")
        convolves = any(isinstance(module, nn.Conv2d) for module in self.model.modules())
        if convolves and (self.device.type == "cuda" or part.bfloat16):
            self.model = self.model.to(memory_format=torch.channels_last)  # type: ignore[call-overload]  # missing in PyTorch's stubs
        self.average = ExponentialMovingAverage(self.model, part.ema_decay)
        self.optimiser = make_optimiser(self.model, part)
        self.step, self.cursor = 0, task.first_cursor
        self.metrics: dict[str, Any] | None = None
        self._seconds, self._spent = seconds, 0.0
        self._reached = 0
        """The latest stage of the task so far: extrapolated steps must not lead back."""
        self._resume()
        task.open(self.model, self.device, (self.rank, self.world_size))
        trained: nn.Module = self.model
        if self.world_size > 1:
            trained = DistributedDataParallel(trained)
        self._compiled, self._trained = compiled, trained
        self._forward: Callable[..., Any] = trained
        self._stage: int | None = None
        self._graphs: list[GraphedCallable] = []
        self._best_score = math.inf
        self._stopping = False

    @property
    def config(self) -> TaskConfig:
        """The task's configuration."""
        return self.task.config

    @property
    def steps(self) -> int:
        """Steps of the whole run; extrapolated from the steps so far if the time is limited."""
        done = self._spent / self._seconds if self._seconds else 0.0
        if done < _EXTRAPOLATED_FROM:
            return self.config.training.steps
        return max(self.step + 1, round(self.step / done))

    @property
    def finished(self) -> bool:
        """Whether the last step is done."""
        return self._spent >= self._seconds if self._seconds else self.step >= self.config.training.steps

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
        metrics_logger = MetricsLogger(self.folder, self.step) if self.rank == 0 else None
        if metrics_logger is not None:
            self._best_score = min(map(self._score, metrics_logger.entries), default=math.inf)
        stopping = False
        while not (self.finished or stopping):
            self.prepare()
            began, reported, seen = time.perf_counter() - self._spent, time.perf_counter(), 0
            batches = self.task.batches(self.cursor)
            for batch in batches:
                outcome = self.train_step(batch)
                seen += len(batch)
                self._spent = time.perf_counter() - began
                ended, due = self.finished, self.step % self.config.training.validate_every == 0
                out_of_time = stop_at is not None and time.monotonic() > stop_at
                stopping = self._agreed(self._stopping or out_of_time)
                waited = time.perf_counter() - reported > _REPORT_AFTER
                if self.step % _REPORT_EVERY == 0 or waited or ended or due or stopping:
                    progress = self._progress(batch, outcome, seen, reported)
                    on_progress(progress)
                    if ended or due or (stopping and not self._stopping):
                        if metrics_logger is not None:  # the other ranks wait in their next step
                            self._measure(progress, metrics_logger)
                        on_progress(dataclasses.replace(progress, validation=self.metrics))
                    stopping = stopping or (self._stopping and self.world_size == 1)
                    if ended or due or stopping:
                        self._save()
                    reported, seen = time.perf_counter(), 0
                if ended or stopping or self._current_stage != self._stage:
                    break
            batches.close()
        if self.rank == 0 and (self.finished or not self._stopping):
            atomic_write(self.folder / self.task.output, self._final_network())
        return self.finished

    def prepare(self) -> None:
        """Begins the present stage of the task. On a GPU, captures the step of each variant of the loss as a
        CUDA graph before a loader's thread starts."""
        if self._current_stage == self._stage:
            return
        self._stage = self._reached = self._current_stage
        self.task.enter(self._stage, self.cursor)
        self._graphs.clear()
        self._forward = torch.compile(self._trained) if self._compiled else self._trained
        if self.device.type != "cuda":
            return
        example = self.task.example(self.cursor)
        if self.world_size > 1:  # gradient exchange between processes is not captured
            return
        for variant in range(self.task.variants):
            restore = take_snapshot(self.model, self.average, self.optimiser)
            shared = self._graphs[0] if self._graphs else None
            self._graphs.append(GraphedCallable(self._bound(variant), example.tensors, restore, shared))

    def train_step(self, batch: TaskBatch) -> StepLoss:
        """Makes one optimiser step and returns its loss. On a GPU, call `prepare` first."""
        part = self._schedule
        set_learning_rate(self.optimiser, learning_rate_at(self.step, part))
        self.average.prepare(self.step + 1)
        torch.manual_seed(part.seed * 1_000_003 + self.step)  # for dropout
        step = self._graphs[batch.variant] if self._graphs else self._bound(batch.variant)
        outcome: StepLoss = step(*batch.tensors)
        self.step, self.cursor = self.step + 1, batch.cursor
        return outcome

    def validate(self) -> dict[str, Any]:
        """Returns the task's metrics of the averaged weights."""
        with self.averaged_model() as model, torch.no_grad(), self.precision():
            return self.task.validate(model, self.step)

    @contextmanager
    def averaged_model(self) -> Iterator[nn.Module]:
        """Context manager that gives the model with its averaged weights, in evaluation mode."""
        with self.average.average_parameters():
            try:
                yield self.model.eval()
            finally:
                self.model.train()

    def export(self) -> bytes:
        """Returns the file of the averaged network."""
        with self.averaged_model() as model:
            return self.task.export(model, self.metrics, self.step)

    @property
    def _schedule(self) -> Any:
        part = self.config.training
        return dataclasses.replace(part, steps=self.steps) if self._seconds else part

    @property
    def _current_stage(self) -> int:
        return max(self._reached, self.task.stage(self.step / self.steps))

    def _bound(self, variant: int) -> Callable[..., StepLoss]:
        return lambda *tensors: self._step(variant, *tensors)

    def _step(self, variant: int, *tensors: torch.Tensor) -> StepLoss:
        """Forward pass, backward pass, optimiser step and EMA update: the part that is captured as a CUDA
        graph."""
        part = self.config.training
        self.optimiser.zero_grad(set_to_none=True)
        with self.precision():
            loss = self.task.loss(self._forward, TaskBatch(tensors, None, variant))
        loss.total.backward()  # type: ignore[no-untyped-call]
        if part.max_grad_norm:
            nn.utils.clip_grad_norm_(self.model.parameters(), part.max_grad_norm)
        self.optimiser.step()
        self.average.update()
        return StepLoss(loss.total.detach(), {name: figure.detach() for name, figure in loss.figures.items()})

    def precision(self) -> AbstractContextManager[Any]:
        """Returns the context of forward passes: bfloat16 on a GPU, and where the configuration says so."""
        if self.device.type == "cuda" or self.config.training.bfloat16:
            return torch.autocast(self.device.type, torch.bfloat16)
        return nullcontext()

    def _agreed(self, stopping: bool) -> bool:
        """Returns True if all processes should stop. Several processes vote every `_REPORT_EVERY` steps."""
        if self.world_size == 1:
            return stopping
        return self.step % _REPORT_EVERY == 0 and any_rank(stopping, self.device)

    def _progress(self, batch: TaskBatch, outcome: StepLoss, seen: int, reported: float) -> TrainingProgress:
        """Returns the progress after a step, with the speed since `reported`. Raises TrainingDiverged."""
        loss = float(outcome.total)  # waits for a GPU: only then are the steps done whose speed is meant
        speed = seen * self.world_size / (time.perf_counter() - reported)
        check_loss(loss, f"step {self.step:,}", self.folder)
        figures = {name: float(value) for name, value in outcome.figures.items()}
        return TrainingProgress(self.step, self.steps, batch.variant, loss, figures, speed, self.metrics)

    def _measure(self, progress: TrainingProgress, metrics_logger: MetricsLogger) -> None:
        """Validates, logs, and keeps the network if it is the best so far."""
        self.metrics = self.validate()
        score = self.task.score(self.metrics)
        if score is not None and score <= self._best_score:
            self._best_score = score
            atomic_write(self._best, self.export())
        rate = learning_rate_at(self.step, self._schedule)
        entry = {"step": self.step, "loss": progress.loss, **progress.figures, "rate": rate}
        metrics_logger.write({**entry, **self.metrics})

    def _score(self, metrics: dict[str, Any]) -> float:
        score = self.task.score(metrics)
        return math.inf if score is None else score

    @property
    def _best(self) -> Path:
        """The network of the best validation so far, where the task compares them."""
        return (self.folder / self.task.output).with_stem("best")

    def _final_network(self) -> bytes:
        kept = self.metrics is not None and self.task.score(self.metrics) is not None and self._best.exists()
        return self._best.read_bytes() if kept else self.export()

    def _save(self) -> None:
        if self.rank:
            return
        if not all(bool(tensor.isfinite().all()) for tensor in self.model.parameters()):
            check_loss(math.nan, f"step {self.step:,}", self.folder)  # that of the next step
        state = {
            "step": self.step,
            "seconds": self._spent,
            "stage": self._reached,
            "cursor": self.task.save_cursor(self.cursor, self.world_size),
            "model": self.model.state_dict(),
            "average": self.average.state,
            "optimiser": self.optimiser.state_dict(),
            "metrics": self.metrics,
            "task_state": self.task.state(),
        }
        save_checkpoint(self.folder, self.task, state)

    def _resume(self) -> None:
        state = load_checkpoint(self.folder, self.task)
        if state is None:
            return
        self.step, self._spent, self.metrics = state["step"], state["seconds"], state["metrics"]
        self._reached = state["stage"]
        self.cursor = self.task.load_cursor(state["cursor"], self.world_size)
        self.model.load_state_dict(state["model"])
        self.average.load(state["average"])
        load_optimiser_state(self.optimiser, state["optimiser"])
        self.task.load_state(state["task_state"], self.model)


# Checkpoints. They are written atomically.


def save_checkpoint(folder: Path, task: Task, state: dict[str, Any]) -> None:
    """Writes the checkpoint of a run, in place of the last one. `state` has tensors and plain values."""
    header = {"version": _VERSION, "task": task.name, "config": task.config.as_dict(), **task.versions()}
    with atomic_writer(folder / _CHECKPOINT) as part, part.open("wb") as file:
        torch.save({**header, **state}, file)


def read_checkpoint(folder: Path) -> dict[str, Any] | None:
    """Returns the content of the folder's checkpoint, or None if there is none.

    Raises BadConfig if the file is broken or of another version.
    """
    path = folder / _CHECKPOINT
    if not path.exists():
        return None
    try:
        state: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
        version, _ = state["version"], state["config"]
    except Exception as error:  # torch.load raises many types for a broken file
        raise BadConfig(f"{path} is not a checkpoint ({type(error).__name__})") from None
    if version != _VERSION:
        raise BadConfig(
            f"{path} has version {version}; this version of Sparring resumes version {_VERSION}: "
            "give another --out"
        )
    return state


def load_checkpoint(folder: Path, task: Task) -> dict[str, Any] | None:
    """Returns the content of a checkpoint of this task and configuration, or None if there is none.

    Raises BadConfig, also if the checkpoint is of another task or configuration.
    """
    state, path = read_checkpoint(folder), folder / _CHECKPOINT
    if state is None:
        return None
    if state["task"] != task.name:
        raise BadConfig(
            f"{path} is of `sparring train {state['task']}`, not of `sparring train {task.name}`: "
            "give another --out"
        )
    try:
        task.check_versions(state)
    except BadFile as error:
        raise BadConfig(f"{path}: {error}: give another --out") from None
    ours, theirs = _flat(task.config.as_dict()), _flat(state["config"])
    different = [
        key for key in ours | theirs if key not in ours or key not in theirs or ours[key] != theirs[key]
    ]
    if different:
        raise BadConfig(
            f"{path} is of another configuration (different: {', '.join(different[:4])}): "
            "give another --out, or the same configuration"
        )
    return state


def _flat(entries: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Flattens nested tables: keys become paths such as network.width."""
    flat: dict[str, Any] = {}
    for key, value in entries.items():
        flat |= _flat(value, f"{prefix}{key}.") if isinstance(value, dict) else {f"{prefix}{key}": value}
    return flat


# Metrics: `metrics.jsonl`, and TensorBoard files if TensorBoard is installed.


class _Metrics(TypedDict):
    step: float


def read_metrics(folder: Path) -> list[dict[str, Any]]:
    """Returns the lines of a run's `metrics.jsonl`."""
    return list(Journal(folder / "metrics.jsonl", lenient=True, kind=_Metrics).entries)


class MetricsLogger:
    """Appends metrics to the files of a run.

    Lines after `step` are dropped: the resumed run writes them again.
    """

    def __init__(self, folder: Path, step: int) -> None:
        # A lost line does no harm.
        self._lines = Journal(folder / "metrics.jsonl", lenient=True, kind=_Metrics)
        self._lines.keep(lambda entries: float(entries["step"]) <= step)
        self._board = _tensorboard(folder, step)

    @property
    def entries(self) -> list[dict[str, Any]]:
        """The lines that the run has."""
        return list(self._lines.entries)

    def write(self, entries: dict[str, Any]) -> None:
        """Appends one set of metrics; `entries` has a key `step`. TensorBoard shows the numbers among
        them."""
        self._lines.add(entries)
        if self._board is not None:
            for name, value in entries.items():
                if isinstance(value, float):
                    self._board.add_scalar(name, value, entries["step"])
            self._board.flush()


def _tensorboard(folder: Path, step: int) -> Any:
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        return None
    return SummaryWriter(str(folder), purge_step=step + 1)


# Distributed training: processes started by torchrun, one batch each per step.


def init_distributed(device_name: str = "") -> tuple[int, int, torch.device]:
    """Joins the process group, if there is one. Returns the rank, the world size and the device.

    `device_name` is `cpu`, `cuda` or `cuda:1`; empty for the best available. Raises BadConfig.
    """
    rank, world_size = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))
    device = _device(device_name)
    if device.type == "cuda":
        torch.cuda.set_device(device)
    if world_size > 1 and not distributed.is_initialized():
        distributed.init_process_group("nccl" if device.type == "cuda" else "gloo", timeout=_TIMEOUT)
        atexit.register(distributed.destroy_process_group)
    return rank, world_size, device


def any_rank(answer: bool, device: torch.device) -> bool:
    """Returns True on all ranks if `answer` is True on any."""
    votes = torch.tensor(float(answer), device=device)
    distributed.all_reduce(votes, op=distributed.ReduceOp.MAX)
    return bool(votes)


def _device(name: str) -> torch.device:
    """Returns the named device, or the best available; with several GPUs the one of LOCAL_RANK."""
    try:
        device = torch.device(name or ("cuda" if torch.cuda.is_available() else "cpu"))
    except RuntimeError:
        raise BadConfig(f"there is no device '{name}'; cpu, cuda and cuda:1 are such names") from None
    if device.type not in ("cpu", "cuda"):
        raise BadConfig(f"training runs on cpu or cuda, not on '{name}'")
    if device.type == "cpu":
        return device
    number = int(os.environ.get("LOCAL_RANK", 0)) if device.index is None else device.index
    if not torch.cuda.is_available() or number >= torch.cuda.device_count():
        raise BadConfig(
            f"there is no device '{name or device}': PyTorch sees {torch.cuda.device_count()} GPUs"
        )
    return torch.device("cuda", number)
