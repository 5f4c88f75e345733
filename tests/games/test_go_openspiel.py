"""Go against OpenSpiel: legal moves at every ply and the result, over seeded random games.

OpenSpiel knows simple ko, but lets a player repeat an older position and calls that a draw: what our
superko forbids must be exactly the moves after which it says so.
"""

from __future__ import annotations

import random

import pyspiel
import pytest

from sparring._core import GoState
from sparring.go.game import Go


def result_of_passing(theirs: pyspiel.State, size: int) -> float:
    """What Black gets (1, 0 or -1) if both pass now."""
    state = theirs.clone()
    while not state.is_terminal():
        state.apply_action(size * size)
    return float(state.returns()[0])


def result_of(state: GoState) -> float:
    while state.outcome is None:
        state = state.play(state.size * state.size)
    return {0: 1.0, 1: -1.0, None: 0.0}[state.outcome.winner]


def repeats(theirs: pyspiel.State, move: int) -> bool:
    state = theirs.clone()
    state.apply_action(move)
    return bool(state.is_terminal())


@pytest.mark.parametrize(("size", "games"), [(5, 1000), (9, 400), (13, 60), (19, 25)])
def test_random_games_agree_with_openspiel(size: int, games: int) -> None:
    rng = random.Random(size)
    longest = 4 * size * size
    for _ in range(games):
        komi = rng.choice([-7.5, -2.0, 0.0, 0.5, 5.0, 7.5])
        parameters = f"board_size={size},komi={komi},max_game_length={longest}"
        theirs = pyspiel.load_game(f"go({parameters})").new_initial_state()
        ours = Go(size=size, komi=komi).initial()
        seen = {ours.text().split()[0]}
        for ply in range(longest - 4):
            moves, others = ours.legal_moves(), theirs.legal_actions()
            forbidden = set(others) - set(moves)
            assert sorted([*moves, *forbidden]) == others
            assert all(repeats(theirs, move) for move in forbidden)
            if ply % 8 == 0:
                assert result_of(ours) == result_of_passing(theirs, size)
            # A second pass would end the game: it comes seldom enough to see full boards.
            move = rng.choice(moves if rng.random() < 0.2 else moves[:-1] or moves)
            ours = ours.play(move)
            theirs.apply_action(move)
            board = ours.text().split()[0]
            assert move == size * size or board not in seen
            seen.add(board)
            if ours.outcome is not None:
                break
            assert not theirs.is_terminal()
        assert result_of(ours) == result_of_passing(theirs, size)


@pytest.mark.parametrize("handicap", range(2, 10))
def test_handicap_stones_stand_where_openspiel_puts_them(handicap: int) -> None:
    theirs = pyspiel.load_game(f"go(handicap={handicap})").new_initial_state()
    ours = Go(handicap=handicap).initial()
    assert theirs.current_player() == ours.to_move == 1
    assert ours.legal_moves() == theirs.legal_actions()
