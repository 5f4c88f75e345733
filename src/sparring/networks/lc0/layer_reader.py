"""Reads layers of Lc0's files: decodes weights and checks their shapes against one another.

Every size is derived from the bytes that are present, so a file cannot request more memory than a few times
its own size.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from sparring.networks.errors import BadNetwork
from sparring.networks.lc0.format import WeightsEncoding
from sparring.networks.lc0.protobuf import Message
from sparring.networks.lc0.weights import Array, LayerNorm, Lc0Convolution, Lc0Dense

_EPSILON = np.float32(1e-5)
"""Epsilon of batch normalisation."""


@dataclass
class LayerReader:
    """Reads layers and counts their parameters."""

    encoding: int
    """The encoding of layers that do not specify one."""
    parameters: int = field(default=0)

    def vector(self, message: Message, number: int, name: str, size: int | None = None) -> Array:
        """The weights of a layer, checked to be `size` many if given. Raises BadNetwork."""
        values = self._numbers(message, number, name)
        path = f"{message.path}.{name}"
        if values.size == 0:
            raise BadNetwork(f"{path} is missing")
        if size is not None and values.size != size:
            raise BadNetwork(f"{path} has {values.size:,} numbers; {size:,} are expected")
        self.parameters += values.size
        return values

    def matrix(self, message: Message, number: int, name: str, outputs: int, inputs: int) -> Array:
        """A layer as [outputs, inputs]. Raises BadNetwork."""
        return self.vector(message, number, name, outputs * inputs).reshape(outputs, inputs)

    def rows(self, message: Message, number: int, name: str, inputs: int) -> Array:
        """A layer as [outputs, inputs]; the number of outputs follows from the data. Raises BadNetwork."""
        values = self.vector(message, number, name)
        if values.size % inputs:
            raise BadNetwork(
                f"{message.path}.{name} has {values.size:,} numbers, not a multiple of its {inputs:,} inputs"
            )
        return values.reshape(-1, inputs)

    def dense(
        self, message: Message, number: int, name: str, inputs: int, outputs: int | None = None
    ) -> Lc0Dense:
        """A dense layer whose biases are in the field after its weights. Raises BadNetwork."""
        biases = self.vector(message, number + 1, f"{name}_b", outputs)
        return Lc0Dense(self.matrix(message, number, f"{name}_w", biases.size, inputs), biases)

    def norm(self, message: Message, number: int, name: str, size: int) -> LayerNorm:
        """A layer normalisation. Raises BadNetwork."""
        return LayerNorm(
            self.vector(message, number, f"{name}_gammas", size),
            self.vector(message, number + 1, f"{name}_betas", size),
        )

    def convolution(
        self, message: Message, inputs: int, kernel: int, outputs: int | None = None
    ) -> Lc0Convolution:
        """A convolution with its batch normalisation folded in. Raises BadNetwork."""
        weights = self.rows(message, 1, "weights", inputs * kernel * kernel)
        found = len(weights)
        if outputs is not None and found != outputs:
            raise BadNetwork(f"{message.path} has {found:,} outputs; {outputs:,} are expected")
        biases = self._optional(message, 2, "biases", found, 0.0)
        if 3 in message:  # written before batch normalisation was folded in
            means = self.vector(message, 3, "bn_means", found)
            variances = self.vector(message, 4, "bn_stddivs", found)
            gammas = self._optional(message, 5, "bn_gammas", found, 1.0)
            betas = self._optional(message, 6, "bn_betas", found, 0.0)
            if (variances + _EPSILON <= 0).any():
                raise BadNetwork(f"{message.path}.bn_stddivs has variances below zero")
            scales = gammas / np.sqrt(variances + _EPSILON)
            weights = weights * scales[:, None]
            biases = betas - scales * (means - biases)
            if not (np.isfinite(weights).all() and np.isfinite(biases).all()):
                raise BadNetwork(f"{message.path} has a batch normalisation that gives no finite numbers")
        return Lc0Convolution(weights.reshape(found, inputs, kernel, kernel), biases)

    def _optional(self, message: Message, number: int, name: str, size: int, default: float) -> Array:
        if self._numbers(message, number, name).size == 0:
            return np.full(size, default, dtype=np.float32)
        return self.vector(message, number, name, size)

    def _numbers(self, message: Message, number: int, name: str) -> Array:
        layer = message.message(number, name)
        encoding = layer.number(4, "encoding") or self.encoding
        stored = layer.bytes(3, "params")
        width = 4 if encoding == WeightsEncoding.FLOAT32 else 2
        if len(stored) % width:
            raise BadNetwork(f"{layer.path} has {len(stored):,} bytes, not a multiple of {width}")
        values = _decoded(layer, stored, encoding)
        if not np.isfinite(values).all():
            raise BadNetwork(f"{layer.path} has weights that are not finite numbers")
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
    raise BadNetwork(
        f"{layer.path} has encoding {encoding}; "
        + ", ".join(f"{kind.value} ({kind.name})" for kind in WeightsEncoding)
        + " are read"
    )
