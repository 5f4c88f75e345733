"""KataGo's model files, format versions 8 to 17, as ONNX graphs.

A file is read in the order in which KataGo reads it (cpp/neuralnet/desc.cpp), and every part is added to the
graph as soon as its weights are read.

Inputs: `spatial` [batch, 22, side, side] and `global` [batch, 19]; for human-SL networks also `metadata`
[batch, 192]. Outputs: `policy` [batch, side * side + 1], logits with the pass last; `value` [batch, 3],
logits of win, loss and no result for the player to move; `score` [batch, 4 or 6], of which the third is the
lead; `ownership` [batch, side * side], 1 for the player to move.

A board smaller than the tensor stands in its corner. The mask zeroes what convolutions write beyond the
board after every activation, so it never reaches the board.
"""

from __future__ import annotations

import math
import re
from collections import Counter

import numpy as np
import onnx

from sparring.base.errors import BadFile
from sparring.go.katago import MAX_BOARD_SIZE, METADATA_INPUTS
from sparring.go.katago_weights import (
    BatchNormActivation,
    Floats,
    KataGoConvolution,
    KataGoReader,
    Nonlinearity,
)
from sparring.networks.card import ModelCard
from sparring.networks.graph import GraphBuilder

_SPATIAL_INPUTS, _GLOBAL_INPUTS = 22, 19
_POINTS = MAX_BOARD_SIZE * MAX_BOARD_SIZE
_MASK_VALUE = 1e4  # taken from the scores of points beyond the board
_USUAL_LEAD = 20.0  # points of lead per unit of output, in files without the field
_DEEPEST = 8  # nesting depth of blocks
_ROOT_OPTIMISM = 0.2
"""The share of the optimistic policy in KataGo's policy at the root."""
_BLOCKS = {
    "ordinary_block": "residual",
    "gpool_block": "global pooling",
    "nested_bottleneck_block": "nested bottleneck",
    "transformer_attention_block": "attention",
    "transformer_ffn_block": "feed-forward",
}
"""The kinds of blocks, and their names in the card."""


def read(data: bytes, name: str) -> onnx.ModelProto:
    """Converts the decompressed content of a file. Raises BadFile."""
    return _Network(KataGoReader(data)).model(name)


class _Network:
    """The graph under construction. Its methods read a part of the network and return its output's name."""

    def __init__(self, file: KataGoReader) -> None:
        self._in = file
        self._graph = g = GraphBuilder()
        self._mask = g.op("Slice", "spatial", self._integers(0), self._integers(1), self._integers(1))
        """[batch, 1, rows, columns], 1 on the board"""
        self._points = g.op("ReduceSum", self._mask, self._integers(2, 3), keepdims=0)
        """[batch, 1]"""
        side = g.op("Sub", g.op("Sqrt", self._points), self._scalar(14.0))
        self._width = g.op("Mul", side, self._scalar(0.1))
        """[batch, 1]: the board's width as pooling layers scale it, about 0.5 on 19x19."""
        self._off_board = g.op("Sub", self._mask, self._scalar(1.0))
        """The mask minus 1."""
        self._blocks: Counter[str] = Counter()
        """Blocks of the trunk by kind."""
        self._fixed_side = False
        """Whether a transformer block needs planes of the largest board."""

    def model(self, name: str) -> onnx.ModelProto:
        """Reads the whole network."""
        g, file = self._graph, self._in
        file.size("spatial inputs", _SPATIAL_INPUTS)
        file.size("global inputs", _GLOBAL_INPUTS)
        lead = self._lead_multiplier()
        metadata = 0
        if file.version >= 15:
            metadata = file.integer("the version of the metadata encoder")
            if metadata > 1:
                raise BadFile(f"its metadata encoder has version {metadata}; this Sparring reads 0 and 1")
            file.unused("model", 7)
        x, channels, kind = self._trunk(metadata > 0)
        # Human-SL networks: the plain policy predicts people's moves, so there is no optimism.
        policy = self._policy_head(x, channels, 0.0 if metadata else _ROOT_OPTIMISM)
        scores = 4 if file.version == 8 else 6
        value, score, ownership = self._value_head(x, channels, scores)
        side: int | str = MAX_BOARD_SIZE if self._fixed_side else "side"
        g.input("spatial", [_SPATIAL_INPUTS, side, side])
        g.input("global", [_GLOBAL_INPUTS])
        if metadata:
            g.input("metadata", [METADATA_INPUTS])
        g.output("policy", policy, ["moves"])
        g.output("value", value, [3])
        g.output("score", score, [scores])
        g.output("ownership", ownership, ["points"])
        words = ", ".join(f"{count} {word}" for word, count in self._blocks.items())
        # KataGo's runs name their networks after the samples they saw and the positions these came from.
        run = re.search(r"-s([0-9]+)-d([0-9]+)$", file.name)
        card = ModelCard(
            name=name,
            game="go",
            codec="katago",
            architecture=f"{self._blocks.total()} blocks of {channels} channels ({words}), {kind}",
            parameters=g.parameters,
            source=f"KataGo network {file.name}, format version {file.version}",
            trained_on=f"{int(run[2]):,} positions of self-play, {int(run[1]):,} samples"
            if run
            else "unknown",
            settings={
                "version": file.version,
                "lead_multiplier": lead,
                "side": MAX_BOARD_SIZE if self._fixed_side else 0,
                "metadata": metadata,
            },
        )
        return g.build(card)

    def _lead_multiplier(self) -> float:
        if self._in.version < 13:
            return _USUAL_LEAD
        outputs = ("td score", "score mean", "score deviation", "lead", "time", "value error", "score error")
        return {output: self._in.positive(f"the multiplier of {output}") for output in outputs}["lead"]

    # Trunk and heads

    def _trunk(self, has_metadata: bool) -> tuple[str, int, Nonlinearity]:
        """The trunk's output, its channels and its last nonlinearity."""
        g, file = self._graph, self._in
        file.word("the trunk's name")
        count, channels = (file.integer(f"the trunk's {what}", 1) for what in ("blocks", "channels"))
        for what in ("middle", "regular", "dilated", "pooled"):
            file.integer(f"the trunk's {what} channels")
        has_rms_tip = False
        if file.version >= 15:
            norm_kind = file.integer("the trunk's kind of normalisation")
            if norm_kind > 1:
                raise BadFile(f"the trunk's kind of normalisation is {norm_kind}; 0 or 1 is expected")
            has_rms_tip = norm_kind == 1
            file.unused("trunk", 5)
        x = self._convolve("spatial", file.convolution(_SPATIAL_INPUTS, channels))
        bias = self._matmul("global", file.matrix(_GLOBAL_INPUTS, channels))
        if has_metadata:
            file.size(file.word("the metadata encoder's name"), METADATA_INPUTS)
            hidden, size = self._dense("metadata", METADATA_INPUTS)
            hidden, size = self._dense(hidden, size)
            bias = g.op("Add", bias, self._matmul(hidden, file.matrix(size, channels)))
        x = g.op("Add", x, self._on_board(bias, channels))
        for _ in range(count):
            x = self._block(x, channels)
        if has_rms_tip:
            return self._rms_norm_activation(x, channels)
        norm = file.batch_norm(channels)
        return self._batch_norm(x, norm), channels, norm.kind

    def _policy_head(self, x: str, channels: int, optimism: float) -> str:
        """Logits of the points and the pass: [batch, points + 1]."""
        g, file = self._graph, self._in
        file.word("the policy head's name")
        outputs = 1 if file.version < 12 else 2 if file.version < 16 else 4
        if file.version >= 17:
            outputs = file.integer("the policy head's channels")
            if outputs not in (2, 4):
                raise BadFile(f"the policy head has {outputs} channels; 2 or 4 are expected")
            file.unused("policy head", 3)
        x, middle, pool, pools = self._global_pooling_convolution(x, channels)
        logits = file.convolution(middle, outputs)
        blended = KataGoConvolution(_blend_optimism(logits.weights.T, optimism).T, logits.dilation)
        points = g.reshape(self._convolve(x, blended), 0, -1)
        if file.version >= 15:
            pool, pools = self._dense(pool, pools, middle)
        to_pass = _blend_optimism(file.matrix(pools, outputs), optimism)
        return g.op("Concat", points, self._matmul(pool, to_pass), axis=1)

    def _value_head(self, x: str, channels: int, scores: int) -> tuple[str, str, str]:
        """Result, score and ownership."""
        g, file = self._graph, self._in
        file.word("the value head's name")
        if file.version >= 17:
            file.unused("value head", 3)
        x, middle = self._convolve_and_activate(x, channels)
        mean = self._mean_over_board(x)
        width_variance = g.op("Sub", g.op("Mul", self._width, self._width), self._scalar(0.1))
        pool = g.op("Concat", mean, *(g.op("Mul", mean, by) for by in (self._width, width_variance)), axis=1)
        hidden, size = self._dense(pool, 3 * middle)
        value, _ = self._dense(hidden, size, 3, activated=False)
        score, _ = self._dense(hidden, size, scores, activated=False)
        owners = self._convolve(x, file.convolution(middle, 1))
        return value, score, g.reshape(g.op("Tanh", owners), 0, -1)

    # Blocks

    def _block(self, x: str, channels: int, depth: int = 0) -> str:
        """A block with its skip connection."""
        kind, name = self._in.word("a block's kind"), self._in.word("a block's name")
        match kind:
            case "ordinary_block":
                added = self._residual(x, channels)
            case "gpool_block":
                added = self._global_pooling(x, channels)
            case "nested_bottleneck_block":
                added = self._nested(x, name, channels, depth + 1)
            case "transformer_attention_block":
                added = self._attention(x, name, channels)
            case "transformer_ffn_block":
                added = self._feed_forward(x, name, channels)
            case _:
                raise BadFile(f"{kind!r} is not a supported kind of block")
        if depth == 0:
            self._blocks[_BLOCKS[kind]] += 1
        return self._graph.op("Add", x, added)

    def _residual(self, x: str, channels: int) -> str:
        """Two convolutions with pre-activation."""
        x, middle = self._convolve_and_activate(self._batch_norm(x, self._in.batch_norm(channels)), channels)
        return self._convolve(x, self._in.convolution(middle, channels))

    def _global_pooling(self, x: str, channels: int) -> str:
        """Two convolutions, the first with a bias pooled from the whole board."""
        x = self._batch_norm(x, self._in.batch_norm(channels))
        x, middle, _, _ = self._global_pooling_convolution(x, channels)
        return self._convolve(x, self._in.convolution(middle, channels))

    def _global_pooling_convolution(self, x: str, channels: int) -> tuple[str, int, str, int]:
        """An activated convolution with a pooled bias, and the pooled channels, each with its size."""
        g, file = self._graph, self._in
        local, pooled = file.convolution(channels), file.convolution(channels)
        pooled_norm = file.batch_norm(pooled.outputs)
        to_bias = file.matrix(3 * pooled.outputs, local.outputs)
        norm = file.batch_norm(local.outputs)
        plain = self._convolve(x, local, norm)
        seen = self._activate(self._convolve(x, pooled, pooled_norm), pooled_norm.kind)
        mean = self._mean_over_board(seen)
        greatest = g.op("ReduceMax", g.op("Add", seen, self._off_board), self._integers(2, 3), keepdims=0)
        pool = g.op("Concat", mean, g.op("Mul", mean, self._width), greatest, axis=1)
        # The normalisation is part of the convolution's weights already: it scales the bias too.
        bias = self._on_board(self._matmul(pool, _scaled(to_bias, norm.scale)), local.outputs)
        x = self._activate(g.op("Add", plain, bias), norm.kind)
        return x, local.outputs, pool, len(to_bias)

    def _nested(self, x: str, name: str, channels: int, depth: int) -> str:
        """A bottleneck with inner blocks."""
        if depth > _DEEPEST:
            raise BadFile(f"blocks stand within blocks more than {_DEEPEST} times")
        file = self._in
        count = file.integer(f"{name}: blocks", least=1)
        before = self._batch_norm(x, file.batch_norm(channels))
        first = file.convolution(channels)
        x = self._convolve(before, first)
        for _ in range(count):
            x = self._block(x, first.outputs, depth)
        x = self._batch_norm(x, file.batch_norm(first.outputs))
        return self._convolve(x, file.convolution(first.outputs, channels))

    def _attention(self, x: str, name: str, channels: int) -> str:
        """Grouped-query self-attention between the points of the board: heads may share keys and values."""
        g, file = self._graph, self._in
        heads, keys, size, value_size = (
            file.integer(f"{name}: {what}", least=1)
            for what in ("heads", "key heads", "query size", "value size")
        )
        has_rope, learned = (file.integer(f"{name}: {what}") != 0 for what in ("rotation", "learned"))
        if heads % keys:
            raise BadFile(f"{name}: {heads} heads cannot share {keys} keys")
        if has_rope and size % 2:
            raise BadFile(f"{name}: a query of {size} channels cannot turn in pairs")
        x = self._rms_norm_points(x, channels)
        query = self._heads(x, file.matrix(channels, heads * size) / math.sqrt(size), heads)
        key = self._heads(x, file.matrix(channels, keys * size), keys)
        value = self._heads(x, file.matrix(channels, keys * value_size), keys)
        out = file.matrix(heads * value_size, channels)
        if has_rope:
            angles = self._rope_angles(name, keys, size // 2, learned)
            query = self._rotary(query, angles.repeat(heads // keys if len(angles) > 1 else 1, axis=0))
            key = self._rotary(key, angles)

        # [batch, keys, group, points, points]
        query = g.reshape(query, 0, keys, heads // keys, _POINTS, size)
        key = g.reshape(g.op("Transpose", key, perm=[0, 1, 3, 2]), 0, keys, 1, size, _POINTS)
        off_board = g.op("Mul", self._off_board, self._scalar(_MASK_VALUE))
        off_board = g.reshape(off_board, 0, 1, 1, 1, _POINTS)
        scores = g.op("Softmax", g.op("Add", g.op("MatMul", query, key), off_board), axis=-1)

        seen = g.op("MatMul", scores, g.reshape(value, 0, keys, 1, _POINTS, value_size))
        seen = g.op("Transpose", g.reshape(seen, 0, heads, _POINTS, value_size), perm=[0, 2, 1, 3])
        return self._as_planes(self._matmul(g.reshape(seen, 0, _POINTS, heads * value_size), out), channels)

    def _heads(self, x: str, weights: Floats, heads: int) -> str:
        """x times a matrix, [batch, heads, points, size]."""
        split = self._graph.reshape(self._matmul(x, weights), 0, _POINTS, heads, weights.shape[1] // heads)
        return self._graph.op("Transpose", split, perm=[0, 2, 1, 3])

    def _rope_angles(self, name: str, keys: int, pairs: int, learned: bool) -> Floats:
        """The angle by which a pair of channels turns per step right and down, [key heads or 1, pairs, 2].

        Learned, or geometric frequencies: the first half of the pairs for rows, the second for columns.
        """
        file = self._in
        file.word(f"{name}: the rotation's name")
        if learned:
            sizes = tuple(file.integer(f"{name}: rotation") for _ in range(3))
            if sizes != (keys, pairs, 2):
                raise BadFile(f"{name}: a rotation of {sizes} does not fit {(keys, pairs, 2)}")
            return file.floats(f"{name}: rotation", *sizes)
        theta = file.positive(f"{name}: theta")
        if theta < 1:
            raise BadFile(f"{name}: theta is {theta}; at least 1 is expected")
        half = pairs // 2
        angles = np.zeros((1, pairs, 2), np.float32)
        for pair in range(pairs):
            down = pair < half
            angles[0, pair, int(down)] = theta ** (-2 * (pair if down else pair - half) / pairs)
        return angles

    def _rotary(self, x: str, rope_angles: Floats) -> str:
        """Rotary position embedding by the column and row of each point."""
        g = self._graph
        rows, columns = np.divmod(np.arange(_POINTS), MAX_BOARD_SIZE)
        angles = rope_angles[..., 0, np.newaxis] * columns + rope_angles[..., 1, np.newaxis] * rows
        angles = angles.transpose(0, 2, 1).repeat(2, axis=2)[np.newaxis]  # [1, heads, points, channels]
        signs = np.resize(np.array([-1.0, 1.0], np.float32), angles.shape[-1])
        partners = np.arange(angles.shape[-1]) ^ 1
        cosine = g.constant(np.cos(angles).astype(np.float32))
        sine = g.constant((np.sin(angles) * signs).astype(np.float32))
        swapped = g.op("Gather", x, self._integers(*partners.tolist()), axis=3)
        return g.op("Add", g.op("Mul", x, cosine), g.op("Mul", swapped, sine))

    def _feed_forward(self, x: str, name: str, channels: int) -> str:
        """A SwiGLU feed-forward layer per point."""
        g, file = self._graph, self._in
        file.size(name, channels)
        hidden = file.integer(f"{name}: hidden channels", least=1)
        if not file.integer(f"{name}: gated"):
            raise BadFile(f"{name}: a feed-forward block without a gate is not supported")
        x = self._rms_norm_points(x, channels)
        first = self._nonlinear(self._matmul(x, file.matrix(channels, hidden)), "silu")
        gated = g.op("Mul", first, self._matmul(x, file.matrix(channels, hidden)))
        return self._as_planes(self._matmul(gated, file.matrix(hidden, channels)), channels)

    def _rms_norm_points(self, x: str, channels: int) -> str:
        """Root-mean-square normalisation of planes as [batch, points, channels], at the start of a
        transformer block."""
        g, file = self._graph, self._in
        self._fixed_side = True
        name = file.word("a normalisation's name")
        file.size(name, channels)
        epsilon = file.positive(f"{name}: epsilon")
        x = g.op("Mul", x, self._mask)
        x = g.op("Transpose", g.reshape(x, 0, channels, _POINTS), perm=[0, 2, 1])
        mean = g.op("ReduceMean", g.op("Mul", x, x), self._integers(2))
        root = g.op("Sqrt", g.op("Add", mean, self._scalar(epsilon)))
        return g.op("Mul", g.op("Div", x, root), g.weights(file.floats(name, channels)))

    def _as_planes(self, x: str, channels: int) -> str:
        """[batch, points, channels] to [batch, channels, rows, columns]."""
        planes = self._graph.op("Transpose", x, perm=[0, 2, 1])
        return self._graph.reshape(planes, 0, channels, MAX_BOARD_SIZE, MAX_BOARD_SIZE)

    # Layers

    def _convolve(
        self, x: str, convolution: KataGoConvolution, then: BatchNormActivation | None = None
    ) -> str:
        """A convolution. A batch normalisation that follows is folded into its weights if given."""
        g, weights, dilation = self._graph, convolution.weights, convolution.dilation
        inputs = [x, g.weights(weights if then is None else _scaled(weights.T, then.scale).T)]
        if then is not None:
            inputs.append(g.weights(then.bias))
        rows, columns = weights.shape[2:]
        pads = [(rows - 1) // 2 * dilation[0], (columns - 1) // 2 * dilation[1]]
        return g.op("Conv", *inputs, kernel_shape=[rows, columns], pads=pads + pads, dilations=list(dilation))

    def _convolve_and_activate(self, x: str, channels: int) -> tuple[str, int]:
        """A convolution, batch normalisation and nonlinearity; with the number of its channels."""
        convolution = self._in.convolution(channels)
        norm = self._in.batch_norm(convolution.outputs)
        return self._activate(self._convolve(x, convolution, norm), norm.kind), convolution.outputs

    def _batch_norm(self, x: str, norm: BatchNormActivation) -> str:
        """Batch normalisation and nonlinearity."""
        g = self._graph
        scaled = g.op("Mul", x, self._by_channel(norm.scale))
        return self._activate(g.op("Add", scaled, self._by_channel(norm.bias)), norm.kind)

    def _rms_norm_activation(self, x: str, channels: int) -> tuple[str, int, Nonlinearity]:
        """Root-mean-square normalisation over channels, or over channels and board, and nonlinearity."""
        g, file = self._graph, self._in
        name = file.word("the last normalisation's name")
        file.size(name, channels)
        epsilon = file.positive(f"{name}: epsilon")
        spatial = file.integer(f"{name}: spatial") != 0
        if file.integer(f"{name}: group size"):
            raise BadFile(f"{name}: normalisation in groups is not supported")
        scale, bias, kind = file.floats(name, channels), file.floats(name, channels), file.nonlinearity()
        square = g.op("Mul", g.op("Mul", x, x), self._mask)
        if spatial:
            count = g.reshape(g.op("Mul", self._points, self._scalar(channels)), 0, 1, 1, 1)
            mean = g.op("Div", g.op("ReduceSum", square, self._integers(1, 2, 3)), count)
        else:
            mean = g.op("ReduceMean", square, self._integers(1))
        root = g.op("Sqrt", g.op("Add", mean, self._scalar(epsilon)))
        scaled = g.op("Mul", g.op("Div", x, root), self._by_channel(scale))
        return self._activate(g.op("Add", scaled, self._by_channel(bias)), kind), channels, kind

    def _dense(
        self, x: str, inputs: int, outputs: int | None = None, activated: bool = True
    ) -> tuple[str, int]:
        """A dense layer with bias and nonlinearity, and the number of its outputs."""
        weights = self._in.matrix(inputs, outputs)
        bias = self._in.vector(weights.shape[1])
        kind = self._in.nonlinearity() if activated else "identity"
        added = self._graph.op("Add", self._matmul(x, weights), self._graph.weights(bias))
        return self._nonlinear(added, kind), weights.shape[1]

    def _matmul(self, x: str, weights: Floats) -> str:
        return self._graph.op("MatMul", x, self._graph.weights(weights))

    def _activate(self, x: str, kind: Nonlinearity) -> str:
        """Applies a nonlinearity and zeroes what is off the board."""
        return self._graph.op("Mul", self._nonlinear(x, kind), self._mask)

    def _nonlinear(self, x: str, kind: Nonlinearity) -> str:
        g = self._graph
        match kind:
            case "relu":
                return g.op("Relu", x)
            case "mish":
                return g.op("Mul", x, g.op("Tanh", g.op("Softplus", x)))
            case "silu":
                return g.op("Mul", x, g.op("Sigmoid", x))
        return x

    def _mean_over_board(self, x: str) -> str:
        """Means [batch, channels] of activations that are zero off the board."""
        total = self._graph.op("ReduceSum", x, self._integers(2, 3), keepdims=0)
        return self._graph.op("Div", total, self._points)

    def _on_board(self, x: str, channels: int) -> str:
        """[batch, channels] broadcast to all points."""
        return self._graph.reshape(x, 0, channels, 1, 1)

    def _by_channel(self, values: Floats) -> str:
        """Weights [1, channels, 1, 1]."""
        return self._graph.weights(values.reshape(1, -1, 1, 1))

    def _integers(self, *values: int) -> str:
        return self._graph.constant(np.array(values, dtype=np.int64))

    def _scalar(self, value: float) -> str:
        return self._graph.constant(np.array(value, dtype=np.float32))


def _scaled(weights: Floats, by: Floats) -> Floats:
    """Weights [..., out] times a factor per output. Raises BadFile if float32 overflows."""
    with np.errstate(over="ignore"):
        product = weights * by
    if not np.isfinite(product).all():
        raise BadFile("its weights are too large to be folded into each other")
    return product


def _blend_optimism(weights: Floats, optimism: float) -> Floats:
    """Policy weights [..., 1] from [..., channels]: the plain policy with a share of the optimistic one.

    Both are linear in the weights, so blending weights is blending logits.
    """
    plain = weights[..., :1]
    return plain if weights.shape[-1] == 1 else plain + np.float32(optimism) * (weights[..., 1:2] - plain)
