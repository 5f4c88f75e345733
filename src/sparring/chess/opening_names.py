"""Names of openings and their codes in the Encyclopaedia of Chess Openings, by position."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from sparring import data
from sparring.games import load_game
from sparring.games.states import states_to


class OpeningName(NamedTuple):
    """An opening."""

    eco: str
    """Such as C50."""
    name: str


def opening_name(state: Any) -> OpeningName | None:
    """The opening of a game, by its last position that has a name: another order of moves that leads there
    has the same one. None for a game without one, such as from another first position."""
    names = _names()
    while state is not None:
        if state.ply <= _longest() and (name := names.get(_key(state))) is not None:
            return name
        state = state.previous
    return None


def is_opening_position(state: Any) -> bool:
    """Whether a position has the name of an opening, or lies on the way to one."""
    return bool(state.ply <= _longest()) and _key(state) in _positions()


@cache
def _positions() -> frozenset[str]:
    """The positions of all lines of the shipped table."""
    return frozenset(_key(state) for _, _, last in _rows() for state in states_to(last))


@cache
def _names() -> dict[str, OpeningName]:
    """The openings of the shipped table. A line has the code, the name, and moves that lead to it."""
    return {_key(state): OpeningName(eco, name) for eco, name, state in _rows()}


@cache
def _longest() -> int:
    """Plies of the longest opening; transpositions are as long."""
    return max(int(state.ply) for _, _, state in _rows())


@cache
def _rows() -> list[tuple[str, str, Any]]:
    rules, rows = load_game("chess"), []
    for line in data.path("opening_names", "chess").read_text(encoding="utf-8").splitlines():
        eco, name, moves = line.split("\t")
        state = rules.initial()
        for move in moves.split():
            state = rules.play(state, rules.parse_move(state, move))
        rows.append((eco, name, state))
    return rows


def _key(state: Any) -> str:
    """Pieces, side to move and castling rights: other facts do not make another opening."""
    return " ".join(str(state.text()).split()[:3])
