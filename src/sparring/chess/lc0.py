"""The codec of Lc0's networks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from sparring._core import lc0_decode, lc0_encode, lc0_policy_moves
from sparring.base.errors import BadFile
from sparring.chess.lc0_weights import (
    CONVOLUTION_POLICY_PLANES,
    PLANES,
    POLICY,
    SQUARES,
    Array,
    AttentionBody,
    AttentionPolicyHead,
    Body,
    ClassicalPolicyHead,
    ConvolutionPolicyHead,
    DenseEmbedding,
    EncoderLayer,
    Gate,
    Head,
    InputEmbeddingFormat,
    LayerReader,
    Lc0Convolution,
    Lc0Dense,
    Lc0FeedForward,
    Lc0PolicyHead,
    Lc0ResidualBlock,
    Lc0ResidualTower,
    Lc0Weights,
    Message,
    MovesLeftFormat,
    NetworkFormat,
    PolicyFormat,
    Smolgen,
    SqueezeExcitation,
    ValueFormat,
    parse,
    read_network_format,
)
from sparring.networks.codec import Position, Prediction, Tensors


class Lc0Codec:
    """Input: 112 planes with history. Outputs: a policy of 1858 moves, WDL or a value, moves left."""

    game = "chess"
    optional_outputs = frozenset(("wdl", "value", "moves_left"))

    def __init__(self, settings: Mapping[str, float | int | str]) -> None:
        """`settings` is unused: the outputs say which heads the network has."""

    def output_shapes(self, inputs: Tensors) -> Mapping[str, tuple[int, ...]]:
        """A policy of 1858 moves; WDL, value and moves left are optional."""
        return {"policy": (1858,), "wdl": (3,), "value": (1,), "moves_left": (1,)}

    def encode(self, positions: Sequence[Position]) -> Tensors:
        """`planes`, uint8 [positions, 112, 8, 8]."""
        return {"planes": lc0_encode([position.state for position in positions])}

    def decode(self, positions: Sequence[Position], outputs: Tensors) -> list[Prediction]:
        """Probabilities over the legal moves, and the value for the side to move."""
        logits = np.ascontiguousarray(outputs["policy"], dtype=np.float32)
        moves, probabilities = lc0_decode([position.state for position in positions], logits)
        wdl = outputs["wdl"].tolist() if "wdl" in outputs else None
        value = outputs["value"][:, 0].tolist() if "value" in outputs else None
        left = outputs["moves_left"][:, 0].tolist() if "moves_left" in outputs else None
        predictions, begin = [], 0
        for i, legal in enumerate(moves):
            end = begin + len(legal)
            predictions.append(
                Prediction(
                    moves=legal,
                    probabilities=probabilities[begin:end],
                    value=wdl[i][0] - wdl[i][2] if wdl else value[i] if value else None,
                    wdl=tuple(wdl[i]) if wdl else None,
                    moves_left=left[i] if left else None,
                    state=positions[i].state,
                )
            )
            begin = end
        return predictions

    def symmetries(self, position: Position) -> int:
        """2 if no castling rights are left, else 1."""
        return int(position.state.symmetries)

    def apply_symmetry(self, positions: Sequence[Position], inputs: Tensors, symmetry: int) -> Tensors:
        """The planes with reversed files."""
        return {"planes": np.ascontiguousarray(inputs["planes"][..., ::-1])} if symmetry else inputs

    def invert_symmetry(self, positions: Sequence[Position], outputs: Tensors, symmetry: int) -> Tensors:
        """The logits with every move replaced by its mirror image."""
        return {**outputs, "policy": outputs["policy"][:, mirrored_moves()]} if symmetry else outputs


@cache
def mirrored_moves() -> NDArray[np.int64]:
    """The index of each move's mirror image in the policy [1858]."""
    moves = lc0_policy_moves()
    place = {move: i for i, move in enumerate(moves)}
    return np.array([place[start ^ 7, end ^ 7, promotion] for start, end, promotion in moves])


def symmetry_labels(cells: NDArray[np.int64]) -> NDArray[np.int64]:
    """The policy index [1858] that a board symmetry takes each move to; the only one swaps left and right."""
    return mirrored_moves()


# Reads the weights of Lc0's files (net.proto). Field numbers stand beside the names of net.proto.


_MAGIC = 0x1C0
_MAGIC_TAG = b"\x0d"  # field 1, four bytes
NEWEST = (0, 33)
"""The newest version of Lc0 whose files are supported."""
_COMPATIBLE = (97, 98, 99)
"""Some files require this version; every Lc0 reads them."""


def looks_like_lc0(data: bytes) -> bool:
    """Whether the content of a file begins as Lc0's files do."""
    return data[:5] == _MAGIC_TAG + _MAGIC.to_bytes(4, "little")


def read_weights(data: bytes) -> Lc0Weights:
    """Reads the network in a file's content. Raises BadFile."""
    if not looks_like_lc0(data):
        raise BadFile(f"it is no network of Lc0's: it does not begin with Lc0's number {_MAGIC:#x}")
    net = parse(memoryview(data))
    if net.fixed(1, "magic") != _MAGIC:
        raise BadFile(f"its magic number is {net.fixed(1, 'magic'):#x}; Lc0's is {_MAGIC:#x}")
    _check_version(net.message(3, "min_version"))
    if 10 not in net:
        raise BadFile("it has no weights")
    weights = net.message(10, "weights")
    format_message = net.message(4, "format")
    network = format_message.message(2, "network_format") if 2 in format_message else None
    return _Reader(
        weights,
        read_network_format(network, weights),
        LayerReader(format_message.number(1, "weights_encoding")),
    ).read(net)


def _check_version(version: Message) -> None:
    required = tuple(version.number(i + 1, part) for i, part in enumerate(("major", "minor", "patch")))
    if required != _COMPATIBLE and required[:2] > NEWEST:
        raise BadFile(
            f"it needs Lc0 {'.'.join(map(str, required))} or newer; "
            f"files up to version {'.'.join(map(str, NEWEST))} are read"
        )


class _Reader:
    """Reads the weights of a file of known format."""

    def __init__(self, weights: Message, form: NetworkFormat, layers: LayerReader) -> None:
        self._weights = weights
        self._format = form
        self._layers = layers

    def read(self, net: Message) -> Lc0Weights:
        body = self._attention_body() if self._format.attention else self._tower()
        policy, value = self._policy(body), self._value(body)
        moves_left = self._moves_left(body)
        return Lc0Weights(
            body=body,
            policy=policy,
            value=value,
            moves_left=moves_left,
            activation=self._format.activation,
            smolgen_activation=self._format.smolgen_activation,
            feed_forward_activation=self._format.feed_forward_activation,
            parameters=self._layers.parameters,
            licence=net.text(2, "license").strip(),
            training_steps=net.message(5, "training_params").number(1, "training_steps"),
        )

    # Bodies

    def _tower(self) -> Lc0ResidualTower:
        weights, layers = self._weights, self._layers
        entry = layers.convolution(weights.message(1, "input"), PLANES, kernel=3)
        width = entry.outputs
        blocks = tuple(self._block(block, width) for block in weights.messages(2, "residual"))
        if not blocks:
            raise BadFile("it has no residual blocks")
        return Lc0ResidualTower(entry, blocks)

    def _block(self, block: Message, width: int) -> Lc0ResidualBlock:
        layers = self._layers
        first = layers.convolution(block.message(1, "conv1"), width, 3, width)
        second = layers.convolution(block.message(2, "conv2"), width, 3, width)
        if 3 not in block:
            return Lc0ResidualBlock(first, second, None)
        unit = block.message(3, "se")
        squeeze = layers.dense(unit, 1, "squeeze", width)
        excite = layers.dense(unit, 3, "excite", squeeze.outputs, 2 * width)
        return Lc0ResidualBlock(first, second, SqueezeExcitation(squeeze, excite))

    def _attention_body(self) -> AttentionBody:
        weights, layers = self._weights, self._layers
        if 2 in weights:
            raise BadFile("it has residual blocks before its attention body, which are not read")
        biases = layers.vector(weights, 26, "ip_emb_b")
        width = biases.size
        dense = self._dense_embedding(width) if self._format.embedding is InputEmbeddingFormat.DENSE else None
        encoding_width = dense.pieces.outputs // SQUARES if dense else SQUARES
        embedding = Lc0Dense(layers.matrix(weights, 25, "ip_emb_w", width, PLANES + encoding_width), biases)
        gate = self._gate(width) if 33 in weights or 34 in weights else None
        encoder_layers = self._encoders(weights, 27, 28, "encoder", "headcount", width)
        if not encoder_layers:
            raise BadFile("it has no encoder layers")
        return AttentionBody(embedding, dense, gate, encoder_layers, self._shared_smolgen(encoder_layers))

    def _dense_embedding(self, width: int) -> DenseEmbedding:
        weights, layers = self._weights, self._layers
        pieces = layers.dense(weights, 37, "ip_emb_preproc", 12 * SQUARES)
        if pieces.outputs % SQUARES:
            raise BadFile(f"weights.ip_emb_preproc_b has {pieces.outputs:,} numbers, no multiple of 64")
        return DenseEmbedding(
            pieces,
            layers.norm(weights, 39, "ip_emb_ln", width),
            self._feed_forward(weights.message(41, "ip_emb_ffn"), width),
            layers.norm(weights, 42, "ip_emb_ffn_ln", width),
        )

    def _gate(self, width: int) -> Gate:
        factors = self._layers.matrix(self._weights, 33, "ip_mult_gate", width, SQUARES)
        addends = self._layers.matrix(self._weights, 34, "ip_add_gate", width, SQUARES)
        return Gate(factors.T, addends.T)

    def _shared_smolgen(self, encoder_layers: tuple[EncoderLayer, ...]) -> Array | None:
        sizes = {layer.smolgen.second.outputs // layer.heads for layer in encoder_layers if layer.smolgen}
        if not sizes:
            return None
        if len(sizes) > 1:
            raise BadFile("its encoder layers have smolgens of different sizes")
        return self._layers.matrix(self._weights, 35, "smolgen_w", SQUARES * SQUARES, sizes.pop())

    # Encoder layers

    def _encoders(
        self, message: Message, number: int, heads_number: int, name: str, heads_name: str, width: int
    ) -> tuple[EncoderLayer, ...]:
        heads = message.number(heads_number, heads_name)
        return tuple(self._encoder(layer, width, heads) for layer in message.messages(number, name))

    def _encoder(self, message: Message, width: int, heads: int) -> EncoderLayer:
        layers, attention = self._layers, message.message(1, "mha")
        query = layers.dense(attention, 1, "q", width)
        inner = query.outputs
        if heads < 1 or inner % heads:
            raise BadFile(f"{message.path} has {inner:,} numbers a square for {heads:,} heads")
        if any(number in attention for number in (10, 11, 12)):
            raise BadFile(f"{message.path} has relative positions (rpe), which are not read")
        return EncoderLayer(
            heads=heads,
            query=query,
            key=layers.dense(attention, 3, "k", width, inner),
            value=layers.dense(attention, 5, "v", width, inner),
            output=layers.dense(attention, 7, "dense", inner, width),
            smolgen=self._smolgen(attention.message(9, "smolgen"), width, heads) if 9 in attention else None,
            attention_norm=layers.norm(message, 2, "ln1", width),
            feed_forward=self._feed_forward(message.message(4, "ffn"), width),
            feed_forward_norm=layers.norm(message, 5, "ln2", width),
        )

    def _smolgen(self, message: Message, width: int, heads: int) -> Smolgen:
        layers = self._layers
        compress = layers.rows(message, 1, "compress", width)
        first = layers.dense(message, 2, "dense1", len(compress) * SQUARES)
        second = layers.dense(message, 6, "dense2", first.outputs)
        if second.outputs % heads:
            raise BadFile(f"{message.path} makes {second.outputs:,} numbers for {heads:,} heads")
        return Smolgen(
            compress,
            first,
            layers.norm(message, 4, "ln1", first.outputs),
            second,
            layers.norm(message, 8, "ln2", second.outputs),
        )

    def _feed_forward(self, message: Message, width: int) -> Lc0FeedForward:
        first = self._layers.dense(message, 1, "dense1", width)
        return Lc0FeedForward(first, self._layers.dense(message, 3, "dense2", first.outputs, width))

    # Heads

    def _policy(self, body: Body) -> Lc0PolicyHead:
        weights, layers, kind = self._weights, self._layers, self._format.policy
        if kind is PolicyFormat.ATTENTION:
            return self._attention_policy(body.width)
        if self._format.attention:
            raise BadFile("it has an attention body with a policy of another kind, which is not read")
        entry = weights.message(3, "policy")
        if kind is PolicyFormat.CONVOLUTION:
            first = layers.convolution(weights.message(11, "policy1"), body.width, 3, body.width)
            second = layers.convolution(entry, body.width, kernel=3)
            if second.outputs < CONVOLUTION_POLICY_PLANES:
                raise BadFile(
                    f"weights.policy has {second.outputs} planes; "
                    f"at least {CONVOLUTION_POLICY_PLANES} are expected"
                )
            return ConvolutionPolicyHead(first, second)
        planes = layers.convolution(entry, body.width, kernel=1)
        return ClassicalPolicyHead(
            planes, layers.dense(weights, 4, "ip_pol", planes.outputs * SQUARES, POLICY)
        )

    def _attention_policy(self, width: int) -> AttentionPolicyHead:
        weights, layers = self._weights, self._layers
        head, embedding = weights, (weights, 4)
        query, key, promotion, encoders, count = 17, 19, 22, 21, 24
        if self._format.attention and 45 in weights:  # of several policies Lc0 plays by "vanilla"
            heads = weights.message(45, "policy_heads")
            head = heads.message(3, "vanilla")
            embedding = next(((holder, 1) for holder in (head, heads) if 1 in holder), embedding)
            query, key, promotion, encoders, count = 3, 5, 7, 8, 9
        entry = layers.dense(*embedding, "ip_pol", width)
        encoder_layers = self._encoders(head, encoders, count, "pol_encoder", "pol_headcount", entry.outputs)
        if any(layer.smolgen for layer in encoder_layers):
            raise BadFile("its policy has encoder layers with smolgen, which are not read")
        queries = layers.dense(head, query, "ip2_pol", entry.outputs)
        return AttentionPolicyHead(
            entry,
            encoder_layers,
            queries,
            layers.dense(head, key, "ip3_pol", entry.outputs, queries.outputs),
            layers.matrix(head, promotion, "ip4_pol_w", 4, queries.outputs),
        )

    def _value(self, body: Body) -> Head:
        outputs = 3 if self._format.value is ValueFormat.WDL else 1
        if self._format.attention and 44 in self._weights:  # of several values Lc0 takes "winner"
            winner = self._weights.message(44, "value_heads").message(1, "winner")
            entry = self._layers.dense(winner, 1, "ip_val", body.width)
            return self._head(winner, entry, 3, 5, "val", outputs)
        if self._format.attention:
            entry = self._layers.dense(self._weights, 29, "ip_val", body.width)
            return self._head(self._weights, entry, 7, 9, "val", outputs)
        planes = self._layers.convolution(self._weights.message(6, "value"), body.width, kernel=1)
        return self._head(self._weights, planes, 7, 9, "val", outputs)

    def _moves_left(self, body: Body) -> Head | None:
        if self._format.moves_left is MovesLeftFormat.NONE:
            return None
        entry: Lc0Convolution | Lc0Dense
        if self._format.attention:
            entry = self._layers.dense(self._weights, 31, "ip_mov", body.width)
        else:
            entry = self._layers.convolution(self._weights.message(12, "moves_left"), body.width, kernel=1)
        return self._head(self._weights, entry, 13, 15, "mov", 1)

    def _head(
        self,
        message: Message,
        entry: Lc0Convolution | Lc0Dense,
        first: int,
        second: int,
        name: str,
        outputs: int,
    ) -> Head:
        hidden = self._layers.dense(message, first, f"ip1_{name}", entry.outputs * SQUARES)
        return Head(
            entry, hidden, self._layers.dense(message, second, f"ip2_{name}", hidden.outputs, outputs)
        )
