"""Lc0's files as ONNX graphs. Field numbers stand beside the names of net.proto.

A body is a residual tower, whose values are [batch, width, 8, 8], or a stack of encoder layers between
squares, whose values are [batch * 64, width]: a row a square, so that a dense layer is one matrix product.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto

from sparring._core import lc0_policy_moves
from sparring.base.errors import BadFile
from sparring.chess.lc0_weights import (
    MAGIC,
    ActivationFunction,
    Array,
    InputEmbeddingFormat,
    LayerReader,
    Lc0Layer,
    MovesLeftFormat,
    PolicyFormat,
    ValueFormat,
    looks_like_lc0,
    read_network_format,
)
from sparring.networks.card import ModelCard
from sparring.networks.graph import GraphBuilder, attention_policy_map
from sparring.networks.onnx_reader import Message, parse

PLANES, SQUARES, POLICY = 112, 64, 1858
_NEWEST = (0, 33)
"""The newest version of Lc0 whose files are supported."""
_COMPATIBLE = (97, 98, 99)
"""Some files require this version; every Lc0 reads them."""
_CONVOLUTION_POLICY_PLANES = 73
"""The planes of a convolution policy that encode moves; files have a few more that do not."""
_DENSE_EPSILON = _SMOLGEN_EPSILON = 1e-3
_QUEEN, _ROOK, _BISHOP = 4, 3, 2
_DIRECTIONS = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))  # files, ranks
_KNIGHT_JUMPS = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))


def read(data: bytes, name: str) -> onnx.ModelProto:
    """Converts the decompressed content of a file. Raises BadFile."""
    if not looks_like_lc0(data):
        raise BadFile(f"it is no network of Lc0's: it does not begin with Lc0's number {MAGIC:#x}")
    net = parse(memoryview(data))
    if net.fixed(1, "magic") != MAGIC:
        raise BadFile(f"its magic number is {net.fixed(1, 'magic'):#x}; Lc0's is {MAGIC:#x}")
    version = net.message(3, "min_version")
    required = tuple(version.number(i + 1, part) for i, part in enumerate(("major", "minor", "patch")))
    if required != _COMPATIBLE and required[:2] > _NEWEST:
        raise BadFile(
            f"it needs Lc0 {'.'.join(map(str, required))} or newer; "
            f"files up to version {'.'.join(map(str, _NEWEST))} are read"
        )
    if 10 not in net:
        raise BadFile("it has no weights")
    return _Network(net).model(name)


@dataclass(frozen=True)
class _Stack:
    """Options shared by all layers of a stack of encoder layers."""

    skip: float
    """Factor of a layer's output in its skip connection."""
    epsilon: float
    """Epsilon of the layer normalisations."""
    activation: ActivationFunction
    """The activation of the feed-forward layers."""


class _Network:
    """The graph under construction. Its methods read a part of the network and return its output's name."""

    def __init__(self, net: Message) -> None:
        form = net.message(4, "format")
        self._net = net
        self._weights = net.message(10, "weights")
        network_format = form.message(2, "network_format") if 2 in form else None
        self._format = read_network_format(network_format, self._weights)
        self._layers = LayerReader(form.number(1, "weights_encoding"))
        self._graph = GraphBuilder()
        self._smolgen: tuple[int, str] | None = None
        """Size per head, and the weights [size per head, 64 * 64] that all smolgens share."""

    def model(self, name: str) -> onnx.ModelProto:
        """Reads the whole network."""
        g, form = self._graph, self._format
        planes = g.op("Cast", g.input("planes", [PLANES, 8, 8], TensorProto.UINT8), to=TensorProto.FLOAT)
        x, width, parts = self._attention_body(planes) if form.attention else self._tower(planes)
        g.output("policy", self._policy(x, width), [POLICY])
        value = self._value(x, width)
        if form.value is ValueFormat.WDL:
            g.output("wdl", g.op("Softmax", value, axis=-1), [3])
        else:
            g.output("value", g.op("Tanh", value), [1])
        if form.moves_left is not MovesLeftFormat.NONE:
            g.output("moves_left", g.op("Relu", self._moves_left(x, width)), [1])
        parts += [form.activation.name.lower(), f"{form.policy.name.lower()} policy"]
        parts += ["WDL" if form.value is ValueFormat.WDL else "classical value"]
        parts += ["moves left"] if form.moves_left is not MovesLeftFormat.NONE else []
        steps = self._net.message(5, "training_params").number(1, "training_steps")
        licence = textwrap.shorten(self._net.text(2, "license"), width=200, placeholder=" …")
        card = ModelCard(
            name=name,
            game="chess",
            codec="lc0",
            architecture=", ".join(parts),
            parameters=self._layers.parameters,
            source=f"{name} (weights in Lc0's format)",
            licence=licence or "not stated",
            trained_on=f"unknown data, {steps:,} steps" if steps else "unknown",
        )
        return g.build(card)

    # Residual towers

    def _tower(self, planes: str) -> tuple[str, int, list[str]]:
        """The body's output, its width, and words for the card."""
        entry = self._layers.convolution(self._weights.message(1, "input"), PLANES, kernel=3)
        x = self._activate(self._convolve(planes, entry))
        blocks = self._weights.messages(2, "residual")
        if not blocks:
            raise BadFile("it has no residual blocks")
        squeezes: set[int] = set()
        for block in blocks:
            x = self._block(x, block, entry.outputs, squeezes)
        parts = [f"residual {len(blocks)}x{entry.outputs}"]
        parts += [f"squeeze-and-excitation {'/'.join(map(str, sorted(squeezes)))}"] if squeezes else []
        return x, entry.outputs, parts

    def _block(self, x: str, block: Message, width: int, squeezes: set[int]) -> str:
        """A residual block: two convolutions with a skip connection. Adds the size of its squeeze layer."""
        layers = self._layers
        y = self._convolve(x, layers.convolution(block.message(1, "conv1"), width, 3, width))
        y = self._activate(y)
        y = self._convolve(y, layers.convolution(block.message(2, "conv2"), width, 3, width))
        if 3 in block:
            unit = block.message(3, "se")
            squeeze = layers.dense(unit, 1, "squeeze", width)
            y = self._excite(y, squeeze, layers.dense(unit, 3, "excite", squeeze.outputs, 2 * width))
            squeezes.add(squeeze.outputs)
        return self._activate(self._graph.op("Add", y, x))

    def _excite(self, x: str, squeeze: Lc0Layer, excite: Lc0Layer) -> str:
        """Squeeze-and-excitation: every plane is scaled and shifted by a function of all planes' means."""
        g, width = self._graph, excite.outputs // 2
        means = g.reshape(g.op("GlobalAveragePool", x), -1, width)
        squeezed = self._activate(self._dense(means, squeeze))
        halves = zip(np.split(excite.weights, 2), np.split(excite.biases, 2), strict=True)
        scales, shifts = (
            g.reshape(self._dense(squeezed, Lc0Layer(*half)), -1, width, 1, 1) for half in halves
        )
        return g.op("Add", g.op("Mul", x, g.op("Sigmoid", scales)), shifts)

    # Attention bodies

    def _attention_body(self, planes: str) -> tuple[str, int, list[str]]:
        """The body's output, its width, and words for the card."""
        g, weights, layers, form = self._graph, self._weights, self._layers, self._format
        if 2 in weights:
            raise BadFile("it has residual blocks before its attention body, which are not read")
        encoders = weights.messages(27, "encoder")
        if not encoders:
            raise BadFile("it has no encoder layers")
        is_dense, has_gates = form.embedding is InputEmbeddingFormat.DENSE, 33 in weights or 34 in weights
        skip = float((2.0 * len(encoders)) ** -0.25)
        stack = _Stack(skip, _DENSE_EPSILON if is_dense else 1e-6, form.feed_forward_activation)
        x, width = self._embedding(planes, is_dense)
        if is_dense:
            x = self._norm(x, weights, 39, "ip_emb_ln", width, _DENSE_EPSILON)
        if has_gates:
            for kind, number, name in (("Mul", 33, "ip_mult_gate"), ("Add", 34, "ip_add_gate")):
                x = g.op(kind, x, g.weights(layers.matrix(weights, number, name, width, SQUARES).T))
        x = g.reshape(x, -1, width)
        if is_dense:
            x = self._feed_forward(x, weights.message(41, "ip_emb_ffn"), width, stack)
            x = self._norm(x, weights, 42, "ip_emb_ffn_ln", width, _DENSE_EPSILON)
        heads = weights.number(28, "headcount")
        for encoder in encoders:
            x = self._encoder(x, encoder, width, heads, stack)
        hidden = layers.numbers(encoders[0].message(4, "ffn"), 2, "dense1_b").size
        parts = [f"attention {len(encoders)}x{width}, {heads} heads", f"feed-forward {hidden}"]
        parts += ["dense embedding"] if is_dense else []
        parts += ["gates"] if has_gates else []
        parts += ["smolgen"] if self._smolgen else []
        return x, width, parts

    def _embedding(self, planes: str, is_dense: bool) -> tuple[str, int]:
        """The planes of each square with its positional encoding, embedded, [batch, 64, width]; and width."""
        g, weights, layers = self._graph, self._weights, self._layers
        biases, pieces, codes = layers.vector(weights, 26, "ip_emb_b"), None, SQUARES
        if is_dense:
            pieces = layers.dense(weights, 37, "ip_emb_preproc", 12 * SQUARES)
            codes, rest = divmod(pieces.outputs, SQUARES)
            if rest:
                raise BadFile(f"weights.ip_emb_preproc_b has {pieces.outputs:,} numbers, no multiple of 64")
        embedding = layers.matrix(weights, 25, "ip_emb_w", biases.size, PLANES + codes)
        squares = g.op("Transpose", g.reshape(planes, -1, PLANES, SQUARES), perm=[0, 2, 1])
        x = g.op("MatMul", squares, g.weights(embedding[:, :PLANES].T))
        position_weights = embedding[:, PLANES:]
        if pieces is not None:  # newer networks: computed from all pieces on the board
            first = g.op("Gather", planes, g.constant(np.arange(12, dtype=np.int64)), axis=1)
            board = g.op("Transpose", g.reshape(first, -1, 12, SQUARES), perm=[0, 2, 1])
            made = self._dense(g.reshape(board, -1, 12 * SQUARES), pieces)
            added = self._dense(g.reshape(made, -1, codes), Lc0Layer(position_weights, biases))
            added = g.reshape(added, -1, SQUARES, biases.size)
        else:
            # A constant goes through a dense layer as a constant: a bias of its own for every square.
            product = positional_encoding().astype(np.float64) @ position_weights.T.astype(np.float64)
            added = g.weights((product + biases).astype(np.float32))
        return self._activate(g.op("Add", x, added)), biases.size

    def _encoder(self, x: str, message: Message, width: int, heads: int, stack: _Stack) -> str:
        """Multi-head self-attention between the squares of each board, then a feed-forward layer."""
        g, layers, attention = self._graph, self._layers, message.message(1, "mha")
        query = layers.dense(attention, 1, "q", width)
        inner = query.outputs
        if heads < 1 or inner % heads:
            raise BadFile(f"{message.path} has {inner:,} numbers a square for {heads:,} heads")
        if any(number in attention for number in (10, 11, 12)):
            raise BadFile(f"{message.path} has relative positions (rpe), which are not read")
        depth = inner // heads

        def split_heads(layer: Lc0Layer, order: Sequence[int], scale: float = 1.0) -> str:
            split = g.reshape(self._dense(x, layer, scale), -1, SQUARES, heads, depth)
            return g.op("Transpose", split, perm=list(order))

        queries = split_heads(query, (0, 2, 1, 3), depth**-0.5)
        keys = split_heads(layers.dense(attention, 3, "k", width, inner), (0, 2, 3, 1))
        values = split_heads(layers.dense(attention, 5, "v", width, inner), (0, 2, 1, 3))
        scores = g.op("MatMul", queries, keys)
        if 9 in attention:
            added = self._smolgen_logits(x, attention.message(9, "smolgen"), width, heads)
            scores = g.op("Add", scores, added)
        seen = g.op("Transpose", g.op("MatMul", g.op("Softmax", scores, axis=-1), values), perm=[0, 2, 1, 3])
        output = layers.dense(attention, 7, "dense", inner, width)
        y = self._dense(g.reshape(seen, -1, inner), output, stack.skip)
        x = self._norm(g.op("Add", y, x), message, 2, "ln1", width, stack.epsilon)
        x = self._feed_forward(x, message.message(4, "ffn"), width, stack)
        return self._norm(x, message, 5, "ln2", width, stack.epsilon)

    def _feed_forward(self, x: str, message: Message, width: int, stack: _Stack) -> str:
        """Two dense layers with a skip connection."""
        first = self._layers.dense(message, 1, "dense1", width)
        second = self._layers.dense(message, 3, "dense2", first.outputs, width)
        y = self._activate(self._dense(x, first), stack.activation)
        return self._graph.op("Add", self._dense(y, second, stack.skip), x)

    def _smolgen_logits(self, x: str, message: Message, width: int, heads: int) -> str:
        """Smolgen: a bias of the attention logits, computed from the whole board, [batch, heads, 64, 64]."""
        g, layers, activation = self._graph, self._layers, self._format.smolgen_activation
        compress = layers.rows(message, 1, "compress", width)
        board = g.reshape(g.op("MatMul", x, g.weights(compress.T)), -1, SQUARES * len(compress))
        first = layers.dense(message, 2, "dense1", len(compress) * SQUARES)
        y = self._activate(self._dense(board, first), activation)
        y = self._norm(y, message, 4, "ln1", first.outputs, _SMOLGEN_EPSILON)
        second = layers.dense(message, 6, "dense2", first.outputs)
        size, rest = divmod(second.outputs, heads)
        if rest:
            raise BadFile(f"{message.path} makes {second.outputs:,} numbers for {heads:,} heads")
        y = self._activate(self._dense(y, second), activation)
        y = self._norm(y, message, 8, "ln2", second.outputs, _SMOLGEN_EPSILON)
        if self._smolgen is None:
            shared = layers.matrix(self._weights, 35, "smolgen_w", SQUARES * SQUARES, size)
            self._smolgen = size, g.weights(shared.T)
        if size != self._smolgen[0]:
            raise BadFile("its encoder layers have smolgens of different sizes")
        made = g.op("MatMul", g.reshape(y, -1, size), self._smolgen[1])
        return g.reshape(made, -1, heads, SQUARES, SQUARES)

    # Heads

    def _policy(self, x: str, width: int) -> str:
        """The logits of 1858 moves from the body's output."""
        g, weights, layers, kind = self._graph, self._weights, self._layers, self._format.policy
        if kind is PolicyFormat.ATTENTION:
            return self._attention_policy(x, width)
        if self._format.attention:
            raise BadFile("it has an attention body with a policy of another kind, which is not read")
        entry = weights.message(3, "policy")
        if kind is PolicyFormat.CONVOLUTION:
            first = layers.convolution(weights.message(11, "policy1"), width, 3, width)
            second = layers.convolution(entry, width, kernel=3)
            if second.outputs < _CONVOLUTION_POLICY_PLANES:
                raise BadFile(
                    f"weights.policy has {second.outputs} planes; "
                    f"at least {_CONVOLUTION_POLICY_PLANES} are expected"
                )
            y = self._convolve(self._activate(self._convolve(x, first)), second)
            return g.gather_columns(g.reshape(y, -1, second.outputs * SQUARES), convolution_policy_map())
        planes = layers.convolution(entry, width, kernel=1)
        output = layers.dense(weights, 4, "ip_pol", planes.outputs * SQUARES, POLICY)
        y = self._activate(self._convolve(x, planes))
        return self._dense(g.reshape(y, -1, planes.outputs * SQUARES), output)

    def _attention_policy(self, x: str, width: int) -> str:
        """The logit of a move is the product of its from-square's query and its to-square's key."""
        g, weights, layers, form = self._graph, self._weights, self._layers, self._format
        head, embedding = weights, (weights, 4)
        query, key, promotion, encoders, count = 17, 19, 22, 21, 24
        activation = inner = ActivationFunction.SELU
        if form.attention:
            activation, inner = form.activation, form.feed_forward_activation
            if 45 in weights:  # of several policies Lc0 plays by "vanilla"
                heads = weights.message(45, "policy_heads")
                head = heads.message(3, "vanilla")
                embedding = next(((holder, 1) for holder in (head, heads) if 1 in holder), embedding)
                query, key, promotion, encoders, count = 3, 5, 7, 8, 9
        else:
            x = g.reshape(g.op("Transpose", x, perm=[0, 2, 3, 1]), -1, width)
        entry = layers.dense(*embedding, "ip_pol", width)
        x = self._activate(self._dense(x, entry), activation)
        stack, head_count = _Stack(1.0, 1e-6, inner), head.number(count, "pol_headcount")
        for encoder in head.messages(encoders, "pol_encoder"):
            if 9 in encoder.message(1, "mha"):
                raise BadFile("its policy has encoder layers with smolgen, which are not read")
            x = self._encoder(x, encoder, entry.outputs, head_count, stack)
        queries = layers.dense(head, query, "ip2_pol", entry.outputs)
        size = queries.outputs
        keys = layers.dense(head, key, "ip3_pol", entry.outputs, size)
        from_squares = g.reshape(self._dense(x, queries, size**-0.5), -1, SQUARES, size)
        to_squares = g.reshape(self._dense(x, keys), -1, SQUARES, size)
        scores = g.op("MatMul", from_squares, g.op("Transpose", to_squares, perm=[0, 2, 1]))
        plain = g.reshape(scores, -1, SQUARES * SQUARES)
        promotions = layers.matrix(head, promotion, "ip4_pol_w", 4, size)  # queen, rook, bishop, all three
        named = self._promotion_logits(plain, to_squares, promotions[:3] + promotions[3])
        return g.gather_columns(g.op("Concat", plain, named, axis=1), attention_policy_map())

    def _promotion_logits(self, plain: str, keys: str, offsets: Array) -> str:
        """Logits of promotions to queen, rook and bishop [batch, 8 * 8 * 3]: the knight promotion's logit
        plus an offset."""
        g = self._graph
        last_rank = g.op("Gather", keys, g.constant(np.arange(56, 64, dtype=np.int64)), axis=1)
        extra = g.op("MatMul", last_rank, g.weights(offsets.T))  # [batch, to-file, piece]
        ranks = (np.arange(48, 56)[:, None] * SQUARES + np.arange(56, 64)).reshape(-1).astype(np.int64)
        knight = g.reshape(g.gather_columns(plain, ranks), -1, 8, 8, 1)
        return g.reshape(g.op("Add", knight, g.reshape(extra, -1, 1, 8, 3)), -1, 8 * 8 * 3)

    def _value(self, x: str, width: int) -> str:
        """The value head before its final activation."""
        weights, layers, hidden, output = self._weights, self._layers, 7, 9
        if not self._format.attention:
            entry = layers.convolution(weights.message(6, "value"), width, kernel=1)
        elif 44 in weights:  # of several values Lc0 takes "winner"
            weights = weights.message(44, "value_heads").message(1, "winner")
            entry, hidden, output = layers.dense(weights, 1, "ip_val", width), 3, 5
        else:
            entry = layers.dense(weights, 29, "ip_val", width)
        outputs = 3 if self._format.value is ValueFormat.WDL else 1
        return self._head(x, entry, weights, hidden, output, "val", outputs)

    def _moves_left(self, x: str, width: int) -> str:
        """The moves-left head before its final activation."""
        weights, layers = self._weights, self._layers
        if self._format.attention:
            entry = layers.dense(weights, 31, "ip_mov", width)
        else:
            entry = layers.convolution(weights.message(12, "moves_left"), width, kernel=1)
        return self._head(x, entry, weights, 13, 15, "mov", 1)

    def _head(
        self, x: str, entry: Lc0Layer, message: Message, hidden: int, output: int, name: str, outputs: int
    ) -> str:
        """A layer for every square, dense or a convolution, and two dense layers for the board."""
        y = self._convolve(x, entry) if entry.weights.ndim == 4 else self._dense(x, entry)
        inputs = entry.outputs * SQUARES
        first = self._layers.dense(message, hidden, f"ip1_{name}", inputs)
        y = self._activate(self._dense(self._graph.reshape(self._activate(y), -1, inputs), first))
        return self._dense(y, self._layers.dense(message, output, f"ip2_{name}", first.outputs, outputs))

    # Layers

    def _activate(self, x: str, activation: ActivationFunction | None = None) -> str:
        """Applies an activation function, by default that of the network."""
        g = self._graph
        match activation or self._format.activation:
            case ActivationFunction.NONE:
                return x
            case ActivationFunction.MISH:
                # x tanh(softplus(x)) is x (1 - s²) / (1 + s²) with s = sigmoid(-x): no logarithm, no overflow
                one = g.constant(np.array(1, dtype=np.float32))
                s = g.op("Sigmoid", g.op("Neg", x))
                square = g.op("Mul", s, s)
                return g.op("Mul", x, g.op("Div", g.op("Sub", one, square), g.op("Add", one, square)))
            case ActivationFunction.SWISH:
                return g.op("Mul", x, g.op("Sigmoid", x))
            case ActivationFunction.RELU_SQUARED:
                positive = g.op("Relu", x)
                return g.op("Mul", positive, positive)
            case plain:
                return g.op(plain.name.capitalize(), x)

    def _dense(self, x: str, layer: Lc0Layer, scale: float = 1.0) -> str:
        """A dense layer over [rows, inputs]; its output is multiplied by `scale`."""
        g, factor = self._graph, np.float32(scale)
        return g.op("Gemm", x, g.weights(layer.weights * factor), g.weights(layer.biases * factor), transB=1)

    def _convolve(self, x: str, layer: Lc0Layer) -> str:
        """A convolution over [batch, planes, 8, 8]."""
        g, kernel = self._graph, layer.weights.shape[-1]
        weights, biases = g.weights(layer.weights), g.weights(layer.biases)
        return g.op("Conv", x, weights, biases, kernel_shape=[kernel, kernel], pads=[kernel // 2] * 4)

    def _norm(self, x: str, message: Message, number: int, name: str, size: int, epsilon: float) -> str:
        """A layer normalisation over the last dimension."""
        g, layers = self._graph, self._layers
        gammas = g.weights(layers.vector(message, number, f"{name}_gammas", size))
        betas = g.weights(layers.vector(message, number + 1, f"{name}_betas", size))
        return g.op("LayerNormalization", x, gammas, betas, axis=-1, epsilon=epsilon)


def positional_encoding() -> Array:
    """The positional encoding of older networks [64, 64]: the squares a queen or a knight could reach."""
    codes = -np.eye(SQUARES, dtype=np.float32)
    for start, end, _ in lc0_policy_moves():
        codes[start, end] = 1
    return codes


def convolution_policy_map() -> NDArray[np.int64]:
    """The index of each of the 1858 moves in a convolution policy: 73 planes of 64 from-squares.

    The planes are eight directions by one to seven squares, eight knight moves, and for each pawn direction
    promotions to rook, bishop and queen.
    """

    def plane(start: int, end: int, promotion: int) -> int:
        files, ranks = end % 8 - start % 8, end // 8 - start // 8
        if promotion:
            return 64 + (files + 1) * 3 + (_ROOK, _BISHOP, _QUEEN).index(promotion)
        if (files, ranks) in _KNIGHT_JUMPS:
            return 56 + _KNIGHT_JUMPS.index((files, ranks))
        distance = max(abs(files), abs(ranks))
        return _DIRECTIONS.index((files // distance, ranks // distance)) * 7 + distance - 1

    return np.array([plane(*move) * SQUARES + move[0] for move in lc0_policy_moves()], dtype=np.int64)
