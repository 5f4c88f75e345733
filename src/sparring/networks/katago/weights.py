"""The weights of a KataGo network as its file holds them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float32]
Nonlinearity: TypeAlias = Literal["identity", "relu", "mish", "silu"]


@dataclass(frozen=True)
class KataGoConvolution:
    """A convolution without bias and with same padding."""

    weights: Floats
    """[out, in, rows, columns]"""
    dilation: tuple[int, int]

    @property
    def channels(self) -> tuple[int, int]:
        """The numbers of input and output channels."""
        return int(self.weights.shape[1]), int(self.weights.shape[0])


@dataclass(frozen=True)
class BatchNormActivation:
    """Batch normalisation folded into a scale and a bias per channel, then a nonlinearity."""

    scale: Floats
    """[channels]"""
    bias: Floats
    """[channels]"""
    kind: Nonlinearity


@dataclass(frozen=True)
class RmsNormActivation:
    """RMS normalisation over channels, or over channels and board, then a nonlinearity."""

    scale: Floats
    bias: Floats
    epsilon: float
    spatial: bool
    kind: Nonlinearity


@dataclass(frozen=True)
class KataGoDense:
    """A dense layer with bias and nonlinearity."""

    weights: Floats
    """[in, out]"""
    bias: Floats
    """[out]"""
    kind: Nonlinearity


@dataclass(frozen=True)
class OrdinaryBlock:
    """KataGo's ordinary block: two convolutions with pre-activation."""

    before: BatchNormActivation
    first: KataGoConvolution
    between: BatchNormActivation
    second: KataGoConvolution


@dataclass(frozen=True)
class GlobalPoolingConvolution:
    """A convolution with a bias from a second convolution that is pooled over the board."""

    local: KataGoConvolution
    global_pool: KataGoConvolution
    pooled_activation: BatchNormActivation
    to_bias: Floats
    """[3 * pooled channels, local channels]"""
    activation: BatchNormActivation


@dataclass(frozen=True)
class GlobalPoolingBlock:
    """An ordinary block whose first convolution has a globally pooled bias."""

    before: BatchNormActivation
    first: GlobalPoolingConvolution
    second: KataGoConvolution


@dataclass(frozen=True)
class NestedBottleneckBlock:
    """A bottleneck block with inner blocks."""

    before: BatchNormActivation
    first: KataGoConvolution
    blocks: tuple[TrunkBlock, ...]
    between: BatchNormActivation
    second: KataGoConvolution


@dataclass(frozen=True)
class RmsNorm:
    """RMS normalisation over channels at the start of a transformer block."""

    scale: Floats
    epsilon: float


@dataclass(frozen=True)
class KataGoAttention:
    """Self-attention between points. Several heads may share keys and values."""

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
    """[key heads or 1, query size / 2, 2]: the rotation angle of a pair of channels per step right
    and down."""


@dataclass(frozen=True)
class KataGoFeedForward:
    """The feed-forward layer of a transformer block (SwiGLU)."""

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
    """Encoder of the metadata input of human-SL networks; its output is a bias of the first layer."""
    blocks: tuple[TrunkBlock, ...]
    tip: BatchNormActivation | RmsNormActivation


@dataclass(frozen=True)
class PolicyHead:
    """Logits of every point and the pass, in channels: plain, optimistic and others."""

    first: GlobalPoolingConvolution
    logits: KataGoConvolution
    pass_hidden: KataGoDense | None
    to_pass: Floats


@dataclass(frozen=True)
class ValueHead:
    """Win, loss and no result; score; ownership."""

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
    """The name in the file."""
    version: int
    trunk: Trunk
    policy: PolicyHead
    value: ValueHead
    lead_multiplier: float
    """Points of lead per unit of the score head's third output."""
