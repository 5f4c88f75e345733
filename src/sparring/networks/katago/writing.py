"""KataGo's networks as ONNX graphs.

Inputs: `spatial` [batch, 22, side, side] and `global` [batch, 19], of networks that imitate people also
`metadata` [batch, 192]. Outputs: `policy` [batch, side * side + 1], logits with the pass last; `value`
[batch, 3], logits of win, loss and no result for the player to move; `score` [batch, 4 or 6], of which the
third is the lead; `ownership` [batch, side * side], 1 for the player to move.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import numpy as np
import onnx

from sparring.networks.card import ModelCard
from sparring.networks.graph import Graph
from sparring.networks.katago.blocks import biased, block
from sparring.networks.katago.layers import (
    SIDE,
    Board,
    activate,
    convolve,
    dense,
    mean_over_board,
    multiply,
    normalised,
    number,
    rms_normalised,
    spread,
)
from sparring.networks.katago.parsing import GLOBAL_INPUTS, METADATA_INPUTS, SPATIAL_INPUTS
from sparring.networks.katago.transformer import LARGEST
from sparring.networks.katago.weights import (
    Attention,
    Block,
    Convolution,
    FeedForward,
    Floats,
    GlobalPooling,
    Nested,
    PolicyHead,
    Residual,
    RmsActivation,
    Trunk,
    ValueHead,
    Weights,
)

_ROOT_OPTIMISM = 0.2
"""The share of the optimistic policy in what KataGo reports for a position it is asked about."""

_WORDS = {
    Residual: "residual",
    GlobalPooling: "global pooling",
    Nested: "nested bottleneck",
    Attention: "attention",
    FeedForward: "feed-forward",
}


def write(weights: Weights, name: str) -> onnx.ModelProto:
    """The network's graph, with its card."""
    g = Graph()
    side: int | str = LARGEST if _is_transformer(weights.trunk) else SIDE
    planes = g.input("spatial", [SPATIAL_INPUTS, side, side])
    numbers = g.input("global", [GLOBAL_INPUTS])
    imitates = weights.trunk.metadata is not None
    people = g.input("metadata", [METADATA_INPUTS]) if imitates else None
    board = Board.of(g, planes)

    x = trunk(board, planes, numbers, people, weights.trunk)
    # A network that imitates people has no use for optimism: its first policy is what people play.
    g.output("policy", policy_head(board, x, weights.policy, 0.0 if imitates else _ROOT_OPTIMISM), ["moves"])
    value, score, ownership = value_head(board, x, weights.value)
    g.output("value", value, [3])
    g.output("score", score, [weights.value.score.bias.size])
    g.output("ownership", ownership, ["points"])
    return g.finish(_card(weights, name, g.parameters))


def trunk(board: Board, planes: str, numbers: str, people: str | None, weights: Trunk) -> str:
    """The inputs through all blocks, activated for the heads."""
    g = board.graph
    bias = multiply(g, numbers, weights.globals_)
    if people is not None and weights.metadata is not None:
        first, second, last = weights.metadata
        bias = g.op("Add", bias, multiply(g, dense(g, dense(g, people, first), second), last))
    x = g.op("Add", convolve(board, planes, weights.spatial), spread(g, bias, weights.channels))
    for each in weights.blocks:
        x = block(board, x, each)
    if isinstance(weights.tip, RmsActivation):
        return rms_normalised(board, x, weights.tip)
    return normalised(board, x, weights.tip)


def policy_head(board: Board, x: str, weights: PolicyHead, optimism: float) -> str:
    """[batch, points + 1]: logits of the points and the pass."""
    g = board.graph
    x, pool = biased(board, x, weights.first)
    blended = Convolution(blend(weights.logits.weights.T, optimism).T, weights.logits.dilation)
    points = g.reshape(convolve(board, x, blended), 0, -1)
    if weights.pass_hidden is not None:
        pool = dense(g, pool, weights.pass_hidden)
    return g.op("Concat", points, multiply(g, pool, blend(weights.to_pass, optimism)), axis=1)


def blend(weights: Floats, optimism: float) -> Floats:
    """[..., 1] from [..., channels]: the plain policy's weights, and a share of the optimistic one's.

    Both give logits without a further nonlinearity, so that blending weights is blending logits."""
    plain = weights[..., :1]
    return plain if weights.shape[-1] == 1 else plain + np.float32(optimism) * (weights[..., 1:2] - plain)


def value_head(board: Board, x: str, weights: ValueHead) -> tuple[str, str, str]:
    """Result, score and ownership."""
    g = board.graph
    x = convolve(board, x, weights.convolution, weights.activation)
    x = activate(board, x, weights.activation.kind)
    mean = mean_over_board(board, x)
    spread_of_widths = g.op("Sub", g.op("Mul", board.width, board.width), number(g, 0.1))
    pool = g.op("Concat", mean, *(g.op("Mul", mean, by) for by in (board.width, spread_of_widths)), axis=1)
    hidden = dense(g, pool, weights.hidden)
    ownership = g.reshape(g.op("Tanh", convolve(board, x, weights.ownership)), 0, -1)
    return dense(g, hidden, weights.value), dense(g, hidden, weights.score), ownership


def _is_transformer(trunk: Trunk) -> bool:
    return any(isinstance(each, Attention | FeedForward) for each in _all_blocks(trunk.blocks))


def _all_blocks(blocks: tuple[Block, ...]) -> Iterator[Block]:
    for each in blocks:
        yield each
        if isinstance(each, Nested):
            yield from _all_blocks(each.blocks)


def _card(weights: Weights, name: str, parameters: int) -> ModelCard:
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
            "side": LARGEST if _is_transformer(weights.trunk) else 0,
            "metadata": int(weights.trunk.metadata is not None),
        },
    )
