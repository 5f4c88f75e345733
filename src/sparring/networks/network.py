"""A network ready for inference: session, card and codec."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, TypeVar

import msgspec
import numpy as np
from msgspec import Meta

from sparring.base.errors import BadFile, first_line
from sparring.games import describe
from sparring.networks.card import ModelCard
from sparring.networks.codec import (
    BatchCodec,
    Codec,
    Position,
    PositionBatch,
    Prediction,
    PredictionBatch,
    RatingConditionedCodec,
    SymmetryCodec,
    Tensors,
)
from sparring.networks.sessions import Model, open_session

_BATCH = 64
"""Larger batches do not fit a CPU's caches and are not faster."""


class Network:
    """Predicts moves and results."""

    def __init__(
        self,
        model: Model,
        card: ModelCard,
        codec: Codec,
        *,
        backend: str = "onnxruntime",
        threads: int = 1,
        batch: int = _BATCH,
    ) -> None:
        self.card = card
        self.codec = codec
        self.batch = batch
        self._state_type = describe(codec.game).state_class
        self._session = open_session(model, backend, threads)

    def __repr__(self) -> str:
        return f"<Network {self.card.name} ({self.codec.game}) on {self.device}>"

    @property
    def device(self) -> str:
        """The device on which it runs, in words."""
        return self._session.device

    @property
    def ratings(self) -> tuple[float, float] | None:
        """The lowest and the highest rating that it accepts; None if it is not conditioned on ratings."""
        return self.codec.ratings if isinstance(self.codec, RatingConditionedCodec) else None

    def predict(self, positions: Sequence[Position | Any], *, symmetry: int = 0) -> list[Prediction]:
        """One prediction per position (or bare state), evaluated in batches.

        `symmetry` is the board symmetry under which the network sees the positions, below
        `symmetries(position)`. Raises ValueError for a state of another game and for a game that is over, and
        BadFile if the graph cannot be run or its outputs are not finite numbers.
        """
        checked = [self._checked(i, position) for i, position in enumerate(positions)]
        by_size: dict[int, list[int]] = {}  # only boards of one size fit into one tensor of every family
        for row, position in enumerate(checked):
            by_size.setdefault(getattr(position.state, "size", 0), []).append(row)
        predictions: dict[int, Prediction] = {}
        for rows in by_size.values():
            for start in range(0, len(rows), self.batch):
                part = rows[start : start + self.batch]
                answers = self._predict_tensor([checked[row] for row in part], symmetry)
                predictions.update(zip(part, answers, strict=True))
        return [predictions[row] for row in range(len(checked))]

    def predict_batch(self, batch: PositionBatch) -> PredictionBatch:
        """Predictions for a batch of positions, evaluated `self.batch` at a time.

        Raises ValueError for a game that is over, and BadFile as `predict` does.
        """
        if not isinstance(self.codec, BatchCodec):
            return PredictionBatch.of(self.predict(batch.positions()))
        parts = []
        for start in range(0, len(batch), self.batch):
            rows = np.arange(start, min(start + self.batch, len(batch)))
            part = batch if len(rows) == len(batch) else batch.take(rows)
            parts.append(self.codec.decode_batch(part, self._run(self.codec.encode_batch(part))))
        return PredictionBatch.join(parts)

    def _run(self, inputs: Tensors) -> Tensors:
        """The graph's outputs. Raises BadFile unless they are finite numbers in the codec's shapes."""
        try:
            outputs = self._session.run(inputs)
        except Exception as error:  # the runtimes' errors have no common base class
            raise BadFile(f"{self.card.name}: it cannot be run ({first_line(error)})") from None
        (rows,) = {len(array) for array in inputs.values()}
        for name, shape in self.codec.output_shapes(inputs).items():
            if name not in outputs:
                continue  # `check_graph` refuses networks that lack what is not optional
            if outputs[name].shape != (rows, *shape):
                raise BadFile(f"{self.card.name}: its output {name} has the shape {outputs[name].shape}")
            if not np.isfinite(outputs[name]).all():
                raise BadFile(f"{self.card.name}: its output {name} is not a finite number")
        return outputs

    def symmetries(self, position: Position) -> int:
        """The number of symmetries of a position that this network supports, the identity included."""
        return self.codec.symmetries(position) if isinstance(self.codec, SymmetryCodec) else 1

    def _checked(self, index: int, position: Position | Any) -> Position:
        if not isinstance(position, Position):
            position = Position(position)
        if not isinstance(position.state, self._state_type):
            kind = type(position.state).__name__
            raise ValueError(f"{self.card.name} is a network for {self.codec.game}, not for a {kind}")
        if (outcome := position.state.outcome) is not None:
            raise ValueError(f"position {index + 1} has no moves: the game is over ({outcome.reason})")
        return position

    def _predict_tensor(self, positions: list[Position], symmetry: int) -> list[Prediction]:
        inputs = self.codec.encode(positions)
        if not symmetry:
            return self.codec.decode(positions, self._run(inputs))
        if not isinstance(self.codec, SymmetryCodec):
            raise ValueError(f"{self.card.name} sees boards from one side only")
        outputs = self._run(self.codec.apply_symmetry(positions, inputs, symmetry))
        return self.codec.decode(positions, self.codec.invert_symmetry(positions, outputs, symmetry))


# Reads the settings of a codec from a model card.


T = TypeVar("T")
RatingBound = Annotated[float, Meta(ge=-1e6, le=1e6)]


def read_settings(cls: type[T], settings: Mapping[str, float | int | str]) -> T:
    """The settings as a dataclass, whose annotations are types and ranges. Raises BadFile."""
    try:
        return msgspec.convert(dict(settings), cls)
    except msgspec.ValidationError as error:
        raise BadFile(f"the settings of its model card are wrong ({error})") from None
