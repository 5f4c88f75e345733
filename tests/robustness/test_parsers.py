"""Every text parser takes any bytes: it gives a value or a clear error, and never crashes.

`SPARRING_FUZZ=N` sets how many mutated texts each game gets (`make fuzz` gives many).
"""

from __future__ import annotations

import os
import random
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sparring.games import GAMES, Game, IllegalMove, ParseError, load_game

MUTATIONS = int(os.environ.get("SPARRING_FUZZ", "4000"))
NASTY = [
    *map(chr, range(0x20, 0x7F)),
    "\x00",
    "\n",
    "\t",
    "é",
    "王",
    "\U0001f600",
    "\ud800",
    "99999999999",
    "-1",
    "//",
]


def exercise(game: Game[Any], text: str) -> None:
    """Parses a text; a state that comes of it must be whole in every way."""
    try:
        state = game.parse(text)
    except ParseError:
        return
    assert game.parse(game.text(state)) == state
    assert len(game.text(state)) < 4000
    moves = game.legal_moves(state)
    assert (game.outcome(state) is None) == bool(moves)
    game.encode([state])
    str(game.diagram(state))
    state.perft(1)
    for move in moves[:: max(1, len(moves) // 8)]:
        assert game.parse_move(state, game.move_text(state, move)) == move
        game.encode([game.play(state, move)])


def exercise_move(game: Game[Any], state: Any, text: str) -> None:
    try:
        move = game.parse_move(state, text)
    except (ParseError, IllegalMove):
        return
    assert move in game.legal_moves(state)


@pytest.fixture(params=GAMES)
def game(request: pytest.FixtureRequest) -> Game[Any]:
    return load_game(request.param)


def corpus(game: Game[Any]) -> list[Any]:
    """States from random games to start from."""
    rng = random.Random(21)
    states = []
    for _ in range(6):
        state = game.initial()
        for _ in range(200):
            states.append(state)
            if not (moves := game.legal_moves(state)):
                break
            state = game.play(state, rng.choice(moves))
    return states


def mutate(rng: random.Random, text: str, other: str) -> str:
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(text) + 1)
        to = min(len(text), at + rng.randint(0, 6))
        match rng.randrange(5):
            case 0:
                text = text[:at] + rng.choice(NASTY) + text[at:]
            case 1:
                text = text[:at] + text[to:]
            case 2:
                text = text[:at] + rng.choice(NASTY) + text[at + 1 :]
            case 3:
                text = text[:at] + other[at:]
            case _:
                text = text[:at] + text[at:to] * rng.randint(2, 5) + text[to:]
    return text


def test_mutated_positions(game: Game[Any]) -> None:
    rng = random.Random(22)
    texts = [game.text(state) for state in corpus(game)]
    for _ in range(MUTATIONS):
        exercise(game, mutate(rng, rng.choice(texts), rng.choice(texts)))


def test_mutated_moves(game: Game[Any]) -> None:
    rng = random.Random(23)
    states = [state for state in corpus(game) if game.legal_moves(state)]
    for _ in range(MUTATIONS):
        state = rng.choice(states)
        texts = [game.move_text(state, rng.choice(game.legal_moves(state))) for _ in range(2)]
        exercise_move(game, state, mutate(rng, *texts))


@pytest.mark.parametrize("name", GAMES)
@settings(max_examples=300, deadline=None, derandomize=True)
@given(data=st.binary(max_size=200))
@example(data=b"")
@example(data=b"\xff\xfe\x00")
def test_any_bytes(name: str, data: bytes) -> None:
    game = load_game(name)
    for text in (data.decode("latin-1"), data.decode("utf-8", "surrogateescape")):
        exercise(game, text)
        exercise_move(game, game.initial(), text)


@pytest.mark.parametrize("name", GAMES)
@settings(max_examples=300, deadline=None, derandomize=True)
@given(data=st.data())
def test_any_words_of_the_notation(name: str, data: st.DataObject) -> None:
    """Texts made of the right characters reach deeper into the parsers than random bytes do."""
    game = load_game(name)
    start = game.text(game.initial())
    letters = sorted(set(start + "0123456789/+*- wbKQkq"))
    exercise(game, data.draw(st.text(letters, max_size=120)))
    at = data.draw(st.integers(0, len(start)))
    exercise(game, start[:at] + data.draw(st.text(letters, max_size=5)) + start[at:])


@pytest.mark.parametrize("wrong", [None, 3, b"bytes", ["a"]])
def test_values_that_are_not_text_are_refused(game: Game[Any], wrong: Any) -> None:
    with pytest.raises(ParseError):
        game.parse(wrong)
