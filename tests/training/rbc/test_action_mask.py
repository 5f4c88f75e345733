"""The possible actions of a synopsis are those of the rules."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from sparring._core import RbcBoardSet
from sparring.games.states import states_to
from sparring.networks.card import ModelCard
from sparring.rbc.game import NO_SENSE, Rbc
from sparring.rbc.synopsis import (
    ACTIONS,
    PASS_ACTION,
    SynopsisContext,
    action_index,
    compute_synopsis,
    recognise,
    replaced_headsets,
)
from sparring.rbc.training.network import ActionMask, unpack_synopses
from sparring.rbc.training.task import SynopsisBatch, mirror
from tests.belief.games import random_game
from tests.training.rbc.rbc_factories import played


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


def test_a_mirrored_example_has_the_mirrored_action() -> None:
    state = played("sense e7", "e2e4", "sense e2", "e7e5", "sense d7")
    words = compute_synopsis(RbcBoardSet.of([state], 0), SynopsisContext(moving=True))
    planes = unpack_synopses(torch.from_numpy(words.view(np.int64))[None]).repeat(2, 1, 1, 1)
    bishop = torch.tensor([64 + 64 * 5 + 26] * 2)  # f1c4
    zero = torch.zeros(2, 2)
    batch = SynopsisBatch(planes, ActionMask()(planes), bishop, zero[0], zero, zero)
    found = mirror(batch, torch.tensor([False, True]))
    assert found.actions.tolist() == [64 + 64 * 5 + 26, 64 + 64 * 2 + 29]
    assert found.mask.gather(1, found.actions[:, None]).all()
    assert found.mask[0].sum() == found.mask[1].sum()
    assert torch.equal(found.planes[1, 10:], planes[1, 10:].flip(2))
    assert torch.equal(found.planes[:, :10], planes[:, :10])
    assert torch.equal(found.planes[0], planes[0])


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


@pytest.mark.parametrize(
    ("opponent", "headset"), [("genetic", "Top"), ("Zugzwang", "All"), ("trout", "trout"), ("Marmot", "Top")]
)
def test_a_headset_that_is_worse_than_another_gives_way_to_it(opponent: str, headset: str) -> None:
    settings: dict[str, float | int | str] = {"replaced": "genetic=Top,Zugzwang=All,Marmot=none"}
    card = ModelCard("rbc-small", "rbc", "synopsis", "", 0, "", settings=settings)
    headsets = ["All", "Top", "trout", "genetic", "Zugzwang", "Marmot"]
    assert recognise(opponent, headsets, replaced_headsets(card)) == headset
    assert replaced_headsets(ModelCard("other", "rbc", "synopsis", "", 0, "")) == {}
