"""A small opponent for reconnaissance blind chess: follows every possible board, then plays the best mean."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sparring.games import Move
from sparring.games.rbc import NO_SENSE, SENSE, Observation
from sparring.knowledge import Tracker, TrackerOptions, weigh_senses
from sparring.players.player import Choice

_MOST = 100_000
"""Boards that it follows; of more it follows a sample."""


class Scout:
    """Senses where it learns most and asks for the move with the best mean over sampled boards."""

    def __init__(self, player: int, nodes: int, rng: np.random.Generator, *, boards: int = 40) -> None:
        seed = int(rng.integers(2**63))
        options = TrackerOptions(limit=_MOST, past_limit=_MOST, threads=1, seed=seed, repair=True)
        self.tracker = Tracker(player, options)
        self._nodes = nodes
        self._count = boards
        self._rng = rng

    def observe(self, observation: Observation) -> None:
        """Takes in what it is told."""
        self.tracker.observe(observation)

    def choose(self, legal_moves: Sequence[Move]) -> Choice:
        """A sense or a move, whichever is due."""
        if legal_moves[-1] == NO_SENSE:
            return self._sense()
        boards = self.tracker.boards
        scores = [
            (move, score)
            for move, score in boards.judge(self._count, self._nodes, int(self._rng.integers(2**63)))
            if move in legal_moves
        ]
        move, score = scores[0]
        return Choice(move, {move: 1.0}, f"{score / 100:+.2f} over {len(boards):,} possible boards")

    def _sense(self) -> Choice:
        boards = self.tracker.boards
        sizes = weigh_senses(boards).expected_sizes
        best = np.flatnonzero(sizes <= sizes.min() + 1e-9)
        square = int(best[self._rng.integers(len(best))])
        move = SENSE + square
        return Choice(move, {move: 1.0}, f"{len(boards):,} possible boards")
