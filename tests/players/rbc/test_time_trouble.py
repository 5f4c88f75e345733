"""Bots in time trouble: the cost of a turn falls with the time that is left, and above it nothing changes."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import pytest

from sparring._core import RbcBoardSet
from sparring.players import Clock, GameStart, Player, SearchLimits, Turn
from sparring.rbc.bots import BOTS, InferenceBot, make_bot
from sparring.rbc.evaluators import BoardEvaluations, NativeEvaluator
from sparring.rbc.game import NO_SENSE, PASS, OpponentMoveResult, OpponentSense, Rbc
from sparring.rbc.knowledge import allot_budget
from sparring.rbc.planner import PlannerBot
from sparring.rbc.tracker import ResampledSet, Tracker, TrackerOptions
from tests.players.rbc.planner_factories import UniformEvaluator


@pytest.fixture
def ticking_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every look at the clock takes 2 ms: games with a clock are the same on every machine."""
    ticks = itertools.count()
    monkeypatch.setattr("time.perf_counter", lambda: 0.002 * next(ticks))
    monkeypatch.setattr("time.process_time", lambda: 0.002 * next(ticks))


def make(kind: str, boards: int = 2_000) -> Player:
    """A bot of the shipped configuration, with fewer boards and without a network."""
    shipped = BOTS[kind]
    small = replace(shipped, boards=boards, sense_boards=12, move_boards=24, depth=2, threads=1)
    made = make_bot(replace(small, planner=replace(shipped.planner, playouts=24, particles=32)))
    if isinstance(made, PlannerBot):
        made.evaluator = UniformEvaluator()
    return made


def play(made: Player, player: int, seconds: float | None, turns: int = 8) -> list[str]:
    """The bot's actions against an opponent without a clock; its own clock always shows `seconds`."""
    limits = SearchLimits() if seconds is None else SearchLimits(clock=Clock(seconds, 0.0))
    rules, opponent = Rbc(), make_bot(BOTS["inference-1"])
    state, chosen = rules.initial(), []
    players = [made, opponent] if player == 0 else [opponent, made]
    for side, each in enumerate(players):
        each.new_game(GameStart(rules, side, seed=11))
    while state.outcome is None and state.ply < 4 * turns:
        own = state.to_move == player
        turn = Turn(None, state.legal_moves(), limits if own else SearchLimits())
        move = players[state.to_move].choose(turn).move
        if own:
            chosen.append(rules.move_text(state, move))
        before, state = state, state.play(move)
        for side, each in enumerate(players):
            observation = rules.observe(before, side, move)
            if state.outcome is None and not isinstance(observation, OpponentSense):
                each.observe(observation)
    return chosen


@pytest.mark.usefixtures("ticking_clock")
@pytest.mark.parametrize(
    ("kind", "player", "seconds", "actions"),
    [
        ("inference", 0, None, "?none b1c3 ?b6 g1f3 ?c5 d2d4 ?f7 c1f4 ?c7 f4d2 ?g7 d4e5 ?b7 g2h3 ?e6 h2h4"),
        ("inference", 0, 2.1, "?none b1c3 ?b6 g1f3 ?c7 d2d4 ?f7 c1f4 ?d5 f4e3 ?g7 f3e5 ?b7 c2d3 ?g7 d1c2"),
        ("inference", 1, None, "?c2 b8c6 ?b2 g8f6 ?e3 a7a5 ?b4 d7d5 ?e4 d5d4 ?b2 c8e6 ?g2 h7g6 ?b2 f7e6"),
        ("inference", 1, 2.1, "?c2 b8c6 ?e4 g8f6 ?d4 d7d5 ?g2 c8f5 ?b4 d5e4 ?g2 d5e4 ?c2 f6e4 ?f2 c6b4"),
        ("planner", 0, None, "?none g1f3 ?g6 b1c3 ?d7 a2a4 ?g7 h2h4 ?b7 d2d4 ?g7 d4d5 ?f5 c1f4 ?c7 h4g5"),
        ("planner", 0, 2.1, "?none g1f3 ?g6 b1c3 ?d7 d2d4 ?g7 c1g5 ?d7 d4d5 ?g7 d5c6 ?b7 d1d4 ?b6 d4h4"),
        ("planner", 1, None, "?f2 b8c6 ?c2 g8f6 ?e4 a7a5 ?c4 h7h5 ?f2 d7d5 ?b2 e7d6 ?b4 c7d6 ?d5 c6d4"),
        ("planner", 1, 2.1, "?f2 b8c6 ?b2 g8f6 ?d3 d7d5 ?f3 d5d4 ?b2 c8e6 ?g4 a7a5 ?c2 f6e4 ?d2 d8d5"),
    ],
)  # fmt: skip
def test_play_outside_of_time_trouble_has_not_changed(
    kind: str, player: int, seconds: float | None, actions: str
) -> None:
    """The actions are those of commit ea7264c5, before budgets shrank below two seconds; those of the planner
    with a clock are later, because it plans its time by another rule."""
    assert " ".join(play(make(kind), player, seconds)).replace("sense ", "?") == actions


class Counting(NativeEvaluator):
    """Notes the boards and the depth of each evaluation."""

    def __init__(self, depth: int) -> None:
        super().__init__(depth)
        self.depth = depth
        self.asked: list[tuple[int, int]] = []

    def evaluate(self, boards: RbcBoardSet, extra_depth: int = 0) -> BoardEvaluations:
        self.asked.append((len(boards), max(self.depth + extra_depth, 1)))
        return super().evaluate(boards, extra_depth)


@pytest.mark.usefixtures("ticking_clock")
@pytest.mark.parametrize("kind", ["inference", "planner"])
@pytest.mark.parametrize(
    ("seconds", "boards", "depth"),
    [(1.5, 7, 3), (0.7, 7, 2), (0.3, 7, 1), (0.05, 3, 1), (0.02, 2, 1), (0.0, 0, 0)],
)
def test_a_decision_evaluates_fewer_boards_less_deep_with_less_time(
    kind: str, seconds: float, boards: int, depth: int
) -> None:
    made = make(kind, boards=100_000)
    assert isinstance(made, InferenceBot | PlannerBot)
    knowledge = made.knowledge
    knowledge.evaluator = counting = Counting(3)
    actions = play(made, 1, seconds, turns=4)
    assert len(actions) == 8
    assert len(counting.asked) <= len(actions)
    assert bool(counting.asked) == bool(boards)
    assert all(asked <= boards and deep == depth for asked, deep in counting.asked)
    assert knowledge.tracker.options.limit <= max(2_500 * seconds, 50)
    assert len(knowledge.tracker.boards) <= max(2_500 * seconds, 50)


def test_the_budget_falls_with_the_time_left() -> None:
    clocks = [100.0, 10.0, 2.0, 1.99, 1.0, 0.5, 0.1, 0.05, 0.01, 0.001, 0.0, -1.0]
    budgets = [allot_budget(seconds) for seconds in clocks]
    for more, less in itertools.pairwise(budgets):
        assert (more.tracked or 0) >= (less.tracked or 0)
        assert more.evaluated >= less.evaluated
        assert more.depth_reduction <= less.depth_reduction
        assert more.resampling_seconds >= less.resampling_seconds
    assert budgets[-1].evaluated == 0


def test_a_large_set_is_cut_before_it_costs_what_is_left() -> None:
    made = make("inference", boards=10**6)
    assert isinstance(made, InferenceBot)
    play(made, 1, 100.0, turns=3)
    made.observe(OpponentMoveResult(None))
    assert len(made.knowledge.tracker.boards) > 250
    made.knowledge.follow_clock(Clock(0.1, 0.0))
    assert len(made.knowledge.tracker.boards) <= 250
    assert not made.knowledge.tracker.exact


@pytest.mark.usefixtures("ticking_clock")
def test_the_belief_is_dropped_in_time_trouble_and_begins_anew_with_more_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = make("planner")
    assert isinstance(made, PlannerBot)
    drawn: list[float | None] = []
    draw = made.draw_belief

    def noted(ends: float | None = None) -> None:
        drawn.append(ends)
        draw(ends)

    monkeypatch.setattr(made, "draw_belief", noted)
    play(made, 1, 0.3, turns=2)
    assert not drawn
    made.observe(OpponentMoveResult(None))
    planner, state = made.planner, Rbc().initial().play(NO_SENSE).play(PASS)
    for seconds in (0.3, 5.0):
        limits = SearchLimits(clock=Clock(seconds, 0.0))
        assert made.hint(Turn(None, state.legal_moves(), limits)).move in state.legal_moves()
        assert made.planner is planner  # a hint changes nothing
        made.choose(Turn(None, state.legal_moves(), limits))
    assert made.planner is not planner
    assert drawn


@pytest.mark.parametrize("seconds", [float("inf"), 0.0])
def test_resampling_after_a_contradiction_ends_in_time(
    seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticks = itertools.count()
    monkeypatch.setattr("time.perf_counter", lambda: next(ticks))
    options = TrackerOptions(limit=5, repair=True, repaired=2, resampling_seconds=seconds)
    tracker = Tracker(0, options)
    attempts: list[ResampledSet | None] = []
    resample = tracker._resample

    def noted(*arguments: Any) -> ResampledSet | None:
        attempts.append(resample(*arguments))
        return attempts[-1]

    monkeypatch.setattr(tracker, "_resample", noted)
    for _ in range(3):
        tracker.sensed(())
        tracker.moved(PASS, None, None)
        tracker.opponent_moved(None)
    tracker.sensed(((27, "k"),))  # none of the five boards has the king there
    assert attempts == ([None] * 32 if seconds else [])
    assert len(tracker.boards) <= 2
    assert tracker.updates[-1].note.endswith("changed to fit")
