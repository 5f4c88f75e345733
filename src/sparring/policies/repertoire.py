"""A person's repertoire: how often they played each move of a position, as a posterior over a policy.

With a policy p as the prior, N earlier choices in a position and n_m of the move m, the probability of m is
q = (n_m + a p(m)) / (N + a): the mean of a Dirichlet posterior with the concentration a. People change their
openings, so that q has only a share s of the probability: s q + (1 - s) p.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.games import Move

MAX_PLY = 60
"""Positions after so many plies are not looked up: whole boards hardly ever recur then."""


def canonical(state: Any) -> tuple[int, NDArray[np.int64]]:
    """A 64-bit key that is the same for all symmetric positions, and the images [moves] of the legal moves in
    the position that stands for all of them.

    Where the rules of a position have symmetries, the key depends on the planes that are not constant: on
    what is on the board, and not on komi."""
    if state.symmetries == 1:
        return state.key, np.array(state.legal_moves(), np.int64)
    planes = type(state).encode([state])[0]
    planes = planes.reshape(len(planes), -1)
    planes = (planes[planes.min(axis=1) < planes.max(axis=1)] > 0).astype(np.uint8)
    keys = []
    for symmetry in range(state.symmetries):
        turned = np.empty_like(planes)
        turned[:, state.transformed_cells(symmetry)] = planes
        digest = hashlib.blake2b(np.packbits(turned).tobytes(), digest_size=8).digest()
        keys.append(int.from_bytes(digest, "little"))
    best = int(np.argmin(np.array(keys, np.uint64)))
    return keys[best], state.transformed_moves(best)


@dataclass(frozen=True)
class Repertoire:
    """The moves that a person played, by position. Rows are sorted by key."""

    keys: NDArray[np.uint64]
    """[rows]: keys of positions (`canonical`)."""
    moves: NDArray[np.int64]
    """[rows]: moves, as images in the canonical position."""
    counts: NDArray[np.int64]
    """[rows]: how often each was played."""
    concentration: float
    """The weight a of the policy; infinite for no repertoire."""
    share: float = 1.0
    """The share s of the repertoire; the rest stays with the policy."""

    @staticmethod
    def of(
        keys: NDArray[np.uint64], moves: NDArray[np.int64], concentration: float, share: float = 1.0
    ) -> Repertoire:
        """The repertoire of choices, one per row: the key of the position and the move's image."""
        rows = np.stack([keys, moves.astype(np.uint64)], axis=1)
        choices, counts = np.unique(rows, axis=0, return_counts=True)
        columns = choices[:, 0], choices[:, 1].astype(np.int64), counts.astype(np.int64)
        return Repertoire(*columns, concentration, share)

    def __len__(self) -> int:
        return len(self.keys)

    @cached_property
    def positions(self) -> int:
        """The number of different positions."""
        return len(np.unique(self.keys))

    def lookup(self, key: int) -> dict[Move, int]:
        """The moves of a position, as images, with their counts; empty if it never occurred."""
        wanted = np.uint64(key)
        begin, end = np.searchsorted(self.keys, wanted), np.searchsorted(self.keys, wanted, side="right")
        return dict(zip(self.moves[begin:end].tolist(), self.counts[begin:end].tolist(), strict=True))

    def posterior(self, state: Any, probabilities: NDArray[np.float32]) -> NDArray[np.float32]:
        """The probabilities [moves] of the legal moves, given those of the policy."""
        if not len(self) or not np.isfinite(self.concentration) or state.ply >= MAX_PLY:
            return probabilities
        key, images = canonical(state)
        if not (played := self.lookup(key)):
            return probabilities
        counts = counts_of(played, images)
        if not counts.any():  # another position with the same key
            return probabilities
        policy = probabilities.astype(np.float64)
        mixed = counts + self.concentration * policy
        mixed = self.share * mixed / mixed.sum() + (1 - self.share) * policy
        return np.asarray(mixed / mixed.sum(), np.float32)


def counts_of(played: dict[Move, int], images: Sequence[int] | NDArray[np.int64]) -> NDArray[np.float64]:
    """Counts [moves] of moves given by their images. Moves with equal images share theirs: the board is
    symmetric."""
    listed = [int(image) for image in images]
    return np.array(
        [played[image] / listed.count(image) if image in played else 0 for image in listed], float
    )
