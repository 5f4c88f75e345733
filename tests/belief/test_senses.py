"""Sense statistics against explicit partitions."""

from __future__ import annotations

import math
from collections import Counter

import chess
import numpy as np
import pytest

from sparring._core import RbcBoardSet, RbcState
from sparring.rbc.game import Rbc
from sparring.rbc.tracker import Tracker, TrackerOptions, replay, sense_statistics
from tests.belief.games import random_game

INNER = {chess.square(file, rank) for file in range(1, 7) for rank in range(1, 7)}


def sets() -> list[RbcBoardSet]:
    """Sets of some hundred boards from random games, of both players."""
    found = []
    for seed in range(6):
        tracker = Tracker(seed % 2, TrackerOptions(limit=400, threads=1))
        for step in replay(random_game(seed, 5, sensing=0.5), tracker):
            if step.change.event == "opponent" and len(tracker.boards) > 20:
                found.append(tracker.boards)
    return found


def views(boards: RbcBoardSet, square: int) -> list[object]:
    return [tuple(RbcState.parse(f"{fen} move").sense(square)) for fen in boards.fens()]


def test_all_senses_are_weighed_as_their_partitions_say() -> None:
    for boards in sets():
        senses = sense_statistics(boards)
        for square in chess.SQUARES:
            sizes = list(Counter(views(boards, square)).values())
            shares = [size / len(boards) for size in sizes]
            assert senses.expected_sizes[square] == pytest.approx(
                sum(size * share for size, share in zip(sizes, shares, strict=True))
            )
            assert senses.entropies[square] == pytest.approx(-sum(p * math.log2(p) for p in shares), abs=1e-9)
            assert senses.parts[square] == len(sizes)
            assert senses.largest[square] == max(sizes)


def test_a_partition_puts_together_what_looks_alike() -> None:
    boards = sets()[0]
    for square in (0, 7, 27, 63):
        parts = boards.partition(square)
        seen = views(boards, square)
        assert len(set(zip(parts.tolist(), seen, strict=True))) == len(set(seen)) == len(set(parts.tolist()))
        assert parts[0] == 0


def test_senses_that_another_one_covers_are_left_out() -> None:
    for boards in sets():
        useful = sense_statistics(boards).undominated
        assert set(useful) <= INNER
        differing = {s for s, symbol in enumerate(boards.known_pieces()) if symbol == "?"}
        shown = {s: window(s) & differing for s in chess.SQUARES}
        for square in chess.SQUARES:
            better = [other for other in useful if shown[square] <= shown[other]]
            assert better or not shown[square]
        for square in useful:
            assert shown[square]
            assert not any(shown[square] <= shown[other] for other in useful if other != square)


def window(square: int) -> set[int]:
    return {s for s in chess.SQUARES if chess.square_distance(s, square) <= 1}


def test_where_all_boards_look_alike_no_sense_is_worth_choosing() -> None:
    boards = RbcBoardSet.of([Rbc().initial()], 0)
    senses = sense_statistics(boards)
    assert senses.undominated == ()
    assert np.all(senses.expected_sizes == 1)
    assert np.all(senses.entropies == 0)


def test_boards_that_differ_in_rights_alone_look_alike() -> None:
    states = [Rbc().parse(f"r3k2r/8/8/8/8/8/8/4K3 w {rights} - 0 1") for rights in ("kq", "k", "-")]
    boards = RbcBoardSet.of(states, 0)
    assert len(boards) == 3
    assert sense_statistics(boards).undominated == ()
    assert set(boards.partition(chess.H8).tolist()) == {0}


def test_threads_give_the_same_statistics() -> None:
    boards = Tracker(1).boards
    for _ in range(3):
        boards = boards.after_opponent(None).after_move(0, 0, None)
    boards = boards.after_opponent(None)
    assert len(boards) > 5000
    assert np.array_equal(boards.sense_values(1), boards.sense_values(3))
