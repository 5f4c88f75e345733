"""Training a policy from people's games.

A run lives in a folder: `checkpoint.pt` to go on from, `metrics.jsonl` with a line for each measurement,
TensorBoard's files where it is installed, and `model.onnx` at the end. Killed at any moment, the same call
goes on from the last checkpoint; on a CPU it ends with the same weights as an unbroken run.
"""

from __future__ import annotations

import copy
import dataclasses
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

from sparring.disk import write_whole
from sparring.learn import checkpoints, processes
from sparring.learn.average import Average
from sparring.learn.captured import Captured
from sparring.learn.configuration import Configuration
from sparring.learn.export import export
from sparring.learn.feed import Fed, Feed, Place
from sparring.learn.journal import Journal, summary
from sparring.learn.layouts import layout_of
from sparring.learn.lessons import Lesson
from sparring.learn.memory import memory_of
from sparring.learn.model import People
from sparring.learn.objective import Losses, losses
from sparring.learn.optimisers import load_state, make_optimiser, set_rate, undo
from sparring.learn.schedule import rate_at
from sparring.learn.teachers import Teacher

_REPORT_EVERY = 20
"""Steps between reports to whoever watches, and between votes of several processes."""
_REPORT_AFTER = 1.0
"""Seconds after which there is one in any case."""


@dataclass(frozen=True)
class Progress:
    """What a run says of itself while it goes."""

    step: int
    steps: int
    loss: float
    accuracy: float
    """Of the likeliest move, in the last batch; and the loss likewise."""
    speed: float
    """Positions a second since the last report, of all processes together."""
    validation: dict[str, Any] | None
    """The newest measurement on the validation split, if there is one yet."""


Watch = Callable[[Progress], None]


class Run:
    """A training run in its folder. Raises BadConfiguration, BadTable, BadNetwork or OSError."""

    def __init__(
        self,
        config: Configuration,
        tables: Sequence[Path],
        folder: Path,
        *,
        device: str = "",
        compiled: bool = False,
        threads: int = 0,
    ) -> None:
        self.config, self.folder = config, folder
        self.rank, self.world, self.device = processes.join(device)
        torch.manual_seed(config.training.seed)
        self.model = People(config.network, layout_of(config)).to(self.device)
        if self.device.type == "cuda":
            torch.set_float32_matmul_precision("high")
            if config.network.kind == "residual":
                self.model = self.model.to(memory_format=torch.channels_last)  # type: ignore[call-overload]  # untold by its stubs
        self.average = Average(self.model, config.training.average)
        self.optimiser = make_optimiser(self.model, config.training)
        self.step, self.place = 0, Place()
        self.measured: dict[str, Any] | None = None
        self._resume()
        self.teachers = [Teacher(part, config, self.device) for part in config.teachers]
        self.feed = Feed(config, tables, self.device, self.teachers, (self.rank, self.world), threads)
        self.feed.check()
        if config.training.remember:
            memory = memory_of(tables, config.game, config.data.trial, self.device)
            self.feed = dataclasses.replace(self.feed, memory=memory)
        trained: nn.Module = self.model
        if self.world > 1:
            trained = DistributedDataParallel(trained)
        self._forward: Callable[..., Any] = torch.compile(trained) if compiled else trained
        self._captured: Captured | None = None
        self._stopping = False

    def stop(self) -> None:
        """Ends `train` after the step that is under way, with a checkpoint; from a signal's handler too."""
        self._stopping = True

    def train(self, watch: Watch = lambda progress: None, stop_at: float | None = None) -> bool:
        """Goes on to the last step, and says whether it came there.

        It also ends when the clock (`time.monotonic`) shows `stop_at`, or after `stop`.
        """
        part = self.config.training
        journal = Journal(self.folder, self.step) if self.rank == 0 else None
        self.prepare()
        started, seen = time.perf_counter(), 0
        loss = accuracy = speed = 0.0
        for fed in self.feed.training(self.place) if self.step < part.steps else ():
            outcome = self.descend(fed)
            seen += len(fed)
            ended, due = self.step == part.steps, self.step % part.validate_every == 0
            out_of_time = stop_at is not None and time.monotonic() > stop_at
            stopping = self._agreed(self._stopping or out_of_time)
            waited = time.perf_counter() - started > _REPORT_AFTER
            if self.step % _REPORT_EVERY == 0 or waited or ended or due or stopping:
                loss, accuracy = float(outcome.total), float(outcome.hits.float().mean())
                speed = seen * self.world / (time.perf_counter() - started)
                started, seen = time.perf_counter(), 0
                watch(Progress(self.step, part.steps, loss, accuracy, speed, self.measured))
            if ended or due or (stopping and not self._stopping):
                self._measure(loss, accuracy, journal)
                watch(Progress(self.step, part.steps, loss, accuracy, speed, self.measured))
            if ended or due or stopping:
                self._save()
                started, seen = time.perf_counter(), 0
            if ended or stopping:
                break
        finished = self.step == part.steps
        if self.rank == 0 and (finished or not self._stopping):
            write_whole(self.folder / "model.onnx", self.export().SerializeToString())
        return finished

    def prepare(self) -> None:
        """On a GPU, makes one launch of a step (and of each teacher) before another thread works there."""
        if self.device.type != "cuda" or self._captured is not None:
            return
        example = self.feed.example(self.place).lesson
        if self.world == 1:  # the processes' own exchange is not captured
            self._captured = Captured(self._step, example, self._remembered())

    def descend(self, fed: Fed) -> Losses:
        """One step down; on a GPU after `prepare`."""
        set_rate(self.optimiser, rate_at(self.step, self.config.training))
        self.average.prepare(self.step + 1)
        outcome: Losses = (self._captured or self._step)(*fed.lesson)
        self.step, self.place = self.step + 1, fed.place
        return outcome

    def validate(self) -> dict[str, Any]:
        """Accuracy and likelihood of the averaged weights on the validation split, and by group."""
        found: list[tuple[Any, ...]] = []
        with self.average.in_use(), torch.no_grad():
            self.model.eval()
            for lesson, ranked in self.feed.validation():
                with self._precision():
                    policy, result = self.model(lesson.planes, lesson.context)
                outcome = losses(policy, result, lesson, 0)
                counted = (lesson.played >= 0).cpu().numpy()
                columns = outcome.hits.cpu().numpy(), outcome.likelihoods.cpu().numpy(), ranked
                found.append(tuple(column[counted] for column in columns))
            self.model.train()
        hits, likelihoods, groups = map(np.concatenate, zip(*found, strict=True))
        return summary(hits, likelihoods, groups, self.config.game)

    def export(self) -> onnx.ModelProto:
        """The network as it is now, with its card."""
        trained_on = self.config.about or "games of the user's own records"
        if self.teachers:
            names = [f"{each.name} ({each.weight:g}, {each.licence})" for each in self.teachers]
            trained_on += f"; distilled from {', '.join(names)}"
        strict = any("AGPL" in teacher.licence for teacher in self.teachers)
        accuracy = "not measured"
        if (last := self.measured) is not None:
            accuracy = f"top-1 {last['top1']:.4f} on {last['positions']:,} validation positions"
        card = {
            "source": f"sparring train people --config {self.config.name}, step {self.step:,}",
            "licence": "AGPL-3.0-or-later" if strict else "GPL-3.0-or-later",
            "trained_on": trained_on,
            "accuracy": accuracy,
        }
        with self.average.in_use():
            return export(self.model, self.config, card)

    def _step(self, *tensors: torch.Tensor) -> Losses:
        """Forwards, backwards, down, and the average after it: all that a CUDA graph can hold."""
        part, lesson = self.config.training, Lesson(*tensors)
        self.optimiser.zero_grad(set_to_none=True)
        with self._precision():
            policy, result = self._forward(lesson.planes, lesson.context)
        outcome = losses(policy, result, lesson, part.value)
        outcome.total.backward()  # type: ignore[no-untyped-call]
        if part.clip:
            nn.utils.clip_grad_norm_(self.model.parameters(), part.clip)
        self.optimiser.step()
        self.average.follow()
        return Losses(outcome.total.detach(), outcome.hits, outcome.likelihoods)

    def _remembered(self) -> Callable[[], None]:
        """Brings weights, average and optimiser back to what they are now."""
        weights = copy.deepcopy(self.model.state_dict())
        average = copy.deepcopy(self.average.state)
        moments = copy.deepcopy(self.optimiser.state_dict()["state"])

        def restore() -> None:
            for name, tensor in self.model.state_dict().items():
                tensor.copy_(weights[name])
            self.average.load(average)
            undo(self.optimiser, moments)

        return restore

    def _precision(self) -> AbstractContextManager[Any]:
        return torch.autocast("cuda", torch.bfloat16) if self.device.type == "cuda" else nullcontext()

    def _agreed(self, stopping: bool) -> bool:
        """Whether to stop: processes that learn together only do so together, and ask now and then."""
        if self.world == 1:
            return stopping
        return self.step % _REPORT_EVERY == 0 and processes.any_of(stopping, self.device)

    def _measure(self, loss: float, accuracy: float, journal: Journal | None) -> None:
        """On the first process alone; the others wait for it with their next step."""
        if journal is not None:
            self.measured = self.validate()
            rate = rate_at(self.step, self.config.training)
            journal.write(
                {"step": self.step, "loss": loss, "train_top1": accuracy, "rate": rate, **self.measured}
            )

    def _save(self) -> None:
        if self.rank:
            return
        state = {
            "step": self.step,
            "place": (self.place.epoch, self.place.batch * self.world),
            "model": self.model.state_dict(),
            "average": self.average.state,
            "optimiser": self.optimiser.state_dict(),
            "measured": self.measured,
        }
        checkpoints.save(self.folder, self.config, state)

    def _resume(self) -> None:
        state = checkpoints.load(self.folder, self.config)
        if state is None:
            return
        epoch, batches = state["place"]
        self.step, self.place = state["step"], Place(epoch, batches // self.world)
        self.model.load_state_dict(state["model"])
        self.average.load(state["average"])
        load_state(self.optimiser, state["optimiser"])
        self.measured = state["measured"]
