"""Training a policy from people's games.

A run lives in a folder: `checkpoint.pt` to go on from, `metrics.jsonl` with a line for each measurement,
TensorBoard's files where it is installed, and `model.onnx` at the end. Killed at any moment, the same call
goes on from the last checkpoint; on a CPU it ends with the same weights as an unbroken run.
"""

from __future__ import annotations

import copy
import json
import os
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from torch import distributed, nn
from torch.nn.parallel import DistributedDataParallel

from sparring.learn import checkpoints
from sparring.learn.captured import Captured
from sparring.learn.configuration import BadConfiguration, Configuration
from sparring.learn.export import export
from sparring.learn.feed import Fed, Feed, Place
from sparring.learn.layouts import layout_of
from sparring.learn.model import People
from sparring.learn.objective import Lesson, Losses, lesson, losses
from sparring.learn.schedule import rate_at
from sparring.learn.teachers import Teacher

_REPORT_EVERY = 20
"""Steps between reports to whoever watches."""


@dataclass(frozen=True)
class Progress:
    """What a run says of itself while it goes."""

    step: int
    steps: int
    loss: float
    accuracy: float
    """Of the likeliest move, over the steps since the last report."""
    speed: float
    """Positions a second."""
    validation: dict[str, Any] | None = None
    """The newest measurement on the validation split."""


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
        self.config, self.folder, self.layout = config, folder, layout_of(config)
        self.rank, self.world = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))
        self.device = _device(device)
        self._join()
        torch.manual_seed(config.training.seed)
        self.model = People(config.network, self.layout).to(self.device)
        if self.device.type == "cuda":
            torch.set_float32_matmul_precision("high")
            if config.network.kind == "residual":
                self.model = self.model.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.averaged = _Average(self.model, config.training.average)
        self.optimiser = _optimiser(self.model, config)
        self.teachers = [Teacher(part, config.game, self.device) for part in config.teachers]
        encodings = tuple({teacher.encoding for teacher in self.teachers})
        if config.data.mirrored and "maia3" in encodings:
            raise BadConfiguration("Maia-3 cannot teach in the mirror: set mirrored = false in [data]")
        self.feed = Feed(config, tables, self.device, encodings, (self.rank, self.world), threads)
        self.step, self.place = 0, Place()
        self._resume()
        trained: nn.Module = self.model
        if self.world > 1:
            trained = DistributedDataParallel(trained)
        self._forward: Callable[..., Any] = torch.compile(trained) if compiled else trained
        self._captured: Captured | None = None

    def train(self, watch: Watch = lambda progress: None, stop_at: float | None = None) -> bool:
        """Goes on to the last step, or until the clock (`time.monotonic`) shows `stop_at`; says which."""
        self.folder.mkdir(parents=True, exist_ok=True)
        part = self.config.training
        board = _tensorboard(self.folder) if self.rank == 0 else None
        started, seen, loss, hits = time.perf_counter(), 0, 0.0, 0.0
        self._capture()
        feed = self.feed.training(self.place)
        for fed in feed if self.step < part.steps else ():
            outcome = self._descend(fed)
            seen += len(fed)
            if self.step % _REPORT_EVERY == 0 or self.step == part.steps:
                loss, hits = float(outcome.total.detach()), float(outcome.hits.float().mean())
                speed = seen * self.world / (time.perf_counter() - started)
                started, seen = time.perf_counter(), 0
                watch(Progress(self.step, part.steps, loss, hits, speed))
            ended = self.step == part.steps
            out_of_time = stop_at is not None and time.monotonic() > stop_at
            if self.step % part.validate_every == 0 or ended or out_of_time:
                measured = self._measure(loss, hits, board)
                watch(Progress(self.step, part.steps, loss, hits, 0.0, measured))
                self._save()
                started, seen = time.perf_counter(), 0
            if ended or out_of_time:
                break
        if self.rank == 0:
            (self.folder / "model.onnx.part").write_bytes(self.export().SerializeToString())
            (self.folder / "model.onnx.part").replace(self.folder / "model.onnx")
        return self.step == part.steps

    def validate(self) -> dict[str, Any]:
        """Accuracy and likelihood of the averaged weights on the validation split, and by group."""
        hits: list[Any] = []
        likelihoods: list[Any] = []
        groups: list[Any] = []
        with self.averaged.in_use(), torch.no_grad():
            self.model.eval()
            for fed in self.feed.validation():
                with self._precision():
                    policy, result = self.model(fed.planes, fed.context)
                found = losses(policy, result, lesson(fed, self.layout.moves, ()), 0)
                counted = (fed.played >= 0).cpu().numpy()
                hits.append(found.hits.cpu().numpy()[counted])
                likelihoods.append(found.likelihoods.cpu().numpy()[counted])
                groups.append(fed.group[counted])
            self.model.train()
        if not hits:
            raise BadConfiguration("the records have no games for validation: give more")
        return _summary(np.concatenate(hits), np.concatenate(likelihoods), np.concatenate(groups))

    def export(self) -> onnx.ModelProto:
        """The network as it is now, with its card."""
        last = self._last_measured or {}
        accuracy = f"top-1 {last['top1']:.4f} on {last['positions']:,} validation positions" if last else ""
        config = self.config
        trained_on = config.about or "games of the user's own records"
        if config.teachers:
            trained_on += "; teachers: " + ", ".join(
                f"{teacher.model} ({teacher.weight:g})" for teacher in config.teachers
            )
        with self.averaged.in_use():
            return export(
                self.model,
                config,
                {
                    "source": f"sparring train people --config {config.name}.toml, step {self.step:,}",
                    "licence": "AGPL-3.0-or-later" if config.teachers else "CC0-1.0",
                    "trained_on": trained_on,
                    "accuracy": accuracy or "not measured",
                },
            )

    _last_measured: dict[str, Any] | None = None

    def _descend(self, fed: Fed) -> Losses:
        """One step down."""
        rate = rate_at(self.step, self.config.training)
        for group in self.optimiser.param_groups:
            if isinstance(group["lr"], torch.Tensor):
                group["lr"].fill_(rate)
            else:
                group["lr"] = rate
        self.averaged.prepare(self.step + 1)
        task = lesson(fed, self.layout.moves, self.teachers)
        if self.device.type != "cuda" or self.world > 1:
            outcome = self._step(*task)
        else:
            assert self._captured is not None
            outcome = self._captured(*task)
        self.step, self.place = self.step + 1, fed.place
        return outcome

    def _capture(self) -> None:
        """Makes one launch of a step, before another thread works on the device."""
        if self.device.type == "cuda" and self.world == 1 and self._captured is None:
            task = lesson(self.feed.example(self.place), self.layout.moves, self.teachers)
            self._captured = Captured(self._step, task, self._remembered())

    def _step(self, *task: torch.Tensor) -> Losses:
        """Forwards, backwards, down, and the average after it: all that a CUDA graph can hold."""
        part, given = self.config.training, Lesson(*task)
        self.optimiser.zero_grad(set_to_none=True)
        with self._precision():
            policy, result = self._forward(given.planes, given.context)
        outcome = losses(policy, result, given, part.value)
        outcome.total.backward()  # type: ignore[no-untyped-call]
        if part.clip:
            nn.utils.clip_grad_norm_(self.model.parameters(), part.clip)
        self.optimiser.step()
        self.averaged.follow()
        return Losses(outcome.total.detach(), *outcome[1:])

    def _remembered(self) -> Callable[[], None]:
        """Brings weights, average and optimiser back to what they are now."""
        weights = {name: tensor.clone() for name, tensor in self.model.state_dict().items()}
        average = {name: tensor.clone() for name, tensor in self.averaged.state.items()}
        moments = copy.deepcopy(self.optimiser.state_dict()["state"])

        def restore() -> None:
            for name, tensor in self.model.state_dict().items():
                tensor.copy_(weights[name])
            for name, tensor in self.averaged.state.items():
                tensor.copy_(average[name])
            for index, state in self.optimiser.state_dict()["state"].items():
                for key, value in state.items():
                    before = moments.get(index, {}).get(key)
                    value.copy_(before) if before is not None else value.zero_()

        return restore

    def _precision(self) -> AbstractContextManager[Any]:
        return torch.autocast("cuda", torch.bfloat16) if self.device.type == "cuda" else nullcontext()

    def _measure(self, loss: float, hits: float, board: Any) -> dict[str, Any] | None:
        if self.rank:
            return None
        measured = self.validate()
        self._last_measured = measured
        rate = rate_at(self.step, self.config.training)
        line = {"step": self.step, "loss": loss, "train_top1": hits, "rate": rate, **measured}
        with (self.folder / "metrics.jsonl").open("a") as file:
            file.write(json.dumps(line) + "\n")
        if board is not None:
            for name in ("loss", "train_top1", "rate", "top1", "nll"):
                board.add_scalar(name, line[name], self.step)
            board.flush()
        return measured

    def _save(self) -> None:
        if self.rank:
            return
        state = {
            "step": self.step,
            "place": (self.place.epoch, self.place.batch),
            "model": self.model.state_dict(),
            "average": self.averaged.state,
            "optimiser": self.optimiser.state_dict(),
            "measured": self._last_measured,
        }
        checkpoints.save(self.folder, self.config, state)

    def _resume(self) -> None:
        state = checkpoints.load(self.folder, self.config)
        if state is None:
            return
        self.step, self.place = state["step"], Place(*state["place"])
        self.model.load_state_dict(state["model"])
        self.averaged.state = {name: tensor.to(self.device) for name, tensor in state["average"].items()}
        self.optimiser.load_state_dict(state["optimiser"])
        self._last_measured = state["measured"]
        _cut_metrics(self.folder / "metrics.jsonl", self.step)

    def _join(self) -> None:
        """Meets the other processes that torchrun started."""
        if self.world > 1 and not distributed.is_initialized():
            if self.device.type == "cuda":
                torch.cuda.set_device(self.device)
            distributed.init_process_group("nccl" if self.device.type == "cuda" else "gloo")


class _Average:
    """A running average of everything that the model remembers."""

    def __init__(self, model: nn.Module, decay: float) -> None:
        self._decay = decay
        self._own = {k: v.detach() for k, v in model.state_dict().items() if v.is_floating_point()}
        self._kept = torch.zeros((), device=next(iter(self._own.values())).device)
        self.state = {name: value.clone() for name, value in self._own.items()} if decay else {}

    def prepare(self, step: int) -> None:
        """How far the next step goes: early on far, so that the start is soon forgotten."""
        self._kept.fill_(min(self._decay, (1 + step) / (10 + step)))

    def follow(self) -> None:
        """A step towards the model."""
        if self._decay:
            average, now = list(self.state.values()), [self._own[name] for name in self.state]
            torch._foreach_mul_(average, self._kept)
            torch._foreach_add_(average, torch._foreach_mul(now, 1 - self._kept))

    def in_use(self) -> AbstractContextManager[None]:
        """The model has the averaged weights inside this."""
        return _Swapped(self._own, self.state) if self._decay else nullcontext()


class _Swapped(AbstractContextManager[None]):
    """The model's numbers exchanged for others, and back."""

    def __init__(self, own: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> None:
        self._own, self._other = own, other
        self._kept: dict[str, torch.Tensor] = {}

    def __enter__(self) -> None:
        self._kept = {name: tensor.clone() for name, tensor in self._own.items()}
        for name, tensor in self._own.items():
            tensor.copy_(self._other[name])

    def __exit__(self, *_: object) -> None:
        for name, tensor in self._own.items():
            tensor.copy_(self._kept[name])


def _device(name: str) -> torch.device:
    if name:
        return torch.device(name)
    if torch.cuda.is_available():
        return torch.device("cuda", int(os.environ.get("LOCAL_RANK", 0)))
    return torch.device("cpu")


def _optimiser(model: nn.Module, config: Configuration) -> torch.optim.Optimizer:
    """Only what multiplies decays: biases, scales and single numbers do not."""
    part = config.training
    decayed = [p for p in model.parameters() if p.dim() > 1]
    others = [p for p in model.parameters() if p.dim() <= 1]
    groups = [{"params": decayed, "weight_decay": part.decay}, {"params": others, "weight_decay": 0.0}]
    quick: dict[str, Any] = {}
    rate: Any = part.rate
    if (device := decayed[0].device).type == "cuda":  # a CUDA graph reads the rate from the device
        quick, rate = {"fused": True}, torch.tensor(part.rate, device=device)
    if part.optimiser == "sgd":
        return torch.optim.SGD(groups, lr=rate, momentum=0.9, nesterov=True, **quick)
    if quick:
        quick["capturable"] = True
    return torch.optim.AdamW(groups, lr=rate, betas=(0.9, 0.98), **quick)


def _summary(hits: Any, likelihoods: Any, groups: Any) -> dict[str, Any]:
    by_group = {
        f"{group:.0f}": {
            "positions": int((groups == group).sum()),
            "top1": float(hits[groups == group].mean()),
            "nll": float(likelihoods[groups == group].mean()),
        }
        for group in np.unique(groups[~np.isnan(groups)]).tolist()
    }
    return {
        "positions": len(hits),
        "top1": float(hits.mean()),
        "nll": float(likelihoods.mean()),
        "groups": by_group,
    }


def _cut_metrics(path: Path, step: int) -> None:
    """Measurements from after the checkpoint will be made again."""
    if path.exists():
        lines = [line for line in path.read_text().splitlines() if json.loads(line)["step"] <= step]
        path.write_text("".join(line + "\n" for line in lines))


def _tensorboard(folder: Path) -> Any:
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        return None
    return SummaryWriter(str(folder))
