"""How shogi pieces move, for messages about moves that are not legal. The native core has the rules."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import TypeAlias

from sparring._core import ShogiState
from sparring.base.sentences import Sentence
from sparring.games.game import IllegalMove, Move, ParseError
from sparring.games.states import ambiguous, not_legal, nothing_to_capture, strip_annotations

RANKS = "abcdefghi"
"""The ranks of USI, from White's side."""
_STRAIGHT = ((0, 1), (0, -1), (1, 0), (-1, 0))
_DIAGONAL = ((1, 1), (-1, 1), (1, -1), (-1, -1))
_GOLD = (*_STRAIGHT, *_DIAGONAL[:2])
_STEPS = {
    "P": ((0, 1),), "N": ((1, 2), (-1, 2)), "S": ((0, 1), *_DIAGONAL), "G": _GOLD,
    "K": (*_STRAIGHT, *_DIAGONAL),
    "+P": _GOLD, "+L": _GOLD, "+N": _GOLD, "+S": _GOLD, "+B": _STRAIGHT, "+R": _DIAGONAL,
}  # fmt: skip
"""Single steps by piece: files to the left and ranks forward, seen by the player."""
_SLIDES = {"L": ((0, 1),), "B": _DIAGONAL, "R": _STRAIGHT, "+B": _DIAGONAL, "+R": _STRAIGHT}
"""Directions in which a piece goes any distance."""


def squares_between(piece: str, source: str, target: str, player: int) -> list[str] | None:
    """The squares that a piece crosses from one square to another, on an empty board; None if it does not
    move so.

    `piece` is a letter such as B or +B, squares are those of USI such as 7g, `player` is 0 for Black.
    """
    forward = 1 if player == 0 else -1
    files = forward * (int(target[0]) - int(source[0]))
    ranks = forward * (RANKS.index(source[1]) - RANKS.index(target[1]))
    if (files, ranks) in _STEPS.get(piece, ()):
        return []
    distance = max(abs(files), abs(ranks))
    for step in _SLIDES.get(piece, ()):
        if distance and (step[0] * distance, step[1] * distance) == (files, ranks):
            return [_moved(source, step, forward * i) for i in range(1, distance)]
    return None


def _moved(square: str, step: tuple[int, int], times: int) -> str:
    return f"{int(square[0]) + step[0] * times}{RANKS[RANKS.index(square[1]) - step[1] * times]}"


# Shogi moves as people write them: `７六歩`, `76歩`, `同歩`, `P-7f`, `Bx2b+`, `P*5e`, `7776`, and USI.
#
# Squares are named as in USI, such as 7f: the file from Black's right, the rank from White's side.


Square: TypeAlias = str
"""A square in USI's form, such as 7f."""

KANJI = {
    "P": "歩", "L": "香", "N": "桂", "S": "銀", "G": "金", "B": "角", "R": "飛", "K": "玉",
    "+P": "と", "+L": "杏", "+N": "圭", "+S": "全", "+B": "馬", "+R": "龍",
}  # fmt: skip
"""One kanji for each piece, as in diagrams."""
_NAMES = {
    "P": "pawn", "L": "lance", "N": "knight", "S": "silver", "G": "gold", "B": "bishop", "R": "rook",
    "K": "king",
}  # fmt: skip
_WRITTEN = KANJI | {"+L": "成香", "+N": "成桂", "+S": "成銀"}
_LETTERS = {kanji: letter for names in (KANJI, _WRITTEN) for letter, kanji in names.items()}
_LETTERS |= {"王": "K", "竜": "+R", "兵": "P", "步": "P"}
_NUMBERS = "一二三四五六七八九"
_SQUARE = rf"[1-9][{RANKS}1-9{_NUMBERS}]"
_JAPANESE = re.compile(
    rf"[▲△☗☖▽▼]?(?:(?P<target>{_SQUARE})|(?P<same>同))\s*(?P<piece>{'|'.join(_LETTERS)})"
    rf"(?P<relative>[右左直上行寄引入]*)(?P<how>打|不成|成)?(?:\((?P<source>{_SQUARE})\))?"
)
_WESTERN = re.compile(
    rf"(?P<piece>\+?[PLNSGBRK])?(?P<source>{_SQUARE})?(?P<sign>[-x*'])?(?P<target>{_SQUARE})(?P<how>[+=])?",
    re.IGNORECASE,
)
_HOW = {"成": "+", "不成": "=", "打": "*"}


@dataclass(frozen=True)
class MoveParts:
    """A legal move in parts. `source` is None for a drop."""

    move: Move
    piece: str
    """The letter of the piece before the move, such as B or +B."""
    source: Square | None
    target: Square
    promotes: bool


def pieces_on(state: ShogiState) -> Mapping[Square, str]:
    """The pieces by square as in SFEN: upper case is Black's, + is promoted."""
    return _pieces(state.text().split()[0])


def hands_of(state: ShogiState) -> tuple[dict[str, int], dict[str, int]]:
    """Black's and White's pieces in hand by capital letter, in the order of SFEN."""
    hands: tuple[dict[str, int], dict[str, int]] = ({}, {})
    for number, letter in re.findall(r"(\d*)([A-Za-z])", state.text().split()[2]):
        hands[letter.islower()][letter.upper()] = int(number or 1)
    return hands


@lru_cache(256)
def _pieces(placement: str) -> Mapping[Square, str]:
    """The pieces of the first field of an SFEN. All moves of a position are named in a row."""
    board: dict[Square, str] = {}
    for rank, row in zip(RANKS, placement.split("/"), strict=True):
        file = 9
        for token in re.findall(r"\d|\+?[A-Za-z]", row):
            if token.isdigit():
                file -= int(token)
            else:
                board[f"{file}{rank}"] = token
                file -= 1
    return MappingProxyType(board)


HAND_KINDS = "RBGSNLP"
"""Pieces that can be held in hand, in the order of SFEN."""


def sfen_text(
    board: Mapping[tuple[int, int], str], hands: tuple[Mapping[str, int], Mapping[str, int]], side: str
) -> str:
    """The SFEN of a position.

    `board` maps (file, rank), from (1, 1) to (9, 9), to SFEN's letters, White's in lower case; `hands` are
    Black's and White's, by capital letter; `side` is b or w.
    """
    rows = ["".join(board.get((file, rank), " ") for file in range(9, 0, -1)) for rank in range(1, 10)]
    text = "/".join(re.sub(" +", lambda run: str(len(run[0])), row) for row in rows)
    return f"{text} {side} {_hand_text(hands[0]) + _hand_text(hands[1]).lower() or '-'} 1"


def _hand_text(hand: Mapping[str, int]) -> str:
    held = ((hand.get(kind, 0), kind) for kind in HAND_KINDS)
    return "".join(f"{count if count > 1 else ''}{kind}" for count, kind in held if count)


def western(state: ShogiState, move: Move) -> str:
    """A legal move as in English books: P-7f, Bx2b+, G6i-5h where two could go, P*5e for a drop."""
    usi = state.move_text(move)
    if usi == "win":
        return usi
    board, all_moves = pieces_on(state), _parts_of_all(state)
    parts = next(candidate for candidate in all_moves if candidate.move == move)
    if parts.source is None:
        return f"{parts.piece}*{parts.target}"
    others = [candidate for candidate in all_moves if _same_piece_and_target(candidate, parts)]
    source = parts.source if any(other.source not in (parts.source, None) for other in others) else ""
    sign = "x" if parts.target in board else "-"
    choice = {other.promotes for other in others if other.source == parts.source}
    how = "+" if parts.promotes else "=" if len(choice) > 1 else ""
    return f"{parts.piece}{source}{sign}{parts.target}{how}"


def japanese(state: ShogiState, move: Move, *, source: bool = False) -> str:
    """A legal move in Japanese: ７六歩, ２二角成, ５五歩打.

    The square that the piece comes from follows in brackets, as in KIF, where two pieces could go or if
    `source` is set.
    """
    if state.move_text(move) == "win":
        return "入玉宣言"
    all_moves = _parts_of_all(state)
    parts = next(candidate for candidate in all_moves if candidate.move == move)
    written = _wide(parts.target) + _WRITTEN[parts.piece]
    if parts.source is None:
        return f"{written}打"
    others = [
        candidate for candidate in all_moves if _same_piece_and_target(candidate, parts) and candidate.source
    ]
    choice = {other.promotes for other in others if other.source == parts.source}
    written += "成" if parts.promotes else "不成" if len(choice) > 1 and not source else ""
    named = source or any(other.source != parts.source for other in others)
    return f"{written}({_digits(parts.source)})" if named else written


def usi_of_kif(state: ShogiState, text: str) -> str:
    """A move of a KIF file, such as ７六歩(77) or ５五歩打, in USI. It need not be legal. What follows it is
    ignored. Raises ParseError, also if another piece than the named one stands on its square."""
    words = re.sub(r"\s+", "", unicodedata.normalize("NFKC", text))
    match = _JAPANESE.match(words)
    last = state.previous and state.last_move and state.previous.move_text(state.last_move)
    if match is None or not (match["target"] or last) or not (match["source"] or match["how"] == "打"):
        raise ParseError(f"{text[:40]!r} is no move of KIF")
    target = (last or "")[2:4] if match["same"] else usi_square(match["target"])
    if match["how"] == "打":
        return f"{_LETTERS[match['piece']]}*{target}"
    source = usi_square(match["source"])
    if pieces_on(state).get(source, match["piece"]).upper() not in (_LETTERS[match["piece"]], match["piece"]):
        raise ParseError(f"{text[:40]!r} names another piece than that on {source}")
    return f"{source}{target}{'+' if match['how'] == '成' else ''}"


def parse_typed(state: ShogiState, text: str) -> Move:
    """The legal move that a text means. Raises ParseError, or IllegalMove with the candidates if several."""
    words = re.sub(r"\s+", "", unicodedata.normalize("NFKC", strip_annotations(text)))
    last = state.previous and state.last_move and state.previous.move_text(state.last_move)
    if match := _JAPANESE.fullmatch(words):
        if match["same"] and not last:
            raise IllegalMove(Sentence("{move}: there is no move before this one", move=words))
        target = (last or "")[2:4] if match["same"] else usi_square(match["target"])
        piece, how = _LETTERS[match["piece"]], _HOW.get(match["how"], "")
        candidates = _matching(state, piece, match["source"], target, how)
        candidates = _relative(candidates, match["relative"], state.to_move)
    elif match := _WESTERN.fullmatch(words):
        how = "*" if match["sign"] in ("*", "'") else match["how"] or ""
        target = usi_square(match["target"])
        piece = match["piece"] and match["piece"].upper()
        candidates = _matching(state, piece, match["source"], target, how)
        if match["sign"] == "x" and candidates and target not in pieces_on(state):
            raise nothing_to_capture(target, western(state, candidates[0].move))
    else:
        raise ParseError(Sentence("{text} is not a move, such as P-7f, 7g7f or 76歩", text=f"{text[:80]!r}"))
    if not candidates:
        reason = _reason(state, piece, match["source"] and usi_square(match["source"]), target, how)
        raise not_legal(words, reason)
    if len(candidates) > 1:
        raise ambiguous(words, [western(state, candidate.move) for candidate in candidates])
    return candidates[0].move


def _matching(
    state: ShogiState, piece: str | None, source: str | None, target: Square, how: str
) -> list[MoveParts]:
    """The legal moves that fit. A drop is meant only where it is written or nothing on the board can go."""
    candidates = [
        candidate
        for candidate in _parts_of_all(state)
        if candidate.target == target
        and piece in (None, candidate.piece)
        and (source is None or candidate.source == usi_square(source))
        and not (how == "*" and candidate.source is not None)
        and not (how == "+" and not candidate.promotes)
        and not (how == "=" and candidate.promotes)
    ]
    return [candidate for candidate in candidates if candidate.source is not None] or candidates


def _reason(state: ShogiState, piece: str | None, source: Square | None, target: Square, how: str) -> str:
    """Why no legal move fits, in a few words; empty where the reason is not known."""
    if state.outcome is not None or _matching(state, piece, source, target, how) or (source and how == "*"):
        return ""
    board = pieces_on(state)
    is_own = str.isupper if state.to_move == 0 else str.islower
    own = {square: letter.upper() for square, letter in board.items() if is_own(letter)}
    hand = {letter.upper() for letter in state.text().split()[2] if is_own(letter)}
    if how == "*" and piece:
        if target in board:
            return Sentence("{square} is occupied", square=target)
        return _drop_reason(state, piece, target, own, hand)
    if source and source not in board:
        return Sentence("there is no piece on {square}", square=source)
    if source and source not in own:
        return Sentence("the piece on {square} is not yours", square=source)
    if source and piece not in (None, own[source]):
        return Sentence(
            "the piece on {square} is a {shogi_piece}", square=source, shogi_piece=_name(own[source])
        )
    if piece and piece not in own.values() and piece not in hand:
        return Sentence("you have no {shogi_piece}", shogi_piece=_name(piece))
    if target in own:
        return Sentence("your own piece is on {square}", square=target)
    if how in ("+", "=") and _matching(state, piece, source, target, ""):
        return Sentence("the piece cannot promote there" if how == "+" else "the piece must promote there")
    if source and (reason := _path_reason(own[source], source, target, state.to_move, board)):
        return reason
    if state.in_check:
        return Sentence("your king is in check")
    if source:
        return Sentence("your king would be in check")
    if not piece:
        return ""
    return Sentence("no {shogi_piece} can go to {square}", shogi_piece=_name(piece), square=target)


def _path_reason(piece: str, source: Square, target: Square, player: int, board: Mapping[Square, str]) -> str:
    """Why a piece cannot go from a square to another; empty if it can, were it not for the king."""
    path = squares_between(piece, source, target, player)
    if path is None:
        return Sentence(
            "a {shogi_piece} does not move from {source} to {target}",
            shogi_piece=_name(piece),
            source=source,
            target=target,
        )
    blocked = next((square for square in path if square in board), None)
    return "" if blocked is None else Sentence("the piece on {square} is in the way", square=blocked)


def _drop_reason(
    state: ShogiState, piece: str, target: Square, own: Mapping[Square, str], hand: set[str]
) -> str:
    """Why a piece cannot be dropped on an empty square."""
    if piece not in hand:
        return Sentence("you have no {shogi_piece} in hand", shogi_piece=_name(piece))
    if piece == "P" and any(letter == "P" and square[0] == target[0] for square, letter in own.items()):
        return Sentence("you have a pawn on file {file} already (nifu)", file=target[0])
    ranks_ahead = RANKS.index(target[1]) if state.to_move == 0 else 8 - RANKS.index(target[1])
    if ranks_ahead < {"P": 1, "L": 1, "N": 2}.get(piece, 0):
        name = _name(piece)
        return Sentence("a {shogi_piece} could not move from {square}", shogi_piece=name, square=target)
    if state.in_check:
        return Sentence("your king is in check")
    return Sentence("a dropped pawn may not give mate (uchifuzume)") if piece == "P" else ""


def _name(letter: str) -> str:
    """The English name of a piece, such as promoted silver for +S."""
    return f"{'promoted ' if letter[0] == '+' else ''}{_NAMES[letter[-1]]}"


def _relative(candidates: list[MoveParts], words: str, player: int) -> list[MoveParts]:
    """The moves that words such as 右 and 上 leave, seen by the player."""
    sign = 1 if player == 0 else -1
    for word in words:
        if word in "右左" and candidates:
            edge = min if (word == "右") == (player == 0) else max
            file = edge(int((candidate.source or candidate.target)[0]) for candidate in candidates)
            candidates = [
                candidate for candidate in candidates if candidate.source and int(candidate.source[0]) == file
            ]
            continue
        kept = []
        for candidate in candidates:
            if candidate.source is None:
                continue
            forward = sign * (RANKS.index(candidate.source[1]) - RANKS.index(candidate.target[1]))
            straight = candidate.source[0] == candidate.target[0]
            wanted = {"直": forward > 0 and straight, "寄": forward == 0}
            if wanted.get(word, forward > 0 if word in "上行入" else forward < 0):
                kept.append(candidate)
        candidates = kept
    return candidates


def _parts_of_all(state: ShogiState) -> Sequence[MoveParts]:
    return _parts_of(state, state.outcome is None)


@lru_cache(64)
def _parts_of(state: ShogiState, goes_on: bool) -> Sequence[MoveParts]:
    """The parts of all legal moves. Of two equal states one may be over, by repetition."""
    board = pieces_on(state)
    parts = []
    for move in state.legal_moves():
        usi = state.move_text(move)
        if usi == "win":
            continue
        if usi[1] == "*":
            parts.append(MoveParts(move, usi[0], None, usi[2:4], False))
        else:
            parts.append(MoveParts(move, board[usi[:2]].upper(), usi[:2], usi[2:4], usi.endswith("+")))
    return tuple(parts)


def _same_piece_and_target(one: MoveParts, other: MoveParts) -> bool:
    return one.piece == other.piece and one.target == other.target


def usi_square(square: str) -> Square:
    """A square such as 76, 7六 or 7f in USI's form."""
    rank = square[1].lower()
    if rank in _NUMBERS:
        rank = RANKS[_NUMBERS.index(rank)]
    return square[0] + (RANKS[int(rank) - 1] if rank.isdigit() else rank)


def _digits(square: Square) -> str:
    return f"{square[0]}{RANKS.index(square[1]) + 1}"


def _wide(square: Square) -> str:
    """A square in Japanese, such as ７六."""
    return chr(ord("０") + int(square[0])) + _NUMBERS[RANKS.index(square[1])]
