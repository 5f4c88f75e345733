"""The conformance suite that every game passes."""

from __future__ import annotations

import pickle
import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from sparring.games import GAMES, Game, IllegalMove, ParseError, game_of, load_game
from sparring.games.states import StateGame

VARIANTS: dict[str, dict[str, object]] = {name: {} for name in GAMES} | {
    "chess with claimed draws": {"claim_draws": True},
    "go 9x9": {"size": 9, "komi": 6.5, "scoring": "territory", "tax": "seki"},
    "go 5x5 with suicide": {"size": 5, "komi": 0.0, "ko": "situational", "suicide": True},
    "go 13x13 with handicap": {"size": 13, "komi": 0.5, "ko": "simple", "handicap": 4},
}


@pytest.fixture(params=list(VARIANTS.items()), ids=lambda p: p[0])
def game(request: pytest.FixtureRequest) -> Game[Any]:
    name, options = request.param
    return load_game(name.split()[0], **options)


def random_game(game: Game[Any], seed: int, longest: int = 120) -> Iterator[tuple[Any, Any]]:
    """The states of a random game with the moves played in them; None in the last."""
    rng = random.Random(seed)
    state = game.initial()
    for _ in range(longest):
        moves = game.legal_moves(state)
        if not moves:
            break
        move = rng.choice(moves)
        yield state, move
        state = game.play(state, move)
    yield state, None


def test_texts_come_back_as_equal_states(game: Game[Any]) -> None:
    for seed in range(5):
        for state, _ in random_game(game, seed):
            again = game.parse(game.text(state))
            assert again == state
            assert game.text(again) == game.text(state)
            assert game.to_move(again) == game.to_move(state)
            # Rules about the past can only forbid more.
            if game.outcome(state) is None:
                assert set(game.legal_moves(state)) <= set(game.legal_moves(again))


def test_moves_come_back_from_their_texts(game: Game[Any]) -> None:
    for seed in range(3):
        for state, _ in random_game(game, seed, longest=60):
            moves = game.legal_moves(state)
            texts = [game.move_text(state, move) for move in moves]
            assert len(set(texts)) == len(texts)
            assert [game.parse_move(state, text) for text in texts] == list(moves)


def test_legal_moves_are_ascending_and_within_bounds_and_all_play(game: Game[Any]) -> None:
    for state, _ in random_game(game, seed=7, longest=60):
        moves = list(game.legal_moves(state))
        assert moves == sorted(set(moves))
        assert all(0 <= move < game.spec.moves for move in moves)
        for move in moves:
            game.play(state, move)


def test_moves_that_are_not_legal_are_refused(game: Game[Any]) -> None:
    rng = random.Random(3)
    for state, _ in random_game(game, seed=8, longest=30):
        legal = set(game.legal_moves(state))
        for move in [
            -1,
            game.spec.moves,
            2**16,
            2**31 - 1,
            *rng.sample(range(game.spec.moves), min(200, game.spec.moves)),
        ]:
            if move not in legal:
                with pytest.raises(IllegalMove):
                    game.play(state, move)


def test_play_does_not_change_the_parent(game: Game[Any]) -> None:
    for state, move in random_game(game, seed=9):
        if move is None:
            break
        text, moves, digest = game.text(state), list(game.legal_moves(state)), hash(state)
        game.play(state, move)
        assert (game.text(state), list(game.legal_moves(state)), hash(state)) == (text, moves, digest)


def test_hashes_agree_with_equality(game: Game[Any]) -> None:
    by_text: dict[str, Any] = {}
    for seed in range(6):
        for state, _ in random_game(game, seed, longest=40):
            twin = by_text.setdefault(game.text(state), state)
            assert twin == state
            assert hash(twin) == hash(state)
            assert state != "a text"
    states = list(by_text.values())
    assert len(set(states)) == len(states)
    assert len({hash(state) for state in states}) == len(states)


def test_outcomes_come_only_at_the_end(game: Game[Any]) -> None:
    for seed in range(10):
        for state, move in random_game(game, seed, longest=3000):
            outcome = game.outcome(state)
            assert (outcome is None) == bool(game.legal_moves(state))
            if move is not None:
                assert outcome is None
            elif outcome is not None:
                assert outcome.winner in (0, 1, None)
                assert outcome.reason
                with pytest.raises(IllegalMove):
                    game.play(state, 0)


def test_the_same_seed_gives_the_same_game(game: Game[Any]) -> None:
    first = [(game.text(state), move) for state, move in random_game(game, seed=11, longest=500)]
    assert first == [(game.text(state), move) for state, move in random_game(game, seed=11, longest=500)]
    assert first != [(game.text(state), move) for state, move in random_game(game, seed=12, longest=500)]


def test_encodings_have_the_promised_shape_and_bounds(game: Game[Any]) -> None:
    states = [state for seed in range(3) for state, _ in random_game(game, seed, longest=300)]
    planes = game.encode(states)
    assert planes.dtype == np.float32
    assert planes.shape == (len(states), len(game.spec.planes), *game.spec.board)
    assert np.isfinite(planes).all()
    assert planes.min() >= 0
    assert planes.max() <= 1
    np.testing.assert_array_equal(planes[5], game.encode([states[5]])[0])


def test_plane_names_are_distinct(game: Game[Any]) -> None:
    assert len(set(game.spec.planes)) == len(game.spec.planes)


def test_pictures_show_the_board(game: Game[Any]) -> None:
    for state, _ in random_game(game, seed=13, longest=40):
        diagram = game.diagram(state)
        assert (len(diagram.rows), len(diagram.columns)) == game.spec.board
        assert len(str(diagram).splitlines()) >= game.spec.board[0]
        assert diagram._repr_svg_().startswith("<svg")


@pytest.mark.parametrize("text", ["", " ", "nonsense", "/", "0", "\x00", "♔", "\ud800", "9" * 10_000])
def test_texts_that_are_no_state_are_refused(game: Game[Any], text: str) -> None:
    with pytest.raises(ParseError):
        game.parse(text)
    with pytest.raises((ParseError, IllegalMove)):
        game.parse_move(game.initial(), text)


def test_native_states_hold_their_history(game: Game[Any]) -> None:
    if not isinstance(game, StateGame):
        pytest.skip("this game's states are not native")
    before = None
    for ply, (state, _) in enumerate(random_game(game, seed=14)):
        assert state.ply == ply
        assert state.previous == before
        assert (state.last_move is None) == (ply == 0)
        again = pickle.loads(pickle.dumps(state))
        assert again == state
        assert again.ply == state.ply
        assert list(game.legal_moves(again)) == list(game.legal_moves(state))
        assert type(game_of(state)) is type(game)
        assert game_of(state).spec == game.spec
        before = state


def test_native_lines_pack_into_indices_and_back(game: Game[Any]) -> None:
    if not isinstance(game, StateGame):
        pytest.skip("this game's states are not native")
    *_, (state, _) = random_game(game, seed=16, longest=200)
    packed = state.pack_moves(2)
    again = game.initial().unpack_moves(packed, 2)
    assert (again, again.ply) == (state, state.ply)
    indices = np.frombuffer(packed, np.uint16)
    moves = [(before, move) for before, move in random_game(game, seed=16, longest=200) if move is not None]
    assert indices.tolist() == [list(game.legal_moves(before)).index(move) for before, move in moves]
    with pytest.raises(ParseError):
        game.initial().unpack_moves(packed[:-1], 2)
    with pytest.raises(IllegalMove):
        game.initial().unpack_moves(b"\xff\xff", 2)


def test_native_playouts_are_reproducible(game: Game[Any]) -> None:
    if not isinstance(game, StateGame):
        pytest.skip("this game's states are not native")
    state = game.initial()
    results = [state.playout(seed=seed, limit=4000) for seed in range(5)]
    assert results == [state.playout(seed=seed, limit=4000) for seed in range(5)]
    assert len({plies for _, plies in results}) > 1
    assert state.playout(seed=1, limit=3) == (None, 3)


CYCLES = {
    "chess": ("g1f3", "g8f6", "f3g1", "f6g8"),
    "rbc": ("sense none", "pass"),
    "shogi": ("4i4h", "4a4b", "4h4i", "4b4a"),
    "go": ("pass",),
}
"""Moves that lead back to the position: lines of any length. Breakthrough has none, and expendibots looks
through the whole line at every move."""


@pytest.mark.parametrize("name", CYCLES)
def test_long_lines_are_freed_without_recursion(name: str) -> None:
    game = load_game(name)
    state, moves = game.initial(), []
    for text in CYCLES[name]:
        moves.append(game.parse_move(state, text))
        state = state.play_past_end(moves[-1])
    for number in range(150_000):
        state = state.play_past_end(moves[number % len(moves)])
    assert state.ply == 150_000 + len(moves)
    del state
