"""Chess by the FIDE rules. Positions are FEN, moves UCI; SAN is read and written too."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Self, TypeAlias

import chess
import chess.svg

from sparring._core import ChessState
from sparring.base.sentences import Sentence
from sparring.games.diagrams import Diagram, Piece
from sparring.games.game import IllegalMove, Move, ParseError, Spec
from sparring.games.states import (
    StateGame,
    ambiguous,
    not_legal,
    nothing_to_capture,
    strip_annotations,
    to_valid_utf8,
)

# Chess moves as people type them: `Nf3`, `nf3`, `bc4`, `o-o`, `5. h3`, `h3?!`, `e2-e4`, `exd5`, `e8=Q`.
#
# The words are matched against a list of moves, so that chess and reconnaissance blind chess share them.


PieceAt: TypeAlias = Callable[[chess.Square], chess.PieceType | None]

_REMARK = re.compile(r"(?:\s*(?:\+{1,2}|e\.?\s?p\.?|mate|check))+$", re.IGNORECASE)
_CASTLING = {"oo": "O-O", "ooo": "O-O-O"}
_PATTERN = re.compile(
    r"(?P<piece>[KQRBN])?(?P<file>[a-h])?(?P<rank>[1-8])?(?P<sign>[x-])?"
    r"(?P<target>[a-h][1-8])(?:[=/(]?(?P<promotion>[KQRBNkqrbn])\)?)?"
)
_PIECE_LETTERS = ("", "pawn", "knight", "bishop", "rook", "queen")


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
    if castling := _castling(words):
        return _castle(castling, words, moves, piece_at), False
    readings = list(dict.fromkeys(_readings(re.sub(r"\s+", "", words))))
    matches = [match for match in map(_PATTERN.fullmatch, readings) if match]
    if not matches:
        if words in ("0000", "--"):
            raise not_legal(words, Sentence("chess has no pass"))
        raise ParseError(Sentence("{text} is not a move, such as e4, Nf3 or g1f3", text=f"{text[:80]!r}"))
    for match in matches:
        candidates = [move for move in moves if _fits(match, move, piece_at)]
        if len(candidates) == 1:
            return candidates[0], match["sign"] == "x"
        if candidates:
            raise ambiguous(words, [name(move) for move in candidates])
    raise not_legal(words, _reason(matches[-1], piece_at))


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
    typed: str,
    moves: Sequence[chess.Move],
    piece_at: PieceAt,
) -> chess.Move:
    file = 6 if text == "O-O" else 2
    for move in moves:
        is_king = piece_at(move.from_square) == chess.KING
        if is_king and chess.square_file(move.from_square) == 4 and chess.square_file(move.to_square) == file:
            return move
    raise not_legal(typed)


def _reason(match: re.Match[str], piece_at: PieceAt) -> str:
    """Why no move fits, where that is clear."""
    if match["file"] and match["rank"]:
        source = match["file"] + match["rank"]
        own = piece_at(chess.parse_square(source))
        return "" if own else Sentence("you have no piece on {square}", square=source)
    if match["piece"] == "K":
        return Sentence("the king cannot go to {square}", square=match["target"])
    piece = _PIECE_LETTERS[
        chess.PIECE_SYMBOLS.index(match["piece"].lower()) if match["piece"] else chess.PAWN
    ]
    return Sentence("no {piece} can go to {square}", piece=piece, square=match["target"])


_PIECES = ("pawns", "knights", "bishops", "rooks", "queens", "king")
BOARD_PLANES = (
    *(f"{owner} {piece}" for owner in ("own", "other's") for piece in _PIECES),
    *(f"{owner} {wing} castling" for owner in ("own", "other's") for wing in ("short", "long")),
    "en passant square",
    "plies since a capture or pawn move / 100",
)
_GLYPHS = dict(zip("kqrbnp", "♚♛♜♝♞♟", strict=True))


@dataclass(frozen=True)
class Chess(StateGame[ChessState]):
    """Chess. A game ends by checkmate, stalemate, insufficient material, 75 moves or a fifth repetition."""

    claim_draws: bool = False
    """Whether the third repetition and 50 moves end the game too, as if a player claimed at once."""

    @classmethod
    def of(cls, state: ChessState) -> Self:
        """The game with the rule of the state."""
        return cls(state.claim_draws)

    state_type = ChessState
    spec: ClassVar[Spec] = Spec(
        name="chess",
        title="Chess",
        players=("White", "Black"),
        moves=5 << 12,
        planes=BOARD_PLANES,
        board=(8, 8),
    )

    def initial(self) -> ChessState:
        """The initial state."""
        return ChessState.initial(self.claim_draws)

    def parse(self, text: str) -> ChessState:
        """The state of a FEN, with this game's rule about claims. Raises ParseError."""
        return ChessState.parse(to_valid_utf8(text), self.claim_draws)

    def parse_move(self, state: ChessState, text: str) -> Move:
        """Parses a legal move in UCI, or in SAN as people type it. Raises ParseError or IllegalMove."""
        try:
            return super().parse_move(state, text)
        except (ParseError, IllegalMove):
            return self._parse_san(state, to_valid_utf8(text))

    def san(self, state: ChessState, move: Move) -> str:
        """A legal move in SAN, such as Nf3."""
        return san(state, move)

    def diagram(self, state: ChessState) -> Diagram:
        """The board, with the squares of the last move highlighted."""
        return board_diagram(board_of(state), state.last_move)

    def _parse_san(self, state: ChessState, text: str) -> Move:
        board = board_of(state)
        legal = [chess.Move.from_uci(state.move_text(move)) for move in state.legal_moves()]
        try:
            move, captures = match_move(text, legal, board.piece_type_at, board.san)
        except IllegalMove:
            if reason := _no_castling(board, text):
                raise not_legal(text.strip()[:80], reason) from None
            if _exposes_king(board, text):
                reason = Sentence("it leaves the king in check")
                raise not_legal(text.strip()[:80], reason) from None
            raise
        if captures and not board.is_capture(move):
            square = chess.square_name(move.to_square)
            raise nothing_to_capture(square, board.san(move))
        return state.parse_move(move.uci())


def _castling(text: str) -> str | None:
    """O-O or O-O-O, if a text means castling."""
    return _CASTLING.get(re.sub(r"[-\s]", "", text).lower().replace("0", "o"))


def _no_castling(board: chess.Board, text: str) -> str:
    """Why a castling is not legal; empty for other texts."""
    castling = _castling(_REMARK.sub("", strip_annotations(text)))
    if castling is None:
        return ""
    side, rank = board.turn, 0 if board.turn == chess.WHITE else 7
    short = castling == "O-O"
    has_right = board.has_kingside_castling_rights if short else board.has_queenside_castling_rights
    if not has_right(side):
        return Sentence("the king or this rook has moved, or is not on its square")
    if any(board.piece_at(chess.square(file, rank)) for file in ((5, 6) if short else (1, 2, 3))):
        return Sentence("a piece stands between the king and the rook")
    if board.is_check():
        return Sentence("the king is in check")
    return Sentence("the king would pass or reach an attacked square")


def _exposes_king(board: chess.Board, text: str) -> bool:
    """Whether a text means a move that only the check to the own king forbids."""
    forbidden = [move for move in board.pseudo_legal_moves if board.is_into_check(move)]
    try:
        match_move(text, forbidden, board.piece_type_at, chess.Move.uci)
    except (ParseError, IllegalMove):
        return False
    return True


def board_of(state: ChessState) -> chess.Board:
    """The position as a python-chess board (without its history)."""
    return chess.Board(state.text())


def san(state: ChessState, move: Move) -> str:
    """A legal move in SAN, with native moves: python-chess takes ten times as long."""
    source, target, board = move >> 6 & 63, move & 63, _pieces(state.text().partition(" ")[0])
    kind = board.piece_type_at(source)
    if kind is None or state.outcome is not None:  # a record that goes on after a draw by rule
        return board_of(state).san(chess.Move.from_uci(state.move_text(move)))
    after = state.play(move)
    mate = after.outcome is not None and after.outcome.reason == "checkmate"
    suffix = "#" if mate else "+" if after.in_check else ""
    if kind == chess.KING and abs(source - target) == 2:
        return ("O-O" if target > source else "O-O-O") + suffix
    file, square = chess.FILE_NAMES[source & 7], chess.square_name(target)
    if kind == chess.PAWN:
        promoted = chess.piece_symbol((move >> 12) + 1).upper() if move >> 12 else ""
        return (
            (f"{file}x" if source & 7 != target & 7 else "") + square + (promoted and f"={promoted}") + suffix
        )
    rivals = [other >> 6 & 63 for other in state.legal_moves() if other & 63 == target and other != move]
    rivals = [rival for rival in rivals if board.piece_type_at(rival) == kind]
    origin = ""
    if rivals:
        same_file = any(rival & 7 == source & 7 for rival in rivals)
        same_rank = any(rival >> 3 == source >> 3 for rival in rivals)
        origin = (file if same_rank or not same_file else "") + (str((source >> 3) + 1) if same_file else "")
    captures = "x" if board.piece_type_at(target) is not None else ""
    return chess.piece_symbol(kind).upper() + origin + captures + square + suffix


@lru_cache(256)
def _pieces(placement: str) -> chess.BaseBoard:
    """The pieces of the first field of a FEN. The board is shared and must not be changed."""
    return chess.BaseBoard(placement)


def move_code(move: chess.Move) -> Move:
    """The code of a python-chess move, in chess and in RBC."""
    return move.to_square | move.from_square << 6 | ((move.promotion - 1) << 12 if move.promotion else 0)


def board_diagram(board: chess.BaseBoard, last_move: Move | None) -> Diagram:
    """The diagram of a chess board, with the squares of the last move highlighted."""

    def piece(row: int, column: int) -> Piece | None:
        chess_piece = board.piece_at(chess.square(column, 7 - row))
        if chess_piece is None:
            return None
        symbol = chess_piece.symbol()
        return Piece(symbol, owner=0 if chess_piece.color else 1, glyph=_GLYPHS[symbol.lower()])

    squares = [] if last_move is None else [last_move >> 6 & 63, last_move & 63]
    return Diagram(
        cells=tuple(tuple(piece(row, column) for column in range(8)) for row in range(8)),
        columns=tuple("abcdefgh"),
        rows=tuple("87654321"),
        highlights=frozenset((7 - chess.square_rank(s), chess.square_file(s)) for s in squares),
        svg=lambda bottom: chess.svg.board(
            board, orientation=bottom == 0, fill=dict.fromkeys(squares, "#cdd26acc"), size=400
        ),
    )
