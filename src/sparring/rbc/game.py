"""Reconnaissance blind chess, exactly as reconchess 1.6.9 plays it.

A turn is two moves of `Game`: a sense (`sense e4`, `sense none`), then a chess move or `pass`.
A state holds the true board; players see the observations of `observe`.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, TypeAlias

import chess

from sparring._core import RbcBoardSet, RbcState
from sparring.base.sentences import Sentence
from sparring.chess.game import BOARD_PLANES, board_diagram, match_move, move_code
from sparring.games.diagrams import Diagram, Piece
from sparring.games.game import IllegalMove, Move, ParseError, Spec
from sparring.games.states import StateGame, states_to, to_valid_utf8

PASS: Move = 0
SENSE: Move = 0x8000
"""The code of the sense of a1; those of the other squares follow."""
NO_SENSE: Move = SENSE + 64


@dataclass(frozen=True)
class SenseResult:
    """The result of the player's own sense: squares and FEN letters, in the order of reconchess."""

    pieces: tuple[tuple[int, str | None], ...]


@dataclass(frozen=True)
class MoveResult:
    """The result of the player's own move request; `taken` is None if no piece could move."""

    request: Move
    taken: Move | None
    capture_square: int | None


@dataclass(frozen=True)
class OpponentMoveResult:
    """The opponent's move as the player sees it: the square of the captured piece, or None."""

    capture_square: int | None


@dataclass(frozen=True)
class OpponentSense:
    """The opponent sensed; the square is not revealed."""


Observation: TypeAlias = SenseResult | MoveResult | OpponentMoveResult | OpponentSense


@dataclass(frozen=True)
class Rbc(StateGame[RbcState]):
    """Reconnaissance blind chess. Capturing the king wins; 100 reversible plies are a draw."""

    state_type = RbcState
    spec: ClassVar[Spec] = Spec(
        name="rbc",
        title="Reconnaissance blind chess",
        players=("White", "Black"),
        moves=NO_SENSE + 1,
        planes=(*BOARD_PLANES, "to sense"),
        board=(8, 8),
        hidden=True,
    )

    def initial(self) -> RbcState:
        """The initial state."""
        return RbcState.initial()

    def parse_move(self, state: RbcState, text: str) -> Move:
        """Parses a sense or a move that may be requested: UCI, SAN or `pass`.

        Only the player's own pieces are looked at, so that the answer reveals nothing. A square alone, such
        as d3, is a pawn's step to it if there is one: a capture is cxd3. Raises ParseError or IllegalMove.
        """
        try:
            return super().parse_move(state, text)
        except IllegalMove:
            if state.sensing:
                raise
        except ParseError:
            if state.sensing:
                shown = f"{to_valid_utf8(text)[:80]!r}"
                raise ParseError(
                    Sentence("{text} is not a sense, such as 'sense e4' or 'sense none'", text=shown)
                ) from None
        board = chess.Board(board_fen(state))
        requests = [chess.Move.from_uci(state.move_text(m)) for m in state.legal_moves() if m != PASS]

        def own_piece(square: chess.Square) -> chess.PieceType | None:
            return board.piece_type_at(square) if board.color_at(square) == board.turn else None

        if re.fullmatch(r"\s*[a-hA-H][1-8](\s*=?\s*[nbrqNBRQ])?\s*", text):
            steps = [move for move in requests if _is_step(move, own_piece, text.strip()[:2].lower())]
            requests = steps or requests
        move, _ = match_move(to_valid_utf8(text), requests, own_piece, chess.Move.uci)
        return move_code(move)

    def observe(self, state: RbcState, player: int, move: Move) -> Observation:
        """The observation of `player` when `move` is played in `state`. Raises IllegalMove."""
        own = player == state.to_move
        if move >= SENSE:
            if not own:
                return OpponentSense()
            return SenseResult(() if move == NO_SENSE else tuple(state.sense(move - SENSE)))
        taken, capture_square = state.result_of(move)
        if not own:
            return OpponentMoveResult(capture_square)
        return MoveResult(move, None if taken == PASS else taken, capture_square)

    def diagram(self, state: RbcState) -> Diagram:
        """The true board: for spectators and replays, not for players."""
        last = state.last_move
        moved = last if last is not None and PASS < last < SENSE else None
        return board_diagram(chess.Board(board_fen(state)), moved)


def _is_step(
    move: chess.Move, own_piece: Callable[[chess.Square], chess.PieceType | None], target: str
) -> bool:
    """Whether a move is a pawn's step straight to a square."""
    straight = chess.square_file(move.from_square) == chess.square_file(move.to_square)
    return (
        straight and chess.square_name(move.to_square) == target and own_piece(move.from_square) == chess.PAWN
    )


def board_fen(state: RbcState) -> str:
    """The true position as FEN, en passant square after every double step, as reconchess writes it."""
    return state.text().rsplit(" ", 1)[0]


# What the players of a game observe: step by step, in words, and as a board.


@dataclass(frozen=True)
class ObservedStep:
    """A sense or a move of a game."""

    before: RbcState
    move: Move
    after: RbcState
    seen: tuple[Observation, Observation]
    """What White and Black observe."""


def observed_steps(game: RbcState) -> Iterator[ObservedStep]:
    """The senses and moves from the start of a game to the state `game`."""
    rules = Rbc()
    for before, after in itertools.pairwise(states_to(game)):
        move = after.last_move
        assert move is not None
        seen = rules.observe(before, 0, move), rules.observe(before, 1, move)
        yield ObservedStep(before, move, after, seen)


def observation_text(observation: Observation, player: str = "") -> list[str]:
    """An observation in sentences: to the player, or about the player of this name; none if it tells nothing.

    Of a sense it lists the pieces, of a move what became of the request and what was captured.
    """
    match observation:
        case SenseResult(pieces):
            seen = [_piece_on(letter, square) for square, letter in pieces if letter]
            return [_sensed(seen, player)]
        case MoveResult(request, taken, capture_square):
            sentences: list[str] = []
            if request == PASS:
                sentences.append(Sentence("{side} passes.", side=player) if player else Sentence("You pass."))
            elif taken is None:
                move = _move_text(request)
                sentences.append(Sentence("{move} did not happen: something was in the way.", move=move))
            elif taken != request:
                move, became = _move_text(request), _move_text(taken)
                sentences.append(Sentence("{move} became {taken}.", move=move, taken=became))
            if capture_square is not None:
                square = chess.square_name(capture_square)
                sentences.append(
                    Sentence("{side} captured on {square}.", side=player, square=square)
                    if player
                    else Sentence("You captured on {square}.", square=square)
                )
            return sentences
        case OpponentMoveResult(capture_square) if capture_square is not None:
            square = chess.square_name(capture_square)
            if player:
                return [Sentence("{side}'s piece on {square} was taken.", side=player, square=square)]
            return [Sentence("Your piece on {square} was taken.", square=square)]
    return []


def _piece_on(letter: str, square: chess.Square) -> str:
    """`a black pawn on e7`, of a FEN letter."""
    piece, place = chess.Piece.from_symbol(letter), chess.square_name(square)
    kind = chess.piece_name(piece.piece_type)
    if piece.color == chess.WHITE:
        return Sentence("a white {piece} on {square}", piece=kind, square=place)
    return Sentence("a black {piece} on {square}", piece=kind, square=place)


def _sensed(pieces: Sequence[str], player: str) -> str:
    """What a sense shows."""
    if not pieces:
        return Sentence("{side} sees nothing.", side=player) if player else Sentence("You see nothing.")
    seen = pieces[0]
    for piece in pieces[1:]:
        seen = Sentence("{first}, {second}", first=seen, second=piece)
    if player:
        return Sentence("{side} sees {pieces}.", side=player, pieces=seen)
    return Sentence("You see {pieces}.", pieces=seen)


def _move_text(move: Move) -> str:
    return RbcState.initial().move_text(move)


def known_diagram(boards: RbcBoardSet, marked: Collection[int] = ()) -> Diagram:
    """The pieces that are certain, and `?` (owner -1) where the possible boards differ. `marked` squares are
    highlighted."""
    board = chess.BaseBoard.empty()
    symbols = boards.known_pieces()
    for square, symbol in enumerate(symbols):
        if symbol not in (None, "?"):
            board.set_piece_at(square, chess.Piece.from_symbol(symbol))
    diagram = board_diagram(board, None)
    cells = [list(row) for row in diagram.cells]
    for square, symbol in enumerate(symbols):
        if symbol == "?":
            row, column = _place(square)
            cells[row][column] = Piece("?", owner=-1)
    return replace(diagram, cells=tuple(map(tuple, cells)), highlights=frozenset(map(_place, marked)))


def _place(square: int) -> tuple[int, int]:
    """Row from the top and column of a square."""
    return 7 - chess.square_rank(square), chess.square_file(square)
