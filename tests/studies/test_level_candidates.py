"""Candidates for the player of a level."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from sparring.base.errors import UserError
from sparring.cli.arguments import whole_numbers
from sparring.games import load_game
from sparring.networks import Position, Prediction
from studies.levels.candidates import TEMPERATURES, candidate_row, candidate_table, mixture, people_row
from studies.levels.position_commands import level_candidates
from studies.levels.positions import PEOPLE, GamePosition


class FirstMove:
    """A policy with this probability of the first legal move and this value."""

    game = "chess"

    def __init__(self, name: str, share: float, value: float) -> None:
        self.name, self._share, self._value = name, share, value

    def predict(self, positions: Sequence[Position]) -> list[Prediction]:
        found = []
        for position in positions:
            moves = position.state.legal_moves()
            shares = np.full(len(moves), (1 - self._share) / (len(moves) - 1), np.float32)
            shares[0] = self._share
            found.append(Prediction(tuple(moves), shares, self._value, state=position.state))
        return found


def _positions() -> list[GamePosition]:
    scores = np.linspace(0.6, 0.2, 20)
    return [
        GamePosition(PEOPLE, 2000, number, load_game("chess").initial(), 0, scores) for number in range(4)
    ]


@pytest.mark.parametrize("nodes", [0, 6])
def test_colder_candidates_lose_less_if_the_likeliest_move_is_best(nodes: int) -> None:
    row = candidate_row(FirstMove("first", 0.4, 0.0), 2000, nodes, _positions())
    losses = [cell["loss"]["mean"] for cell in row["temperatures"].values()]
    assert len(losses) == len(TEMPERATURES)
    assert losses == sorted(losses, reverse=True)
    assert row["temperatures"]["0.2"]["log_likelihood"]["mean"] == pytest.approx(0, abs=0.01)
    people = people_row(2000, _positions())
    assert people["loss"]["mean"] == 0
    assert "| 2000 | first |" in candidate_table([people], [row])


def test_a_mixture_has_the_values_of_the_human_network_if_it_has_a_share() -> None:
    human, strong = FirstMove("human", 0.2, -0.5), FirstMove("strong", 0.8, 0.5)
    position = [Position(load_game("chess").initial(), 2000)]
    for share, value in ((0.0, -0.5), (0.25, -0.5), (1.0, 0.5)):
        prediction = mixture(human, strong, share).predict(position)[0]
        assert prediction.value == value
        assert prediction.probabilities[0] + 1e-6 >= 0.2
        assert prediction.probabilities[0] <= 0.8 + 1e-6


@pytest.mark.parametrize("text", ["level-blend", "level-blend:", ":80", "level-blend:many"])
def test_a_candidate_without_nodes_is_refused(text: str) -> None:
    with pytest.raises(UserError, match="expected policy:nodes"):
        level_candidates([text])


def test_a_list_of_classes_that_is_no_list_of_numbers_is_refused() -> None:
    assert whole_numbers("1600, 1800,") == [1600, 1800]
    with pytest.raises(UserError, match="strong': expected whole numbers"):
        whole_numbers("1600,strong")
