"""Expendibots as text, as the referee's tuples, as pictures and as planes."""

from __future__ import annotations

import pickle
import random

import numpy as np
import pytest

from sparring.expendibots.game import Expendibots
from sparring.games import IllegalMove, ParseError, game_of, load_game

GAME = Expendibots()
START = "aa1aa1aa/aa1aa1aa/8/8/8/8/AA1AA1AA/AA1AA1AA w 0"
HEIGHTS = "7l/8/8/8/8/2C5/8/B7 w 12"
ALL_STACKS = [f"{letter}7/8/8/8/8/8/8/{letter.lower()}7 b 50" for letter in "ABCDEFGHIJKL"]


def test_the_game_is_found_by_name_and_by_state() -> None:
    assert load_game("expendibots") == GAME
    assert game_of(GAME.initial()) == GAME


def test_the_start_as_text() -> None:
    assert GAME.text(GAME.initial()) == START
    assert GAME.parse(START) == GAME.initial()
    assert GAME.initial().to_move == 0


@pytest.mark.parametrize("text", [START, HEIGHTS, *ALL_STACKS, "8/8/8/8/8/8/8/8 b 77"])
def test_positions_round_trip(text: str) -> None:
    assert GAME.text(GAME.parse(text)) == text


def test_the_number_of_actions_may_be_left_out() -> None:
    assert GAME.text(GAME.parse("  a7/8/8/8/8/8/8/7A   b ")) == "a7/8/8/8/8/8/8/7A b 0"


def test_equality_sees_the_counter_and_the_key_does_not() -> None:
    one, other = GAME.parse("a7/8/8/8/8/8/8/7A b 3"), GAME.parse("a7/8/8/8/8/8/8/7A b 5")
    assert one != other
    assert hash(one) != hash(other)
    assert one.key == other.key
    assert one.key != GAME.parse("a7/8/8/8/8/8/8/7A w 3").key
    assert one.key != GAME.parse("b7/8/8/8/8/8/8/7A b 3").key


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "got 0 fields"),
        (START + " 0", "got 4 fields"),
        ("8/8/8/8/8/8/8/8 x 0", "'x' is not w or b"),
        ("8/8/8/8/8/8/8/8 w -1", "'-1' are not a number from 0 to 500"),
        ("8/8/8/8/8/8/8/8 w 501", "'501' are not a number from 0 to 500"),
        ("8/8/8/8/8/8/8/8 w 99999999999999999999", "not a number"),
        ("8/8/8/8/8/8/8 w 0", "fewer than 8 rows"),
        ("8/8/8/8/8/8/8/8/8 w 0", "more than 8 rows"),
        ("8/8/7/8/8/8/8/8 w 0", "y = 5 does not have 8 squares"),
        ("8/8/8A/8/8/8/8/8 w 0", "y = 5 does not have 8 squares"),
        ("8/8/8/8/8/8/8/7 w 0", "y = 0 does not have 8 squares"),
        ("8/8/53/8/8/8/8/8 w 0", "two digits in a row"),
        ("8/8/8/8/8/8/8/M7 w 0", "'M' is not a stack"),
        ("8/8/8/8/8/8/8/0A7 w 0", "'0' is not a stack"),
        ("8/8/8/8/8/8/8/LA6 w 0", "White has 13 tokens, at most 12"),
        ("8/8/8/8/8/8/8/gg6 w 0", "Black has 14 tokens, at most 12"),
        ("\0\ud800 w 0", "is not a stack"),
    ],
)
def test_bad_positions_are_explained(text: str, complaint: str) -> None:
    with pytest.raises(ParseError, match=complaint):
        GAME.parse(text)


@pytest.mark.parametrize(
    ("text", "canonical", "action"),
    [
        ("boom a1", "boom a1", ("BOOM", (0, 0))),
        ("BOOM at (0, 0).", "boom a1", ("BOOM", (0, 0))),
        ("('BOOM', (2, 2))", "boom c3", ("BOOM", (2, 2))),
        ("BOOM (2,2)", "boom c3", ("BOOM", (2, 2))),
        ("2c3-c6", "2c3-c6", ("MOVE", 2, (2, 2), (2, 5))),
        ("MOVE 2 from (2, 2) to (2, 5).", "2c3-c6", ("MOVE", 2, (2, 2), (2, 5))),
        ("('MOVE', 2, (2, 2), (2, 5))", "2c3-c6", ("MOVE", 2, (2, 2), (2, 5))),
        ('("MOVE",2,(2,2),(2,5))', "2c3-c6", ("MOVE", 2, (2, 2), (2, 5))),
        ("MOVE 2 (2,2) (2,5)", "2c3-c6", ("MOVE", 2, (2, 2), (2, 5))),
        ("move 2 c3 c6", "2c3-c6", ("MOVE", 2, (2, 2), (2, 5))),
        ("1A1-B1", "1a1-b1", ("MOVE", 1, (0, 0), (1, 0))),
        ("a1-b1", "2a1-b1", ("MOVE", 2, (0, 0), (1, 0))),  # without a number the whole stack goes
    ],
)
def test_actions_are_read_in_our_and_the_referees_ways(text: str, canonical: str, action: object) -> None:
    state = GAME.parse(HEIGHTS)
    move = GAME.parse_move(state, text)
    assert GAME.move_text(state, move) == canonical
    assert GAME.action(state, move) == action


@pytest.mark.parametrize(
    "text",
    [
        *("", "boom", "boom i1", "boom a9", "boom a1 b1", "boom 8 0", "boom 1"),
        *("a1", "a1b1", "a1-", "-a1", "a1-a1", "a1-b2", "0a1-a2", "13a1-a2", "1a1-a2-a3", f"{9**20}a1-a2"),
        *("move", "move 1", "move a1 b1", "MOVE 13 (0,0) (0,1)", "MOVE 1 (0,0) (0,8)"),
        *("MOVE 1 from (0, 0) to (1, 1).", "MOVE 1 (0,0) (0,1) (0,2)", "('MOVE', -1, (0, 0), (0, 1))"),
        *("('MOVE', 1.5, (0, 0), (0, 1))", "#64", "e2e4", "\0", "a" * 1000),
    ],
)
def test_invalid_actions_are_refused(text: str) -> None:
    """The strict parser. `Game.parse_move` reads what people type, too (test_typed_moves)."""
    with pytest.raises(ParseError, match="is not an action, such as boom c1 or 2c1-c3"):
        GAME.initial().parse_move(text)


def test_every_code_is_one_action_or_none() -> None:
    state = GAME.initial()
    texts: set[str] = set()
    for code in range(GAME.spec.moves + 10):
        text = GAME.move_text(state, code)
        if text.startswith("#"):
            with pytest.raises(IllegalMove, match="no action has the code"):
                GAME.action(state, code)
            continue
        assert state.parse_move(text) == code
        assert state.parse_move(repr(GAME.action(state, code))) == code
        texts.add(text)
    assert len(texts) == 64 + 64 * 14 * 12


def test_tuples_and_moves_translate_both_ways() -> None:
    state = GAME.parse(HEIGHTS)
    for move in GAME.legal_moves(state):
        assert GAME.move_of(state, GAME.action(state, move)) == move
    with pytest.raises(IllegalMove, match="is not legal here"):
        GAME.move_of(state, ("BOOM", (7, 7)))
    with pytest.raises(IllegalMove):
        GAME.move_of(state, ["BOOM", (0, 0)])  # type: ignore[arg-type]  # the referee refuses lists too


def test_any_bytes_give_a_usable_position_or_bad_text() -> None:
    generator = random.Random(20)
    parsed = 0
    for _ in range(20_000):
        letters = list(generator.choice([START, HEIGHTS, *ALL_STACKS]))
        for _ in range(generator.randrange(1, 4)):
            letters[generator.randrange(len(letters))] = generator.choice("abklmABKLM0123456789/ wb\0é")
        try:
            state = GAME.parse("".join(letters))
        except ParseError:
            continue
        parsed += 1
        assert GAME.parse(GAME.text(state)) == state
        assert len(state.legal_moves()) in (0, state.perft(1))
        state.playout(seed=1, limit=20)
        planes = GAME.encode([state])
        assert planes.min() >= 0
        assert planes.max() <= 1
    assert parsed > 400


def test_a_pickle_keeps_the_line() -> None:
    state = GAME.parse("7a/8/8/8/8/8/8/A7 w 0")
    for move in ["1a1-a2", "1h8-h7", "1a2-a1", "1h7-h8"]:
        state = GAME.play(state, GAME.parse_move(state, move))
    copy = pickle.loads(pickle.dumps(state))
    assert copy == state
    assert copy.repetitions == state.repetitions == 2


def test_playouts_end_and_repeat_with_their_seed() -> None:
    results = [GAME.initial().playout(seed, 1_000) for seed in range(20)]
    assert results == [GAME.initial().playout(seed, 1_000) for seed in range(20)]
    assert all(outcome is not None for outcome, _ in results)


def test_the_board_as_a_picture() -> None:
    state = GAME.parse("7l/8/8/8/8/8/8/BA6 w 0")
    state = GAME.play(state, GAME.parse_move(state, "1a1-a3"))
    assert str(state).splitlines() == [
        "  a   b   c   d   e   f   g   h",
        "8 ·   ·   ·   ·   ·   ·   ·   B12 8",
        *(f"{row} ·   ·   ·   ·   ·   ·   ·   ·   {row}" for row in (7, 6, 5, 4)),
        "3 W1  ·   ·   ·   ·   ·   ·   ·   3",
        "2 ·   ·   ·   ·   ·   ·   ·   ·   2",
        "1 W1  W1  ·   ·   ·   ·   ·   ·   1",
        "  a   b   c   d   e   f   g   h",
        "last action: 1a1-a3",
    ]
    assert GAME.diagram(state).highlights == {(7, 0), (5, 0)}
    assert "<circle" in GAME.diagram(state)._repr_svg_()


def test_the_picture_sets_off_all_that_a_boom_removed() -> None:
    state = GAME.parse("7k/8/8/8/8/8/1a6/BA6 w 0")
    diagram = GAME.diagram(GAME.play(state, GAME.parse_move(state, "boom a1")))
    assert diagram.highlights == {(7, 0), (7, 1), (6, 1)}


def test_the_planes_are_what_they_are_named() -> None:
    planes = GAME.encode([GAME.parse("7f/8/8/8/8/8/1c6/BA6 w 250")])[0]
    assert planes.shape == (len(GAME.spec.planes), *GAME.spec.board)
    assert planes.dtype == np.float32
    named = dict(zip(GAME.spec.planes, planes * 12, strict=True))
    expected = {name: np.zeros((8, 8)) for name in GAME.spec.planes}
    expected["own height / 12"][0, :2] = 2, 1
    expected["other's height / 12"][1, 1] = 3
    expected["other's height / 12"][7, 7] = 6
    expected["own stack"][0, :2] = 12
    expected["other's stack"][1, 1] = expected["other's stack"][7, 7] = 12
    for square in ((0, 0), (0, 1), (1, 1)):
        expected["own tokens in the square's component / 12"][square] = 3
        expected["other's tokens in the square's component / 12"][square] = 3
    expected["other's tokens in the square's component / 12"][7, 7] = 6
    expected["actions so far / 500"][:] = 6
    for name, plane in expected.items():
        np.testing.assert_allclose(named[name], plane, err_msg=name, atol=1e-6)


def test_both_sides_see_their_own_tokens_at_the_bottom() -> None:
    texts = "7f/8/8/8/8/8/1c6/BA6 w 9", "ba6/1C6/8/8/8/8/8/7F b 9"
    white, black = GAME.encode([GAME.parse(text) for text in texts])
    np.testing.assert_array_equal(white, black)
