"""Chess against python-chess, perft tables, and the rules that end a game."""

from __future__ import annotations

import pickle
import random

import chess
import numpy as np
import pytest

from sparring.chess.game import Chess
from sparring.games import IllegalMove, ParseError, game_of
from sparring.search import PuctConfig

GAME = Chess()

PERFT = {
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1": [20, 400, 8902, 197281, 4865609],
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1": [
        48,
        2039,
        97862,
        4085603,
        193690690,
    ],
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1": [14, 191, 2812, 43238, 674624],
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1": [6, 264, 9467, 422333, 15833292],
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8": [44, 1486, 62379, 2103487, 89941194],
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10": [
        46,
        2079,
        89890,
        3894594,
        164075551,
    ],
}


@pytest.mark.parametrize("fen", PERFT)
def test_perft_tables(fen: str) -> None:
    state = GAME.parse(fen)
    assert [state.perft(depth) for depth in range(1, 6)] == PERFT[fen]


def random_board(rng: random.Random) -> chess.Board:
    """Some pieces thrown onto a board: checks, pins and en passant that games seldom show."""
    while True:
        board = chess.Board(None)
        squares = rng.sample(chess.SQUARES, rng.randint(2, 16))
        board.set_piece_at(squares[0], chess.Piece.from_symbol("K"))
        board.set_piece_at(squares[1], chess.Piece.from_symbol("k"))
        for square in squares[2:]:
            board.set_piece_at(square, chess.Piece.from_symbol(rng.choice("PPPNBRQpppnbrq")))
        board.turn = rng.random() < 0.5
        if rng.random() < 0.5:
            board.ep_square = rng.choice(range(40, 48) if board.turn else range(16, 24))
        if board.is_valid():
            return board


def assert_same(state_text: str, board: chess.Board) -> None:
    state = GAME.parse(state_text)
    ours = {state.move_text(m) for m in state.legal_moves()}
    theirs = set() if board.outcome() else {m.uci() for m in board.legal_moves}
    assert ours == theirs, state_text
    assert state.in_check == board.is_check()
    assert state.text() == board.fen()


def test_random_positions_have_python_chess_moves() -> None:
    rng = random.Random(1)
    for _ in range(3000):
        board = random_board(rng)
        assert_same(board.fen(en_passant="fen"), board)


def test_random_games_agree_with_python_chess_at_every_ply() -> None:
    rng = random.Random(2)
    reasons = set()
    for _ in range(60):
        board, state = chess.Board(), GAME.initial()
        while True:
            outcome = board.outcome()
            assert (state.outcome is None) == (outcome is None)
            assert state.text() == board.fen()
            assert (state.claimable_draw is not None) == (
                board.halfmove_clock >= 100 or board.is_repetition(3)
            )
            if outcome is not None:
                assert state.outcome is not None
                assert state.legal_moves() == []
                winner = None if outcome.winner is None else int(not outcome.winner)
                assert state.outcome.winner == winner
                reasons.add(state.outcome.reason)
                assert (
                    state.outcome.reason.replace(" ", "_").replace("-", "")
                    == outcome.termination.name.lower()
                )
                break
            moves = sorted(m.uci() for m in board.legal_moves)
            assert sorted(map(state.move_text, state.legal_moves())) == moves
            move = rng.choice(moves)
            board.push_uci(move)
            state = state.play(state.parse_move(move))
    assert len(reasons) >= 3


def test_keys_kept_incrementally_equal_keys_computed_afresh() -> None:
    rng = random.Random(3)
    for _ in range(20):
        state = GAME.initial()
        while state.outcome is None:
            assert GAME.parse(state.text()).key == state.key
            state = state.play(rng.choice(state.legal_moves()))


def play(moves: str, fen: str | None = None, game: Chess = GAME) -> str:
    state = game.parse(fen) if fen else game.initial()
    for move in moves.split():
        state = game.play(state, game.parse_move(state, move))
    outcome = game.outcome(state)
    return outcome.reason if outcome else "goes on"


def test_fivefold_repetition_ends_the_game_and_threefold_may_be_claimed() -> None:
    shuffle = "Nf3 Nf6 Ng1 Ng8 "
    assert play(shuffle * 3) == "goes on"
    assert play(shuffle * 4) == "fivefold repetition"
    claiming = Chess(claim_draws=True)
    assert play(shuffle, game=claiming) == "goes on"
    assert play(shuffle * 2, game=claiming) == "threefold repetition"
    state = claiming.initial()
    for move in (shuffle * 2).split():
        state = claiming.play(state, claiming.parse_move(state, move))
    assert claiming.legal_moves(state) == []
    with pytest.raises(IllegalMove, match="over"):
        claiming.play(state, state.parse_move("e2e4"))


def test_the_rule_about_claims_is_part_of_the_state() -> None:
    claiming = Chess(claim_draws=True)
    fen = "8/8/8/8/8/4k3/8/R3K3 w - - 98 120"
    plain, state = GAME.parse(fen), claiming.parse(fen)
    assert (plain.claim_draws, state.claim_draws) == (False, True)
    assert plain != state
    assert plain.text() == state.text() == fen, "FEN either way"
    assert (game_of(plain), game_of(state)) == (GAME, claiming)
    assert game_of(claiming.initial().play(claiming.initial().legal_moves()[0])) == claiming
    line = state.play(state.parse_move("a1a2"))
    for each in (state, line):
        assert pickle.loads(pickle.dumps(each)) == each
    assert repr(state) == f"ChessState('{fen} claim_draws')"
    drawn = line.play(line.parse_move("e3f3"))
    assert drawn.outcome is not None
    assert drawn.outcome.reason == "fifty moves"
    assert drawn.legal_moves() == []
    assert {state.playout(seed, 500)[1] for seed in range(20)} == {2}


def test_searches_see_claimable_draws() -> None:
    """A rook ahead with 99 reversible plies played: any quiet move is a draw by the claim."""
    fen = "7k/8/8/8/8/8/P7/R3K3 w - - 99 120"
    won = dict(GAME.parse(fen).alphabeta(2000, 10_000))
    state = Chess(claim_draws=True).parse(fen)
    claimed = dict(state.alphabeta(2000, 10_000))
    quiet, pawn_move = state.parse_move("a1b1"), state.parse_move("a2a4")
    assert won[quiet] > 300
    assert claimed[quiet] == 0
    assert claimed[pawn_move] > 300
    tree = state.tree(PuctConfig())
    for _ in range(60):
        if leaves := tree.select(1, 1):
            moves = len(leaves[0].legal_moves())
            tree.evaluate(np.full(moves, 1 / moves, np.float32), np.zeros(1, np.float32))
    values = dict(zip(tree.root_moves()[0].tolist(), tree.root_moves()[3].tolist(), strict=True))
    assert values[quiet] == 0
    shuffled = Chess(claim_draws=True).parse("7k/8/8/8/8/8/8/R3K3 b - - 0 1")
    for move in ["h8g8", "a1b1", "g8h8", "b1a1", "h8g8", "a1b1", "g8h8"]:
        shuffled = shuffled.play(shuffled.parse_move(move))
    scores = dict(shuffled.alphabeta(500, 10_000))
    assert scores[shuffled.parse_move("b1a1")] == 0, "the third repetition"
    assert scores[shuffled.parse_move("b1b7")] > 300


def test_fifty_and_seventy_five_moves() -> None:
    fen = "8/8/8/8/8/4k3/8/R3K3 w - - {} 120"
    assert play("Ra2", fen.format(149)) == "seventy-five moves"
    assert play("Ra2", fen.format(148)) == "goes on"
    assert play("Ra2", fen.format(99), Chess(claim_draws=True)) == "fifty moves"
    assert play("Ra3", "8/8/8/8/8/8/R7/4K2k w - - 149 120") == "seventy-five moves"
    assert play("Ra1", "8/8/8/8/8/7K/R7/7k w - - 149 120") == "checkmate", "mate takes precedence"


def test_repetition_needs_the_same_rights() -> None:
    # The first visit still has castling rights; the king's trip loses them.
    assert play("Ke2 Ke7 Ke1 Ke8 " * 4, "r3k3/8/8/8/8/8/8/4K2R w Kq - 0 1") == "goes on"
    assert play("Ke2 Ke7 Ke1 Ke8 " * 4, "r3k3/8/8/8/8/8/8/4K2R w - - 0 1") == "fivefold repetition"


@pytest.mark.parametrize(
    ("moves", "reason"),
    [("f3 e5 g4 Qh4", "checkmate"), ("e4 e5 Qh5 Nc6 Bc4 Nf6 Qxf7", "checkmate"), ("e2e4", "goes on")],
)
def test_san_and_uci_moves_play(moves: str, reason: str) -> None:
    assert play(moves) == reason


def test_san_is_written() -> None:
    state = GAME.initial()
    assert GAME.san(state, GAME.parse_move(state, "g1f3")) == "Nf3"


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("e2e5", IllegalMove),
        ("Nf6", IllegalMove),
        ("e9", ParseError),
        ("", ParseError),
        ("0000", IllegalMove),
        ("e2e4x", ParseError),
    ],
)
def test_wrong_moves_raise(text: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        GAME.parse_move(GAME.initial(), text)


@pytest.mark.parametrize(
    ("fen", "complaint"),
    [
        ("", "fields"),
        ("8/8/8/8/8/8/8/8 w - - 0 1", "king"),
        ("kk6/8/8/8/8/8/8/K7 w - - 0 1", "more than one king"),
        ("4k3/8/8/8/8/8/8/4K2P w - - 0 1", "pawn"),
        ("4k3/8/8/8/8/8/8/4K3 x - - 0 1", "side to move"),
        ("4k3/8/8/8/8/8/4R3/4K3 w - - 0 1", "in check"),
        ("4k3/8/8/8/8/8/8/4K3 w HAha - 0 1", "Chess960"),
        ("4k3/8/8/8/8/8/8/4K3 w - e5 0 1", "en passant"),
        ("4k3/8/8/8/8/8/8/4K3 w - - -1 1", "counter"),
        ("4k3/8/8/8/8/8/4K3 w - - 0 1", "8 ranks"),
        ("4k3/44/8/8/8/8/8/4K3 w - - 0 1", "digits"),
        ("4k3/9/8/8/8/8/8/4K3 w - - 0 1", "unknown piece"),
        ("4k3/8/QQQQQQQQ/QQQQQQQQ/8/8/8/4K3 w - - 0 1", "more than 16"),
    ],
)
def test_impossible_fens_are_refused_with_a_reason(fen: str, complaint: str) -> None:
    with pytest.raises(ParseError, match=complaint):
        GAME.parse(fen)


def test_rights_that_the_pieces_contradict_are_dropped_as_python_chess_does() -> None:
    fen = "4k2r/8/8/8/8/8/8/R3K3 w KQkq e6 0 1"
    assert GAME.text(GAME.parse(fen)) == chess.Board(fen).fen()


@pytest.mark.parametrize(
    "fen",
    [
        "4k3/P6P/8/8/8/8/p6p/4K3 w - - 0 1",
        "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
        "5k2/8/8/Q6Q/8/8/K6Q/8 w - - 0 1",
        "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1",
        "7k/5Q2/5K2/8/8/8/8/8 w - - 0 1",
        chess.STARTING_FEN,
    ],
)
def test_san_is_that_of_python_chess(fen: str) -> None:
    rng = np.random.default_rng(5)
    for _ in range(8):
        state = Chess().parse(fen)
        for _ in range(60):
            board = chess.Board(state.text())
            for move in state.legal_moves():
                assert Chess().san(state, move) == board.san(chess.Move.from_uci(state.move_text(move)))
            if state.outcome is not None:
                break
            state = state.play(int(rng.choice(state.legal_moves())))
