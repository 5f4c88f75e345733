"""A game in progress: what its clock does when moves are taken back, and while both count."""

from __future__ import annotations

from typing import Any

import pytest

from sparring.base.clock import Clock, TimeControl
from sparring.games import load_game
from sparring.play.game import LiveGame, NotAllowed, StoredMove
from sparring.play.match import play_game
from sparring.play.result import GameResult
from sparring.players import Decision, Player, RandomPlayer, Turn
from sparring.records.record import Termination


class First(Player):
    """Plays the first legal move, and counts its games."""

    def choose(self, turn: Turn) -> Decision:
        return Decision(turn.legal_moves[0])


def played(control: TimeControl, *seconds: float) -> LiveGame:
    """A game of chess in which the person has made moves that took so long."""
    game = LiveGame(load_game("chess"), {1: First()}, person=0, clock=control)
    game.start_players()
    for spent in seconds:
        game.clock._before, game.clock._began = spent, None
        game.play(game.rules.move_text(game.states[-1], game.rules.legal_moves(game.states[-1])[0]))
        pending = game.pending_turn()
        assert pending is not None
        game.accept(pending, game.decide(pending), 0.0)
    return game


@pytest.mark.parametrize(
    ("control", "seconds"),
    [
        (TimeControl(100, moves=2, margin=0), (30, 10, 5)),
        (TimeControl(10, byoyomi=30, periods=3, margin=0), (45, 40, 5)),
        (TimeControl(10, byoyomi=60, byoyomi_moves=4, margin=0), (12, 20, 5)),
    ],
    ids=["session", "byo-yomi", "Canadian"],
)
def test_taking_back_restores_the_whole_clock(control: TimeControl, seconds: tuple[float, ...]) -> None:
    before, after = played(control, *seconds[:2]), played(control, *seconds)
    after.take_back()
    assert after.clock.snapshot() == before.clock.snapshot()
    assert after.clock.allowed(0) == before.clock.allowed(0)


def test_a_decision_for_an_earlier_state_is_not_played() -> None:
    game = LiveGame(load_game("chess"), {1: First()}, person=0)
    game.start_players()
    game.play("e4")
    pending = game.pending_turn()
    assert pending is not None
    decision = game.decide(pending)
    game.take_back()
    assert not game.accept(pending, decision)
    assert not game.moves


@pytest.mark.parametrize(
    ("control", "seconds"),
    [
        (TimeControl(100, moves=3, margin=0), (30, 10)),
        (TimeControl(10, byoyomi=30, periods=3, margin=0), (45, 40)),
        (TimeControl(10, byoyomi=60, byoyomi_moves=4, margin=0), (12, 20)),
    ],
    ids=["session", "byo-yomi", "Canadian"],
)
def test_a_continued_game_has_its_whole_clock(control: TimeControl, seconds: tuple[float, ...]) -> None:
    before = played(control, *seconds)
    moves = [StoredMove(move.text, move.left, move.offers_draw, move.clocks) for move in before.moves]
    after = LiveGame(before.rules, {1: First()}, person=0, clock=control)
    after.continue_with(moves)
    assert after.clock.snapshot() == before.clock.snapshot()
    after.take_back()
    before.take_back()
    assert after.clock.snapshot() == before.clock.snapshot()


def test_a_session_goes_on_after_taking_back() -> None:
    game = played(TimeControl(100, moves=2, margin=0), 30)
    game.take_back()
    assert game.clock.clock(0) == Clock(100, moves_to_go=2)


def test_a_clock_that_ran_out_shows_no_time() -> None:
    game = played(TimeControl(10, margin=0))
    game.clock._before, game.clock._began = 11.0, None
    game.play("e4")
    assert game.end is not None
    assert (game.end.reason, game.clock.left[0]) == ("time forfeit", 0.0)


@pytest.mark.parametrize(
    ("position", "score"),
    [
        ("8/3P2k1/8/8/8/8/5PPK/8 w - - 0 1", 0.5),  # a bare king
        ("8/3P2k1/8/6n1/8/8/5PPK/8 w - - 0 1", 0.0),  # a knight can mate a king behind its pawns
        ("8/6k1/8/6n1/8/8/6QK/8 w - - 0 1", 0.5),
        ("8/6k1/8/6r1/8/8/6QK/8 w - - 0 1", 0.0),
    ],
)
def test_time_that_runs_out_loses_only_against_a_side_that_can_win(position: str, score: float) -> None:
    rules = load_game("chess")
    game = LiveGame(
        rules, {1: First()}, person=0, clock=TimeControl(10, margin=0), start=rules.parse(position)
    )
    game.start_players()
    game.clock._before, game.clock._began = 11.0, None
    game.play("Kh1")
    assert game.end == GameResult(score, "time forfeit")
    assert game.end.termination is Termination.TIME
    assert ("a draw" in game.message) == (score == 0.5)


class Passes(Player):
    """Passes in Go."""

    def choose(self, turn: Turn) -> Decision:
        return Decision(turn.legal_moves[-1])


def test_nobody_loses_on_time_while_both_count() -> None:
    rules = load_game("go", size=5)
    game = LiveGame(rules, {1: Passes()}, person=0, clock=TimeControl(60, margin=0))
    game.start_players()
    game.play("pass")
    pending = game.pending_turn()
    assert pending is not None
    game.accept(pending, game.decide(pending), 0.0)
    assert game.phase == "counting"
    game.clock._before = 1e6
    game.clock.start()
    game.check_flag()
    assert game.phase == "counting"
    game.agree()
    assert game.end is not None
    assert game.end.reason == "score"
    with pytest.raises(NotAllowed, match="over"):
        game.resign()


def test_a_player_that_returns_nothing_loses() -> None:
    class Nothing(Player):
        def choose(self, turn: Turn) -> Any:
            return None

    result = play_game("breakthrough", Nothing(), RandomPlayer(), seed=1)
    assert (result.score(0), result.detail) == (0.0, "choose returned NoneType")


def test_a_start_of_another_game_is_refused() -> None:
    with pytest.raises(ValueError, match="is not a state of breakthrough"):
        play_game("breakthrough", RandomPlayer(), RandomPlayer(), start=load_game("chess").initial())
