"""Our own networks: a position and the people who play it in, moves and chances out.

Inputs: `planes`, bytes, in an encoding that the native core knows; `context` [batch, 6]: the mover's rating,
the opponent's and the mover's clock, each a number from 0 to 1 and whether it is known. Outputs: `policy`,
logits of the encoding's labels; `wdl`, chances of a win, a draw and a loss for the mover.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sparring.games import describe, resolve
from sparring.networks.codec import Tensors
from sparring.networks.prediction import Position, Prediction

LabelSymmetry: TypeAlias = Callable[[NDArray[np.int64]], NDArray[np.int64]]
"""Where a symmetry takes the labels of an encoding, from where it takes the cells."""

CONTEXT = 6
_LONGEST_CLOCK = 7200.0
"""Seconds; the clock is seen on a logarithmic scale up to here."""


@dataclass(frozen=True)
class InputSpec:
    """What a network sees: an encoding, how many boards of it, and the range of ratings that it knows."""

    game: str
    encoding: str
    history: int = 1
    lowest: float = 600
    highest: float = 2600

    @property
    def ratings(self) -> tuple[float, float] | None:
        """The range; None for networks that are told no ratings, which is written as from 0 to 1."""
        return None if (self.lowest, self.highest) == (0, 1) else (self.lowest, self.highest)

    def context(
        self, ratings: NDArray[Any], opponents: NDArray[Any], clocks: NDArray[Any]
    ) -> NDArray[np.float32]:
        """The context of positions [n, 6]; NaN stands for what is not known."""
        scaled = [(values - self.lowest) / (self.highest - self.lowest) for values in (ratings, opponents)]
        with np.errstate(invalid="ignore"):
            scaled.append(np.log1p(np.maximum(clocks, 0)) / np.log1p(_LONGEST_CLOCK))
        columns = []
        for values in scaled:
            known = ~np.isnan(values)
            columns += [np.clip(np.where(known, values, 0), 0, 1), known]
        return np.stack(columns, axis=1).astype(np.float32)


class ConditionedCodec:
    """Settings: those of a `InputSpec`."""

    def __init__(self, settings: Mapping[str, float | int | str]) -> None:
        self.input_spec = InputSpec(
            str(settings["game"]),
            str(settings["encoding"]),
            int(settings["history"]),
            float(settings["lowest"]),
            float(settings["highest"]),
        )
        self.game = self.input_spec.game
        description = describe(self.game)
        self._samples = description.samples_class
        layout = None if description.layout is None else description.layout(self.input_spec.history)
        self._symmetry_labels: LabelSymmetry | None = None
        if layout is not None and layout.symmetry_labels and layout.encoding == self.input_spec.encoding:
            self._symmetry_labels = resolve(layout.symmetry_labels)

    @property
    def ratings(self) -> tuple[float, float] | None:
        """Those of the view."""
        return self.input_spec.ratings

    def encode(self, positions: Sequence[Position]) -> Tensors:
        """`planes` and `context`. An opponent whose rating is not given is taken for the player's equal."""
        states = [position.state for position in positions]
        others = [p.rating if p.opponent_rating is None else p.opponent_rating for p in positions]
        facts = np.array(
            [[p.rating, other, p.clock] for p, other in zip(positions, others, strict=True)], np.float64
        )
        planes = self._samples.encode_states(states, self.input_spec.encoding, self.input_spec.history)
        return {"planes": planes, "context": self.input_spec.context(*facts.reshape(-1, 3).T)}

    def decode(self, positions: Sequence[Position], outputs: Tensors) -> list[Prediction]:
        """Probabilities over the legal moves, and the chances for the side to move."""
        logits = np.ascontiguousarray(outputs["policy"], dtype=np.float32)
        states = [position.state for position in positions]
        moves, probabilities = self._samples.decode_states(states, logits, self.input_spec.encoding)
        ends = np.cumsum([len(each) for each in moves])
        return [
            Prediction(
                each, probabilities[end - len(each) : end], win - loss, wdl=(win, draw, loss), state=state
            )
            for state, each, end, (win, draw, loss) in zip(
                states, moves, ends, outputs["wdl"].tolist(), strict=True
            )
        ]

    def symmetries(self, position: Position) -> int:
        """As many as the rules allow in this position."""
        return int(position.state.symmetries) if self._symmetry_labels is not None else 1

    def apply_symmetry(self, positions: Sequence[Position], inputs: Tensors, symmetry: int) -> Tensors:
        """Every cell of the planes where the symmetry takes it. All boards are of one size."""
        planes = inputs["planes"]
        turned = np.empty_like(planes).reshape(*planes.shape[:2], -1)
        turned[..., positions[0].state.transformed_cells(symmetry)] = planes.reshape(turned.shape)
        return {**inputs, "planes": turned.reshape(planes.shape)}

    def invert_symmetry(self, positions: Sequence[Position], outputs: Tensors, symmetry: int) -> Tensors:
        """Every label from where the symmetry took its move."""
        if not symmetry or self._symmetry_labels is None:
            return outputs
        labels = self._symmetry_labels(positions[0].state.transformed_cells(symmetry))
        return {**outputs, "policy": outputs["policy"][:, labels]}
