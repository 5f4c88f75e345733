"""A training task: what the trainer must know about a network, its data and its loss.

`people` and `student` are tasks of this package; the folders of games have further ones (`rbc`,
`expendibots`).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from sparring.base.errors import SparringError
from sparring.training.config import OptimizationConfig

if TYPE_CHECKING:
    import torch
    from torch import Tensor, nn


class TrainingDiverged(SparringError):
    """The loss or the weights are no finite numbers any more; the message says when and what to do."""


class TaskConfig(Protocol):
    """Configuration of a task: it decides everything but the records."""

    @property
    def name(self) -> str:
        """Name of the network."""
        ...

    @property
    def training(self) -> OptimizationConfig:
        """Optimiser, batch and validation."""
        ...

    def as_dict(self) -> dict[str, Any]:
        """Plain values for checkpoints."""
        ...


@dataclass(frozen=True)
class PlainTaskConfig:
    """Configuration of a task that has no settings but those of its training."""

    name: str
    training: OptimizationConfig

    def as_dict(self) -> dict[str, object]:
        """Plain values for checkpoints."""
        return asdict(self)


@dataclass(frozen=True)
class TaskBatch:
    """A batch on the device, and the cursor after it."""

    tensors: tuple[Tensor, ...]
    """Of fixed shapes, because the step is captured as a CUDA graph."""
    cursor: Any
    """Position in the training data after this batch."""
    variant: int = 0
    """Which of the task's losses is computed: a headset in RBC."""

    def __len__(self) -> int:
        return len(self.tensors[0])


class StepLoss(NamedTuple):
    """Loss of a batch."""

    total: Tensor
    """Scalar to minimise."""
    figures: dict[str, Tensor]
    """Further scalars for the log of the run, by name."""


class Task(ABC):
    """Model, batches, loss, validation and export of a training. `Trainer` calls the methods in this
    order."""

    name: ClassVar[str]
    """Name in `sparring train NAME` and in model cards."""
    output: ClassVar[str] = "model.onnx"
    """File of the trained network in the folder of a run."""
    config: TaskConfig
    variants: int = 1
    """Number of different losses; a batch names one of them."""

    @abstractmethod
    def make_model(self) -> nn.Module:
        """Returns the network with its initial weights."""

    def open(self, model: nn.Module, device: torch.device, replica: tuple[int, int]) -> None:
        """Opens the data for a model on its device; `replica` is (rank, world size).

        Raises BadConfig, BadFile or OSError.
        """
        return

    def stage(self, done: float) -> int:
        """Returns the stage of the training after a fraction `done` of it. Batches and step may differ
        between stages."""
        return 0

    def enter(self, stage: int, cursor: Any) -> None:
        """Begins a stage, or resumes it."""
        return

    @property
    def first_cursor(self) -> Any:
        """The position before the first batch; by default a cursor is the number of a step."""
        return 0

    @abstractmethod
    def batches(self, begin: Any) -> Generator[TaskBatch]:
        """Yields the batches after a cursor, without end. They depend on the seed and the cursor alone."""

    @abstractmethod
    def example(self, begin: Any) -> TaskBatch:
        """Returns the batch after a cursor, made in this thread."""

    @abstractmethod
    def loss(self, forward: Callable[..., Any], batch: TaskBatch) -> StepLoss:
        """Returns the loss of a batch; `forward` is the model or its compiled form."""

    @abstractmethod
    def validate(self, model: nn.Module, step: int) -> dict[str, Any]:
        """Returns metrics of the model on held-out data. The model is in evaluation mode."""

    def score(self, metrics: dict[str, Any]) -> float | None:
        """Returns how bad a validation is. The network of the best one is exported at the end; None exports
        that of the last step."""
        return None

    @abstractmethod
    def export(self, model: nn.Module, metrics: dict[str, Any] | None, step: int) -> bytes:
        """Returns the file of the network with its model card."""

    def save_cursor(self, cursor: Any, processes: int) -> Any:
        """Returns plain values for the checkpoint of a run in so many processes."""
        return cursor

    def load_cursor(self, saved: Any, processes: int) -> Any:
        """Returns the cursor of values of `save_cursor`."""
        return saved

    def state(self) -> dict[str, Any]:
        """Returns what the checkpoint must keep beside model, optimiser and cursor."""
        return {}

    def load_state(self, state: dict[str, Any], model: nn.Module) -> None:
        """Loads values of `state`, before `open`."""
        return

    def versions(self) -> dict[str, Any]:
        """Returns the versions of encodings that the checkpoint depends on."""
        return {}

    def check_versions(self, state: dict[str, Any]) -> None:
        """Raises BadFile if a checkpoint has other versions."""
        return


def check_loss(loss: float, when: str, folder: Path | None = None) -> None:
    """Raises TrainingDiverged unless the loss is a finite number.

    `when` names the moment, such as "step 20". `folder` is a run that keeps its last checkpoint.
    """
    if math.isfinite(loss):
        return
    kept = "" if folder is None else f"; the checkpoint in {folder} is from before"
    raise TrainingDiverged(
        f"training diverged: the loss is {loss} at {when}; choose a lower learning rate, a longer warm-up "
        f"or a smaller max_grad_norm{kept}"
    )


def check_weights(weights: NDArray[np.floating], when: str, folder: Path) -> None:
    """Raises TrainingDiverged unless all weights are finite; `when` and `folder` as in `check_loss`."""
    if not np.isfinite(weights).all():
        raise TrainingDiverged(
            f"training diverged: weights are no finite numbers after {when}; choose a lower learning rate; "
            f"what {folder} has is from before"
        )
