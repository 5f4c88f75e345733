"""Shogi against cshogi: the same moves, texts, checks and declarations in many thousand positions."""

from __future__ import annotations

import contextlib
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator

import cshogi
import pytest

from sparring.games import ParseError
from sparring.shogi.game import Shogi

GAME = Shogi()
FULL_SET = {"P": 18, "L": 4, "N": 4, "S": 4, "G": 4, "B": 2, "R": 2}
PROMOTING = "PLNSBR"


def cshogi_board(sfen: str) -> cshogi.Board:
    board = cshogi.Board()
    board.set_sfen(sfen)
    return board


def usi_moves(board: cshogi.Board) -> list[str]:
    return sorted(cshogi.move_to_usi(move) for move in board.legal_moves)


def assert_agrees(sfen: str, board: cshogi.Board) -> None:
    state = GAME.parse(sfen)
    ours = [GAME.move_text(state, move) for move in GAME.legal_moves(state)]
    pieces = sorted(set(ours) - {"win"})
    assert pieces == usi_moves(board), sfen
    assert state.perft(1) == len(pieces), sfen
    assert state.in_check == board.is_check(), sfen
    assert ("win" in ours) == (board.is_nyugyoku() and not board.is_check()), sfen
    assert state.text() == board.sfen(), sfen
    assert (state.outcome is None) == bool(ours), sfen


def is_fourfold(sfens: list[str]) -> bool:
    """Whether the last position has come up four times."""
    positions = [sfen.rsplit(" ", 1)[0] for sfen in sfens]
    return positions.count(positions[-1]) >= 4


@pytest.mark.parametrize("seed", range(12))
def test_random_games_agree_at_every_ply(seed: int) -> None:
    rng = random.Random(seed)
    board, state = cshogi.Board(), GAME.initial()
    sfens = [board.sfen()]
    for _ in range(300):
        assert_agrees(state.text(), board)
        moves = usi_moves(board)
        if not moves or is_fourfold(sfens):
            break
        text = rng.choice(moves)
        board.push_usi(text)
        state = GAME.play(state, GAME.parse_move(state, text))
        sfens.append(board.sfen())
        assert state.text() == sfens[-1]
        assert state == GAME.parse(sfens[-1])
        assert state.key == GAME.parse(sfens[-1]).key


def dead_end(letter: str, row: int) -> bool:
    """Whether a Black piece on the row, counted from the top, could never move."""
    return (letter in "PL" and row == 0) or (letter == "N" and row <= 1)


Squares = Callable[[random.Random, int], tuple[int, int]]


def anywhere(rng: random.Random, owner: int) -> tuple[int, int]:
    return rng.randrange(9), rng.randrange(9)


def entering(rng: random.Random, owner: int) -> tuple[int, int]:
    """Mostly in the camp that the owner attacks."""
    row = rng.choice((0, 0, 1, 1, 2, 2, 3, rng.randrange(9)))
    return (row if owner == 0 else 8 - row), rng.randrange(9)


def crowded(rng: random.Random, owner: int) -> tuple[int, int]:
    """Close to the top right corner, where one king is put."""
    return rng.choice((0, 1, 2, 3)), rng.choice((5, 6, 7, 8))


def random_sfen(rng: random.Random, squares: Squares, in_hand: float, black_share: float) -> str:
    """A position with a random part of the set. Only the side that just moved may be in check."""
    board = kings(rng, squares)
    hands: Counter[str] = Counter()
    used = rng.uniform(0.2, 1.2)
    for letter in "".join(letter * total for letter, total in FULL_SET.items()):
        owner = int(rng.random() > black_share)
        cased = letter.lower() if owner else letter
        if rng.random() > used:
            continue
        if rng.random() < in_hand:
            hands[cased] += 1
            continue
        row, column = squares(rng, owner)
        plus = letter in PROMOTING and rng.random() < 0.3
        second_pawn = letter == "P" and any(board.get((r, column)) == cased for r in range(9))
        stuck = second_pawn or dead_end(letter, row if owner == 0 else 8 - row)
        if (row, column) not in board and (plus or not stuck):
            board[row, column] = "+" * plus + cased
    return f"{placement(board)} {rng.choice('bw')} {hands_text(hands)} {rng.randrange(1, 400)}"


def kings(rng: random.Random, squares: Squares) -> dict[tuple[int, int], str]:
    if squares is crowded:
        return {(0, 8): "k", (8, rng.randrange(9)): "K"}
    black, white = squares(rng, 0), squares(rng, 1)
    return {black: "K", white: "k"} if black != white else kings(rng, squares)


def placement(board: dict[tuple[int, int], str]) -> str:
    rows = []
    for row in range(9):
        text = "".join(board.get((row, column), "1") for column in range(9))
        for run in range(9, 1, -1):
            text = text.replace("1" * run, str(run))
        rows.append(text)
    return "/".join(rows)


def hands_text(hands: Counter[str]) -> str:
    parts = [
        f"{hands[letter] if hands[letter] > 1 else ''}{letter}"
        for letter in "RBGSNLPrbgsnlp"
        if hands[letter]
    ]
    return "".join(parts) or "-"


def legal_positions(
    rng: random.Random, count: int, squares: Squares, in_hand: float, black_shares: tuple[float, ...] = (0.5,)
) -> Iterator[str]:
    while count:
        sfen = random_sfen(rng, squares, in_hand, rng.choice(black_shares))
        with contextlib.suppress(ParseError):
            GAME.parse(sfen)
            count -= 1
            yield sfen


@pytest.mark.parametrize("in_hand", [0.0, 0.3, 0.8])
def test_random_positions_agree(in_hand: float) -> None:
    for sfen in legal_positions(random.Random(f"anywhere {in_hand}"), 1500, anywhere, in_hand):
        assert_agrees(sfen, cshogi_board(sfen))


def test_crowded_kings_agree_on_pawn_drops_that_mate() -> None:
    refused = 0
    for sfen in legal_positions(random.Random("crowded"), 3000, crowded, 0.25, (0.7,)):
        for swapped in (sfen, swap_sides(sfen)):
            assert_agrees(swapped, cshogi_board(swapped))
        refused += refuses_pawn_in_corner(sfen)
    assert refused > 20


def swap_sides(sfen: str) -> str:
    """The same position with the players' roles exchanged."""
    board, side, hands, number = sfen.split()
    pieces = "".join(reversed(re.findall(r"\+?[A-Za-z]|[\d/]", board))).swapcase()
    held = "".join(sorted(re.findall(r"\d*[A-Za-z]", hands.swapcase()), key=lambda item: item[-1].islower()))
    return f"{pieces} {'w' if side == 'b' else 'b'} {held or '-'} {number}"


def refuses_pawn_in_corner(sfen: str) -> bool:
    """Whether Black may not drop a pawn before the king on 1a although nothing else forbids it."""
    board, side, hands, _ = sfen.split()
    last_file = [row[-1] for row in board.split("/")]
    free = "P" not in last_file and last_file[1].isdigit()
    state = GAME.parse(sfen)
    if side != "b" or "P" not in hands or not free or state.in_check:
        return False
    return "P*1b" not in {GAME.move_text(state, move) for move in GAME.legal_moves(state)}


def test_entered_kings_agree_on_declarations() -> None:
    declared = 0
    for sfen in legal_positions(random.Random("entering"), 2000, entering, 0.2, (0.1, 0.9)):
        board = cshogi_board(sfen)
        assert_agrees(sfen, board)
        declared += board.is_nyugyoku()
    assert declared > 50


def cshogi_perft(board: cshogi.Board, depth: int) -> int:
    if depth == 1:
        return len(list(board.legal_moves))
    nodes = 0
    for move in list(board.legal_moves):
        board.push(move)
        nodes += cshogi_perft(board, depth - 1)
        board.pop()
    return nodes


@pytest.mark.parametrize("seed", range(6))
def test_perft_agrees_from_positions_of_random_games(seed: int) -> None:
    rng = random.Random(seed)
    board = cshogi.Board()
    for _ in range(60 + 20 * seed):
        moves = list(board.legal_moves)
        if not moves:
            break
        board.push(rng.choice(moves))
    assert GAME.parse(board.sfen()).perft(2) == cshogi_perft(board, 2)
