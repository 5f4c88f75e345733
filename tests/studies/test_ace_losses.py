"""Losses of the tuned classes in positions whose moves are scored."""

from __future__ import annotations

import numpy as np
import pytest

from sparring.games import load_game
from sparring.players import PlayerConfig
from sparring.policies import load_policy
from studies.ace.losses import class_losses
from studies.levels.positions import PEOPLE, GamePosition


def test_a_class_loses_what_its_visited_and_unvisited_moves_lose() -> None:
    states, rng = [load_game("chess").initial()], np.random.default_rng(1)
    for _ in range(3):
        states.append(states[-1].play(int(rng.choice(states[-1].legal_moves()))))
    positions = [
        GamePosition(PEOPLE, 1200 + 400 * (i % 2), i, state, 0, rng.random(len(state.legal_moves())))
        for i, state in enumerate(states)
    ]
    share = 0.3
    player = PlayerConfig("chess", nodes=6, temperature=1.5, unvisited_share=share, play_forced_wins=False)
    rows = class_losses(load_policy("strong", "chess"), {"D": player}, positions)
    assert [row["rating"] for row in rows] == [None, 1200, 1600]
    everything = rows[0]["kinds"][0]
    assert (everything["kind"], everything["positions"]) == ("all", 4)
    visited, unvisited = (everything[f"D, {part}"]["mean"] for part in ("visited", "unvisited"))
    assert everything["D"]["mean"] == pytest.approx((1 - share) * visited + share * unvisited)
    assert 1 <= everything["D, moves"]["mean"] <= 6
