"""The planner as a bot: whole games, clocks, ratings, broken observations."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from threading import Event, Timer
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from sparring._core import RbcBoardSet, RbcState
from sparring.base.errors import BadConfig
from sparring.games import Move
from sparring.players import Clock, Decision, GameStart, SearchLimits, Turn
from sparring.rbc.bots import BOTS, load_bot_config, make_bot, with_seconds
from sparring.rbc.evaluators import Evaluations
from sparring.rbc.game import (
    NO_SENSE,
    PASS,
    SENSE,
    MoveResult,
    OpponentMoveResult,
    OpponentSense,
    Rbc,
    SenseResult,
)
from sparring.rbc.knowledge import TIME_TROUBLE_SECONDS
from sparring.rbc.matches import play_rbc_game
from sparring.rbc.planner import PaperVariants, PlannerBot, turn_seconds
from sparring.rbc.synopsis import SynopsisWords
from tests.players.rbc.planner_factories import QUICK, UniformEvaluator, planner_bot


@pytest.mark.parametrize("color", [0, 1])
def test_the_planner_plays_whole_games(color: int) -> None:
    bots = [planner_bot(), make_bot(BOTS["guesser"])]
    seeds = [[5, player] for player in (0, 1)]
    live = play_rbc_game(bots if color == 0 else bots[::-1], seeds, 1, np.random.default_rng(2), 40)
    assert len(live.moves) > 8


def test_the_same_seed_gives_the_same_game_of_the_planner() -> None:
    games = [
        play_rbc_game(
            [planner_bot(), make_bot(BOTS["attacker"])], [[1], [2]], 0, np.random.default_rng(0), 12
        )
        for _ in range(2)
    ]
    assert games[0].states == games[1].states


def test_a_hint_does_not_change_the_game() -> None:
    decisions = []
    for hints in (0, 2):
        made = planner_bot()
        made.new_game(GameStart(Rbc(), 0, seed=4))
        made.observe(OpponentMoveResult(None))
        turn = Turn.of(Rbc().initial().play(NO_SENSE))
        made.observe(SenseResult(()))
        for _ in range(hints):
            made.hint(turn)
        decisions.append(made.choose(turn))
    assert decisions[0] == decisions[1]


SHIPPED = replace(BOTS["planner"].planner, playouts=8, batch=8, particles=24, states=16)


def test_a_hint_of_the_shipped_planner_changes_neither_the_game_nor_its_state() -> None:
    lines: list[list[int]] = []
    for hints in (0, 2):
        made = make_bot(replace(QUICK, planner=SHIPPED))
        assert isinstance(made, PlannerBot)
        made.evaluator = UniformEvaluator()
        made.new_game(GameStart(Rbc(), 1, seed=4))
        state, line = Rbc().initial().play(NO_SENSE).play(PASS), []
        made.observe(OpponentMoveResult(None))
        while state.to_move == 1:
            for _ in range(hints):
                made.hint(Turn.of(state))
            line += [made.choose(Turn.of(state)).move, int(made.knowledge.rng.integers(2**31))]
            observation = Rbc().observe(state, 1, line[-2])
            assert not isinstance(observation, OpponentSense)
            made.observe(observation)
            state = state.play(line[-2])
        lines.append(line)
    assert lines[0] == lines[1]


def test_a_hint_with_a_clock_leaves_the_times_as_they_were() -> None:
    made = make_bot(replace(QUICK, boards=10**6, use_clock=True, planner=SHIPPED))
    assert isinstance(made, PlannerBot)
    made.evaluator = UniformEvaluator()
    made.new_game(GameStart(Rbc(), 0, seed=4))
    made.observe(OpponentMoveResult(None))
    made.observe(SenseResult(()))

    def times() -> tuple[object, ...]:
        tracked = made.knowledge.tracker.options
        own = made.last_search, made._ponder_seconds
        return *own, tracked, made.knowledge._seconds_a_board

    before = times()
    limits = SearchLimits(clock=Clock(12.0, 0.0))
    made.hint(Turn(None, Rbc().initial().play(NO_SENSE).legal_moves(), limits))
    assert times() == before


@pytest.mark.parametrize(("phase", "words"), [("sense", "the king is found"), ("move", "captures the king")])
def test_without_static_analysis_the_root_has_playouts_instead_of_a_certain_win(
    phase: str, words: str
) -> None:
    """The paper's PenumbraSimple: neither the root nor the playouts look for certain wins."""
    fens = ("6k1/8/8/8/8/8/3K4/R5R1 w - - 0 1", "k7/8/8/8/8/8/3K4/R5R1 w - - 0 1")
    states = [RbcState.parse(f"{fen} {phase}") for fen in (fens if phase == "sense" else fens[:1])]
    for static_analysis in (True, False):
        made = planner_bot(paper=PaperVariants(static_analysis=static_analysis))
        made.new_game(GameStart(Rbc(), 0, seed=1))
        known = made.knowledge
        known.tracker = type(known.tracker)(0, known.tracker.options, states[0])
        known.tracker._current = replace(known.tracker._current, boards=RbcBoardSet.of(states, 0))
        made._restart_belief()
        decision = made.choose(Turn(None, states[0].legal_moves()))
        assert (words in decision.reason) == static_analysis
        assert (made.last_search is not None) == (not static_analysis)


def test_the_planner_goes_on_after_contradictory_and_lost_observations() -> None:
    made = planner_bot()
    made.new_game(GameStart(Rbc(), 0, seed=1))
    made.observe(OpponentMoveResult(None))
    senses = [*range(SENSE, SENSE + 64), NO_SENSE]
    assert made.choose(Turn(None, senses)).move in senses
    made.observe(SenseResult(((36, "k"), (37, "q"), (38, None))))  # impossible in the first turn
    moves = Rbc().initial().play(NO_SENSE).legal_moves()
    move = made.choose(Turn(None, moves)).move
    assert move in moves
    made.observe(SenseResult(()))  # out of order: the result of the move was lost
    assert made.choose(Turn(None, moves)).move in moves
    assert made.knowledge.restarts > 0


def test_the_planner_decides_with_an_empty_clock() -> None:
    made = make_bot(replace(QUICK, use_clock=True))
    made.new_game(GameStart(Rbc(), 1, seed=1))
    made.observe(OpponentMoveResult(None))
    senses = [*range(SENSE, SENSE + 64), NO_SENSE]
    for seconds in (0.0, 0.5, 20.0):
        limits = SearchLimits(clock=Clock(seconds, 0.0))
        assert made.choose(Turn(None, senses, limits)).move in senses


def test_the_belief_is_evaluated_even_with_little_time(monkeypatch: pytest.MonkeyPatch) -> None:
    made = make_bot(replace(QUICK, use_clock=True))
    assert isinstance(made, PlannerBot)
    monkeypatch.setattr("time.perf_counter", lambda: 0.0)  # time stands still: whatever is allowed is done
    made.new_game(GameStart(Rbc(), 1, seed=1))
    made.observe(OpponentMoveResult(None))
    allowed: list[float | None] = []
    monkeypatch.setattr(made, "_complete_belief", allowed.append)
    monkeypatch.setattr(made, "_play_out", lambda *_: None)
    senses = [*range(SENSE, SENSE + 64), NO_SENSE]
    for clock in (Clock(1.5, 5.0), Clock(5.0, 0.0), Clock(5.0, 0.5)):
        made.choose(Turn(None, senses, SearchLimits(clock=clock)))  # the inference bot plans no time
    assert allowed == pytest.approx([0.0, 1 / 30, 0.09])


def test_in_time_trouble_the_inference_bot_decides_and_the_belief_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("time.process_time", time.perf_counter)  # as on a machine without other work
    made = make_bot(replace(QUICK, use_clock=True))
    assert isinstance(made, PlannerBot)
    evaluated: list[int] = []

    class Counted(UniformEvaluator):
        def evaluate(self, synopses: Any, opponent: Any) -> Any:
            evaluated.append(len(synopses))
            return super().evaluate(synopses, opponent)

    made.evaluator = Counted()
    made.new_game(GameStart(Rbc(), 0, seed=1))
    state, rules = Rbc().initial(), Rbc()
    made.observe(OpponentMoveResult(None))
    for seconds in (1.0, 1.0, 1.0, 1.0, 5.0):
        limits = SearchLimits(clock=Clock(seconds, 0.0))
        evaluated.clear()
        while state.to_move == 0:
            move = made.choose(Turn(None, state.legal_moves(), limits)).move
            observation = rules.observe(state, 0, move)
            assert not isinstance(observation, OpponentSense)
            made.observe(observation)
            state = state.play(move)
        assert bool(evaluated) == (seconds == 5.0)
        state = state.play(NO_SENSE).play(PASS)
        made.observe(OpponentMoveResult(None))


@pytest.mark.parametrize(("slowdown", "trouble"), [(1.0, False), (4.0, True)])
def test_time_trouble_begins_earlier_on_a_machine_with_other_work(
    slowdown: float, trouble: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = make_bot(replace(QUICK, use_clock=True))
    assert isinstance(made, PlannerBot)
    now = iter(range(10**6))
    monkeypatch.setattr("time.process_time", lambda: 0.5 * next(now))
    wall = iter(range(10**6))
    made.new_game(GameStart(Rbc(), 1, seed=1))
    made.observe(OpponentMoveResult(None))
    senses = [*range(SENSE, SENSE + 64), NO_SENSE]
    monkeypatch.setattr(made, "_choose", lambda _: Decision(NO_SENSE, {NO_SENSE: 1.0}, ""))
    monkeypatch.setattr("time.perf_counter", lambda: 0.5 * slowdown * next(wall))
    for _ in range(9):
        made.choose(Turn(None, senses))
    monkeypatch.undo()
    asked: list[Clock | None] = []
    decision = Decision(NO_SENSE, {NO_SENSE: 1.0}, "")

    def choose(_: Sequence[Move], clock: Clock | None) -> Decision:
        asked.append(clock)
        return decision

    monkeypatch.setattr(made.knowledge, "choose", choose)
    made.choose(Turn(None, senses, SearchLimits(clock=Clock(5.0, 0.0))))
    assert bool(asked) is trouble


@pytest.mark.parametrize(
    ("seconds", "stopped", "pondered"), [(60.0, False, True), (60.0, True, False), (1.0, False, False)]
)
def test_the_belief_is_pondered_until_the_stop_and_with_enough_time(
    seconds: float, stopped: bool, pondered: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = make_bot(replace(QUICK, use_clock=True))
    assert isinstance(made, PlannerBot)
    made.evaluator = UniformEvaluator()
    made.new_game(GameStart(Rbc(), 0, seed=1))
    made.observe(OpponentMoveResult(None))
    made.observe(SenseResult(()))
    monkeypatch.setattr(made, "_play_out", lambda *_: None)
    moves = Rbc().initial().play(NO_SENSE).legal_moves()
    made.choose(Turn(None, moves, SearchLimits(clock=Clock(seconds, 0.0))))
    made.observe(MoveResult(PASS, None, None))
    steps = iter([True, True, False])
    monkeypatch.setattr(made, "_step", lambda: next(steps))
    stop = Event()
    if stopped:
        stop.set()
    made.ponder(stop)
    assert len(list(steps)) == (0 if pondered else 3)


def test_a_search_with_a_clock_ends_when_its_choice_is_settled(monkeypatch: pytest.MonkeyPatch) -> None:
    made = make_bot(replace(QUICK, use_clock=True))
    assert isinstance(made, PlannerBot)
    made.evaluator = UniformEvaluator()
    made.new_game(GameStart(Rbc(), 0, seed=1))
    made.observe(OpponentMoveResult(None))
    made.observe(SenseResult(()))
    monkeypatch.setattr("sparring.rbc.planner.is_settled", lambda *_: True)
    limits = SearchLimits(clock=Clock(1e6, 0.0))  # without the end it would search for hours
    made.choose(Turn(None, Rbc().initial().play(NO_SENSE).legal_moves(), limits))
    assert made.last_search is not None
    assert 0 < made.last_search.playouts < 200


@pytest.mark.parametrize(
    ("seconds", "increment"),
    [(900.0, 5.0), (120.0, 5.0), (20.0, 1.0), (10.0, 0.5), (60.0, 0.0), (900.0, -3.0)],
)
def test_most_of_the_clock_is_planned_for_and_a_reserve_remains(seconds: float, increment: float) -> None:
    """A negative increment is that of a slow server, on which a turn costs more than it brings."""
    left, turns = seconds, 0
    while left > TIME_TROUBLE_SECONDS and turns < 300:
        left, turns = left + increment - turn_seconds(Clock(left, increment)), turns + 1
        if turns == 40 and increment >= 0:
            assert left < 0.2 * (seconds + 40 * increment)
    assert turns == 300 or (turns > 80 and increment <= 0)


def test_an_opponent_who_passes_for_ever_does_not_stop_the_planner() -> None:
    made = planner_bot(playouts=8)
    state = Rbc().initial()
    made.new_game(GameStart(Rbc(), 0, seed=3))
    made.observe(OpponentMoveResult(None))
    for _ in range(8):
        for _ in range(2):
            move = made.choose(Turn.of(state)).move
            assert move in state.legal_moves()
            before, state = state, state.play(move)
            assert state.outcome is None, "the seed's game goes on to the end of the loop"
            made.observe(Rbc().observe(before, 0, move))
        state = state.play(NO_SENSE).play(PASS)
        made.observe(OpponentMoveResult(None))


def test_ratings_of_the_inference_bot_join_in_the_decision() -> None:
    made = planner_bot(inference_weight=0.5, rating_visits=1e6, playouts=8)
    made.new_game(GameStart(Rbc(), 0, seed=3))
    made.observe(OpponentMoveResult(None))
    made.observe(SenseResult(()))
    decision = made.choose(Turn.of(Rbc().initial().play(NO_SENSE)))
    found = made.last_search
    assert found is not None
    assert found.ratings is not None
    chosen = found.ratings[found.actions.tolist().index(decision.move)]
    assert chosen == pytest.approx(found.ratings.max(), abs=1e-4)


def test_senses_with_ratings_need_no_playouts_and_moves_have_them_by_share() -> None:
    for share, played in ((1.0, False), (0.5, True)):
        made = planner_bot(inference_weight=0.5, rating_visits=10.0, rating_share=share, playouts=8)
        made.new_game(GameStart(Rbc(), 1, seed=3))
        state = Rbc().initial().play(NO_SENSE).play(PASS)
        made.observe(OpponentMoveResult(None))
        assert made.choose(Turn.of(state)).reason.startswith("rated ")
        assert made.last_search is not None
        assert made.last_search.playouts == 0
        made.observe(SenseResult(()))
        made.choose(Turn.of(state.play(NO_SENSE)))
        assert (made.last_search.playouts > 0) == played


def test_a_planner_is_described_by_a_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('kind = "planner"\n[planner]\nmixing = inf\nparticles = 32\n')
    config = load_bot_config(str(file))
    assert config.planner.mixing == math.inf
    assert config.planner.particles == 32
    file.write_text('kind = "planner"\n[planner.paper]\ncaution = 0.5\n')
    assert load_bot_config(str(file)).planner.native(1).caution == 0.5
    file.write_text('kind = "planner"\n[planner.paper]\ncaution = 2\n')
    with pytest.raises(BadConfig, match=r"planner\.paper\.caution = 2: expected a number from 0 to 1"):
        load_bot_config(str(file))


def test_a_failing_network_is_reported_and_the_next_turn_is_played() -> None:
    """The front end of reconchess plays a random action then: the error must reach it."""

    class Failing(UniformEvaluator):
        def evaluate(self, synopses: SynopsisWords, opponent: NDArray[np.bool_]) -> Evaluations:
            raise RuntimeError("no network")

    made = planner_bot()
    made.evaluator = Failing()
    made.new_game(GameStart(Rbc(), 0, seed=3))
    made.observe(OpponentMoveResult(None))
    made.observe(SenseResult(()))
    with pytest.raises(RuntimeError, match="no network"):
        made.choose(Turn.of(Rbc().initial().play(NO_SENSE)))
    made.evaluator = UniformEvaluator()
    assert made.choose(Turn.of(Rbc().initial().play(NO_SENSE))).move is not None


def _midgame(bot: PlannerBot, player: int) -> tuple[Any, int]:
    """A state in which the bot has to move, after some turns of both sides, and the turns."""
    rules = Rbc()
    bot.new_game(GameStart(rules, player, seed=3))
    state, rng, turns = rules.initial(), np.random.default_rng(8), 0
    while turns < 8 or state.sensing or state.to_move != player:
        moves = state.legal_moves()
        move = NO_SENSE if state.sensing else moves[int(rng.integers(len(moves)))]
        seen = rules.observe(state, player, move)
        if not isinstance(seen, OpponentSense):
            bot.observe(seen)
        state = state.play(move)
        turns += 1
    return state, turns


def test_boards_evaluated_a_few_at_a_time_have_the_same_evaluations() -> None:
    bot = planner_bot()
    _midgame(bot, 0)
    boards = bot.knowledge.tracker.boards.subsample(60, 1)
    at_once = bot.knowledge._evaluate_at(boards, 0)
    bot.knowledge.stop = Event()
    in_parts = bot.knowledge._evaluate_at(boards, 0)
    assert len(boards) == 60
    for name in ("requests", "scores", "attacks"):
        np.testing.assert_array_equal(getattr(at_once, name), getattr(in_parts, name))


@pytest.mark.parametrize("seconds", [0.3, 1.0])
def test_a_turn_takes_no_longer_than_its_budget(seconds: float) -> None:
    config = with_seconds(replace(BOTS["planner"], threads=1), seconds)
    bot = make_bot(config)
    assert isinstance(bot, PlannerBot)
    state, _ = _midgame(bot, 0)
    began = time.perf_counter()
    decision = bot.choose(Turn(None, state.legal_moves()))
    assert time.perf_counter() - began < seconds + 0.3
    assert decision.move in state.legal_moves()


def test_a_planner_with_a_large_budget_ends_at_once_when_it_is_stopped() -> None:
    bot = make_bot(with_seconds(replace(BOTS["planner"], threads=1), 60.0))
    assert isinstance(bot, PlannerBot)
    state, _ = _midgame(bot, 0)
    stop = Event()
    timer = Timer(0.5, stop.set)
    timer.start()
    began = time.perf_counter()
    decision = bot.choose(Turn(None, state.legal_moves(), stop=stop))
    assert time.perf_counter() - began < 1.5
    assert decision.move in state.legal_moves()


@pytest.mark.parametrize("seconds", [0.5, 2.0, 8.0])
def test_the_rated_planners_are_those_of_the_page(seconds: float) -> None:
    rated = load_bot_config(str(Path(__file__).parents[3] / f"results/rbc/bots/planner-{seconds:g}s.toml"))
    assert rated == replace(with_seconds(BOTS["planner"], seconds), threads=1)
