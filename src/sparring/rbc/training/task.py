"""The task `rbc`: training of a synopsis network (DSMCP paper, section 5.3), one step for one headset at a
time.

Headset and examples of a step depend on the seed and the number of the step alone. The network of the best
validation is kept (`best.onnx`). Teachers are finished runs, whose mean predictions are part of the targets.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from sparring.base.config import Source, from_table
from sparring.base.errors import BadConfig
from sparring.rbc.synopsis import ALL, PASS_ACTION, PLANES, SENSES, TOP
from sparring.rbc.training.config import HeadsetConfig, LossConfig, RbcTrainingConfig, with_headsets_of
from sparring.rbc.training.examples import NO_ACTION, UNKNOWN_RESULT, ExampleSet
from sparring.rbc.training.network import (
    COUNTS,
    ActionMask,
    HeadOutputs,
    SynopsisNetwork,
    export_synopsis_network,
    unpack_synopses,
)
from sparring.records.record import Split, split_of
from sparring.training.task import StepLoss, Task, TaskBatch
from sparring.training.trainer import Trainer, read_checkpoint

_VALIDATION_BATCH = 4096
_CONSTANTS = sum(plane.fold == "constant" for plane in PLANES)
"""The first planes, which are the same for every synopsis."""
Indices = NDArray[np.int64]


class SynopsisBatch(NamedTuple):
    """n examples as tensors on one device."""

    planes: Tensor
    """[n, 104, 8, 8] of 0 and 1."""
    mask: Tensor
    """[n, 4161]: possible actions."""
    actions: Tensor
    """[n]: the action taken, or NO_ACTION."""
    results: Tensor
    """[n]: 1, 0 or -1, or UNKNOWN_RESULT."""
    soon: Tensor
    """[n, 2] of 0 and 1."""
    pieces: Tensor
    """[n, 6]."""


def mirror(batch: SynopsisBatch, mirrored: Tensor) -> SynopsisBatch:
    """Mirrors the examples with `mirrored` [n] from left to right. The constant planes stay as they are, so
    that the network knows the sides apart."""
    planes = batch.planes.flip(3)
    planes[:, :_CONSTANTS] = batch.planes[:, :_CONSTANTS]
    squares = torch.arange(64, device=mirrored.device) ^ 7
    moves = (SENSES + 64 * squares[:, None] + squares).flatten()
    order = torch.cat([squares, moves, torch.full_like(squares[:1], PASS_ACTION)])
    actions = torch.where(batch.actions == NO_ACTION, NO_ACTION, order[batch.actions.clamp(min=0)])
    return batch._replace(
        planes=torch.where(mirrored[:, None, None, None], planes, batch.planes),
        mask=torch.where(mirrored[:, None], batch.mask[:, order], batch.mask),
        actions=torch.where(mirrored, actions, batch.actions),
    )


def without_targets(batch: SynopsisBatch, labelled: Tensor) -> SynopsisBatch:
    """Removes action and result of the examples that are not `labelled` [n]."""
    return batch._replace(
        actions=torch.where(labelled, batch.actions, NO_ACTION),
        results=torch.where(labelled, batch.results, UNKNOWN_RESULT),
    )


class TeacherTargets(NamedTuple):
    """What teachers predict for the examples of a batch."""

    policy: Tensor
    """[n, 4161]: probabilities of the actions."""
    value: Tensor
    """[n]."""


class Measures(NamedTuple):
    """Quality of the predictions for each example, [n]; NaN where there is no target."""

    top1: Tensor
    top5: Tensor
    nll: Tensor
    """Negative log-likelihood of the action in nats."""
    winner: Tensor
    """Whether the value has the sign of the result; NaN also for a draw."""
    value_error: Tensor
    """Squared error of the value."""


def total_loss(
    outputs: HeadOutputs,
    batch: SynopsisBatch,
    value_weight: float,
    weights: LossConfig,
    teacher: TeacherTargets | None = None,
) -> Tensor:
    """Returns the weighted sum of the losses, each a mean over the examples that have its target."""
    has_result = batch.results != UNKNOWN_RESULT
    policy = _policy_loss(outputs, batch, weights, teacher)
    value = _value_loss(outputs.value.float(), batch, weights, teacher)
    soon = functional.binary_cross_entropy_with_logits(
        outputs.soon.float(), batch.soon.float(), reduction="none"
    )
    pieces = functional.cross_entropy(
        outputs.pieces.float().flatten(0, 1), batch.pieces.long().clamp(max=COUNTS - 1).flatten()
    )
    auxiliary = weights.soon * _mean(soon.sum(1), has_result) + weights.pieces * pieces
    return policy + value_weight * value + auxiliary


def _policy_loss(
    outputs: HeadOutputs, batch: SynopsisBatch, weights: LossConfig, teacher: TeacherTargets | None
) -> Tensor:
    log_chances = log_policy(outputs, batch)
    loss = -log_chances.gather(1, batch.actions.clamp(min=0)[:, None]).squeeze(1)
    if weights.label_smoothing:
        even = -(log_chances * batch.mask).sum(1) / batch.mask.sum(1).clamp(min=1)
        loss = torch.lerp(loss, even, weights.label_smoothing)
    policy = _mean(loss, batch.actions != NO_ACTION)
    if teacher is None:
        return policy
    return torch.lerp(policy, -(teacher.policy * log_chances).sum(1).mean(), weights.teacher)


def _value_loss(
    value: Tensor, batch: SynopsisBatch, weights: LossConfig, teacher: TeacherTargets | None
) -> Tensor:
    """Squared error; an example of unknown result has its target from the teachers alone."""
    has_result, result = batch.results != UNKNOWN_RESULT, batch.results.float()
    if teacher is None:
        return _mean((value - result) ** 2, has_result)
    target = torch.where(has_result, torch.lerp(result, teacher.value, weights.teacher), teacher.value)
    return ((value - target) ** 2).mean()


def measure(outputs: HeadOutputs, batch: SynopsisBatch) -> Measures:
    """Returns the measures of each example."""
    log_chances = log_policy(outputs, batch)
    own = log_chances.gather(1, batch.actions.clamp(min=0)[:, None])
    better = (log_chances > own).sum(1)
    value, result = outputs.value.float(), batch.results.float()
    action, has_result = batch.actions != NO_ACTION, batch.results != UNKNOWN_RESULT
    return Measures(
        _where(action, (better < 1).float()),
        _where(action, (better < 5).float()),
        _where(action, -own.squeeze(1)),
        _where(has_result & (result != 0), (value * result > 0).float()),
        _where(has_result, (value - result) ** 2),
    )


def teacher_targets(predictions: Sequence[HeadOutputs], batch: SynopsisBatch) -> TeacherTargets:
    """Returns the mean of the predictions of several teachers."""
    policies = torch.stack([log_policy(prediction, batch).exp() for prediction in predictions])
    values = torch.stack([prediction.value.float() for prediction in predictions])
    return TeacherTargets(policies.mean(0), values.mean(0))


def log_policy(outputs: HeadOutputs, batch: SynopsisBatch) -> Tensor:
    """Log-probabilities of the possible actions [n, 4161]. The action taken counts as possible."""
    mask = batch.mask.scatter(1, batch.actions.clamp(min=0)[:, None], value=True)
    return functional.log_softmax(outputs.policy.float().masked_fill(~mask, -1e9), dim=1)


def _mean(values: Tensor, counted: Tensor) -> Tensor:
    return (values * counted).sum() / counted.sum().clamp(min=1)


def _where(counted: Tensor, values: Tensor) -> Tensor:
    return torch.where(counted, values, torch.nan)


class DeviceExamples:
    """All examples on the device as packed bits; batches are unpacked there."""

    def __init__(self, examples: ExampleSet, trial: int, device: torch.device) -> None:
        self.examples, self.device = examples, device
        self.validation = validation_rows(examples.games, trial)
        """[n]: whether the game is held out."""
        self._players = PlayerNames.of(examples.players)
        self._mask = ActionMask().to(device)
        self._kept = torch.ones(len(PLANES), 1, 1, device=device)
        self._synopses = self.tensor(examples.synopses.view(np.int64))
        actions = examples.actions.astype(np.int64)
        targets = (actions, examples.results, examples.soon, examples.pieces)
        self._targets = [self.tensor(column) for column in targets]

    def batch(self, rows: Indices, mirrored: NDArray[np.bool_] | None = None) -> SynopsisBatch:
        """Returns the examples of these rows, mirrored from left to right where `mirrored` [rows]."""
        return self.gather(self.tensor(rows), None if mirrored is None else self.tensor(mirrored))

    def tensor(self, values: NDArray[Any]) -> torch.Tensor:
        """Copies an array to the device."""
        return torch.from_numpy(values).to(self.device, non_blocking=True)

    def gather(self, rows: torch.Tensor, mirrored: torch.Tensor | None = None) -> SynopsisBatch:
        """Returns the same for tensors of the device; a CUDA graph can capture it."""
        planes = unpack_synopses(self._synopses[rows])
        targets = (column[rows] for column in self._targets)
        batch = SynopsisBatch(planes * self._kept, self._mask(planes), *targets)
        return batch if mirrored is None else mirror(batch, mirrored)

    def remove_planes(self, planes: Sequence[int]) -> None:
        """Sets these planes to 0; legal actions are unchanged.

        It holds for captured CUDA graphs, too.
        """
        kept = torch.ones_like(self._kept, device="cpu")
        kept[list(planes)] = 0
        self._kept.copy_(kept)

    def rows(self, headset: HeadsetConfig, *, validation: bool) -> Indices:
        """Returns the rows of a headset's players in one part of the split."""
        return np.flatnonzero(self.included(headset) & (self.validation == validation))

    def included(self, headset: HeadsetConfig) -> NDArray[np.bool_]:
        """Returns which rows are decisions of a headset's players, [n]."""
        return self._players.included(headset)


@dataclass(frozen=True)
class PlayerNames:
    """The different names of the players of n examples."""

    names: tuple[str, ...]
    numbers: NDArray[np.int64]
    """[n]: index of the player's name."""

    @staticmethod
    def of(players: NDArray[np.bytes_]) -> PlayerNames:
        """Sorts the names. Few rows differ from the one before, which makes it quick for millions."""
        begins = np.flatnonzero(np.append(True, players[1:] != players[:-1]))
        names, numbers = np.unique(players[begins], return_inverse=True)
        lengths = np.diff(np.append(begins, len(players)))
        texts = tuple(name.decode(errors="replace") for name in names)
        return PlayerNames(texts, np.repeat(numbers.astype(np.int64), lengths))

    def included(self, headset: HeadsetConfig) -> NDArray[np.bool_]:
        """Returns which rows belong to a headset by the player's name, [n]."""
        return np.array([headset.includes(name) for name in self.names], bool)[self.numbers]


def validation_rows(games: NDArray[np.uint64], trial: int) -> NDArray[np.bool_]:
    """Returns which rows are of held-out games: a tenth of the games, by the hash of the game."""
    identities, inverse = np.unique(games, return_inverse=True)
    held_out = np.array([split_of(int(identity), trial) is not Split.TRAIN for identity in identities], bool)
    return held_out[inverse]


def with_trained_headsets(config: RbcTrainingConfig, examples: ExampleSet) -> RbcTrainingConfig:
    """Returns the configuration without headsets that have no training example. Raises BadConfig if
    All or Top has none."""
    training = ~validation_rows(examples.games, config.data.trial)
    players = PlayerNames.of(examples.players)
    config = with_headsets_of(config, players.names)
    kept = tuple(h for h in config.headsets if (players.included(h) & training).any())
    for headset in config.headsets:
        if headset.name in (ALL, TOP) and headset not in kept:
            raise BadConfig(f"all games of the headset {headset.name} are held out for validation: add games")
    return replace(config, headsets=kept)


class Teachers:
    """The averaged networks of finished runs, in the folders `runs`. Raises BadConfig."""

    def __init__(self, runs: Sequence[Path], device: torch.device) -> None:
        self.runs = tuple(runs)
        self._networks = [_load_teacher(folder, device) for folder in runs]

    def know(self, headset: str) -> bool:
        """Returns True if a teacher has this headset."""
        return any(headset in headsets for _, headsets in self._networks)

    @torch.no_grad()
    def targets(self, batch: SynopsisBatch, headset: str) -> TeacherTargets | None:
        """Returns the mean prediction of the teachers that have this headset, or None if none has."""
        predictions = [
            network(batch.planes, headsets.index(headset))
            for network, headsets in self._networks
            if headset in headsets
        ]
        return teacher_targets(predictions, batch) if predictions else None


def _load_teacher(folder: Path, device: torch.device) -> tuple[SynopsisNetwork, tuple[str, ...]]:
    config, state = read_run(folder)
    if state["step"] < config.training.steps:
        raise BadConfig(f"{folder} is no teacher: its training has not finished")
    network = SynopsisNetwork(config)
    network.load_state_dict(state["model"] | state["average"])
    network = network.to(device).eval().requires_grad_(False)
    if device.type == "cuda":
        network = network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]  # missing in PyTorch's stubs
    return network, config.headset_names


class RbcTask(Task):
    """Training of all headsets. Every headset of `config` must have training examples
    (`with_trained_headsets`).

    Examples may be on the device already. `teachers` are folders of finished runs.
    """

    name: ClassVar[str] = "rbc"
    config: RbcTrainingConfig
    data: DeviceExamples
    teachers: Teachers

    def __init__(
        self, config: RbcTrainingConfig, examples: ExampleSet | DeviceExamples, teachers: Sequence[Path] = ()
    ) -> None:
        self.config, self._examples, self._runs = config, examples, teachers
        self.variants = len(config.headsets)

    def make_model(self) -> nn.Module:
        """Returns the network with random weights."""
        return SynopsisNetwork(self.config)

    def open(self, model: nn.Module, device: torch.device, replica: tuple[int, int]) -> None:
        """Copies the examples to the device and loads the teachers."""
        if replica[1] > 1:
            raise BadConfig("a synopsis network trains in one process")
        config, examples = self.config, self._examples
        self.teachers = Teachers(self._runs, device)
        self.data = (
            examples
            if isinstance(examples, DeviceExamples)
            else DeviceExamples(examples, config.data.trial, device)
        )
        self._rows = [self.data.rows(headset, validation=False) for headset in config.headsets]
        weights = np.array([headset.weight for headset in config.headsets])
        self._shares = weights / weights.sum()
        self._any_row = np.flatnonzero(~self.data.validation)
        self._included = [self.data.included(headset) for headset in config.headsets]

    def batches(self, begin: Any) -> Generator[TaskBatch]:
        """Yields the batch of each step."""
        return (self.example(step) for step in count(begin))

    def example(self, begin: Any) -> TaskBatch:
        """Draws a headset by weight, and examples of its players: their rows, whether they are mirrored, and
        whether their actions are targets."""
        part = self.config.training
        rng = np.random.default_rng([part.seed, begin])
        headset = int(rng.choice(len(self._rows), p=self._shares))
        rows = rng.choice(self._rows[headset], part.batch)
        mirrored = rng.random(part.batch) < 0.5
        distilled = round(part.batch * self.config.loss.distilled)
        if distilled and self.teachers.know(self.config.headset_names[headset]):
            rows[:distilled] = rng.choice(self._any_row, distilled)
        arrays = (rows, mirrored, self._included[headset][rows])
        return TaskBatch(tuple(self.data.tensor(array) for array in arrays), begin + 1, headset)

    def loss(self, forward: Callable[..., Any], batch: TaskBatch) -> StepLoss:
        """Returns the loss of the batch's headset. The examples are gathered here, within the CUDA graph."""
        rows, mirrored, labelled = batch.tensors
        examples = self.data.gather(rows, mirrored if self.config.data.mirrored else None)
        examples = without_targets(examples, labelled)
        targets = self.teachers.targets(examples, self.config.headsets[batch.variant].name)
        outputs = forward(examples.planes, batch.variant)
        weight = self.config.training.value_weight
        return StepLoss(total_loss(outputs, examples, weight, self.config.loss, targets), {})

    def validate(self, model: nn.Module, step: int) -> dict[str, Any]:
        """Returns the metrics of each headset on its own held-out examples."""
        headsets = {}
        for index, headset in enumerate(self.config.headsets):
            rows = self.data.rows(headset, validation=True)
            if len(rows):
                rng = np.random.default_rng([self.config.training.seed, index])
                number = min(len(rows), self.config.training.validation_positions)
                headsets[headset.name] = summarise(
                    self.measure(model, index, rng.choice(rows, number, replace=False))
                )
        return {"headsets": headsets}

    def measure(self, model: nn.Module, headset: int, rows: Indices) -> Measures:
        """Returns the measures of a headset on some rows, on the CPU."""
        parts = []
        for begin in range(0, len(rows), _VALIDATION_BATCH):
            batch = self.data.batch(rows[begin : begin + _VALIDATION_BATCH])
            parts.append([column.cpu() for column in measure(model(batch.planes, headset), batch)])
        return Measures(*(torch.cat(columns) for columns in zip(*parts, strict=True)))

    def score(self, metrics: dict[str, Any]) -> float | None:
        """Returns nats of Top's actions and squared error of All's values, if `keep_best`. The planner plays
        with these two. Without held-out examples every validation is the best."""
        if not self.config.keep_best:
            return None
        headsets = metrics["headsets"]
        if ALL not in headsets or TOP not in headsets:
            return -math.inf
        return float(headsets[TOP]["nll"]) + float(headsets[ALL]["value_error"])

    def export(self, model: nn.Module, metrics: dict[str, Any] | None, step: int) -> bytes:
        """Returns the network as an ONNX file."""
        assert isinstance(model, SynopsisNetwork)
        measured = (metrics or {"headsets": {}})["headsets"].items()
        accuracy = "; ".join(
            f"{name}: top-1 {part['top1']:.3f}, winner {part['winner']:.3f} of {part['examples']:,}"
            for name, part in measured
        )
        taught = "".join(f" --teacher {folder.name}" for folder in self.teachers.runs)
        card = {
            "source": f"sparring train rbc --config {self.config.name}{taught}, step {step:,}",
            "licence": self.config.licence,
            "trained_on": self.config.about or "games of the user's own records",
            "accuracy": accuracy or "not measured",
        }
        return bytes(export_synopsis_network(model, self.config, card).SerializeToString())


class RbcTrainer(Trainer):
    """A training run of `RbcTask`."""

    task: RbcTask

    def __init__(
        self,
        config: RbcTrainingConfig,
        examples: ExampleSet | DeviceExamples,
        folder: Path,
        device: str = "",
        teachers: Sequence[Path] = (),
    ) -> None:
        super().__init__(RbcTask(config, examples, teachers), folder, device=device)

    @property
    def config(self) -> RbcTrainingConfig:
        """The task's configuration."""
        return self.task.config

    @property
    def data(self) -> DeviceExamples:
        """The examples."""
        return self.task.data

    @property
    def network(self) -> SynopsisNetwork:
        """The model."""
        assert isinstance(self.model, SynopsisNetwork)
        return self.model


def read_run(folder: Path) -> tuple[RbcTrainingConfig, dict[str, Any]]:
    """Configuration and state of a run. Raises BadConfig."""
    state = read_checkpoint(folder)
    if state is None or state["task"] != RbcTask.name:
        raise BadConfig(f"{folder} has no run of `sparring train rbc`")
    return from_table(RbcTrainingConfig, state["config"], Source()), state


def summarise(measures: Measures) -> dict[str, float]:
    """Returns the means over the examples that have a target, and the number of examples."""
    means = {name: float(values.nanmean()) for name, values in measures._asdict().items()}
    return {"examples": len(measures.top1), **means}
