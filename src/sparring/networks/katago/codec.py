"""Between Go positions and the tensors of KataGo's networks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from sparring._core import katago_encode, katago_policy, katago_results
from sparring.networks.codec import Tensors
from sparring.networks.katago.people import metadata
from sparring.networks.katago.transformer import LARGEST
from sparring.networks.prediction import Position, Prediction

_LEAD = 2  # the place of the lead among the score head's outputs


class KataGoCodec:
    """How KataGo's networks see positions. Boards of several sizes may share a batch."""

    game = "go"

    def __init__(self, settings: Mapping[str, float | int | str]) -> None:
        """The settings are those of the network's card: `lead_multiplier`, `side` and `metadata`."""
        self._lead = float(settings["lead_multiplier"])
        self._side = int(settings["side"])
        self._imitates = bool(settings["metadata"])

    def encode(self, positions: Sequence[Position]) -> Tensors:
        """`spatial`, `global` and, for networks that imitate people, `metadata`."""
        states = [position.state for position in positions]
        side = self._side or max((state.size for state in states), default=LARGEST)
        spatial, numbers = katago_encode(states, side)
        tensors = {"spatial": spatial, "global": numbers}
        if self._imitates:
            tensors["metadata"] = np.stack([metadata(position) for position in positions])
        return tensors

    def decode(self, positions: Sequence[Position], outputs: Tensors) -> list[Prediction]:
        """Draws are games without a result, which count as no lead."""
        states = [position.state for position in positions]
        logits = np.ascontiguousarray(outputs["policy"], dtype=np.float32)
        side = round((logits.shape[1] - 1) ** 0.5)
        moves = katago_policy(states, logits, side)
        results = katago_results(states, np.ascontiguousarray(outputs["value"], dtype=np.float32))
        leads = outputs["score"][:, _LEAD].astype(np.float32) * self._lead * (1 - results[:, 1])
        return [
            Prediction(codes, probabilities, value=win - loss, wdl=(win, none, loss), lead=lead)
            for (codes, probabilities), (win, none, loss), lead in zip(
                moves, results.tolist(), leads.tolist(), strict=True
            )
        ]
