"""Moves as people type them: numbers, signs, letter case, Japanese and English shogi notation."""

from __future__ import annotations

from typing import Any

import pytest

from sparring.base.sentences import Sentence
from sparring.chess.game import Chess
from sparring.games import Game, IllegalMove, ParseError, load_game
from sparring.rbc.game import Rbc
from sparring.shogi.notation import japanese, western

TWO_KNIGHTS = "4k3/P7/8/8/2p5/1P6/8/1N2KN2 w - - 0 1"


def after(game: Game[Any], *moves: str) -> Any:
    state = game.initial()
    for move in moves:
        state = game.play(state, game.parse_move(state, move))
    return state


def read(name: str, moves: str, text: str) -> str:
    game = load_game(name)
    state = game.parse(moves) if "/" in moves else after(game, *moves.split(","))
    return game.move_text(state, game.parse_move(state, text))


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("bc4", "f1c4"),
        ("BC4", "f1c4"),
        ("nf3", "g1f3"),
        ("NF3!", "g1f3"),
        ("5. h3", "h2h3"),
        ("2...h3", "h2h3"),
        ("h3?!", "h2h3"),
        ("d2-d4", "d2d4"),
        ("d2–d4", "d2d4"),
        ("Ng1-f3", "g1f3"),
        ("D4", "d2d4"),
        ("d2 d4", "d2d4"),
        ("bb5+", "f1b5"),
    ],
)
def test_chess_moves_are_read_as_people_type_them(text: str, move: str) -> None:
    assert read("chess", "e4,e5", text) == move


@pytest.mark.parametrize("text", ["o-o", "0-0", "O-O", "oo", "00", "0–0", "e1g1"])
def test_castling_is_read_in_every_spelling(text: str) -> None:
    assert read("chess", "e4,e5,nf3,nc6,bc4,bc5", text) == "e1g1"


@pytest.mark.parametrize(
    ("text", "move"),
    [("bc4", "b3c4"), ("bxc4", "b3c4"), ("b:c4", "b3c4"), ("a8=q", "a7a8q"), ("a8(N)", "a7a8n")],
)
def test_a_pawn_comes_before_a_bishop_and_promotions_take_any_case(text: str, move: str) -> None:
    assert read("chess", TWO_KNIGHTS, text) == move


@pytest.mark.parametrize(
    ("moves", "text", "complaint"),
    [
        (TWO_KNIGHTS, "Nd2", "Nd2 is ambiguous: Nbd2 or Nfd2"),
        (TWO_KNIGHTS, "a7a8", "a7a8 is ambiguous: a8=N, a8=B, a8=R+ or a8=Q+"),
        ("e4,e5", "0-0", "0-0 is not legal here: a piece stands between the king and the rook"),
        (
            "e4,e5,nf3,nc6,bc4,bc5,ke2,d6,ke1,a6",
            "O-O",
            "O-O is not legal here: the king or this rook has moved, or is not on its square",
        ),
        ("4k3/8/8/8/8/8/4r3/4K2R w K - 0 1", "O-O", "O-O is not legal here: the king is in check"),
        (
            "4kr2/8/8/8/8/8/8/4K2R w K - 0 1",
            "o-o",
            "o-o is not legal here: the king would pass or reach an attacked square",
        ),
        ("e4,e5", "Nxf3", "there is nothing to capture on f3: write Nf3"),
        ("e4,e5", "Nf6", "Nf6 is not legal here: no knight can go to f6"),
        ("e4,e5", "e2-e3", "e2-e3 is not legal here: you have no piece on e2"),
        ("4r1k1/8/8/8/8/8/4B3/4K3 w - - 0 1", "bd3", "bd3 is not legal here: it leaves the king in check"),
    ],
)
def test_a_refused_chess_move_says_why_and_shows_no_fen(moves: str, text: str, complaint: str) -> None:
    with pytest.raises(IllegalMove) as refused:
        read("chess", moves, text)
    assert str(refused.value) == complaint


def test_a_text_that_no_rule_reads_is_a_parse_error() -> None:
    with pytest.raises(ParseError, match="'xyzzy' is not a move"):
        Chess().parse_move(Chess().initial(), "xyzzy")


def test_rbc_reads_san_and_reveals_nothing() -> None:
    game = Rbc()
    state = after(game, "sense e7")
    texts = {"e4": "e2e4", "nf3": "g1f3", "exd3": "e2d3", "1. Nc3": "b1c3", "pass": "pass"}
    for text, move in texts.items():
        assert game.move_text(state, game.parse_move(state, text)) == move
    with pytest.raises(IllegalMove):
        game.parse_move(state, "Bc4")
    # A black pawn on d3 changes nothing in what White may type.
    hidden = game.parse("rnbqkbnr/ppp1pppp/8/8/8/3p4/PPPPPPPP/RNBQKBNR w KQkq - 0 4 move")
    assert game.move_text(hidden, game.parse_move(hidden, "exd3")) == "e2d3"


def test_in_rbc_a_square_alone_is_a_pawn_s_step() -> None:
    game = Rbc()
    state = after(game, "sense e7")
    for text, move in {"d3": "d2d3", "D3": "d2d3", " d4 ": "d2d4", "cxd3": "c2d3", "exd3": "e2d3"}.items():
        assert game.move_text(state, game.parse_move(state, text)) == move
    promoting = game.parse("4k3/1P6/8/8/8/8/8/4K3 w - - 0 1 move")
    assert game.move_text(promoting, game.parse_move(promoting, "b8=N")) == "b7b8n"
    no_step = game.parse("4k3/8/8/8/8/8/2P5/4K3 w - - 0 1 move")
    assert game.move_text(no_step, game.parse_move(no_step, "d3")) == "c2d3", "it is the only meaning"


@pytest.mark.parametrize(
    "text",
    ["７六歩", "76歩", "7六歩", "☗７六歩", "P-7f", "p7f", "P-76", "7776", "77 76", "7G7F", "76", "1. P-7f"],
)
def test_shogi_moves_are_read_in_japanese_and_in_english(text: str) -> None:
    game = load_game("shogi")
    assert game.move_text(game.initial(), game.parse_move(game.initial(), text)) == "7g7f"


@pytest.mark.parametrize(
    ("moves", "text", "move"),
    [
        ("7g7f,3c3d", "22角成", "8h2b+"),
        ("7g7f,3c3d", "２二角不成", "8h2b"),
        ("7g7f,3c3d", "Bx2b+", "8h2b+"),
        ("7g7f,3c3d,8h2b+", "同　銀", "3a2b"),
        ("7g7f,3c3d,8h2b+,3a2b", "55角", "B*5e"),
        ("7g7f,3c3d,8h2b+,3a2b", "B'5e", "B*5e"),
        ("7g7f", "５二金右", "6a5b"),
        ("7g7f", "52金左", "4a5b"),
    ],
)
def test_shogi_promotions_drops_and_recaptures(moves: str, text: str, move: str) -> None:
    assert read("shogi", moves, text) == move


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("58金", "58金 is ambiguous: G4i-5h or G6i-5h"),
        ("Px7f", "there is nothing to capture on 7f: write P-7f"),
        ("B-2b", "B-2b is not legal here: no bishop can go to 2b"),
    ],
)
def test_a_refused_shogi_move_says_why(text: str, complaint: str) -> None:
    game = load_game("shogi")
    with pytest.raises(IllegalMove) as refused:
        game.parse_move(game.initial(), text)
    assert str(refused.value) == complaint


@pytest.mark.parametrize("seed", range(3))
def test_written_shogi_moves_are_read_again(seed: int) -> None:
    """Both notations of every legal move, in positions with drops and promotions."""
    game = load_game("shogi")
    state = game.initial()
    for ply in range(120):
        moves = game.legal_moves(state)
        if not moves:
            break
        if ply % 10 == 9:
            for write in (western, japanese):
                assert [game.parse_move(state, write(state, move)) for move in moves] == list(moves)
        state = game.play(state, moves[(7 * ply + 13 * seed) % len(moves)])


@pytest.mark.parametrize(
    ("name", "text", "move"),
    [
        ("breakthrough", "b2-b3", "b2b3"),
        ("breakthrough", "1. B2B3!", "b2b3"),
        ("expendibots", "a1a2", "1a1-a2"),
        ("expendibots", "1 a1-a2", "1a1-a2"),
        ("expendibots", "boom@a1", "boom a1"),
        ("go", "d4", "D4"),
        ("go", "4D", "D4"),
        ("go", "1. D4", "D4"),
        ("go", "Pass", "pass"),
    ],
)
def test_other_games_read_common_spellings(name: str, text: str, move: str) -> None:
    game = load_game(name)
    assert game.move_text(game.initial(), game.parse_move(game.initial(), text)) == move


@pytest.mark.parametrize(
    ("name", "moves", "text", "complaint"),
    [
        ("breakthrough", "b2b3", "b3", "b3 is not legal here"),
        ("breakthrough", "h2h3,a7a6", "a3", "a3 is ambiguous: a2a3 or b2a3"),
        ("breakthrough", "b2b3,a7a6", "b3xc4", "there is nothing to capture on c4: write b3c4"),
        ("go", "D4", "D4", "D4 is not legal here: a stone is there"),
        ("expendibots", "a1a2", "boom d4", "boom d4 is not legal here"),
    ],
)
def test_other_games_say_why_a_move_is_refused(name: str, moves: str, text: str, complaint: str) -> None:
    with pytest.raises(IllegalMove) as refused:
        read(name, moves, text)
    assert str(refused.value) == complaint


@pytest.mark.parametrize(
    ("game", "text"),
    [
        ("chess", "Nf6"),
        ("chess", "xyzzy"),
        ("chess", "Nxf3"),
        ("chess", "O-O"),
        ("shogi", "B-2b"),
        ("shogi", "Px7f"),
        ("shogi", "xyzzy"),
        ("go", "T20"),
        ("breakthrough", "b2b6"),
        ("breakthrough", "xyzzy"),
        ("expendibots", "boom d4"),
        ("expendibots", "xyzzy"),
        ("expendibots", "13a1-a2"),
        ("rbc", "xyzzy"),
        ("rbc", "sense z9"),
        ("rbc", "e2e4"),
        ("rbc sense e7", "xyzzy"),
        ("rbc sense e7", "Bc4"),
        ("rbc sense e7", "sense e3"),
    ],
)
def test_why_a_move_is_refused_can_be_translated(game: str, text: str) -> None:
    name, _, first = game.partition(" ")
    rules = load_game(name)
    with pytest.raises((ParseError, IllegalMove)) as refused:
        rules.parse_move(after(rules, *filter(None, [first])), text)
    assert isinstance(refused.value.args[0], Sentence)
    values = [value for value in refused.value.args[0].values.values() if isinstance(value, str)]
    assert all(
        isinstance(value, Sentence) or " " not in value or value.strip("'") == text for value in values
    )
