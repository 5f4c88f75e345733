"""Repair: trackers continue after contradictory observations."""

from __future__ import annotations

import random

import chess
import pytest

from sparring._core import RbcState
from sparring.rbc.game import MoveResult, Observation, OpponentMoveResult, OpponentSense, Rbc, SenseResult
from sparring.rbc.tracker import Contradiction, Tracker, TrackerOptions, replay
from tests.belief.games import random_game

REPAIRING = TrackerOptions(repair=True)


def move(text: str) -> int:
    return RbcState.initial().parse_move(text)


def test_a_capture_that_no_piece_could_make_brings_the_nearest() -> None:
    tracker = Tracker(0, REPAIRING)
    tracker.sensed([])
    tracker.moved(move("e2e4"), move("e2e4"), None)
    change = tracker.opponent_moved(chess.E4)
    assert "none of the 1 possible boards fits a capture on e4; 1 boards were changed to fit" in change.note
    assert not tracker.exact
    known_pieces = tracker.boards.known_pieces()
    assert known_pieces[chess.E4] == "p"
    assert known_pieces[chess.E7] is None
    tracker.sensed([(chess.E4, "p")])
    tracker.moved(move("d2d3"), move("d2d3"), None)
    assert tracker.opponent_moved(None).after > 20


def test_a_sense_that_shows_the_impossible_is_believed() -> None:
    tracker = Tracker(0, REPAIRING)
    seen = [(chess.E7, None), (chess.E8, "q"), (chess.D4, "k"), (chess.A7, "p")]
    change = tracker.sensed(seen)
    assert "changed to fit" in change.note
    known_pieces = tracker.boards.known_pieces()
    assert [known_pieces[square] for square, _ in seen] == [None, "q", "k", "p"]
    assert known_pieces.count("k") == known_pieces.count("q") == 1
    assert known_pieces.count("p") == 8


def test_the_players_own_pieces_are_not_made_to_fit() -> None:
    tracker = Tracker(0, REPAIRING)
    with pytest.raises(Contradiction, match="the result of the sense"):
        tracker.sensed([(chess.E2, None)])
    assert tracker.sensed([]).after == 1
    with pytest.raises(Contradiction, match="the result of the move"):
        tracker.moved(move("e4e5"), move("e4e5"), None)


def test_a_move_that_could_not_be_made_or_stopped_is_believed() -> None:
    start = Rbc().parse("3qk3/8/8/8/4p3/8/8/4RK2 w - - 0 1")
    through = Tracker(0, REPAIRING, start)
    through.sensed([])
    assert "changed to fit" in through.moved(move("e1e7"), move("e1e7"), None).note
    assert through.boards.known_pieces()[chess.E7] == "R"
    through.opponent_moved(None)

    stopped = Tracker(0, REPAIRING, start)
    stopped.sensed([])
    assert "changed to fit" in stopped.moved(move("e1e7"), move("e1e3"), chess.E3).note
    assert stopped.boards.known_pieces()[chess.E3] == "R"
    assert stopped.boards.known_pieces().count("p") == 0
    stopped.opponent_moved(None)


def test_a_king_that_seemed_taken_is_back_when_the_game_goes_on() -> None:
    tracker = Tracker(0, REPAIRING, Rbc().parse("4k3/8/8/8/8/8/4R3/4K3 w - - 0 1"))
    tracker.sensed([])
    tracker.moved(move("e2e8"), move("e2e8"), chess.E8)
    assert "changed to fit" in tracker.opponent_moved(None).note
    assert tracker.boards.known_pieces().count("k") == 1


def wrong(observation: Observation, player: int, own: set[int], rng: random.Random) -> Observation:
    """Falsifies the opponent's pieces in some senses."""
    if not isinstance(observation, SenseResult) or rng.random() < 0.7:
        return observation
    pieces = "NBRQ" if player else "nbrq"
    shown = [
        (square, piece if square in own or piece in ("k", "K") else rng.choice([*pieces, None, None, None]))
        for square, piece in observation.pieces
    ]
    return SenseResult(tuple(shown))


@pytest.mark.parametrize("player", [0, 1])
def test_trackers_survive_whole_games_of_false_observations(player: int) -> None:
    repairs = 0
    for seed in range(3):
        rng, rules = random.Random(seed), Rbc()
        tracker = Tracker(player, TrackerOptions(limit=200, threads=1, seed=seed, repair=True))
        line, repaired = [random_game(seed, 15)], False
        while (before := line[-1].previous) is not None:
            line.append(before)
        for state, after in zip(line[::-1], line[-2::-1], strict=False):
            assert after.last_move is not None
            seen = rules.observe(state, player, after.last_move)
            if isinstance(seen, OpponentSense):
                continue
            own = {square for square, _ in tracker.boards.own_pieces}
            change = tracker.observe(wrong(seen, player, own, rng))
            assert change is not None
            repairs += "changed to fit" in change.note
            repaired = repaired or "changed to fit" in change.note
            assert len(tracker.boards)
            assert not (repaired and tracker.exact)
    assert repairs > 5


def test_samples_that_cannot_be_drawn_anew_are_repaired() -> None:
    for seed in range(8):
        tracker = Tracker(seed % 2, TrackerOptions(limit=4, threads=1, seed=seed, repair=True))
        events = [type(step.observation) for step in replay(random_game(seed, 20), tracker)]
        assert events.count(MoveResult) >= tracker.turns - 1
        assert OpponentMoveResult in events
