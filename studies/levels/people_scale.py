"""Levels on people's scale: what people of a rating give away a move, and what our levels do.

`game_losses` reads what `sparring measure mistakes` judged, on one of two scales of expected scores:
Lichess's formula, by which the games are judged, or the steeper one of engines against engines. The curve of
people over the rating is a parabola in the logarithm, fitted to the cells of a hundred points.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.base.storage import read_journal
from sparring.games import describe
from sparring.measure.mistakes import EXPECTED_SCORE
from sparring.measure.samples import GameSelection, PlayedGame, select
from sparring.records import PositionFilter

Array = NDArray[np.float64]

COLUMNS = ("loss", "mistakes", "blunders")
SCALES = ("lichess", "engine")
_RESAMPLES = 1_000
_OPENING = 10
"""Plies that do not count."""


@cache
def _engine_scale() -> tuple[Array, Array]:
    """Centipawns, and the expected scores that python-chess's model of Stockfish 15 gives them at ply 30."""
    import chess.engine

    centipawns = np.arange(-1000, 1001)
    wdl = [chess.engine.Cp(int(score)).wdl(model="sf15", ply=30) for score in centipawns]
    return centipawns.astype(np.float64), np.array([chances.expectation() for chances in wdl])


def on_engine_scale(expected: Array) -> Array:
    """Expected scores by Lichess's formula, as engines against engines would score."""
    support = describe("chess").engine
    assert support is not None
    clipped = expected.clip(1e-6, 1 - 1e-6)
    centipawns = support.score_scale * np.log(clipped / (1 - clipped))
    return np.asarray(np.interp(centipawns, *_engine_scale()), np.float64)


def game_losses(records: Path, judged: Path, scale: str = SCALES[0]) -> dict[int, Array]:
    """The losses of judged games by group: [games, (moves, loss, mistakes, blunders)], sums over the
    undecided moves of a game. Games without such moves are left out."""
    values = {
        entry["game"]: (np.array(entry["before"]), np.array(entry["after"]))
        for entry in read_journal(judged)
        if "before" in entry
    }
    selection = GameSelection("chess", (records,), None, filter=PositionFilter(_OPENING))
    groups: dict[int, list[Array]] = {}
    for played in _judged(selection, values):
        before, after = values[played.identity]
        if scale != SCALES[0]:
            before, after = on_engine_scale(before), on_engine_scale(after)
        low, high = (bound for bound, name in EXPECTED_SCORE.standings if name in ("worse", "won"))
        loss = (before - after).clip(0)[(before >= low) & (before < high)]
        if len(loss):
            limits = (EXPECTED_SCORE.mistake, EXPECTED_SCORE.blunder)
            sums = [len(loss), loss.sum(), *((loss > limit).sum() for limit in limits)]
            groups.setdefault(int(played.group), []).append(np.array(sums, np.float64))
    return {group: np.stack(games) for group, games in sorted(groups.items())}


def _judged(selection: GameSelection, values: Mapping[int, Any]) -> list[PlayedGame]:
    return [played for played in select(selection) if played.identity in values]


# People's curve.


def resampled(games: Array, rng: np.random.Generator) -> Array:
    """Means of loss, mistakes and blunders a move of games drawn anew: [1 + resamples, 3], the first of the
    games as they are."""
    picks = rng.integers(0, len(games), (_RESAMPLES, len(games)))
    sums = np.concatenate([games.sum(0)[None], games[picks].sum(1)])
    means: Array = sums[:, 1:] / sums[:, :1]
    return means


@dataclass(frozen=True)
class Curve:
    """A smoothed quantity over ratings: its logarithm is a parabola."""

    coefficients: Array
    """[1 + resamples, 3] of (rating - 1600) / 1000: constant, slope, curvature."""

    def __call__(self, rating: float) -> Array:
        """The values [1 + resamples] at a rating; the first is the fit of the games as they are."""
        x = (rating - 1600) / 1000
        values: Array = np.exp(self.coefficients @ np.array([1, x, x * x]))
        return values


def people_curves(groups: Mapping[int, Array], seed: int = 0) -> dict[str, Curve]:
    """The curves of loss, mistakes and blunders. The rating of a group is its middle; a group weighs as many
    moves as it has."""
    rng = np.random.default_rng(seed)
    middles = (np.array(list(groups)) + 50 - 1600) / 1000
    design = np.stack([np.ones_like(middles), middles, middles**2], axis=1)
    weights = np.sqrt([games[:, 0].sum() for games in groups.values()])
    means = np.stack([resampled(games, rng) for games in groups.values()])  # [groups, 1 + resamples, 3]
    logs = np.log(means.clip(1e-4))
    curves = {}
    for index, column in enumerate(COLUMNS):
        weighted = logs[:, :, index] * weights[:, None]
        curves[column] = Curve(np.linalg.lstsq(design * weights[:, None], weighted, rcond=None)[0].T)
    return curves


def interval(values: Array) -> dict[str, float]:
    """The value of the games as they are, and the 95 % interval of the resamples."""
    low, high = np.quantile(values[1:], [0.025, 0.975])
    return {"value": round(float(values[0]), 5), "low": round(float(low), 5), "high": round(float(high), 5)}


def curve_table(groups: Mapping[int, Array]) -> list[dict[str, Any]]:
    """A row for each hundred points: games, moves, and measured and smoothed loss, mistakes and blunders."""
    curves = people_curves(groups)
    rng = np.random.default_rng(1)
    rows = []
    for group, games in groups.items():
        measured = resampled(games, rng)
        rows.append(
            {"rating": group, "games": len(games), "moves": int(games[:, 0].sum())}
            | {name: interval(measured[:, index]) for index, name in enumerate(COLUMNS)}
            | {f"smooth_{name}": interval(curves[name](group + 50)) for name in COLUMNS}
        )
    return rows


# Ours beside people's.


def game_quantiles(games: Array) -> list[float]:
    """Quartiles over games of the mean loss of a game with ten counted moves or more."""
    long = games[games[:, 0] >= 10]
    if not len(long):
        return []
    return [round(float(value), 4) for value in np.quantile(long[:, 1] / long[:, 0], [0.25, 0.5, 0.75])]


def clustering(games: Array, rng: np.random.Generator) -> Array:
    """How far mistakes come together in games: the variance of their number in a game over that of
    independent mistakes, which is 1. [1 + resamples], the first of the games as they are."""
    picks = rng.integers(0, len(games), (1 + _RESAMPLES, len(games)))
    picks[0] = np.arange(len(games))
    moves, mistakes = games[picks, 0], games[picks, 2]
    share = (mistakes.sum(1) / moves.sum(1))[:, None]
    return np.asarray(((mistakes - share * moves) ** 2).sum(1) / (share * (1 - share) * moves).sum(1))


def comparison(
    ours: Mapping[int, Array], people: Mapping[int, Array], width: int = 100
) -> list[dict[str, Any]]:
    """A row for each level: ours, people's smoothed curve at its rating, and the ratio, all with intervals.

    `width` is how far from the level people's games may be that are counted and whose quantiles are given.
    """
    curves = people_curves(people)
    rng = np.random.default_rng(2)
    rows = []
    for level, games in ours.items():
        near = [found for group, found in people.items() if level - width <= group < level + width]
        beside = np.concatenate(near) if near else np.zeros((0, 4))
        own = resampled(games, rng)
        row: dict[str, Any] = {"level": level, "games": len(games), "moves": int(games[:, 0].sum())}
        row |= {"people_games": len(beside), "people_moves": int(beside[:, 0].sum())}
        for index, name in enumerate(COLUMNS):
            theirs = curves[name](level)
            ratio = np.concatenate([own[:1, index] / theirs[0], own[1:, index] / theirs[1:]])
            row |= {name: interval(own[:, index]), f"people_{name}": interval(theirs)}
            row[f"ratio_{name}"] = interval(ratio)
        row["clustering"] = interval(clustering(games, rng))
        row["people_clustering"] = interval(clustering(beside, rng)) if len(beside) else None
        row |= {"loss_of_games": game_quantiles(games), "people_loss_of_games": game_quantiles(beside)}
        rows.append(row)
    return rows


def comparison_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """The comparison as Markdown."""
    lines = [
        "| level | people | ours | ratio | mistakes | blunders | games: people, ours |",
        "|---" * 7 + "|",
    ]
    for row in rows:
        ratios = ["{value:.2f} ({low:.2f} to {high:.2f})".format(**row[f"ratio_{name}"]) for name in COLUMNS]
        lines.append(
            f"| {row['level']} | {row['people_loss']['value']:.3f} | {row['loss']['value']:.3f} | "
            f"{' | '.join(ratios)} | {row['people_games']}, {row['games']} |"
        )
    return "\n".join(lines)
