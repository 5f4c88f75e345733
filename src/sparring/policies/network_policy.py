"""A network as a policy, optionally averaged over board symmetries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sparring.networks import Network, Position, Prediction
from sparring.networks.batches import PositionBatch, PredictionBatch


@dataclass(frozen=True)
class NetworkPolicy:
    """The network's predictions. With `symmetries` they are averaged over all symmetries of each position:
    the arithmetic mean of probabilities and of values, as in KataGo."""

    network: Network
    name: str
    symmetries: bool = False

    @property
    def game(self) -> str:
        """The network's game."""
        return self.network.codec.game

    def predict(self, positions: Sequence[Position]) -> list[Prediction]:
        """The network's predictions, one per position."""
        seen = [[prediction] for prediction in self.network.predict(positions)]
        if self.symmetries:
            counts = [self.network.symmetries(position) for position in positions]
            for symmetry in range(1, max(counts, default=1)):
                rows = [row for row, count in enumerate(counts) if symmetry < count]
                turned = self.network.predict([positions[row] for row in rows], symmetry=symmetry)
                for row, prediction in zip(rows, turned, strict=True):
                    seen[row].append(prediction)
        return [_mean(each) for each in seen]

    def predict_batch(self, batch: PositionBatch) -> PredictionBatch:
        """The network's predictions for a batch of positions."""
        if self.symmetries:
            return PredictionBatch.of(self.predict(batch.positions()))
        return self.network.predict_batch(batch)


def _mean(predictions: list[Prediction]) -> Prediction:
    """The mean of one network's predictions for one position under several symmetries."""
    first = predictions[0]
    if len(predictions) == 1:
        return first
    shares = np.stack([p.probabilities for p in predictions]).mean(axis=0, dtype=np.float64)
    chances = [np.array(p.wdl) for p in predictions if p.wdl is not None]
    win, draw, loss = np.mean(chances, axis=0).tolist() if chances else (0.0, 0.0, 0.0)
    return replace(
        first,
        probabilities=shares.astype(np.float32),
        value=_mean_known([p.value for p in predictions]),
        wdl=(win, draw, loss) if chances else None,
        lead=_mean_known([p.lead for p in predictions]),
        moves_left=_mean_known([p.moves_left for p in predictions]),
    )


def _mean_known(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None
