"""Symmetries: transformed inputs equal the inputs of transformed positions, and outputs are mapped back."""

from __future__ import annotations

import random
import re
from typing import Any

import numpy as np
import pytest

from sparring.games import GAMES, game_of, load_game
from sparring.networks import Network, Position
from sparring.networks.card import read_card
from sparring.networks.codec import SymmetryCodec
from sparring.networks.formats import codecs, make_codec
from sparring.policies import NetworkPolicy, load_policy
from tests.networks.tiny_networks import tiny_network
from tests.policies.fixed_policy import random_states

STARTS = {
    "chess": "r4k1r/pp3ppp/2n2n2/3q4/3P4/5N2/PP2QPPP/R4RK1 w - - 0 15",
    "shogi": "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
}
CASES = [
    ("lc0", "chess", {"policy": 1858}),
    ("maia3", "chess", {"logits_move": 4352, "logits_value": 3}),
    ("dlshogi", "shogi", {"output_policy": 2187, "output_value": 1}),
    ("katago", "go", {"policy": 362, "value": 3, "score": 4}),
    ("plain", "chess", {"policy": load_game("chess").spec.moves}),
    ("plain", "shogi", {"policy": load_game("shogi").spec.moves}),
    ("plain", "go", {"policy": load_game("go").spec.moves}),
    ("people", "chess", {"policy": 1858, "wdl": 3}),
    ("people", "shogi", {"policy": 2187, "wdl": 3}),
    ("people", "go", {"policy": 362, "wdl": 3}),
]
KATAGO: dict[str, float | int | str] = {"version": 8, "lead_multiplier": 20.0, "side": 0, "metadata": 0}
PEOPLE = {"chess": ("lc0", 1), "shogi": ("boards", 4), "go": ("katago", 1)}


def settings(name: str, game: str) -> dict[str, float | int | str]:
    if name == "people":
        encoding, history = PEOPLE[game]
        return {"game": game, "encoding": encoding, "history": history, "lowest": 600, "highest": 2600}
    return KATAGO if name == "katago" else {"game": game}


def mirrored_start(game: str) -> str:
    """Left and right swapped in every row of FEN or SFEN."""
    board, rest = STARTS[game].split(" ", 1)
    rows = ["".join(reversed(re.findall(r"\+?.", row))) for row in board.split("/")]
    return "/".join(rows) + " " + rest


def lines(game: str, count: int) -> list[list[int]]:
    """The moves of random lines from the start; in chess nobody can castle there."""
    rng = random.Random(3)
    found: list[list[int]] = []
    while len(found) < count:
        state = start_of(game, 0)
        moves: list[int] = []
        for _ in range(rng.randrange(25)):
            if legal := state.legal_moves():
                moves.append(rng.choice(legal))
                state = state.play(moves[-1])
        if state.legal_moves():
            found.append(moves)
    return found


def start_of(game: str, symmetry: int) -> Any:
    if game == "go":
        return load_game("go").initial()  # the empty board is the same from every side
    return load_game(game).parse(mirrored_start(game) if symmetry else STARTS[game])


def both(game: str, moves: list[int], symmetry: int) -> tuple[Any, Any]:
    """The state after the moves, and after the same moves on the turned board."""
    plain, turned = start_of(game, 0), start_of(game, symmetry)
    for move in moves:
        code = int(plain.transformed_moves(symmetry)[plain.legal_moves().index(move)])
        plain, turned = plain.play(move), turned.play(code)
    return plain, turned


@pytest.mark.parametrize(("name", "game", "shapes"), CASES)
def test_a_turned_position_looks_turned_and_its_answers_come_back(
    name: str, game: str, shapes: dict[str, int]
) -> None:
    codec = codecs()[name](settings(name, game))
    assert isinstance(codec, SymmetryCodec)
    rng = np.random.default_rng(1)
    for symmetry in range(8 if game == "go" else 2):
        pairs = [both(game, moves, symmetry) for moves in lines(game, 12)]
        plain = [Position(state, 1500, 1600) for state, _ in pairs]
        turned = [Position(state, 1500, 1600) for _, state in pairs]
        assert {codec.symmetries(position) for position in plain} == {8 if game == "go" else 2}
        seen = codec.apply_symmetry(plain, codec.encode(plain), symmetry)
        for key, array in codec.encode(turned).items():
            np.testing.assert_array_equal(seen[key], array)
        outputs = {
            key: rng.standard_normal((len(pairs), size)).astype(np.float32) for key, size in shapes.items()
        }
        there = codec.decode(turned, outputs)
        back = codec.decode(plain, codec.invert_symmetry(plain, outputs, symmetry))
        for (state, _), mine, theirs in zip(pairs, back, there, strict=True):
            by_move = dict(zip(theirs.moves, theirs.probabilities, strict=True))
            expected = [by_move[int(move)] for move in state.transformed_moves(symmetry)]
            np.testing.assert_allclose(mine.probabilities, expected, atol=1e-6)
            assert mine.value == theirs.value


def test_boards_of_several_sizes_are_turned_where_they_lie() -> None:
    codec = codecs()["katago"](KATAGO)
    assert isinstance(codec, SymmetryCodec)
    small, large = load_game("go", size=7).initial(), load_game("go", size=9).initial()
    plain = [Position(small.play(1)), Position(large.play(2))]
    turned = [Position(small.play(5)), Position(large.play(6))]
    seen = codec.apply_symmetry(plain, codec.encode(plain), 1)
    np.testing.assert_array_equal(seen["spatial"], codec.encode(turned)["spatial"])


@pytest.mark.parametrize("game", GAMES)
def test_symmetries_move_every_cell_and_move_to_another_place(game: str) -> None:
    for state in random_states(game, 30):
        rows, columns = game_of(state).spec.board
        for symmetry in range(state.symmetries):
            assert sorted(state.transformed_cells(symmetry)) == list(range(rows * columns))
            moves = state.transformed_moves(symmetry)
            assert len(set(moves.tolist())) == len(moves)
            assert (symmetry == 0) <= (moves.tolist() == state.legal_moves())
        with pytest.raises(ValueError, match="no symmetry"):
            state.transformed_cells(state.symmetries)


def network(game: str) -> Network:
    model = tiny_network(game)
    card = read_card({entry.key: entry.value for entry in model.metadata_props})
    return Network(model, card, make_codec(card))


def test_the_mean_over_symmetries_is_the_same_from_every_side() -> None:
    policy = NetworkPolicy(network("go"), "small", symmetries=True)
    for moves in lines("go", 6):
        plain, turned = both("go", moves, 5)
        mine, theirs = policy.predict([Position(plain), Position(turned)])
        by_move = dict(zip(theirs.moves, theirs.probabilities, strict=True))
        expected = [by_move[int(move)] for move in plain.transformed_moves(5)]
        np.testing.assert_allclose(mine.probabilities, expected, atol=1e-6)
        assert mine.value == pytest.approx(theirs.value, abs=1e-6)


@pytest.mark.parametrize("game", PEOPLE)
def test_the_mean_of_a_network_of_people_is_the_same_from_every_side(game: str) -> None:
    policy = load_policy("human", game, symmetries=True)
    symmetry = 6 if game == "go" else 1
    for moves in lines(game, 4):
        plain, turned = both(game, moves, symmetry)
        mine, theirs = policy.predict([Position(plain), Position(turned)])
        by_move = dict(zip(theirs.moves, theirs.probabilities, strict=True))
        expected = [by_move[int(move)] for move in plain.transformed_moves(symmetry)]
        np.testing.assert_allclose(mine.probabilities, expected, atol=1e-5)
        assert mine.value == pytest.approx(theirs.value, abs=1e-5)


def test_positions_without_a_symmetry_are_predicted_once() -> None:
    net = network("chess")
    initial = Position(load_game("chess").initial())
    castled = Position(load_game("chess").parse(STARTS["chess"]))
    mean = NetworkPolicy(net, "small", symmetries=True).predict([initial, castled])
    plain = net.predict([initial, castled])
    np.testing.assert_array_equal(mean[0].probabilities, plain[0].probabilities)
    mirrored = net.predict([castled], symmetry=1)[0]
    np.testing.assert_allclose(
        mean[1].probabilities, (plain[1].probabilities + mirrored.probabilities) / 2, atol=1e-7
    )
