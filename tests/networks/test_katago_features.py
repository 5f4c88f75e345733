"""Every input of KataGo's networks on positions made by hand."""

from __future__ import annotations

import numpy as np
import pytest

from sparring._core import GoState, katago_encode
from sparring.go.game import Go

ON_BOARD, OWN, OTHER, LIBERTIES, FORBIDDEN, HISTORY, LADDERS, LADDER_MOVES, OWN_AREA, OTHER_AREA = (
    0, 1, 2, 3, 6, 9, 14, 17, 18, 19,
)  # fmt: skip
KOMI, SUPERKO, WHICH_SUPERKO, SUICIDE, TERRITORY, TAX, TAX_ON_ALL, PASS_ENDS, PARITY = (
    5, 6, 7, 8, 9, 10, 11, 14, 18,
)  # fmt: skip


def play(state: GoState, *moves: str) -> GoState:
    for move in moves:
        state = state.play(state.parse_move(move))
    return state


def marked(state: GoState, plane: int) -> str:
    """The points on a plane, by name."""
    spatial, _ = katago_encode([state], state.size)
    rows, columns = np.nonzero(spatial[0, plane])
    codes = sorted((state.size - 1 - y) * state.size + x for x, y in zip(columns, rows, strict=True))
    return " ".join(state.move_text(int(code)) for code in codes)


def numbers(state: GoState) -> list[float]:
    _, rows = katago_encode([state], state.size)
    return [round(float(x), 5) for x in rows[0]]


def test_stones_are_own_and_other() -> None:
    state = GoState.parse("5/1X3/2O2/5/4X w - 0 0 0 7.5")
    assert marked(state, OWN) == "C3"
    assert marked(state, OTHER) == "E1 B4"
    assert len(marked(state, ON_BOARD).split()) == 25


def test_rows_begin_at_the_top_and_small_boards_stand_in_the_first_corner() -> None:
    state = GoState.parse("X4/5/5/5/1O3 b - 0 0 0 7.5")
    spatial, _ = katago_encode([state], 19)
    assert spatial.shape == (1, 22, 19, 19)
    assert spatial[0, OWN, 0, 0] == 1
    assert spatial[0, OTHER, 4, 1] == 1
    assert spatial[0, ON_BOARD].sum() == 25
    assert spatial[0, ON_BOARD, :5, :5].all()
    assert not spatial[0, :, 5:, :].any()
    assert not spatial[0, :, :, 5:].any()


def test_boards_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="size 9 does not fit into 7"):
        katago_encode([Go(size=9).initial()], 7)
    with pytest.raises(ValueError, match="board_size 20"):
        katago_encode([Go(size=9).initial()], 20)


def test_liberties_of_one_two_and_three() -> None:
    state = GoState.parse("X4/O4/5/2X2/4O b - 0 0 0 7.5")
    assert [marked(state, LIBERTIES + n) for n in range(3)] == ["A5", "E1 A4", ""]
    state = GoState.parse("5/X4/5/5/5 b - 0 0 0 7.5")
    assert [marked(state, LIBERTIES + n) for n in range(3)] == ["", "", "A4"]


def test_ko_is_forbidden() -> None:
    state = play(GoState.parse("5/1XO2/X1XO1/1XO2/5 w - 0 0 0 7.5 simple"), "B3")
    assert marked(state, FORBIDDEN) == "C3"
    assert marked(play(state, "E5"), FORBIDDEN) == ""


@pytest.mark.parametrize(("rule", "forbidden"), [("", "A1"), ("situational", ""), ("simple", "")])
def test_superko_is_forbidden(rule: str, forbidden: str) -> None:
    """Black put a stone on A2; to kill both on A1 would bring back the board before it."""
    text = "OOOO1/OOOOO/OOOOO/1OOOO/1OOOO b - 0 0 0 7.5 suicide"
    assert marked(play(GoState.parse(f"{text} {rule}"), "A2", "pass"), FORBIDDEN) == forbidden


def test_encore_planes_are_empty() -> None:
    state = play(Go.by_rules("japanese", size=9).initial(), "E5", "C3", "pass")
    assert [marked(state, plane) for plane in (7, 8, 20, 21)] == [""] * 4
    assert [numbers(state)[i] for i in (12, 13, 15, 16, 17)] == [0] * 5


def test_history_is_the_last_five_moves() -> None:
    state = play(Go.by_rules("japanese", size=9).initial(), "A1", "B1", "C1", "pass", "E1", "F1")
    assert [marked(state, HISTORY + n) for n in range(5)] == ["F1", "E1", "", "C1", "B1"]
    assert numbers(state)[:5] == [0, 0, 1, 0, 0]
    assert [marked(GoState.parse(state.text()), HISTORY + n) for n in range(5)] == [""] * 5


WORKING_LADDER = "9/9/9/9/9/2XO5/3XX4/9/9"


def test_a_ladder_that_works() -> None:
    state = GoState.parse(f"{WORKING_LADDER} b - 0 0 0 7.5")
    assert marked(state, LADDERS) == "D4"
    assert marked(state, LADDER_MOVES) == "D5"


def test_the_one_in_the_ladder_is_not_shown_its_moves() -> None:
    state = GoState.parse(f"{WORKING_LADDER} w - 0 0 0 7.5")
    assert marked(state, LADDERS) == "D4"
    assert marked(state, LADDER_MOVES) == ""


@pytest.mark.parametrize("breaker", ["9/6O2/9/9", "9/9/5O3/9"])
def test_a_ladder_breaker_saves_the_chain(breaker: str) -> None:
    rest = WORKING_LADDER.split("/", 4)[4]
    state = GoState.parse(f"{breaker}/{rest} b - 0 0 0 7.5")
    assert marked(state, LADDERS) == ""
    assert marked(state, LADDER_MOVES) == ""


def test_a_chain_in_atari_is_lost_or_not() -> None:
    in_the_open = GoState.parse("9/9/9/9/9/2XOX4/3X5/9/9 w - 0 0 0 7.5")
    assert marked(in_the_open, LIBERTIES) == "D4"
    assert marked(in_the_open, LADDERS) == ""
    in_the_corner = GoState.parse("OX3/1X3/X4/5/5 w - 0 0 0 7.5")
    assert marked(in_the_corner, LIBERTIES) == marked(in_the_corner, LADDERS) == "A5"


def test_ladders_of_one_and_two_turns_ago() -> None:
    """The ladder appears with Black's stone on E3; White's on G7 breaks it."""
    state = play(GoState.parse("9/9/9/9/9/2XO5/3X5/9/9 b - 0 0 0 7.5"), "E3")
    assert [marked(state, LADDERS + n) for n in range(3)] == ["D4", "", ""]
    state = play(state, "G7")
    assert [marked(state, LADDERS + n) for n in range(3)] == ["", "D4", ""]
    state = play(state, "C8")
    assert [marked(state, LADDERS + n) for n in range(3)] == ["", "", "D4"]


LIVING = "1X1XO/XXXXO/OOOOO/2X2/5"  # Black has two eyes at the top; the stone on C2 stands in the open


def test_area_is_stones_and_surrounded_points() -> None:
    state = GoState.parse(f"{LIVING} b - 0 0 0 7.5")
    assert marked(state, OWN_AREA) == "C2 A4 B4 C4 D4 A5 B5 C5 D5"
    assert marked(state, OTHER_AREA) == "A3 B3 C3 D3 E3 E4 E5"


def test_stones_in_pass_alive_territory_belong_to_the_territory() -> None:
    """Black has an eye on A5 and another around the white stone, whatever White plays."""
    state = GoState.parse("1X2X/XXOXX/XXXXX/2O2/OOOO1 w - 0 0 0 7.5")
    assert marked(state, OTHER_AREA) == "A3 B3 C3 D3 E3 A4 B4 C4 D4 E4 A5 B5 C5 D5 E5"
    assert marked(state, OWN_AREA) == "A1 B1 C1 D1 C2"


def test_territory_scoring_shows_no_area() -> None:
    state = GoState.parse(f"{LIVING} b - 0 0 0 7.5 territory")
    assert marked(state, OWN_AREA) == marked(state, OTHER_AREA) == ""


def test_taxed_area_leaves_out_territory_in_seki() -> None:
    """Both sides have an eye at the top and touch the neutral point on C4."""
    text = "1XXO1/XX1OO/XXXOO/XXXOO/XXXOO"
    free, taxed = (GoState.parse(f"{text} b - 0 0 0 7.5{tax}") for tax in ("", " tax-seki"))
    assert "A5" in marked(free, OWN_AREA)
    assert "A5" not in marked(taxed, OWN_AREA)
    assert "E5" in marked(free, OTHER_AREA)
    assert "E5" not in marked(taxed, OTHER_AREA)
    assert "B5" in marked(taxed, OWN_AREA)


@pytest.mark.parametrize(("side", "expected"), [("b", -7.5 / 20), ("w", 7.5 / 20)])
def test_komi_is_the_movers(side: str, expected: float) -> None:
    assert numbers(GoState.parse(f"5/5/5/5/5 {side} - 0 0 0 7.5"))[KOMI] == expected


@pytest.mark.parametrize(("komi", "expected"), [(361, 45 / 20), (-361, -45 / 20), (44.5, 44.5 / 20)])
def test_komi_is_cut_off_beyond_the_board(komi: float, expected: float) -> None:
    assert numbers(play(Go(size=5, komi=komi).initial(), "pass"))[KOMI] == pytest.approx(expected)


def test_under_territory_every_stone_costs_its_player_a_point() -> None:
    state = play(Go(size=9, komi=6.5, scoring="territory").initial(), "E5")
    assert numbers(state)[KOMI] == (6.5 + 1) / 20
    state = play(state, "C3")
    assert numbers(state)[KOMI] == -6.5 / 20
    # Three black stones stand, White took two and has four: White played 4, Black 3 + 2.
    state = GoState.parse("5/XXX2/5/OOOO1/5 w - 0 2 0 0.5 territory")
    assert numbers(state)[KOMI] == (0.5 + 1) / 20


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("tromp-taylor", [1, 0.5, 1, 0, 0, 0]),
        ("chinese", [0, 0, 0, 0, 0, 0]),
        ("chinese-ogs", [1, 0.5, 0, 0, 0, 0]),
        ("japanese", [0, 0, 0, 1, 1, 0]),
        ("aga", [1, -0.5, 0, 0, 0, 0]),
        ("new-zealand", [1, -0.5, 1, 0, 0, 0]),
        ("stone-scoring", [0, 0, 0, 0, 1, 1]),
        ("ancient-territory", [0, 0, 0, 1, 1, 1]),
    ],
)
def test_rules(name: str, expected: list[float]) -> None:
    found = numbers(Go.by_rules(name).initial())
    assert [found[i] for i in (SUPERKO, WHICH_SUPERKO, SUICIDE, TERRITORY, TAX, TAX_ON_ALL)] == expected


@pytest.mark.parametrize(
    ("size", "komi", "expected"),
    [
        (19, 7, 0),  # White to move could draw
        (19, 7.5, 0.5),
        (19, 8, 0),
        (19, 6.5, -0.5),
        (6, 6, 0),
        (6, 6.5, 0.5),
        (6, 5.5, -0.5),
    ],
)
def test_parity_rises_where_draws_are_possible(size: int, komi: float, expected: float) -> None:
    assert numbers(play(Go(size=size, komi=komi).initial(), "pass"))[PARITY] == expected
    assert numbers(play(Go(size=size, komi=komi, scoring="territory").initial(), "pass"))[PARITY] == 0


def test_handicap_gives_white_the_move_and_perhaps_points() -> None:
    state = Go.by_rules("chinese", size=9, komi=0.5, handicap=4).initial()
    assert marked(state, OTHER) == "C3 G3 C7 G7"
    assert marked(state, OWN) == ""
    assert numbers(state)[KOMI] == 4.5 / 20
    assert numbers(Go.by_rules("aga", size=9, komi=0.5, handicap=4).initial())[KOMI] == 3.5 / 20
    # Four stones played by Black already.
    assert numbers(Go.by_rules("japanese", size=9, komi=0.5, handicap=4).initial())[KOMI] == 4.5 / 20


@pytest.mark.parametrize("name", ["tromp-taylor", "japanese"])
def test_a_pass_after_a_pass_ends_the_phase(name: str) -> None:
    state = play(Go.by_rules(name, size=9).initial(), "E5", "C3", "pass")
    assert numbers(state)[PASS_ENDS] == 1
    assert numbers(state)[:5] == [1, 0, 0, 0, 0]
    assert [marked(state, HISTORY + n) for n in range(3)] == ["", "C3", "E5"]
    assert numbers(play(state, "D4"))[PASS_ENDS] == 0


@pytest.mark.parametrize("name", ["chinese", "aga", "new-zealand", "stone-scoring"])
def test_a_friendly_pass_hides_the_past(name: str) -> None:
    """The ladder that the move before the pass made is then shown as if it had always been there."""
    state = play(Go.by_rules(name, size=9).initial(), "C4", "D4", "D3", "E8", "E3", "pass")
    assert numbers(state)[PASS_ENDS] == 0
    assert numbers(state)[:5] == [0] * 5
    assert [marked(state, HISTORY + n) for n in range(5)] == [""] * 5
    assert [marked(state, LADDERS + n) for n in range(3)] == ["D4"] * 3


DOUBLE_KO = "1XXOO4/1XO1O4/1XXOO4/1XXOO4/1X1XO4/1XXOO4/1XXOO4/1XXOO4/1XXOO4"


def test_a_pass_in_the_same_situation_as_before_ends_the_phase() -> None:
    """Without superko: each side takes in both kos, which brings the board back with White to move."""
    start = GoState.parse(f"{DOUBLE_KO} w - 0 0 0 7.5 simple")
    around = ("D8", "C5", "pass", "C8", "D5")
    state = play(start, "pass", *around)
    assert state.stones == start.stones
    assert numbers(state)[PASS_ENDS] == 1
    assert numbers(play(start, "pass", *around[:-1], "J9"))[PASS_ENDS] == 0
    assert numbers(play(start, "J9", "pass", "J8", *around))[PASS_ENDS] == 0  # White has not passed before


def test_a_game_that_is_over_is_shown_its_last_pass() -> None:
    state = play(Go.by_rules("chinese", size=9).initial(), "E5", "pass", "pass")
    assert state.outcome is not None
    assert numbers(state)[:5] == [1, 0, 0, 0, 0]
    assert marked(state, HISTORY + 2) == ""
    assert numbers(state)[PASS_ENDS] == 1


def test_many_states_are_the_same_as_one_by_one() -> None:
    states = [Go.by_rules("japanese", size=size).initial() for size in (5, 9, 13)]
    together = katago_encode(states, 13)
    for i, state in enumerate(states):
        for many, one in zip(together, katago_encode([state], 13), strict=True):
            assert np.array_equal(many[i], one[0])
    assert [array.shape for array in katago_encode([], 19)] == [(0, 22, 19, 19), (0, 19)]
