"""The possible actions of a synopsis are those of the rules."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from sparring._core import RbcBoardSet
from sparring.belief import SynopsisContext, compute_synopsis
from sparring.games.history import states_to
from sparring.games.rbc import NO_SENSE, Rbc
from sparring.networks.synopsis import ACTIONS, PASS_ACTION, action_index, recognise
from sparring.training.rbc.action_mask import ActionMask
from sparring.training.rbc.model import unpack_synopses
from tests.belief.games import random_game


def test_possible_actions_are_the_legal_requests_of_the_player() -> None:
    mask = ActionMask()
    for seed in range(6):
        for state in states_to(random_game(seed, 30))[:-1]:
            player = state.to_move
            boards = RbcBoardSet.of([state], player)
            words = compute_synopsis(boards, SynopsisContext(moving=not state.sensing))
            planes = unpack_synopses(torch.from_numpy(words.view(np.int64))[None])
            expected = {action_index(move, player) for move in state.legal_moves() if move != NO_SENSE}
            assert set(np.flatnonzero(mask(planes)[0].numpy())) == expected, state.text()


def test_actions_are_numbered_from_the_view_of_the_player() -> None:
    state = Rbc().initial()
    sense = Rbc().parse_move(state, "sense e2")
    assert [action_index(sense, player) for player in (0, 1)] == [12, 52]
    assert action_index(NO_SENSE, 0) is None
    move = Rbc().parse_move(state.play(sense), "e2e4")
    assert action_index(move, 0) == 64 + 64 * 12 + 28
    assert action_index(move, 1) == 64 + 64 * 52 + 36
    assert action_index(0, 1) == PASS_ACTION == ACTIONS - 1


@pytest.mark.parametrize(
    ("opponent", "headset"),
    [("TroutBot", "trout"), ("LaSalle Bot", "LaSalle Bot"), ("strangefish2", "StrangeFish2"),
     ("somebody", "Top"), ("All", "Top"), ("", "Top"), ("bot", "Top")],
)  # fmt: skip
def test_opponents_are_recognised_by_name(opponent: str, headset: str) -> None:
    headsets = ["All", "Top", "trout", "LaSalle Bot", "StrangeFish", "StrangeFish2"]
    assert recognise(opponent, headsets) == headset
