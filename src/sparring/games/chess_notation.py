"""Chess moves as people type them: `Nf3`, `nf3`, `bc4`, `o-o`, `5. h3`, `h3?!`, `e2-e4`, `exd5`, `e8=Q`.

The words are matched against a list of moves, so that chess and reconnaissance blind chess share them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TypeAlias

import chess

from sparring.games.game import IllegalMove, ParseError
from sparring.games.typed_moves import ambiguous, strip_annotations

PieceAt: TypeAlias = Callable[[chess.Square], chess.PieceType | None]

_REMARK = re.compile(r"(?:\s*(?:\+{1,2}|e\.?\s?p\.?|mate|check))+$", re.IGNORECASE)
_CASTLING = {"oo": "O-O", "ooo": "O-O-O"}
_PATTERN = re.compile(
    r"(?P<piece>[KQRBN])?(?P<file>[a-h])?(?P<rank>[1-8])?(?P<sign>[x-])?"
    r"(?P<target>[a-h][1-8])(?:[=/(]?(?P<promotion>[KQRBNkqrbn])\)?)?"
)
_PIECES = ("", "pawn", "knight", "bishop", "rook", "queen")


def match_move(
    text: str,
    moves: Sequence[chess.Move],
    piece_at: PieceAt,
    name: Callable[[chess.Move], str],
) -> tuple[chess.Move, bool]:
    """The one of `moves` that a text means, and whether the text has a capture sign.

    `piece_at` gives the kind of the player's own piece on a square, `name` the usual text of a move, for
    messages. Upper and lower case are alike where that leaves one meaning: `bc4` is a capture by the b-pawn
    if there is one, else a bishop's move. Raises ParseError for a text that is no move, IllegalMove for a
    move that is not among `moves`, or for one that is ambiguous; the message then lists the candidates.
    """
    words = _REMARK.sub("", strip_annotations(text)).replace(":", "x").strip()
    if castling := _CASTLING.get(re.sub(r"[-\s]", "", words).lower().replace("0", "o")):
        return _castle(castling, moves, piece_at), False
    readings = list(dict.fromkeys(_readings(re.sub(r"\s+", "", words))))
    matches = [match for match in map(_PATTERN.fullmatch, readings) if match]
    if not matches:
        if words in ("0000", "--"):
            raise IllegalMove(f"{words} is not legal here: chess has no pass")
        raise ParseError(f"{text[:80]!r} is not a move, such as e4, Nf3 or g1f3")
    for match in matches:
        found = [move for move in moves if _fits(match, move, piece_at)]
        if len(found) == 1:
            return found[0], match["sign"] == "x"
        if found:
            raise ambiguous(words, [name(move) for move in found])
    raise IllegalMove(f"{words} is not legal here{_reason(matches[-1], piece_at)}")


def _readings(words: str) -> list[str]:
    """The text as typed, in lower case, and with a piece's letter in front."""
    small = words.lower()
    return [words, small, small[:1].upper() + small[1:]]


def _fits(match: re.Match[str], move: chess.Move, piece_at: PieceAt) -> bool:
    source, target = chess.square_name(move.from_square), chess.square_name(move.to_square)
    if (
        match["target"] != target
        or (match["file"] or source[0]) != source[0]
        or (match["rank"] or source[1]) != source[1]
    ):
        return False
    piece = piece_at(move.from_square)
    if match["piece"] and (piece is None or chess.piece_symbol(piece).upper() != match["piece"]):
        return False
    needs_letter = piece != chess.PAWN or (match["file"] and target[0] == source[0])
    if needs_letter and not match["piece"] and not (match["file"] and match["rank"]):
        return False
    wanted = (match["promotion"] or "").lower()
    if move.promotion is None:
        return not wanted
    return not wanted or chess.piece_symbol(move.promotion) == wanted


def _castle(
    text: str,
    moves: Sequence[chess.Move],
    piece_at: PieceAt,
) -> chess.Move:
    file = 6 if text == "O-O" else 2
    for move in moves:
        is_king = piece_at(move.from_square) == chess.KING
        if is_king and chess.square_file(move.from_square) == 4 and chess.square_file(move.to_square) == file:
            return move
    raise IllegalMove(f"{text} is not legal here")


def _reason(match: re.Match[str], piece_at: PieceAt) -> str:
    """Why no move fits, where that is clear."""
    if match["file"] and match["rank"]:
        source = match["file"] + match["rank"]
        return "" if piece_at(chess.parse_square(source)) else f": you have no piece on {source}"
    if match["piece"] == "K":
        return f": the king cannot go to {match['target']}"
    piece = _PIECES[chess.PIECE_SYMBOLS.index(match["piece"].lower()) if match["piece"] else chess.PAWN]
    return f": no {piece} can go to {match['target']}"
