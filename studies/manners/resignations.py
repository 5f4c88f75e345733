"""Fits when people resign and agree to draws, and measures it beside the simple rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.players.behaviour_models import HOPEFUL, LOST, RESIGNATION_FEATURES, ResignationModel
from studies.manners.traces import Traces

Array = NDArray[np.float64]
_NEAR = 2
"""Own turns by which a resignation may come early and still count as right."""


@dataclass(frozen=True)
class Turns:
    """Turns of both sides of games, side after side in order. All fields are arrays [turns]."""

    side: NDArray[np.int64]
    """2 * game + player"""
    score: Array
    """Expected score of the player, 0 to 1."""
    before: Array
    """The same on the player's last turn."""
    lost_moves: NDArray[np.int64]
    ply: NDArray[np.int64]
    rating: Array
    resigned: NDArray[np.bool_]
    """Whether the player resigned in this position."""

    def take(self, which: NDArray[np.bool_]) -> Turns:
        """The chosen turns ([turns] of truth values)."""
        return Turns(**{name: column[which] for name, column in vars(self).items()})


def turns_of(traces: Traces) -> Turns:
    """All turns of people. Who resigns on the opponent's turn resigns in the last position of the game."""
    rows, games = traces.rows, traces.games
    resigned = games["ending"] == "resignation"
    loser = np.where(games["result"] == 1, 1, 0)
    last = ~rows["played"]
    lost = resigned[rows["game"]] & last
    player = np.where(lost, loser[rows["game"]], rows["mover"]).astype(np.int64)
    kept = rows["played"] | lost
    score = np.where(player == rows["mover"], rows["value"], 1 - rows["value"].astype(float))
    side = 2 * rows["game"].astype(np.int64) + player
    order = np.lexsort((rows["ply"][kept], side[kept]))
    at = np.flatnonzero(kept)[order]
    side, score = side[at], score[at].astype(float)
    fresh = np.append(True, side[1:] != side[:-1])
    before = np.where(fresh, score, np.append(score[:1], score[:-1]))
    rating = np.where(player[at] == 0, games["first_rating"][side // 2], games["second_rating"][side // 2])
    return Turns(
        side, score, before, _runs(score < LOST, fresh), rows["ply"][at].astype(np.int64),
        rating.astype(float), lost[at],
    )  # fmt: skip


def fit(turns: Turns, *, rating: float, rating_scale: float, ridge: float = 1.0) -> ResignationModel:
    """Fits the logistic model by Newton's method to the turns in bad positions."""
    blank = ResignationModel(np.zeros(len(RESIGNATION_FEATURES)), rating, rating_scale)
    chosen = turns.take(turns.score < HOPEFUL)
    inputs = blank.features(chosen.score, chosen.before, chosen.lost_moves, chosen.ply, chosen.rating)
    weights = logistic(inputs, chosen.resigned.astype(float), ridge)
    return ResignationModel(weights, rating, rating_scale)


def logistic(inputs: Array, target: Array, ridge: float) -> Array:
    """Weights of a logistic regression by Newton's method; the first input (one) is not shrunk.

    Steps are halved until the loss falls.
    """
    penalty = np.full(inputs.shape[1], ridge)
    penalty[0] = 0

    def loss(weights: Array) -> float:
        scores = inputs @ weights
        return float(np.logaddexp(0, scores).sum() - target @ scores + (penalty * weights**2).sum() / 2)

    weights = np.zeros(inputs.shape[1])
    weights[0] = np.log((target.mean() + 1e-6) / (1 - target.mean() + 1e-6))
    best = loss(weights)
    for _ in range(100):
        chance = 1 / (1 + np.exp(-np.clip(inputs @ weights, -30, 30)))
        gradient = inputs.T @ (chance - target) + penalty * weights
        hessian = (inputs * (chance * (1 - chance))[:, None]).T @ inputs + np.diag(penalty + 1e-6)
        step = np.linalg.solve(hessian, gradient)
        while (found := loss(weights - step)) > best and np.abs(step).max() > 1e-9:
            step = step / 2
        weights, fell, best = weights - step, best - found, min(found, best)
        if fell < 1e-7 * max(best, 1):
            break
    return weights


def chances(model: ResignationModel, turns: Turns) -> Array:
    """[turns]: the chance that the model's player resigns on the turn if it has not before."""
    return model.probability(turns.score, turns.before, turns.lost_moves, turns.ply, turns.rating)


def rule_chances(turns: Turns, below: float = 0.05, after: int = 3) -> Array:
    """[turns]: 1 where the rule resigns, else 0."""
    fresh = np.append(True, turns.side[1:] != turns.side[:-1])
    return (_runs(turns.score < below, fresh) >= after).astype(float)


def sums_by_game(turns: Turns, chance: Array) -> Array:
    """[games, 3]: right resignations, all resignations, and those of people."""
    resigns, right, _ = _judged(turns, chance)
    _, place = np.unique(turns.side // 2, return_inverse=True)
    columns = (resigns * right, resigns, turns.resigned.astype(float))
    return np.stack([np.bincount(place, column) for column in columns], axis=1)


def precision_recall(turns: Turns, chance: Array) -> dict[str, Any]:
    """Precision and recall of resignations, in expectation over the draws.

    A resignation is right if the person resigns in this position or within two own turns. Recall is the share
    of people's resignations that the player makes, in that position or up to two turns before.
    """
    resigns, right, person = _judged(turns, chance)
    sides = len(np.unique(turns.side))
    total, made = float(turns.resigned.sum()), float((resigns * right).sum())
    return {
        "precision": made / max(float(resigns.sum()), 1e-9),
        "recall": made / total,
        "exact_recall": float(resigns[turns.resigned].sum()) / total,
        "resignations": float(resigns.sum()),
        "people": total,
        "sides": sides,
        "without_people": float((resigns * ~person).sum()) / sides,
    }


def _judged(turns: Turns, chance: Array) -> tuple[Array, NDArray[np.bool_], NDArray[np.bool_]]:
    """[turns] each: the chance of resigning there, whether that is right, whether the person ever resigns."""
    fresh = np.append(True, turns.side[1:] != turns.side[:-1])
    ends = np.append(np.flatnonzero(fresh)[1:], len(fresh)) - 1
    place = np.cumsum(fresh) - 1
    gap = ends[place] - np.arange(len(fresh))  # own turns until the last one
    person = turns.resigned[ends][place]
    return still_playing(chance, fresh) * chance, person & (gap <= _NEAR), person


def still_playing(chance: Array, fresh: NDArray[np.bool_]) -> Array:
    """[turns]: the chance that the player has not resigned before the turn."""
    logs = np.cumsum(np.log1p(-np.minimum(chance, 1 - 1e-12)))
    before = np.append(0.0, logs[:-1])
    start = before[np.flatnonzero(fresh)][np.cumsum(fresh) - 1]
    alive: Array = np.exp(before - start)
    return alive


def _runs(flags: NDArray[np.bool_], fresh: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Number of true values in a row up to each place; a fresh place begins anew."""
    index = np.arange(len(flags))
    broken = np.where(~flags, index + 1, 0)
    broken = np.maximum(broken, np.where(fresh, index, 0))
    last = np.maximum.accumulate(broken)
    return np.where(flags, index - last + 1, 0)


def agreed_draws(traces: Traces) -> dict[str, Any]:
    """When people agree to draws: the expected scores and plies of the last positions."""
    games, rows = traces.games, traces.rows
    agreed = (games["ending"] == "agreement")[rows["game"]] & ~rows["played"]
    better = np.maximum(rows["value"][agreed], 1 - rows["value"][agreed].astype(float))
    ply = rows["ply"][agreed].astype(float)
    turns = rows["played"].sum()
    return {
        "games": int(agreed.sum()),
        "of": len(games),
        "ply": np.quantile(ply, (0.05, 0.5, 0.95)).round().tolist(),
        "better_side": np.quantile(better, (0.5, 0.9, 0.95)).round(3).tolist(),
        "chance_per_turn": float(agreed.sum() / turns),
    }
