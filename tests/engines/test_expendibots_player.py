from __future__ import annotations

import gc
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import pairwise
from multiprocessing import get_context

import pytest

from bench.course_referee import Report, referee
from sparring.expendibots import referee as expendibots
from sparring.expendibots.log import read_logs
from sparring.expendibots.referee import RefereePlayer
from tests.reference.expendibots import Action, ReferenceGame


class Simple:
    """Takes the first or the last of the actions, as a player under the referee."""

    def __init__(self, colour: str) -> None:
        self.colour = colour
        self.game = ReferenceGame()
        self.heard: list[tuple[str, Action]] = []

    def action(self) -> Action:
        return self.game.actions()[-1]

    def update(self, colour: str, action: Action) -> None:
        self.heard.append((colour, action))
        self.game.play(action)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(expendibots, "_LONGEST", 0.01)
    gc.freeze()  # the referee collects garbage before every call, which is slow with much loaded
    yield
    gc.unfreeze()


def under_limits(colour: str) -> Report:
    """A game of the agent with this colour, in a process of its own: the limit is on a process's peak."""
    with ProcessPoolExecutor(1, get_context("spawn")) as other:
        return other.submit(_under_limits, colour).result()


def _under_limits(colour: str) -> Report:
    expendibots._LONGEST = 0.01
    makers = (RefereePlayer, Simple) if colour == "white" else (Simple, RefereePlayer)
    return referee(makers, seconds=60, megabytes=100)


def test_it_wins_with_black_under_the_referees_limits() -> None:
    assert under_limits("black").ending == "winner: black"


def test_it_wins_with_white_and_the_log_is_read_back() -> None:
    report = under_limits("white")
    assert report.ending == "winner: white"
    assert report.log[0].startswith("[game ] - Start game log at ")
    assert report.log[1].startswith("[white] - MOVE ")
    found = list(read_logs(["\n".join(report.log).encode() + b"\n"]))
    assert [each.record.result for each in found if each.record is not None] == [1.0]


def test_an_illegal_action_ends_a_game() -> None:
    class Wrong(Simple):
        def action(self) -> Action:
            return ("BOOM", (2, 2))

    report = referee((Simple, Wrong))
    assert report.ending == "illegal action detected (black): ('BOOM', (2, 2))."


def test_too_much_time_ends_a_game() -> None:
    assert referee((Simple, Simple), seconds=0.0).ending == "resource limit exceeded!"


def test_time_is_never_used_up() -> None:
    player = RefereePlayer("white")
    for _ in range(250):
        allowed = player.next_move_time()
        assert allowed > 0
        player._spent += allowed
    assert player._spent < expendibots.SECONDS


def test_it_spends_less_the_less_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expendibots, "_LONGEST", 3.0)
    player = RefereePlayer("black")
    allowances = []
    for spent in (0.0, 20.0, 40.0, 59.0):
        player._spent = spent
        allowances.append(player.next_move_time())
    assert all(later < earlier for earlier, later in pairwise(allowances))


def test_colours_are_checked() -> None:
    with pytest.raises(ValueError, match="white or black, not 'red'"):
        RefereePlayer("red")
    with pytest.raises(ValueError, match="it is white's turn, not black's"):
        RefereePlayer("white").update("black", ("BOOM", (0, 7)))
