"""The weights of a KataGo network as its file holds them, before they become a graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float32]
Nonlinearity: TypeAlias = Literal["identity", "relu", "mish", "silu"]


@dataclass(frozen=True)
class KataGoConvolution:
    """A convolution without bias that keeps the board's size."""

    weights: Floats
    """[out, in, rows, columns]"""
    dilation: tuple[int, int]

    @property
    def channels(self) -> tuple[int, int]:
        """In and out."""
        return int(self.weights.shape[1]), int(self.weights.shape[0])


@dataclass(frozen=True)
class BatchNormActivation:
    """Batch normalisation, its statistics folded into two numbers a channel, and a nonlinearity."""

    scale: Floats
    """[channels]"""
    bias: Floats
    """[channels]"""
    kind: Nonlinearity


@dataclass(frozen=True)
class RmsNormActivation:
    """Root-mean-square normalisation over channels, or over the whole board, and a nonlinearity."""

    scale: Floats
    bias: Floats
    epsilon: float
    spatial: bool
    kind: Nonlinearity


@dataclass(frozen=True)
class KataGoDense:
    """A matrix with a bias and a nonlinearity."""

    weights: Floats
    """[in, out]"""
    bias: Floats
    """[out]"""
    kind: Nonlinearity


@dataclass(frozen=True)
class OrdinaryBlock:
    """The ordinary block: two convolutions, each activated before."""

    before: BatchNormActivation
    first: KataGoConvolution
    between: BatchNormActivation
    second: KataGoConvolution


@dataclass(frozen=True)
class GlobalPoolingConvolution:
    """A convolution; another beside it is pooled over the board into a bias for every point."""

    local: KataGoConvolution
    global_pool: KataGoConvolution
    pooled_activation: BatchNormActivation
    to_bias: Floats
    """[3 * pooled channels, local channels]"""
    activation: BatchNormActivation


@dataclass(frozen=True)
class GlobalPoolingBlock:
    """The ordinary block with a bias from the whole board in its first convolution."""

    before: BatchNormActivation
    first: GlobalPoolingConvolution
    second: KataGoConvolution


@dataclass(frozen=True)
class NestedBottleneckBlock:
    """A bottleneck with blocks of its own inside."""

    before: BatchNormActivation
    first: KataGoConvolution
    blocks: tuple[TrunkBlock, ...]
    between: BatchNormActivation
    second: KataGoConvolution


@dataclass(frozen=True)
class RmsNorm:
    """Root-mean-square normalisation over channels at the beginning of a transformer's block."""

    scale: Floats
    epsilon: float


@dataclass(frozen=True)
class KataGoAttention:
    """Points of the board that look at each other. Heads may share their keys and values."""

    norm: RmsNorm
    query: Floats
    """[channels, heads * query size]"""
    key: Floats
    """[channels, key heads * query size]"""
    value: Floats
    """[channels, key heads * value size]"""
    out: Floats
    """[heads * value size, channels]"""
    heads: int
    kv_heads: int
    rope_angles: Floats | None
    """[key heads or 1, query size / 2, 2]: the angle by which a pair of channels turns for each step to the
    right and downwards."""


@dataclass(frozen=True)
class KataGoFeedForward:
    """A transformer's block that looks at each point alone (SwiGLU)."""

    norm: RmsNorm
    first: Floats
    gate: Floats
    second: Floats


TrunkBlock: TypeAlias = (
    OrdinaryBlock | GlobalPoolingBlock | NestedBottleneckBlock | KataGoAttention | KataGoFeedForward
)


@dataclass(frozen=True)
class Trunk:
    """Everything before the heads."""

    channels: int
    spatial: KataGoConvolution
    globals_: Floats
    """[global inputs, channels]"""
    metadata: tuple[KataGoDense, KataGoDense, Floats] | None
    """Of networks that imitate people: who plays, turned into a bias of the first layer."""
    blocks: tuple[TrunkBlock, ...]
    tip: BatchNormActivation | RmsNormActivation


@dataclass(frozen=True)
class PolicyHead:
    """Logits for every point and for the pass, in channels: plain, optimistic and others."""

    first: GlobalPoolingConvolution
    logits: KataGoConvolution
    pass_hidden: KataGoDense | None
    to_pass: Floats


@dataclass(frozen=True)
class ValueHead:
    """Win, loss and no result; numbers about the score; whose each point will be."""

    convolution: KataGoConvolution
    activation: BatchNormActivation
    hidden: KataGoDense
    value: KataGoDense
    score: KataGoDense
    ownership: KataGoConvolution


@dataclass(frozen=True)
class KataGoWeights:
    """A whole network."""

    name: str
    """As the file calls it."""
    version: int
    trunk: Trunk
    policy: PolicyHead
    value: ValueHead
    lead_multiplier: float
    """Points of lead for one unit of the score head's third output."""
