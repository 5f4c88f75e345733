"""Predictions: batches, top moves, shared networks, and invalid arguments."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest

from sparring.chess.game import Chess
from sparring.games import GAMES, load_game
from sparring.networks import Network, Position, Prediction, load_network
from sparring.networks.card import read_card
from sparring.networks.formats import make_codec
from tests.networks.tiny_networks import tiny_network, write


def network(game: str, **options: Any) -> Network:
    model = tiny_network(game)
    card = read_card({entry.key: entry.value for entry in model.metadata_props})
    return Network(model, card, make_codec(card), **options)


def states(game: str, count: int, seed: int = 1) -> list[Any]:
    rng, rules = random.Random(seed), load_game(game)
    found: list[Any] = []
    state = rules.initial()
    while len(found) < count:
        moves = rules.legal_moves(state)
        if not moves:
            state = rules.initial()
            continue
        found.append(state)
        state = rules.play(state, rng.choice(moves))
    return found


def same(a: Prediction, b: Prediction) -> bool:
    return a.moves == b.moves and np.allclose(a.probabilities, b.probabilities, atol=1e-6)


@pytest.mark.parametrize("game", GAMES)
def test_probabilities_are_over_the_legal_moves_and_add_up(game: str) -> None:
    asked = states(game, 40)
    for state, prediction in zip(asked, network(game).predict(asked), strict=True):
        assert list(prediction.moves) == state.legal_moves()
        assert prediction.probabilities.sum() == pytest.approx(1, abs=1e-5)
        assert prediction.value is not None
        assert -1 <= prediction.value <= 1


def test_probabilities_are_the_softmax_of_the_graphs_logits() -> None:
    model = tiny_network("chess")
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    for state in states("chess", 5):
        logits = session.run(["policy"], {"planes": load_game("chess").encode([state])})[0][0].astype(
            np.float64
        )
        weights = np.exp(logits[state.legal_moves()])
        found = network("chess").predict([state])[0]
        np.testing.assert_allclose(found.probabilities, weights / weights.sum(), atol=1e-5)


def test_batches_give_the_results_of_single_positions() -> None:
    asked = states("chess", 70)
    singles = [network("chess").predict([state])[0] for state in asked[:10]]
    for size in (1, 7, 64, 1000):
        batch = network("chess", batch=size).predict(asked)
        assert len(batch) == 70
        assert all(same(a, b) for a, b in zip(singles, batch, strict=False))


@pytest.mark.parametrize(("backend", "tolerance"), [("torch", 1e-4), ("openvino", 0.05)])
def test_every_backend_gives_the_same_predictions(backend: str, tolerance: float) -> None:
    """OpenVINO may calculate in bfloat16, which is why it may differ in the second decimal."""
    asked = states("chess", 40)
    other = network("chess", backend=backend)
    assert backend.lower() in other.device.lower().replace("py", "")
    for a, b in zip(network("chess").predict(asked), other.predict(asked), strict=True):
        assert a.moves == b.moves
        np.testing.assert_allclose(a.probabilities, b.probabilities, atol=tolerance)
        assert a.value == pytest.approx(b.value, abs=tolerance)


def test_no_positions_give_no_predictions() -> None:
    assert network("go").predict([]) == []


def test_top_moves_come_first() -> None:
    state = load_game("chess").initial()
    prediction = network("chess").predict([state])[0]
    top = prediction.top(3)
    assert len(top) == 3
    assert top[0].probability == prediction.probabilities.max()
    assert [each.probability for each in top] == sorted((each.probability for each in top), reverse=True)
    assert [each.name for each in top] == [Chess().san(state, each.move) for each in top]
    assert [each.text for each in top] == [Chess().move_text(state, each.move) for each in top]


def test_without_a_state_top_moves_are_codes() -> None:
    assert Prediction((4, 7), np.array([0.25, 0.75], np.float32)).top(1) == [(7, 0.75, "7", "7")]


@pytest.mark.parametrize("name", ["human-chess", "human-go", "human-shogi"])
def test_top_moves_of_every_codec_have_texts(name: str) -> None:
    trained = load_network(name)
    game = load_game(trained.codec.game)
    state = game.initial()
    for move, _, text, name in trained.predict([state])[0].top(5):
        assert text == game.move_text(state, move)
        assert game.parse_move(state, text) == game.parse_move(state, name) == move


def test_states_of_another_game_and_finished_games_are_refused() -> None:
    chess = network("chess")
    with pytest.raises(ValueError, match="network for chess"):
        chess.predict([load_game("shogi").initial()])
    mated = load_game("chess").parse("R5k1/5ppp/8/8/8/8/8/7K b - - 0 1")
    with pytest.raises(ValueError, match=r"position 2 .*checkmate"):
        chess.predict([Position(load_game("chess").initial()), mated])


def test_the_same_file_twice_is_one_network(tmp_path: Path) -> None:
    path = write(tiny_network("chess"), tmp_path / "a.onnx")
    assert load_network(path) is load_network(str(path))
    assert load_network(path) is not load_network(path, batch=10)
