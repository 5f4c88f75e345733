"""Maia-3: tokens and labels checked by hand and against python-chess, and exports made to take batches."""

from __future__ import annotations

import random
from pathlib import Path

import chess
import numpy as np
import onnx
import pytest
from onnx.external_data_helper import convert_model_to_external_data

from sparring import _core
from sparring.base.errors import BadFile
from sparring.chess import maia3
from sparring.chess.game import Chess
from sparring.networks import Position
from sparring.networks.card import read_card
from sparring.networks.onnx_files import count_operators, load_onnx
from studies.networks.maia3 import agreement
from tests.networks.maia3_files import maia3_model
from tests.networks.onnx_session import run
from tests.reference.maia3 import reference_label, reference_tokens

GAME = Chess()
PROMOTIONS = "4k2r/P6P/8/8/8/8/p6p/R3K3"


def line_of(*moves: str) -> _core.ChessState:
    state = GAME.initial()
    for text in moves:
        state = GAME.play(state, GAME.parse_move(state, text))
    return state


def piece_at(tokens: np.ndarray, square: str, slot: int) -> str:
    """The piece that a slot's twelve numbers show on a square, own pieces in capitals."""
    shown = tokens[chess.parse_square(square), 12 * slot : 12 * slot + 12]
    assert shown.sum() in (0, 1)
    return "PNBRQKpnbrqk"[int(shown.argmax())] if shown.any() else "."


def test_each_board_is_seen_by_its_own_mover() -> None:
    tokens = _core.maia3_encode([line_of("e2e4", "c7c5", "g1f3")])[0]
    assert tokens.shape == (64, 96)
    # The newest board is Black's: ranks mirrored, Black's pieces are its own.
    assert [piece_at(tokens, square, 7) for square in ("e8", "e5", "c4", "f6", "d1")] == list("kpPnQ")
    # A ply ago White was to move and saw its own pawn on e4.
    assert [piece_at(tokens, square, 6) for square in ("e1", "e4", "c5", "f3", "g1")] == list("KPp.N")
    # Two plies ago Black saw White's pawn on the mirrored e5, and its own still at home.
    assert [piece_at(tokens, square, 5) for square in ("e5", "c2", "c4")] == list("pP.")


def test_the_first_board_stands_for_those_before_it() -> None:
    tokens = _core.maia3_encode([line_of("e2e4")])[0].reshape(64, 8, 12)
    start = _core.maia3_encode([GAME.initial()])[0].reshape(64, 8, 12)
    assert (start == start[:, :1]).all()
    assert (tokens[:, :7] == start[:, :7]).all()
    assert (tokens[:, 7] != start[:, 7]).any()
    assert tokens.sum() == start.sum() == 8 * 32


def test_a_position_without_a_line_repeats_itself() -> None:
    state = line_of("e2e4", "e7e5")
    alone = _core.maia3_encode([GAME.parse(state.text())])[0].reshape(64, 8, 12)
    assert (alone == alone[:, 7:]).all()


def random_lines(seed: int, games: int) -> list[tuple[list[chess.Board], _core.ChessState]]:
    rng = random.Random(seed)
    lines = []
    for _ in range(games):
        board, state = chess.Board(), GAME.initial()
        line = [board.copy()]
        for _ in range(120):
            if state.outcome is not None:
                break
            lines.append((line[-8:], state))
            move = rng.choice(state.legal_moves())
            board.push_uci(state.move_text(move))
            state = state.play(move)
            line.append(board.copy())
    return lines


def test_tokens_are_the_plain_references_along_random_games() -> None:
    lines = random_lines(1, 8)
    tokens = _core.maia3_encode([state for _, state in lines])
    for found, (line, _) in zip(tokens, lines, strict=True):
        assert np.array_equal(found, reference_tokens(line))


@pytest.mark.parametrize(
    ("fen", "move", "label"),
    [
        (chess.STARTING_FEN, "e2e4", 12 * 64 + 28),
        ("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1", "e7e5", 12 * 64 + 28),
        ("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", "e8g8", 4 * 64 + 6),
        (f"{PROMOTIONS} w Q - 0 1", "a7a8q", 4096),
        (f"{PROMOTIONS} w Q - 0 1", "a7a8n", 4096 + 3),
        (f"{PROMOTIONS} b Q - 0 1", "h2h1r", 4096 + (7 * 8 + 7) * 4 + 1),
        ("r1b1k3/1P6/8/8/8/8/8/4K3 w - - 0 1", "b7c8b", 4096 + (1 * 8 + 2) * 4 + 2),
    ],
)
def test_labels_by_hand(fen: str, move: str, label: int) -> None:
    state = GAME.parse(fen)
    logits = np.zeros((1, 4352), np.float32)
    logits[0, label] = 60
    assert probabilities(state, logits)[move] == pytest.approx(1)
    assert reference_label(chess.Board(fen), chess.Move.from_uci(move)) == label


def probabilities(state: _core.ChessState, logits: np.ndarray) -> dict[str, float]:
    prediction = maia3.Maia3Codec({}).decode(
        [Position(state)], {"logits_move": logits, "logits_value": np.zeros((1, 3), np.float32)}
    )[0]
    texts = [state.move_text(move) for move in prediction.moves]
    return dict(zip(texts, prediction.probabilities.tolist(), strict=True))


def test_probabilities_are_the_softmax_over_the_legal_moves() -> None:
    rng = np.random.default_rng(5)
    lines = [*random_lines(2, 3)[::7], ([chess.Board(f"{PROMOTIONS} b Q - 0 1")], None)]
    for line, state in lines:
        board = line[-1]
        logits = rng.normal(size=(1, 4352)).astype(np.float32) * 30
        found = probabilities(state or GAME.parse(board.fen()), logits)
        chosen = {move.uci(): float(logits[0, reference_label(board, move)]) for move in board.legal_moves}
        weights = {text: np.exp(logit - max(chosen.values())) for text, logit in chosen.items()}
        assert found == {text: pytest.approx(w / sum(weights.values())) for text, w in weights.items()}


def test_value_logits_are_loss_draw_win() -> None:
    outputs = {
        "logits_move": np.zeros((1, 4352), np.float32),
        "logits_value": np.log(np.array([[0.2, 0.1, 0.7]], np.float32)),
    }
    prediction = maia3.Maia3Codec({}).decode([Position(GAME.initial())], outputs)[0]
    assert prediction.wdl == pytest.approx((0.7, 0.1, 0.2))
    assert prediction.value == pytest.approx(0.5)


def test_ratings_have_defaults_and_bounds() -> None:
    state = GAME.initial()
    positions = [
        Position(state),
        Position(state, rating=1800),
        Position(state, opponent_rating=1200),
        Position(state, rating=100, opponent_rating=3500),
    ]
    inputs = maia3.Maia3Codec({}).encode(positions)
    assert inputs["self_elo"].tolist() == [1500, 1800, 1500, 600]
    assert inputs["oppo_elo"].tolist() == [1500, 1800, 1200, 2600]
    assert inputs["self_elo"].dtype == np.int64


@pytest.mark.parametrize("batch", [1, "batch"])
def test_an_export_for_one_position_takes_batches(batch: int | str) -> None:
    """Also where the export says that its batch is free but writes 1 into its shapes."""
    original = maia3_model(batch)
    model = maia3.read(load_onnx(original.SerializeToString()), "small")
    onnx.checker.check_model(model, full_check=True)
    states = [state for _, state in random_lines(4, 1)][:20]
    positions = [Position(state, rating=600 + 90 * i) for i, state in enumerate(states)]
    inputs = maia3.Maia3Codec({}).encode(positions)
    together = run(model, inputs)
    assert together["logits_move"].shape == (20, 4352)
    for i in range(20):
        row = {name: values[i : i + 1] for name, values in inputs.items()}
        single = run(original, row)
        for name in ("logits_move", "logits_value"):
            assert np.array_equal(run(model, row)[name], single[name])
            assert np.allclose(together[name][i : i + 1], single[name], atol=1e-5)


def test_only_what_predictions_need_is_kept() -> None:
    model = maia3.read(load_onnx(maia3_model().SerializeToString()), "small")
    assert [output.name for output in model.graph.output] == ["logits_move", "logits_value"]
    assert {"Squeeze", "GatherND"}.isdisjoint(count_operators(model))
    used = {name for node in model.graph.node for name in node.input}
    assert {tensor.name for tensor in model.graph.initializer} <= used


def test_a_batch_that_cannot_be_freed_is_refused() -> None:
    with pytest.raises(BadFile, match="fixed at one position in a way that cannot be undone"):
        maia3.read(load_onnx(maia3_model(mixing=True).SerializeToString()), "mixed")


def test_the_card_says_what_it_is() -> None:
    model = maia3.read(load_onnx(maia3_model().SerializeToString()), "small")
    card = read_card({entry.key: entry.value for entry in model.metadata_props})
    assert (card.name, card.game, card.codec, card.licence) == ("small", "chess", "maia3", "AGPL-3.0")
    assert card.settings == {"rating_low": 600, "rating_high": 2600, "rating_default": 1500}


def saved_apart(folder: Path) -> Path:
    """An export whose weights lie in a second file, as the published one's do."""
    model = maia3_model()
    convert_model_to_external_data(model, location="small.onnx.data", size_threshold=100)
    onnx.save(model, folder / "small.onnx")
    return folder / "small.onnx"


def test_weights_in_a_second_file_end_up_inside(tmp_path: Path) -> None:
    path = saved_apart(tmp_path)
    model = maia3.read(load_onnx(path.read_bytes(), tmp_path), "small")
    whole = maia3.read(load_onnx(maia3_model().SerializeToString()), "small")
    inputs = maia3.Maia3Codec({}).encode([Position(GAME.initial())])
    assert np.array_equal(run(model, inputs)["logits_move"], run(whole, inputs)["logits_move"])


@pytest.mark.parametrize("with_folder", [True, False])
def test_a_missing_second_file_is_named(tmp_path: Path, with_folder: bool) -> None:
    path = saved_apart(tmp_path)
    (tmp_path / "small.onnx.data").unlink()
    with pytest.raises(BadFile, match=r"small\.onnx\.data, which is not beside it"):
        maia3.read(load_onnx(path.read_bytes(), tmp_path if with_folder else None), "small")


def test_the_study_finds_agreement(tmp_path: Path) -> None:
    games = [["e2e4", "c7c5", "g1f3", "d7d6", "d2d4", "c5d4"], ["d2d4"]]
    found = agreement(saved_apart(tmp_path), games)
    assert found["positions"] == 7
    assert found["same_first_choice"] == 1.0
    assert float(str(found["greatest_probability_difference"])) < 1e-5
    assert float(str(found["greatest_value_difference"])) < 1e-5
