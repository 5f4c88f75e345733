"""A bot that plays prepared attacks and tracks no board."""

from __future__ import annotations

import chess

from sparring.games import Move
from sparring.games.rbc import NO_SENSE, SENSE, MoveResult, Observation
from sparring.players.player import BasePlayer, Decision, GameStart, Turn
from sparring.players.random_player import random_decision

ATTACKS = (
    "b1c3 c3b5 b5d6 d6e8",
    "b1c3 c3d5 d5c7 c7e8",
    "b1c3 c3e4 e4f6 f6e8",
    "b1c3 c3e4 e4d6 d6e8",
    "g1h3 h3f4 f4h5 h5f6 f6e8",
    "g1h3 h3g5 g5f7 f7d6 d6e8",
    "g1f3 f3g5 g5f7 f7d6 d6e8",
    "e2e4 f1c4 d1h5 h5f7 f7e8",
    "e2e3 f1c4 d1f3 f3f7 f7e8",
    "e2e3 d1h5 h5f7 f7e8",
    "e2e4 d1g4 g4d7 d7e8",
    "c2c3 d1a4 a4d7 d7e8",
    "d2d4 c1f4 b1a3 a3b5 b5c7 c7e8",
)
"""Move sequences to the black king on e8 that work against opponents who do not sense. Black
mirrors them."""


class AttackerBot(BasePlayer):
    """Plays one of the attacks and senses where it goes next; afterwards it plays at random."""

    def new_game(self, start: GameStart) -> None:
        """Draws an attack."""
        super().new_game(start)
        attack = ATTACKS[int(self._rng.integers(len(ATTACKS)))]
        player = start.player or 0
        self._plan = [_as_seen_by(player, chess.Move.from_uci(word)) for word in attack.split()]

    def observe(self, observation: Observation) -> None:
        """Ends the attack if a step failed."""
        if isinstance(observation, MoveResult) and self._plan and observation.request == self._plan[0]:
            arrived = observation.taken == observation.request
            self._plan = self._plan[1:] if arrived else []

    def choose(self, turn: Turn) -> Decision:
        """Returns the next step, or a sense of its destination."""
        sensing = turn.legal_moves[-1] == NO_SENSE
        if self._plan and not sensing and self._plan[0] not in turn.legal_moves:
            self._plan = []
        if not self._plan:
            return random_decision(turn.legal_moves, self._rng, "at random")
        move = SENSE + (self._plan[0] & 63) if sensing else self._plan[0]
        return Decision(move, {move: 1.0}, f"{len(self._plan)} steps of its attack to go")


def _as_seen_by(player: int, move: chess.Move) -> Move:
    turn = chess.square_mirror if player else int
    return turn(move.to_square) | turn(move.from_square) << 6
