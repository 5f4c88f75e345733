"""Fits the think-time model to people's clocks, and measures its rank correlation with their times."""

from __future__ import annotations

import io
import itertools
import tempfile
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from sparring.players.behaviour_models import Situation, ThinkTimeModel
from sparring.training.config import OptimizationConfig
from sparring.training.task import PlainTaskConfig, StepLoss, Task, TaskBatch
from sparring.training.trainer import Trainer
from studies.manners.traces import Traces

Array = NDArray[np.float64]
QUANTILES = (0.02, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.97, 0.995)
_WIDTH, _BATCH = 32, 1024
_FIRST_PLY = 2
"""Lichess does not count the time of the first two plies."""


def situations(traces: Traces) -> tuple[Situation, Array, NDArray[np.int64]]:
    """(situations, seconds spent, indices of the games) of every move with a clock."""
    rows, games = traces.rows, traces.games
    at = np.flatnonzero(timed_moves(traces))
    last, before = at - 1, np.maximum(at - 2, 0)  # the opponent's last turn, and the player's own
    game = rows["game"][at].astype(np.int64)
    rating = np.where(rows["mover"][at] == 0, games["first_rating"][game], games["second_rating"][game])
    counted = rows["ply"][at] >= _FIRST_PLY + 1
    value = rows["value"][at].astype(float)
    situation = Situation(
        remaining=rows["before"][at].astype(float),
        increment=games["increment"][game].astype(float),
        base=games["base"][game].astype(float),
        opponent_remaining=rows["before"][last] - rows["spent"][last] + games["increment"][game],
        opponent_spent=np.where(counted, rows["spent"][last], np.nan),
        ply=rows["ply"][at],
        legal=rows["legal"][at],
        entropy=rows["entropy"][at],
        top=rows["top"][at],
        chosen=rows["human"][at],
        value=value,
        value_change=value - rows["value"][before].astype(float),
        rating=rating,
    )
    return situation, rows["spent"][at].astype(float), game


def timed_moves(traces: Traces) -> NDArray[np.bool_]:
    """[positions]: whether a move with a known time was played."""
    rows = traces.rows
    timed: NDArray[np.bool_] = rows["played"] & (rows["ply"] >= _FIRST_PLY) & (rows["spent"] >= 0)
    return timed


class ThinkTimeTask(Task):
    """The task `think-time`: quantiles of the times of moves, by the pinball loss."""

    name: ClassVar[str] = "think-time"
    output: ClassVar[str] = "think-time.npz"

    def __init__(
        self, situation: Situation, spent: Array, weights: Array, *, epochs: int = 12, seed: int = 0
    ) -> None:
        """`weights` are those of the moves."""
        features = situation.features()
        self.low, self.high = np.quantile(features, (0.002, 0.998), axis=0)
        clipped = np.clip(features, self.low, self.high)
        self.centre, self.scale = clipped.mean(axis=0), clipped.std(axis=0) + 1e-6
        self._inputs = torch.tensor((clipped - self.centre) / self.scale, dtype=torch.float32)
        pace = np.maximum(situation.pace, 0.05)
        self._target = torch.tensor(np.log((spent + 0.5) / pace), dtype=torch.float32)
        self._share = torch.tensor(weights / weights.mean(), dtype=torch.float32)
        self._epoch = len(self._inputs) // _BATCH + 1
        """Steps of a pass over the moves."""
        training = OptimizationConfig(
            steps=epochs * self._epoch,
            batch=_BATCH,
            schedule="linear",
            learning_rate=0.03,
            warmup=0.05,
            final_rate=0.0,
            weight_decay=0.01,
            max_grad_norm=0.0,
            seed=seed,
            validate_every=self._epoch,
        )
        self.config = PlainTaskConfig("think-time", training)

    def make_model(self) -> nn.Module:
        """Returns a network with random weights."""
        inputs = self._inputs.shape[1]
        return nn.Sequential(nn.Linear(inputs, _WIDTH), nn.Tanh(), nn.Linear(_WIDTH, len(QUANTILES)))

    def batches(self, begin: Any) -> Generator[TaskBatch]:
        """Yields the moves in a new random order in every pass."""
        return (self.example(step) for step in itertools.count(begin))

    def example(self, begin: Any) -> TaskBatch:
        """Returns the batch of a step."""
        generator = torch.Generator().manual_seed(self.config.training.seed + begin // self._epoch)
        order = torch.randperm(len(self._inputs), generator=generator)
        rows = torch.tensor_split(order, self._epoch)[begin % self._epoch]
        return TaskBatch((self._inputs[rows], self._target[rows], self._share[rows]), begin + 1)

    def loss(self, forward: Callable[..., Any], batch: TaskBatch) -> StepLoss:
        """Returns the weighted pinball loss."""
        inputs, target, share = batch.tensors
        levels = torch.tensor(QUANTILES)
        error = target[:, None] - forward(inputs)
        return StepLoss((torch.maximum(levels * error, (levels - 1) * error).mean(dim=1) * share).mean(), {})

    def validate(self, model: nn.Module, step: int) -> dict[str, Any]:
        """Returns the loss over all moves of the fit: `report` measures on other games."""
        whole = TaskBatch((self._inputs, self._target, self._share), step)
        return {"pinball_loss": float(self.loss(model, whole).total.detach())}

    def export(self, model: nn.Module, metrics: dict[str, Any] | None, step: int) -> bytes:
        """Returns the weights and biases of the layers as a file of arrays."""
        file = io.BytesIO()
        np.savez(file, *(array for layer in self.model_of(model).layers for array in layer))
        return file.getvalue()

    def model_of(self, network: nn.Module) -> ThinkTimeModel:
        """The model with the weights of a network."""
        layers = tuple(
            (layer.weight.detach().double().numpy().T, layer.bias.detach().double().numpy())
            for layer in network.children()
            if isinstance(layer, nn.Linear)
        )
        return ThinkTimeModel(np.array(QUANTILES), self.low, self.high, self.centre, self.scale, layers)


def fit(
    situation: Situation, spent: Array, weights: Array, *, epochs: int = 12, seed: int = 0
) -> ThinkTimeModel:
    """Fits the quantiles on the CPU, in seconds; `weights` are those of the moves."""
    task = ThinkTimeTask(situation, spent, weights, epochs=epochs, seed=seed)
    with tempfile.TemporaryDirectory() as folder:
        run = Trainer(task, Path(folder), device="cpu")
        run.train()
        with run.averaged_model() as network:
            return task.model_of(network)


def rank_correlation(first: Array, second: Array) -> float:
    """Spearman's rank correlation; ties get their mean rank."""
    return float(np.corrcoef(_ranks(first), _ranks(second))[0, 1])


def with_interval(
    statistic: Callable[[NDArray[np.int64]], float], game: NDArray[np.int64], resamples: int = 200
) -> dict[str, float]:
    """A statistic of positions (by their indices) with its 95 % interval by bootstrap over games."""
    games, place = np.unique(game, return_inverse=True)
    order = np.argsort(place, kind="stable")
    bounds = np.searchsorted(place[order], np.arange(len(games) + 1))
    rng = np.random.default_rng(0)
    values = []
    for _ in range(resamples):
        drawn = rng.integers(len(games), size=len(games))
        values.append(statistic(np.concatenate([order[bounds[g] : bounds[g + 1]] for g in drawn])))
    low, high = np.nanquantile(values, (0.025, 0.975))
    return {
        "value": statistic(np.arange(len(game))),
        "low": float(low),
        "high": float(high),
        "games": len(games),
        "positions": len(game),
    }


def report(
    model: ThinkTimeModel, situation: Situation, spent: Array, game: NDArray[np.int64], traces: Traces
) -> list[dict[str, Any]]:
    """Rank correlations of the median with people's times: all moves, by time control and by rating.

    Beside them `drawn`, the correlation of times as a player draws them, and `clock_alone`, that of a fixed
    share of the clock.
    """
    predicted = model.predict(situation)
    median = predicted[:, list(QUANTILES).index(0.5)]
    chances = np.random.default_rng(0).random(len(predicted))
    drawn = np.array([np.interp(u, QUANTILES, row) for u, row in zip(chances, predicted, strict=True)])
    base, increment = traces.games["base"][game], traces.games["increment"][game]
    control = np.array([f"{b:g}+{i:g}" for b, i in zip(base, increment, strict=True)])
    rating = np.asarray(situation.rating, float)
    groups: list[tuple[str, NDArray[np.bool_]]] = [("all", np.ones(len(spent), bool))]
    groups += [(name, control == name) for name in _common(control)]
    groups += [
        (f"{low}-{low + 199}", (rating >= low) & (rating < low + 200)) for low in range(1400, 2400, 200)
    ]
    rows = []
    for name, which in groups:
        at = np.flatnonzero(which)
        if len(np.unique(game[at])) < 10:
            continue
        found = with_interval(
            lambda part, at=at: rank_correlation(median[at[part]], spent[at[part]]),  # type: ignore[misc]
            game[at],
        )
        inside = (spent[at, None] <= predicted[at]).mean(axis=0)
        row = {"group": name, **found, "drawn": rank_correlation(drawn[at], spent[at])}
        row["clock_alone"] = rank_correlation(situation.pace[at], spent[at])
        rows.append({**row, "coverage": dict(zip(QUANTILES, inside.tolist(), strict=True))})
    return rows


def _common(control: Sequence[str] | NDArray[np.str_]) -> list[str]:
    names, counts = np.unique(control, return_counts=True)
    return [str(name) for name, count in sorted(zip(names, counts, strict=True), key=lambda x: -x[1])][:8]


def _ranks(values: Array) -> Array:
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    ranks: Array = (ends - (counts - 1) / 2)[place]
    return ranks
