"""Trains a student for a number of seconds on fresh positions and on recorded ones.

    python -m studies.student.train --data FOLDER --out FOLDER --name NAME --seconds 800 ...

The data folder has games.xz (`pack_games`), maia3.npz (`maia3_weights`) and libpool.so (`build_pool.sh`).
In fresh positions the teacher's policy is the target, and the next move is sampled from it. In recorded
positions the target is a mixture of the teacher's policy and the move played. The learning rate depends on
the time, so a run ends in time on every machine. It writes NAME.jsonl (measurements) and NAME.pt (a
checkpoint for `export`).
"""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from studies.student.batches import Batch, BatchSource
from studies.student.blocks import Block, Shape
from studies.student.network import (
    Student,
    deepened,
    encode_context,
    load_student,
    policy_columns,
    quantise,
    save_student,
)
from studies.student.optimiser import Muon
from studies.student.options import Options, parse_options
from studies.student.positions import (
    Pool,
    Positions,
    Records,
    load_library,
    policy_moves,
    read_games,
    student_tokens,
)
from studies.student.t1 import Encoder
from studies.student.teacher import Teacher, log_policy

_MASKED = 0.04
"""Probability of masking ratings, clock and history, each separately."""


def loss_of(policy: Tensor, value: Tensor, batch: Batch, value_weight: float) -> Tensor:
    """Cross-entropy of the policy, plus the weighted cross-entropy of the value."""
    log_value = value.float().log_softmax(1)
    policy_loss = -(batch.policy * log_policy(policy, batch.positions.legal)).sum(1).mean()
    return policy_loss - value_weight * (batch.value * log_value).sum(1).mean()


class Sources:
    """Records, teacher and batches. Several runs may share them (`train_sizes`)."""

    def __init__(self, options: Options) -> None:
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        torch.manual_seed(options.seed)
        library = load_library(options.data / "libpool.so")
        self.moves = policy_moves(library)
        games = read_games(options.data / "games.xz", options.games)
        self.records = Records(games, library, options.threads, self.device)
        self.teacher = Teacher(options.data / options.teacher, self.moves, self.device)
        size = max(1, round(options.batch * max(options.fresh, options.finish_fresh)))
        pool = Pool(
            library, self.records, options.groups, size,
            threads=options.threads, seed=options.seed, device=self.device,
        )  # fmt: skip
        player = Teacher(options.data / options.player, self.moves, self.device) if options.player else None
        self.batches = BatchSource(options, self.records, pool, self.teacher, player)
        if self.device.type == "cuda":
            _compile()


class Trainer:
    """One training run."""

    def __init__(self, options: Options, sources: Sources | None = None) -> None:
        sources = sources or Sources(options)
        self._options, self._device, self._source = options, sources.device, sources.batches
        self._records, self._teacher = sources.records, sources.teacher
        torch.manual_seed(options.seed)
        shape = Shape(layers=options.layers, width=options.width, hidden=2 * options.width)
        self.student = (
            load_student(Path(options.init), self._device)[0]
            if options.init
            else Student(shape, policy_columns(sources.moves)).to(self._device)
        )
        if self.student.shape.layers < options.layers:
            self.student = deepened(self.student, options.layers)
        if not options.conditioned:
            self.student.ignore_context()
        self._optimiser = Muon(self.student, options.decay)
        self._average = {name: p.detach().clone() for name, p in self.student.named_parameters()}
        self._loss = 0.0
        order = torch.randperm(len(self._records.validation), generator=torch.Generator().manual_seed(0))
        whole = max(1, options.validation // options.batch) * options.batch
        self._validation = self._records.validation[order[:whole].to(self._device)]

    def train(self) -> None:
        """Trains until the time is over; measurements and compilation count only with `end`."""
        o = self._options
        if o.bits8 == "start":
            self._quantise()
        self.measure(0, 0.0)
        self.step(0, finishing=False)  # compiles; its learning rate is 0
        began, pauses, step, finishing = time.time(), 0.0, 0, False
        seconds = max(1.0, o.end - began) if o.end else o.seconds
        marks = [(i + 1) / o.points for i in range(o.points)]
        while marks:
            part = (time.time() - began - (0.0 if o.end else pauses)) / seconds
            if o.positions:
                part = step * o.batch / o.positions
            pause = time.time()
            if part >= marks[0]:
                marks.pop(0)
                self._synchronise()
                self.measure(step, time.time() - began - pauses)
                pauses += time.time() - pause
                continue
            if not finishing and o.finish and part >= 1 - o.finish:
                finishing = True
                if o.bits8 == "finish":
                    self._quantise()
                    self._optimiser.set_rate(0.0)
                    self.step(0, finishing=True)  # compiles again
                    self._synchronise()
                    pauses += time.time() - pause
            self.set_rate(min(part, 1.0))
            loss = self.step(step, finishing)
            step += 1
            if step % 8 == 0:  # keeps the host near the device, so that the time is right
                self._loss = loss.item()
        self.save()

    def step(self, step: int, finishing: bool) -> Tensor:
        """One optimiser step on the next batch. Returns the loss."""
        return self.learn(self._source.batch(step % self._options.groups, finishing), step)

    def learn(self, batch: Batch, step: int) -> Tensor:
        """One optimiser step. Returns the loss."""
        with self._autocast():
            policy, value = self.student(*self._inputs(batch.positions, masked=_MASKED))
        loss = loss_of(policy, value, batch, self._options.value_weight)
        loss.backward()  # type: ignore[no-untyped-call]
        self._optimiser.step()
        decay = min(self._options.average, (1 + step) / (10 + step))
        with torch.no_grad():
            for name, p in self.student.named_parameters():
                self._average[name].lerp_(p, 1 - decay)
        return loss.detach()

    def save(self) -> None:
        """Writes the checkpoint with the averaged weights."""
        o = self._options
        options = {field.name: str(getattr(o, field.name)) for field in fields(o)}
        save_student(o.out / f"{o.name}.pt", self.student, self._average, options)

    def set_rate(self, part: float) -> None:
        """Sets the learning rate after a part (0 to 1) of the training."""
        o = self._options
        falling = o.rate if part < o.flat else o.rate * max(0.01, (1 - part) / (1 - o.flat))
        self._optimiser.set_rate(o.rate * part / o.warm if part < o.warm else falling)

    def _inputs(self, p: Positions, masked: float) -> tuple[Tensor, Tensor]:
        """The student's inputs; ratings, clock and history are masked with a probability."""
        shown = torch.rand((3, len(p.clock)), device=self._device) >= masked
        shown[:2] &= bool(self._options.conditioned)
        ratings_known = shown[0][:, None] & (p.ratings >= 0)
        clock_known = shown[1] & (p.clock >= 0)
        context = encode_context(p.ratings, ratings_known.float(), p.clock.clamp(min=0), clock_known.float())
        dtype = torch.bfloat16 if self._device.type == "cuda" else torch.float32
        return student_tokens(p, shown[2], dtype), context

    def _quantise(self) -> None:
        """Quantises the blocks' layers, with input ranges of recorded positions."""
        n = min(2048, self._options.batch)
        indices = torch.randint(len(self._records.train), (n,), device=self._device)
        positions = self._records.positions(self._records.train[indices])
        with _uncompiled(), torch.no_grad(), self._autocast():
            quantise(self.student, *self._inputs(positions, masked=0.0))

    def _autocast(self) -> contextlib.AbstractContextManager[Any]:
        cuda = self._device.type == "cuda"
        return torch.autocast("cuda", torch.bfloat16) if cuda else contextlib.nullcontext()

    def _synchronise(self) -> None:
        if self._device.type == "cuda":
            torch.cuda.synchronize()

    @contextlib.contextmanager
    def _averaged(self) -> Iterator[None]:
        """The student with its averaged weights."""
        own = {name: p.detach().clone() for name, p in self.student.named_parameters()}
        with torch.no_grad():
            for name, p in self.student.named_parameters():
                p.copy_(self._average[name])
        yield
        with torch.no_grad():
            for name, p in self.student.named_parameters():
                p.copy_(own[name])

    @torch.no_grad()
    def measure(self, step: int, seconds: float) -> None:
        """Appends a line: top-1, nats a move and divergence from the teacher, means of the rating groups."""
        o, parts = self._options, []
        with self._averaged():
            for indices in torch.split(self._validation, o.batch):
                p, played = self._records.positions(indices), self._records.played(indices)[:, None]
                theirs, results = self._teacher(p)
                with self._autocast():
                    policy, value = self.student(*self._inputs(p, masked=0.0))
                ours = log_policy(policy, p.legal)
                kl = (theirs.exp() * (theirs - ours)).sum(1)
                log_value, expected = value.float().log_softmax(1), (results[:, 0] - results[:, 2])
                value_kl = (results * (results.clamp(min=1e-9).log() - log_value)).sum(1)
                value_error = (log_value[:, 0].exp() - log_value[:, 2].exp() - expected).abs() / 2
                agreed = (ours.argmax(1) == theirs.argmax(1)).float()
                columns = [kl, agreed, value_kl, value_error]
                for said in (ours, theirs):
                    columns += [(said.argmax(1) == played[:, 0]).float(), -said.gather(1, played)[:, 0]]
                parts.append(torch.stack(columns))
        values, group = torch.cat(parts, 1), self._records.group[self._validation]
        of_groups = {int(g): values[:, group == g].mean(1) for g in torch.unique(group)}
        means = torch.stack(list(of_groups.values())).mean(0).tolist()
        names = ("kl", "agreed", "value_kl", "value_error", "top1", "nats", "teacher_top1", "teacher_nats")
        line = {
            "step": step,
            "seconds": round(seconds, 1),
            "positions": step * o.batch,
            "parameters": sum(p.numel() for p in self.student.parameters()),
            "loss": self._loss,
            **dict(zip(names, means, strict=True)),
            "by_group": {g: [round(x, 4) for x in each[4:6].tolist()] for g, each in of_groups.items()},
        }
        print(json.dumps(line), flush=True)
        with (o.out / f"{o.name}.jsonl").open("a") as file:
            file.write(json.dumps(line) + "\n")
        self.save()


_PLAIN_FORWARD = Block.forward


def _compile() -> None:
    """Compiles the blocks, once for all."""
    torch.set_float32_matmul_precision("high")
    torch._dynamo.config.recompile_limit = 64  # each size and each mode is compiled
    Encoder.forward = torch.compile(Encoder.forward, dynamic=False)  # type: ignore[method-assign]
    Block.forward = torch.compile(_PLAIN_FORWARD, dynamic=False)  # type: ignore[method-assign]


@contextlib.contextmanager
def _uncompiled() -> Iterator[None]:
    """Blocks without compilation: hooks do not run in compiled ones."""
    compiled = Block.forward
    Block.forward = _PLAIN_FORWARD  # type: ignore[method-assign]
    yield
    Block.forward = compiled  # type: ignore[method-assign]


def main() -> None:
    """Runs the command."""
    options = parse_options(__doc__ or "")
    options.out.mkdir(parents=True, exist_ok=True)
    Trainer(options).train()


if __name__ == "__main__":
    main()
