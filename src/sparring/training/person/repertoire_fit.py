"""How far a person's repertoire is to be trusted: each game is predicted by the games before it.

People change their openings. Games of the same time predict one another better than the past predicts the
future, so that folds spread over time would promise too much."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparring.policies.repertoire import Repertoire, counts_of
from sparring.training.person.choices import PersonChoices

Array = NDArray[np.float64]


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
                for each in finished:
                    moves = known.setdefault(int(choices.keys[each]), {})
                    image = int(choices.images[each, 0])
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
    def _of(choices: PersonChoices, rows: list[int], found: list[tuple[Array, int]]) -> Recurrences:
        width = choices.images.shape[1]
        counts = np.array([each for each, _ in found]).reshape(-1, width)
        totals = np.array([total for _, total in found], float)
        counts[:, -1] += np.maximum(totals - counts.sum(axis=1), 0)  # moves that are no candidates
        return Recurrences(np.array(rows, np.int64), counts, totals)

    def posterior(self, logs: NDArray[np.float32], concentration: float, share: float) -> NDArray[np.float32]:
        """[n, m]: log-probabilities of the candidates with the repertoire, from those without."""
        found = logs.copy()
        if len(self.rows):
            policy = np.exp(logs[self.rows].astype(np.float64))
            drawn = (self.counts + concentration * policy) / (self.totals + concentration)[:, None]
            found[self.rows] = np.log(share * drawn + (1 - share) * policy)
        return found


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
    found = Recurrences.within(choices, repertoire)
    return found.posterior(logs, repertoire.concentration, repertoire.share)
