"""The estimated score of a game of Go in a tab is that of the program."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sparring.go.counting import GoCounting
from sparring.go.game import Go
from tests.browser.test_tab_reviews import answers
from tests.players.test_go_dead_stones import SEKI, TWO_SIDES

OPEN = TWO_SIDES.replace(" 2 7.5", " 0 7.5")
EMPTY = "/".join(["13"] * 13) + " b - 0 0 0 6.5"
OPPONENT = {"kind": "strength", "strength": 1}


@pytest.mark.parametrize("text", [OPEN, OPEN.replace(" b ", " w "), f"{OPEN} territory tax-seki", EMPTY])
def test_an_estimate_is_that_of_the_program(site: Path, text: str) -> None:
    wanted = {"game": "go", "you": 0, "position": text, "opponent": OPPONENT}
    begun, tab = answers(["POST", "/games", wanted], ["GET", "/games/LAST/score/0"])
    assert begun["traits"]["points"]
    estimate = GoCounting.estimate(Go().parse(text))
    assert tab["lead"] == pytest.approx(estimate.lead, abs=0.2)
    assert tab["text"]["text"] == estimate.text
    assert tab["note"]["text"] == estimate.note
    np.testing.assert_allclose(tab["owners"], estimate.owners, atol=0.03)


@pytest.mark.parametrize("text", [TWO_SIDES, SEKI])
def test_after_two_passes_it_is_the_score_with_the_dead_stones_of_the_network(site: Path, text: str) -> None:
    state = Go().parse(text)
    before = text.replace(" 2 7.5", " 1 7.5")
    wanted = {"game": "go", "you": 0, "position": before, "opponent": OPPONENT}
    _, passed, tab, missing = answers(
        ["POST", "/games", wanted],
        ["POST", "/games/LAST/moves", {"move": "pass", "ply": 0}],
        ["GET", "/games/LAST/score/1"],
        ["GET", "/games/LAST/score/2"],
    )
    dead = GoCounting.propose(state, None)
    assert passed["counting"]["dead"] == [state.move_text(point) for point in sorted(dead)]
    estimate = GoCounting.estimate(state, person=0)
    assert (tab["lead"], tab["text"]["text"], tab["counted"]) == (estimate.lead, estimate.text, True)
    np.testing.assert_array_equal(tab["owners"], estimate.owners)
    assert "refusal" in missing


def test_a_game_without_points_has_no_score(site: Path) -> None:
    _, tab = answers(
        ["POST", "/games", {"game": "chess", "you": 0, "opponent": OPPONENT}], ["GET", "/games/LAST/score/0"]
    )
    assert tab == {"refusal": "In Chess no points are counted."}
