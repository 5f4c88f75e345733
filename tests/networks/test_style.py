"""Style networks: their graphs agree with their formulas, and a zero vector changes nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sparring import data
from sparring._core import lc0_policy_moves
from sparring.base.errors import BadFile
from sparring.games import load_game
from sparring.networks import Network, Position
from sparring.networks.conditioned import ConditionedCodec
from sparring.networks.formats import make_codec, open_network, read_network
from sparring.networks.network import open_session
from sparring.networks.style import (
    FEATURES,
    StyleNetwork,
    matches,
    move_features,
    read_style,
    trunk_cells,
    trunk_output,
    with_features,
    with_person,
)
from sparring.policies.person import base_network

CHANNELS = {"chess": 256, "go": 128}


def random_style(game: str, dimensions: int = 3) -> StyleNetwork:
    random = np.random.default_rng(0)
    points = game == "go"

    def draw(*shape: int) -> np.ndarray:
        return random.normal(0, 0.1, shape).astype(np.float32)

    channels = CHANNELS[game]
    return StyleNetwork(
        game,
        "points" if points else "from-to",
        draw(channels, 8),
        draw(8),
        draw(8, dimensions if points else 4 * dimensions),
        draw(channels, dimensions) if points else np.zeros((0, 0), np.float32),
        np.zeros((2, 0), np.float32) if points else np.array(lc0_policy_moves(), np.float32)[:, :2].T,
        np.array([0.1], np.float32),
        np.zeros(channels, np.float32),
    )


def fitting_style(game: str) -> StyleNetwork:
    """A random style network that is for the shipped network."""
    model, card = open_network(data.path("networks", f"{base_network(game)}-{game}"))
    cells = trunk_cells(model, make_codec(card), random_style(game))
    return replace(random_style(game), probe=cells.mean(axis=0))


def positions(game: str) -> list[Position]:
    rules = load_game(game)
    state, found = rules.initial(), []
    random = np.random.default_rng(1)
    for _ in range(6):
        found.append(Position(state, 1500 if game == "chess" else 3))
        state = rules.play(state, int(random.choice(rules.legal_moves(state))))
    return found


@pytest.mark.parametrize("game", ["chess", "go"])
def test_a_zero_vector_is_the_network_itself(game: str) -> None:
    model, card = read_network(data.path("networks", f"{base_network(game)}-{game}"))
    style = random_style(game)
    personal = Network(with_person(model, style, np.zeros(3, np.float32), 1.0), card, make_codec(card))
    own = Network(model, card, make_codec(card))
    for mine, theirs in zip(own.predict(positions(game)), personal.predict(positions(game)), strict=True):
        assert np.abs(mine.probabilities - theirs.probabilities).max() < 1e-6
        assert mine.value == pytest.approx(theirs.value, abs=1e-6)


@pytest.mark.parametrize("game", ["chess", "go"])
def test_the_graph_of_a_person_agrees_with_the_features(game: str) -> None:
    model, card = read_network(data.path("networks", f"{base_network(game)}-{game}"))
    codec = make_codec(card)
    assert isinstance(codec, ConditionedCodec)
    style = random_style(game)
    z = np.array([1.0, -2.0, 0.5], np.float32)
    inputs = codec.encode(positions(game))
    features = open_session(with_features(model, style)).run(inputs)
    policy = open_session(with_person(model, style, z, 1.2)).run(inputs)["policy"]
    labels = np.arange(policy.shape[1])
    for row in range(len(policy)):
        change = move_features(style, features[FEATURES], np.full(len(labels), row), labels) @ z
        assert np.abs(1.2 * features["policy"][row] + change - policy[row]).max() < 1e-3


def test_go_on_a_small_board() -> None:
    model, card = read_network(data.path("networks", "human-dan-go"))
    personal = with_person(model, random_style("go"), np.ones(3, np.float32), 1.0)
    state = load_game("go", size=9).initial()
    (found,) = Network(personal, card, make_codec(card)).predict([Position(state, 3)])
    assert len(found.probabilities) == 82


def test_the_trunk_is_what_policy_and_value_share() -> None:
    for game in CHANNELS:
        model, _ = read_network(data.path("networks", f"{base_network(game)}-{game}"))
        trunk = trunk_output(model)
        node = next(node for node in model.graph.node if trunk in node.output)
        assert node.op_type in ("LayerNormalization", "Relu")


@pytest.mark.parametrize("game", ["chess", "go"])
def test_a_style_network_of_another_network_does_not_match(game: str) -> None:
    model, card = read_network(data.path("networks", f"{base_network(game)}-{game}"))
    codec = make_codec(card)
    assert not matches(model, codec, random_style(game))
    assert matches(model, codec, fitting_style(game))


def test_a_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    style = random_style("go")
    path = tmp_path / "go.npz"
    path.write_bytes(style.to_bytes())
    again = read_style(path)
    assert again.dimensions == 3
    assert np.abs(again.hidden - style.hidden).max() < 1e-3
    content = path.read_bytes()
    for damaged in (b"", b"no zip", content[: len(content) // 2]):
        path.write_bytes(damaged)
        with pytest.raises(BadFile, match=r"go\.npz"):
            read_style(path)


def test_a_head_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "go.npz"
    path.write_bytes(replace(random_style("go"), head="planes").to_bytes())
    with pytest.raises(BadFile, match="the head is 'planes'"):
        read_style(path)


@pytest.mark.parametrize("game", ["chess", "go"])
def test_the_shipped_style_networks_are_for_the_shipped_networks(game: str) -> None:
    """A style network belongs to one network: train it again (results/person) if the network changes."""
    model, card = read_network(data.path("networks", f"{base_network(game)}-{game}"))
    path = data.path("styles", game)
    assert matches(model, make_codec(card), read_style(path))
    assert path.stat().st_size < 200_000
