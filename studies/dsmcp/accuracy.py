"""Tables 1, 6, 7 and 8 of the DSMCP paper, and figure 7: every headset on the held-out games of every player.

Intervals hold 95 % and are by bootstrap over games.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sparring.measure.metrics import Resamples
from sparring.rbc.synopsis import ALL, TOP
from sparring.rbc.training.config import HeadsetConfig, RbcTrainingConfig
from sparring.rbc.training.task import DeviceExamples, Indices, Measures

MEASURES = ("top1", "top5", "winner")
"""Top-1 and top-5 accuracy of the action, and accuracy of the winner: tables 6, 7 and 8."""
BOUNDS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096)
"""Upper bounds of the numbers of boards in figure 7."""
STRONG = "Top, public server"
"""The dataset of the public server's strong bots, without local ones."""
_LOCAL = ("inference", "planner")
"""Beginnings of the names of local bots."""


class MeasuredNetwork(Protocol):
    """A network with the examples that it is measured on: a training run, or an exported network."""

    @property
    def config(self) -> RbcTrainingConfig:
        """The configuration."""
        ...

    @property
    def data(self) -> DeviceExamples:
        """The examples."""
        ...

    def measure(self, headset: int, rows: Indices) -> Measures:
        """Returns the measures of a headset on some rows."""
        ...

    def values(self, headset: int, rows: Indices) -> NDArray[np.float32]:
        """Returns the values of a headset for some rows."""
        ...


def accuracy_tables(run: MeasuredNetwork, most: int) -> dict[str, Any]:
    """Returns the tables as plain values; each dataset has at most `most` held-out examples."""
    headsets = run.config.headsets
    datasets = {headset.name: run.data.rows(headset, validation=True) for headset in headsets}
    datasets[STRONG] = _strong_rows(run, headsets)
    rng = np.random.default_rng(0)
    drawn = {
        name: np.sort(rng.choice(rows, min(len(rows), most), replace=False))
        for name, rows in datasets.items()
        if len(rows)
    }
    cells = {
        headset.name: {name: _measured(run, index, rows) for name, rows in drawn.items()}
        for index, headset in enumerate(headsets)
    }
    return {
        "headsets": [_summary(run, index, cells, drawn) for index in range(len(headsets))],
        "tables": {
            measure: {
                head: {name: cell[measure] for name, cell in row.items()} for head, row in cells.items()
            }
            for measure in MEASURES
        },
        "value_by_boards": value_by_boards(run, drawn[headsets[0].name]),
        "value_by_boards_training": value_by_boards(run, _training_rows(run, most, rng)),
    }


def estimate(values: NDArray[np.float32], games: NDArray[np.uint64]) -> list[float | None]:
    """Returns mean, lower and upper end of the interval; NaN do not count. All None without values."""
    known = ~np.isnan(values)
    if not known.any():
        return [None, None, None]
    _, numbers = np.unique(games[known], return_inverse=True)
    resamples = Resamples.draw(np.zeros(int(numbers.max()) + 1, np.int64))
    means = resamples.group_sums(values[known, None].astype(np.float64), numbers).pooled()
    found = means.estimates()[0]
    return [round(each, 4) for each in (found.value, found.low, found.high)]


def compare(network: MeasuredNetwork, other: MeasuredNetwork) -> dict[str, dict[str, list[float | None]]]:
    """Returns how much more each headset of a network has than the same one of another network, on all its
    players' held-out examples: accuracies, and the squared error of the value."""
    examples, found = network.data.examples, {}
    for index, headset in enumerate(network.config.headsets):
        if headset.name in other.config.headset_names and headset.name in (ALL, TOP):
            rows = network.data.rows(headset, validation=True)
            before = other.measure(other.config.headset_names.index(headset.name), rows)._asdict()
            after = network.measure(index, rows)._asdict()
            found[headset.name] = {
                name: estimate((after[name] - before[name]).numpy(), examples.games[rows])
                for name in (*MEASURES, "nll", "value_error")
            }
    return found


def value_by_boards(run: MeasuredNetwork, rows: Indices) -> list[dict[str, Any]]:
    """Returns mean result and mean value of the first headset by number of possible boards (figure 7)."""
    examples = run.data.examples
    rows = rows[np.abs(examples.results[rows]) <= 1]
    if not len(rows):
        return []
    values, results = run.values(0, rows), examples.results[rows].astype(np.float32)
    buckets = np.searchsorted(np.array(BOUNDS), examples.boards[rows])
    found = []
    for bucket, bound in enumerate(BOUNDS):
        inside = buckets == bucket
        if inside.any():
            games = examples.games[rows][inside]
            found.append(
                {
                    "boards_up_to": bound,
                    "examples": int(inside.sum()),
                    "result": estimate(results[inside], games),
                    "value": estimate(values[inside], games),
                }
            )
    return found


def _training_rows(run: MeasuredNetwork, most: int, rng: np.random.Generator) -> Indices:
    """Examples that the first headset was trained on; none if an exported network is measured."""
    rows = run.data.rows(run.config.headsets[0], validation=False)
    return np.sort(rng.choice(rows, min(len(rows), most), replace=False)) if len(rows) else rows


def _strong_rows(run: MeasuredNetwork, headsets: tuple[HeadsetConfig, ...]) -> Indices:
    top = run.data.rows(next(headset for headset in headsets if headset.name == "Top"), validation=True)
    names = run.data.examples.players[top]
    local = np.array([name.decode(errors="replace").startswith(_LOCAL) for name in names], bool)
    strong: Indices = top[~local]
    return strong


def _measured(run: MeasuredNetwork, headset: int, rows: Indices) -> dict[str, list[float | None]]:
    found, games = run.measure(headset, rows)._asdict(), run.data.examples.games[rows]
    return {measure: estimate(found[measure].numpy(), games) for measure in MEASURES}


def _summary(
    run: MeasuredNetwork, index: int, cells: dict[str, Any], drawn: dict[str, Indices]
) -> dict[str, Any]:
    """A row of table 1. The gain is that in top-1 accuracy over the headset Top, on the same decisions."""
    games, headset = run.data.examples.games, run.config.headsets[index]
    training, held_out = (run.data.rows(headset, validation=each) for each in (False, True))
    found = {
        "name": headset.name,
        "training_games": len(np.unique(games[training])),
        "validation_games": len(np.unique(games[held_out])),
        "training_examples": len(training),
        "validation_examples": len(held_out),
        "weight": headset.weight,
        "stop_gradient": headset.stop_gradient,
        **cells[headset.name].get(headset.name, {}),
    }
    if (rows := drawn.get(headset.name)) is not None:
        top = run.config.headset_names.index(TOP)
        own, general = (run.measure(each, rows).top1.numpy() for each in (index, top))
        found["gain_over_top"] = estimate(own - general, games[rows])
    return found
