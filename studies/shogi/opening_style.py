"""Fits and measures the model of static and ranging rook."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.games import load_game
from sparring.measure.ratings import wilson_interval
from sparring.networks import Position
from sparring.play.opponent import Opponent
from sparring.players import Turn
from sparring.policies import Policy
from sparring.records.record import GameRecord
from sparring.shogi.opening_style import OPENING_PLIES, STYLES, StyleModel, features, style_of

_RARE = 30
"""Occurrences under which a feature has no weight."""
_RIDGE = 2.0
_STEPS = 30
_BATCH = 256


@dataclass(frozen=True)
class LabelledGame:
    """The opening of a game and the styles of both sides."""

    states: tuple[Any, ...]
    """The positions from the start to ply 24."""
    styles: tuple[str, str]


def label(records: Iterable[GameRecord]) -> list[LabelledGame]:
    """The games that last to ply 24 with the styles of both sides there: by the last ply at which the side's
    rook was on the board."""
    games = []
    for record in records:
        states = record.states("shogi")[: OPENING_PLIES + 1]
        if len(states) <= OPENING_PLIES:
            continue
        found = [
            next(filter(None, (style_of(s, side) for s in reversed(states))), STYLES[0]) for side in (0, 1)
        ]
        games.append(LabelledGame(tuple(states), (found[0], found[1])))
    return games


def fit(games: Sequence[LabelledGame]) -> StyleModel:
    """The model by logistic regression with a ridge, over all positions after a move of each side."""
    rows: list[list[str]] = []
    ranging: list[bool] = []
    for game in games:
        for before, after in pairwise(game.states):
            rows.append(features(after, before.to_move))
            ranging.append(game.styles[before.to_move] == STYLES[1])
    counts = Counter(word for row in rows for word in row)
    names = sorted(word for word, count in counts.items() if count >= _RARE)
    number = {name: i for i, name in enumerate(names)}
    width = max(map(len, rows))
    columns = np.full((len(rows), width), len(names))
    for row, words in zip(columns, rows, strict=True):
        known = [number[word] for word in words if word in number]
        row[: len(known)] = known
    weights = _newton(columns, np.array(ranging, float), len(names))
    return StyleModel({name: round(float(weight), 3) for name, weight in zip(names, weights, strict=True)})


def _newton(columns: NDArray[np.int64], target: NDArray[np.float64], size: int) -> NDArray[np.float64]:
    """Iteratively reweighted least squares over rows of indicator columns; column `size` is none."""
    matrix = np.zeros((len(columns), size + 1), np.float32)
    np.put_along_axis(matrix, columns, 1.0, axis=1)
    matrix = matrix[:, :size]
    weights = np.zeros(size)
    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(-np.clip(matrix @ weights, -30, 30)))
        gradient = matrix.T @ (target - chance) - _RIDGE * weights
        hessian = (matrix * (chance * (1 - chance))[:, None]).T @ matrix + _RIDGE * np.eye(size)
        step = np.linalg.solve(hessian, gradient)
        weights = weights + step
        if np.abs(step).max() < 1e-3:
            break
    result: NDArray[np.float64] = weights
    return result


def counts(games: Sequence[LabelledGame]) -> dict[str, Any]:
    """How many sides range, and how the two sides' styles go together."""
    both = Counter(" - ".join(game.styles) for game in games)
    ranging = sum(style == STYLES[1] for game in games for style in game.styles)
    interval = wilson_interval(ranging / (2 * len(games)), 2 * len(games))
    return {
        "games": len(games),
        "ranging": ranging / (2 * len(games)),
        "interval": list(interval),
        "both": both,
    }


def accuracy(model: StyleModel, games: Sequence[LabelledGame]) -> dict[str, Any]:
    """Log loss and accuracy of the style after each own move, by ply."""
    rows: dict[int, list[tuple[float, bool]]] = {}
    for game in games:
        for before, after in pairwise(game.states):
            truth = game.styles[before.to_move] == STYLES[1]
            rows.setdefault(after.ply, []).append((model.ranging(after, before.to_move), truth))
    return {
        str(ply): {
            "accuracy": float(np.mean([(chance > 0.5) == truth for chance, truth in pairs])),
            "nats": float(
                -np.mean([np.log(max(chance if truth else 1 - chance, 1e-9)) for chance, truth in pairs])
            ),
            "positions": len(pairs),
        }
        for ply, pairs in sorted(rows.items())
    }


def matching(
    model: StyleModel, games: Sequence[LabelledGame], policy: Policy, seed: int = 0
) -> dict[str, Any]:
    """Top-1 and nats of people's moves in the opening without and with their style, by style of the mover.

    Intervals are of the difference, by a bootstrap over games.
    """
    rows: dict[str, list[NDArray[np.float64]]] = {style: [] for style in STYLES}
    for begin in range(0, len(games), _BATCH // OPENING_PLIES):
        part = games[begin : begin + _BATCH // OPENING_PLIES]
        states = [state for game in part for state in game.states[:-1]]
        predictions = iter(policy.predict([Position(state) for state in states]))
        for game in part:
            by_style: dict[str, list[list[float]]] = {style: [] for style in STYLES}
            for before, after in pairwise(game.states):
                prediction = next(predictions)
                style = game.styles[before.to_move]
                plain = prediction.probabilities.astype(float)
                factors = model.factors(style, before, prediction.moves)
                assert factors is not None, "a position of the opening"
                at = prediction.moves.index(after.last_move)
                by_style[style].append([*_scored(plain, at), *_scored(plain * factors, at)])
            for style, scores in by_style.items():
                if scores:
                    rows[style].append(np.array(scores))
    return {style: _compared(parts, seed) for style, parts in rows.items() if parts}


def _scored(weights: NDArray[np.float64], at: int) -> tuple[float, float]:
    chance = weights[at] / weights.sum()
    return float(weights.argmax() == at), float(-np.log(max(chance, 1e-9)))


def _compared(parts: Sequence[NDArray[np.float64]], seed: int) -> dict[str, Any]:
    sums = np.array([[*part.sum(axis=0), len(part)] for part in parts])
    rng = np.random.default_rng(seed)
    draws = sums[rng.integers(len(sums), size=(1000, len(sums)))].sum(axis=1)
    total = sums.sum(axis=0)
    result: dict[str, Any] = {"games": len(parts), "positions": int(total[4])}
    for name, plain, styled in (("top1", 0, 2), ("nats", 1, 3)):
        gains = (draws[:, styled] - draws[:, plain]) / draws[:, 4]
        result[name] = float(total[plain] / total[4])
        result[f"{name}_styled"] = float(total[styled] / total[4])
        result[f"{name}_gain"] = float((total[styled] - total[plain]) / total[4])
        result[f"{name}_gain_interval"] = [float(q) for q in np.quantile(gains, (0.025, 0.975))]
    return result


def play_openings(games: int, seed: int = 0) -> dict[str, Any]:
    """How many openings of the default level end in ranging rook, without a style and with each.

    The other side is the same player without a style; sides alternate.
    """
    rules = load_game("shogi")
    rows = {}
    for style in ("", *STYLES):
        ranging = 0
        for number in range(games):
            players = [
                Opponent("shogi", opening_style=own).completed().make(seed=2 * (seed + number) + side)
                for side, own in enumerate((style, ""))
            ]
            state = rules.initial()
            while state.ply < OPENING_PLIES and state.outcome is None:
                state = state.play(players[(state.to_move + number) % 2].choose(Turn.of(state)).move)
            ranging += style_of(state, number % 2) == STYLES[1]
        share = ranging / games
        rows[style or "any"] = {
            "ranging": share,
            "interval": list(wilson_interval(share, games)),
            "games": games,
        }
    return rows
