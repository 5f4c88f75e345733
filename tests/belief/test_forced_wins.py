"""Forced wins and threats, against brute force over all boards, senses and moves."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import cache

import chess
import pytest

from sparring._core import RbcBoardSet, RbcState
from sparring.rbc.game import PASS, Rbc, board_fen
from sparring.rbc.tracker import (
    Contradiction,
    Tracker,
    TrackerOptions,
    is_forced_win,
    replay,
    winning_request,
    winning_senses,
)
from tests.belief.games import random_game


def states_of(boards: RbcBoardSet) -> list[RbcState]:
    return [RbcState.parse(f"{fen} move") for fen in boards.fens()]


@cache
def capturing(state: RbcState) -> frozenset[int]:
    """The requests that capture the king, every one tried."""
    board = chess.Board(board_fen(state))
    king = board.king(not board.turn)
    return frozenset(m for m in state.legal_moves() if m != PASS and state.result_of(m)[1] == king)


def counts_by_force(states: Sequence[RbcState]) -> Counter[int]:
    """On how many boards each request captures the king."""
    return Counter(request for state in states for request in capturing(state))


def best_by_force(states: Sequence[RbcState]) -> int:
    return max(counts_by_force(states).values(), default=0)


def after_sense_by_force(states: Sequence[RbcState], square: int) -> int:
    parts = defaultdict(list)
    for state in states:
        parts[tuple(state.sense(square))].append(state)
    return sum(best_by_force(part) for part in parts.values())


def small_sets(player: int, to_move: int, wanted: int) -> list[RbcBoardSet]:
    """A few boards each, from all stages of random games."""
    rng, found = random.Random(player), []
    for seed in range(200):
        tracker = Tracker(player, TrackerOptions(limit=150, threads=1, seed=seed))
        try:
            for step in replay(random_game(seed, 60, sensing=0.9), tracker):
                whole = step.truth.outcome is None and tracker.boards.to_move == to_move
                if whole and rng.random() < 0.15:
                    found.append(tracker.boards.subsample(rng.choice([1, 2, 5]), seed))
        except Contradiction:
            continue
        if len(found) >= wanted:
            break
    return found[:wanted]


@pytest.mark.parametrize("player", [0, 1])
def test_captures_of_the_king_are_counted_as_if_every_request_were_tried(player: int) -> None:
    capturing = winning = 0
    for boards in small_sets(player, player, 200):
        states = states_of(boards)
        counts = counts_by_force(states)
        found = boards.king_captures()
        assert dict(found) == counts
        assert [n for _, n in found] == sorted((n for _, n in found), reverse=True)
        assert (winning_request(boards) is None) == (len(states) not in counts.values())
        capturing += bool(found)
        winning += winning_request(boards) is not None
    assert capturing > winning > 0


@pytest.mark.parametrize("player", [0, 1])
def test_senses_win_as_if_every_answer_and_request_were_tried(player: int) -> None:
    for boards in small_sets(player, player, 12):
        states = states_of(boards)
        wins = boards.wins_after_sense()
        for square in range(0, 64, 5):
            assert wins[square] == after_sense_by_force(states, square)
        assert winning_senses(boards) == tuple(s for s in range(64) if wins[s] == len(boards))


def test_a_sense_can_win_where_no_move_alone_does() -> None:
    kings = [f"{rank}/8/8/8/8/8/8/R5RK w - - 0 1" for rank in ("k7", "6k1")]
    boards = RbcBoardSet.of([Rbc().parse(fen) for fen in kings], 0)
    assert winning_request(boards) is None
    assert set(winning_senses(boards)) == {
        chess.square(file, rank) for file in (0, 1, 5, 6, 7) for rank in (6, 7)
    }


def test_a_long_slide_takes_every_king_on_its_way() -> None:
    kings = ["8/8/4k3/8/8/8/8/K3R3 w - - 0 1", "4k3/8/8/8/8/8/8/K3R3 w - - 0 1"]
    boards = RbcBoardSet.of([Rbc().parse(fen) for fen in kings], 0)
    request = winning_request(boards)
    assert request is not None
    assert Rbc().initial().move_text(request) == "e1e8"


@pytest.mark.parametrize("player", [0, 1])
def test_threats_are_counted_as_if_every_answer_were_tried(player: int) -> None:
    for boards in small_sets(player, 1 - player, 40):
        counts = [0] * 64
        for state in states_of(boards):
            results = (state.result_of(m) for m in state.legal_moves() if m != PASS)
            for square in {capture for _, capture in results if capture is not None}:
                counts[square] += 1
        assert boards.threats() == counts


def wins_by_force(boards: RbcBoardSet) -> bool:
    """Every answer of the opponent tried; then every sense; then every request."""
    answers = defaultdict(list)
    for state in states_of(boards):
        for move in state.legal_moves():
            _, capture = state.result_of(move)
            after = state.play(move)
            if after.outcome is not None and after.outcome.winner == 1 - boards.player:
                return False
            answers[capture].append(after.play(after.legal_moves()[-1]))
    for states in answers.values():
        distinct = list({s.text().rsplit(" ", 3)[0]: s for s in states}.values())
        senses = (after_sense_by_force(distinct, square) for square in range(64))
        if not any(wins == len(distinct) for wins in senses):
            return False
    return True


WON = [
    "7k/8/8/8/8/8/6QR/K7 b - - 0 1",  # the king cannot leave the lines of queen and rook
    "k7/8/8/8/8/8/8/QR5K b - - 0 1",
    "7k/5Q2/8/8/8/8/8/K5R1 b - - 0 1",
]
NOT_WON = [
    "7k/8/8/8/8/8/6Q1/K7 b - - 0 1",
    "k6r/8/8/8/8/8/8/QR5K b - - 0 1",  # it takes our king first
    "7k/8/8/8/8/8/7R/K7 b - - 0 1",
]


@pytest.mark.parametrize("fen", [*WON, *NOT_WON])
def test_forced_wins_equal_brute_force(fen: str) -> None:
    boards = RbcBoardSet.of([Rbc().parse(f"{fen} move")], 0)
    assert is_forced_win(boards) == wins_by_force(boards)
    assert is_forced_win(boards, threads=2) == is_forced_win(boards)


def test_some_positions_are_forced_wins() -> None:
    assert any(is_forced_win(RbcBoardSet.of([Rbc().parse(f"{fen} move")], 0)) for fen in WON)
    both = [
        Rbc().parse(f"{fen} move")
        for fen in ("7k/8/8/8/8/8/6QR/K7 b - - 0 1", "6bk/8/8/8/8/8/6QR/K7 b - - 0 1")
    ]
    boards = RbcBoardSet.of(both, 0)
    assert is_forced_win(boards) == wins_by_force(boards)


def sparse_position(seed: int) -> str:
    """A few pieces on random squares, Black to move; White's king in a corner, out of the way."""
    rng = random.Random(seed)
    board = chess.Board(None)
    board.set_piece_at(chess.A1, chess.Piece.from_symbol("K"))
    squares = rng.sample(range(16, 64), 5)
    for square, symbol in zip(squares, f"kQQR{rng.choice('nbr')}", strict=True):
        board.set_piece_at(square, chess.Piece.from_symbol(symbol))
    board.turn = chess.BLACK
    return board.fen()


def test_forced_wins_of_random_positions_equal_brute_force() -> None:
    won = 0
    for seed in range(14):
        boards = RbcBoardSet.of([Rbc().parse(f"{sparse_position(seed)} move")], 0)
        assert is_forced_win(boards) == wins_by_force(boards)
        won += is_forced_win(boards)
    assert won
