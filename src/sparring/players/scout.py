"""A small opponent for reconnaissance blind chess: follows every possible board, then plays the best mean."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sparring._core import RbcBoards
from sparring.games import Move, Rbc
from sparring.games.rbc import NO_SENSE, PASS, SENSE, Moved, Observation, OpponentMoved, Sensed
from sparring.players.player import Choice


class Knowledge:
    """The boards that are possible for one player, kept up to date by what it observes."""

    def __init__(self, *, most: int = 100_000, seed: int = 0) -> None:
        self.boards = RbcBoards.of([Rbc().initial()])
        self.exact = True
        """False once there were too many boards to follow them all."""
        self._most = most
        self._seed = seed

    def observe(self, observation: Observation) -> None:
        """Narrows the boards down, or follows a move on all of them."""
        match observation:
            case Sensed(pieces):
                self.boards = self.boards.after_sense(list(pieces))
            case Moved(request, taken, capture_square):
                self.boards = self.boards.after_move(
                    request, PASS if taken is None else taken, capture_square
                )
            case OpponentMoved(capture_square):
                self.boards = self.boards.after_opponent(capture_square)
        if len(self.boards) > self._most:
            # More than we can follow: go on with a sample, which may lose the truth.
            self.exact = False
            self.boards = self.boards.keep(self._most // 4, self._seed)


class Scout:
    """Senses where it learns most and asks for the move with the best mean over sampled boards."""

    def __init__(self, nodes: int, rng: np.random.Generator, *, boards: int = 40) -> None:
        self.knowledge = Knowledge(seed=int(rng.integers(2**63)))
        self._nodes = nodes
        self._count = boards
        self._rng = rng

    def observe(self, observation: Observation) -> None:
        """Takes in what it is told."""
        self.knowledge.observe(observation)

    def choose(self, legal_moves: Sequence[Move]) -> Choice:
        """A sense or a move, whichever is due."""
        if legal_moves[-1] == NO_SENSE:
            return self._sense()
        boards = self.knowledge.boards
        scores = [
            (move, score)
            for move, score in boards.judge(self._count, self._nodes, int(self._rng.integers(2**63)))
            if move in legal_moves
        ]
        if not scores:  # every board it believed in was wrong: nothing is known any more
            move = legal_moves[int(self._rng.integers(len(legal_moves)))]
            return Choice(move, dict.fromkeys(legal_moves, 1 / len(legal_moves)), "has lost track")
        move, score = scores[0]
        return Choice(move, {move: 1.0}, f"{score / 100:+.2f} over {len(boards):,} possible boards")

    def _sense(self) -> Choice:
        sizes = np.array(self.knowledge.boards.expected_sizes())
        best = np.flatnonzero(sizes <= sizes.min() + 1e-9)
        square = int(best[self._rng.integers(len(best))])
        move = SENSE + square
        return Choice(move, {move: 1.0}, f"{len(self.knowledge.boards):,} possible boards")
