"""Reads and writes shogi games in CSA files, the notation of computer shogi servers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from sparring._core import ShogiState
from sparring.records.record import GameRecord, ParsedGame, Termination
from sparring.records.sources import TextLine
from sparring.shogi.notation import Square, hands_of, pieces_on, sfen_text, usi_square
from sparring.shogi.records import DRAW, LOSS, WIN, ShogiGameBuilder, read_games, written_facts

_MOVE = re.compile(r"[+-]\d{4}[A-Z]{2}")
_TIME = re.compile(r"T(\d{1,7})(?:\.(\d))?\d*")
_RATING = re.compile(r"'(black|white)_rate:.*:(\d{1,5})(?:\.\d+)?\s*")
_EVAL = re.compile(r"'\*\*\s+(-?\d{1,9})\b")
_LETTERS = {
    "FU": "P", "KY": "L", "KE": "N", "GI": "S", "KI": "G", "KA": "B", "HI": "R", "OU": "K",
    "TO": "+P", "NY": "+L", "NK": "+N", "NG": "+S", "UM": "+B", "RY": "+R",
}  # fmt: skip
_FACTS = {"EVENT": "event", "SITE": "site", "START_TIME": "date", "TIME_LIMIT": "time_control"}
_SET = {"P": 18, "L": 4, "N": 4, "S": 4, "G": 4, "B": 2, "R": 2}
_ROW_PIECES = {"+": str.upper, "-": str.lower}

_ENDS: dict[str, tuple[float | None, Termination]] = {
    "%TORYO": (LOSS, Termination.RESIGNATION),
    "%TSUMI": (LOSS, Termination.NORMAL),
    "%TIME_UP": (LOSS, Termination.TIME),
    "%ILLEGAL_MOVE": (LOSS, Termination.RULES),
    "%KACHI": (WIN, Termination.DECLARATION),
    "%SENNICHITE": (DRAW, Termination.REPETITION),
    "%JISHOGI": (DRAW, Termination.IMPASSE),
    "%HIKIWAKE": (DRAW, Termination.NORMAL),
    "%MAX_MOVES": (DRAW, Termination.NORMAL),
    "%CHUDAN": (None, Termination.ABANDONED),
}
"""The termination of each special move, and the score of the player to move."""


def read_csa(chunks: Iterable[bytes], skip: int = 0) -> Iterator[ParsedGame]:
    """The games of a CSA file's content, from byte `skip` on (the `end` of an earlier game)."""
    return read_games(chunks, skip, _Csa())


class _Csa:
    def __init__(self) -> None:
        self.builder: ShogiGameBuilder | None = None
        self._position: list[str] = []

    def starts_new_game(self, text: str) -> bool:
        """Whether the line separates two games, or names a version after moves."""
        return text.strip() == "/" or bool(
            self.builder and self.builder.started and re.match(r"V\d|N[+-]|PI|P1", text)
        )

    def feed(self, text: str, line: TextLine) -> None:
        """Parses a line, which may have several statements separated by commas."""
        if not text.strip() or text.strip() == "/":
            return
        if text[0] == "'":
            self._comment(text)
        elif re.match(r"V\d|[N$P+%T-]", text):
            builder = self.builder or self._begin(line)
            if text[0] in "N$":
                _header(builder, text.rstrip())
            elif text[0] != "V":
                for statement in text.split(","):
                    self._statement(
                        builder, statement.rstrip() if text[0] == "P" else statement.strip(), line
                    )

    def _begin(self, line: TextLine) -> ShogiGameBuilder:
        self.builder = ShogiGameBuilder(line.number)
        self._position = []
        return self.builder

    def _comment(self, text: str) -> None:
        if self.builder is None:
            return
        if match := _RATING.fullmatch(text):
            self.builder.ratings[match[1] == "white"] = min(int(match[2]), 32_767)
        elif (match := _EVAL.match(text)) and self.builder.state.ply:
            self.builder.evals[self.builder.state.ply] = max(-29_999, min(29_999, int(match[1])))

    def _statement(self, builder: ShogiGameBuilder, text: str, line: TextLine) -> None:
        if text in ("+", "-") or (text.startswith("P") and not builder.started):
            self._position.append(text)
            if text in ("+", "-"):
                self._set_start(builder, line)
        elif _MOVE.fullmatch(text):
            self._play(builder, text, line)
        elif match := _TIME.fullmatch(text):
            if builder.state.ply and not builder.illegal and builder.ending == Termination.UNKNOWN:
                builder.spent[builder.state.ply] = 10 * int(match[1]) + int(match[2] or 0)
        elif text.startswith("%"):
            _end(builder, text)
        elif text:
            builder.fail(line, f"{text[:40]!r} is no statement of CSA")

    def _set_start(self, builder: ShogiGameBuilder, line: TextLine) -> None:
        if builder.state.ply or builder.error:
            return
        try:
            builder.set_start(sfen_of(self._position), line)
        except (ValueError, KeyError, IndexError) as error:
            builder.fail(line, f"the first position cannot be read ({error})")

    def _play(self, builder: ShogiGameBuilder, text: str, line: TextLine) -> None:
        builder.started = True
        if builder.error or builder.illegal:
            return
        if "+-".index(text[0]) != builder.state.to_move:
            builder.fail(line, f"{text} is a move of the player who is not to move")
            return
        builder.play(_usi_move(builder.state, text[1:]), line, text)


def _usi_move(state: ShogiState, text: str) -> str:
    """A move such as 7776FU in USI; empty if no piece can move so."""
    piece = _LETTERS.get(text[4:])
    if piece is None or "0" in text[2:4]:
        return ""
    target: Square = usi_square(text[2:4])
    if text[:2] == "00":
        return f"{piece}*{target}"
    if "0" in text[:2]:
        return ""
    source: Square = usi_square(text[:2])
    before = pieces_on(state).get(source, "").upper()
    if piece == before:
        return f"{source}{target}"
    return f"{source}{target}+" if piece == f"+{before}" else ""


def sfen_of(statements: list[str]) -> str:
    """The position of the P statements and the sign of the side. Raises ValueError or KeyError."""
    usual = {_numbers(square): piece for square, piece in _board(ShogiState.initial()).items()}
    board: dict[tuple[int, int], str] = {} if len(statements) > 1 else usual
    hands = {"+": dict.fromkeys(_SET, 0), "-": dict.fromkeys(_SET, 0)}
    for text in statements[:-1]:
        if text.startswith("PI"):
            board |= usual
            for square, _ in _pieces(text[2:]):
                del board[square]
        elif text[1:2] in ("+", "-"):
            _add(text, board, hands)
        elif text[1:2] in tuple("123456789"):
            for column in range(9):
                piece = text[2 + 3 * column : 5 + 3 * column]
                if piece.strip() not in ("*", ""):
                    board[9 - column, int(text[1])] = _ROW_PIECES[piece[0]](_LETTERS[piece[1:]])
        else:
            raise ValueError(f"{text[:20]!r}")
    side = "b" if statements[-1] == "+" else "w"
    return sfen_text(board, (hands["+"], hands["-"]), side)


def _add(text: str, board: dict[tuple[int, int], str], hands: dict[str, dict[str, int]]) -> None:
    side = text[1]
    for square, piece in _pieces(text[2:]):
        if piece == "AL":
            used = "".join(board.values()).upper()
            for kind, total in _SET.items():
                hands[side][kind] += total - used.count(kind) - sum(hand[kind] for hand in hands.values())
        elif square == (0, 0):
            hands[side][_LETTERS[piece]] += 1
        else:
            board[square] = _ROW_PIECES[side](_LETTERS[piece])


def _pieces(text: str) -> Iterator[tuple[tuple[int, int], str]]:
    for at in range(0, len(text), 4):
        yield _numbers(text[at : at + 2]), text[at + 2 : at + 4]


def _numbers(square: str) -> tuple[int, int]:
    return int(square[0]), int(square[1])


def _header(builder: ShogiGameBuilder, text: str) -> None:
    if text[0] == "N" and text[1:2] in ("+", "-"):
        builder.set_player("+-".index(text[1]), text[2:])
        return
    key, _, value = text[1:].partition(":")
    if fact := (_FACTS | {"TIME": "time_control"}).get(key):
        builder.set_fact(fact, value)


def _end(builder: ShogiGameBuilder, text: str) -> None:
    if text in ("%+ILLEGAL_ACTION", "%-ILLEGAL_ACTION"):
        builder.end(float(text[1] == "-"), Termination.RULES)
    elif text in _ENDS:
        builder.end_for_mover(*_ENDS[text])


# Writes shogi records as CSA.


_PIECES = {letter: piece for piece, letter in _LETTERS.items()}
_WRITTEN_ENDS = {
    Termination.RESIGNATION: "%TORYO",
    Termination.TIME: "%TIME_UP",
    Termination.DECLARATION: "%KACHI",
    Termination.REPETITION: "%SENNICHITE",
    Termination.IMPASSE: "%JISHOGI",
    Termination.ABANDONED: "%CHUDAN",
}


def to_csa(record: GameRecord) -> str:
    """A shogi record as CSA 2.2, with seconds per move and evaluations."""
    states = record.states("shogi")
    lines = ["V2.2", *_headers(record), *_position(states[0])]
    numbers = record.numbers("spent"), record.numbers("evals")
    for (before, after), tenths, score in zip(pairwise(states), *numbers, strict=False):
        lines.append(_move(before, after))
        if tenths is not None:
            lines.append(f"T{tenths // 10}" + (f".{tenths % 10}" if tenths % 10 else ""))
        if score is not None:
            lines.append(f"'** {score}")
    if end := _written_end(record, states[-1].to_move):
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
    return lines + [f"${key}:{value}" for key, value in written_facts(record, _FACTS)]


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
    for sign, hand in zip("+-", hands_of(start), strict=True):
        rows += [f"P{sign}" + f"00{_PIECES[letter]}" * count for letter, count in hand.items()]
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


def _written_end(record: GameRecord, to_move: int) -> str | None:
    if record.ending == Termination.RULES and record.result is not None:
        return f"%{'-' if record.result == 1 else '+'}ILLEGAL_ACTION"
    if record.ending in _WRITTEN_ENDS:
        return _WRITTEN_ENDS[record.ending]
    if record.ending == Termination.NORMAL and record.result is not None:
        return "%HIKIWAKE" if record.result == 0.5 else "%TSUMI"
    # hcpe files store the winner and not the reason: the loser is to move, or resigned out of turn.
    if record.result == float(to_move):
        return "%TORYO"
    return None
