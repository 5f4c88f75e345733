"""Bots whose connection loses calls: no observation that follows makes them fail."""

from __future__ import annotations

import chess
import numpy as np
import pytest

from sparring._core import RbcState
from sparring.players import GameStart, Player, Turn
from sparring.rbc.bots import BOTS, InferenceBot, make_bot
from sparring.rbc.game import (
    NO_SENSE,
    PASS,
    MoveResult,
    Observation,
    OpponentMoveResult,
    OpponentSense,
    Rbc,
    SenseResult,
)
from sparring.rbc.planner import PlannerBot
from sparring.rbc.tracker import Guess
from tests.players.rbc.planner_factories import planner_bot

PAWN_BEFORE_PROMOTION = {
    0: ("6k1/8/8/8/8/8/1p6/R5K1 w - - 0 1", chess.A1, "p", "q"),
    1: ("r5k1/1P6/8/8/8/8/8/6K1 b - - 0 1", chess.A8, "P", "Q"),
}


@pytest.mark.parametrize("player", [0, 1])
def test_a_pawn_that_captures_on_the_last_rank_is_guessed_to_be_a_queen(player: int) -> None:
    fen, square, _, queen = PAWN_BEFORE_PROMOTION[player]
    guess = Guess(player, RbcState.parse(f"{fen} move"))
    guess.observe(OpponentMoveResult(square))
    assert str(guess.board.piece_at(square)) == queen
    assert guess.state.to_move == player


@pytest.mark.parametrize("kind", ["inference-2", "planner"])
@pytest.mark.parametrize("player", [0, 1])
def test_a_promotion_with_capture_after_a_lost_result_is_survived(kind: str, player: int) -> None:
    fen, square, pawn, _ = PAWN_BEFORE_PROMOTION[player]
    made = make_bot(BOTS[kind]) if kind != "planner" else planner_bot()
    made.new_game(GameStart(Rbc(), player, seed=1))
    assert isinstance(made, InferenceBot | PlannerBot)
    knowledge = made.knowledge
    state = RbcState.parse(f"{fen} sense")
    knowledge.tracker = type(knowledge.tracker)(player, knowledge.tracker.options, state)
    made.observe(SenseResult(((square + 1, pawn),)))
    made.observe(OpponentMoveResult(square))  # the result of the own move was lost
    assert made.choose(Turn(None, state.legal_moves())).move in state.legal_moves()


@pytest.mark.parametrize(("origin", "piece"), [(chess.C6, "N"), (chess.B1, "Q")])
def test_a_guess_follows_an_own_piece_that_it_did_not_know_of(origin: int, piece: str) -> None:
    guess = Guess(0, RbcState.parse("6k1/8/8/8/8/8/8/6K1 w - - 0 1 move"))
    taken = origin << 6 | chess.B8
    guess.observe(MoveResult(taken, taken, None))
    assert str(guess.board.piece_at(chess.B8)) == piece
    assert guess.state.to_move == 1


@pytest.mark.parametrize("piece", ["N", "P"])
def test_a_guess_never_has_more_pieces_than_a_game(piece: str) -> None:
    guess = Guess(1)
    guess.observe(SenseResult(tuple((square, piece) for square in range(chess.A3, chess.D4))))
    assert len(guess.board.piece_map()) <= 32
    assert guess.state.to_move == 1


@pytest.mark.parametrize("kind", ["inference-1", "planner"])
def test_a_turn_is_chosen_after_all_calls_before_it_were_lost(kind: str) -> None:
    made = make_bot(BOTS[kind]) if kind != "planner" else planner_bot()
    made.new_game(GameStart(Rbc(), 1, seed=1))
    state = Rbc().initial().play(NO_SENSE).play(PASS).play(NO_SENSE)
    assert made.hint(Turn.of(state)).move in state.legal_moves()
    assert made.choose(Turn.of(state)).move in state.legal_moves()
    state = state.play(PASS).play(NO_SENSE).play(PASS)
    assert made.choose(Turn.of(state)).move in state.legal_moves()


def play_with_lost_observations(made: Player, player: int, seed: int, max_turns: int = 40) -> None:
    """Plays random moves on both sides. The bot decides, too, and misses every eighth observation."""
    rules, rng = Rbc(), np.random.default_rng(seed)
    made.new_game(GameStart(rules, player, seed=seed))
    state = rules.initial()

    def tell(observation: Observation) -> None:
        if not isinstance(observation, OpponentSense) and rng.random() > 1 / 8:
            made.observe(observation)

    while state.outcome is None and state.ply < 4 * max_turns:
        moves = state.legal_moves()
        move = moves[int(rng.integers(len(moves)))]
        if state.to_move == player:
            chosen = made.choose(Turn(None, moves)).move
            assert chosen in moves
            move = chosen if rng.random() < 0.3 else move
        before, state = state, state.play(move)
        if state.outcome is None:
            tell(rules.observe(before, player, move))


@pytest.mark.parametrize("seed", range(10))
def test_random_losses_of_observations_are_survived(seed: int) -> None:
    made = make_bot(BOTS["inference-1"]) if seed < 7 else planner_bot(playouts=4, particles=8, states=4)
    play_with_lost_observations(made, seed % 2, seed)
