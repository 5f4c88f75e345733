"""Initial weights of a training from a trained network, which may have fewer blocks or positions.

Trained blocks are spread over the new network. Blocks between them begin as the identity: at first the new
network predicts as the trained one does. New positions in the input begin with weights of 0.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import numpy as np
import onnx
import torch
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]  # protobuf ships no types
from numpy.typing import NDArray
from onnx import numpy_helper
from torch import Tensor, nn

from sparring.base.errors import BadConfig
from sparring.training.config import TrainingConfig
from sparring.training.model import (
    FromToHead,
    PlanesHead,
    PointsHead,
    PolicyValueNetwork,
    ResidualBlock,
    ResidualTower,
    layout_of,
)
from sparring.training.trainer import read_checkpoint

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
