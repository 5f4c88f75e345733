"""Games of reconnaissance blind chess between players of this package."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sparring._core import RbcState
from sparring.games.rbc import OpponentSense, Rbc
from sparring.players import GameStart, Player, Turn
from sparring.players.player import RandomSeed


def play_rbc_game(
    players: Sequence[Player],
    seeds: Sequence[RandomSeed],
    random_turns: int,
    rng: np.random.Generator,
    max_turns: int = 300,
) -> RbcState:
    """Plays a game from the initial position.

    Args:
        players: White and Black.
        seeds: the seed of each player.
        random_turns: turns of each side that are random moves drawn from `rng`.
        max_turns: turns of each side after which the game is abandoned.

    Returns the last state: with an outcome, or without one after `max_turns`.
    """
    rules = Rbc()
    state = rules.initial()
    for side, player in enumerate(players):
        player.new_game(GameStart(rules, side, seed=seeds[side], opponent=players[1 - side].name))
    while state.ply < 4 * max_turns:
        legal_moves = state.legal_moves()
        if state.ply < 4 * random_turns:
            move = legal_moves[int(rng.integers(len(legal_moves)))]
        else:
            move = players[state.to_move].choose(Turn(None, legal_moves)).move
        before, state = state, state.play(move)
        if state.outcome is not None:
            break
        for side, player in enumerate(players):
            observation = rules.observe(before, side, move)
            if not isinstance(observation, OpponentSense):
                player.observe(observation)
    for side, player in enumerate(players):
        player.end_game(_score(state, side))
    return state


def _score(state: RbcState, side: int) -> float | None:
    if state.outcome is None:
        return None
    return 0.5 if state.outcome.winner is None else float(state.outcome.winner == side)
