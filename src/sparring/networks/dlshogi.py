"""dlshogi: networks for shogi as its own program exports them to ONNX.

Facts from TadaoYamaoka/DeepLearningShogi: inputs `input1` and `input2` with 62 and 57 planes, logits of
2187 labels in `output_policy`, and in `output_value` the probability that the side to move wins: the
export puts the sigmoid into the graph, and the engine takes the number as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np
import onnx
from numpy.typing import NDArray

from sparring import _core
from sparring.networks.card import ModelCard, write_card
from sparring.networks.codec import Tensors
from sparring.networks.dynamic_batch import with_dynamic_batch
from sparring.networks.onnx_files import (
    TensorSpec,
    check_tensor_specs,
    count_operators,
    count_parameters,
)
from sparring.networks.prediction import Position, Prediction

INPUTS = (TensorSpec("input1", (62, 9, 9)), TensorSpec("input2", (57, 9, 9)))
OUTPUTS = (TensorSpec("output_policy", (2187,)), TensorSpec("output_value", (1,)))


def read(model: onnx.ModelProto, name: str) -> onnx.ModelProto:
    """A dlshogi network as it was exported, made to take batches, with its card. Raises BadNetwork."""
    check_tensor_specs(model, "dlshogi", INPUTS, OUTPUTS)
    freed = with_dynamic_batch(model, [output.name for output in OUTPUTS])
    convolutions = count_operators(freed)["Conv"]
    card = ModelCard(
        name=name,
        game="shogi",
        codec="dlshogi",
        architecture=f"dlshogi: {convolutions} convolutions, policy of 2187 labels, value",
        parameters=count_parameters(freed),
        source=name,
    )
    write_card(freed, card)
    return freed


class DlshogiCodec:
    """Positions to planes, and outputs to moves and a value. There are no draws in it: `wdl` is None.

    The network has no label for the declaration of a win. dlshogi declares whenever it may, without
    asking the network, so a legal declaration has probability 1 here.
    """

    game = "shogi"

    def __init__(self, settings: Mapping[str, float | int | str]) -> None:
        pass

    def encode(self, positions: Sequence[Position]) -> Tensors:
        """`input1` [positions, 62, 9, 9] and `input2` [positions, 57, 9, 9]."""
        pieces, hands = _core.dlshogi_encode([position.state for position in positions])
        return {"input1": pieces, "input2": hands}

    def decode(self, positions: Sequence[Position], outputs: Tensors) -> list[Prediction]:
        """Probabilities over the legal moves, and the value from -1 to 1."""
        logits = np.ascontiguousarray(outputs["output_policy"], dtype=np.float32)
        moves, probabilities = _core.dlshogi_decode([position.state for position in positions], logits)
        won = np.asarray(outputs["output_value"], dtype=np.float32).reshape(-1)
        ends = np.cumsum([len(each) for each in moves])
        return [
            Prediction(moves=each, probabilities=probabilities[end - len(each) : end], value=float(2 * p - 1))
            for each, end, p in zip(moves, ends, won, strict=True)
        ]

    def symmetries(self, position: Position) -> int:
        """Left and right are always alike."""
        return int(position.state.symmetries)

    def apply_symmetry(self, positions: Sequence[Position], inputs: Tensors, symmetry: int) -> Tensors:
        """Files in the other order: a plane is a file after the other."""
        if not symmetry:
            return inputs
        return {name: np.ascontiguousarray(planes[:, :, ::-1]) for name, planes in inputs.items()}

    def invert_symmetry(self, positions: Sequence[Position], outputs: Tensors, symmetry: int) -> Tensors:
        """Every label in the place of its mirror image."""
        if not symmetry:
            return outputs
        return {**outputs, "output_policy": outputs["output_policy"][:, mirrored_labels()]}


_LEFT_FOR_RIGHT = (0, 2, 1, 4, 3, 5, 7, 6, 9, 8)
"""The ten directions in which a piece may arrive, as dlshogi numbers them, seen in a mirror."""


@cache
def mirrored_labels() -> NDArray[np.int64]:
    """[2187]: the place of each label's mirror image. A label is a direction or drop, and a square."""
    return (mirrored_directions()[:, None] * 81 + np.arange(81).reshape(9, 9)[::-1].ravel()).ravel()


def mirrored_directions() -> NDArray[np.int64]:
    """[27]: the mirror image of each direction, without and with promotion, and of each drop."""
    return np.array([*_LEFT_FOR_RIGHT, *(10 + way for way in _LEFT_FOR_RIGHT), *range(20, 27)])
