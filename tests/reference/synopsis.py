"""The planes of a synopsis in plain Python, defined one by one on a single board."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import chess
from chess import SquareSet

from sparring.rbc.synopsis import PLANES, SynopsisContext

Squares = set[int]
TYPES = (chess.PAWN, chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN, chess.KING)
ALL = set(chess.SQUARES)


class BoardView:
    """One possible board from the view of the player `own`."""

    def __init__(self, board: chess.Board, own: chess.Color) -> None:
        self.board, self.own = board, own

    def pieces(self, color: chess.Color, *types: int) -> Squares:
        """The squares of a colour's pieces of these types (default: all types)."""
        return {s for t in types or TYPES for s in self.board.pieces(t, color)}

    def mine(self, *types: int) -> Squares:
        """The player's pieces."""
        return self.pieces(self.own, *types)

    def theirs(self, *types: int) -> Squares:
        """The opponent's pieces."""
        return self.pieces(not self.own, *types)

    def line(self, square: int, rays: Iterable[tuple[int, int]]) -> Squares:
        """The squares that a slider attacks in these directions, up to and including the first piece."""
        found = set()
        for files, ranks in rays:
            f, r = chess.square_file(square) + files, chess.square_rank(square) + ranks
            while 0 <= f < 8 and 0 <= r < 8:
                found.add(chess.square(f, r))
                if self.board.piece_at(chess.square(f, r)):
                    break
                f, r = f + files, r + ranks
        return found

    def diagonal(self, square: int) -> Squares:
        """The squares that a bishop on the square attacks."""
        return self.line(square, [(1, 1), (1, -1), (-1, 1), (-1, -1)])

    def straight(self, square: int) -> Squares:
        """The squares that a rook on the square attacks."""
        return self.line(square, [(1, 0), (-1, 0), (0, 1), (0, -1)])

    def attacked_by(self, square: int) -> Squares:
        """The squares that the piece on the square attacks. Own pawns attack only squares where they can
        capture."""
        piece = self.board.piece_at(square)
        assert piece is not None
        attacked = set(self.board.attacks(square))
        if piece.piece_type == chess.PAWN and piece.color == self.own:
            attacked &= self.theirs() | ({self.board.ep_square} - {None} if self.my_turn() else set())
        return attacked

    def my_turn(self) -> bool:
        """Whether the player is to act."""
        return self.board.turn == self.own

    def attacked(self, color: chess.Color, *types: int, times: int = 1) -> Squares:
        """Squares that at least so many pieces of these types attack."""
        sets = [self.attacked_by(s) for s in self.pieces(color, *types)]
        return {s for s in ALL if sum(s in each for each in sets) >= times}

    def lines(self, color: chess.Color, types: Sequence[int], ray: Callable[[int], Squares]) -> Squares:
        """Squares that pieces of these types attack along a kind of line."""
        return {target for s in self.pieces(color, *types) for target in ray(s)}

    def king(self, ray: Callable[[int], Iterable[int]]) -> Squares:
        """Squares that another piece on the own king's square would attack."""
        return {target for s in self.mine(chess.KING) for target in ray(s)}

    def castling(self, color: chess.Color, *, free: bool) -> Squares:
        """The king's castling targets of a colour with castling rights and, if asked, an empty path."""
        rank, found = 0 if color else 7, set()
        for rook_file, file in ((7, 6), (0, 2)):
            if not self.board.castling_rights & chess.BB_SQUARES[chess.square(rook_file, rank)]:
                continue
            way = SquareSet.between(chess.square(4, rank), chess.square(rook_file, rank))
            if not free or not any(self.board.piece_at(s) for s in way):
                found.add(chess.square(file, rank))
        return found

    def opponent_targets(self) -> Squares:
        """Target squares of the opponent's moves, if it were to move."""
        enemy = not self.own
        targets = self.attacked(enemy, *TYPES[1:]) - self.theirs()
        en_passant = {self.board.ep_square} - {None} if not self.my_turn() else set()
        targets |= self.attacked(enemy, chess.PAWN) & (self.mine() | en_passant)
        step = 8 if enemy else -8
        for pawn in self.theirs(chess.PAWN):
            if not self.board.piece_at(pawn + step):
                targets.add(pawn + step)
                start = chess.square_rank(pawn) == (1 if enemy else 6)
                if start and not self.board.piece_at(pawn + 2 * step):
                    targets.add(pawn + 2 * step)
        return targets | self.castling(enemy, free=True)


def knight_targets(square: int) -> SquareSet:
    return SquareSet(chess.BB_KNIGHT_ATTACKS[square])


def king_targets(square: int) -> SquareSet:
    return SquareSet(chess.BB_KING_ATTACKS[square])


DIAGONAL, STRAIGHT = (chess.BISHOP, chess.QUEEN), (chess.ROOK, chess.QUEEN)
NOT_KING, NOT_PAWN = TYPES[:5], TYPES[1:]

FEATURES: dict[int, Callable[[BoardView], Squares]] = {
    11: lambda v: ALL - v.mine(),
    18: lambda v: ALL - v.theirs(),
    25: lambda v: ALL - v.theirs(),
    37: lambda v: v.attacked(v.own),
    38: lambda v: v.attacked(v.own),
    40: lambda v: v.attacked(v.own, times=2),
    41: lambda v: v.attacked(v.own, times=2),
    42: lambda v: v.attacked(v.own, chess.PAWN),
    43: lambda v: v.attacked(v.own, chess.PAWN),
    44: lambda v: v.attacked(v.own, chess.KNIGHT),
    45: lambda v: v.lines(v.own, DIAGONAL, v.diagonal),
    46: lambda v: v.lines(v.own, DIAGONAL, v.diagonal),
    47: lambda v: v.lines(v.own, STRAIGHT, v.straight),
    48: lambda v: v.lines(v.own, STRAIGHT, v.straight),
    49: lambda v: v.attacked(v.own, *NOT_KING),
    50: lambda v: v.attacked(v.own, *NOT_PAWN),
    51: lambda v: v.attacked(not v.own),
    52: lambda v: v.attacked(not v.own),
    53: lambda v: v.attacked(not v.own, times=2),
    54: lambda v: v.attacked(not v.own, times=2),
    55: lambda v: v.attacked(not v.own, chess.PAWN),
    56: lambda v: v.attacked(not v.own, chess.PAWN),
    57: lambda v: v.attacked(not v.own, chess.KNIGHT),
    58: lambda v: v.attacked(not v.own, chess.KNIGHT),
    59: lambda v: v.lines(not v.own, DIAGONAL, v.diagonal),
    60: lambda v: v.lines(not v.own, DIAGONAL, v.diagonal),
    61: lambda v: v.lines(not v.own, STRAIGHT, v.straight),
    62: lambda v: v.lines(not v.own, STRAIGHT, v.straight),
    63: lambda v: v.attacked(not v.own, *NOT_KING),
    64: lambda v: v.attacked(not v.own, *NOT_PAWN),
    65: lambda v: v.theirs(chess.KING) - v.attacked(v.own),
    66: lambda v: v.opponent_targets(),
    67: lambda v: v.castling(not v.own, free=False),
    69: lambda v: v.king(king_targets),
    70: lambda v: v.king(knight_targets),
    71: lambda v: v.king(knight_targets) & v.theirs(chess.KNIGHT),
    72: lambda v: v.king(knight_targets) & v.theirs(chess.KNIGHT),
    73: lambda v: v.king(v.diagonal),
    74: lambda v: v.king(v.diagonal) & v.theirs(*DIAGONAL),
    75: lambda v: v.king(v.diagonal) & v.theirs(*DIAGONAL),
    76: lambda v: v.king(v.straight),
    77: lambda v: v.king(v.straight) & v.theirs(*STRAIGHT),
    78: lambda v: v.king(v.straight) & v.theirs(*STRAIGHT),
    79: lambda v: v.mine(),
    80: lambda v: ALL - v.mine() - v.theirs(),
    81: lambda v: v.castling(v.own, free=False),
    82: lambda v: v.castling(v.own, free=True),
    83: lambda v: v.castling(v.own, free=True),
    84: lambda v: v.lines(v.own, [chess.QUEEN], v.straight),
    85: lambda v: v.lines(v.own, [chess.QUEEN], v.diagonal),
}
for number, kind in enumerate(TYPES):
    FEATURES[12 + number] = lambda v, kind=kind: v.mine(kind)  # type: ignore[misc]
    FEATURES[19 + number] = FEATURES[26 + number] = lambda v, kind=kind: v.theirs(kind)  # type: ignore[misc]

SEEN_CONSTANTS: dict[int, Callable[[int, int], bool]] = {
    0: lambda file, rank: file >= 4,
    1: lambda file, rank: file < 4,
    2: lambda file, rank: rank < 4,
    3: lambda file, rank: rank >= 4,
    4: lambda file, rank: rank == 0,
    5: lambda file, rank: rank == 7,
    6: lambda file, rank: file == 0,
    7: lambda file, rank: file == 7,
    8: lambda file, rank: (file + rank) % 2 == 0,
    9: lambda file, rank: (file + rank) % 2 == 1,
}
"""Of the board as the player sees it."""


def reference_synopsis(
    boards: Sequence[chess.Board],
    own: chess.Color,
    synopsis_context: SynopsisContext,
    previous: Sequence[int] | None,
) -> list[int]:
    """All planes by their definitions."""
    views = [BoardView(board, own) for board in boards]
    planes = []
    for number, plane in enumerate(PLANES):
        if number in SEEN_CONSTANTS:
            holds = SEEN_CONSTANTS[number]
            planes.append(sum(1 << s for s in ALL if holds(s % 8, s // 8)))
        elif number >= 86:
            planes.append(0 if previous is None else previous[number - 86 + 18])
        else:
            squares = fold(number, plane.fold, views, synopsis_context)
            planes.append(sum(1 << (s if own else s ^ 56) for s in squares))
    return planes


def fold(number: int, how: str, views: Sequence[BoardView], synopsis_context: SynopsisContext) -> Squares:
    last = {32: "last_from", 33: "last_to", 34: "last_own_capture", 35: "last_opposing_capture"}
    if number in last:
        return {getattr(synopsis_context, last[number])} - {None}
    if number == 10:
        return ALL if synopsis_context.moving else set()
    if number in (36, 39):
        lasting = [
            set.intersection(*(view.attacked_by(square) for view in views)) for square in views[0].mine()
        ]
        return {s for s in ALL if sum(s in each for each in lasting) >= (1 if number == 36 else 2)}
    if number == 68:
        return {s for s in ALL if len({view.board.piece_at(s) for view in views}) == 1}
    sets = [FEATURES[number](view) for view in views]
    if how == "known":
        assert all(each == sets[0] for each in sets)
    return set.union(*sets) if how == "or" else set.intersection(*sets)
