"""Who is ahead in Go and who will own each point, when asked."""

from __future__ import annotations

import numpy as np
import pytest

from sparring._core import GoState
from sparring.go import counting
from sparring.go.counting import GoCounting
from sparring.go.game import Go
from sparring.networks import Prediction
from tests.players.test_go_dead_stones import SEKI, SEKI_WITH_EYES, TWO_SIDES, points

OPEN = TWO_SIDES.replace(" 2 7.5", " 0 7.5")


def predicts(monkeypatch: pytest.MonkeyPatch, lead: float, ownership: float) -> None:
    """The network sees this lead of the side to move, and the same ownership everywhere."""

    def prediction(state: GoState, rank: object = None) -> Prediction:
        owners = np.full(state.size**2, ownership, np.float32)
        return Prediction((), np.ones(0, np.float32), lead=lead, ownership=owners)

    monkeypatch.setattr(counting, "people_prediction", prediction)
    monkeypatch.setattr(counting, "ownership_of", lambda state, prediction: prediction.ownership)


@pytest.mark.parametrize("side", "bw")
def test_the_network_counts_a_settled_board(side: str) -> None:
    state = Go(size=9).parse(OPEN.replace(" b ", f" {side} "))
    black, white = state.score(points("G8 A7 B4"))
    estimate = GoCounting.estimate(state)
    assert estimate.lead == pytest.approx(black - white, abs=2.5)
    assert str(estimate.text).startswith("White leads by about ")
    assert "network" in estimate.note
    assert not estimate.counted
    assert (estimate.owners[:, :3] > 0.5).all(), "the left side is Black's, with White's dead stones"
    assert (estimate.owners[:, 5:] < -0.5).all()


@pytest.mark.parametrize(
    ("lead", "side", "text"),
    [
        (6.4, "w", "White leads by about 6.5 points."),
        (6.4, "b", "Black leads by about 6.5 points."),
        (-1.1, "w", "Black leads by about 1 point."),
        (0.2, "b", "The score is about even."),
    ],
)
def test_a_lead_is_said_to_half_a_point_with_its_side(
    lead: float, side: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    predicts(monkeypatch, lead, 0.0)
    state = Go().parse("/".join(["19"] * 19) + f" {side} - 0 0 0 7.5")
    assert GoCounting.estimate(state).text == text


def test_on_small_boards_the_side_to_move_gets_what_the_network_misses(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for size, missed in ((7, 5.7), (9, 5.7), (13, 3.5), (19, 0.0)):
        predicts(monkeypatch, 0.0, 0.0)
        assert GoCounting.estimate(Go(size=size).initial()).lead == pytest.approx(missed)
        predicts(monkeypatch, 0.0, 1.0)
        assert GoCounting.estimate(Go(size=size).initial()).lead == 0, "nothing is open"


def test_after_two_passes_it_is_the_score_with_the_dead_stones() -> None:
    state = Go(size=9).parse(TWO_SIDES)
    proposed = GoCounting.estimate(state)
    assert GoCounting.propose(state, None) == set(points("G8 A7 B4"))
    assert (proposed.lead, proposed.counted, proposed.note) == (-16.5, True, "")
    assert "White wins by 16.5." in proposed.text
    assert "you win by 16.5." in GoCounting.estimate(state, person=1).text
    assert set(np.unique(proposed.owners[:, 4:])) == {-1.0}, "the dead stones too"
    corrected = GoCounting.estimate(state, set(points("G8")))
    assert corrected.lead != proposed.lead
    assert corrected.owners[9 - 5, 1] == 0, "beside a white stone that is alive now"


def test_points_between_both_sides_are_nobodys() -> None:
    state = Go(size=5).parse("2X1O/2X1O/2X1O/2X1O/2X1O b - 0 0 2 0.5")
    owners = GoCounting.estimate(state, set()).owners
    assert owners[0].tolist() == [1, 1, 1, 0, -1]


def test_a_package_without_the_network_plays_random_games_and_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(counting, "DEFAULT_RATING", {})
    estimate = GoCounting.estimate(Go(size=9).parse(OPEN))
    assert estimate.note.startswith("A rough estimate by random games, often 10 points off: this package has")
    assert estimate.lead < 0
    assert estimate.owners.shape == (9, 9)
    assert GoCounting.propose(Go(size=9).parse(TWO_SIDES), None) == set(points("G8 A7 B4"))


@pytest.mark.parametrize("scoring", ["", " territory"])
def test_random_games_count_by_the_rules_of_the_game(scoring: str) -> None:
    """White has five stones more on the board, each of which cost a point where territory is counted."""
    state = Go().parse(f"X1X1X/XXXXX/OOOOO/OOOOO/O1O1O b - 0 0 0 0.5{scoring}")
    black, white = state.score()
    assert black - white == (-0.5 if scoring else -5.5)
    assert counting.playout_estimate(state).lead == pytest.approx(black - white, abs=0.5)


@pytest.mark.parametrize("text", [SEKI, SEKI_WITH_EYES])
@pytest.mark.parametrize("side", "bw")
def test_stones_in_seki_are_not_proposed_although_the_network_gives_them_away(text: str, side: str) -> None:
    assert GoCounting.propose(Go(size=9).parse(text.replace(" b ", f" {side} ")), None) == set()


def test_the_board_is_marked_with_territory_and_dead_stones() -> None:
    state = Go(size=9).parse(OPEN)
    lines = str(GoCounting.territory(state, GoCounting.estimate(state))).splitlines()
    assert lines[2] == "8 b b b X O w x w w 8"
    assert lines[3].startswith("7 o b b X O ")
