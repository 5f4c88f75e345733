"""A person's file as a policy and as a player."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sparring.base.errors import BadConfig
from sparring.games import load_game
from sparring.networks import Position
from sparring.networks.codec import PositionBatch
from sparring.players import GameStart, Turn, load_player_file
from sparring.policies import fingerprint, load_policy, rating_range
from sparring.policies.person import (
    PersonCard,
    PersonModel,
    PersonPolicy,
    graph_digest,
    read_person,
    read_styled,
    style_digest,
    write_person,
)
from sparring.policies.policy import predict_batch
from sparring.policies.repertoire import Repertoire, canonical
from tests.networks.test_style import fitting_style

CHESS = load_game("chess")
START = CHESS.initial()


def person_model(vector: float = 0.0, opening: str = "b3", concentration: float | None = 1.0) -> PersonModel:
    """Somebody who always begins with one move."""
    graph, _, style = read_styled("human", "chess")
    assert style is not None
    card = PersonCard(
        "Alice", "chess", "human", 4, 100, rating=1400, base_digest=graph_digest(graph),
        style_digest=style_digest(style), concentration=concentration,
    )  # fmt: skip
    key, images = canonical(START)
    place = START.legal_moves().index(CHESS.parse_move(START, opening))
    book = Repertoire.of(
        np.full(4, key, np.uint64),
        np.full(4, images[place]),
        np.inf if concentration is None else concentration,
    )
    return PersonModel(
        card, np.full(style.dimensions, vector, np.float32), book, np.arange(4, dtype=np.uint64)
    )


@pytest.fixture(autouse=True, scope="module")
def style_network(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A random style network in the user's folder."""
    home = tmp_path_factory.mktemp("home")
    (home / "styles").mkdir()
    (home / "styles" / "chess.npz").write_bytes(fitting_style("chess").to_bytes())
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPARRING_HOME", str(home))
        yield


@pytest.fixture
def alice(tmp_path: Path) -> Path:
    path = tmp_path / "alice.person"
    write_person(path, person_model())
    return path


def test_a_file_is_read_as_it_was_written(alice: Path) -> None:
    model, again = person_model(), read_person(alice)
    assert again.card == model.card
    assert (again.vector == model.vector).all()
    assert (again.repertoire.keys == model.repertoire.keys).all()
    assert (again.identities == model.identities).all()


def test_the_repertoire_is_played_and_the_rest_is_the_base(alice: Path) -> None:
    person, base = load_policy(alice, "chess"), load_policy("human", "chess")
    assert isinstance(person, PersonPolicy)
    assert person.name == "alice"
    (found,) = person.predict([Position(START, 1400)])
    (usual,) = base.predict([Position(START, 1400)])
    assert found.top(1)[0].name == "b3"
    assert found.top(1)[0].probability > 0.8
    later = CHESS.play(START, CHESS.parse_move(START, "e4"))
    (found,), (usual,) = (each.predict([Position(later, 1400)]) for each in (person, base))
    assert np.abs(found.probabilities - usual.probabilities).max() < 1e-6


def test_a_position_without_rating_gets_the_rating_of_the_person(alice: Path) -> None:
    person = load_policy(alice, "chess")
    later = CHESS.play(START, CHESS.parse_move(START, "e4"))
    with_rating, without = person.predict([Position(later, 1400), Position(later)])
    assert np.allclose(with_rating.probabilities, without.probabilities, atol=1e-6)
    assert rating_range(person) == rating_range(load_policy("human", "chess"))


def test_batches_agree_with_single_positions(alice: Path, tmp_path: Path) -> None:
    path = tmp_path / "styled.person"
    write_person(path, person_model(vector=0.5))
    person = load_policy(path, "chess")
    states = [START, CHESS.play(START, CHESS.parse_move(START, "e4"))]
    ratings, clocks = np.array([[np.nan, np.nan], [1400.0, 1400.0]]), np.full(2, np.nan)
    batch = predict_batch(person, PositionBatch(_native(states), ratings, clocks))
    single = person.predict([Position(states[0]), Position(states[1], 1400, 1400)])
    assert np.allclose(
        batch.probabilities, np.concatenate([each.probabilities for each in single]), atol=1e-5
    )


def _native(states: list[Any]) -> Any:
    from sparring import _core

    return _core.ChessStates(states)


def test_a_vector_changes_the_moves(alice: Path, tmp_path: Path) -> None:
    path = tmp_path / "other.person"
    write_person(path, person_model(vector=1.0, concentration=None))
    (styled,) = load_policy(path, "chess").predict([Position(START, 1400)])
    (usual,) = load_policy("human", "chess").predict([Position(START, 1400)])
    assert np.abs(styled.probabilities - usual.probabilities).max() > 1e-3
    assert fingerprint(str(path), "chess") != fingerprint(str(alice), "chess")


def test_the_same_seed_gives_the_same_game(alice: Path) -> None:
    file = alice.with_suffix(".toml")
    file.write_text('game = "chess"\nmodel = "alice.person"\nrating = 1400\n')
    games = []
    for _ in range(2):
        state, moves = START, []
        with load_player_file(file, "chess") as player:
            player.new_game(GameStart(CHESS, START, seed=5))
            for _ in range(6):
                moves.append(player.choose(Turn.of(state)).move)
                state = CHESS.play(state, moves[-1])
        games.append(moves)
    assert games[0] == games[1]


def test_a_damaged_file_is_refused(alice: Path) -> None:
    content = alice.read_bytes()
    for damaged in (b"", b"PK", content[:-30], content[: len(content) // 2], content[:40] + b"x" * 400):
        alice.write_bytes(damaged)
        with pytest.raises(BadConfig, match=r"alice\.person"):
            load_policy(alice, "chess")


@pytest.mark.parametrize(
    "change",
    [
        {"sharpness": -1.0},
        {"game": "tennis"},
        {"move_numbering": 99},
        {"base_digest": ""},
        {"concentration": 0.0},
    ],
)
def test_a_card_that_cannot_be_is_refused(change: dict[str, object], tmp_path: Path) -> None:
    model, path = person_model(), tmp_path / "bad.person"
    write_person(path, replace(model, card=replace(model.card, **change)))  # type: ignore[arg-type]
    with pytest.raises(BadConfig, match=r"bad\.person"):
        load_policy(path, "chess")


def test_a_person_of_another_version_of_the_network_is_refused(tmp_path: Path) -> None:
    model, path = person_model(), tmp_path / "old.person"
    write_person(path, replace(model, card=replace(model.card, base_digest="0" * 32)))
    with pytest.raises(BadConfig, match="train the person again"):
        load_policy(path, "chess")


def test_a_file_that_is_its_own_base_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "loop.person"
    card = PersonCard("Alice", "chess", "loop.person", 4, 100)
    model = PersonModel(card, np.zeros(0, np.float32), person_model().repertoire, np.zeros(0, np.uint64))
    write_person(path, model)
    with pytest.raises(BadConfig):
        load_policy(path, "chess")


def test_the_wrong_game_is_refused(alice: Path) -> None:
    with pytest.raises(BadConfig, match="plays chess, not go"):
        load_policy(alice, "go")
