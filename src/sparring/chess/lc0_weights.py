"""Messages of Lc0's files (net.proto): the network's format, and layers with checked shapes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from sparring.base.errors import BadFile
from sparring.networks.onnx_reader import Message

MAGIC = 0x1C0
_MAGIC_TAG = b"\x0d"  # field 1, four bytes


def looks_like_lc0(data: bytes) -> bool:
    """Whether the content of a file begins as Lc0's files do."""
    return data[:5] == _MAGIC_TAG + MAGIC.to_bytes(4, "little")


# The format of the network in a file. The numbers are those of net.proto.


ActivationFunction = IntEnum(
    "ActivationFunction", ["MISH", "RELU", "NONE", "TANH", "SIGMOID", "SELU", "SWISH", "RELU_SQUARED"]
)
WeightsEncoding = IntEnum("WeightsEncoding", ["LINEAR16", "FLOAT16", "BFLOAT16", "FLOAT32"])
NetworkStructure = IntEnum(
    "NetworkStructure",
    {
        "CLASSICAL": 1,
        "SE": 2,
        "CLASSICAL_WITH_HEADS": 3,
        "SE_WITH_HEADS": 4,
        "ONNX": 5,
        "ATTENTION": 6,
        "ATTENTION_MULTIHEAD": 7,
        "ATTENTION_LEGACY_MULTIHEAD": 134,
    },
)
PolicyFormat = IntEnum("PolicyFormat", ["CLASSICAL", "CONVOLUTION", "ATTENTION"])
ValueFormat = IntEnum("ValueFormat", ["CLASSICAL", "WDL"])
MovesLeftFormat = IntEnum("MovesLeftFormat", {"NONE": 0, "V1": 1})
InputEmbeddingFormat = IntEnum("InputEmbeddingFormat", {"NONE": 0, "MAP": 1, "DENSE": 2})
"""The input embedding of an attention body. Lc0 treats NONE as MAP."""
_DefaultActivation = IntEnum("_DefaultActivation", {"RELU": 0, "MISH": 1})

_CLASSICAL_112 = 1
_ENCODER, _SMOLGEN, _VALUE_HEADS, _POLICY_HEADS = 27, 35, 44, 45  # fields of Weights
E = TypeVar("E", bound=IntEnum)


@dataclass(frozen=True)
class NetworkFormat:
    """The format of the network in a file. The defaults are those of the oldest files."""

    attention: bool = False
    """Whether the body consists of encoder layers."""
    policy: PolicyFormat = PolicyFormat.CLASSICAL
    value: ValueFormat = ValueFormat.CLASSICAL
    moves_left: MovesLeftFormat = MovesLeftFormat.NONE
    embedding: InputEmbeddingFormat = InputEmbeddingFormat.NONE
    activation: ActivationFunction = ActivationFunction.RELU
    smolgen_activation: ActivationFunction = ActivationFunction.RELU
    feed_forward_activation: ActivationFunction = ActivationFunction.RELU


def read_network_format(network: Message | None, weights: Message) -> NetworkFormat:
    """Reads the format. Missing fields of older files are interpreted as Lc0 does. Raises BadFile for
    formats that are not supported."""
    if network is None:  # the oldest files do not say
        return NetworkFormat()
    if (planes := network.number(1, "input")) != _CLASSICAL_112:
        raise BadFile(
            f"its input format is {planes}; only {_CLASSICAL_112} (the classical 112 planes) is read"
        )

    def known(number: int, name: str, kinds: type[E], what: str) -> E:
        value = network.number(number, name)
        return _known(kinds, value, f"its {what} is {value}")

    structure = known(3, "network", NetworkStructure, "network structure")
    if structure is NetworkStructure.ONNX:
        raise BadFile("it wraps an ONNX model, which is not read; a file with weights is")
    if structure in (NetworkStructure.CLASSICAL, NetworkStructure.SE):
        return NetworkFormat()
    usual = known(7, "default_activation", _DefaultActivation, "default activation")
    default = ActivationFunction[usual.name]

    def activation(number: int, name: str) -> ActivationFunction:
        value = network.number(number, name) or default
        return _known(ActivationFunction, value, f"its activation {value} is unknown")

    smolgen, feed_forward = activation(8, "smolgen_activation"), activation(9, "ffn_activation")
    embedding = known(10, "input_embedding", InputEmbeddingFormat, "input embedding")
    if structure is NetworkStructure.SE_WITH_HEADS and _ENCODER in weights:  # an attention body all the same
        structure = NetworkStructure.ATTENTION
        if _SMOLGEN in weights:
            smolgen, feed_forward = ActivationFunction.SWISH, ActivationFunction.RELU_SQUARED
    if structure is NetworkStructure.ATTENTION and _POLICY_HEADS in weights and _VALUE_HEADS in weights:
        embedding = InputEmbeddingFormat.DENSE
    return NetworkFormat(
        attention=structure.name.startswith("ATTENTION"),
        policy=known(4, "policy", PolicyFormat, "policy format"),
        value=known(5, "value", ValueFormat, "value format"),
        moves_left=known(6, "moves_left", MovesLeftFormat, "moves-left format"),
        embedding=embedding,
        activation=default,
        smolgen_activation=smolgen,
        feed_forward_activation=feed_forward,
    )


def _known(kinds: type[E], number: int, problem: str) -> E:
    try:
        return kinds(number)
    except ValueError:
        names = ", ".join(f"{kind.value} ({kind.name.lower().replace('_', ' ')})" for kind in kinds)
        raise BadFile(f"{problem}; {names} are read") from None


# Layers: weights are decoded and their shapes checked against one another. Matrices are [outputs, inputs], as
# in the files. Batch normalisation is folded into the convolutions, as Lc0 does when it loads a file.
#
# Every size is derived from the bytes that are present, so a file cannot request more memory than a few times
# its own size.


Array: TypeAlias = NDArray[np.float32]


@dataclass(frozen=True)
class Lc0Layer:
    """A dense layer, or a convolution with same padding."""

    weights: Array
    """[outputs, inputs], or [outputs, inputs, kernel, kernel]"""
    biases: Array
    """[outputs]"""

    @property
    def outputs(self) -> int:
        """The number of outputs, or of output planes."""
        return len(self.biases)


_EPSILON = np.float32(1e-5)
"""Epsilon of batch normalisation."""


@dataclass
class LayerReader:
    """Reads layers and counts their parameters."""

    encoding: int
    """The encoding of layers that do not specify one."""
    parameters: int = 0

    def vector(self, message: Message, number: int, name: str, size: int | None = None) -> Array:
        """The weights of a layer, checked to be `size` many if given. Raises BadFile."""
        values = self.numbers(message, number, name)
        path = f"{message.path}.{name}"
        if values.size == 0:
            raise BadFile(f"{path} is missing")
        if size is not None and values.size != size:
            raise BadFile(f"{path} has {values.size:,} numbers; {size:,} are expected")
        self.parameters += values.size
        return values

    def matrix(self, message: Message, number: int, name: str, outputs: int, inputs: int) -> Array:
        """A layer as [outputs, inputs]. Raises BadFile."""
        return self.vector(message, number, name, outputs * inputs).reshape(outputs, inputs)

    def rows(self, message: Message, number: int, name: str, inputs: int) -> Array:
        """A layer as [outputs, inputs]; the number of outputs follows from the data. Raises BadFile."""
        values = self.vector(message, number, name)
        if values.size % inputs:
            raise BadFile(
                f"{message.path}.{name} has {values.size:,} numbers, not a multiple of its {inputs:,} inputs"
            )
        return values.reshape(-1, inputs)

    def dense(
        self, message: Message, number: int, name: str, inputs: int, outputs: int | None = None
    ) -> Lc0Layer:
        """A dense layer whose biases are in the field after its weights. Raises BadFile."""
        biases = self.vector(message, number + 1, f"{name}_b", outputs)
        return Lc0Layer(self.matrix(message, number, f"{name}_w", biases.size, inputs), biases)

    def convolution(self, message: Message, inputs: int, kernel: int, outputs: int | None = None) -> Lc0Layer:
        """A convolution with its batch normalisation folded in. Raises BadFile."""
        weights = self.rows(message, 1, "weights", inputs * kernel * kernel)
        channels = len(weights)
        if outputs is not None and channels != outputs:
            raise BadFile(f"{message.path} has {channels:,} outputs; {outputs:,} are expected")
        biases = self._optional(message, 2, "biases", channels, 0.0)
        if 3 in message:  # written before batch normalisation was folded in
            means = self.vector(message, 3, "bn_means", channels)
            variances = self.vector(message, 4, "bn_stddivs", channels)
            gammas = self._optional(message, 5, "bn_gammas", channels, 1.0)
            betas = self._optional(message, 6, "bn_betas", channels, 0.0)
            if (variances + _EPSILON <= 0).any():
                raise BadFile(f"{message.path}.bn_stddivs has variances below zero")
            scales = gammas / np.sqrt(variances + _EPSILON)
            weights = weights * scales[:, None]
            biases = betas - scales * (means - biases)
            if not (np.isfinite(weights).all() and np.isfinite(biases).all()):
                raise BadFile(f"{message.path} has a batch normalisation that gives no finite numbers")
        return Lc0Layer(weights.reshape(channels, inputs, kernel, kernel), biases)

    def _optional(self, message: Message, number: int, name: str, size: int, default: float) -> Array:
        if self.numbers(message, number, name).size == 0:
            return np.full(size, default, dtype=np.float32)
        return self.vector(message, number, name, size)

    def numbers(self, message: Message, number: int, name: str) -> Array:
        """The weights of a layer, which are not counted. Raises BadFile."""
        layer = message.message(number, name)
        encoding = layer.number(4, "encoding") or self.encoding
        stored = layer.bytes(3, "params")
        width = 4 if encoding == WeightsEncoding.FLOAT32 else 2
        if len(stored) % width:
            raise BadFile(f"{layer.path} has {len(stored):,} bytes, not a multiple of {width}")
        values = _decoded(layer, stored, encoding)
        if not np.isfinite(values).all():
            raise BadFile(f"{layer.path} has weights that are not finite numbers")
        return values


def _decoded(layer: Message, stored: memoryview, encoding: int) -> Array:
    if encoding == WeightsEncoding.LINEAR16:
        least, greatest = np.float32(layer.real(1, "min_val")), np.float32(layer.real(2, "max_val"))
        with np.errstate(over="ignore", invalid="ignore"):
            steps = np.frombuffer(stored, "<u2").astype(np.float32) / np.float32(0xFFFF)
            return steps * (greatest - least) + least
    if encoding == WeightsEncoding.FLOAT16:
        return np.frombuffer(stored, "<f2").astype(np.float32)
    if encoding == WeightsEncoding.BFLOAT16:
        return (np.frombuffer(stored, "<u2").astype(np.uint32) << 16).view(np.float32)
    if encoding == WeightsEncoding.FLOAT32:
        return np.frombuffer(stored, "<f4").astype(np.float32)
    raise BadFile(
        f"{layer.path} has encoding {encoding}; "
        + ", ".join(f"{kind.value} ({kind.name})" for kind in WeightsEncoding)
        + " are read"
    )
