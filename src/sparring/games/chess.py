"""Chess by the FIDE rules. Positions are FEN, moves UCI; SAN is read and written too."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Self

import chess
import chess.svg

from sparring._core import ChessState
from sparring.games.chess_notation import match_move
from sparring.games.description import (
    EngineSupport,
    GameDescription,
    NetworkLayout,
    OpeningFormats,
    Phases,
    PlayerDefaults,
    RecordFormats,
)
from sparring.games.diagrams import Diagram, Piece
from sparring.games.game import IllegalMove, Move, ParseError, Spec
from sparring.games.native import NativeGame, to_valid_utf8

_PIECES = ("pawns", "knights", "bishops", "rooks", "queens", "king")
BOARD_PLANES = (
    *(f"{owner} {piece}" for owner in ("own", "other's") for piece in _PIECES),
    *(f"{owner} {wing} castling" for owner in ("own", "other's") for wing in ("short", "long")),
    "en passant square",
    "plies since a capture or pawn move / 100",
)
_GLYPHS = dict(zip("kqrbnp", "♚♛♜♝♞♟", strict=True))


@dataclass(frozen=True)
class Chess(NativeGame[ChessState]):
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
            if _exposes_king(board, text):
                raise IllegalMove(
                    f"{text.strip()[:80]} is not legal here: it leaves the king in check"
                ) from None
            raise
        if captures and not board.is_capture(move):
            square = chess.square_name(move.to_square)
            raise IllegalMove(f"there is nothing to capture on {square}: write {board.san(move)}")
        return state.parse_move(move.uci())


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
    rivals = [each >> 6 & 63 for each in state.legal_moves() if each & 63 == target and each != move]
    rivals = [each for each in rivals if board.piece_type_at(each) == kind]
    origin = ""
    if rivals:
        same_file = any(each & 7 == source & 7 for each in rivals)
        same_rank = any(each >> 3 == source >> 3 for each in rivals)
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
        found = board.piece_at(chess.square(column, 7 - row))
        if found is None:
            return None
        symbol = found.symbol()
        return Piece(symbol, owner=0 if found.color else 1, glyph=_GLYPHS[symbol.lower()])

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


def fen_of_epd(text: str) -> str:
    """FEN from FEN or EPD. EPD has no counters and may have operations behind its four fields."""
    fields = text.split()
    counters = fields[4:6] if len(fields) >= 6 and all(f.isdigit() for f in fields[4:6]) else ["0", "1"]
    return " ".join(fields[:4] + counters)


def _claim(state: ChessState) -> str | None:
    draw = state.claimable_draw
    return None if draw is None else draw.reason


def _move_count(state: ChessState) -> int:
    """By the fullmove number of the FEN."""
    return 2 * (int(state.text().rpartition(" ")[2]) - 1) + state.to_move


def _is_endgame(state: ChessState) -> bool:
    """At most six pieces besides kings and pawns."""
    board = state.text().partition(" ")[0]
    return sum(board.count(piece) for piece in "nbrqNBRQ") <= 6


DESCRIPTION = GameDescription(
    name="chess",
    rules=Chess,
    native="Chess",
    packed_move_bytes=1,
    encodings={"planes": 1, "lc0": 1, "maia3": 1},
    phases=Phases(20, 10**6, _is_endgame),
    records=RecordFormats(
        readers={"pgn": "sparring.records.pgn:read_pgn"},
        writer="sparring.records.write_pgn:to_pgn",
        suffix="pgn",
        filter="sparring.records.chess_filter:ChessFilter",
        everything="everything",
    ),
    openings=OpeningFormats(("epd", "fen"), fen_of_epd),
    engine=EngineSupport("uci"),
    # Lc0's inputs: eight boards of 13 planes and eight more, of which 109 counts plies for the 50-move rule.
    layout=lambda _: NetworkLayout(
        "lc0",
        112,
        8,
        8,
        "from-to",
        1858,
        history=(13, 104),
        counts=((109, 110, 100.0),),
        symmetry_labels="sparring.networks.lc0.codec:symmetry_labels",
    ),
    players=PlayerDefaults(
        has_human_network=True,
        rating=1500,
        rating_range=(600, 2600),
        books={
            "bin": "sparring.players.polyglot:PolyglotBook",
            "pgn": "sparring.players.repertoire:pgn_repertoire",
        },
    ),
    display_move=lambda state, move: Chess().san(state, move),
    claimable_draw=_claim,
    move_count=_move_count,
    how_to_move="Moves: e4, Nf3, exd5, O-O, e8=Q, or the two squares: e2e4.",
    modules=(
        "networks.lc0",
        "networks.maia3",
        "players.polyglot",
        "records.chess_filter",
        "records.pgn",
        "records.write_pgn",
    ),
)
