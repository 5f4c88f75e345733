"""Writes shogi records as CSA."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np

from sparring._core import ShogiState
from sparring.games.history import states_to
from sparring.games.shogi import DESCRIPTION
from sparring.games.shogi_notation import pieces_on
from sparring.records.record import GameRecord, Termination

_NO_EVAL = -32768
_PIECES = {
    "P": "FU", "L": "KY", "N": "KE", "S": "GI", "G": "KI", "B": "KA", "R": "HI", "K": "OU",
    "+P": "TO", "+L": "NY", "+N": "NK", "+S": "NG", "+B": "UM", "+R": "RY",
}  # fmt: skip
_ENDS = {
    Termination.RESIGNATION: "%TORYO",
    Termination.TIME: "%TIME_UP",
    Termination.DECLARATION: "%KACHI",
    Termination.REPETITION: "%SENNICHITE",
    Termination.IMPASSE: "%JISHOGI",
    Termination.ABANDONED: "%CHUDAN",
}


def to_csa(record: GameRecord) -> str:
    """A shogi record as CSA 2.2, with seconds per move and evaluations."""
    start = ShogiState.parse(record.start) if record.start else ShogiState.initial()
    states = states_to(start.unpack_moves(record.moves, DESCRIPTION.packed_move_bytes))
    lines = ["V2.2", *_headers(record), *_position(start)]
    spent = None if record.spent is None else np.frombuffer(record.spent, np.int32)
    evals = None if record.evals is None else np.frombuffer(record.evals, np.int16)
    for ply, (before, after) in enumerate(pairwise(states)):
        lines.append(_move(before, after))
        if spent is not None and spent[ply] >= 0:
            lines.append(f"T{spent[ply] // 10}" + (f".{spent[ply] % 10}" if spent[ply] % 10 else ""))
        if evals is not None and evals[ply] != _NO_EVAL:
            lines.append(f"'** {evals[ply]}")
    if end := _end(record, states[-1].to_move):
        lines.append(end)
    return "\n".join(lines) + "\n/\n"


def _headers(record: GameRecord) -> list[str]:
    lines = []
    for sign, name, rating, rank in (
        ("+", record.first, record.first_rating, record.first_rank),
        ("-", record.second, record.second_rating, record.second_rank),
    ):
        words = [name or "", f"({rank})" if rank else "", f"({rating})" if rating is not None else ""]
        if any(words):
            lines.append(f"N{sign}{' '.join(filter(None, words))}")
    facts = {
        "EVENT": record.event,
        "SITE": record.site,
        "START_TIME": record.date.strftime("%Y/%m/%d") if record.date else None,
        "TIME_LIMIT": record.time_control,
    }
    return lines + [f"${key}:{value}" for key, value in facts.items() if value]


def _board(state: ShogiState) -> dict[str, str]:
    """The pieces by CSA square, such as 77."""
    return {_square(square): piece for square, piece in pieces_on(state).items()}


def _position(start: ShogiState) -> list[str]:
    """The P statements of the initial position, and the side to move."""
    side = "+-"[start.to_move]
    if start == ShogiState.initial():
        return ["PI", side]
    board = _board(start)
    rows = [
        f"P{rank}" + "".join(_on_row(board.get(f"{file}{rank}")) for file in range(9, 0, -1))
        for rank in range(1, 10)
    ]
    for number, letter in re.findall(r"(\d*)([A-Za-z])", start.text().split()[2]):
        rows.append(f"P{_sign(letter)}" + f"00{_PIECES[letter.upper()]}" * int(number or 1))
    return [*rows, side]


def _on_row(piece: str | None) -> str:
    return " * " if piece is None else _sign(piece) + _PIECES[piece.upper()]


def _sign(piece: str) -> str:
    return "+" if piece.isupper() else "-"


def _move(before: ShogiState, after: ShogiState) -> str:
    usi = before.move_text(after.last_move or 0)
    if usi == "win":
        return "%KACHI"
    source = "00" if "*" in usi else _square(usi[:2])
    target = _square(usi[2:4])
    return f"{'+-'[before.to_move]}{source}{target}{_PIECES[_board(after)[target].upper()]}"


def _square(usi: str) -> str:
    return f"{usi[0]}{'abcdefghi'.index(usi[1]) + 1}"


def _end(record: GameRecord, to_move: int) -> str | None:
    if record.ending == Termination.RULES and record.result is not None:
        return f"%{'-' if record.result == 1 else '+'}ILLEGAL_ACTION"
    if record.ending in _ENDS:
        return _ENDS[record.ending]
    if record.ending == Termination.NORMAL and record.result is not None:
        return "%HIKIWAKE" if record.result == 0.5 else "%TSUMI"
    # hcpe files store the winner and not the reason: the loser is to move, or resigned out of turn.
    if record.result == float(to_move):
        return "%TORYO"
    return None
