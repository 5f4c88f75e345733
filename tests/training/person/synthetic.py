"""People whose vector is known: random positions, and moves drawn from their policy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sparring.training.person.choices import PersonChoices

MOVES = 8


def synthetic_person(
    z: NDArray[np.float64], games: int, *, seed: int = 0, plies: int = 20, opening: int = 0
) -> PersonChoices:
    """Choices of a person with the vector z [1 + d]. The first `opening` positions of a game are always the
    same, and the person always plays the same move there."""
    random = np.random.default_rng(seed)
    n = games * plies
    logs = np.log(random.dirichlet(np.ones(MOVES), n))
    features = random.normal(0, 0.3, (n, MOVES, len(z)))
    features[:, :, 0] = logs * 0.1
    game, ply = np.divmod(np.arange(n), plies)
    book = ply < opening
    logs[book], features[book] = logs[0], features[0]
    chosen = np.array([_draw(log + feature @ z, random) for log, feature in zip(logs, features, strict=True)])
    chosen[book] = 3
    order = np.tile(np.arange(MOVES), (n, 1))
    order[np.arange(n), chosen], order[:, 0] = 0, chosen  # the move played is the first candidate
    logs = np.take_along_axis(logs, order, axis=1)
    features = np.take_along_axis(features, order[:, :, None], axis=1)
    keys = np.where(book, ply + 1, 1000 * (seed + 1) * 100 + np.arange(n)).astype(np.uint64)
    return PersonChoices(
        np.column_stack([logs, np.full(n, -40.0)]).astype(np.float32),
        np.concatenate([features, np.zeros((n, 1, len(z)))], axis=1).astype(np.float32),
        game,
        ply,
        np.minimum(ply // 8, 2),
        keys,
        np.column_stack([order, np.full(n, -1)]),
    )


def _draw(logits: NDArray[np.float64], random: np.random.Generator) -> int:
    shares = np.exp(logits - logits.max())
    return int(random.choice(len(shares), p=shares / shares.sum()))
