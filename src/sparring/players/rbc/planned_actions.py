"""The result of a planner's search, the scores of its actions, and whether the choice is settled."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_LEAST_RATING_SHARE = 0.25
"""A rating counts for at least this share of the playouts: more playouts make the tree less noisy, but do not
correct its evaluations."""
_TOLERANCE = 0.02
"""Win probability that a wrong choice may cost for the search to end early."""
_STANDARD_ERRORS = 2.0
"""Standard errors of a difference by which the best action must lead, less the tolerance."""


@dataclass(frozen=True)
class PlannedActions:
    """Result of a search: the actions of the root. Arrays have shape [actions]."""

    actions: NDArray[np.int64]
    priors: NDArray[np.float64]
    visits: NDArray[np.float64]
    values: NDArray[np.float64]
    """Mean values for the player from -1 to 1, NaN without visits."""
    worst: NDArray[np.float64]
    """Smallest values seen."""
    root_value: float
    """The network's value."""
    playouts: int
    nodes: int
    ratings: NDArray[np.float64] | None = None
    """Values of the actions by the inference bot, in win probability; None if they are not used."""

    @property
    def won(self) -> NDArray[np.float64]:
        """Mean win probabilities of the playouts; 1/2 without visits."""
        return np.asarray((1 + np.nan_to_num(self.values)) / 2)


def action_scores(search: PlannedActions, rating_visits: float) -> NDArray[np.float64]:
    """Scores of the root's actions: the total win probability of the playouts (the paper's argmax of Q at the
    root), or with ratings of the inference bot the mean of ratings and playouts."""
    won, visits = search.won, search.visits
    if search.ratings is None or not rating_visits:
        return np.asarray(visits * won + 1e-3 * search.priors)
    # Playouts of all actions together are made to agree with the ratings, so that only differences count.
    bias = float((visits * (search.ratings - won)).sum() / max(visits.sum(), 1.0))
    counts = _rating_counts(search, rating_visits)
    return np.asarray((counts * search.ratings + visits * (won + bias)) / (counts + visits))


def is_settled(search: PlannedActions, rating_visits: float, remaining: float) -> bool:
    """Whether `remaining` more playouts are not worth their time.

    Without ratings: the best action can no longer be overtaken (smart pruning in Lc0). With ratings: it leads
    each other action by two standard errors of their difference, or would cost little if it were wrong.
    """
    scores = action_scores(search, rating_visits)
    best = int(np.argmax(scores))
    leads = np.delete(scores[best] - scores, best)
    if search.ratings is None or not rating_visits:
        return bool((leads > remaining).all())
    visits = search.visits
    smoothed = (visits * search.won + 1) / (visits + 2)
    share = visits / (_rating_counts(search, rating_visits) + visits)
    variances = share**2 * smoothed * (1 - smoothed) / np.maximum(visits, 1.0)
    errors = np.sqrt(variances[best] + np.delete(variances, best))
    return bool((leads + _TOLERANCE > _STANDARD_ERRORS * errors).all())


def _rating_counts(search: PlannedActions, rating_visits: float) -> float:
    """Playouts that a rating counts for."""
    return max(rating_visits, _LEAST_RATING_SHARE * float(search.visits.sum()))
