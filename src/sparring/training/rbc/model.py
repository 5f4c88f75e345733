"""Synopsis network in PyTorch (DSMCP paper, figure 6): a shared residual tower and headsets.

Shapes: n synopses, `width` channels. `training.rbc.export` writes the same network as an ONNX graph.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from sparring.belief import PLANES
from sparring.training.rbc.config import RbcTrainingConfig, SynopsisNetworkConfig
from sparring.training.rbc.examples import PIECE_TYPES

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
        self._stopped = [each.stop_gradient for each in config.headsets]

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
