"""Converts KataGo's networks to ONNX graphs.

Inputs: `spatial` [batch, 22, side, side] and `global` [batch, 19]; for human-SL networks also `metadata`
[batch, 192]. Outputs: `policy` [batch, side * side + 1], logits with the pass last; `value` [batch, 3],
logits of win, loss and no result for the player to move; `score` [batch, 4 or 6], of which the third is the
lead; `ownership` [batch, side * side], 1 for the player to move.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import numpy as np
import onnx

from sparring.networks.card import ModelCard
from sparring.networks.graph import GraphBuilder
from sparring.networks.katago.blocks import block, global_pooling_convolution
from sparring.networks.katago.layers import (
    SIDE,
    BoardContext,
    activate,
    batch_norm_activation,
    broadcast_to_board,
    convolve,
    dense,
    matmul,
    mean_over_board,
    rms_norm_activation,
    scalar,
)
from sparring.networks.katago.parsing import GLOBAL_INPUTS, METADATA_INPUTS, SPATIAL_INPUTS
from sparring.networks.katago.transformer import MAX_BOARD_SIZE
from sparring.networks.katago.weights import (
    Floats,
    GlobalPoolingBlock,
    KataGoAttention,
    KataGoConvolution,
    KataGoFeedForward,
    KataGoWeights,
    NestedBottleneckBlock,
    OrdinaryBlock,
    PolicyHead,
    RmsNormActivation,
    Trunk,
    TrunkBlock,
    ValueHead,
)

_ROOT_OPTIMISM = 0.2
"""The share of the optimistic policy in KataGo's policy at the root."""

_WORDS = {
    OrdinaryBlock: "residual",
    GlobalPoolingBlock: "global pooling",
    NestedBottleneckBlock: "nested bottleneck",
    KataGoAttention: "attention",
    KataGoFeedForward: "feed-forward",
}


def to_onnx(weights: KataGoWeights, name: str) -> onnx.ModelProto:
    """The network's graph, with its card."""
    g = GraphBuilder()
    side: int | str = MAX_BOARD_SIZE if _is_transformer(weights.trunk) else SIDE
    planes = g.input("spatial", [SPATIAL_INPUTS, side, side])
    numbers = g.input("global", [GLOBAL_INPUTS])
    has_metadata = weights.trunk.metadata is not None
    metadata_input = g.input("metadata", [METADATA_INPUTS]) if has_metadata else None
    board = BoardContext.of(g, planes)

    x = trunk(board, planes, numbers, metadata_input, weights.trunk)
    # Human-SL networks: the plain policy predicts people's moves, so there is no optimism.
    g.output(
        "policy", policy_head(board, x, weights.policy, 0.0 if has_metadata else _ROOT_OPTIMISM), ["moves"]
    )
    value, score, ownership = value_head(board, x, weights.value)
    g.output("value", value, [3])
    g.output("score", score, [weights.value.score.bias.size])
    g.output("ownership", ownership, ["points"])
    return g.build(_card(weights, name, g.parameters))


def trunk(board: BoardContext, planes: str, numbers: str, metadata_input: str | None, weights: Trunk) -> str:
    """The inputs through all blocks, with the final activation."""
    g = board.graph
    bias = matmul(g, numbers, weights.globals_)
    if metadata_input is not None and weights.metadata is not None:
        first, second, last = weights.metadata
        bias = g.op("Add", bias, matmul(g, dense(g, dense(g, metadata_input, first), second), last))
    x = g.op("Add", convolve(board, planes, weights.spatial), broadcast_to_board(g, bias, weights.channels))
    for each in weights.blocks:
        x = block(board, x, each)
    if isinstance(weights.tip, RmsNormActivation):
        return rms_norm_activation(board, x, weights.tip)
    return batch_norm_activation(board, x, weights.tip)


def policy_head(board: BoardContext, x: str, weights: PolicyHead, optimism: float) -> str:
    """Logits of the points and the pass: [batch, points + 1]."""
    g = board.graph
    x, pool = global_pooling_convolution(board, x, weights.first)
    blended = KataGoConvolution(blend_optimism(weights.logits.weights.T, optimism).T, weights.logits.dilation)
    points = g.reshape(convolve(board, x, blended), 0, -1)
    if weights.pass_hidden is not None:
        pool = dense(g, pool, weights.pass_hidden)
    return g.op("Concat", points, matmul(g, pool, blend_optimism(weights.to_pass, optimism)), axis=1)


def blend_optimism(weights: Floats, optimism: float) -> Floats:
    """Policy weights [..., 1] from [..., channels]: the plain policy with a share of the optimistic one.

    Both are linear in the weights, so blending weights is blending logits.
    """
    plain = weights[..., :1]
    return plain if weights.shape[-1] == 1 else plain + np.float32(optimism) * (weights[..., 1:2] - plain)


def value_head(board: BoardContext, x: str, weights: ValueHead) -> tuple[str, str, str]:
    """Result, score and ownership."""
    g = board.graph
    x = convolve(board, x, weights.convolution, weights.activation)
    x = activate(board, x, weights.activation.kind)
    mean = mean_over_board(board, x)
    width_variance = g.op("Sub", g.op("Mul", board.width, board.width), scalar(g, 0.1))
    pool = g.op("Concat", mean, *(g.op("Mul", mean, by) for by in (board.width, width_variance)), axis=1)
    hidden = dense(g, pool, weights.hidden)
    ownership = g.reshape(g.op("Tanh", convolve(board, x, weights.ownership)), 0, -1)
    return dense(g, hidden, weights.value), dense(g, hidden, weights.score), ownership


def _is_transformer(trunk: Trunk) -> bool:
    return any(isinstance(each, KataGoAttention | KataGoFeedForward) for each in _all_blocks(trunk.blocks))


def _all_blocks(blocks: tuple[TrunkBlock, ...]) -> Iterator[TrunkBlock]:
    for each in blocks:
        yield each
        if isinstance(each, NestedBottleneckBlock):
            yield from _all_blocks(each.blocks)


def _card(weights: KataGoWeights, name: str, parameters: int) -> ModelCard:
    blocks = weights.trunk.blocks
    kinds = Counter(_WORDS[type(each)] for each in blocks)
    words = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
    # KataGo's runs name their networks after the samples they saw and the positions these came from.
    run = re.search(r"-s([0-9]+)-d([0-9]+)$", weights.name)
    return ModelCard(
        name=name,
        game="go",
        codec="katago",
        architecture=f"{len(blocks)} blocks of {weights.trunk.channels} channels ({words}), "
        f"{weights.trunk.tip.kind}",
        parameters=parameters,
        source=f"KataGo network {weights.name}, format version {weights.version}",
        trained_on=f"{int(run[2]):,} positions of self-play, {int(run[1]):,} samples" if run else "unknown",
        settings={
            "version": weights.version,
            "lead_multiplier": weights.lead_multiplier,
            "side": MAX_BOARD_SIZE if _is_transformer(weights.trunk) else 0,
            "metadata": int(weights.trunk.metadata is not None),
        },
    )
