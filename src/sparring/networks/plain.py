"""The plain codec: a game's own planes in, one logit per move code out. The quickest way to a network for a
new game.

Inputs: `planes` [batch, planes, rows, columns] as from `Game.encode`. Outputs: `policy` [batch, spec.moves];
optionally `value` [batch, 1] in [-1, 1].
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from sparring.games import load_game
from sparring.networks.codec import Position, Prediction, Tensors


class PlainCodec:
    """Codec of any game. Settings: `game`, its name."""

    optional_outputs = frozenset(("value",))

    def __init__(self, settings: Mapping[str, float | int | str]) -> None:
        self.game = str(settings["game"])
        self._spec = load_game(self.game).spec

    def output_shapes(self, inputs: Tensors) -> Mapping[str, tuple[int, ...]]:
        """A logit per move code; a value is optional."""
        return {"policy": (self._spec.moves,), "value": (1,)}

    def encode(self, positions: Sequence[Position]) -> Tensors:
        """The game's planes."""
        return {"planes": load_game(self.game).encode([position.state for position in positions])}

    def decode(self, positions: Sequence[Position], outputs: Tensors) -> list[Prediction]:
        """The softmax over the legal moves, and the value if the network has one."""
        policy = np.asarray(outputs["policy"], dtype=np.float32)
        values = np.asarray(outputs["value"]) if "value" in outputs else None
        predictions = []
        for row, position in enumerate(positions):
            moves = position.state.legal_moves()
            logits = policy[row, moves]
            weights = np.exp(logits - logits.max())
            value = None if values is None else float(values[row, 0])
            predictions.append(Prediction(tuple(moves), weights / weights.sum(), value, state=position.state))
        return predictions

    def symmetries(self, position: Position) -> int:
        """The number of symmetries that the rules allow in this position."""
        return int(position.state.symmetries)

    def apply_symmetry(self, positions: Sequence[Position], inputs: Tensors, symmetry: int) -> Tensors:
        """The planes with every cell moved by the symmetry."""
        planes = inputs["planes"]
        turned = np.empty_like(planes).reshape(*planes.shape[:2], -1)
        for row, position in enumerate(positions):
            cells = position.state.transformed_cells(symmetry)
            turned[row][:, cells] = planes[row].reshape(planes.shape[1], -1)
        return {"planes": turned.reshape(planes.shape)}

    def invert_symmetry(self, positions: Sequence[Position], outputs: Tensors, symmetry: int) -> Tensors:
        """The logits of the legal moves, read at the moves' images under the symmetry."""
        policy = np.array(outputs["policy"])
        for row, position in enumerate(positions):
            moves = position.state.transformed_moves(symmetry)
            policy[row, position.state.legal_moves()] = outputs["policy"][row, moves]
        return {**outputs, "policy": policy}
