"""RBC on one core: successors, synopses and senses of sets of boards, each against plain Python."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from time import process_time

import chess

from bench.rbc_positions import possible_boards
from bench.result import BenchmarkResult
from sparring._core import RbcBoardSet
from sparring.rbc.game import board_fen
from sparring.rbc.synopsis import SynopsisContext, compute_synopsis
from tests.reference.tracker import ReferenceTracker, key

MOVING = SynopsisContext(moving=True)


def seconds(work: Callable[[], object], times: int = 1) -> float:
    """Mean processor seconds of a call of `work`, which uses one thread."""
    start = process_time()
    for _ in range(times):
        work()
    return (process_time() - start) / times


def reference_boards(boards: RbcBoardSet, count: int) -> list[chess.Board]:
    """A sample of a set as boards of python-chess."""
    return [chess.Board(board_fen(state)) for state in boards.sample(count, seed=2)]


def successors() -> list[BenchmarkResult]:
    """Rows of the opponent's move: all successors of a set."""
    boards = possible_boards(5)
    plain = ReferenceTracker(0, chess.Board())
    plain.boards = {key(board): board for board in reference_boards(boards, 1000)}
    quiet = plain.count_successors(None)
    theirs = quiet / seconds(lambda: plain.opponent_moved(None))
    # The native set has the same number of successors a board, so the count is scaled from the sample.
    ours = quiet / 1000 * len(boards) / seconds(lambda: boards.after_opponent(None))
    label = f"RBC: successors of {len(boards):,} boards, deduplicated"
    return [
        BenchmarkResult(label, "a set tracker in python-chess", ours, theirs, "children/s", min_ratio=50),
        BenchmarkResult(f"{label}, a core", "promised", ours, 1_000_000, "children/s", min_ratio=1),
    ]


def synopses() -> list[BenchmarkResult]:
    """Rows of synopsis planes."""
    from tests.reference.synopsis import reference_synopsis  # where the tests are

    boards = possible_boards(4).subsample(128, seed=1)
    few = reference_boards(boards, 16)
    theirs = 1 / (8 * seconds(lambda: reference_synopsis(few, chess.WHITE, MOVING, None)))
    ours = 1 / seconds(lambda: compute_synopsis(boards, MOVING), times=3000)
    label = "RBC: synopses of 128 boards"
    return [
        BenchmarkResult(label, "their definitions in python-chess", ours, theirs, "synopses/s", min_ratio=50),
        BenchmarkResult(f"{label}, a core", "promised", ours, 30_000, "synopses/s", min_ratio=1),
    ]


def reference_sense_values(boards: list[chess.Board]) -> list[float]:
    """The expected set size after each of the 64 senses, by partition of the boards."""
    windows = [chess.SquareSet(chess.BB_KING_ATTACKS[s] | chess.BB_SQUARES[s]) for s in chess.SQUARES]
    sizes = []
    for window in windows:
        views = Counter(tuple(board.piece_at(square) for square in window) for board in boards)
        sizes.append(sum(n * n for n in views.values()) / len(boards))
    return sizes


def senses() -> list[BenchmarkResult]:
    """Rows of the values of all senses."""
    boards = possible_boards(5).after_opponent(None).subsample(100_000, seed=1)
    few = reference_boards(boards, 200)
    theirs = 200 / seconds(lambda: reference_sense_values(few))
    ours = len(boards) / seconds(lambda: boards.sense_values(), times=3)
    label = f"RBC: all 64 senses of {len(boards):,} boards"
    return [
        BenchmarkResult(label, "partitions in python-chess", ours, theirs, "boards/s", min_ratio=50),
        BenchmarkResult(
            f"{label}, a core", "promised in 0.2 s", ours, len(boards) / 0.2, "boards/s", min_ratio=1
        ),
    ]


def measure() -> list[BenchmarkResult]:
    """Rows of successors, synopses and senses."""
    return [*successors(), *synopses(), *senses()]
