"""Games of reconnaissance blind chess between our own bots, by our own rules."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sparring._core import RbcState
from sparring.games.rbc import OpponentSense, Rbc
from sparring.players.rbc import Bot


def play_rbc_game(
    bots: Sequence[Bot], random_turns: int, rng: np.random.Generator, max_turns: int = 300
) -> RbcState:
    """A game from its beginning. Each side's first `random_turns` turns are played by chance.

    The result is the last state: with an outcome, or without one after so many turns of each.
    """
    rules = Rbc()
    state = rules.initial()
    while state.ply < 4 * max_turns:
        player, legal_moves = state.to_move, state.legal_moves()
        if state.ply < 4 * random_turns:
            move = legal_moves[int(rng.integers(len(legal_moves)))]
        else:
            move = bots[player].choose(legal_moves).move
        before, state = state, state.play(move)
        if state.outcome is not None:
            break
        for side, bot in enumerate(bots):
            observation = rules.observe(before, side, move)
            if not isinstance(observation, OpponentSense):
                bot.observe(observation)
    return state
