"""Trains a residual network (Go, shogi) for a number of seconds, from the weights of a trained one.

    python -m studies.student.train_go --config FILE --init NET.onnx --records DIR --seconds 540 --out DIR

It is `sparring train people` with another start and a rate that follows the clock; without --seconds and
--end it has the steps of the configuration. Trained blocks are spread over the new network. Blocks between
them begin as the identity: at first it predicts as the trained one does.
The trained network may have fewer positions in its input (shogi): the others begin with weights of 0.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any, cast

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import numpy_helper
from torch import Tensor, nn

from sparring.storage import atomic_write
from sparring.training import checkpoints
from sparring.training.config import TrainingConfig, load_training_config
from sparring.training.ema import ExponentialMovingAverage
from sparring.training.layouts import layout_of
from sparring.training.loader import Cursor, RecordLoader
from sparring.training.model import PlanesHead, PointsHead, PolicyValueNetwork, ResidualBlock, ResidualTower
from sparring.training.optimisers import make_optimiser
from sparring.training.trainer import Trainer, TrainingProgress

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
    trained = (len(layers) - rest) // 5
    order: list[tuple[nn.Module, nn.Module | None]] = [(model.context.project, None)]
    order.append((tower.stem, tower.stem_norm))
    for i in chosen_blocks(trained, len(tower.blocks)):
        block = cast(ResidualBlock, tower.blocks[i])
        order += [(block.first, block.first_norm), (block.second, block.second_norm)]
        order += [(block.squeeze, None), (block.condition, None), (block.excite, None)]
    order += [(part, None) for part in head]
    order += [(part, None) for part in (model.value_embed, model.condition, model.result)]
    for (layer, norm), arrays in zip(order, layers, strict=True):
        weights = torch.from_numpy(arrays[0])
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
def start(network: Path, config: TrainingConfig, tables: list[Path], folder: Path) -> PolicyValueNetwork:
    """Writes the checkpoint and returns the network."""
    torch.manual_seed(config.training.seed)
    model = PolicyValueNetwork(config.network, layout_of(config))
    layout = layout_of(config)
    _, history_planes = layout.history or (0, layout.planes)
    load_trained(model, layers_of(onnx.load(network).graph), layout.planes - history_planes)
    batch = RecordLoader(config, tables, torch.device("cpu")).example(Cursor()).minibatch
    calibrate(model, batch.planes, batch.context)
    state = {
        "step": 0,
        "cursor": (0, 0),
        "model": model.state_dict(),
        "average": ExponentialMovingAverage(model, config.training.ema_decay).state,
        "optimiser": make_optimiser(model, config.training).state_dict(),
        "measured": None,
    }
    folder.mkdir(parents=True, exist_ok=True)
    checkpoints.save(folder, config, state)
    return model


def train(trainer: Trainer, end: float) -> None:
    """Trains until a time of the clock. The rate follows the clock, so a run ends in time at any speed.

    `model.onnx` is written after every validation.
    """
    trainer.prepare()
    began, written = time.time(), trainer.metrics

    def report(progress: TrainingProgress) -> None:
        nonlocal written
        part = min(1.0, max(1e-6, (time.time() - began) / (end - began)))
        trainer.config = trainer.config.changed(steps=max(progress.step + 1, round(progress.step / part)))
        if progress.validation is not written:
            written = progress.validation
            atomic_write(trainer.folder / "model.onnx", trainer.export().SerializeToString())
            print(progress, flush=True)

    trainer.train(report, stop_at=time.monotonic() + end - began)


def main() -> None:
    """Runs the command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--config", required=True)
    parser.add_argument("--init", type=Path, help="the trained network; without it random weights")
    parser.add_argument("--records", type=Path, action="append", required=True)
    parser.add_argument("--seconds", type=float, default=0.0)
    parser.add_argument("--end", type=float, default=0.0, help="time of the clock, instead of --seconds")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--compiled", action="store_true")
    parser.add_argument("--out", type=Path, required=True)
    o = parser.parse_args()
    config, timed = load_training_config(o.config), bool(o.end or o.seconds)
    if timed:
        config = config.changed(steps=10**8)  # the time ends the run
    if o.init:
        start(o.init, config, o.records, o.out)
    trainer = Trainer(config, o.records, o.out, compiled=o.compiled, threads=o.threads)
    if timed:
        train(trainer, o.end or time.time() + o.seconds)
    else:
        trainer.train()


if __name__ == "__main__":
    main()
