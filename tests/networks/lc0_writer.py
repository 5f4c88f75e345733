"""Writes small networks with random weights in Lc0's format: the field numbers are those of net.proto."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

MAGIC = 0x1C0


def varint(value: int) -> bytes:
    out = b""
    while value > 0x7F:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def number(tag: int, value: int) -> bytes:
    return varint(tag << 3) + varint(value)


def fixed(tag: int, value: int) -> bytes:
    return varint(tag << 3 | 5) + struct.pack("<I", value)


def real(tag: int, value: float) -> bytes:
    return varint(tag << 3 | 5) + struct.pack("<f", value)


def delimited(tag: int, content: bytes | str) -> bytes:
    content = content.encode() if isinstance(content, str) else content
    return varint(tag << 3 | 2) + varint(len(content)) + content


def linear16(values: NDArray[np.float64]) -> bytes:
    """A layer of 16-bit steps between its least and its greatest number."""
    least, greatest = float(np.float32(values.min())), float(np.float32(values.max()))
    span = greatest - least or 1.0
    steps = np.clip(np.round((values - least) / span * 0xFFFF), 0, 0xFFFF).astype("<u2")
    return real(1, least) + real(2, greatest) + delimited(3, steps.tobytes())


@dataclass
class RandomLayers:
    """Layers of random numbers, scaled so that values neither die out nor explode on their way."""

    rng: np.random.Generator

    def layer(self, tag: int, size: int, scale: float, centre: float = 0.0) -> bytes:
        return delimited(tag, linear16(centre + scale * self.rng.standard_normal(size)))

    def dense(self, tag: int, inputs: int, outputs: int, gain: float = 1.5) -> bytes:
        weights = self.layer(tag, inputs * outputs, gain / math.sqrt(inputs))
        return weights + self.layer(tag + 1, outputs, 0.2)

    def norm(self, tag: int, size: int) -> bytes:
        return self.layer(tag, size, 0.2, centre=1.0) + self.layer(tag + 1, size, 0.2)

    def convolution(
        self, inputs: int, outputs: int, kernel: int, batch_norm: str = "", gain: float = 1.5
    ) -> bytes:
        size = inputs * outputs * kernel * kernel
        content = self.layer(1, size, gain / math.sqrt(inputs * kernel * kernel))
        if batch_norm != "without biases":
            content += self.layer(2, outputs, 0.2)
        if batch_norm:
            content += self.layer(3, outputs, 0.3)
            content += delimited(4, linear16(self.rng.uniform(0.3, 2.0, outputs)))
        if batch_norm == "with gammas":
            content += self.norm(5, outputs)
        return content

    def encoder(self, width: int, inner: int, hidden: int, heads: int, smolgen: int = 0) -> bytes:
        attention = self.dense(1, width, inner) + self.dense(3, width, inner)
        attention += self.dense(5, width, inner) + self.dense(7, inner, width)
        if smolgen:
            compressed, middle = 3, 10
            content = self.layer(1, width * compressed, 1 / math.sqrt(width))
            content += self.dense(2, 64 * compressed, middle) + self.norm(4, middle)
            content += self.dense(6, middle, heads * smolgen) + self.norm(8, heads * smolgen)
            attention += delimited(9, content)
        feed_forward = self.dense(1, width, hidden) + self.dense(3, hidden, width)
        content = delimited(1, attention) + self.norm(2, width)
        return content + delimited(4, feed_forward) + self.norm(5, width)


@dataclass
class SmallNetwork:
    """A network to write: `weights` and `network_format` are filled by the functions below."""

    weights: bytes = b""
    network_format: bytes | None = None
    encoding: int = 1
    magic: int = MAGIC
    version: tuple[int, int, int] = (0, 21, 0)
    licence: str = ""
    steps: int = 1000
    extra: bytes = b""

    def content(self) -> bytes:
        version = b"".join(number(i + 1, part) for i, part in enumerate(self.version))
        form = number(1, self.encoding)
        if self.network_format is not None:
            form += delimited(2, self.network_format)
        out = fixed(1, self.magic)
        if self.licence:
            out += delimited(2, self.licence)
        out += delimited(3, version) + delimited(4, form) + delimited(5, number(1, self.steps))
        return out + delimited(10, self.weights) + self.extra


@dataclass(frozen=True)
class NetworkKind:
    """What a small network is to have."""

    structure: int = 4
    policy: int = 2
    value: int = 2
    moves_left: int = 0
    mish: int = 0
    smolgen_activation: int = 0
    ffn_activation: int = 0
    embedding: int | None = None
    excitation: int = 0
    batch_norm: str = ""
    policy_encoders: int = 0
    smolgen: int = 0
    gate: bool = False
    format_given: bool = True
    heads: int = 2
    width: int = 16
    depth: int = 2
    seed: int = 1

    @property
    def attention(self) -> bool:
        return self.structure in (6, 7, 134) or bool(self.smolgen) or self.embedding is not None

    @property
    def multihead(self) -> bool:
        return self.structure in (7, 134)


def small_network(kind: NetworkKind) -> SmallNetwork:
    random = RandomLayers(np.random.default_rng(kind.seed))
    parts = attention_body(random, kind) if kind.attention else residual_body(random, kind)
    parts += [policy(random, kind), value(random, kind), moves_left(random, kind)]
    network = SmallNetwork(weights=b"".join(parts))
    if kind.format_given:
        network.network_format = b"".join(
            number(tag, given)
            for tag, given in enumerate(
                (1, 2, kind.structure, kind.policy, kind.value, kind.moves_left, kind.mish), start=1
            )
        )
        network.network_format += number(8, kind.smolgen_activation) + number(9, kind.ffn_activation)
        if kind.embedding is not None:
            network.network_format += number(10, kind.embedding)
    return network


def residual_body(random: RandomLayers, kind: NetworkKind) -> list[bytes]:
    width = kind.width
    parts = [delimited(1, random.convolution(112, width, 3, kind.batch_norm))]
    for _ in range(kind.depth):
        block = delimited(1, random.convolution(width, width, 3, kind.batch_norm))
        block += delimited(2, random.convolution(width, width, 3, kind.batch_norm))
        if kind.excitation:
            unit = random.dense(1, width, kind.excitation) + random.dense(3, kind.excitation, 2 * width)
            block += delimited(3, unit)
        parts.append(delimited(2, block))
    return parts


def attention_body(random: RandomLayers, kind: NetworkKind) -> list[bytes]:
    width, told = kind.width, 64
    parts = []
    if kind.embedding == 2:
        told = 5
        parts += [random.dense(37, 12 * 64, 64 * told), random.norm(39, width)]
        parts += [delimited(41, random.dense(1, width, 24) + random.dense(3, 24, width))]
        parts += [random.norm(42, width)]
    parts += [random.dense(25, 112 + told, width)]
    if kind.gate:
        parts += [random.layer(33, 64 * width, 0.3, centre=1.0), random.layer(34, 64 * width, 0.3)]
    for _ in range(kind.depth):
        parts += [delimited(27, random.encoder(width, 12, 20, kind.heads, kind.smolgen))]
    parts += [number(28, kind.heads)]
    if kind.smolgen:
        parts += [random.layer(35, 4096 * kind.smolgen, 1 / math.sqrt(kind.smolgen))]
    return parts


def policy(random: RandomLayers, kind: NetworkKind) -> bytes:
    """Its last layers get large weights: flat policies would agree with anything."""
    width = kind.width
    if kind.policy == 1:
        entry = delimited(3, random.convolution(width, 3, 1, kind.batch_norm))
        return entry + random.dense(4, 3 * 64, 1858, gain=6)
    if kind.policy == 2:
        first = delimited(11, random.convolution(width, width, 3, kind.batch_norm))
        return first + delimited(3, random.convolution(width, 80, 3, gain=4))
    inner = 12
    if kind.multihead:
        vanilla = attention_policy(random, kind, inner, (3, 5, 7, 8, 9))
        optimistic = attention_policy(random, kind, inner, (3, 5, 7, 8, 9))
        return delimited(45, random.dense(1, width, inner) + delimited(3, vanilla) + delimited(4, optimistic))
    return random.dense(4, width, inner) + attention_policy(random, kind, inner, (17, 19, 22, 21, 24))


def attention_policy(random: RandomLayers, kind: NetworkKind, inner: int, tags: tuple[int, ...]) -> bytes:
    asked, (query, key, promotion, encoders, heads) = 8, tags
    parts = [random.dense(query, inner, asked, gain=5), random.dense(key, inner, asked, gain=5)]
    parts += [random.layer(promotion, 4 * asked, 0.5)]
    parts += [
        delimited(encoders, random.encoder(inner, 8, 14, kind.heads)) for _ in range(kind.policy_encoders)
    ]
    return b"".join(parts) + number(heads, kind.heads)


def value(random: RandomLayers, kind: NetworkKind) -> bytes:
    outputs = 3 if kind.value == 2 else 1
    if kind.multihead:
        winner = random.dense(1, kind.width, 4) + random.dense(3, 4 * 64, 9) + random.dense(5, 9, outputs)
        return delimited(44, delimited(1, winner) + delimited(2, winner))
    layers = random.dense(7, 4 * 64, 9) + random.dense(9, 9, outputs)
    if kind.attention:
        return random.dense(29, kind.width, 4) + layers
    return delimited(6, random.convolution(kind.width, 4, 1, kind.batch_norm)) + layers


def moves_left(random: RandomLayers, kind: NetworkKind) -> bytes:
    if not kind.moves_left:
        return b""
    layers = random.dense(13, 3 * 64, 7) + random.dense(15, 7, 1, gain=6.0)
    if kind.attention:
        return random.dense(31, kind.width, 3) + layers
    return delimited(12, random.convolution(kind.width, 3, 1, kind.batch_norm)) + layers
