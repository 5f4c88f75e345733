"""The codec of Lc0's networks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from sparring._core import lc0_decode, lc0_encode, lc0_policy_moves
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
        ends = np.cumsum([len(legal) for legal in moves])
        return [
            Prediction(
                moves=legal,
                probabilities=probabilities[end - len(legal) : end],
                value=wdl[i][0] - wdl[i][2] if wdl else value[i] if value else None,
                wdl=tuple(wdl[i]) if wdl else None,
                moves_left=left[i] if left else None,
                state=positions[i].state,
            )
            for i, (legal, end) in enumerate(zip(moves, ends, strict=True))
        ]

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
