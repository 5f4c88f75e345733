"""Openings are named by position, so that transpositions are named too."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import pytest

from sparring import data
from sparring.chess.opening_names import is_opening_position, opening_name
from sparring.games import load_game

LINES = data.path("opening_names", "chess").read_text(encoding="utf-8").splitlines()


def after(moves: str) -> Any:
    rules = load_game("chess")
    state = rules.initial()
    for move in moves.split():
        state = rules.play(state, rules.parse_move(state, move))
    return state


def test_the_table_has_one_name_for_a_position_in_the_order_of_the_codes() -> None:
    codes = [line.split("\t")[0] for line in LINES]
    assert all(re.fullmatch(r"[A-E]\d\d", code) for code in codes)
    assert all(before[0] <= code[0] for before, code in pairwise(codes))
    for line in LINES:
        eco, name, moves = line.split("\t")
        assert opening_name(after(moves)) == (eco, name)
        assert '"' not in name


@pytest.mark.parametrize(
    ("moves", "eco", "name"),
    [
        ("e4 e5 Nf3 Nc6 Bc4", "C50", "Italian Game"),
        ("e4 e5 Bc4 Nc6 Nf3", "C50", "Italian Game"),
        ("Nf3 Nc6 e4 e5 Bc4 Bc5", "C50", "Italian Game: Giuoco Piano"),
        ("c4 e6 d4 d5", "D30", "Queen's Gambit Declined"),
        ("e4 e5 Nf3 Nc6 Bb5 a6 h3 h6", "C60", "Ruy Lopez"),
    ],
)
def test_the_last_named_position_names_the_game(moves: str, eco: str, name: str) -> None:
    assert opening_name(after(moves)) == (eco, name)


def test_a_game_without_an_opening_has_no_name() -> None:
    rules = load_game("chess")
    assert opening_name(rules.initial()) is None
    assert opening_name(rules.parse("8/8/8/4k3/8/4K3/4P3/8 w - - 0 1")) is None


@pytest.mark.parametrize(
    ("moves", "is_opening"),
    [("e4 c5", True), ("d4 d5", True), ("Nf3 d5 d4", True), ("e4 e5 Ke2", False), ("a4 h5", False)],
)
def test_a_position_of_a_named_opening_is_known_by_any_order_of_moves(moves: str, is_opening: bool) -> None:
    assert is_opening_position(after(moves)) == is_opening
