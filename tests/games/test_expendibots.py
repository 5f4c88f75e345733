"""The rules of Expendibots: legal actions and ends of games."""

from __future__ import annotations

import pytest

from sparring._core import ExpendibotsState
from sparring.expendibots.game import Expendibots
from sparring.games import IllegalMove, ParseError

GAME = Expendibots()
SHUFFLE = ["1a1-a2", "1h8-h7", "1a2-a1", "1h7-h8"]


def after(text: str, *moves: str) -> ExpendibotsState:
    state = GAME.parse(text)
    for move in moves:
        state = GAME.play(state, GAME.parse_move(state, move))
    return state


def ending(state: ExpendibotsState) -> tuple[int | None, str] | None:
    outcome = GAME.outcome(state)
    assert (outcome is None) == bool(GAME.legal_moves(state))
    return None if outcome is None else (outcome.winner, outcome.reason)


def moves_from(text: str, point: tuple[int, int]) -> int:
    state = GAME.parse(text)
    actions = [GAME.action(state, move) for move in GAME.legal_moves(state)]
    return sum(len(action) == 4 and action[2] == point for action in actions)


@pytest.mark.parametrize(("depth", "nodes"), [(1, 50), (2, 2_500), (3, 119_400), (4, 5_702_544)])
def test_perft_from_the_start(depth: int, nodes: int) -> None:
    assert GAME.initial().perft(depth) == nodes


def test_distinct_positions_after_each_ply() -> None:
    layer = [GAME.initial()]
    counts = []
    for _ in range(4):
        found: dict[int, ExpendibotsState] = {}
        for state in layer:
            for move in state.legal_moves():
                next_state = state.play(move)
                found.setdefault(next_state.key, next_state)
        layer = list(found.values())
        counts.append(len(layer))
    assert counts == [41, 1_681, 37_064, 817_216]


def test_the_start_has_12_booms_and_38_moves() -> None:
    state = GAME.initial()
    kinds = [GAME.action(state, move)[0] for move in GAME.legal_moves(state)]
    assert (kinds.count("BOOM"), kinds.count("MOVE")) == (12, 38)
    assert kinds == sorted(kinds)  # booms have the lowest codes


def test_the_rules_first_figure_has_12_moves() -> None:
    assert moves_from("8/8/3A4/8/3Ba3/8/3a4/8 w 0", (3, 3)) == 12


def test_the_rules_second_figure_has_21_moves() -> None:
    assert moves_from("6a1/8/4AAc1/8/8/8/8/8 b 0", (6, 5)) == 21


def test_one_token_flies_as_far_as_its_stack_is_high() -> None:
    assert GAME.text(after("7a/8/8/8/8/8/8/D7 w 0", "1a1-a5")) == "7a/8/8/A7/8/8/8/C7 b 1"


def test_own_stacks_add_up_and_anything_is_jumped() -> None:
    text = "7a/8/8/8/8/8/8/BaAA4 w 0"
    assert GAME.text(after(text, "2a1-c1")) == "7a/8/8/8/8/8/8/1aCA4 b 1"
    for illegal in ("1a1-b1", "1a1-d1", "3a1-a2", "1a1-a4", "1b1-b2", "boom b1", "1e4-e5", "boom e4"):
        with pytest.raises(IllegalMove, match="not legal"):
            after(text, illegal)


def test_a_boom_takes_the_whole_component_over_corners_and_edges_but_no_gap() -> None:
    state = after("aB6/2c5/3A4/5A2/8/A6a/B7/7a b 0", "boom a8")
    assert GAME.text(state) == "8/8/8/5A2/8/A6a/B7/7a w 1"


def test_a_boom_does_not_reach_around_the_edge_of_the_board() -> None:
    assert GAME.text(after("8/8/8/8/A6a/8/8/a6A w 0", "boom a4")) == "8/8/8/8/7a/8/8/a6A b 1"
    assert GAME.text(after("8/8/8/A7/7a/8/8/A7 b 0", "boom h4")) == "8/8/8/A7/8/8/8/A7 w 1"


def test_the_widest_position_has_171_actions() -> None:
    assert len(GAME.legal_moves(GAME.parse("8/8/8/3DD3/3D4/8/8/a7 w 0"))) == 171


def test_the_last_side_with_tokens_wins() -> None:
    assert ending(after("aA6/8/8/8/8/8/8/A7 w 7", "boom b8")) == (0, "no tokens")
    assert ending(after("aA6/8/8/8/8/8/8/7a b 7", "boom a8")) == (1, "no tokens")


def test_blowing_oneself_up_loses() -> None:
    assert ending(after("a7/8/8/8/8/8/8/7A w 0", "boom h1")) == (1, "no tokens")
    assert ending(after("a7/8/8/8/8/8/8/7A b 0", "boom a8")) == (0, "no tokens")


def test_it_is_a_draw_when_all_tokens_go_at_once() -> None:
    assert ending(after("aA6/8/8/8/8/8/8/8 w 0", "boom b8")) == (None, "all tokens gone")


def test_a_finished_game_is_a_text_like_any_other() -> None:
    assert ending(GAME.parse("8/8/8/8/8/8/8/8 w 0")) == (None, "all tokens gone")
    assert ending(GAME.parse("8/8/8/8/8/8/8/A7 w 0")) == (0, "no tokens")
    assert ending(GAME.parse("8/8/8/8/8/8/8/a7 w 0")) == (1, "no tokens")
    assert ending(GAME.parse("8/8/8/8/8/8/8/aA6 w 500")) == (None, "move limit")
    assert GAME.parse("8/8/8/8/8/8/8/A7 w 0").perft(2) == 0


def test_the_fourth_time_a_position_comes_up_draws() -> None:
    state = GAME.parse("7a/8/8/8/8/8/8/A7 w 0")
    for ply, move in enumerate(SHUFFLE * 3):
        assert ending(state) is None
        assert state.repetitions == ply // 4 + 1
        state = GAME.play(state, GAME.parse_move(state, move))
    assert state.repetitions == 4
    assert ending(state) == (None, "repetition")


def test_repetition_asks_for_the_same_side_to_move() -> None:
    """Three moves of one side and two of the other bring the board back with the turn passed on."""
    white_thrice = ["2a1-a2", "2h8-h7", "2a2-a3", "2h7-h8", "2a3-a1"]
    black_thrice = ["2h8-h7", "2a1-a2", "2h7-h6", "2a2-a1", "2h6-h8"]
    state = GAME.parse("7b/8/8/8/8/8/8/B7 w 0")
    boards = 0
    for move in (white_thrice + black_thrice) * 3:
        assert ending(state) is None
        boards += GAME.text(state).startswith("7b/8/8/8/8/8/8/B7")
        state = GAME.play(state, GAME.parse_move(state, move))
    assert boards == 6
    assert ending(state) == (None, "repetition")


def test_repetition_looks_past_positions_that_do_not_come_again() -> None:
    prelude = ["1c1-c2", "1c8-c7"]
    state = after("2a4a/8/8/8/8/8/8/A1A5 w 0", *prelude, *SHUFFLE, *SHUFFLE, *SHUFFLE[:3])
    assert ending(state) is None
    assert ending(GAME.play(state, GAME.parse_move(state, SHUFFLE[3]))) == (None, "repetition")


def test_500_actions_draw() -> None:
    state = after("7a/8/8/8/8/8/8/A7 w 498", "1a1-a2")
    assert ending(state) is None
    assert ending(GAME.play(state, GAME.parse_move(state, "1h8-h7"))) == (None, "move limit")


def test_a_win_on_the_500th_action_is_a_win() -> None:
    assert ending(after("aA6/8/8/8/8/8/8/a6a b 499", "boom a8")) == (1, "no tokens")
    assert ending(after("aA6/8/8/8/8/8/8/8 b 499", "boom a8")) == (None, "all tokens gone")


def test_repetition_comes_before_the_limit() -> None:
    assert ending(after("7a/8/8/8/8/8/8/A7 w 488", *SHUFFLE * 3)) == (None, "repetition")
    assert ending(after("7a/8/8/8/8/8/8/A7 w 489", *(SHUFFLE * 3)[:11])) == (None, "move limit")


def test_nothing_is_played_after_the_end() -> None:
    state = after("aA6/8/8/8/8/8/8/A7 w 7", "boom b8")
    with pytest.raises(IllegalMove, match="the game is over: no tokens"):
        state.play(0)


@pytest.mark.parametrize("code", [63, 64, 12_351, 12_352, 65_535, 65_536, -1])
def test_codes_that_are_no_legal_move_are_refused(code: int) -> None:
    with pytest.raises(IllegalMove):
        GAME.play(GAME.initial(), code)


def test_bad_text_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="fields"):
        GAME.parse("")
    with pytest.raises(ParseError):
        GAME.parse_move(GAME.initial(), "")
