"""The shipped synopsis network: its card, its size, and what it predicts at the start of a game."""

from __future__ import annotations

import numpy as np
import onnxruntime
import pytest

from sparring import data
from sparring._core import RbcBoardSet, RbcState
from sparring.networks.card import read_card_from_file
from sparring.rbc.game import NO_SENSE
from sparring.rbc.synopsis import (
    ACTIONS,
    SynopsisContext,
    action_index,
    compute_synopsis,
    headsets_of,
    unpack_planes,
)

NAMES = data.names("synopsis_networks")


@pytest.mark.parametrize("name", NAMES)
def test_the_network_is_small_and_has_a_licence(name: str) -> None:
    path = data.path("synopsis_networks", name)
    card = read_card_from_file(path)
    assert path.stat().st_size < 15_000_000
    assert card.licence == "GPL-3.0-or-later"
    assert headsets_of(card)[:2] == ("All", "Top")


@pytest.mark.parametrize("name", NAMES)
def test_every_headset_predicts_actions_and_values(name: str) -> None:
    path = data.path("synopsis_networks", name)
    session = onnxruntime.InferenceSession(path)
    start = RbcState.initial()
    for state in (start, start.play(NO_SENSE)):
        words = compute_synopsis(RbcBoardSet.of([state], 0), SynopsisContext(moving=not state.sensing))
        planes = unpack_planes(words)[None]
        possible = [action_index(move, 0) for move in state.legal_moves() if move != NO_SENSE]
        for headset in headsets_of(read_card_from_file(path)):
            policy, value = session.run([f"policy_{headset}", f"value_{headset}"], {"planes": planes})
            assert policy.shape == (1, ACTIONS)
            assert value.shape == (1, 1)
            assert -1 <= value[0, 0] <= 1
            assert np.isfinite(policy[0, possible]).all()


def test_the_policy_of_strong_players_opens_like_them() -> None:
    """Strong players open with a pawn or a knight, and none passes."""
    state = RbcState.initial().play(NO_SENSE)
    words = compute_synopsis(RbcBoardSet.of([state], 0), SynopsisContext(moving=True))
    session = onnxruntime.InferenceSession(data.path("synopsis_networks", "rbc-small"))
    logits = session.run(["policy_Top"], {"planes": unpack_planes(words)[None]})[0][0]
    moves = {action_index(move, 0): state.move_text(move) for move in state.legal_moves()}
    likely = sorted((move for move in moves if move is not None), key=lambda action: -logits[action])[:5]
    assert {moves[action] for action in likely} & {"e2e4", "d2d4", "g1f3", "c2c4", "b1c3", "e2e3"}
    assert "pass" not in {moves[action] for action in likely}
