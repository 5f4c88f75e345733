"""Strength of people from what their moves lose by an engine, and from their results.

A side of a game has a mean loss a move, less what people lose on average in positions like its own (by ply
and by how decided the game is). The losses of a person scatter around -strength, and the odds of winning grow
with the difference of strengths; strengths are normal. Strengths are the likeliest under this model
(`fit_strengths`). How much a result counts beside a loss is chosen by the prediction of games that were left
out (`cross_fit`), which also gives the strengths that a game is shown with in training: those by the other
games.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.base.errors import NotFound
from sparring.records.record import GameRecord
from studies.shogi.judge import JudgedGame
from studies.shogi.people import players

Array = NDArray[np.float64]
Index = NDArray[np.int64]

FOLDS = 20
_LEAST_PLIES = 2
_PLY_BINS = (10, 20, 30, 40, 50, 60, 80, 100, 130)
_STANDING_BINS = (0.02, 0.06, 0.12, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.88, 0.94, 0.98)
_RESULT_WEIGHTS = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0)
_ITERATIONS = 300
_DAMPING = 0.6


@dataclass(frozen=True)
class Sides:
    """Sides of judged games, two rows a game: Black's and White's."""

    people: tuple[str, ...]
    game: Index
    """[sides]: identity of the game."""
    player: Index
    """[sides]: index in `people`."""
    opponent: Index
    loss: Array
    """[sides]: mean loss a move less what people lose in such positions."""
    raw: Array
    """[sides]: mean loss a move, in expected score."""
    moves: Index
    won: Array
    """[sides]: score of the side, 1, 0.5 or 0."""

    def part(self, rows: NDArray[np.bool_]) -> Sides:
        """Some of the sides."""
        names = ("game", "player", "opponent", "loss", "raw", "moves", "won")
        return replace(self, **{name: getattr(self, name)[rows] for name in names})


def make_sides(
    judged: Sequence[JudgedGame], games: Sequence[GameRecord], *, scale: float, clip: bool = True
) -> Sides:
    """The sides of the judged games among `games`.

    `scale` centipawns multiply the odds of winning by e; `clip` counts gains as 0. Raises NotFound.
    """
    by_identity = {game.identity("shogi"): game for game in games if game.result is not None}
    entries = [entry for entry in judged if entry.game in by_identity and len(entry.scores) > _LEAST_PLIES]
    if not entries:
        raise NotFound("none of the games was judged")
    chosen = [by_identity[entry.game] for entry in entries]
    people = sorted({name for game in chosen for name in players(game)})
    number = {name: i for i, name in enumerate(people)}
    values = [
        1 / (1 + np.exp(-np.array(entry.scores).clip(-5 * scale, 5 * scale) / scale)) for entry in entries
    ]
    before = np.concatenate([value[:-1] for value in values])
    loss = before + np.concatenate([value[1:] for value in values]) - 1
    if clip:
        loss = loss.clip(0)
    plies = np.concatenate([entry.first + np.arange(len(entry.scores) - 1) for entry in entries])
    side = 2 * np.repeat(np.arange(len(entries)), [len(entry.scores) - 1 for entry in entries]) + plies % 2
    expected = _expected(loss, plies, before)
    moves = np.bincount(side, minlength=2 * len(entries))
    results = np.array([game.result for game in chosen], np.float64)
    index = np.array([[number[name] for name in players(game)] for game in chosen], np.int64)
    return Sides(
        tuple(people),
        np.repeat(np.array([entry.game for entry in entries], np.int64), 2),
        index.ravel(),
        index[:, ::-1].ravel(),
        np.bincount(side, loss - expected, len(moves)) / moves,
        np.bincount(side, loss, len(moves)) / moves,
        moves,
        np.stack([results, 1 - results], axis=1).ravel(),
    )


def _expected(loss: Array, plies: Index, before: Array) -> Array:
    """[moves]: the mean loss in positions of a similar ply and standing."""
    width = len(_STANDING_BINS) + 1
    cell = np.searchsorted(_PLY_BINS, plies, "right") * width + np.searchsorted(
        _STANDING_BINS, before, "right"
    )
    number = width * (len(_PLY_BINS) + 1)
    counts = np.bincount(cell, minlength=number)
    mean = (np.bincount(cell, loss, number) + 20 * loss.mean()) / (counts + 20)
    return np.asarray(mean[cell])


# The model.


@dataclass(frozen=True)
class Spread:
    """Variances of the model, in squared loss a move."""

    people: float
    """Of strengths."""
    game: float
    """Of a side's loss from game to game, without limit of moves."""
    move: float
    """Of a side's loss, times its moves."""

    def weights(self, sides: Sides) -> Array:
        """[sides]: how much each loss tells: one over its variance."""
        return np.asarray(1 / (self.game + self.move / sides.moves))


def measure_spread(sides: Sides) -> Spread:
    """The variances by moments: of losses within people regressed on 1 / moves, and of people's means."""
    number = len(sides.people)
    games = np.bincount(sides.player, minlength=number)
    mean = np.bincount(sides.player, sides.loss, number) / np.maximum(games, 1)
    several = games[sides.player] > 1
    squares = (sides.loss - mean[sides.player])[several] ** 2 * (games / np.maximum(games - 1, 1))[
        sides.player[several]
    ]
    design = np.stack([np.ones(several.sum()), 1 / sides.moves[several]], axis=1)
    game, move = np.linalg.lstsq(design, squares, rcond=None)[0]
    game, move = max(game, 1e-8), max(move, 1e-8)
    error = game + move / sides.moves
    weight = 1 / error
    total = np.bincount(sides.player, weight, number)
    means = np.bincount(sides.player, weight * sides.loss, number)[total > 0] / total[total > 0]
    middle = np.average(means, weights=total[total > 0])
    people = np.average((means - middle) ** 2 - 1 / total[total > 0], weights=total[total > 0])
    return Spread(float(max(people, 1e-8)), float(game), float(move))


def fit_strengths(sides: Sides, spread: Spread, result_slope: float) -> Array:
    """[people]: the likeliest strengths, in loss a move below the mean; 0 without games.

    `result_slope` is the log odds of winning by a strength difference of 1; 0 leaves results out.
    """
    number = len(sides.people)
    weight = spread.weights(sides)
    middle = np.average(sides.loss, weights=weight)
    target = np.bincount(sides.player, weight * (middle - sides.loss), number)
    precision = np.bincount(sides.player, weight, number) + 1 / spread.people
    strengths = target / precision
    if not result_slope:
        return np.asarray(strengths)
    for _ in range(_ITERATIONS):
        odds = result_slope * (strengths[sides.player] - strengths[sides.opponent])
        chance = 1 / (1 + np.exp(-odds))
        pull = np.bincount(sides.player, result_slope * (sides.won - chance), number)
        bend = np.bincount(sides.player, result_slope**2 * chance * (1 - chance), number)
        step = (target - precision * strengths + pull) / (precision + bend)
        strengths = strengths + _DAMPING * step
        if np.abs(step).max() < 1e-7:
            break
    return np.asarray(strengths)


def cross_fit(sides: Sides, spread: Spread, result_slope: float) -> Array:
    """[sides]: the strength of each side's player by the games of the other folds; NaN if there are none."""
    fold = sides.game % FOLDS
    strengths = np.full(len(sides.game), np.nan)
    for part in range(FOLDS):
        others = sides.part(fold != part)
        fitted = fit_strengths(others, spread, result_slope)
        seen = np.bincount(others.player, minlength=len(sides.people)) > 0
        here = fold == part
        strengths[here] = np.where(seen, fitted, np.nan)[sides.player[here]]
    return strengths


def fit_slope(sides: Sides, strengths: Array) -> tuple[float, float]:
    """The log odds of winning by a difference of strengths, and the mean log loss of the results by it.

    `strengths` [sides] are of the players; games with an unknown one do not count.
    """
    difference = (strengths[0::2] - strengths[1::2])[known_games(strengths)]
    won = sides.won[0::2][known_games(strengths)]
    slope = 0.0
    for _ in range(50):
        chance = 1 / (1 + np.exp(-slope * difference))
        bend = (difference**2 * chance * (1 - chance)).sum()
        slope += float((difference * (won - chance)).sum() / max(bend, 1e-12))
    chance = (1 / (1 + np.exp(-slope * difference))).clip(1e-9, 1 - 1e-9)
    return slope, float(-np.mean(won * np.log(chance) + (1 - won) * np.log(1 - chance)))


def known_games(strengths: Array) -> NDArray[np.bool_]:
    """[games]: whether both strengths are known."""
    return np.asarray(~np.isnan(strengths[0::2]) & ~np.isnan(strengths[1::2]))


def correlation(first: Array, second: Array, weights: Array | None = None) -> float:
    """The (weighted) correlation of two columns, over the rows in which both are known."""
    known = ~np.isnan(first) & ~np.isnan(second)
    if known.sum() < 3:
        return float("nan")
    weight = np.ones(known.sum()) if weights is None else weights[known]
    matrix = np.cov(first[known], second[known], aweights=weight)
    return float(matrix[0, 1] / np.sqrt(matrix[0, 0] * matrix[1, 1]))


def split_half(sides: Sides, least: int, seed: int = 0) -> dict[str, float]:
    """Correlation of the mean losses in two random halves of the games of people with `least` or more."""
    random = np.random.default_rng(seed)
    games = np.bincount(sides.player, minlength=len(sides.people))
    order = random.permutation(len(sides.game))
    half = np.zeros(len(sides.game), np.int64)
    turn = np.zeros(len(sides.people), np.int64)
    for row in order.tolist():
        half[row] = turn[sides.player[row]] % 2
        turn[sides.player[row]] += 1
    means = []
    for part in (0, 1):
        rows = half == part
        count = np.bincount(sides.player[rows], sides.moves[rows], len(games))
        total = np.bincount(sides.player[rows], sides.loss[rows] * sides.moves[rows], len(games))
        means.append(np.where(games >= least, total / np.maximum(count, 1), np.nan))
    value = correlation(*means)
    people = int((games >= least).sum())
    return {"people": people, "halves": value, "whole": 2 * value / (1 + value), **_interval(means, random)}


def _interval(means: Sequence[Array], random: np.random.Generator) -> dict[str, float]:
    known = np.flatnonzero(~np.isnan(means[0]))
    if len(known) < 3:
        return {}
    drawn = []
    for _ in range(500):
        rows = random.choice(known, len(known))
        drawn.append(correlation(means[0][rows], means[1][rows]))
    low, high = np.percentile(drawn, [2.5, 97.5])
    return {"low": float(low), "high": float(high)}


@dataclass(frozen=True)
class Strengths:
    """Strengths as percentiles of the people at the board: 50 is stronger than half of them."""

    people: Mapping[str, int]
    """By all games."""
    games: Mapping[int, tuple[int | None, int | None]]
    """By identity of a game: both players' strengths by their other games."""
    report: dict[str, Any]


def estimate(sides: Sides) -> Strengths:
    """Fits strengths; how much results count is chosen by the games that are left out."""
    spread = measure_spread(sides)
    weight = spread.weights(sides)
    alone = cross_fit(sides, spread, 0.0)
    slope, _ = fit_slope(sides, alone)
    trials = []
    for share in _RESULT_WEIGHTS:
        crossed = alone if not share else cross_fit(sides, spread, share * slope)
        own_slope, log_loss = fit_slope(sides, crossed)
        trials.append(
            {
                "result_weight": share,
                "result_slope": own_slope,
                "result_log_loss": log_loss,
                "loss_correlation": -correlation(crossed, sides.loss, weight),
            }
        )
    best = min(trials, key=lambda trial: trial["result_log_loss"] - trial["loss_correlation"])
    chosen = best["result_weight"] * slope
    crossed = cross_fit(sides, spread, chosen)
    whole = fit_strengths(sides, spread, chosen)
    known = np.sort(crossed[~np.isnan(crossed)])
    numbers = {
        int(game): (percentile(first, known), percentile(second, known))
        for game, first, second in zip(sides.game[0::2], crossed[0::2], crossed[1::2], strict=True)
    }
    report = {
        "judged_games": len(sides.game) // 2,
        "players": len(sides.people),
        "moves": int(sides.moves.sum()),
        "loss": float(np.average(sides.raw, weights=sides.moves)),
        "spread": {"people": spread.people, "game": spread.game, "move": spread.move},
        "trials": trials,
        "result_weight": best["result_weight"],
        "known": int(known_games(crossed).sum()),
        "split_half": {str(least): split_half(sides, least) for least in (4, 10, 20)},
        "slope_of_deviation": best["result_slope"] * float(np.sqrt(spread.people)),
    }
    games = np.bincount(sides.player, minlength=len(sides.people))
    named = {
        name: percentile(value, known)
        for name, value, count in zip(sides.people, whole, games, strict=True)
        if count
    }
    return Strengths({name: value for name, value in named.items() if value is not None}, numbers, report)


def best_result(strengths: Strengths) -> float:
    """The mean log loss of left-out results with the chosen weight of results."""
    chosen = strengths.report["result_weight"]
    trials = strengths.report["trials"]
    return float(next(trial["result_log_loss"] for trial in trials if trial["result_weight"] == chosen))


def percentile(strength: float, known: Array) -> int | None:
    """How many of a hundred people at the board are weaker: the place of a strength among sorted ones, 0 to
    100; None for NaN."""
    if np.isnan(strength):
        return None
    below, to = np.searchsorted(known, strength, "left"), np.searchsorted(known, strength, "right")
    return round(float(below + to) / 2 / max(len(known), 1) * 100)
