"""Bots of reconnaissance blind chess: whole games, seeds, and contradictory observations."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from sparring._core import RbcBoardSet, RbcState
from sparring.base.errors import BadConfig
from sparring.players import Clock, GameStart, Player, SearchLimits, Turn
from sparring.rbc import knowledge
from sparring.rbc.bots import ATTACKS, BOTS, BotConfig, InferenceBot, load_bot_config, make_bot
from sparring.rbc.evaluators import BoardEvaluations, NativeEvaluator
from sparring.rbc.game import NO_SENSE, PASS, SENSE, MoveResult, OpponentMoveResult, Rbc, SenseResult
from sparring.rbc.matches import play_rbc_game
from sparring.rbc.tracker import Guess

QUICK = replace(BOTS["inference-1"], boards=300)
NAMES = ("random", "attacker", "guesser", "inference-1", "cautious", "sneaky")


def bot(setting: BotConfig, player: int, seed: int) -> Player:
    made = make_bot(setting)
    made.new_game(GameStart(Rbc(), player, seed=[seed, player]))
    return made


def choose(player: Player, legal_moves: Sequence[int], seconds: float | None = None) -> int:
    clock = None if seconds is None else Clock(seconds, 5.0)
    return player.choose(Turn(None, legal_moves, SearchLimits(clock=clock))).move


def game(first: BotConfig, second: BotConfig, seed: int, random_turns: int = 0) -> RbcState:
    bots = [make_bot(setting) for setting in (first, second)]
    seeds = [[seed, player] for player in (0, 1)]
    live = play_rbc_game(bots, seeds, random_turns, np.random.default_rng(seed), max_turns=60)
    state: RbcState = live.states[-1]
    return state


@pytest.mark.parametrize("name", NAMES)
def test_every_bot_plays_legal_games_with_either_colour(name: str) -> None:
    for seed in range(2):
        pair = (BOTS[name], BOTS["random"])
        state = game(*(pair if seed % 2 == 0 else pair[::-1]), seed, random_turns=1)
        assert state.outcome is not None or state.ply >= 240


def test_the_same_seed_gives_the_same_game() -> None:
    first, second = (game(QUICK, BOTS["guesser"], 5, random_turns=2).pack_moves(2) for _ in range(2))
    assert first == second
    assert first != game(QUICK, BOTS["guesser"], 6, random_turns=2).pack_moves(2)


def test_the_number_of_possible_boards_is_said_in_words() -> None:
    state, player = RbcState.initial(), bot(QUICK, 0, 1)
    assert player.choose(Turn(None, state.legal_moves())).reason == "1 possible board"
    player.observe(SenseResult(()))
    assert player.choose(Turn(None, state.play(NO_SENSE).legal_moves())).reason.endswith(
        " over 1 possible board"
    )


def test_inference_beats_a_bot_that_does_not_sense() -> None:
    wins = 0
    for seed, name in enumerate(("random", "attacker", "random", "attacker", "attacker", "random")):
        side = seed % 2
        pair = (QUICK, BOTS[name]) if side == 0 else (BOTS[name], QUICK)
        outcome = game(*pair, seed).outcome
        wins += outcome is not None and outcome.winner == side
    assert wins >= 5


def moved(fen: str, player: int, seed: int = 0) -> str:
    """What an inference bot asks for on a board that it knows."""
    state = RbcState.parse(f"{fen} move")
    it = bot(QUICK, player, seed)
    assert isinstance(it, InferenceBot)
    it.knowledge.tracker = type(it.knowledge.tracker)(player, it.knowledge.tracker.options, state)
    it.observe(SenseResult(()))
    return state.move_text(choose(it, state.legal_moves()))


def test_a_king_that_can_be_taken_is_taken() -> None:
    assert moved("4k3/8/8/8/8/8/8/q3R1K1 w - - 0 1", 0) == "e1e8"


def test_a_king_does_not_stay_where_it_is_taken() -> None:
    request = moved("4k3/8/8/8/8/8/PP4PP/r5K1 w - - 0 1", 0)
    assert request == "g1f2"


def test_the_unseen_attack_rate_grows_without_captures() -> None:
    it = bot(QUICK, 0, 1)
    assert isinstance(it, InferenceBot)
    at_first = it.knowledge._unseen_attack_rate()
    for _ in range(30):
        it.observe(SenseResult(()))
        it.observe(MoveResult(PASS, None, None))
        it.observe(OpponentMoveResult(None))
    assert it.knowledge._unseen_attack_rate() > at_first + 0.3
    it.observe(SenseResult(()))
    it.observe(MoveResult(PASS, None, None))
    it.observe(OpponentMoveResult(8))
    assert it.knowledge._unseen_attack_rate() == at_first


def test_a_sense_that_would_show_nothing_new_is_spared() -> None:
    it = bot(QUICK, 0, 1)
    assert choose(it, [*range(SENSE, SENSE + 64), NO_SENSE]) == NO_SENSE


def test_a_bot_that_missed_a_call_goes_on() -> None:
    it = bot(QUICK, 0, 1)
    assert isinstance(it, InferenceBot)
    state = Rbc().initial()
    it.observe(SenseResult(()))
    it.observe(
        MoveResult(state.play(NO_SENSE).parse_move("e2e4"), state.play(NO_SENSE).parse_move("e2e4"), None)
    )
    it.observe(SenseResult(((52, None), (51, "p"))))  # nobody told it that the opponent had moved
    assert it.knowledge.restarts == 1
    truth = RbcState.parse("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2 move")
    assert choose(it, truth.legal_moves()) in truth.legal_moves()
    it.observe(MoveResult(PASS, None, None))
    it.observe(OpponentMoveResult(28))  # and now something takes on e4 that cannot: boards are made to fit
    assert len(it.knowledge.tracker.boards) > 0
    assert choose(it, [*range(SENSE, SENSE + 64), NO_SENSE]) >= SENSE


def test_pondering_changes_nothing() -> None:
    def line(ponders: bool) -> list[int]:
        state, it, rng = Rbc().initial(), bot(QUICK, 1, 3), np.random.default_rng(3)
        chosen: list[int] = []
        for _ in range(24):
            if state.outcome is not None:
                break
            moves = state.legal_moves()
            if state.to_move == 1:
                chosen.append(choose(it, moves))
                move = chosen[-1]
            else:
                move = moves[int(rng.integers(len(moves)))]
            observation = Rbc().observe(state, 1, move)
            it.observe(observation)
            if ponders and isinstance(observation, MoveResult):
                it.ponder()
            state = state.play(move)
        return chosen

    assert line(True) == line(False)


def test_a_clocked_bot_looks_at_less_when_time_is_short() -> None:
    it = bot(replace(QUICK, use_clock=True, move_boards=1000), 0, 1)
    assert isinstance(it, InferenceBot)
    board_knowledge = it.knowledge
    board_knowledge._seconds_a_board = 0.01
    counts = [
        board_knowledge._count(1000, board_knowledge.planned_seconds(Clock(seconds, 5.0), 0.7))
        for seconds in (900.0, 120.0, 20.0, 5.0, 0.0)
    ]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] == 1000
    assert counts[-1] == counts[-2] < 10
    assert board_knowledge.planned_seconds(None, 0.7) is None
    assert board_knowledge._count(1000, None) == 1000


@pytest.mark.parametrize(("planned", "depths"), [(1e6, [0, 1, 2, 3]), (0.0, [0]), (None, [0])])
def test_a_clocked_bot_looks_deeper_while_there_is_time(planned: float | None, depths: list[int]) -> None:
    it = bot(replace(QUICK, use_clock=True, depth=1), 0, 1)
    assert isinstance(it, InferenceBot)
    it.observe(OpponentMoveResult(None))
    it.observe(SenseResult(()))
    asked: list[int] = []

    class Noted(NativeEvaluator):
        def evaluate(self, boards: RbcBoardSet, extra_depth: int = 0) -> BoardEvaluations:
            asked.append(extra_depth)
            return super().evaluate(boards, extra_depth)

    board_knowledge = it.knowledge
    board_knowledge.evaluator = Noted(1)
    *_, evaluations = board_knowledge._evaluate(board_knowledge.tracker.boards, planned)
    assert asked == depths
    expected = NativeEvaluator(1 + depths[-1]).evaluate(board_knowledge.tracker.boards)
    np.testing.assert_array_equal(evaluations.scores, expected.scores)


@pytest.mark.parametrize(("cost_ratio", "deeper"), [(2.0, 10), (3.0, 7), (5.0, 0)])
def test_likely_boards_are_evaluated_deeper_if_there_is_no_time_for_all(
    cost_ratio: float, deeper: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A quarter of the likely boards is the least. Every look at the clock takes a second."""
    it = bot(replace(QUICK, use_clock=True, depth=1), 1, 1)
    assert isinstance(it, InferenceBot)
    it.observe(OpponentMoveResult(None))
    board_knowledge, boards = it.knowledge, it.knowledge.tracker.boards
    assert len(boards) == 21
    asked: list[int] = []

    class Noted(NativeEvaluator):
        def evaluate(self, boards: RbcBoardSet, extra_depth: int = 0) -> BoardEvaluations:
            asked.append(len(boards))
            return super().evaluate(boards, extra_depth)

    evaluator = board_knowledge.evaluator = Noted(1)
    monkeypatch.setattr(Noted, "cost_ratio", cost_ratio)
    ticks = itertools.count()
    monkeypatch.setattr("time.perf_counter", lambda: float(next(ticks)))
    *_, evaluations = board_knowledge._evaluate(boards, 3.0, boards)
    assert asked == [21] + [deeper] * bool(deeper)
    shallow, deep = evaluator.evaluate(boards), evaluator.evaluate(boards, 1)
    rows = (evaluations.scores != shallow.scores).any(axis=1)
    assert rows.sum() <= deeper
    np.testing.assert_array_equal(evaluations.scores[rows], deep.scores[rows])


def test_a_clocked_bot_follows_fewer_boards_when_time_is_short() -> None:
    it = bot(replace(QUICK, use_clock=True, boards=2_000_000), 0, 1)
    assert isinstance(it, InferenceBot)
    senses = [*range(SENSE, SENSE + 64), NO_SENSE]
    limits = []
    for seconds in (900.0, 120.0, 2.0, 1.0, -3.0):
        choose(it, senses, seconds)
        limits.append(it.knowledge.tracker.options.limit)
    assert limits == [2_000_000, 600_000, 20_000, 2_500, 50]


@pytest.mark.parametrize("attack", ATTACKS)
def test_every_attack_takes_a_king_that_stands_still(attack: str) -> None:
    state = RbcState.initial()
    for word in attack.split():
        state = state.play(NO_SENSE)
        state = state.play(state.parse_move(word))
        if state.outcome is None:
            state = state.play(NO_SENSE).play(PASS)
    assert state.outcome is not None
    assert state.outcome.winner == 0


def test_a_guess_keeps_what_was_seen_and_a_king_a_side() -> None:
    guess = Guess(0)
    guess.observe(SenseResult(()))
    start = RbcState.initial().play(NO_SENSE)
    e2e4 = start.parse_move("e2e4")
    guess.observe(MoveResult(e2e4, e2e4, None))
    guess.observe(OpponentMoveResult(28))
    guess.observe(SenseResult(((59, "k"), (60, None), (61, "b"))))
    board = guess.board
    assert board.piece_at(28) is None or board.piece_at(28).color is False  # type: ignore[union-attr]
    assert board.king(False) == 59
    assert board.king(True) == 4
    assert guess.state.to_move == 0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("kind = 'genius'", "kind = 'genius': expected one of random, attacker, guesser, inference"),
        ("depth = 'deep'", "depth = 'deep': expected an integer from 1 to 8"),
        ("depth = 99", "depth = 99: expected an integer from 1 to 8"),
        ("sneek = 0.1", "unknown key 'sneek'"),
        ("worst_case_weight = 7.0", "worst_case_weight = 7.0: expected a number from 0 to 1"),
        ("unseen_attack_rate = -0.1", "unseen_attack_rate = -0.1: expected a number from 0 to 1"),
        ("king_danger_weight = -1.0", "king_danger_weight = -1.0: expected a number from 0 to 100"),
        (
            "opponent_rationality = 1e9",
            "opponent_rationality = 1000000000.0: expected",
        ),
        ("depth = ", "nvalid"),
    ],
)
def test_a_bad_bot_file_is_refused_with_its_reason(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "bot.toml"
    path.write_text(text)
    with pytest.raises(BadConfig, match=words):
        load_bot_config(str(path))


def test_a_bot_file_says_what_is_other_than_usual(tmp_path: Path) -> None:
    path = tmp_path / "bot.toml"
    path.write_text("boards = 500\nunseen_attack_rate = 1\n")
    assert load_bot_config(str(path)) == BotConfig(boards=500, unseen_attack_rate=1.0)
    with pytest.raises(BadConfig, match="there is no bot 'nobody': choose random"):
        load_bot_config("nobody")
    with pytest.raises(BadConfig, match="No such file"):
        load_bot_config(str(tmp_path / "none.toml"))


class Counting(NativeEvaluator):
    """Counts its evaluations."""

    def __init__(self) -> None:
        super().__init__(1)
        self.count = 0

    def evaluate(self, boards: RbcBoardSet, extra_depth: int = 0) -> BoardEvaluations:
        self.count += 1
        return super().evaluate(boards, extra_depth)


def test_a_winning_sense_is_taken_before_boards_are_evaluated(monkeypatch: pytest.MonkeyPatch) -> None:
    made = bot(QUICK, 0, 1)
    assert isinstance(made, InferenceBot)
    made.knowledge.evaluator = counting = Counting()
    state = RbcState.initial()
    monkeypatch.setattr(
        knowledge, "sense_statistics", lambda boards, threads: SimpleNamespace(undominated=(9,))
    )
    monkeypatch.setattr(knowledge, "winning_senses", lambda boards, threads: (12,))
    decision = made.choose(Turn(None, state.legal_moves()))
    assert (decision.move, counting.count) == (SENSE + 12, 0)
    assert decision.reason.endswith("the king is found on all of them")


def test_a_win_on_a_sample_is_not_called_a_win_on_all(monkeypatch: pytest.MonkeyPatch) -> None:
    made = bot(QUICK, 1, 1)
    assert isinstance(made, InferenceBot)
    made.observe(OpponentMoveResult(None))
    monkeypatch.setattr(knowledge, "_MAX_WIN_SEARCH_BOARDS", 5)
    monkeypatch.setattr(knowledge, "winning_senses", lambda boards, threads: (12,))
    state = RbcState.initial()
    for _ in range(2):
        state = state.play(state.legal_moves()[0])
    decision = made.choose(Turn(None, state.legal_moves()))
    assert decision.reason.endswith("the king is found on all of a sample of 5")


def test_an_error_of_the_tracker_is_not_taken_for_a_lost_message(monkeypatch: pytest.MonkeyPatch) -> None:
    made = bot(QUICK, 1, 1)
    assert isinstance(made, InferenceBot)

    def fail(observation: object) -> None:
        raise ValueError("a fault of the program")

    monkeypatch.setattr(made.knowledge.tracker, "observe", fail)
    with pytest.raises(ValueError, match="a fault of the program"):
        made.observe(OpponentMoveResult(None))
    assert made.knowledge.restarts == 0
    monkeypatch.undo()
    made.observe(SenseResult(()))  # the opponent's move was lost
    assert made.knowledge.restarts == 1
