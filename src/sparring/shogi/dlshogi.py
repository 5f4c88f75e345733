"""dlshogi: shogi networks in the ONNX format of its own exporter.

Facts from TadaoYamaoka/DeepLearningShogi: inputs `input1` and `input2` with 62 and 57 planes;
`output_policy` are logits of 2187 labels; `output_value` is the win probability of the side to move (the
export contains the sigmoid).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sparring import _core
from sparring.networks.codec import Position, Prediction, Tensors
from sparring.networks.onnx_reader import TensorSpec

if TYPE_CHECKING:
    import onnx

INPUTS = (TensorSpec("input1", (62, 9, 9)), TensorSpec("input2", (57, 9, 9)))
OUTPUTS = (TensorSpec("output_policy", (2187,)), TensorSpec("output_value", (1,)))


def read(model: onnx.ModelProto, name: str) -> onnx.ModelProto:
    """Converts an exported dlshogi network to dynamic batches and adds its card. Raises BadFile."""
    from sparring.networks.card import ModelCard, write_card
    from sparring.networks.dynamic_batch import with_dynamic_batch
    from sparring.networks.onnx_files import check_tensor_specs, count_operators, count_parameters

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
    """Codec of dlshogi networks. They have no draws: `wdl` is None.

    The network has no label for the declaration of a win. dlshogi declares whenever that is legal, without
    evaluating the network, so a legal declaration has probability 1 here.
    """

    game = "shogi"
    optional_outputs = frozenset[str]()

    def __init__(self, settings: Mapping[str, float | int | str]) -> None:
        pass

    def output_shapes(self, inputs: Tensors) -> Mapping[str, tuple[int, ...]]:
        """Logits of labels, and the win probability."""
        return {output.name: output.shape for output in OUTPUTS}

    def encode(self, positions: Sequence[Position]) -> Tensors:
        """`input1` [positions, 62, 9, 9] and `input2` [positions, 57, 9, 9]."""
        pieces, hands = _core.dlshogi_encode([position.state for position in positions])
        return {"input1": pieces, "input2": hands}

    def decode(self, positions: Sequence[Position], outputs: Tensors) -> list[Prediction]:
        """Probabilities over the legal moves, and the value from -1 to 1."""
        logits = np.ascontiguousarray(outputs["output_policy"], dtype=np.float32)
        moves, probabilities = _core.dlshogi_decode([position.state for position in positions], logits)
        won = np.asarray(outputs["output_value"], dtype=np.float32).reshape(-1)
        ends = np.cumsum([len(legal_moves) for legal_moves in moves])
        return [
            Prediction(
                legal_moves,
                probabilities[end - len(legal_moves) : end],
                value=float(2 * p - 1),
                state=position.state,
            )
            for position, legal_moves, end, p in zip(positions, moves, ends, won, strict=True)
        ]

    def symmetries(self, position: Position) -> int:
        """2: a shogi board may always be mirrored left to right."""
        return int(position.state.symmetries)

    def apply_symmetry(self, positions: Sequence[Position], inputs: Tensors, symmetry: int) -> Tensors:
        """The inputs with reversed files; the planes are file-major."""
        if not symmetry:
            return inputs
        return {name: np.ascontiguousarray(planes[:, :, ::-1]) for name, planes in inputs.items()}

    def invert_symmetry(self, positions: Sequence[Position], outputs: Tensors, symmetry: int) -> Tensors:
        """The logits with every label replaced by its mirror image."""
        if not symmetry:
            return outputs
        return {**outputs, "output_policy": outputs["output_policy"][:, mirrored_labels()]}


_LEFT_FOR_RIGHT = (0, 2, 1, 4, 3, 5, 7, 6, 9, 8)
"""The mirror image of each of dlshogi's ten move directions."""


@cache
def mirrored_labels() -> NDArray[np.int64]:
    """The index of each label's mirror image [2187]. A label is a direction or drop, and a square."""
    return (mirrored_directions()[:, None] * 81 + np.arange(81).reshape(9, 9)[::-1].ravel()).ravel()


def mirrored_directions() -> NDArray[np.int64]:
    """The mirror image of each direction, without and with promotion, and of each drop [27]."""
    return np.array([*_LEFT_FOR_RIGHT, *(10 + way for way in _LEFT_FOR_RIGHT), *range(20, 27)])
