"""Sets of possible boards for the benchmarks of reconnaissance blind chess."""

from __future__ import annotations

from sparring._core import RbcBoardSet, RbcState


def possible_boards(turns: int) -> RbcBoardSet:
    """The possible boards of White after `turns` turns without captures and senses; Black is to move."""
    state = RbcState.initial()
    boards = RbcBoardSet.of([state], player=0)
    for request in ("e2e4", "g1f3", "f1c4", "d2d3", "c1g5")[:turns]:
        move = state.parse_move(request)
        boards = (boards if boards.to_move == 0 else boards.after_opponent(None)).after_move(move, move, None)
    return boards
