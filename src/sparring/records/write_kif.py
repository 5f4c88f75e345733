"""Writes shogi records as KIF, the notation of Japanese programs, in UTF-8."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np

from sparring._core import ShogiState
from sparring.games.history import states_to
from sparring.games.shogi import DESCRIPTION
from sparring.games.shogi_notation import KANJI, japanese, pieces_on
from sparring.records.kif_start import ANOTHER_START, HANDICAPS
from sparring.records.record import GameRecord, Termination

_ENDS = {
    Termination.RESIGNATION: "投了",
    Termination.NORMAL: "詰み",
    Termination.TIME: "切れ負け",
    Termination.RULES: "反則負け",
    Termination.DECLARATION: "入玉勝ち",
    Termination.REPETITION: "千日手",
    Termination.IMPASSE: "持将棋",
    Termination.ABANDONED: "中断",
}
_NUMBERS = "一二三四五六七八九"


def to_kif(record: GameRecord) -> str:
    """A shogi record as KIF, with the time that each move took if it is known."""
    start = ShogiState.parse(record.start) if record.start else ShogiState.initial()
    states = states_to(start.unpack_moves(record.moves, DESCRIPTION.packed_move_bytes))
    lines = ["#KIF version=2.0 encoding=UTF-8", *_headers(record), *_start(start), *_players(record)]
    lines.append("手数----指手---------消費時間--")
    spent = None if record.spent is None else np.frombuffer(record.spent, np.int32)
    for ply, (before, after) in enumerate(pairwise(states)):
        tenths = -1 if spent is None else int(spent[ply])
        lines.append(f"{ply + 1:4} {_move(before, after)}{_time(tenths)}")
    if end := _end(record):
        lines.append(f"{len(states):4} {end}")
    if record.result in (0.0, 1.0):
        lines.append(f"まで{len(states) - 1}手で{'先手' if record.result else '後手'}の勝ち")
    return "\n".join(lines) + "\n"


def _headers(record: GameRecord) -> list[str]:
    facts = {
        "開始日時": record.date.strftime("%Y/%m/%d") if record.date else None,
        "棋戦": record.event,
        "場所": record.site,
        "持ち時間": record.time_control,
    }
    return [f"{key}：{value}" for key, value in facts.items() if value]


def _players(record: GameRecord) -> list[str]:
    names = {"先手": (record.first, record.first_rating), "後手": (record.second, record.second_rating)}
    return [
        f"{key}：{name}" + ("" if rating is None else f"({rating})")
        for key, (name, rating) in names.items()
        if name
    ]


def _start(start: ShogiState) -> list[str]:
    """The handicap's name, or a diagram (BOD)."""
    for name, sfen in HANDICAPS.items():
        if ShogiState.parse(sfen) == start:
            return [f"手合割：{name}"]
    board = pieces_on(start)
    rows = [
        "|" + "".join(_on_square(board.get(f"{file}{rank}")) for file in range(9, 0, -1)) + f"|{number}"
        for rank, number in zip("abcdefghi", _NUMBERS, strict=True)
    ]
    return [
        f"手合割：{ANOTHER_START}",
        f"後手の持駒：{_hand(start, 1)}",
        "  ９ ８ ７ ６ ５ ４ ３ ２ １",
        "+---------------------------+",
        *rows,
        "+---------------------------+",
        f"先手の持駒：{_hand(start, 0)}",
        *(["後手番"] if start.to_move else []),
    ]


def _on_square(piece: str | None) -> str:
    if piece is None:
        return " ・"
    return ("v" if piece[-1].islower() else " ") + KANJI[piece.upper()]


def _hand(start: ShogiState, owner: int) -> str:
    held = []
    for number, letter in re.findall(r"(\d*)([A-Za-z])", start.text().split()[2]):
        if letter.islower() == bool(owner):
            count = int(number or 1)
            tens = "十" if count >= 10 else ""
            ones = _NUMBERS[count % 10 - 1] if count % 10 and count > 1 else ""
            held.append(KANJI[letter.upper()] + tens + ones)
    return "　".join(held) or "なし"


def _move(before: ShogiState, after: ShogiState) -> str:
    move = after.last_move
    assert move is not None
    written = japanese(before, move, source=True)
    usi = before.move_text(move)
    if before.previous is not None and before.last_move is not None:
        last = before.previous.move_text(before.last_move)
        if last[2:4] == usi[2:4]:
            written = f"同　{written[2:]}"
    return written


def _time(tenths: int) -> str:
    if tenths < 0:
        return ""
    minutes, seconds = divmod(tenths // 10, 60)
    return f"   ({minutes:2}:{seconds:02}/)"


def _end(record: GameRecord) -> str | None:
    if record.result is None:
        return _ENDS[Termination.ABANDONED]
    if record.result == 0.5 and record.ending in (Termination.NORMAL, Termination.UNKNOWN):
        return "引き分け"
    return _ENDS.get(record.ending)
