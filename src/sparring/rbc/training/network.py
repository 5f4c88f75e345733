"""Synopsis network (DSMCP paper, figure 6): a shared residual tower and headsets, in PyTorch and as an ONNX
graph.

Shapes: n synopses, `width` channels. `ActionMask` computes the actions that a player may choose from the
planes of a synopsis alone: at a sense the 64 senses; at a move reconchess's `move_actions` and the pass, that
is the moves of the player's pieces on a board without the opponent's, all diagonal steps of pawns, and
castling.

`export_synopsis_network` writes the graph node by node, with batch normalisation folded into the
convolutions. Every headset has the outputs `policy_H` and `value_H`; the other heads only serve the training.
A player extracts the part of the graph that it needs.
"""

from __future__ import annotations

from typing import Any, NamedTuple, cast

import chess
import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from sparring.networks.card import ModelCard
from sparring.networks.graph import GraphBuilder
from sparring.rbc.plugin import DESCRIPTION
from sparring.rbc.synopsis import ACTIONS, CODEC, PASS_ACTION, PLANES, SENSES
from sparring.rbc.training.config import RbcTrainingConfig, SynopsisNetworkConfig
from sparring.rbc.training.examples import PIECE_TYPES

COUNTS = 11
"""Numbers of pieces of a type that are told apart, from 0."""
VALUE_CHANNELS = 8
"""Channels per square before the value heads."""


class HeadOutputs(NamedTuple):
    """Outputs of one headset."""

    policy: Tensor
    """[n, 4161]: logits of the actions."""
    value: Tensor
    """[n]: expected result, from -1 to 1."""
    soon: Tensor
    """[n, 2]: logits of winning soon and of losing soon."""
    pieces: Tensor
    """[n, 6, COUNTS]: logits of the numbers of the opponent's pieces."""


class PlainResidualBlock(nn.Module):
    """Two 3x3 convolutions with batch normalisation and a skip connection: [n, width, 8, 8] to the same."""

    def __init__(self, width: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.dropout = nn.Dropout2d(dropout)
        self.first = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.first_norm = nn.BatchNorm2d(width)
        self.second = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.second_norm = nn.BatchNorm2d(width)

    def forward(self, x: Tensor) -> Tensor:
        """Returns the output of the block."""
        y = self.dropout(functional.relu(self.first_norm(self.first(x))))
        return functional.relu(x + self.second_norm(self.second(y)))


class ActionHead(nn.Module):
    """Logits of senses, moves and the pass: [n, width, 8, 8] to [n, 4161].

    A sense is a number of its square. A move is the product of the query of its from-square and the key of
    its to-square.
    """

    def __init__(self, part: SynopsisNetworkConfig) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(
            PlainResidualBlock(part.width, part.dropout) for _ in range(part.policy_blocks)
        )
        self.dropout = nn.Dropout2d(part.dropout)
        self.embed = nn.Conv2d(part.width, part.width, 1)
        self.sense = nn.Conv2d(part.width, 1, 1)
        self.query = nn.Conv2d(part.width, part.policy_width, 1)
        self.key = nn.Conv2d(part.width, part.policy_width, 1)
        self.passing = nn.Linear(part.width, 1)

    def forward(self, x: Tensor) -> Tensor:
        """Returns the logits."""
        for block in self.blocks:
            x = block(x)
        x = self.dropout(functional.relu(self.embed(x)))
        query, key = self.query(x).flatten(2), self.key(x).flatten(2)
        moves = query.transpose(1, 2) @ key * self.query.out_channels**-0.5
        return torch.cat([self.sense(x).flatten(1), moves.flatten(1), self.passing(x.mean((2, 3)))], dim=1)


class Headset(nn.Module):
    """The heads of some players: policy, value, soon-win, soon-lose and piece counts."""

    def __init__(self, part: SynopsisNetworkConfig) -> None:
        super().__init__()
        self.policy = ActionHead(part)
        self.value_squares = nn.Conv2d(part.width, VALUE_CHANNELS, 1)
        self.value_hidden = nn.Linear(VALUE_CHANNELS * 64, part.value_width)
        self.dropout = nn.Dropout(part.dropout)
        self.value = nn.Linear(part.value_width, 1)
        self.soon = nn.Linear(part.value_width, 2)
        self.pieces = nn.Linear(part.value_width, len(PIECE_TYPES) * COUNTS)

    def forward(self, x: Tensor) -> HeadOutputs:
        """Returns the outputs for features [n, width, 8, 8]."""
        squares = functional.relu(self.value_squares(x)).flatten(1)
        hidden = self.dropout(functional.relu(self.value_hidden(self.dropout(squares))))
        return HeadOutputs(
            self.policy(x),
            torch.tanh(self.value(hidden)).squeeze(1),
            self.soon(hidden),
            self.pieces(hidden).unflatten(1, (len(PIECE_TYPES), COUNTS)),
        )


class SynopsisNetwork(nn.Module):
    """Tower and headsets. Input: planes [n, 104, 8, 8] of 0 and 1."""

    def __init__(self, config: RbcTrainingConfig) -> None:
        super().__init__()
        part = config.network
        self.stem = nn.Conv2d(len(PLANES), part.width, 3, padding=1, bias=False)
        self.stem_norm = nn.BatchNorm2d(part.width)
        self.tower = nn.ModuleList(PlainResidualBlock(part.width, part.dropout) for _ in range(part.blocks))
        self.headsets = nn.ModuleList(Headset(part) for _ in config.headsets)
        self._stopped = [headset.stop_gradient for headset in config.headsets]

    def features(self, planes: Tensor) -> Tensor:
        """Returns the output of the tower, [n, width, 8, 8]."""
        x = functional.relu(self.stem_norm(self.stem(planes)))
        for block in self.tower:
            x = block(x)
        return x

    def forward(self, planes: Tensor, headset: int) -> HeadOutputs:
        """Returns the outputs of one headset, by its index."""
        x = self.features(planes)
        if self._stopped[headset]:
            x = x.detach()
        outputs: HeadOutputs = self.headsets[headset](x)
        return outputs


def unpack_synopses(words: Tensor) -> Tensor:
    """Converts synopses, int64 [n, 104], to planes of 0 and 1, float32 [n, 104, 8, 8], on their device."""
    shifts = torch.arange(64, device=words.device)
    return (words.unsqueeze(2) >> shifts & 1).view(*words.shape, 8, 8).float()


_NUMBER = {plane.name: number for number, plane in enumerate(PLANES)}
_STAGE = _NUMBER["Stage (move or sense)"]
_PIECES = slice(_NUMBER["Own pawns"], _NUMBER["Own king"] + 1)
"""Pawns, knights, bishops, rooks, queens, king: a slice, because a CUDA graph cannot copy a list."""
_OWN = _NUMBER["All own pieces"]
_CASTLES = _NUMBER["May castle eventually"]
_KING_HOME = 4
_CASTLING = ((6, slice(5, 7)), (2, slice(1, 4)))
"""Where the king castles to, and the squares that must be free of the player's own pieces."""


class ActionMask(nn.Module):
    """Computes which actions are possible: planes [n, 104, 8, 8] to bool [n, 4161]."""

    between: Tensor
    """[4096, 64]: squares between two squares of a line."""
    reach: Tensor
    """[6, 64, 64]: moves of each piece type from square to square on an empty board."""

    def __init__(self) -> None:
        super().__init__()
        between, reach = _geometry()
        self.register_buffer("between", torch.from_numpy(between), persistent=False)
        self.register_buffer("reach", torch.from_numpy(reach), persistent=False)

    @torch.no_grad()
    def forward(self, planes: Tensor) -> Tensor:
        """Returns True for each action that is possible."""
        n = len(planes)
        squares = planes.flatten(2)
        own = squares[:, _OWN]
        free = (own @ self.between.T).view(n, 64, 64) == 0
        pieces = squares[:, _PIECES]
        moves = torch.einsum("ntf,tfg->nfg", pieces, self.reach) > 0
        moves &= free & (own == 0)[:, None, :]
        for target, path in _CASTLING:
            way_is_free = own[:, path].sum(1) == 0
            moves[:, _KING_HOME, target] |= way_is_free & (squares[:, _CASTLES, target] > 0)
        moving = squares[:, _STAGE, :1] > 0
        mask = torch.zeros(n, ACTIONS, dtype=torch.bool, device=planes.device)
        mask[:, :SENSES] = ~moving
        mask[:, SENSES:PASS_ACTION] = moves.flatten(1) & moving
        mask[:, PASS_ACTION:] = moving
        return mask


def _geometry() -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Squares between two squares, and moves on an empty board by piece type, pawns moving up."""
    between = [chess.SquareSet.between(a, b).tolist() for a in chess.SQUARES for b in chess.SQUARES]
    reach = np.zeros((6, 64, 64), np.float32)
    for square in chess.SQUARES:
        board = chess.BaseBoard.empty()
        for kind, piece_type in enumerate(chess.PIECE_TYPES):
            board.set_piece_at(square, chess.Piece(piece_type, chess.WHITE))
            reach[kind, square, list(board.attacks(square))] = 1
        steps = 2 if chess.square_rank(square) == 1 else 1
        reach[0, square, [target for target in (square + 8, square + 16)[:steps] if target < 64]] = 1
    return np.array(between, np.float32), reach


def export_synopsis_network(
    model: SynopsisNetwork, config: RbcTrainingConfig, card: dict[str, Any]
) -> onnx.ModelProto:
    """Returns the ONNX model; `card` has further fields of the ModelCard.

    Input: `planes` float [batch, 104, 8, 8]. Outputs of each headset H: `policy_H` logits [batch, 4161] and
    `value_H` [batch, 1].
    """
    graph = GraphBuilder()
    x = graph.input("planes", (len(PLANES), 8, 8))
    x = graph.op("Relu", _convolution(graph, x, model.stem, model.stem_norm))
    for block in model.tower:
        x = _residual(graph, x, cast(PlainResidualBlock, block))
    for name, module in zip(config.headset_names, model.headsets, strict=True):
        headset = cast(Headset, module)
        graph.output(f"policy_{name}", _policy(graph, x, headset.policy), (ACTIONS,))
        graph.output(f"value_{name}", _value(graph, x, headset), (1,))
    part = config.network
    return graph.build(
        ModelCard(
            name=config.name,
            game=DESCRIPTION.name,
            codec=CODEC,
            architecture=f"residual {part.blocks}x{part.width}, {len(config.headsets)} headsets, "
            f"{part.policy_blocks} residual blocks and from-to products of size {part.policy_width} a policy",
            parameters=sum(parameter.numel() for parameter in model.parameters()),
            settings={"headsets": ",".join(config.headset_names)},
            **card,
        )
    )


def _policy(graph: GraphBuilder, x: str, head: ActionHead) -> str:
    for block in head.blocks:
        x = _residual(graph, x, cast(PlainResidualBlock, block))
    x = graph.op("Relu", _convolution(graph, x, head.embed))
    width, size = head.embed.out_channels, head.query.out_channels
    query = graph.reshape(_convolution(graph, x, head.query, scale=size**-0.5), 0, size, 64)
    key = graph.reshape(_convolution(graph, x, head.key), 0, size, 64)
    moves = graph.op("MatMul", graph.op("Transpose", query, perm=[0, 2, 1]), key)
    pooled = graph.reshape(graph.op("GlobalAveragePool", x), -1, width)
    return graph.op(
        "Concat",
        graph.reshape(_convolution(graph, x, head.sense), 0, 64),
        graph.reshape(moves, 0, 64 * 64),
        _dense(graph, pooled, head.passing),
        axis=1,
    )


def _value(graph: GraphBuilder, x: str, headset: Headset) -> str:
    squares = graph.op("Relu", _convolution(graph, x, headset.value_squares))
    squares = graph.reshape(squares, 0, headset.value_hidden.in_features)
    hidden = graph.op("Relu", _dense(graph, squares, headset.value_hidden))
    return graph.op("Tanh", _dense(graph, hidden, headset.value))


def _residual(graph: GraphBuilder, x: str, block: PlainResidualBlock) -> str:
    y = graph.op("Relu", _convolution(graph, x, block.first, block.first_norm))
    y = _convolution(graph, y, block.second, block.second_norm)
    return graph.op("Relu", graph.op("Add", y, x))


def _convolution(
    graph: GraphBuilder, x: str, layer: nn.Conv2d, norm: nn.BatchNorm2d | None = None, scale: float = 1.0
) -> str:
    weights = _array(layer.weight)
    if norm is None:
        biases = _array(cast(Tensor, layer.bias))
    else:
        factors = _array(norm.weight) / np.sqrt(_array(norm.running_var) + norm.eps)
        biases = _array(norm.bias) - _array(norm.running_mean) * factors
        weights = weights * factors[:, None, None, None]
    kernel = weights.shape[-1]
    return graph.op(
        "Conv",
        x,
        graph.weights(weights * np.float32(scale)),
        graph.weights(biases * np.float32(scale)),
        kernel_shape=[kernel, kernel],
        pads=[kernel // 2] * 4,
    )


def _dense(graph: GraphBuilder, x: str, layer: nn.Linear) -> str:
    return graph.op(
        "Gemm", x, graph.weights(_array(layer.weight)), graph.weights(_array(layer.bias)), transB=1
    )


def _array(tensor: Tensor | None) -> NDArray[np.float32]:
    assert tensor is not None
    return tensor.detach().float().cpu().numpy()
