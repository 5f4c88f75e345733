"""Divergence of networks from their teacher, policy and value, on the test split of any game.

    python -m studies.student.teacher_divergence go before=old.onnx after=strong --teacher g170e-b15c192 \
        -r fox --every 20 --positions 4000 --out FILE.json

Means have 95 % intervals by bootstrap over games. `same_move`: both have the same likeliest move.
`value_error`: mean difference of the expected score, from 0 to 1.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sparring.measure.samples import GameSelection, read_sample
from sparring.networks import Network, Position, Prediction, load_network
from studies.options import write_measurement

_MEASURES = ("policy_kl", "same_move", "value_error")
_RESAMPLES = 2000


class Bootstrap:
    """Means with 95 % intervals over games; the same resamples in every call."""

    def __init__(self, game: NDArray[np.int64], seed: int = 0) -> None:
        names, self._game = np.unique(game, return_inverse=True)
        self.games = len(names)
        draws = np.random.default_rng(seed).multinomial(
            self.games, np.full(self.games, 1 / self.games), _RESAMPLES
        )
        self._weights = np.concatenate([np.ones((1, self.games)), draws])

    def mean(self, values: NDArray[np.float64], group: NDArray[np.int64]) -> list[float]:
        """The mean of the means of the groups (negative: left out), and its interval."""
        parts = []
        for each in np.unique(group[group >= 0]):
            chosen = group == each
            sums = np.bincount(self._game[chosen], values[chosen], self.games)
            counts = np.bincount(self._game[chosen], minlength=self.games)
            with np.errstate(invalid="ignore", divide="ignore"):
                parts.append((self._weights @ sums) / (self._weights @ counts))
        means = np.nanmean(np.stack(parts), axis=0)
        return [round(float(x), 5) for x in (means[0], *np.nanpercentile(means[1:], [2.5, 97.5]))]


def differences(theirs: Prediction, ours: Prediction) -> tuple[float, float, float]:
    """The measures of one position. The networks have the same legal moves."""
    p, q = (np.maximum(each.probabilities.astype(np.float64), 1e-9) for each in (theirs, ours))
    assert theirs.value is not None
    assert ours.value is not None
    error = abs(theirs.value - ours.value) / 2
    return float((p * np.log(p / q)).sum()), float(p.argmax() == q.argmax()), error


def measure(
    teacher: Network, networks: dict[str, Network], positions: Sequence[Position], game: NDArray[np.int64]
) -> dict[str, dict[str, list[float]]]:
    """The measures of each network with their intervals; `game` [positions] are the games' indices."""
    answers, bootstrap = teacher.predict(positions), Bootstrap(game)
    found = {}
    for name, network in networks.items():
        rows = np.array(
            [differences(*pair) for pair in zip(answers, network.predict(positions), strict=True)]
        )
        everything = np.zeros(len(rows), np.int64)
        found[name] = {
            key: bootstrap.mean(column, everything) for key, column in zip(_MEASURES, rows.T, strict=True)
        }
    return found


def main() -> None:
    """Runs the command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("game")
    parser.add_argument("networks", nargs="+", help="NAME=FILE")
    parser.add_argument("--teacher", required=True)
    parser.add_argument("-r", "--records", type=Path, action="append", required=True)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--positions", type=int, help="most positions of a group")
    parser.add_argument("--backend", default="onnxruntime")
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--out", type=Path, required=True)
    o = parser.parse_args()
    sample = read_sample(GameSelection(o.game, tuple(o.records), positions=o.positions, every=o.every))
    positions = [each for _, batch in sample.batches(0, 1024) for each in batch]

    def load(source: str) -> Network:
        return load_network(source, game=o.game, backend=o.backend, batch=o.batch)

    networks = {name: load(path) for name, _, path in (network.partition("=") for network in o.networks)}
    found = measure(load(o.teacher), networks, positions, sample.metadata["game"].astype(np.int64))
    result = {"games": len(sample.games), "positions": len(sample), **found}
    write_measurement(result, o.out, "studies.student.teacher_divergence")
    print(json.dumps(result))


if __name__ == "__main__":
    main()
