"""The weights of a KataGo network as its file holds them."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Literal, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from sparring.base.errors import BadFile

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


# The tokens of KataGo's files: words and numbers separated by white space, and blocks of weights.


_SPACE = re.compile(rb"\s*")
_WORD = re.compile(rb"\S{1,256}")
_INTEGER = re.compile(r"-?[0-9]{1,9}")
_BINARY = b"@BIN@"
_LONGEST_NUMBER = 64  # bytes of a weight written as text, with the space behind it


class TokenReader:
    """Reads a file sequentially. Every method raises BadFile that names what is missing."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def word(self, what: str) -> str:
        """The next word: printable ASCII."""
        self._skip_space()
        match = _WORD.match(self._data, self._at)
        if match is None:
            raise BadFile(f"it ends where {what} should be")
        self._at = match.end()
        text = match.group().decode("latin-1")
        if not (text.isascii() and text.isprintable()):
            raise BadFile(f"{what} is not a word but {match.group()[:20]!r}")
        return text

    def integer(self, what: str, least: int = 0) -> int:
        """The next integer."""
        word = self.word(what)
        if not _INTEGER.fullmatch(word):
            raise BadFile(f"{what} is {word[:20]!r}, not an integer")
        value = int(word)
        if value < least:
            raise BadFile(f"{what} is {value}; at least {least} is expected")
        return value

    def positive(self, what: str) -> float:
        """The next number, above 0."""
        word = self.word(what)
        try:
            value = float(word)
        except ValueError:
            raise BadFile(f"{what} is {word[:20]!r}, not a number") from None
        if not (math.isfinite(value) and value > 0):
            raise BadFile(f"{what} is {value}; a positive number is expected")
        return value

    def floats(self, what: str, *shape: int) -> NDArray[np.float32]:
        """A block of weights, binary or as text."""
        count = math.prod(shape)
        self._skip_space()
        if self._data.startswith(_BINARY, self._at):
            values = self._binary(what, count)
        else:
            values = self._text(what, count)
        if not np.isfinite(values).all():
            raise BadFile(f"the weights of {what} are not all finite numbers")
        return values.reshape(shape)

    def _binary(self, what: str, count: int) -> NDArray[np.float32]:
        start = self._at + len(_BINARY)
        there = (len(self._data) - start) // 4
        if there < count:
            raise BadFile(f"it ends within the weights of {what}: {count:,} expected, {there:,} found")
        self._at = start + 4 * count
        return np.frombuffer(self._data, "<f4", count, start).astype(np.float32, copy=False)

    def _text(self, what: str, count: int) -> NDArray[np.float32]:
        if 2 * count > len(self._data) - self._at + 1:  # a digit and a space for each
            raise BadFile(f"it ends within the weights of {what}: {count:,} expected")
        words = self._data[self._at : self._at + _LONGEST_NUMBER * count].split(None, count)[:count]
        try:
            with np.errstate(over="ignore"):  # what does not fit becomes infinite and is refused
                values = np.array([float(word) for word in words], dtype=np.float32)
        except ValueError:
            raise BadFile(f"the weights of {what} are neither binary nor numbers as text") from None
        if len(values) < count:
            raise BadFile(f"it ends within the weights of {what}: {count:,} expected, {len(values):,} found")
        for word in words:
            self._at = self._data.index(word, self._at) + len(word)
        return values

    def _skip_space(self) -> None:
        match = _SPACE.match(self._data, self._at)
        assert match is not None  # the pattern also matches the empty string
        self._at = match.end()


# Parses KataGo's model files, format versions 8 to 17.
#
# The format is the order in which KataGo reads it (cpp/neuralnet/desc.cpp): words and numbers as text; each
# block of weights behind `@BIN@` in little-endian float32, or as text in the older `.txt.gz` files.


OLDEST, NEWEST = 8, 17
SPATIAL_INPUTS, GLOBAL_INPUTS, METADATA_INPUTS = 22, 19, 192

_KINDS = {f"ACTIVATION_{kind.upper()}": kind for kind in ("identity", "relu", "mish", "silu")}
_USUAL_LEAD = 20.0  # points of lead per unit of output, in files without the field
_WIDEST_KERNEL = 37  # spans a 19x19 board from every point
_DEEPEST = 8  # nesting depth of blocks
_RMS_NORM = 1


def parse(data: bytes) -> KataGoWeights:
    """Parses the content of a file. Raises BadFile for anything else."""
    stream = TokenReader(data)
    try:
        name, version = stream.word("the name"), stream.integer("the version")
    except BadFile as error:
        raise BadFile(
            f"this is not a KataGo network: a name and a format version are expected, and {error}"
        ) from None
    if not OLDEST <= version <= NEWEST:
        raise BadFile(
            f"KataGo's format version {version} is not supported: this Sparring reads {OLDEST} to {NEWEST}"
        )
    return _Parser(stream, version).network(name)


def _agree(what: str, channels: int, expected: int) -> None:
    if channels != expected:
        raise BadFile(f"{what}: {channels} channels do not fit the {expected} around them")


class _Parser:
    """One method per part of the network; each checks that the parts fit together."""

    def __init__(self, stream: TokenReader, version: int) -> None:
        self._in = stream
        self._version = version

    def network(self, name: str) -> KataGoWeights:
        _agree("spatial inputs", self._in.integer("the number of spatial inputs"), SPATIAL_INPUTS)
        _agree("global inputs", self._in.integer("the number of global inputs"), GLOBAL_INPUTS)
        lead = self._lead_multiplier()
        metadata = 0
        if self._version >= 15:
            metadata = self._in.integer("the version of the metadata encoder")
            if metadata > 1:
                raise BadFile(f"its metadata encoder has version {metadata}; this Sparring reads 0 and 1")
            self._unused("model", 7)
        trunk = self._trunk(metadata > 0)
        policy = self._policy_head(trunk.channels)
        return KataGoWeights(name, self._version, trunk, policy, self._value_head(trunk.channels), lead)

    def _lead_multiplier(self) -> float:
        if self._version < 13:
            return _USUAL_LEAD
        outputs = ("td score", "score mean", "score deviation", "lead", "time", "value error", "score error")
        return {output: self._in.positive(f"the multiplier of {output}") for output in outputs}["lead"]

    def _unused(self, part: str, count: int) -> None:
        for _ in range(count):
            if option := self._in.integer(f"an unused option of the {part}"):
                raise BadFile(f"an option of the {part} is {option}: it needs a newer Sparring")

    # Layers

    def _convolution(self, inputs: int | None, outputs: int | None = None) -> KataGoConvolution:
        name = self._in.word("a convolution's name")
        rows, columns, ins, outs, *dilation = (
            self._in.integer(f"{name}: {what}", least=1)
            for what in ("rows", "columns", "inputs", "outputs", "dilation of rows", "dilation of columns")
        )
        if rows % 2 == 0 or columns % 2 == 0 or max(rows, columns) > _WIDEST_KERNEL:
            raise BadFile(f"{name}: a kernel of {rows}x{columns} is not odd and at most {_WIDEST_KERNEL}")
        if max(dilation) > _WIDEST_KERNEL:
            raise BadFile(f"{name}: a dilation of {max(dilation)} is wider than the board")
        if inputs is not None:
            _agree(f"{name}: in", ins, inputs)
        if outputs is not None:
            _agree(f"{name}: out", outs, outputs)
        weights = self._in.floats(name, rows, columns, ins, outs).transpose(3, 2, 0, 1)
        return KataGoConvolution(np.ascontiguousarray(weights), (dilation[0], dilation[1]))

    def _activation(self, channels: int) -> BatchNormActivation:
        name = self._in.word("a normalisation's name")
        _agree(name, self._in.integer(f"{name}: channels", least=1), channels)
        epsilon = self._in.positive(f"{name}: epsilon")
        has_scale, has_bias = (self._in.integer(f"{name}: {what}") != 0 for what in ("has scale", "has bias"))
        mean, variance = self._in.floats(name, channels), self._in.floats(name, channels)
        scale = self._in.floats(name, channels) if has_scale else np.ones(channels, np.float32)
        bias = self._in.floats(name, channels) if has_bias else np.zeros(channels, np.float32)
        if (variance + epsilon <= 0).any():
            raise BadFile(f"{name}: a variance is negative")
        with np.errstate(over="ignore", invalid="ignore"):
            scale = (scale / np.sqrt(variance + np.float32(epsilon))).astype(np.float32)
            bias = (bias - mean * scale).astype(np.float32)
        if not (np.isfinite(scale).all() and np.isfinite(bias).all()):
            raise BadFile(f"{name}: its numbers are too large")
        return BatchNormActivation(scale, bias, self._nonlinearity())

    def _nonlinearity(self) -> Nonlinearity:
        name = self._in.word("an activation's name")
        if self._version < 11:
            return "relu"
        kind = self._in.word(f"{name}: kind")
        if kind not in _KINDS:
            raise BadFile(f"{name}: {kind!r} is not one of {', '.join(_KINDS)}")
        return cast(Nonlinearity, _KINDS[kind])

    def _matrix(self, inputs: int, outputs: int | None = None) -> Floats:
        name = self._in.word("a matrix's name")
        ins, outs = (self._in.integer(f"{name}: {what}", least=1) for what in ("inputs", "outputs"))
        _agree(f"{name}: in", ins, inputs)
        if outputs is not None:
            _agree(f"{name}: out", outs, outputs)
        return self._in.floats(name, ins, outs)

    def _vector(self, channels: int) -> Floats:
        name = self._in.word("a bias's name")
        _agree(name, self._in.integer(f"{name}: channels", least=1), channels)
        return self._in.floats(name, channels)

    def _dense(self, inputs: int, outputs: int | None = None, activated: bool = True) -> KataGoDense:
        weights = self._matrix(inputs, outputs)
        bias = self._vector(weights.shape[1])
        return KataGoDense(weights, bias, self._nonlinearity() if activated else "identity")

    # Blocks

    def _blocks(self, count: int, channels: int, depth: int = 0) -> tuple[TrunkBlock, ...]:
        if depth > _DEEPEST:
            raise BadFile(f"blocks stand within blocks more than {_DEEPEST} times")
        return tuple(self._block(channels, depth) for _ in range(count))

    def _block(self, channels: int, depth: int) -> TrunkBlock:
        kind = self._in.word("a block's kind")
        name = self._in.word("a block's name")
        match kind:
            case "ordinary_block":
                return self._residual(channels)
            case "gpool_block":
                return self._global_pooling(channels)
            case "nested_bottleneck_block":
                return self._nested(name, channels, depth)
            case "transformer_attention_block":
                return self._attention(name, channels)
            case "transformer_ffn_block":
                return self._feed_forward(name, channels)
        raise BadFile(f"{kind!r} is not a supported kind of block")

    def _residual(self, channels: int) -> OrdinaryBlock:
        before = self._activation(channels)
        first = self._convolution(channels)
        middle = first.channels[1]
        between = self._activation(middle)
        return OrdinaryBlock(before, first, between, self._convolution(middle, channels))

    def _biased(self, channels: int) -> GlobalPoolingConvolution:
        local, global_pool = self._convolution(channels), self._convolution(channels)
        middle, pools = local.channels[1], global_pool.channels[1]
        pooled_activation = self._activation(pools)
        to_bias = self._matrix(3 * pools, middle)
        return GlobalPoolingConvolution(
            local, global_pool, pooled_activation, to_bias, self._activation(middle)
        )

    def _global_pooling(self, channels: int) -> GlobalPoolingBlock:
        before, first = self._activation(channels), self._biased(channels)
        return GlobalPoolingBlock(before, first, self._convolution(first.local.channels[1], channels))

    def _nested(self, name: str, channels: int, depth: int) -> NestedBottleneckBlock:
        count = self._in.integer(f"{name}: blocks", least=1)
        before = self._activation(channels)
        first = self._convolution(channels)
        middle = first.channels[1]
        blocks = self._blocks(count, middle, depth + 1)
        between = self._activation(middle)
        return NestedBottleneckBlock(before, first, blocks, between, self._convolution(middle, channels))

    def _rms_norm(self, channels: int) -> RmsNorm:
        name = self._in.word("a normalisation's name")
        _agree(name, self._in.integer(f"{name}: channels", least=1), channels)
        epsilon = self._in.positive(f"{name}: epsilon")
        return RmsNorm(self._in.floats(name, channels), epsilon)

    def _attention(self, name: str, channels: int) -> KataGoAttention:
        heads, kv_heads, query_size, value_size = (
            self._in.integer(f"{name}: {what}", least=1)
            for what in ("heads", "key heads", "query size", "value size")
        )
        has_rope, learned = (self._in.integer(f"{name}: {what}") != 0 for what in ("rotation", "learned"))
        if heads % kv_heads:
            raise BadFile(f"{name}: {heads} heads cannot share {kv_heads} keys")
        if has_rope and query_size % 2:
            raise BadFile(f"{name}: a query of {query_size} channels cannot turn in pairs")
        norm = self._rms_norm(channels)
        query = self._matrix(channels, heads * query_size)
        key = self._matrix(channels, kv_heads * query_size)
        value = self._matrix(channels, kv_heads * value_size)
        out = self._matrix(heads * value_size, channels)
        rope_angles = self._rope_angles(name, kv_heads, query_size // 2, learned) if has_rope else None
        return KataGoAttention(norm, query, key, value, out, heads, kv_heads, rope_angles)

    def _rope_angles(self, name: str, kv_heads: int, pairs: int, learned: bool) -> Floats:
        """Rotary angles per step [heads, pairs, 2]: learned, or geometric frequencies with the first half of
        the pairs for rows and the second half for columns."""
        self._in.word(f"{name}: the rotation's name")
        if learned:
            sizes = tuple(self._in.integer(f"{name}: rotation") for _ in range(3))
            if sizes != (kv_heads, pairs, 2):
                raise BadFile(f"{name}: a rotation of {sizes} does not fit {(kv_heads, pairs, 2)}")
            return self._in.floats(f"{name}: rotation", *sizes)
        theta = self._in.positive(f"{name}: theta")
        if theta < 1:
            raise BadFile(f"{name}: theta is {theta}; at least 1 is expected")
        half = pairs // 2
        angles = np.zeros((1, pairs, 2), np.float32)
        for pair in range(pairs):
            down = pair < half
            angles[0, pair, int(down)] = theta ** (-2 * (pair if down else pair - half) / pairs)
        return angles

    def _feed_forward(self, name: str, channels: int) -> KataGoFeedForward:
        _agree(name, self._in.integer(f"{name}: channels"), channels)
        hidden = self._in.integer(f"{name}: hidden channels", least=1)
        if not self._in.integer(f"{name}: gated"):
            raise BadFile(f"{name}: a feed-forward block without a gate is not supported")
        norm = self._rms_norm(channels)
        first, gate = self._matrix(channels, hidden), self._matrix(channels, hidden)
        return KataGoFeedForward(norm, first, gate, self._matrix(hidden, channels))

    # Trunk and heads

    def _trunk(self, has_metadata: bool) -> Trunk:
        self._in.word("the trunk's name")
        count, channels, *_ = (
            self._in.integer(f"the trunk's {what}", least=least)
            for what, least in (
                ("blocks", 1),
                ("channels", 1),
                ("middle channels", 0),
                ("regular channels", 0),
                ("dilated channels", 0),
                ("pooled channels", 0),
            )
        )
        norm_kind = 0
        if self._version >= 15:
            norm_kind = self._in.integer("the trunk's kind of normalisation")
            if norm_kind > _RMS_NORM:
                raise BadFile(f"the trunk's kind of normalisation is {norm_kind}; 0 or 1 is expected")
            self._unused("trunk", 5)
        spatial = self._convolution(SPATIAL_INPUTS, channels)
        globals_ = self._matrix(GLOBAL_INPUTS, channels)
        metadata = self._metadata(channels) if has_metadata else None
        blocks = self._blocks(count, channels)
        tip = self._rms_activation(channels) if norm_kind == _RMS_NORM else self._activation(channels)
        return Trunk(channels, spatial, globals_, metadata, blocks, tip)

    def _metadata(self, channels: int) -> tuple[KataGoDense, KataGoDense, Floats]:
        name = self._in.word("the metadata encoder's name")
        _agree(name, self._in.integer(f"{name}: inputs"), METADATA_INPUTS)
        first = self._dense(METADATA_INPUTS)
        second = self._dense(first.weights.shape[1])
        return first, second, self._matrix(second.weights.shape[1], channels)

    def _rms_activation(self, channels: int) -> RmsNormActivation:
        name = self._in.word("the last normalisation's name")
        _agree(name, self._in.integer(f"{name}: channels", least=1), channels)
        epsilon = self._in.positive(f"{name}: epsilon")
        spatial = self._in.integer(f"{name}: spatial") != 0
        if self._in.integer(f"{name}: group size"):
            raise BadFile(f"{name}: normalisation in groups is not supported")
        scale, bias = self._in.floats(name, channels), self._in.floats(name, channels)
        return RmsNormActivation(scale, bias, epsilon, spatial, self._nonlinearity())

    def _policy_head(self, channels: int) -> PolicyHead:
        self._in.word("the policy head's name")
        outputs = 1 if self._version < 12 else 2 if self._version < 16 else 4
        if self._version >= 17:
            outputs = self._in.integer("the policy head's channels")
            if outputs not in (2, 4):
                raise BadFile(f"the policy head has {outputs} channels; 2 or 4 are expected")
            self._unused("policy head", 3)
        first = self._biased(channels)
        middle, pools = first.local.channels[1], first.to_bias.shape[0]
        logits = self._convolution(middle, outputs)
        hidden = self._dense(pools, middle) if self._version >= 15 else None
        to_pass = self._matrix(pools if hidden is None else middle, outputs)
        return PolicyHead(first, logits, hidden, to_pass)

    def _value_head(self, channels: int) -> ValueHead:
        self._in.word("the value head's name")
        if self._version >= 17:
            self._unused("value head", 3)
        convolution = self._convolution(channels)
        middle = convolution.channels[1]
        activation = self._activation(middle)
        hidden = self._dense(3 * middle)
        size = hidden.weights.shape[1]
        value = self._dense(size, 3, activated=False)
        score = self._dense(size, 4 if self._version == 8 else 6, activated=False)
        return ValueHead(convolution, activation, hidden, value, score, self._convolution(middle, 1))
