"""The plain codec: any game's own planes in, a logit for every move code out.

The quickest way to a network for a new game. Inputs: `planes` [batch, planes, rows, columns] as
`Game.encode` gives them. Outputs: `policy` [batch, spec.moves]; optionally `value` [batch, 1] in [-1, 1].
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from sparring.games import load
from sparring.networks.codec import Tensors
from sparring.networks.prediction import Position, Prediction


class PlainCodec:
    """Settings: `game`, its name."""

    def __init__(self, settings: Mapping[str, float | int | str]) -> None:
        self.game = str(settings["game"])

    def encode(self, positions: Sequence[Position]) -> Tensors:
        """The game's planes."""
        return {"planes": load(self.game).encode([position.state for position in positions])}

    def decode(self, positions: Sequence[Position], outputs: Tensors) -> list[Prediction]:
        """The softmax over the legal moves, and the value where there is one."""
        policy = np.asarray(outputs["policy"], dtype=np.float32)
        values = np.asarray(outputs["value"]) if "value" in outputs else None
        predictions = []
        for row, position in enumerate(positions):
            moves = position.state.legal_moves()
            logits = policy[row, moves]
            weights = np.exp(logits - logits.max())
            value = None if values is None else float(values[row, 0])
            predictions.append(Prediction(tuple(moves), weights / weights.sum(), value))
        return predictions
