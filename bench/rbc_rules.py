"""RBC: all successors of a set of possible boards against a straightforward tracker in python-chess."""

from __future__ import annotations

from time import perf_counter

import chess

from bench.rows import Row
from sparring._core import RbcBoards
from sparring.games import Rbc
from sparring.games.rbc import board_fen


def children(board: chess.Board) -> list[chess.Board]:
    """Every board after any pseudo-legal move (castling without check rules) or a pass."""
    result = []
    for move in [*board.generate_pseudo_legal_moves(), chess.Move.null()]:
        child = board.copy(stack=False)
        child.push(move)
        result.append(child)
    return result


def plain_successors(boards: list[chess.Board]) -> tuple[int, dict[object, chess.Board]]:
    """How many children were made, and the distinct ones by python-chess's transposition key."""
    made, distinct = 0, {}
    for board in boards:
        for child in children(board):
            made += 1
            distinct[child._transposition_key()] = child
    return made, distinct


def possible_boards() -> RbcBoards:
    """What Black may stand like after five quiet turns of it that White never sensed: many boards."""
    state = Rbc().initial()
    boards = RbcBoards.of([state], player=0)
    for request in ("e2e4", "g1f3", "f1c4", "d2d3"):
        move = state.parse_move(request)
        boards = boards.after_move(move, move, None).after_opponent(None)
        boards = boards.keep(20_000, seed=1)
    move = state.parse_move("c1g5")
    return boards.after_move(move, move, None)


def measure() -> list[Row]:
    boards = possible_boards()
    sample = [chess.Board(board_fen(state)) for state in boards.sample(1500, seed=2)]
    start = perf_counter()
    made, _ = plain_successors(sample)
    theirs = made / (perf_counter() - start)
    # Ours makes the same children of each board, so its rate is theirs scaled to the whole set.
    total = made / len(sample) * len(boards)
    start = perf_counter()
    boards.after_opponent(None)
    ours = total / (perf_counter() - start)
    what = f"RBC successors of {len(boards):,} boards, deduplicated"
    return [Row(what, "a set tracker in python-chess", ours, theirs, "children/s", at_least=50)]
