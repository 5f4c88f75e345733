"""Maia-3 (CSSLab/maia3): the human-like chess network, as an ONNX export of its PyTorch checkpoint.

The export takes `tokens` [1, 64, 96] and the players' ratings; the reader gives it dynamic batches.
`logits_value` is in the order loss, draw, win for the side to move, as the training code labels results.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Annotated, TypeAlias

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from sparring import _core
from sparring.networks.codec import Position, Prediction, Tensors
from sparring.networks.network import read_settings
from sparring.networks.onnx_reader import INT64, TensorSpec

if TYPE_CHECKING:
    import onnx

Rating: TypeAlias = Annotated[int, Meta(ge=0, le=10_000)]

INPUTS = (
    TensorSpec("tokens", (64, 96)),
    TensorSpec("self_elo", (), INT64),
    TensorSpec("oppo_elo", (), INT64),
)
OUTPUTS = (TensorSpec("logits_move", (4352,)), TensorSpec("logits_value", (3,)))


@dataclass(frozen=True)
class Maia3Settings:
    """Ratings of a Maia-3 network. Training balanced ratings between 600 and 2600; others are clipped to this
    range."""

    rating_low: Rating = 600
    rating_high: Rating = 2600
    rating_default: Rating = 1500

    def __post_init__(self) -> None:
        if self.rating_low > self.rating_high:
            raise ValueError("rating_low is above rating_high")


def read(model: onnx.ModelProto, name: str) -> onnx.ModelProto:
    """Converts an exported Maia-3 network to dynamic batches and adds its card. Raises BadFile."""
    from sparring.networks.card import ModelCard, write_card
    from sparring.networks.dynamic_batch import with_dynamic_batch
    from sparring.networks.onnx_files import check_tensor_specs, count_operators, count_parameters

    check_tensor_specs(model, "Maia-3", INPUTS, OUTPUTS)
    freed = with_dynamic_batch(model, [output.name for output in OUTPUTS], _replace_gather_nd)
    layers = count_operators(freed)["Softmax"]
    card = ModelCard(
        name=name,
        game="chess",
        codec="maia3",
        architecture=f"Chessformer: {layers} attention layers over 64 squares, from-to policy, WDL",
        parameters=count_parameters(freed),
        source=name,
        licence="AGPL-3.0",
        trained_on="Lichess games from January 2023 to July 2025",
        settings=dataclasses.asdict(Maia3Settings()),
    )
    write_card(freed, card)
    return freed


def _replace_gather_nd(model: onnx.ModelProto) -> None:
    """Replaces GatherND with one index per row, PyTorch's export of x[:, list], by Gather."""
    from onnx import numpy_helper

    from sparring.networks.onnx_files import to_array

    tensors = {tensor.name: tensor for tensor in model.graph.initializer}
    for node in model.graph.node:
        with_dynamic_batch = any(
            attribute.name == "batch_dims" and attribute.i for attribute in node.attribute
        )
        if node.op_type != "GatherND" or with_dynamic_batch or node.input[1] not in tensors:
            continue
        indices = to_array(tensors[node.input[1]])
        if indices.ndim > 0 and indices.shape[-1] == 1:
            name = f"{node.output[0]}.indices"
            model.graph.initializer.append(numpy_helper.from_array(indices[..., 0], name))
            node.op_type, node.input[1] = "Gather", name
            del node.attribute[:]


class Maia3Codec:
    """Codec of Maia-3. An unknown rating is `rating_default`; an unknown opponent's rating is the
    player's."""

    game = "chess"
    optional_outputs = frozenset[str]()

    def __init__(self, settings: Mapping[str, float | int | str]) -> None:
        """`settings` are the fields of `Maia3Settings`. Raises BadFile."""
        self._settings = read_settings(Maia3Settings, settings)

    def output_shapes(self, inputs: Tensors) -> Mapping[str, tuple[int, ...]]:
        """Logits of moves and of results."""
        return {output.name: output.shape for output in OUTPUTS}

    def encode(self, positions: Sequence[Position]) -> Tensors:
        """`tokens` [positions, 64, 96], and `self_elo` and `oppo_elo` [positions]."""
        own = [self._settings.rating_default if p.rating is None else p.rating for p in positions]
        other = [
            mine if p.opponent_rating is None else p.opponent_rating
            for p, mine in zip(positions, own, strict=True)
        ]
        return {
            "tokens": _core.maia3_encode([position.state for position in positions]),
            "self_elo": self._within(own),
            "oppo_elo": self._within(other),
        }

    def decode(self, positions: Sequence[Position], outputs: Tensors) -> list[Prediction]:
        """Probabilities over the legal moves; win, draw and loss for the side to move."""
        logits = np.ascontiguousarray(outputs["logits_move"], dtype=np.float32)
        moves, probabilities = _core.maia3_decode([position.state for position in positions], logits)
        ends = np.cumsum([len(legal_moves) for legal_moves in moves])
        chances = _softmax(np.asarray(outputs["logits_value"], dtype=np.float64)).tolist()
        return [
            Prediction(
                moves=legal_moves,
                probabilities=probabilities[end - len(legal_moves) : end],
                value=win - loss,
                wdl=(win, draw, loss),
                state=position.state,
            )
            for position, legal_moves, end, (loss, draw, win) in zip(
                positions, moves, ends, chances, strict=True
            )
        ]

    @property
    def ratings(self) -> tuple[float, float]:
        """Unbounded: ratings beyond the training range are clipped."""
        return -math.inf, math.inf

    def symmetries(self, position: Position) -> int:
        """2 if no castling rights are left, else 1."""
        return int(position.state.symmetries)

    def apply_symmetry(self, positions: Sequence[Position], inputs: Tensors, symmetry: int) -> Tensors:
        """The tokens with reversed files."""
        if not symmetry:
            return inputs
        return {**inputs, "tokens": np.ascontiguousarray(inputs["tokens"][:, np.arange(64) ^ 7])}

    def invert_symmetry(self, positions: Sequence[Position], outputs: Tensors, symmetry: int) -> Tensors:
        """The logits with every move replaced by its mirror image."""
        if not symmetry:
            return outputs
        return {**outputs, "logits_move": outputs["logits_move"][:, _mirrored_moves()]}

    def _within(self, ratings: Sequence[int]) -> NDArray[np.int64]:
        return np.clip(
            np.array(ratings, dtype=np.int64), self._settings.rating_low, self._settings.rating_high
        )


@cache
def _mirrored_moves() -> NDArray[np.int64]:
    """The index of each move's mirror image among the logits [4352]."""
    squares, files = np.arange(64) ^ 7, 7 - np.arange(8)
    plain = squares[:, None] * 64 + squares
    promotions = ((files[:, None] * 8 + files)[..., None] * 4 + np.arange(4)) + 4096
    return np.concatenate([plain.ravel(), promotions.ravel()])


def _softmax(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    weights = np.exp(logits - logits.max(axis=-1, keepdims=True))
    shares: NDArray[np.float64] = weights / weights.sum(axis=-1, keepdims=True)
    return shares
