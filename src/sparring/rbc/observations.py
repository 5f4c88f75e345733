"""What the players of a game observe: step by step, in words, and as a board."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

import chess

from sparring._core import RbcBoardSet, RbcState
from sparring.chess.game import board_diagram
from sparring.games import Move
from sparring.games.diagrams import Diagram, Piece
from sparring.games.states import states_to
from sparring.rbc.game import PASS, MoveResult, Observation, OpponentMoveResult, Rbc, SenseResult


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
    you = not player
    match observation:
        case SenseResult(pieces):
            seen = [f"{letter} on {chess.square_name(square)}" for square, letter in pieces if letter]
            return [f"{'You see' if you else f'{player} sees'} {', '.join(seen) or 'nothing'}."]
        case MoveResult(request, taken, capture_square):
            sentences = []
            if request == PASS:
                sentences.append("You pass." if you else f"{player} passes.")
            elif taken is None:
                sentences.append(f"{_move_text(request)} did not happen: something was in the way.")
            elif taken != request:
                sentences.append(f"{_move_text(request)} became {_move_text(taken)}.")
            if capture_square is not None:
                sentences.append(f"{player or 'You'} captured on {chess.square_name(capture_square)}.")
            return sentences
        case OpponentMoveResult(capture_square) if capture_square is not None:
            whose = "Your" if you else f"{player}'s"
            return [f"{whose} piece on {chess.square_name(capture_square)} was taken."]
    return []


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
