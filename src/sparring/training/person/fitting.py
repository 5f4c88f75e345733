"""Fits a person's vector and repertoire to their choices. Games that were left out decide how much of each is
taken.

The base itself is always among the candidates. Another one is taken only if the lower bound of its gain is
above 0, so that few games do no harm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from sparring.policies.repertoire import Repertoire
from sparring.training.person.choices import PersonChoices
from sparring.training.person.repertoire_fit import Recurrences, repertoire_of
from sparring.training.person.vector_fit import log_probabilities, minimise

Array = NDArray[np.float64]
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
    candidates = [recurrences.posterior(logs, *each)[:, 0] for each in weights]
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
    found: tuple[int | None, float] = (None, 0.0)
    highest = 0.0
    for index, logs in enumerate(candidates):
        gains = (logs - base).astype(np.float64)
        by_game = np.bincount(number, gains)
        error = np.sqrt(games) * by_game.std(ddof=1) * games / (games - 1)
        if (bound := float(by_game.sum() - errors * error)) > highest:
            highest, found = bound, (index, float(gains.mean()))
    return found
