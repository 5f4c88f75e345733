"""A person's repertoire as a posterior over a policy."""

from __future__ import annotations

import numpy as np

from sparring.games import load_game
from sparring.policies.repertoire import Repertoire, canonical


def test_the_posterior_is_the_mean_of_a_dirichlet() -> None:
    chess = load_game("chess")
    state = chess.initial()
    moves = state.legal_moves()
    e4 = moves.index(chess.parse_move(state, "e4"))
    key, images = canonical(state)
    book = Repertoire.of(np.full(3, key, np.uint64), np.full(3, images[e4]), 2.0)
    prior = np.full(len(moves), 1 / len(moves), np.float32)
    found = book.posterior(state, prior)
    assert np.isclose(found[e4], (3 + 2 / 20) / 5)
    assert np.isclose(found.sum(), 1)
    other = chess.play(state, moves[0])
    assert (book.posterior(other, prior) == prior).all()


def test_symmetric_positions_of_go_are_one() -> None:
    go = load_game("go")
    corners = [("D4", "Q16"), ("Q4", "D16"), ("D16", "Q4"), ("Q16", "D4")]
    keys, images = set(), set()
    for first, second in corners:
        state = go.play(go.initial(), go.parse_move(go.initial(), first))
        key, turned = canonical(state)
        keys.add(key)
        place = state.legal_moves().index(go.parse_move(state, second))
        images.add(int(turned[place]))
    assert len(keys) == 1
    assert len(images) == 1


def test_a_reply_in_one_corner_is_known_in_all() -> None:
    go = load_game("go")
    empty = go.initial()
    state = go.play(empty, go.parse_move(empty, "D4"))
    key, turned = canonical(state)
    reply = state.legal_moves().index(go.parse_move(state, "Q16"))
    book = Repertoire.of(np.array([key], np.uint64), np.array([turned[reply]]), 1.0)
    other = go.play(empty, go.parse_move(empty, "Q16"))
    moves = other.legal_moves()
    found = book.posterior(other, np.full(len(moves), 1 / len(moves), np.float32))
    assert moves[int(found.argmax())] == go.parse_move(other, "D4")
