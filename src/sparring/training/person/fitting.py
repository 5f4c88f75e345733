"""Fits a person's vector to their choices: a convex problem, with the strength chosen by cross-validation.

The negative log-likelihood of the moves plus precision / 2 |z|^2 is convex in the vector z. A precision of
infinity is z = 0, the base itself; it is always among the candidates, so that few games do no harm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparring.policies.repertoire import Repertoire, counts_of
from sparring.training.person.choices import PersonChoices

Array = NDArray[np.float64]
PRECISIONS = (np.inf, 16.0, 4.0, 2.0, 1.0, 0.5)
CONCENTRATIONS = (np.inf, 64.0, 32.0, 16.0, 8.0, 4.0, 2.0, 1.0, 0.5)
"""Candidates, the base first. Of equal ones the first is taken."""
_FOLDS = 5
_STEPS = 30
_CLOSE = 1e-7


def fit_vector(choices: PersonChoices, precision: float) -> Array:
    """The vector [1 + d] of the largest posterior probability, by Newton's method with step halving."""
    d = choices.features.shape[2]
    z = np.zeros(d)
    if not np.isfinite(precision) or not len(choices):
        return z
    loss, gradient, bend = _derivatives(choices, z, precision)
    for _ in range(_STEPS):
        step = np.linalg.solve(bend, gradient)
        length = 1.0
        while length > 1e-4:
            following = z - length * step
            new = _derivatives(choices, following, precision)
            if new[0] <= loss:
                break
            length /= 2
        else:
            break
        gained = loss - new[0]
        z, (loss, gradient, bend) = following, new
        if gained < _CLOSE * max(1.0, abs(loss)):
            break
    return z


def log_probabilities(choices: PersonChoices, z: Array) -> NDArray[np.float32]:
    """[n, m]: log-probabilities of the candidates with the vector z."""
    logs = choices.logs + choices.features @ z.astype(np.float32)
    logs -= logs.max(axis=1, keepdims=True)
    logs -= np.log(np.exp(logs).sum(axis=1, keepdims=True))
    found: NDArray[np.float32] = logs
    return found


def _derivatives(choices: PersonChoices, z: Array, precision: float) -> tuple[float, Array, Array]:
    """The loss, its gradient and its Hessian."""
    n, m, d = choices.features.shape
    logs = log_probabilities(choices, z)
    shares = np.exp(logs)
    means = np.einsum("nm,nmd->nd", shares, choices.features)
    gradient = (means - choices.features[:, 0]).sum(axis=0, dtype=np.float64) + precision * z
    flat = choices.features.reshape(n * m, d)
    second = (flat * shares.reshape(-1, 1)).T @ flat
    bend = (second - means.T @ means).astype(np.float64) + precision * np.eye(d)
    loss = -float(logs[:, 0].sum(dtype=np.float64)) + precision / 2 * float(z @ z)
    return loss, gradient, bend


@dataclass(frozen=True)
class PersonFit:
    """What was fitted, and what each part gains by cross-validation."""

    z: Array
    """[1 + d]: sharpness in units of its prior, then the style vector."""
    precision: float
    concentration: float
    style_gain: float
    """Nats per move that style and sharpness gain over the base, on games that were left out."""
    repertoire_gain: float
    """Nats per move that the repertoire gains on top."""


def fit_person(choices: PersonChoices) -> PersonFit:
    """Fits vector and repertoire. Both strengths are chosen by cross-validation over games."""
    folds = _folds(choices)
    by_precision = [_left_out(choices, precision, folds) for precision in PRECISIONS]
    best = _safest([logs[:, 0] for logs in by_precision], choices.game)
    style = by_precision[best]
    by_concentration = [_left_out_repertoire(choices, style, weight, folds) for weight in CONCENTRATIONS]
    chosen = _safest(by_concentration, choices.game)
    return PersonFit(
        fit_vector(choices, PRECISIONS[best]),
        PRECISIONS[best],
        CONCENTRATIONS[chosen],
        float((style[:, 0] - by_precision[0][:, 0]).mean()),
        float((by_concentration[chosen] - style[:, 0]).mean()),
    )


def _safest(candidates: Sequence[NDArray[np.float32]], game: NDArray[np.int64]) -> int:
    """The candidate with the greatest lower bound of its gain over the first: the sum minus its standard
    error.

    Candidates are log-probabilities [n] of the moves played; the error is that of a sum over games."""
    _, number = np.unique(game, return_inverse=True)
    bounds = []
    for logs in candidates:
        by_game = np.bincount(number, (logs - candidates[0]).astype(np.float64))
        error = np.sqrt(len(by_game)) * by_game.std(ddof=1) if len(by_game) > 1 else np.inf
        bounds.append(float(by_game.sum() - error) if by_game.any() else 0.0)
    return int(np.argmax(bounds))


def repertoire_of(choices: PersonChoices, concentration: float) -> Repertoire:
    """The repertoire of all choices; empty if the concentration is infinite."""
    rows = np.flatnonzero((choices.images[:, 0] >= 0) & np.isfinite(concentration))
    return Repertoire.of(choices.keys[rows], choices.images[rows, 0], concentration)


def with_repertoire(
    choices: PersonChoices, logs: NDArray[np.float32], repertoire: Repertoire
) -> NDArray[np.float32]:
    """[n, m]: log-probabilities of the candidates with a repertoire, from those without."""
    found = logs.copy()
    if not len(repertoire) or not np.isfinite(repertoire.concentration):
        return found
    known = (choices.images[:, 0] >= 0) & np.isin(choices.keys, repertoire.keys)
    for row in np.flatnonzero(known).tolist():
        counts = counts_of(repertoire.lookup(int(choices.keys[row])), choices.images[row])
        if total := counts.sum():
            mixed = counts + repertoire.concentration * np.exp(logs[row])
            found[row] = np.log(mixed / (total + repertoire.concentration))
    return found


def _folds(choices: PersonChoices) -> NDArray[np.int64]:
    """[n]: the fold of each position; games stay whole, and each fold is spread over time."""
    _, number = np.unique(choices.game, return_inverse=True)
    return number.astype(np.int64) % _FOLDS


def _left_out(choices: PersonChoices, precision: float, folds: NDArray[np.int64]) -> NDArray[np.float32]:
    """[n, m]: log-probabilities of each position by the vector of the other folds."""
    found = choices.logs.copy()
    found -= np.log(np.exp(found).sum(axis=1, keepdims=True))
    if not np.isfinite(precision):
        return found
    for fold in np.unique(folds):
        inside = folds == fold
        z = fit_vector(choices.take(~inside), precision)
        found[inside] = log_probabilities(choices.take(inside), z)
    return found


def _left_out_repertoire(
    choices: PersonChoices, logs: NDArray[np.float32], concentration: float, folds: NDArray[np.int64]
) -> NDArray[np.float32]:
    """[n]: log-probabilities of the moves played, by the repertoire of the other folds."""
    found = logs[:, 0].copy()
    if not np.isfinite(concentration):
        return found
    for fold in np.unique(folds):
        inside = folds == fold
        repertoire = repertoire_of(choices.take(~inside), concentration)
        found[inside] = with_repertoire(choices.take(inside), logs[inside], repertoire)[:, 0]
    return found
