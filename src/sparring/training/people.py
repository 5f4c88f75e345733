"""The task `people`: a policy and value network on recorded games, optionally with teachers
(distillation)."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from sparring.games import describe
from sparring.games.description import ENCODING_VERSION, MOVE_NUMBERING
from sparring.training.batches import TrainingBatch, losses, mean_of
from sparring.training.config import TrainingConfig
from sparring.training.export import export
from sparring.training.initial_weights import load_initial_weights
from sparring.training.loader import Cursor, RecordLoader
from sparring.training.model import layout_of, make_network
from sparring.training.task import StepLoss, Task, TaskBatch
from sparring.training.teachers import Teacher, make_teacher_cache


class PeopleTask(Task):
    """Training on the moves and results of recorded games.

    `tables` are folders of game records; `threads` read them (0 for all cores). `init` gives initial weights
    (`load_initial_weights`).
    """

    name: ClassVar[str] = "people"
    config: TrainingConfig
    loader: RecordLoader

    def __init__(
        self, config: TrainingConfig, tables: Sequence[Path], *, threads: int = 0, init: Path | None = None
    ) -> None:
        self.config, self.tables, self.threads, self.init = config, tables, threads, init
        self.teachers: list[Teacher] = []

    def make_model(self) -> nn.Module:
        """Returns the configured network, with random weights or those of `init`."""
        model = make_network(self.config)
        if self.init is not None:
            loader = RecordLoader(self.config, self.tables, torch.device("cpu"), threads=self.threads)
            loader.check()
            planes, context = loader.example(Cursor()).tensors[:2]
            load_initial_weights(model, self.init, self.config, planes, context)
        return model

    def open(self, model: nn.Module, device: torch.device, replica: tuple[int, int]) -> None:
        """Opens teachers and tables."""
        config = self.config
        self.teachers = [Teacher(part, config, device) for part in config.teachers]
        self.loader = RecordLoader(config, self.tables, device, self.teachers, replica, self.threads)
        self.loader.check()
        if config.training.cache_teachers:
            cache = make_teacher_cache(self.tables, config.game, config.data.trial, device)
            self.loader = dataclasses.replace(self.loader, teacher_cache=cache)

    @property
    def first_cursor(self) -> Any:
        """The first batch of the first epoch."""
        return Cursor()

    def batches(self, begin: Any) -> Generator[TaskBatch]:
        """Yields batches epoch after epoch, made ahead by another thread."""
        return self.loader.training(begin)

    def example(self, begin: Any) -> TaskBatch:
        """Returns the batch after a cursor."""
        return self.loader.example(begin)

    def loss(self, forward: Callable[..., Any], batch: TaskBatch) -> StepLoss:
        """Returns policy and value loss, and the top-1 accuracy as `train_top1`."""
        minibatch = TrainingBatch(*batch.tensors)
        training = self.config.training
        outputs = forward(minibatch.planes, minibatch.context)
        outcome = losses(outputs, minibatch, training.value_weight, training.fact_weight)
        return StepLoss(outcome.total, {"train_top1": mean_of(outcome.hits.float(), minibatch.played >= 0)})

    def validate(self, model: nn.Module, step: int) -> dict[str, Any]:
        """Returns accuracy and likelihood of the moves of the validation split, overall and by rating
        group."""
        columns: list[tuple[Any, ...]] = []
        for minibatch, groups in self.loader.validation():
            outcome = losses(model(minibatch.planes, minibatch.context), minibatch, 0)
            counted = (minibatch.played >= 0).cpu().numpy()
            values = outcome.hits.cpu().numpy(), outcome.nll.cpu().numpy(), groups
            columns.append(tuple(column[counted] for column in values))
        hits, nll, by_group = map(np.concatenate, zip(*columns, strict=True))
        return summary(hits, nll, by_group, self.config.game)

    def export(self, model: nn.Module, metrics: dict[str, Any] | None, step: int) -> bytes:
        """Returns the network as an ONNX file.

        The card names the teachers with their licences. The licence of the network is for its maker to state.
        """
        accuracy = "not measured"
        if metrics is not None:
            accuracy = f"top-1 {metrics['top1']:.4f} on {metrics['positions']:,} validation positions"
        card = {
            "source": f"sparring train {self.name} --config {self.config.name}, step {step:,}",
            "teachers": ", ".join(
                f"{teacher.name} (weight {teacher.weight:g}; licence {teacher.licence})"
                for teacher in self.teachers
            ),
            "trained_on": self.config.about or "games of the user's own records",
            "accuracy": accuracy,
        }
        return bytes(export(model, self.config, card).SerializeToString())

    def save_cursor(self, cursor: Any, processes: int) -> Any:
        """Returns the epoch, and the batches of all processes together."""
        return cursor.epoch, cursor.batch * processes

    def load_cursor(self, saved: Any, processes: int) -> Any:
        """Returns the cursor of this process."""
        epoch, batches = saved
        return Cursor(epoch, batches // processes)

    def versions(self) -> dict[str, Any]:
        """Returns the versions of the input encoding and of move numbers."""
        game = describe(self.config.game)
        encoding = layout_of(self.config).encoding
        return {ENCODING_VERSION: game.encodings[encoding], MOVE_NUMBERING: game.move_numbering}

    def check_versions(self, state: dict[str, Any]) -> None:
        """Raises BadFile if a checkpoint has other versions."""
        describe(self.config.game).check_encoding(layout_of(self.config).encoding, state)


def summary(
    hits: NDArray[np.bool_], nll: NDArray[np.float32], groups: NDArray[np.float64], game: str
) -> dict[str, Any]:
    """Returns number, top-1 accuracy and mean negative log-likelihood of the positions, overall and by group.

    `hits`, `nll` and `groups` are [n]; positions with group NaN count only overall.
    """
    by_group = {
        describe(game).ratings.format(round(group)): _means(hits[groups == group], nll[groups == group])
        for group in np.unique(groups[~np.isnan(groups)]).tolist()
    }
    return {**_means(hits, nll), "groups": by_group}


def _means(hits: NDArray[np.bool_], nll: NDArray[np.float32]) -> dict[str, Any]:
    return {"positions": len(hits), "top1": float(hits.mean()), "nll": float(nll.mean())}
