"""Reconnaissance blind chess against reconchess 1.6.9: every observation of both players."""

from __future__ import annotations

import random

import chess
import pytest
from reconchess import LocalGame
from reconchess.utilities import add_pawn_queen_promotion, move_actions, revise_move

from sparring._core import RbcBoardSet, RbcState
from sparring.games import IllegalMove, ParseError
from sparring.rbc.game import (
    NO_SENSE,
    PASS,
    SENSE,
    MoveResult,
    OpponentMoveResult,
    OpponentSense,
    Rbc,
    SenseResult,
    board_fen,
)

GAME = Rbc()


def start(fen: str | None) -> tuple[LocalGame, RbcState]:
    """A reconchess game and a state of ours at the same position."""
    game = LocalGame(seconds_per_player=None)
    if fen:
        game.board = chess.Board(fen)
        game.turn = game.board.turn
    game.start()
    return game, GAME.parse(fen) if fen else GAME.initial()


def compare_turn(game: LocalGame, state: RbcState, rng: random.Random) -> RbcState:
    """One turn played on both sides, every observation compared."""
    player, other = state.to_move, 1 - state.to_move
    assert set(state.legal_moves()) == {SENSE + s for s in game.sense_actions()} | {NO_SENSE}
    square = rng.choice([*game.sense_actions(), None])
    sense = NO_SENSE if square is None else SENSE + square
    seen = game.sense(square)
    expected = SenseResult(tuple((s, piece.symbol() if piece else None) for s, piece in seen))
    assert GAME.observe(state, player, sense) == expected
    assert GAME.observe(state, other, sense) == OpponentSense()
    state = state.play(sense)

    requests = {move.uci() for move in game.move_actions()}
    assert {state.move_text(m) for m in state.legal_moves()} == requests | {"pass"}
    request = rng.choice([*sorted(requests), None]) if rng.random() < 0.9 else None
    move = PASS if request is None else state.parse_move(request)
    _, taken, capture_square = game.move(chess.Move.from_uci(request) if request else None)
    observed = GAME.observe(state, player, move)
    assert isinstance(observed, MoveResult)
    assert (None if observed.taken is None else state.move_text(observed.taken)) == (
        taken.uci() if taken else None
    )
    assert observed.capture_square == capture_square
    assert GAME.observe(state, other, move) == OpponentMoveResult(game.opponent_move_results())
    state = state.play(move)
    game.end_turn()
    assert board_fen(state) == game.board.fen(en_passant="fen")
    return state


def compare_game(seed: int, fen: str | None = None) -> str:
    rng = random.Random(seed)
    game, state = start(fen)
    while not game.is_over():
        assert state.outcome is None
        state = compare_turn(game, state, rng)
    game.end()
    assert state.outcome is not None
    winner = game.get_winner_color()
    assert state.outcome.winner == (None if winner is None else int(not winner))
    assert state.outcome.reason.replace(" ", "_").upper() == game.get_win_reason().name
    assert state.legal_moves() == []
    return state.outcome.reason


def test_random_games_agree_with_reconchess() -> None:
    reasons = {compare_game(seed) for seed in range(150)}
    assert "king capture" in reasons


@pytest.mark.parametrize(
    "fen",
    [
        "r3k2r/pppq1ppp/2n5/3pP3/8/8/PPP2PPP/R3K2R w KQkq d6 0 1",  # castling and en passant at once
        "8/PPPPPPPP/1k6/8/8/1K6/pppppppp/8 w - - 0 1",  # promotions of every kind
        "4k3/8/8/8/8/8/8/R3K2R w KQ - 90 60",  # the move limit
        "rnbqkbnr/8/8/8/8/8/8/RNBQKBNR w KQkq - 0 1",  # sliders everywhere
    ],
)
def test_games_from_special_positions_agree_with_reconchess(fen: str) -> None:
    for seed in range(60):
        compare_game(seed, fen)


def after(fen: str, request: str) -> tuple[str | None, str | None]:
    state = GAME.parse(fen + " move")
    observed = GAME.observe(state, state.to_move, GAME.parse_move(state, request))
    assert isinstance(observed, MoveResult)
    taken = None if observed.taken is None else state.move_text(observed.taken)
    return taken, None if observed.capture_square is None else chess.square_name(observed.capture_square)


@pytest.mark.parametrize(
    ("fen", "request_text", "taken", "capture"),
    [
        ("4k3/8/8/4p3/8/8/8/4RK2 w - - 0 1", "e1e8", "e1e5", "e5"),  # a slide stops at the first piece
        ("4k3/8/8/8/4p3/8/4P3/4K3 w - - 0 1", "e2e4", "e2e3", None),  # a blocked double step becomes single
        ("4k3/8/8/8/8/4p3/4P3/4K3 w - - 0 1", "e2e4", None, None),
        ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "e2d3", None, None),  # nothing to capture
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", "e5d6", "d5"),  # en passant: the pawn's square
        ("3nk3/4P3/8/8/8/8/8/4K3 w - - 0 1", "e7d8", "e7d8q", "d8"),  # a missing promotion means queen
        ("4k3/8/8/8/8/8/8/4KB1R w K - 0 1", "f1a6", "f1a6", None),
        ("4k3/8/8/8/8/8/8/4Kb1R w K - 0 1", "e1g1", None, None),  # castling is offered, then refused
        ("4k3/8/8/8/8/4r3/8/4K2R w K - 0 1", "e1g1", "e1g1", None),  # out of check, which does not exist
        ("4k3/8/8/8/4R3/8/8/4K3 w - - 0 1", "e4e8", "e4e8", "e8"),  # the king can be taken
    ],
)
def test_requests_become_what_reconchess_makes_of_them(
    fen: str, request_text: str, taken: str | None, capture: str | None
) -> None:
    assert after(fen, request_text) == (taken, capture)


def test_a_sense_at_the_edge_is_clipped() -> None:
    observed = GAME.observe(GAME.initial(), 0, SENSE)
    assert observed == SenseResult(((8, "P"), (9, "P"), (0, "R"), (1, "N")))


def test_a_finished_game_takes_no_action() -> None:
    state = GAME.parse("8/8/8/8/8/8/8/4K3 b - - 0 1")
    assert state.outcome is not None
    assert state.outcome.winner == 0
    with pytest.raises(IllegalMove, match="over"):
        state.play(NO_SENSE)


@pytest.mark.parametrize("text", ["sense i9", "sense", "sense e", "e2", "move", "sense none none"])
def test_wrong_actions_raise(text: str) -> None:
    with pytest.raises(ParseError):
        GAME.parse_move(GAME.initial(), text)


def track(seed: int) -> None:
    """Both players' sets of possible boards through a random game: the truth never leaves them."""
    rng = random.Random(seed)
    state = GAME.initial()
    sets = [RbcBoardSet.of([state], player) for player in (0, 1)]
    for _ in range(40):
        if state.outcome is not None or max(map(len, sets)) > 20_000:
            break
        move = rng.choice(state.legal_moves())
        for player in (0, 1):
            match GAME.observe(state, player, move):
                case SenseResult(pieces):
                    sets[player] = sets[player].after_sense(list(pieces))
                case MoveResult(request, taken, capture_square):
                    sets[player] = sets[player].after_move(request, taken or PASS, capture_square)
                case OpponentMoveResult(capture_square):
                    sets[player] = sets[player].after_opponent(capture_square)
        state = state.play(move)
        for boards in sets:
            assert state in boards


def test_the_true_board_stays_possible() -> None:
    for seed in range(20):
        track(seed)


def slow_successors(board: chess.Board) -> set[str]:
    """Every board that any request leads to, by reconchess's own functions, counters left out."""
    requests = [add_pawn_queen_promotion(board, move) for move in move_actions(board)]
    boards = set()
    for taken in {revise_move(board, request) for request in requests} | {None}:
        child = board.copy()
        child.push(taken or chess.Move.null())
        boards.add(" ".join(child.fen(en_passant="fen").split()[:4]))
    return boards


def test_successors_of_a_set_are_those_of_reconchess() -> None:
    rng = random.Random(5)
    for _ in range(100):
        state = GAME.initial()
        for _ in range(rng.randrange(60)):
            if state.outcome is None:
                state = state.play(rng.choice(state.legal_moves()))
        if state.outcome is not None:
            continue
        boards = RbcBoardSet.of([state], player=1 - state.to_move)
        ours: set[str] = set()
        for captured in [None, *(square for square, _ in boards.own_pieces)]:
            ours |= {" ".join(fen.split()[:4]) for fen in boards.after_opponent(captured).fens()}
        assert ours == slow_successors(chess.Board(board_fen(state)))


def test_certain_pieces_are_those_of_all_boards() -> None:
    boards = RbcBoardSet.of([GAME.initial()], player=1).after_opponent(None)
    known_pieces = boards.known_pieces()
    assert known_pieces[chess.D8] == "q"
    assert known_pieces[chess.D2] == "?"
    assert known_pieces[chess.H5] is None
