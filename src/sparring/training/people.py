"""The task `people`: a policy and value network on recorded games, optionally with teachers
(distillation)."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import Any, ClassVar, cast

import numpy as np
import onnx
import torch
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]  # protobuf ships no types
from numpy.typing import NDArray
from onnx import numpy_helper
from torch import Tensor, nn

from sparring.base.errors import BadConfig
from sparring.games import describe
from sparring.games.description import ENCODING_VERSION, MOVE_NUMBERING
from sparring.training.batches import TrainingBatch, losses, mean_of
from sparring.training.config import TrainingConfig
from sparring.training.export import export
from sparring.training.loader import Cursor, RecordLoader
from sparring.training.model import (
    FromToHead,
    PlanesHead,
    PointsHead,
    PolicyValueNetwork,
    ResidualBlock,
    ResidualTower,
    layout_of,
    make_network,
)
from sparring.training.task import StepLoss, Task, TaskBatch
from sparring.training.teachers import Teacher, make_teacher_cache
from sparring.training.trainer import read_checkpoint


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


# Initial weights of a training from a trained network, which may have fewer blocks or positions.


_ROW_NORM = 0.6
"""Norm of the rows of a convolution before a batch norm, as at random initialisation."""


def layers_of(graph: onnx.GraphProto) -> list[list[NDArray[np.float32]]]:
    """Weights and biases of convolutions and dense layers, in the order of the graph."""
    arrays = {t.name: numpy_helper.to_array(t).astype(np.float32) for t in graph.initializer}
    for node in graph.node:
        if node.op_type == "Cast" and node.input[0] in arrays:
            arrays[node.output[0]] = arrays[node.input[0]]
    return [
        [arrays[name] for name in node.input[1:]] for node in graph.node if node.op_type in ("Conv", "Gemm")
    ]


def chosen_blocks(trained: int, blocks: int) -> list[int]:
    """The places of the trained blocks among all."""
    return [i * blocks // trained for i in range(trained)]


def policy_layers(head: nn.Module) -> list[nn.Module]:
    """The layers of a policy head, in the order of the graph."""
    if isinstance(head, PointsHead):
        return [head.middle, head.point, head.passing]
    return [cast(PlanesHead, head).convolution]


def with_more_history(weights: Tensor, planes: int, others: int) -> Tensor:
    """Weights [width, planes, 3, 3] of a stem for more positions, which come after those that it knows.

    The last `others` planes do not belong to a position. The new weights are 0.
    """
    boards, rest = weights[:, : weights.shape[1] - others], weights[:, weights.shape[1] - others :]
    missing = torch.zeros(len(weights), planes - weights.shape[1], *weights.shape[2:])
    return torch.cat([boards, missing, rest], dim=1)


def load_trained(model: PolicyValueNetwork, layers: list[list[NDArray[np.float32]]], others: int = 0) -> None:
    """Copies the layers into the model; norms get the folded biases and are set by `calibrate`.

    `others` is the number of planes that do not belong to a position.
    """
    tower, head = cast(ResidualTower, model.tower), policy_layers(model.policy)
    rest = 1 + 1 + len(head) + 3  # context, stem, policy and value
    trained, facts = divmod(len(layers) - rest, 5)
    order: list[tuple[nn.Module, nn.Module | None]] = [(model.context.project, None)]
    order.append((tower.stem, tower.stem_norm))
    for i in chosen_blocks(trained, len(tower.blocks)):
        block = cast(ResidualBlock, tower.blocks[i])
        order += [(block.first, block.first_norm), (block.second, block.second_norm)]
        order += [(block.squeeze, None), (block.condition, None), (block.excite, None)]
    order += [(part, None) for part in head]
    order += [(part, None) for part in (model.value_embed, model.condition, model.result)]
    if facts and model.facts is not None:
        order += [(part, None) for part in model.facts.children()]
    for (layer, norm), arrays in zip(order, layers, strict=True):
        weights = torch.from_numpy(arrays[0])
        if layer is model.context.project:  # a network without komi and servers
            missing = model.context.project.in_features - weights.shape[1]
            weights = torch.nn.functional.pad(weights, (0, missing))
        if layer is tower.stem:
            weights = with_more_history(weights, tower.stem.in_channels, others)
        layer.weight.copy_(weights)  # type: ignore[operator]
        if norm is not None:
            norm.bias.copy_(torch.from_numpy(arrays[1]))  # type: ignore[operator]
            norm.trained = True  # type: ignore[assignment]
        elif len(arrays) > 1:
            layer.bias.copy_(torch.from_numpy(arrays[1]))  # type: ignore[operator]
    for i in set(range(len(tower.blocks))) - set(chosen_blocks(trained, len(tower.blocks))):
        block = cast(ResidualBlock, tower.blocks[i])
        for parameter in (block.second_norm.weight, block.excite.weight, block.excite.bias):
            parameter.zero_()


def calibrate(model: PolicyValueNetwork, planes: Tensor, context: Tensor) -> None:
    """Sets the norms so that they undo what the batch's statistics do to the trained convolutions."""

    def begin(layer: nn.Module, inputs: Any) -> None:
        weight = cast(nn.Conv2d, layer).weight
        weight.mul_(_ROW_NORM / weight.flatten(1).norm(dim=1).clamp(min=1e-6)[:, None, None, None])

    def measure(scales: Tensor, norm: nn.Module, inputs: tuple[Tensor, ...]) -> None:
        norm = cast(nn.BatchNorm2d, norm)
        mean, variance = inputs[0].mean((0, 2, 3)), inputs[0].var((0, 2, 3), unbiased=False)
        cast(Tensor, norm.running_mean).copy_(mean)
        cast(Tensor, norm.running_var).copy_(variance)
        if hasattr(norm, "trained"):
            norm.weight.copy_((variance + norm.eps).sqrt() * scales)
            norm.bias.add_(mean * scales)

    hooks = []
    for parent in model.tower.modules():
        for conv, norm in (("stem", "stem_norm"), ("first", "first_norm"), ("second", "second_norm")):
            if hasattr(parent, norm):
                layer, after = getattr(parent, conv), getattr(parent, norm)
                scales = layer.weight.flatten(1).norm(dim=1).clamp(min=1e-6) / _ROW_NORM
                hooks.append(layer.register_forward_pre_hook(begin))
                hooks.append(
                    after.register_forward_pre_hook(
                        lambda norm, inputs, scales=scales: measure(scales, norm, inputs)
                    )
                )
    model.eval()
    model(planes, context)
    model.train()
    for hook in hooks:
        hook.remove()


@torch.no_grad()
def load_initial_weights(
    model: nn.Module, source: Path, config: TrainingConfig, planes: Tensor, context: Tensor
) -> None:
    """Loads the weights of `source` into a new model of a configuration.

    `source` is the folder of a run of the same network, or the ONNX file of a residual network that `sparring
    train people` made. `planes` and `context` are inputs of positions, by which batch normalisation is set.
    Raises BadConfig.
    """
    if source.is_dir():
        state = read_checkpoint(source)
        if state is None:
            raise BadConfig(f"--init {source}: the folder has no checkpoint")
        try:
            model.load_state_dict(state["model"] | state["average"])
        except RuntimeError:
            raise BadConfig(f"--init {source}: the run has another network") from None
        return
    residual = isinstance(model, PolicyValueNetwork) and isinstance(model.tower, ResidualTower)
    if not residual or isinstance(model.policy, FromToHead):
        raise BadConfig(
            f"--init {source}: only a residual network without from-to policy can begin with a file; "
            "give a run's folder"
        )
    assert isinstance(model, PolicyValueNetwork)
    layout = layout_of(config)
    _, history_planes = layout.history or (0, layout.planes)
    try:
        load_trained(model, layers_of(onnx.load(source).graph), layout.planes - history_planes)
    except (OSError, DecodeError, ValueError, RuntimeError, KeyError) as error:
        raise BadConfig(
            f"--init {source}: not a residual network of the same width ({type(error).__name__})"
        ) from None
    calibrate(model, planes, context)
