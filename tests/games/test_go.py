"""Go's rules one by one, on boards made by hand."""

from __future__ import annotations

import pytest

from sparring._core import GoState
from sparring.games import IllegalMove, ParseError
from sparring.go.game import Go

KO_RULES = ("", "situational", "simple")
KO = "1XO2/X1XO1/1XO2/5/5 w - 0 0 0 7.5"
TRIPLE_KO = "1XXOO4/1XO1O4/1XXOO4/1XXOO4/1X1XO4/1XXOO4/1XXOO4/1XO1O4/1XXOO4 b - 0 0 0 7.5"
SENDING_TWO = "1XO2/1XOO1/XXXO1/XXOO1/1O1O1 w - 0 0 0 7.5"
SEKI = "2X1O/XXX1O/XXX1O/XXXOO/XXXO1 b - 3 1 0 0.5"


def play(state: GoState, *moves: str) -> GoState:
    for move in moves:
        state = state.play(state.parse_move(move))
    return state


def is_legal(state: GoState, move: str) -> bool:
    return state.parse_move(move) in state.legal_moves()


def rows(state: GoState) -> str:
    return state.text().split()[0]


def names(state: GoState) -> tuple[list[str], list[str]]:
    black, white = ([state.move_text(p) for p in points] for points in state.stones)
    return black, white


def test_stones_without_liberties_are_captured_together() -> None:
    state = play(GoState.parse("5/1X1X1/XO1OX/1X1X1/5 b - 0 0 0 7.5"), "C3")
    assert rows(state) == "5/1X1X1/X1X1X/1X1X1/5"
    assert state.prisoners == (2, 0)


@pytest.mark.parametrize("rule", KO_RULES)
def test_a_ko_is_taken_back_only_after_a_move_elsewhere(rule: str) -> None:
    state = play(GoState.parse(f"{KO} {rule}"), "B4")
    assert state.ko_point == state.parse_move("C4")
    assert not is_legal(state, "C4")
    with pytest.raises(IllegalMove, match="C4"):
        play(state, "C4")
    state = play(state, "E1", "E5")
    assert state.ko_point is None
    assert is_legal(state, "C4")


def test_the_ko_point_survives_the_text() -> None:
    state = play(GoState.parse(KO), "B4")
    assert state.text() == "1XO2/XO1O1/1XO2/5/5 b C4 0 1 0 7.5"
    assert not is_legal(GoState.parse(state.text()), "C4")


@pytest.mark.parametrize("rule", KO_RULES)
def test_a_double_ko_is_fought_with_the_other_ko_as_threat(rule: str) -> None:
    start = TRIPLE_KO.replace("1XO1O4/1XXOO4 b", "1XXOO4/1XXOO4 b")
    state = play(GoState.parse(f"{start} {rule}"), "D8", "C5")
    assert not is_legal(state, "D5")
    state = play(state, "J1", "J9", "D5")
    assert is_legal(state, "C8")
    assert not is_legal(state, "C5")


def test_a_triple_ko_goes_round_under_simple_ko_only() -> None:
    cycle, last = ("D8", "C5", "D2", "C8", "D5"), "C2"
    simple = play(GoState.parse(f"{TRIPLE_KO} simple"), *cycle, last)
    assert rows(simple) == TRIPLE_KO.split()[0]
    assert is_legal(simple, cycle[0])
    for rule in ("", "situational"):
        assert not is_legal(play(GoState.parse(f"{TRIPLE_KO} {rule}"), *cycle), last)


@pytest.mark.parametrize(("rule", "free"), [("", False), ("situational", True), ("simple", True)])
def test_sending_two_returning_one_repeats_the_board_but_not_the_situation(rule: str, free: bool) -> None:
    state = play(GoState.parse(f"{SENDING_TWO} {rule}"), "A1", "C1")
    assert state.prisoners == (2, 0)
    assert state.ko_point is None
    assert is_legal(state, "B1") == free
    if free:
        assert rows(play(state, "B1")) == SENDING_TWO.split()[0]


def test_superko_uses_the_history_and_a_parsed_text_has_none() -> None:
    state = play(GoState.parse(SENDING_TWO), "A1", "C1")
    again = GoState.parse(state.text())
    assert again == state
    assert is_legal(again, "B1")
    assert not is_legal(state, "B1")


def test_a_snapback_is_no_ko() -> None:
    state = play(GoState.parse("5/5/OOO2/XXXO1/2XO1 w - 0 0 0 7.5"), "B1", "A1")
    assert state.prisoners == (1, 0)
    assert state.ko_point is None
    state = play(state, "B1")
    assert state.prisoners == (1, 5)
    assert rows(state) == "5/5/OOO2/3O1/1O1O1"


def test_suicide_is_illegal_unless_the_rules_allow_it() -> None:
    text = "5/5/O4/XO3/1O3 b - 0 0 0 7.5"
    assert not is_legal(GoState.parse(text), "A1")
    state = play(GoState.parse(f"{text} suicide"), "A1")
    assert rows(state) == "5/5/O4/1O3/1O3"
    assert state.prisoners == (0, 2)


@pytest.mark.parametrize("rules", ["", "suicide", "simple suicide", "situational suicide"])
def test_a_single_stone_never_commits_suicide(rules: str) -> None:
    assert not is_legal(GoState.parse(f"5/5/5/O4/1O3 b - 0 0 0 7.5 {rules}"), "A1")


@pytest.mark.parametrize(("rule", "free"), [("", False), ("situational", True), ("simple", True)])
def test_superko_holds_for_suicide(rule: str, free: bool) -> None:
    state = play(GoState.parse(f"5/5/O4/1O3/1O3 b - 0 0 0 7.5 {rule} suicide"), "A2", "pass")
    assert is_legal(state, "A1") == free


def test_two_passes_end_the_game_and_the_score_decides() -> None:
    state = play(Go(size=5).initial(), "C3", "pass")
    assert state.outcome is None
    state = play(state, "pass")
    assert state.outcome is not None
    assert (state.outcome.winner, state.outcome.reason) == (0, "score")
    assert state.legal_moves() == []
    with pytest.raises(IllegalMove, match="over"):
        play(state, "pass")


def test_equal_scores_are_a_draw() -> None:
    state = play(Go(size=5, komi=25).initial(), "C3", "pass", "pass")
    assert state.score() == (25.0, 25.0)
    assert state.outcome is not None
    assert (state.outcome.winner, state.outcome.reason) == (None, "score")


def test_passes_are_never_forbidden() -> None:
    state = Go(size=5).initial()
    for _ in range(5):
        state = play(state, "pass", state.move_text(state.legal_moves()[0]))
        assert state.legal_moves()[-1] == 25


def test_shared_liberties_of_a_seki_count_for_neither_player_under_area() -> None:
    assert GoState.parse(SEKI).score() == (13 + 2, 6 + 1 + 0.5)


def test_prisoners_count_under_territory() -> None:
    assert GoState.parse(f"{SEKI} territory").score() == (2 + 3, 1 + 1 + 0.5)


def test_dead_stones_leave_with_their_chain_and_are_prisoners() -> None:
    for dead in (["D1"], ["D1", "E5"]):
        area, territory = GoState.parse(SEKI), GoState.parse(f"{SEKI} territory")
        points = [area.parse_move(stone) for stone in dead]
        assert area.score(dead=points) == (25, 0.5)
        assert territory.score(dead=points) == (12 + 3 + 6, 1 + 0.5)


@pytest.mark.parametrize(("point", "shown"), [(20, "A5"), (25, "25"), (-1, "-1"), (10**6, "1000000")])
def test_only_stones_can_be_dead(point: int, shown: str) -> None:
    with pytest.raises(ValueError, match=f"no stone on point {shown} "):
        GoState.parse(SEKI).score(dead=[point])


@pytest.mark.parametrize(
    ("size", "handicap", "points"),
    [
        (19, 2, "D4 Q16"),
        (19, 3, "D4 D16 Q16"),
        (19, 4, "D4 Q4 D16 Q16"),
        (19, 5, "D4 Q4 K10 D16 Q16"),
        (19, 6, "D4 Q4 D10 Q10 D16 Q16"),
        (19, 7, "D4 Q4 D10 K10 Q10 D16 Q16"),
        (19, 8, "D4 K4 Q4 D10 Q10 D16 K16 Q16"),
        (19, 9, "D4 K4 Q4 D10 K10 Q10 D16 K16 Q16"),
        (13, 5, "D4 K4 G7 D10 K10"),
        (9, 9, "C3 E3 G3 C5 E5 G5 C7 E7 G7"),
        (12, 4, "C3 K3 C10 K10"),
        (8, 3, "C3 C6 F6"),
        (7, 4, "C3 E3 C5 E5"),
    ],
)
def test_handicap_stones_stand_on_the_points_of_gtp(size: int, handicap: int, points: str) -> None:
    state = Go(size=size, handicap=handicap).initial()
    assert names(state) == (points.split(), [])
    assert state.to_move == 1


@pytest.mark.parametrize(("size", "handicap"), [(19, 1), (19, 10), (19, -1), (16, 5), (7, 5), (6, 2)])
def test_handicaps_that_a_board_has_no_points_for_are_refused(size: int, handicap: int) -> None:
    with pytest.raises(ParseError, match="handicap"):
        Go(size=size, handicap=handicap)
