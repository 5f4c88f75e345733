"""Shogi: perft, the rules that need a line of play, text, encoding and pictures."""

from __future__ import annotations

import pickle
import random
import re

import numpy as np
import pytest

from sparring._core import ShogiState
from sparring.games import IllegalMove, ParseError, load_game
from sparring.shogi.game import Shogi
from sparring.shogi.notation import squares_between

GAME = Shogi()
START = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"
MATSURI = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1"
WIDEST = "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1"
HANDS = "9/9/9/3k5/9/5K3/9/9/9 b RB2G2S2N2L9Prb2g2s2n2l9p 1"


def play_moves(state: ShogiState, moves: str) -> ShogiState:
    for text in moves.split():
        state = GAME.play(state, GAME.parse_move(state, text))
    return state


def legal(sfen: str) -> set[str]:
    state = GAME.parse(sfen)
    return {GAME.move_text(state, move) for move in GAME.legal_moves(state)}


@pytest.mark.parametrize(
    ("sfen", "counts"),
    [
        (START, [30, 900, 25_470, 719_731, 19_861_490]),
        (MATSURI, [207, 28_684, 4_809_015]),
        (WIDEST, [593, 105_677, 53_393_368]),
        (HANDS, [524, 248_257, 112_911_856]),
    ],
    ids=["start", "matsuri", "widest", "hands"],
)
def test_perft_matches_published_counts(sfen: str, counts: list[int]) -> None:
    state = GAME.parse(sfen)
    assert [state.perft(depth + 1) for depth in range(len(counts))] == counts


def test_the_game_begins_with_black_and_thirty_moves() -> None:
    state = GAME.initial()
    assert state.text() == START
    assert GAME.to_move(state) == 0
    assert GAME.spec.players == ("Black", "White")
    assert len(GAME.legal_moves(state)) == 30
    assert GAME.outcome(state) is None
    assert load_game("shogi") == GAME


def test_promotion_is_a_choice_until_the_piece_could_not_move_again() -> None:
    assert {"1d1c", "1d1c+"} <= legal("k8/9/6K2/8P/9/9/9/9/9 b - 1")
    lance = legal("k8/9/8L/9/9/9/9/9/K8 b - 1")
    assert {"1c1b", "1c1b+", "1c1a+"} <= lance
    assert "1c1a" not in lance
    knight = legal("k8/9/9/7N1/8N/9/9/9/K8 b - 1")
    assert {"2d1b+", "2d3b+", "1e2c", "1e2c+"} <= knight
    assert not {"2d1b", "2d3b"} & knight
    leaving = legal("k8/9/6S2/9/9/9/9/9/K8 b - 1")
    assert {"3c2d", "3c2d+"} <= leaving
    assert "5c5d+" not in legal("k8/9/4G4/9/9/9/9/9/K8 b - 1")


def test_drops_avoid_dead_ends_and_second_pawns() -> None:
    moves = legal("k8/9/9/9/9/9/4P4/9/K8 b NLP 1")
    assert not {"P*1a", "L*1a", "N*1a", "N*1b", "P*5d"} & moves
    assert {"L*1b", "N*1c", "P*1b", "L*5d"} <= moves
    assert "P*5d" in legal("k8/9/9/9/9/9/4+P4/9/K8 b P 1")  # a promoted pawn is no pawn


def test_a_captured_piece_goes_to_the_hand_unpromoted() -> None:
    state = play_moves(GAME.parse("k8/9/9/9/4+p4/4R4/9/9/K8 b - 1"), "5f5e")
    assert state.text() == "k8/9/9/9/4R4/9/9/9/K8 w P 2"


def test_a_pawn_drop_may_check_but_not_mate() -> None:
    mating = "8k/6+B2/8G/9/9/9/9/9/K8 b P 1"
    assert "P*1b" not in legal(mating)
    assert "P*2b" in legal(mating)
    assert "P*1b" in legal("8k/9/8G/9/9/9/9/9/K8 b P 1")  # the king escapes
    assert "P*1b" in legal("8k/6+B2/9/9/9/9/9/9/K8 b P 1")  # the king takes the pawn
    assert "P*1b" in legal("7gk/6+B2/8G/9/9/9/9/9/K8 b P 1")  # the gold takes the pawn
    assert "P*1b" not in legal("R6gk/9/7GG/9/9/9/9/9/K8 b P 1")  # the gold is pinned
    assert "P*8h" in legal("8k/9/9/9/9/9/9/9/K8 w p 1")
    assert "P*9h" not in legal("8k/9/9/9/9/9/g8/2+b6/K8 w p 1")


def test_a_pawn_that_moves_may_mate() -> None:
    state = play_moves(GAME.parse("8k/6+B2/8P/8L/9/9/9/9/K8 b - 1"), "1c1b")
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert (outcome.winner, outcome.reason) == (0, "checkmate")


def test_a_pinned_piece_keeps_to_its_line() -> None:
    moves = legal("k3r4/9/9/9/9/4S4/9/9/4K4 b - 1")
    assert {move for move in moves if move.startswith("5f")} == {"5f5e"}
    both = legal("k3r4/9/9/9/9/9/9/4S4/r1G1K4 b - 1")
    assert not {"5h6i", "5h4i"} & both  # from one pinned line to another is no better


def test_a_double_check_is_answered_by_the_king_alone() -> None:
    state = GAME.parse("4k4/9/9/9/9/4r4/9/3g5/4K4 b RB 1")
    assert state.in_check
    assert all(GAME.move_text(state, move).startswith("5i") for move in GAME.legal_moves(state))


def test_a_player_without_a_move_has_lost() -> None:
    mated = GAME.parse("4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1").outcome
    assert mated is not None
    assert (mated.winner, mated.reason) == (0, "checkmate")
    stuck = GAME.parse("8k/6+R2/9/9/9/9/9/9/K6L1 w - 1")
    assert not stuck.in_check
    assert stuck.legal_moves() == []
    assert stuck.outcome is not None
    assert (stuck.outcome.winner, stuck.outcome.reason) == (0, "no legal moves")


SHUFFLE = "7g7f 3c3d 2h3h 8b7b 3h2h 7b8b 2h3h 8b7b 3h2h 7b8b 2h3h 8b7b 3h2h"


def test_the_fourth_repetition_is_a_draw() -> None:
    state = play_moves(GAME.initial(), SHUFFLE)
    assert state.outcome is None
    assert state.repetitions == 3
    assert len(state.legal_moves()) > 0
    state = play_moves(state, "7b8b")
    assert state.repetitions == 4
    assert state.outcome is not None
    assert (state.outcome.winner, state.outcome.reason) == (None, "repetition")
    assert state.legal_moves() == []
    with pytest.raises(IllegalMove, match="the game is over: repetition"):
        state.play(state.parse_move("2h3h"))
    assert GAME.parse(state.text()).outcome is None  # a position by itself has no past


def test_hands_tell_positions_apart() -> None:
    rook_takes = "9/4k4/9/9/9/p8/9/R8/4K4 b - 1"
    state = play_moves(GAME.parse(rook_takes), "9h9f 5b5a 9f9h 5a5b")
    assert state.repetitions == 1  # the same board, but a pawn in hand


def test_a_repetition_through_captures_and_drops_is_found() -> None:
    exchange = "P*5e 5a5e 9i9h 5e5a 9h9i P*9e 9i9e 5a4a 9e9i 4a5a "
    state = play_moves(GAME.parse("4r3k/9/9/9/9/9/9/9/R7K b P 1"), exchange * 3)
    assert state.ply == 30
    assert state.outcome is not None
    assert (state.outcome.winner, state.outcome.reason) == (None, "repetition")


CHECKS = "4i5i 5a4a 5i4i 4a5a "


def test_perpetual_check_loses_for_the_checking_player() -> None:
    state = play_moves(GAME.parse("4k4/9/9/9/9/9/9/9/K4R3 b - 1"), CHECKS * 3)
    assert state.outcome is not None
    assert (state.outcome.winner, state.outcome.reason) == (1, "perpetual check")
    turned = "3r4k/9/9/9/9/9/9/9/4K4 w - 1"
    state = play_moves(GAME.parse(turned), "6a5a 5i6i 5a6a 6i5i " * 3)
    assert state.outcome is not None
    assert (state.outcome.winner, state.outcome.reason) == (0, "perpetual check")


def test_moves_before_the_first_occurrence_do_not_excuse_perpetual_check() -> None:
    state = play_moves(GAME.parse("4k4/9/9/9/9/9/9/8R/K8 b - 1"), "1h4h 5a5b 4h4i 5b5a " + CHECKS * 3)
    assert state.outcome is not None
    assert (state.outcome.winner, state.outcome.reason) == (1, "perpetual check")


def test_one_quiet_move_in_the_cycles_makes_it_a_draw() -> None:
    quiet = "4i3i 5a5b 3i4i 5b5a "
    state = play_moves(GAME.parse("4k4/9/9/9/9/9/9/9/K4R3 b - 1"), CHECKS + quiet + CHECKS)
    assert state.outcome is not None
    assert (state.outcome.winner, state.outcome.reason) == (None, "repetition")


def sennichite(line_of_play: list[tuple[str, int, bool]]) -> tuple[int | None, str] | None:
    """The repetition rule as the rule book puts it, over (position, to move, in check)."""
    seen = [i for i, (position, _, _) in enumerate(line_of_play) if position == line_of_play[-1][0]]
    if len(seen) < 4:
        return None
    since = line_of_play[seen[0] + 1 :]
    guilty = [p for p in (0, 1) if all(check for _, to_move, check in since if to_move == 1 - p)]
    return (1 - guilty[0], "perpetual check") if len(guilty) == 1 else (None, "repetition")


@pytest.mark.parametrize("seed", range(4))
def test_repetition_follows_the_rule_book_in_games_full_of_checks(seed: int) -> None:
    rng = random.Random(seed)
    endings = set()
    for start in (
        "4k4/9/9/9/9/9/9/9/K4R3 b - 1",
        "3r4k/9/9/9/9/9/9/9/4K4 w - 1",
        "k8/9/9/4R4/9/9/4r4/9/K8 b - 1",
    ):
        for _ in range(20):
            state = GAME.parse(start)
            played = [(state.text().rsplit(" ", 1)[0], state.to_move, state.in_check)]
            while state.outcome is None:
                following = [state.play(move) for move in state.legal_moves()]
                checks = [after for after in following if after.in_check]
                back = [after for after in following if after.repetitions > 1]
                state = rng.choice(rng.choice([checks, back, back, following]) or following)
                played.append((state.text().rsplit(" ", 1)[0], state.to_move, state.in_check))
                expected = sennichite(played)
                if state.outcome is not None and state.outcome.reason in ("checkmate", "no legal moves"):
                    break
                assert expected == (state.outcome and (state.outcome.winner, state.outcome.reason))
            assert state.outcome is not None
            endings.add(state.outcome.reason)
    assert {"repetition", "perpetual check"} <= endings


ENTERED = "K+B+R+BGGSS1/PPPPP4/9/9/9/9/9/9/8k b {hand} 100"


def test_a_declaration_wins_with_28_points_for_black() -> None:
    # In the camp: three big pieces (15), two golds, two silvers, five pawns (9): 24.
    assert "win" not in legal(ENTERED.format(hand="3P"))
    assert "win" in legal(ENTERED.format(hand="4P"))
    assert "win" not in legal("1+B+R+BGGSS1/PPPPP4/9/K8/9/9/9/9/8k b 4P 100")  # the king is not in yet
    state = play_moves(GAME.parse(ENTERED.format(hand="R")), "win")
    assert state.outcome is not None
    assert (state.outcome.winner, state.outcome.reason) == (0, "entering-king declaration")
    assert state.legal_moves() == []


def test_a_declaration_wins_with_27_points_for_white() -> None:
    white = "8K/9/9/9/9/9/9/4ppppp/1ssgg+b+r+bk w {hand} 100"
    assert "win" not in legal(white.format(hand="2p"))
    assert "win" in legal(white.format(hand="3p"))


def test_a_declaration_needs_ten_pieces_and_no_check() -> None:
    nine = "K+B+R+BGGS2/PPP6/9/9/9/9/9/9/8k b 13P 100"
    assert "win" not in legal(nine)
    assert "win" in legal(nine.replace("PPP6", "PPPP5"))
    checked = "K+B+R+BGGS2/1PPPP4/9/9/9/9/9/9/r7k b 13P 100"
    assert GAME.parse(checked).in_check
    assert "win" not in legal(checked)
    assert "win" in legal(checked.replace("r7k", "1r6k"))


def test_perft_does_not_count_the_declaration() -> None:
    state = GAME.parse(ENTERED.format(hand="4P"))
    assert state.perft(1) == len(state.legal_moves()) - 1


def test_a_declared_win_is_part_of_the_text() -> None:
    before = GAME.parse(ENTERED.format(hand="4P"))
    after = play_moves(before, "win")
    assert after.text().endswith(" w 4P 101 win")
    again = GAME.parse(after.text())
    assert again == after
    assert hash(again) == hash(after)
    assert again.outcome == after.outcome
    assert again.perft(1) == again.perft(2) == 0
    assert again != GAME.parse(after.text().removesuffix(" win"))
    with pytest.raises(ParseError, match="could not declare"):
        GAME.parse(START + " win")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "board, side to move, hands and move number expected"),
        ("lnsgkgsnl", "board, side to move"),
        (START + " 1", "board, side to move"),
        (START.replace(" b ", " x "), "side to move 'x' is not b or w"),
        (START.replace("/9/9/9/", "/9/9/"), "not 9 ranks of 9 squares"),
        (START.replace("/9/9/9/", "/9/9/9/9/"), "does not have 9 squares"),
        (START.replace("1r5b1", "1r5b"), "does not have 9 squares"),
        (START.replace("1r5b1", "1r5b2"), "does not have 9 squares"),
        (START.replace("1r5b1", "1r23b1"), "two digits in a row"),
        (START.replace("1r5b1", "1x5b1"), "unknown piece 'x'"),
        (START.replace("1r5b1", "1+5b1"), "no piece after"),
        (START.replace("LNSGKGSNL", "LNSGKGSN1+"), "no piece after"),
        (START.replace("LNSGK", "LNS+GK"), "a gold or a king cannot promote"),
        (START.replace("LNSGK", "LNSG1"), "Black has no king; both sides need one"),
        (START.replace("lnsgk", "lnskk"), "White has more than one king"),
        (START.replace(" - ", " P "), "there are 19 pawns; a set has 18"),
        (START.replace(" - ", " r "), "there are 3 rooks; a set has 2"),
        (START.replace(" - ", " 19P "), "not from 1 to 18"),
        (START.replace(" - ", " 0P "), "not from 1 to 18"),
        (START.replace(" - ", " 99999999999P "), "not from 1 to 18"),
        (START.replace(" - ", " 2 "), "a count without a piece"),
        (START.replace(" - ", " K "), "unknown piece 'K'"),
        (START.replace(" - ", " PP "), "given twice"),
        ("4k4/9/9/9/9/4P4/4P4/9/4K4 b - 1", "Black has two pawns on file 5"),
        ("P3k4/9/9/9/9/9/9/9/4K4 b - 1", "a pawn of Black could never move"),
        ("4k4/9/9/9/9/9/9/9/4K3l b - 1", "a lance of White could never move"),
        ("4k4/N8/9/9/9/9/9/9/4K4 b - 1", "a knight of Black could never move"),
        ("4k4/9/9/9/9/9/9/4R4/4K4 b - 1", "just moved is in check"),
        (START.replace(" 1", " -1"), "move number '-1' is not a number below 10000"),
        (START.replace(" - 1", " - 10000"), "move number"),
    ],
)
def test_impossible_texts_are_refused_with_a_reason(text: str, message: str) -> None:
    with pytest.raises(ParseError, match=message.replace("(", r"\(")):
        GAME.parse(text)


def test_the_move_number_may_be_missing_and_hands_come_in_any_order() -> None:
    assert GAME.parse(START.removesuffix(" 1")) == GAME.initial()
    assert GAME.parse(START.replace(" 1", " 0")) == GAME.initial()
    assert GAME.parse(MATSURI.replace("RGgsn5p", "5pnsgGR")).text() == MATSURI
    numbered = play_moves(GAME.parse(START.removesuffix(" 1") + " 9999"), "7g7f 3c3d")
    assert GAME.parse(numbered.text()) == numbered


@pytest.mark.parametrize("text", ["7g7f", "8h2b+", "P*5e", "R*1a", "win"])
def test_usi_moves_are_read_and_written_alike(text: str) -> None:
    state = GAME.initial()
    assert state.move_text(state.parse_move(text)) == text
    assert state.parse_move(text) < GAME.spec.moves


@pytest.mark.parametrize(
    "text", ["", "7g", "7g7g", "7g7j", "0g7f", "K*5e", "P*5e+", "p*5e", "7g7f=", "7g7f++", "５５"]
)
def test_invalid_usi_moves_are_refused(text: str) -> None:
    """The parser of USI. `Game.parse_move` reads what people type, too (test_typed_moves)."""
    with pytest.raises(ParseError, match="USI"):
        GAME.initial().parse_move(text)


def test_a_move_that_the_rules_forbid_is_refused() -> None:
    with pytest.raises(IllegalMove, match="7g7e is not legal"):
        GAME.parse_move(GAME.initial(), "7g7e")
    with pytest.raises(IllegalMove, match="win is not legal"):
        GAME.parse_move(GAME.initial(), "win")
    for code in (0x7FFF, 0xFFFF, 89 << 7, GAME.spec.moves):
        with pytest.raises(IllegalMove, match=f"illegal move code {code}"):
            GAME.initial().play(code)


@pytest.mark.parametrize(
    ("sfen", "text", "reason"),
    [
        (START, "5e5d", "there is no piece on 5e"),
        (START, "3c3d", "the piece on 3c is not yours"),
        (START, "S7g-7f", "the piece on 7g is a pawn"),
        (START, "+B-5e", "you have no promoted bishop"),
        (START, "R-2g", "your own piece is on 2g"),
        (START, "76銀", "no silver can go to 7f"),
        (START, "G-5h+", "the piece cannot promote there"),
        (START, "P*5e", "you have no pawn in hand"),
        ("4k4/9/9/9/9/9/P8/9/4K4 b PN 1", "P*9e", r"you have a pawn on file 9 already \(nifu\)"),
        ("4k4/9/9/9/9/9/P8/9/4K4 b PN 1", "P*9g", "9g is occupied"),
        ("4k4/9/9/9/9/9/P8/9/4K4 b PN 1", "N*3b", "a knight could not move from 3b"),
        ("4r1k2/9/9/9/9/9/P8/9/4K4 b P 1", "P-9f", "your king is in check"),
        ("4r1k2/9/9/9/9/9/P8/9/4K4 b P 1", "P*1e", "your king is in check"),
        ("7nk/9/7GG/9/9/9/9/9/4K4 b P 1", "P*1b", r"may not give mate \(uchifuzume\)"),
        (START, "7g7e", "a pawn does not move from 7g to 7e"),
        (START, "P7g-7e", "a pawn does not move from 7g to 7e"),
        (START, "2h2d", "the piece on 2g is in the way"),
        (START, "8h2b", "the piece on 7g is in the way"),
        (f"{START.split()[0]} w - 1", "3c3e", "a pawn does not move from 3c to 3e"),
        ("4k4/9/9/4r4/9/4G4/9/9/4K4 b - 1", "5f6f", "your king would be in check"),
        ("4r1k2/9/9/9/9/9/P8/9/4K4 b P 1", "9g9e", "a pawn does not move from 9g to 9e"),
        ("4k4/9/9/9/9/9/9/9/3GKG3 b - 1", "58金寄", "legal here$"),
        ("4k4/9/9/9/9/9/9/9/4K4 b P 1", "P7g*5e", "legal here$"),
    ],
)
def test_a_refusal_says_why(sfen: str, text: str, reason: str) -> None:
    with pytest.raises(IllegalMove, match=reason):
        GAME.parse_move(GAME.parse(sfen), text)


@pytest.mark.parametrize("letter", ["P", "L", "N", "S", "G", "B", "R", "+P", "+L", "+N", "+S", "+B", "+R"])
@pytest.mark.parametrize("player", [0, 1])
def test_pieces_move_as_the_rules_say(letter: str, player: int) -> None:
    squares = [f"{file}{rank}" for file in range(9, 0, -1) for rank in "abcdefghi"]
    own_king, other_king = ("9i", "1a") if player == 0 else ("1a", "9i")
    tried = 0
    for source in squares:
        rows = [["1"] * 9 for _ in range(9)]
        pieces = {own_king: "K", other_king: "k", source: letter}
        for square, piece in pieces.items():
            shown = piece if player == 0 else piece.swapcase()
            rows["abcdefghi".index(square[1])][9 - int(square[0])] = shown
        board = re.sub("1+", lambda ones: str(len(ones[0])), "/".join(map("".join, rows)))
        try:
            state = GAME.parse(f"{board} {'bw'[player]} - 1")
        except ParseError:  # no room to move, or a king could be taken
            continue
        tried += 1
        moves = [state.move_text(move) for move in state.legal_moves()]
        reached = {move[2:4] for move in moves if move[:2] == source}
        free = [square for square in squares if square not in pieces]
        assert reached == {to for to in free if squares_between(letter, source, to, player) is not None}
    assert tried >= 55


def test_every_legal_code_is_below_the_bound() -> None:
    state, rng = GAME.initial(), random.Random(5)
    while state.outcome is None and state.ply < 400:
        moves = state.legal_moves()
        assert moves == sorted(set(moves))
        assert moves[0] >= 0
        assert moves[-1] < GAME.spec.moves
        state = state.play(rng.choice(moves))


def test_a_state_survives_pickling_with_its_line() -> None:
    state = play_moves(GAME.initial(), SHUFFLE)
    again = pickle.loads(pickle.dumps(state))
    assert again == state
    assert again.repetitions == 3


def test_playouts_are_reproducible() -> None:
    first = GAME.initial().playout(7, 2000)
    assert first == GAME.initial().playout(7, 2000)
    assert first[1] > 0


def test_the_encoding_shows_pieces_and_hands_from_below() -> None:
    planes = list(GAME.spec.planes)
    black = GAME.encode([GAME.initial()])[0]
    assert black.shape == (len(planes), 9, 9)
    assert black[planes.index("own rooks"), 7, 7] == 1
    assert black[planes.index("other's rooks"), 1, 1] == 1
    assert black[planes.index("own pawns")].sum() == 9
    assert black[planes.index("White to move")].max() == 0
    white = GAME.encode([GAME.parse(START.replace(" b ", " w "))])[0]
    same = [i for i, name in enumerate(planes) if name != "White to move"]
    assert np.array_equal(black[same], white[same])
    assert white[planes.index("White to move")].min() == 1

    hands = GAME.encode([GAME.parse(MATSURI)])[0]
    assert np.allclose(hands[planes.index("own pawns in hand / all")], 5 / 18)
    assert np.allclose(hands[planes.index("other's rooks in hand / all")], 1 / 2)
    assert hands[planes.index("other's promoted pawns"), 7, 3] == 1
    checked = GAME.encode([GAME.parse("4k4/9/9/9/9/9/9/4r4/4K4 b - 1")])[0]
    assert checked[planes.index("in check")].min() == 1


def test_encoded_values_stay_in_the_unit_interval() -> None:
    states, rng = [GAME.initial()], random.Random(11)
    while states[-1].outcome is None and len(states) < 200:
        states.append(states[-1].play(rng.choice(states[-1].legal_moves())))
    encoded = GAME.encode(states)
    assert encoded.min() == 0
    assert encoded.max() == 1
    assert (encoded[:, :28].sum(axis=(1, 2, 3)) <= 40).all()


def test_the_picture_has_kanji_in_columns_and_the_hands() -> None:
    state = play_moves(GAME.initial(), "7g7f 3c3d 8h2b+ 3a2b B*5e")
    assert str(state).splitlines() == [
        "White's hand: 角",
        "   9  8  7  6  5  4  3  2  1",
        "a v香v桂v銀v金v王v金 ・v桂v香 a",
        "b  ・v飛 ・ ・ ・ ・ ・v銀 ・ b",
        "c v歩v歩v歩v歩v歩v歩 ・v歩v歩 c",
        "d  ・ ・ ・ ・ ・ ・v歩 ・ ・ d",
        "e  ・ ・ ・ ・ 角 ・ ・ ・ ・ e",
        "f  ・ ・ 歩 ・ ・ ・ ・ ・ ・ f",
        "g  歩 歩 ・ 歩 歩 歩 歩 歩 歩 g",
        "h  ・ ・ ・ ・ ・ ・ ・ 飛 ・ h",
        "i  香 桂 銀 金 玉 金 銀 桂 香 i",
        "   9  8  7  6  5  4  3  2  1",
        "Black's hand: none",
    ]
    diagram = GAME.diagram(state)
    assert diagram.highlights == {(4, 4)}
    assert state.previous is not None
    assert GAME.diagram(state.previous).highlights == {(0, 6), (1, 7)}
    promoted = GAME.diagram(GAME.parse(MATSURI)).cells[1][5]
    assert promoted is not None
    assert (promoted.symbol, promoted.accent, promoted.shape) == ("と", True, "wedge")
    assert "rotate(180" in diagram._repr_svg_()
