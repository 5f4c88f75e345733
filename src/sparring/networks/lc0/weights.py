"""The content of Lc0's files with explicit shapes: bodies, heads and their layers.

Matrices are [outputs, inputs], as in the files. Batch normalisation is folded into the convolutions, as Lc0
does when it loads a file.
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
"""The planes of a convolution policy that encode moves; files have a few more that do not."""


class ActivationFunction(Enum):
    """Activation functions; the values are those of net.proto."""

    MISH = 1
    RELU = 2
    NONE = 3
    TANH = 4
    SIGMOID = 5
    SELU = 6
    SWISH = 7
    RELU_SQUARED = 8


@dataclass(frozen=True)
class Lc0Dense:
    """A dense (fully connected) layer."""

    weights: Array  # [outputs, inputs]
    biases: Array  # [outputs]

    @property
    def outputs(self) -> int:
        """The number of outputs."""
        return len(self.biases)


@dataclass(frozen=True)
class Lc0Convolution:
    """A convolution with same padding."""

    weights: Array  # [outputs, inputs, kernel, kernel]
    biases: Array  # [outputs]

    @property
    def outputs(self) -> int:
        """The number of output planes."""
        return len(self.biases)


@dataclass(frozen=True)
class SqueezeExcitation:
    """A squeeze-and-excitation unit: its outputs scale (first half) and shift every plane."""

    squeeze: Lc0Dense
    excite: Lc0Dense  # outputs twice the planes


@dataclass(frozen=True)
class Lc0ResidualBlock:
    """Two convolutions with a skip connection."""

    first: Lc0Convolution
    second: Lc0Convolution
    squeeze_excitation: SqueezeExcitation | None


@dataclass(frozen=True)
class Lc0ResidualTower:
    """A body of convolutions."""

    input: Lc0Convolution
    blocks: tuple[Lc0ResidualBlock, ...]

    @property
    def width(self) -> int:
        """The number of planes."""
        return self.input.outputs


@dataclass(frozen=True)
class LayerNorm:
    """A layer normalisation."""

    gammas: Array
    betas: Array


@dataclass(frozen=True)
class Smolgen:
    """Smolgen: a bias of the attention logits, computed from the whole board."""

    compress: Array  # [compressed, embedding], for each square
    first: Lc0Dense  # from all squares together
    first_norm: LayerNorm
    second: Lc0Dense  # outputs `heads` parts
    second_norm: LayerNorm


@dataclass(frozen=True)
class Lc0FeedForward:
    """Two dense layers with an activation between them."""

    first: Lc0Dense
    second: Lc0Dense


@dataclass(frozen=True)
class EncoderLayer:
    """Self-attention between squares, then a feed-forward layer per square."""

    heads: int
    query: Lc0Dense
    key: Lc0Dense
    value: Lc0Dense
    output: Lc0Dense
    smolgen: Smolgen | None
    attention_norm: LayerNorm
    feed_forward: Lc0FeedForward
    feed_forward_norm: LayerNorm


@dataclass(frozen=True)
class DenseEmbedding:
    """The newer input embedding: a dense layer over the pieces of all squares comes first."""

    pieces: Lc0Dense  # from 12 planes of 64 squares to some numbers a square
    norm: LayerNorm
    feed_forward: Lc0FeedForward
    feed_forward_norm: LayerNorm


@dataclass(frozen=True)
class Gate:
    """A multiplicative and an additive gate for every element of the embedding."""

    factors: Array  # [64, embedding]
    addends: Array  # [64, embedding]


@dataclass(frozen=True)
class AttentionBody:
    """A body of encoder layers."""

    embedding: Lc0Dense
    """From the planes and the positional encoding of a square to the embedding."""
    dense: DenseEmbedding | None
    gate: Gate | None
    layers: tuple[EncoderLayer, ...]
    smolgen: Array | None  # [64 * 64, numbers a head], shared by all layers

    @property
    def width(self) -> int:
        """The embedding size."""
        return self.embedding.outputs


Body: TypeAlias = Lc0ResidualTower | AttentionBody


@dataclass(frozen=True)
class ClassicalPolicyHead:
    """A 1x1 convolution and a dense layer."""

    entry: Lc0Convolution
    output: Lc0Dense


@dataclass(frozen=True)
class ConvolutionPolicyHead:
    """Two convolutions; a plane is a kind of move, a square its origin."""

    first: Lc0Convolution
    second: Lc0Convolution


@dataclass(frozen=True)
class AttentionPolicyHead:
    """Attention between from-squares and to-squares."""

    embedding: Lc0Dense
    layers: tuple[EncoderLayer, ...]
    query: Lc0Dense
    key: Lc0Dense
    promotion: Array  # [4, key's outputs]: queen, rook, bishop, all three


Lc0PolicyHead: TypeAlias = ClassicalPolicyHead | ConvolutionPolicyHead | AttentionPolicyHead


@dataclass(frozen=True)
class Head:
    """A value or moves-left head."""

    entry: Lc0Convolution | Lc0Dense  # for every square
    hidden: Lc0Dense
    output: Lc0Dense


@dataclass(frozen=True)
class Lc0Weights:
    """A whole network."""

    body: Body
    policy: Lc0PolicyHead
    value: Head  # outputs 3 for win, draw and loss, or 1
    moves_left: Head | None
    activation: ActivationFunction
    smolgen_activation: ActivationFunction
    feed_forward_activation: ActivationFunction
    parameters: int
    licence: str
    training_steps: int
