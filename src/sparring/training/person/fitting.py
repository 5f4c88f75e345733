"""Fits a person's vector and repertoire to their choices. Games that were left out decide how much of each is
taken.

The base itself is always among the candidates. Another one is taken only if the lower bound of its gain is
above 0, so that few games do no harm.

The vector: the negative log-likelihood of the moves plus precision / 2 |z|^2 is convex in the vector z, and
is minimised by Newton's method. A precision of infinity is z = 0, the base itself.

The repertoire: each game is predicted by the games before it. People change their openings. Games of the same
time predict one another better than the past predicts the future, so that folds spread over time would
promise too much.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from sparring.policies.repertoire import Repertoire, counts_of
from sparring.training.person.choices import PersonChoices

Array = NDArray[np.float64]
_STEPS = 30
_CLOSE = 1e-6
_BLOCK = 2048
"""Positions of which derivatives are computed at once: their features stay in the processor's cache."""


def minimise(parts: Sequence[PersonChoices], precision: float, start: Array) -> tuple[Array, Derivatives]:
    """The vector that fits all parts, by Newton's method with step halving from `start`, and the derivatives
    of the parts there."""
    z = start
    at = Derivatives.of(parts, z)
    for _ in range(_STEPS):
        step = at.step(z, precision)
        length = 1.0
        while length > 1e-4:
            following = z + length * step
            new = Derivatives.of(parts, following)
            if new.penalised(following, precision) <= at.penalised(z, precision):
                break
            length /= 2
        else:
            break
        gained = at.penalised(z, precision) - new.penalised(following, precision)
        z, at = following, new
        if gained < _CLOSE * max(1.0, abs(at.loss.sum())):
            break
    return z, at


@dataclass(frozen=True)
class Derivatives:
    """Negative log-likelihoods [parts] of some choices, their gradients and Hessians, at one vector."""

    loss: Array
    gradient: Array
    """[parts, d]"""
    hessian: Array
    """[parts, d, d]"""

    @staticmethod
    def of(parts: Sequence[PersonChoices], z: Array) -> Derivatives:
        """The derivatives of the likelihood of each part."""
        rows = [_derivatives(part, z) for part in parts]
        return Derivatives(*(np.array(column) for column in zip(*rows, strict=True)))

    def penalised(self, z: Array, precision: float) -> float:
        """The loss of all parts with the prior."""
        return float(self.loss.sum() + precision / 2 * (z @ z))

    def step(self, z: Array, precision: float, without: int | None = None) -> Array:
        """The step of Newton's method at z, for all parts or all but one."""
        gradient, hessian = self.gradient.sum(axis=0), self.hessian.sum(axis=0)
        if without is not None:
            gradient, hessian = gradient - self.gradient[without], hessian - self.hessian[without]
        bend = hessian + precision * np.eye(len(z))
        step: Array = -np.linalg.solve(bend, gradient + precision * z)
        return step


def log_probabilities(choices: PersonChoices, z: Array) -> NDArray[np.float32]:
    """[n, m]: log-probabilities of the candidates with the vector z."""
    return _log_softmax(choices.logs + choices.features @ z.astype(np.float32))


def _log_softmax(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    logits = logits - logits.max(axis=1, keepdims=True)
    normal: NDArray[np.float32] = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    return normal


def _derivatives(choices: PersonChoices, z: Array) -> tuple[float, Array, Array]:
    d = len(z)
    loss, gradient, hessian = 0.0, np.zeros(d), np.zeros((d, d))
    for begin in range(0, len(choices), _BLOCK):
        features = choices.features[begin : begin + _BLOCK]
        logs = _log_softmax(choices.logs[begin : begin + _BLOCK] + features @ z.astype(np.float32))
        shares = np.exp(logs)
        means = (shares[:, None] @ features)[:, 0]
        flat = features.reshape(-1, d)
        loss -= float(logs[:, 0].sum(dtype=np.float64))
        gradient += (means - features[:, 0]).sum(axis=0, dtype=np.float64)
        hessian += (flat * shares.reshape(-1, 1)).T @ flat - means.T @ means
    return loss, gradient, hessian


@dataclass(frozen=True)
class Recurrences:
    """Choices in positions that occurred before."""

    rows: NDArray[np.int64]
    """[k]: their indices."""
    counts: Array
    """[k, m]: how often each candidate was played before."""
    totals: Array
    """[k]: how often any move was."""

    @staticmethod
    def in_order(choices: PersonChoices) -> Recurrences:
        """Choices in positions that occurred in earlier games."""
        known: dict[int, dict[int, int]] = {}
        rows, counts = [], []
        finished: list[int] = []
        usable = np.flatnonzero(choices.images[:, 0] >= 0)
        game = -1
        for row in usable.tolist():
            if choices.game[row] != game:
                for earlier in finished:
                    moves = known.setdefault(int(choices.keys[earlier]), {})
                    image = int(choices.images[earlier, 0])
                    moves[image] = moves.get(image, 0) + 1
                finished, game = [], int(choices.game[row])
            finished.append(row)
            if before := known.get(int(choices.keys[row])):
                rows.append(row)
                counts.append((counts_of(before, choices.images[row]), sum(before.values())))
        return Recurrences._of(choices, rows, counts)

    @staticmethod
    def within(choices: PersonChoices, repertoire: Repertoire) -> Recurrences:
        """Choices in positions of a repertoire."""
        usable = (choices.images[:, 0] >= 0) & np.isin(choices.keys, repertoire.keys)
        rows = np.flatnonzero(usable).tolist()
        counts = []
        for row in rows:
            moves = repertoire.lookup(int(choices.keys[row]))
            counts.append((counts_of(moves, choices.images[row]), sum(moves.values())))
        return Recurrences._of(choices, rows, counts)

    @staticmethod
    def _of(choices: PersonChoices, rows: list[int], counted: list[tuple[Array, int]]) -> Recurrences:
        width = choices.images.shape[1]
        counts = np.array([played for played, _ in counted]).reshape(-1, width)
        totals = np.array([total for _, total in counted], float)
        counts[:, -1] += np.maximum(totals - counts.sum(axis=1), 0)  # moves that are no candidates
        return Recurrences(np.array(rows, np.int64), counts, totals)

    def posterior(self, logs: NDArray[np.float32], concentration: float, share: float) -> NDArray[np.float32]:
        """[n, m]: log-probabilities of the candidates with the repertoire, from those without."""
        result = logs.copy()
        if len(self.rows):
            policy = np.exp(logs[self.rows].astype(np.float64))
            drawn = (self.counts + concentration * policy) / (self.totals + concentration)[:, None]
            result[self.rows] = np.log(share * drawn + (1 - share) * policy)
        return result


def repertoire_of(choices: PersonChoices, concentration: float, share: float) -> Repertoire:
    """The repertoire of all choices; empty if the concentration is infinite."""
    rows = np.flatnonzero((choices.images[:, 0] >= 0) & np.isfinite(concentration))
    return Repertoire.of(choices.keys[rows], choices.images[rows, 0], concentration, share)


def with_repertoire(
    choices: PersonChoices, logs: NDArray[np.float32], repertoire: Repertoire
) -> NDArray[np.float32]:
    """[n, m]: log-probabilities of the candidates with a repertoire, from those without."""
    if not len(repertoire) or not np.isfinite(repertoire.concentration):
        return logs.copy()
    recurrences = Recurrences.within(choices, repertoire)
    return recurrences.posterior(logs, repertoire.concentration, repertoire.share)


PRECISIONS = (256.0, 64.0, 16.0, 4.0, 1.0)
CONCENTRATIONS = (64.0, 32.0, 16.0, 8.0, 4.0, 2.0, 1.0, 0.5)
SHARES = (0.3, 0.5, 0.65)
"""Of the repertoire. The rest stays with the network: it bounds the loss where a person has changed their
openings, which no earlier game can tell."""
_FOLDS = 5
_STYLE_ERRORS = 1.5
"""Standard errors below the gain of a style that its lower bound is. A repertoire has one: its share bounds
its loss."""


@dataclass(frozen=True)
class PersonFit:
    """What was fitted, and what each part gains on games that were left out."""

    z: Array
    """[1 + d]: sharpness in units of its prior, then the style vector."""
    precision: float
    """Infinite for the base itself."""
    concentration: float
    """Infinite for no repertoire."""
    share: float
    style_gain: float
    """Nats per move that style and sharpness gain over the base, by cross-validation over games."""
    repertoire_gain: float
    """Nats per move that the repertoire gains on top, each game predicted by the games before it."""

    def repertoire(self, choices: PersonChoices) -> Repertoire:
        """The repertoire of some choices, with the weights of the fit."""
        return repertoire_of(choices, self.concentration, self.share)


def fit_person(choices: PersonChoices) -> PersonFit:
    """Fits vector and repertoire."""
    z, precision, logs, style_gain = _fit_style(choices)
    recurrences = Recurrences.in_order(choices)
    weights = list(product(CONCENTRATIONS, SHARES))
    candidates = [recurrences.posterior(logs, *pair)[:, 0] for pair in weights]
    best, gain = _safest(candidates, logs[:, 0], choices.game)
    concentration, share = (np.inf, 0.0) if best is None else weights[best]
    return PersonFit(z, precision, concentration, share, style_gain, gain)


def _fit_style(choices: PersonChoices) -> tuple[Array, float, NDArray[np.float32], float]:
    """The vector, its precision, the log-probabilities [n, m] of left-out games, and the gain there."""
    _, number = np.unique(choices.game, return_inverse=True)
    folds = [np.flatnonzero(number % _FOLDS == fold) for fold in range(min(_FOLDS, int(number.max()) + 1))]
    parts = [choices.take(fold) for fold in folds]
    z = np.zeros(choices.features.shape[2])
    base = log_probabilities(choices, z)
    vectors, left_out = [], []
    for precision in PRECISIONS:
        z, derivatives = minimise(parts, precision, z)
        vectors.append(z)
        logs = np.empty_like(base)
        for index, (fold, part) in enumerate(zip(folds, parts, strict=True)):
            # one step of Newton's method from the fit to all games: as good as a fit to the others
            others = z + derivatives.step(z, precision, without=index)
            logs[fold] = log_probabilities(part, others)
        left_out.append(logs)
    best, gain = _safest([logs[:, 0] for logs in left_out], base[:, 0], choices.game, _STYLE_ERRORS)
    if best is None:
        return np.zeros_like(z), np.inf, base, 0.0
    return vectors[best], PRECISIONS[best], left_out[best], gain


def _safest(
    candidates: Sequence[NDArray[np.float32]],
    base: NDArray[np.float32],
    game: NDArray[np.int64],
    errors: float = 1.0,
) -> tuple[int | None, float]:
    """The candidate with the greatest lower bound of its gain over the base, and its gain per move; None if
    no bound is above 0.

    Candidates are log-probabilities [n] of the moves played. The bound is some standard errors (over games)
    below the sum; for few games the error is not known well, and is taken larger."""
    _, number = np.unique(game, return_inverse=True)
    games = int(number.max()) + 1
    if games < 2:
        return None, 0.0
    safest: tuple[int | None, float] = (None, 0.0)
    highest = 0.0
    for index, logs in enumerate(candidates):
        gains = (logs - base).astype(np.float64)
        by_game = np.bincount(number, gains)
        error = np.sqrt(games) * by_game.std(ddof=1) * games / (games - 1)
        if (bound := float(by_game.sum() - errors * error)) > highest:
            highest, safest = bound, (index, float(gains.mean()))
    return safest
