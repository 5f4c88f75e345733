"""The networks of people's moves that come with Sparring. Retrained ones must pass as they are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from sparring.base.errors import BadFile
from sparring.games import load_game
from sparring.networks import Position, load_network
from sparring.networks.conditioned import InputSpec
from sparring.networks.store import add, find, stored_models
from tests.networks.tiny_networks import tiny_network, write
from tests.policies.fixed_policy import random_states

PEOPLE = ("chess", "go", "shogi")
MAX_BYTES = 7_000_000
"""Of a network."""


@pytest.mark.parametrize("game", PEOPLE)
def test_human_is_the_network_of_the_game(game: str, model_store: Path) -> None:
    path = find("human", game)
    assert path == find(f"human-{game}") == find(f"human-{game}", game)
    assert load_network("human", game=game).card.game == game
    (entry,) = [entry for entry in stored_models() if entry.path == path]
    assert (entry.shipped, entry.name) == (True, f"human-{game}")


def test_without_a_game_the_full_name_is_needed(model_store: Path) -> None:
    with pytest.raises(BadFile, match=r"no network 'human'.*human-chess"):
        find("human")
    with pytest.raises(BadFile, match="no network 'human'"):
        find("human", "expendibots")


def test_an_added_network_hides_a_shipped_one(model_store: Path, tmp_path: Path) -> None:
    add(write(tiny_network("chess"), tmp_path / "human-chess.onnx"))
    assert find("human", "chess").parent == model_store
    assert find("human", "go").parent != model_store


def test_the_shipped_networks_are_small() -> None:
    shipped = find("human-chess").parent
    kinds = ("human", "strong")
    assert {path.stem for path in shipped.iterdir()} == {
        *(f"{kind}-{game}" for kind in kinds for game in PEOPLE),
        "human-dan-go",  # that of persons and of engines' levels, which are measured with it
    }
    assert all(path.stat().st_size < MAX_BYTES for path in shipped.iterdir())


@pytest.mark.parametrize("name", ["human", "strong"])
@pytest.mark.parametrize("game", PEOPLE)
def test_every_legal_move_and_no_other_has_a_chance(game: str, name: str) -> None:
    network = load_network(name, game=game)
    conditions = [(None, None, None), (1, 2, 30.0), (2000, None, 0.0), (None, 1500, 1e9)]
    positions = [
        Position(state, *conditions[i % len(conditions)])
        for i, state in enumerate(random_states(game, 40, seed=3))
    ]
    for position, prediction in zip(positions, network.predict(positions), strict=True):
        assert list(prediction.moves) == position.state.legal_moves()
        assert np.isfinite(prediction.probabilities).all()
        assert prediction.probabilities.sum() == pytest.approx(1, abs=1e-4)
        assert prediction.wdl is not None
        assert sum(prediction.wdl) == pytest.approx(1, abs=1e-4)


def test_boards_of_several_sizes_may_be_predicted_together() -> None:
    network = load_network("human", game="go")
    states = [load_game("go", size=size).initial() for size in (9, 19, 9, 13)]
    together = network.predict(states)
    assert [len(prediction.moves) for prediction in together] == [82, 362, 82, 170]
    for state, prediction in zip(states, together, strict=True):
        np.testing.assert_allclose(
            network.predict([state])[0].probabilities, prediction.probabilities, atol=1e-5
        )


def test_networks_have_a_rating_range() -> None:
    assert load_network("human", game="chess").ratings is not None
    assert load_network("human", game="go").ratings is not None
    assert InputSpec("chess", "lc0", lowest=600, highest=2600).ratings == (600, 2600)
    assert InputSpec("shogi", "boards", lowest=0, highest=1).ratings is None


def chess_positions() -> list[Position]:
    ratings = (None, 900, 1500, 2100)
    states = random_states("chess", 24, seed=5)
    return [Position(state, ratings[i % 4], ratings[(i + 1) % 4]) for i, state in enumerate(states)]


def test_the_batch_does_not_change_a_prediction_in_8_bits() -> None:
    """Rounding to 8 bits amplifies float differences, so the graph must not have any between batch sizes."""
    network, positions = load_network("human", game="chess"), chess_positions()
    together = network.predict(positions)
    for size in (1, 2, 7):
        parts = [network.predict(positions[i : i + size]) for i in range(0, len(positions), size)]
        for mine, theirs in zip(together, (p for part in parts for p in part), strict=True):
            np.testing.assert_allclose(mine.probabilities, theirs.probabilities, atol=1e-6)
            assert mine.value == pytest.approx(theirs.value, abs=1e-6)


def test_pytorch_runs_the_network_in_8_bits() -> None:
    pytest.importorskip("torch")
    positions = chess_positions()
    ours = load_network("human", game="chess", backend="torch").predict(positions)
    theirs = load_network("human", game="chess").predict(positions)
    divergences = [
        float((b.probabilities * np.log(b.probabilities / a.probabilities)).sum())
        for a, b in zip(ours, theirs, strict=True)
    ]
    assert np.mean(divergences) < 0.003  # float differences that change a rounding


def test_weights_in_8_bits_have_7_bits_and_cannot_overflow_without_vnni() -> None:
    model = onnx.load(find("human-chess"))
    steps = [
        numpy_helper.to_array(t) for t in model.graph.initializer if t.data_type == onnx.TensorProto.INT8
    ]
    assert sum(array.size for array in steps) > 4_000_000
    assert max(int(np.abs(array.astype(np.int16)).max()) for array in steps) <= 63


def test_the_card_of_the_chess_network_tells_teacher_licence_accuracy_and_limitations() -> None:
    card = load_network("human", game="chess").card
    assert card.name == "human-chess"
    assert card.licence.startswith("AGPL-3.0")
    assert "maia3-5m (CSSLab/maia3; AGPL-3.0)" in card.teachers
    assert "0.563 (0.558 to 0.567)" in card.accuracy
    assert "Difference from maia3-5m" in card.accuracy
    assert dict(card.describe())["limitations"] == card.limitations != ""
