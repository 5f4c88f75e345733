"""Evaluation of requests on single boards: the native search, and Stockfish."""

from __future__ import annotations

import sys
from pathlib import Path

import chess
import numpy as np
import pytest

from sparring._core import RbcBoardSet, RbcState
from sparring.base.errors import NotFound
from sparring.rbc.evaluators import (
    BoardEvaluations,
    NativeEvaluator,
    StockfishEvaluator,
    find_stockfish,
    is_legal_chess_position,
)
from sparring.rbc.knowledge import WIN
from tests.belief.games import random_game


def one_board(fen: str) -> tuple[RbcBoardSet, RbcState]:
    state = RbcState.parse(f"{fen} move")
    return RbcBoardSet.of([state], state.to_move), state


def score(evaluations: BoardEvaluations, state: RbcState, move: str) -> int:
    return int(evaluations.scores[0, list(evaluations.requests).index(state.parse_move(move))])


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_king_is_captured_where_it_can_be_and_not_left_to_be_captured(depth: int) -> None:
    boards, state = one_board("4k3/8/8/8/8/8/4q3/R3K2r w Q - 0 1")
    evaluations = NativeEvaluator(depth).evaluate(boards)
    assert score(evaluations, state, "a1a8") == 1 - WIN  # an attack on the king does not save one's own
    assert score(evaluations, state, "pass") == 1 - WIN
    boards, state = one_board("4k3/8/8/8/8/8/8/R3K2Q w - - 0 1")
    evaluations = NativeEvaluator(depth).evaluate(boards)
    assert score(evaluations, state, "a1a8") < WIN  # nobody is mated: the king may still be captured or flee
    boards, state = one_board("4k3/8/8/8/8/8/8/4K2Q w - - 0 1".replace("4K2Q", "4Q1K1"))
    assert score(NativeEvaluator(depth).evaluate(boards), state, "e1e8") == WIN


def test_a_request_is_worth_what_it_becomes() -> None:
    boards, state = one_board("4k3/8/8/3p4/8/8/8/3RK3 w - - 0 1")
    evaluations = NativeEvaluator(2).evaluate(boards)
    assert score(evaluations, state, "d1d8") == score(evaluations, state, "d1d5")  # the pawn stops the rook
    assert score(evaluations, state, "d1d5") > score(evaluations, state, "d1d4")


def test_attacks_on_the_king_are_not_blunders() -> None:
    boards, state = one_board("4k3/8/8/8/8/8/r7/4K2R w - - 0 1")
    evaluations = NativeEvaluator(1).evaluate(boards)
    attacks = {
        state.move_text(int(r)): bool(a)
        for r, a in zip(evaluations.requests, evaluations.attacks[0], strict=True)
    }
    assert attacks["h1h8"]
    assert not attacks["h1g1"]


def test_two_plies_see_that_a_defended_piece_is_no_prey() -> None:
    boards, state = one_board("4k3/2p5/3p4/8/8/8/3Q4/4K3 w - - 0 1")
    evaluations = NativeEvaluator(2).evaluate(boards)
    assert score(evaluations, state, "d2d6") < score(evaluations, state, "d2d4") - 300


def test_the_margin_changes_only_moves_that_fall_behind_it() -> None:
    for seed in range(6):
        game = random_game(seed, 12)
        if game.outcome is not None:
            continue
        state = RbcState.parse(game.text().rsplit(" ", 1)[0] + " move")
        boards = RbcBoardSet.of([state], state.to_move)
        _, wide, _ = boards.evaluate_requests(2, 10**6)
        _, narrow, _ = boards.evaluate_requests(2, 200)
        quiet = wide[wide < WIN // 2]
        bound = min(int(quiet.max()), 3000) - 200
        near = wide >= bound
        assert np.array_equal(wide[near], narrow[near])
        assert (narrow[~near] < bound).all()


def test_threads_find_the_same() -> None:
    boards = RbcBoardSet.of(
        [RbcState.parse("r1bqkbnr/pppppppp/2n5/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 1 2 move")], 0
    )
    many = boards.after_opponent(None)
    alone, together = (many.evaluate_requests(2, 500, threads) for threads in (1, 2))
    assert all(np.array_equal(alone[i], together[i]) for i in range(3))


def test_boards_with_many_queens_are_evaluated() -> None:
    """Without a limit of nodes their captures are not searched to the end in half a minute."""
    boards, state = one_board("qqqqkqqq/qqqqqqqq/8/8/8/8/QQQQQQQQ/QQQQKQQQ w - - 0 1")
    evaluations = NativeEvaluator(1).evaluate(boards)
    assert score(evaluations, state, "a2a7") > score(evaluations, state, "pass")


def test_requests_are_evaluated_only_at_the_players_turn() -> None:
    boards = RbcBoardSet.of([RbcState.initial()], 1)
    with pytest.raises(ValueError, match="to move"):
        boards.evaluate_requests(1, 100)
    with pytest.raises(ValueError, match="depth"):
        RbcBoardSet.of([RbcState.initial()], 0).evaluate_requests(0, 100)


def test_engines_are_shown_only_what_can_occur_in_chess() -> None:
    seen = 0
    for seed in range(40):
        state: RbcState | None = random_game(seed, 25)
        while state is not None and state.previous is not None:
            board = chess.Board(state.text().rsplit(" ", 1)[0])
            if is_legal_chess_position(board):
                seen += 1
                assert board.status() == chess.STATUS_VALID
                assert board.ep_square is None or board.has_legal_en_passant()
                assert len(board.pieces(chess.KING, True)) == len(board.pieces(chess.KING, False)) == 1
            state = state.previous
    assert seen > 500
    assert not is_legal_chess_position(
        chess.Board("4k3/8/8/8/8/8/8/4R1K1 w - - 0 1")
    )  # the king could be taken


FAKE = """
import sys
lives = 1
for line in sys.stdin:
    match line.split()[:1]:
        case ["uci"]:
            for name in ("Threads", "Hash", "MultiPV"):
                print(f"option name {name} type spin default 1 min 1 max 500")
            print("uciok", flush=True)
        case ["isready"]:
            print("readyok", flush=True)
        case ["go"]:
            lives -= 1
            if lives < 0:
                sys.exit(3)
            print("info depth 1 multipv 1 score cp 1234 pv e2e4", flush=True)
            print("bestmove e2e4", flush=True)
        case ["quit"]:
            break
"""


def test_an_evaluator_that_dies_is_restarted_and_then_replaced(tmp_path: Path) -> None:
    program = tmp_path / "engine"
    program.write_text(f"#!{sys.executable}\n{FAKE}")
    program.chmod(0o755)
    boards = RbcBoardSet.of([RbcState.initial()], 0)
    native = NativeEvaluator(1)
    evaluator = StockfishEvaluator(str(program), 10, native)
    initial = RbcState.initial().play(RbcState.initial().legal_moves()[-1])
    answers = [score(evaluator.evaluate(boards), initial, "e2e4") for _ in range(12)]
    own = score(native.evaluate(boards), initial, "e2e4")
    evaluator.close()
    assert set(answers) == {1234, own}
    assert answers.count(1234) == 4  # once a life: it was started again three times
    assert answers[-1] == own


def test_a_missing_engine_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NotFound, match="no program /nowhere/stockfish"):
        find_stockfish("/nowhere/stockfish")


def test_stockfish_evaluates_legal_positions_and_our_search_the_others() -> None:
    try:
        evaluator = StockfishEvaluator(find_stockfish(), 500, NativeEvaluator(1))
    except NotFound as error:
        pytest.skip(str(error))
    boards, state = one_board("4k3/8/8/8/8/8/4q3/R3K2Q w Q - 0 1")
    evaluations = evaluator.evaluate(boards)
    assert score(evaluations, state, "e1e2") > 500
    assert score(evaluations, state, "h1h8") == 1 - WIN  # chess forbids it
    boards, state = one_board("4k3/8/8/8/8/8/8/4R1K1 w - - 0 1")
    assert score(evaluator.evaluate(boards), state, "e1e8") == WIN
    evaluator.close()


def scores_by_move(board: chess.Board, depth: int) -> dict[str, int]:
    boards, state = one_board(board.fen(en_passant="fen"))
    requests, scores, _ = boards.evaluate_requests(depth, 10**6)
    return {state.move_text(int(r)): int(s) for r, s in zip(requests, scores[0], strict=True)}


def test_black_is_evaluated_as_white_on_the_mirrored_board() -> None:
    compared = different = 0
    for seed in range(12):
        board = chess.Board(random_game(seed, 10 + seed).text().rsplit(" ", 1)[0])
        if board.king(True) is None or board.king(False) is None:
            continue
        mirrored = scores_by_move(board.mirror(), 2)
        for text, score_here in scores_by_move(board, 2).items():
            move = chess.Move.from_uci("0000" if text == "pass" else text)
            origin, target = chess.square_mirror(move.from_square), chess.square_mirror(move.to_square)
            there = chess.Move(origin, target, move.promotion).uci() if move else "pass"
            compared += 1
            different += mirrored[there] != score_here
    # Captures that hardly matter are passed over, which depends a little on the order of moves.
    assert compared > 200
    assert different <= compared / 100
