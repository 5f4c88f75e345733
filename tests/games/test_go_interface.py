"""Go's text, pictures, planes and playouts."""

from __future__ import annotations

import pickle
import random
from typing import Any

import numpy as np
import pytest

from sparring._core import GoState
from sparring.games import IllegalMove, ParseError, load_game
from sparring.go.game import Go, KoRule

KO = "1XO2/XO1O1/1XO2/5/5 b C4 0 1 0 7.5"


def test_the_line_of_text_says_everything_but_the_past() -> None:
    go = Go(size=5, komi=-3.5, ko="simple", suicide=True, scoring="territory")
    state = go.initial()
    for move in ("C3", "d4", "PASS"):
        state = go.play(state, go.parse_move(state, move))
    assert state.text() == "5/3O1/2X2/5/5 w - 0 0 1 -3.5 simple suicide territory"
    again = go.parse(state.text())
    assert (again.komi, again.ko, again.suicide, again.scoring) == (-3.5, "simple", True, "territory")
    assert again == state
    assert hash(again) == hash(state)


def test_options_make_states_differ() -> None:
    texts = [
        "5/5/5/5/5 b - 0 0 0 7.5",
        "5/5/5/5/5 w - 0 0 0 7.5",
        "5/5/5/5/5 b - 0 0 1 7.5",
        "5/5/5/5/5 b - 1 0 0 7.5",
        "5/5/5/5/5 b - 0 1 0 7.5",
        "5/5/5/5/5 b - 0 0 0 -7.5",
        "5/5/5/5/5 b - 0 0 0 7",
        "5/5/5/5/5 b - 0 0 0 7.5 simple",
        "5/5/5/5/5 b - 0 0 0 7.5 situational",
        "5/5/5/5/5 b - 0 0 0 7.5 suicide",
        "5/5/5/5/5 b - 0 0 0 7.5 territory",
        "6/6/6/6/6/6 b - 0 0 0 7.5",
    ]
    states = [GoState.parse(text) for text in texts]
    assert [state.text() for state in states] == texts
    assert len(set(states)) == len({hash(state) for state in states}) == len(texts)


def test_states_are_equal_for_any_order_of_moves() -> None:
    start = Go(size=9).initial()
    one = start.replay(start.text(), [0, 40, 8])
    other = start.replay(start.text(), [8, 40, 0])
    assert one == other
    assert hash(one) == hash(other)
    assert one.key == other.key
    assert len({one, other, start}) == 2


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "fields"),
        ("5/5/5/5/5 b - 0 0 0", "fields"),
        ("5/5/5/5/5 b - 0 0 0 7.5 simple suicide territory tax-all more", "fields"),
        ("4/4/4/4 b - 0 0 0 7.5", "5 to 19 rows"),
        ("/".join(["20"] * 20) + " b - 0 0 0 7.5", "5 to 19 rows"),
        ("/" * 400 + " b - 0 0 0 7.5", "5 to 19 rows"),
        ("5/5/5/5/4 b - 0 0 0 7.5", "5 points"),
        ("5/5/5/5/5X b - 0 0 0 7.5", "5 points"),
        ("5/5/5/5/XXXXXX b - 0 0 0 7.5", "5 points"),
        ("5/5/5/5/ b - 0 0 0 7.5", "5 points"),
        ("5/5/5/5/05 b - 0 0 0 7.5", "run '05'"),
        ("5/5/5/5/99999999999 b - 0 0 0 7.5", "run"),
        ("5/5/5/5/4x b - 0 0 0 7.5", "not 'x'"),
        ("XXXXX/XXXXX/XXXXX/XXXXX/XXXXX b - 0 0 0 7.5", "no liberty"),
        ("5/5/5/O4/XO3 b - 0 0 0 7.5", "no liberty"),
        ("5/5/5/5/5 black - 0 0 0 7.5", "side to move"),
        ("5/5/5/5/5 b I1 0 0 0 7.5", "column I"),
        ("5/5/5/5/5 b A1 0 0 0 7.5", "ko point"),
        ("1XO2/XO1O1/1XO2/5/5 w C4 0 1 0 7.5", "ko point"),
        ("1XO2/XO1O1/1XO2/5/5 b C4 0 1 1 7.5", "ko point"),
        ("1XO2/1O1O1/1XO2/5/5 b C4 0 1 0 7.5", "ko point"),
        ("XO1OX/XXOXX/5/5/5 b C5 0 1 0 7.5", "ko point"),
        ("5/5/5/5/5 b - -1 0 0 7.5", "prisoners"),
        ("5/5/5/5/5 b - 0 1000000000 0 7.5", "prisoners"),
        ("5/5/5/5/5 b - 0 0 3 7.5", "passes"),
        ("5/5/5/5/5 b - 0 0 0 7.25", "komi"),
        ("5/5/5/5/5 b - 0 0 0 361.5", "komi"),
        ("5/5/5/5/5 b - 0 0 0 -", "komi"),
        ("5/5/5/5/5 b - 0 0 0 nan", "komi"),
        ("5/5/5/5/5 b - 0 0 0 7.5 japanese", "rule 'japanese'"),
        ("5/5/5/5/5 b - 0 0 0 7.5 simple situational", "rule 'situational'"),
        ("5/5/5/5/5 b - 0 0 0 7.5 suicide suicide", "given twice"),
    ],
)
def test_bad_text_says_what_is_wrong(text: str, complaint: str) -> None:
    with pytest.raises(ParseError, match=complaint):
        GoState.parse(text)


def test_damaged_texts_are_refused_or_safe_to_play_on() -> None:
    rng = random.Random(5)
    alphabet = "XO/ 0123456789-bwACE.simplesuicideterritory"
    read = 0
    for _ in range(10_000):
        letters = list(KO + rng.choice(["", " simple", " suicide territory", " tax-seki"]))
        for _ in range(rng.randint(1, 2)):
            letters[rng.randrange(len(letters))] = rng.choice(alphabet)
        try:
            state = GoState.parse("".join(letters))
        except ParseError:
            continue
        read += 1
        assert GoState.parse(state.text()) == state
        state.playout(1, 100)
        GoState.encode([state])
        for move in state.legal_moves():
            after = state.play(move)
            assert GoState.parse(after.text()) == after
    assert read > 100


@pytest.mark.parametrize(
    "text", ["", "A", "A0", "A6", "F1", "I1", "1A", "A01x", "A1 ", "passs", "é3", "A" * 99]
)
def test_moves_that_are_no_points_are_refused(text: str) -> None:
    with pytest.raises(ParseError, match="A1 to E5"):
        Go(size=5).initial().parse_move(text)


def test_moves_are_written_as_gtp_does() -> None:
    state = Go().initial()
    written = [state.move_text(move) for move in (0, 7, 8, 18, 360, 361)]
    assert written == ["A1", "H1", "J1", "T1", "T19", "pass"]
    assert [state.parse_move(text.lower()) for text in written] == [0, 7, 8, 18, 360, 361]
    with pytest.raises(IllegalMove, match="362"):
        state.play(362)


@pytest.mark.parametrize(
    "options",
    [
        {"size": 4},
        {"size": 20},
        {"komi": 0.25},
        {"komi": float("nan")},
        {"komi": -400},
        {"ko": "super"},
        {"scoring": "stones"},
    ],
)
def test_options_out_of_range_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ParseError):
        load_game("go", **options)


def test_the_spec_follows_the_size() -> None:
    for size in (5, 19):
        go = Go(size=size)
        assert go.spec.board == (size, size)
        assert go.encode([go.initial()]).shape == (1, len(go.spec.planes), size, size)
        assert max(go.legal_moves(go.initial())) < go.spec.moves == 362


def test_states_pickle_with_their_line() -> None:
    state = GoState.parse("1XO2/1XOO1/XXXO1/XXOO1/1O1O1 w - 0 0 0 7.5").play(0).play(2)
    again = pickle.loads(pickle.dumps(state))
    assert again == state
    assert again.ply == 2
    assert again.legal_moves() == state.legal_moves()


def test_planes_are_seen_by_the_side_to_move() -> None:
    go = Go(size=5)
    planes = dict(zip(go.spec.planes, go.encode([go.parse(KO)])[0], strict=True))
    points = {name: {(int(y), int(x)) for y, x in np.argwhere(plane)} for name, plane in planes.items()}
    assert points["own stones"] == {(4, 1), (3, 0), (2, 1)}  # rows from the bottom: B5, A4, B3
    assert points["other's stones"] == {(4, 2), (3, 1), (3, 3), (2, 2)}
    assert len(points["empty points"]) == 25 - 7
    assert points["own stones with 1 liberty"] == {(4, 1)}
    assert points["own stones with 2 liberties"] == {(3, 0), (2, 1)}
    assert points["own stones with 3 liberties"] == set()
    assert points["other's stones with 1 liberty"] == {(3, 1)}
    assert points["other's stones with 2 liberties"] == {(4, 2)}
    assert points["other's stones with 3 liberties"] == {(2, 2)}
    assert points["point that ko forbids"] == {(3, 2)}
    assert planes["Black to move"].min() == 1
    assert planes["komi for the player to move / 40 + 1/2"].max() == np.float32(0.5 - 7.5 / 40)
    assert planes["a pass ends the game"].max() == 0
    assert planes["ones"].min() == 1


def test_planes_stay_between_0_and_1() -> None:
    for komi in (-361, 361):
        for side in "bw":
            planes = GoState.encode([GoState.parse(f"5/5/5/5/5 {side} - 0 0 1 {komi}")])
            assert planes.min() == 0
            assert planes.max() == 1


def test_boards_of_two_sizes_do_not_share_an_array() -> None:
    with pytest.raises(ValueError, match="one size"):
        GoState.encode([Go(size=5).initial(), Go(size=6).initial()])


def test_the_picture_names_points_as_gtp_does() -> None:
    state = Go(size=9).initial()
    for move in ("J1", "A9", "E5"):
        state = state.play(state.parse_move(move))
    assert str(state).splitlines() == [
        "  A B C D E F G H J",
        "9 O · · · · · · · · 9",
        "8 · · · · · · · · · 8",
        "7 · · + · · · + · · 7",
        "6 · · · · · · · · · 6",
        "5 · · · · X · · · · 5",
        "4 · · · · · · · · · 4",
        "3 · · + · · · + · · 3",
        "2 · · · · · · · · · 2",
        "1 · · · · · · · · X 1",
        "  A B C D E F G H J",
        "prisoners: Black 0, White 0",
    ]
    diagram = Go(size=9).diagram(state)
    assert diagram.highlights == {(4, 4)}
    assert diagram._repr_svg_().count("<circle") == 5 + 3 + 1  # stars, stones, the last move's mark
    assert Go(size=9).diagram(state.play(81)).highlights == frozenset()


@pytest.mark.parametrize(("size", "stars"), [(5, 1), (6, 0), (8, 4), (9, 5), (13, 5), (14, 4), (19, 9)])
def test_boards_have_their_usual_stars(size: int, stars: int) -> None:
    assert len(Go(size=size).diagram(Go(size=size).initial()).stars) == stars


def test_a_playout_repeats_with_its_seed_and_keeps_its_limit() -> None:
    state = Go(size=9).initial()
    assert state.playout(7, 1000) == state.playout(7, 1000)
    assert len({state.playout(seed, 1000) for seed in range(20)}) > 10
    assert state.playout(7, 3) == (None, 3)
    assert state.playout(7, 0) == (None, 0)


@pytest.mark.parametrize("ko", ["positional", "simple"])
def test_playouts_are_as_long_as_random_games(ko: KoRule) -> None:
    rng, state, games = random.Random(3), Go(size=5, ko=ko).initial(), 1000
    lengths, wins = [], 0
    for _ in range(games):
        game = state
        while game.outcome is None:
            game = game.play(rng.choice(game.legal_moves()))
        lengths.append(game.ply)
        wins += game.outcome.winner == 0
    playouts = [state.playout(seed, 10_000) for seed in range(games)]
    error = np.std(lengths) / np.sqrt(games)
    assert abs(np.mean([plies for _, plies in playouts]) - np.mean(lengths)) < 3 * error
    won = sum(outcome is not None and outcome.winner == 0 for outcome, _ in playouts)
    assert abs(won - wins) < 3 * np.sqrt(games / 2)


def test_playouts_obey_superko() -> None:
    """Black can only pass, which ends the game, or kill two stones, which brings the first board back."""
    text = "OOOO1/OOOOO/OOOOO/1OOOO/1OOOO b - 0 0 0 7.5 suicide"
    ended = {}
    for rule in ("", "simple"):
        state = GoState.parse(f"{text} {rule}").play(5).play(25)
        ended[rule] = sum(state.playout(seed, 1)[0] is not None for seed in range(1000))
    assert ended[""] == 1000
    assert 450 < ended["simple"] < 550  # two legal moves, equally likely
