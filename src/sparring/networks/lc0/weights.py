"""What a file of Lc0's holds, with the shapes made plain: bodies, heads and their layers.

Matrices are [outputs, inputs], as in the files. Batch normalisation is already part of the
convolutions, as it is when Lc0 loads a file.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float32]

PLANES = 112
SQUARES = 64
POLICY = 1858
CONVOLUTION_POLICY_PLANES = 73
"""The planes of a convolution policy that mean moves; files have some more that do not."""


class Activation(Enum):
    """What follows a layer; the values are those of Lc0's files."""

    MISH = 1
    RELU = 2
    NONE = 3
    TANH = 4
    SIGMOID = 5
    SELU = 6
    SWISH = 7
    RELU_SQUARED = 8


@dataclass(frozen=True)
class Dense:
    """A fully connected layer."""

    weights: Array  # [outputs, inputs]
    biases: Array  # [outputs]

    @property
    def outputs(self) -> int:
        """How many numbers come out."""
        return len(self.biases)


@dataclass(frozen=True)
class Convolution:
    """A convolution that keeps the board's size."""

    weights: Array  # [outputs, inputs, kernel, kernel]
    biases: Array  # [outputs]

    @property
    def outputs(self) -> int:
        """How many planes come out."""
        return len(self.biases)


@dataclass(frozen=True)
class Excitation:
    """A squeeze-and-excitation unit: its output scales (first half) and shifts every plane."""

    squeeze: Dense
    excite: Dense  # outputs twice the planes


@dataclass(frozen=True)
class ResidualBlock:
    """Two convolutions beside a skip connection."""

    first: Convolution
    second: Convolution
    excitation: Excitation | None


@dataclass(frozen=True)
class ResidualTower:
    """A body of convolutions."""

    input: Convolution
    blocks: tuple[ResidualBlock, ...]

    @property
    def width(self) -> int:
        """Planes."""
        return self.input.outputs


@dataclass(frozen=True)
class Norm:
    """A layer normalisation."""

    gammas: Array
    betas: Array


@dataclass(frozen=True)
class Smolgen:
    """Makes an addition to the attention weights out of the whole board."""

    compress: Array  # [compressed, embedding], for each square
    first: Dense  # from all squares together
    first_norm: Norm
    second: Dense  # outputs `heads` parts
    second_norm: Norm


@dataclass(frozen=True)
class FeedForward:
    """Two dense layers with an activation between them."""

    first: Dense
    second: Dense


@dataclass(frozen=True)
class EncoderLayer:
    """Attention between the squares, then a feed-forward layer for each."""

    heads: int
    query: Dense
    key: Dense
    value: Dense
    output: Dense
    smolgen: Smolgen | None
    attention_norm: Norm
    feed_forward: FeedForward
    feed_forward_norm: Norm


@dataclass(frozen=True)
class DenseEmbedding:
    """The newer kind of input: a dense layer over all squares sees the pieces before each square does."""

    pieces: Dense  # from 12 planes of 64 squares to some numbers a square
    norm: Norm
    feed_forward: FeedForward
    feed_forward_norm: Norm


@dataclass(frozen=True)
class Gate:
    """A factor and an addend for every number of the embedding."""

    factors: Array  # [64, embedding]
    addends: Array  # [64, embedding]


@dataclass(frozen=True)
class AttentionBody:
    """A body of encoder layers."""

    embedding: Dense
    """From the planes and 64 numbers that tell the square (or what `dense` made) to the embedding."""
    dense: DenseEmbedding | None
    gate: Gate | None
    layers: tuple[EncoderLayer, ...]
    smolgen: Array | None  # [64 * 64, numbers a head], shared by all layers

    @property
    def width(self) -> int:
        """Numbers a square."""
        return self.embedding.outputs


Body: TypeAlias = ResidualTower | AttentionBody


@dataclass(frozen=True)
class ClassicalPolicy:
    """A convolution of one square and a dense layer."""

    entry: Convolution
    output: Dense


@dataclass(frozen=True)
class ConvolutionPolicy:
    """Two convolutions; a plane says how a move goes, a square where from."""

    first: Convolution
    second: Convolution


@dataclass(frozen=True)
class AttentionPolicy:
    """Attention between from-squares and to-squares."""

    embedding: Dense
    layers: tuple[EncoderLayer, ...]
    query: Dense
    key: Dense
    promotion: Array  # [4, key's outputs]: queen, rook, bishop, all three


Policy: TypeAlias = ClassicalPolicy | ConvolutionPolicy | AttentionPolicy


@dataclass(frozen=True)
class Head:
    """The shape of the value and moves-left heads."""

    entry: Convolution | Dense  # for every square
    hidden: Dense
    output: Dense


@dataclass(frozen=True)
class Weights:
    """A whole network."""

    body: Body
    policy: Policy
    value: Head  # outputs 3 for win, draw and loss, or 1
    moves_left: Head | None
    activation: Activation
    smolgen_activation: Activation
    feed_forward_activation: Activation
    parameters: int
    licence: str
    training_steps: int
