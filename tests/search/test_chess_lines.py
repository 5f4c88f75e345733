"""The native search of chess lines: proven mates, tactics, exchanges, and that results can be repeated."""

from __future__ import annotations

import chess
import numpy as np
import pytest

from sparring._core import ChessLineSearch, ChessState
from sparring.chess.game import Chess, board_of
from sparring.chess.lines import ChessLines
from sparring.chess.mistake_kinds import chess_move
from sparring.games import ParseError

RULES = Chess()
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"


@pytest.fixture(scope="module")
def lines() -> ChessLines:
    return ChessLines()


@pytest.mark.parametrize(
    ("fen", "moves"),
    [
        ("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", 1),
        ("r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4", 1),
        ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", 2),  # by a quiet move, in zugzwang
        ("r1bq2r1/b4pk1/p1pp1p2/1p2pP2/1P2P1PB/3P4/1PPQ2P1/R3K2R w KQ - 0 1", 2),
        ("5rk1/1p1q2bp/p2pN1p1/2pP2Bn/2P3P1/1P6/P4QKP/5R2 w - - 0 1", 2),
    ],
)
def test_mates_are_found_and_proven(lines: ChessLines, fen: str, moves: int) -> None:
    state = RULES.parse(fen)
    lines.clear()
    (best,) = lines.search(state, 300_000)
    assert best.mate == moves
    board = board_of(state)
    for move in best.moves:
        board.push(chess_move(move))
    assert board.is_checkmate()


def test_a_side_that_is_mated_knows_it(lines: ChessLines) -> None:
    state = RULES.parse("7k/8/6K1/8/8/8/8/R7 b - - 0 1")
    (best,) = lines.search(state, 20_000)
    assert best.mate == -1


@pytest.mark.parametrize(
    ("fen", "best"),
    [
        ("r1bqkbnr/ppp2ppp/2np4/4N3/2B1P3/2N5/PPPP1PPP/R1BbK2R w KQkq - 0 6", "c4f7"),  # Legal's mate
        ("4k3/8/8/3q4/8/2N5/8/4K3 w - - 0 1", "c3d5"),
        ("7k/8/3q4/4N3/8/8/8/6K1 w - - 0 1", "e5f7"),  # a fork
    ],
)
def test_tactics(lines: ChessLines, fen: str, best: str) -> None:
    state = RULES.parse(fen)
    lines.clear()
    (found,) = lines.search(state, 100_000)
    assert state.move_text(found.moves[0]) == best


def test_a_game_that_is_over_is_not_searched(lines: ChessLines) -> None:
    with pytest.raises(ValueError, match="the game is over"):
        lines.search(RULES.parse("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"), 1000)


def test_equal_searches_have_equal_results(lines: ChessLines) -> None:
    state = RULES.play(RULES.initial(), RULES.parse_move(RULES.initial(), "e4"))
    results = []
    for _ in range(2):
        lines.clear()
        results.append(lines.search(state, 30_000, lines=3))
    assert results[0] == results[1]
    assert len({line.moves[0] for line in results[0]}) == 3
    assert [line.centipawns for line in results[0]] == sorted(
        (line.centipawns for line in results[0]), reverse=True
    )


def test_only_the_moves_that_are_asked_for_are_searched(lines: ChessLines) -> None:
    state = RULES.initial()
    moves = [RULES.parse_move(state, text) for text in ("a3", "h3")]
    found = lines.search(state, 5_000, lines=5, only=moves)
    assert {line.moves[0] for line in found} == set(moves)


def test_lines_are_legal(lines: ChessLines) -> None:
    state = RULES.parse("r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/2NP1N2/PPP2PPP/R1BQK2R b KQkq - 0 5")
    (best,) = lines.search(state, 40_000)
    assert len(best.moves) >= 4
    for move in best.moves:
        assert move in state.legal_moves()
        state = RULES.play(state, move)


def test_a_repetition_is_a_draw(lines: ChessLines) -> None:
    """The side that is behind repeats once more."""
    state = RULES.parse("6k1/8/8/8/8/1q6/5PPQ/7K w - - 0 1")
    for text in ("Qb8+", "Kg7", "Qe5+", "Kg8", "Qb8+", "Kg7", "Qe5+", "Kg8"):
        state = RULES.play(state, RULES.parse_move(state, text))
    (best,) = lines.search(state, 20_000, only=[RULES.parse_move(state, "Qb8+")])
    assert abs(best.centipawns) < 400


def test_the_evaluation_is_the_same_seen_by_both_sides(lines: ChessLines) -> None:
    fen = "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4"
    mirrored = chess.Board(fen).mirror().fen()
    assert lines.evaluate(RULES.parse(fen)) == lines.evaluate(RULES.parse(mirrored))
    assert lines.evaluate(RULES.parse("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")) > 300


def exchange(fen: str, move: str) -> int:
    state: ChessState = RULES.parse(fen)
    return state.exchange_value(RULES.parse_move(state, move))


def test_exchanges() -> None:
    assert exchange("4k3/8/8/3p4/8/8/3R4/4K3 w - - 0 1", "Rxd5") == 100
    assert exchange("3rk3/8/8/3p4/8/8/3R4/4K3 w - - 0 1", "Rxd5") == -400
    assert exchange("3rk3/8/8/3p4/8/8/3R4/3RK3 w - - 0 1", "R2xd5") == 100
    assert exchange("4k3/8/8/3Pp3/8/8/8/4K3 w - e6 0 1", "dxe6") == 100
    assert exchange(START, "e4") == 0
    assert exchange("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a8=Q") == 850


def test_a_network_of_another_shape_is_refused() -> None:
    first, first_bias, last = (np.zeros(size, np.int16) for size in (768 * 128, 128, 8 * 256))
    with pytest.raises(ParseError, match="other sizes"):
        ChessLineSearch(first, first_bias, last, np.zeros(7, np.int32), megabytes=1)
    last[0] = 200
    with pytest.raises(ParseError, match="exceeds 127"):
        ChessLineSearch(first, first_bias, last, np.zeros(8, np.int32), megabytes=1)
