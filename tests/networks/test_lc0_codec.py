"""Lc0's input planes and policy indices against Lc0's own code."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from sparring._core import ChessState, lc0_decode, lc0_encode, lc0_policy_moves
from sparring.chess.game import Chess
from sparring.chess.lc0_graph import convolution_policy_map, positional_encoding, read
from sparring.networks import Position
from sparring.networks.graph import attention_policy_map
from tests.networks.lc0_games import predictions, random_lines
from tests.networks.lc0_writer import NetworkKind, small_network
from tests.reference.lc0 import Lc0Output, UciPosition, evaluate_with_lc0

PIECES = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"
CASES = {
    "the initial position": UciPosition(()),
    "the first move": UciPosition(("e2e4",)),
    "the initial pieces with other counters": UciPosition((), f"{PIECES} w KQkq - 5 9"),
    "the initial pieces, Black to move": UciPosition((), f"{PIECES} b KQkq - 0 1"),
    "the initial pieces, fewer rights": UciPosition((), f"{PIECES} w Qk - 0 1"),
    "a position without history": UciPosition((), "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 12 40"),
    "en passant without history": UciPosition(
        (), "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1"
    ),
    "an idle en passant square without history": UciPosition(
        (), "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1"
    ),
    "an idle en passant square, then moves": UciPosition(
        ("g8f6", "g1f3", "f6g8", "f3g1"), "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1"
    ),
    "en passant for White, then a move": UciPosition(
        ("g1f3",), "rnbqkbnr/ppp1pppp/8/3pP3/8/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 3"
    ),
    "a repetition": UciPosition(("g1f3", "g8f6", "f3g1", "f6g8")),
    "a repetition after a double step": UciPosition(("e2e4", "g8f6", "g1f3", "f6g8", "f3g1", "g8f6")),
    "no repetition while en passant was possible": UciPosition(
        ("a2a3", "d7d5", "a3a4", "d5d4", "e2e4", "g8f6", "g1f3", "f6g8", "f3g1")
    ),
    "no repetition while a pinned pawn stood beside": UciPosition(
        ("e2e4", "e8e7", "a4a5", "e7e8", "a5a4"), "4k3/8/8/8/K2p3r/8/4P3/8 w - - 0 1"
    ),
    "more moves than boards, castling": UciPosition(
        ("e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "b5a4", "g8f6", "e1g1")
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("lc0") / "small.pb"
    path.write_bytes(small_network(NetworkKind()).content())
    return path


def state_of(line: UciPosition) -> ChessState:
    state = Chess().initial() if line.fen is None else Chess().parse(line.fen)
    for move in line.moves:
        state = state.play(state.parse_move(move))
    return state


def planes_of(output: Lc0Output) -> NDArray[np.float64]:
    squares = np.arange(64, dtype=np.uint64)
    return np.array(
        [value * (np.uint64(mask) >> squares & np.uint64(1)) for mask, value in output.planes]
    ).reshape(112, 8, 8)


def test_planes_are_lc0s_at_starts_repetitions_and_en_passant(network: Path) -> None:
    for (name, line), output in zip(
        CASES.items(), evaluate_with_lc0(network, list(CASES.values())), strict=True
    ):
        np.testing.assert_array_equal(lc0_encode([state_of(line)])[0], planes_of(output), err_msg=name)


def test_planes_are_lc0s_in_random_games(network: Path) -> None:
    lines, positions = random_lines(400)
    ours = lc0_encode([position.state for position in positions])
    assert ours[:, 12].any(), "no repetition came up"
    np.testing.assert_array_equal(ours, [planes_of(output) for output in evaluate_with_lc0(network, lines)])


def test_history_is_empty_at_the_start_of_a_game_and_filled_from_elsewhere() -> None:
    start = lc0_encode([Chess().initial()])[0]
    assert start[:13].any()
    assert not start[13:104].any()
    elsewhere = lc0_encode([Chess().parse("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1")])[0]
    for board in range(1, 8):
        np.testing.assert_array_equal(elsewhere[13 * board : 13 * board + 13], elsewhere[:13])


def test_a_filled_history_would_give_other_probabilities(network: Path) -> None:
    """The case that is easy to get wrong: at the first moves Lc0 leaves the older boards empty."""
    model = read(network.read_bytes(), "small")
    line = UciPosition(("e2e4",))
    output = evaluate_with_lc0(network, [line])[0]
    real = Position(state_of(line))
    bare = Position(Chess().parse(real.state.text()))  # the same position, but its past is unknown
    ours, filled = predictions(model, [real, bare])
    names = [real.state.move_text(move) for move in ours.moves]
    theirs = np.array([output.probabilities[name] for name in names])
    assert np.abs(ours.probabilities - theirs).max() < 0.002
    assert np.abs(filled.probabilities - theirs).max() > 0.01


def test_every_legal_move_has_a_place_of_its_own_in_the_policy() -> None:
    _, positions = random_lines(30)
    hot = np.eye(1858, dtype=np.float32) * 50
    for position in positions:
        moves, probabilities = lc0_decode([position.state] * 1858, hot)
        certain = probabilities.reshape(1858, len(moves[0])) > 0.9
        assert (certain.sum(axis=0) == 1).all()  # each move is the sure one for one entry of the policy
        assert (certain.sum(axis=1) <= 1).all()


def test_castling_is_king_takes_rook_and_a_knight_is_the_plain_promotion() -> None:
    places = {move: i for i, move in enumerate(lc0_policy_moves())}
    cases = {
        "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1": {"e1g1": (4, 7, 0), "e1c1": (4, 0, 0), "a1a8": (0, 56, 0)},
        "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1": {"e8g8": (4, 7, 0), "e8c8": (4, 0, 0)},
        "4k3/P7/8/8/8/8/8/4K3 w - - 0 1": {"a7a8q": (48, 56, 4), "a7a8n": (48, 56, 0)},
        "4k3/8/8/8/8/8/7p/4K1N1 b - - 0 1": {"h2g1r": (55, 62, 3), "h2g1n": (55, 62, 0)},
        "4k3/8/8/8/8/8/7p/4K1N1 b - - 0 2": {"h2g1b": (55, 62, 2), "h2h1q": (55, 63, 4)},
    }
    for fen, expected in cases.items():
        state = Chess().parse(fen)
        for name, entry in expected.items():
            logits = np.zeros((1, 1858), dtype=np.float32)
            logits[0, places[entry]] = 20
            moves, probabilities = lc0_decode([state], logits)
            assert state.move_text(moves[0][int(probabilities.argmax())]) == name


def test_probabilities_survive_huge_logits_and_the_end_of_a_game() -> None:
    over = Chess().parse("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1")
    logits = np.full((2, 1858), 1e30, dtype=np.float32)
    moves, probabilities = lc0_decode([over, Chess().initial()], logits)
    assert moves[0] == ()
    assert probabilities == pytest.approx(np.full(20, 0.05))
    assert list(moves[1]) == Chess().initial().legal_moves()


def test_decoding_needs_a_row_of_logits_a_state() -> None:
    with pytest.raises(ValueError, match="one row"):
        lc0_decode([Chess().initial()], np.zeros((2, 1858), dtype=np.float32))


def test_no_positions_are_no_work() -> None:
    assert lc0_encode([]).shape == (0, 112, 8, 8)
    assert lc0_decode([], np.zeros((0, 1858), dtype=np.float32))[0] == []


def test_heads_have_one_place_for_each_move() -> None:
    assert len(set(attention_policy_map().tolist())) == len(set(convolution_policy_map().tolist())) == 1858
    codes = positional_encoding()
    assert (np.diag(codes) == -1).all()
    assert (codes == 1).sum() == 1792
