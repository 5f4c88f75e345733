"""Writes Go records as SGF."""

from __future__ import annotations

import numpy as np

from sparring._core import GoState
from sparring.games.go import DESCRIPTION
from sparring.games.history import states_to
from sparring.records.record import GameRecord, Termination

_REASONS = {Termination.RESIGNATION: "R", Termination.TIME: "T", Termination.RULES: "F"}


def to_sgf(record: GameRecord) -> str:
    """A Go record as SGF in UTF-8, with the time left after each move."""
    start = GoState.parse(record.start) if record.start else GoState.initial()
    properties = _facts(record, start)
    for name, points in zip(("AB", "AW"), start.stones, strict=True):
        if points:
            properties += name + "".join(f"[{_point(point, start.size)}]" for point in points)
    if start.to_move == 1:
        properties += "PL[W]"
    clocks = None if record.clocks is None else np.frombuffer(record.clocks, np.int32)
    nodes = []
    for ply, move in enumerate(_moves(start, record.moves)):
        color = "BW"[(start.to_move + ply) % 2]
        left = "" if clocks is None or clocks[ply] < 0 else f"{color}L[{clocks[ply] / 10:g}]"
        nodes.append(f";{color}[{_point(move, start.size)}]{left}")
    return f"(;{properties}{''.join(nodes)})\n"


def _facts(record: GameRecord, start: GoState) -> str:
    main, _, overtime = (record.time_control or "").partition(" ")
    is_seconds = main.replace(".", "", 1).isdigit()
    handicap = len(start.stones[0]) if start.to_move == 1 and not start.stones[1] else 0
    facts = {
        "GM": "1",
        "FF": "4",
        "CA": "UTF-8",
        "SZ": str(start.size),
        "KM": f"{start.komi:g}",
        "RU": _rules(start),
        "HA": str(handicap) if handicap else None,
        "PB": record.first,
        "PW": record.second,
        "BR": record.first_rank,
        "WR": record.second_rank,
        "RE": _result(record),
        "TM": main if is_seconds else None,
        "OT": overtime if is_seconds else record.time_control,
        "DT": record.date.isoformat() if record.date else None,
        "EV": record.event,
        "PC": record.site,
    }
    return "".join(f"{name}[{_escaped(value)}]" for name, value in facts.items() if value)


def _rules(start: GoState) -> str:
    if start.scoring == "territory":
        return "Japanese"
    return "NZ" if start.suicide else "Chinese"


def _result(record: GameRecord) -> str | None:
    if record.ending == Termination.ABANDONED:
        return "Void"
    if record.result is None:
        return None
    if record.result == 0.5:
        return "0"
    how = _REASONS.get(record.ending, "" if record.margin is None else f"{record.margin:g}")
    return f"{'B' if record.result == 1 else 'W'}+{how}"


def _moves(start: GoState, packed: bytes) -> list[int]:
    states = states_to(start.unpack_moves(packed, DESCRIPTION.packed_move_bytes))
    return [state.last_move for state in states if state.last_move is not None]


def _point(point: int, size: int) -> str:
    """The SGF letters of a point, from the left and from the top; empty for a pass."""
    if point == size * size:
        return ""
    return chr(ord("a") + point % size) + chr(ord("a") + size - 1 - point // size)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("]", "\\]")
