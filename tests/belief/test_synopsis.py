"""Every plane of the synopsis against its definition in plain Python."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import chess
import numpy as np
import pytest

from sparring._core import RbcBoardSet
from sparring.rbc.game import Rbc
from sparring.rbc.synopsis import PLANES, SynopsisContext, compute_synopsis, unpack_planes
from sparring.rbc.tracker import Contradiction, Tracker, TrackerOptions, replay
from tests.belief.games import random_game
from tests.reference.synopsis import reference_synopsis

SPECIAL = [
    "r3k2r/pppq1ppp/2n5/3pP3/8/8/PPP2PPP/R3K2R w KQkq d6 0 1",
    "r3k2r/2pb1ppp/2n3q1/3pP3/pP6/8/P1P2PPP/R3KQ1R b KQkq b3 0 1",
    "4k3/1P1P4/8/2q1Q1n1/8/1B3b2/1p1p4/4K3 w - - 0 1",
]


def check(boards: RbcBoardSet, synopsis_context: SynopsisContext, previous: list[int] | None) -> list[int]:
    """The native synopsis, after a check of every plane."""
    before = None if previous is None else np.array(previous, dtype=np.uint64)
    ours = [int(word) for word in compute_synopsis(boards, synopsis_context, before)]
    plain = reference_synopsis(
        [chess.Board(fen) for fen in boards.fens()], boards.player == 0, synopsis_context, previous
    )
    wrong = [PLANES[i].name for i in range(len(PLANES)) if ours[i] != plain[i]]
    assert not wrong
    return ours


def sets_of_games(player: int) -> Iterator[tuple[RbcBoardSet, SynopsisContext]]:
    """Small sets from all stages of random games, with either side to move."""
    for seed in range(14):
        rng = random.Random(seed)
        tracker = Tracker(player, TrackerOptions(limit=300, threads=1, seed=seed))
        with suppress(Contradiction):  # a sample may lose its way
            for step in replay(random_game(seed, 60), tracker):
                if step.truth.outcome is None and rng.random() < 0.25:
                    yield tracker.boards.subsample(rng.choice([1, 3, 12]), seed), tracker.synopsis_context


@pytest.mark.parametrize("player", [0, 1])
def test_every_plane_is_its_definition_on_sets_of_random_games(player: int) -> None:
    previous = None
    ones, zeros = np.zeros(len(PLANES), np.uint64), ~np.zeros(len(PLANES), np.uint64)
    for boards, synopsis_context in sets_of_games(player):
        previous = check(boards, synopsis_context, previous)
        ones |= np.array(previous, dtype=np.uint64)
        zeros &= np.array(previous, dtype=np.uint64)
    same = [i for i in range(len(PLANES)) if ones[i] == zeros[i]]
    assert same == list(range(10)), "the games are to show every plane with ones and with zeros"


@pytest.mark.parametrize("fen", SPECIAL)
@pytest.mark.parametrize("player", [0, 1])
def test_special_positions_have_their_planes(fen: str, player: int) -> None:
    state = Rbc().parse(fen)
    check(RbcBoardSet.of([state], player), SynopsisContext(moving=True, last_to=5), None)
    if state.to_move != player:
        answers = RbcBoardSet.of([state], player).after_opponent(None)
        check(answers, SynopsisContext(moving=False, last_opposing_capture=63), None)


def test_a_player_recalls_its_last_move_and_captures() -> None:
    start = Rbc().parse("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1")
    tracker = Tracker(0, start=start)
    assert tracker.synopsis_context == SynopsisContext(moving=False)
    tracker.sensed([])
    move = start.parse_move("e4d5")
    tracker.moved(move, move, chess.D5)
    tracker.opponent_moved(None)
    tracker.sensed([])
    expected = SynopsisContext(True, chess.E4, chess.D5, chess.D5, None)
    assert tracker.synopsis_context == expected


def test_the_seed_draws_a_sample_of_too_many_boards() -> None:
    boards = Tracker(1).boards.after_opponent(None)
    quiet = SynopsisContext(moving=False)
    first, same, other = (compute_synopsis(boards, quiet, count=4, seed=seed) for seed in (1, 1, 2))
    assert np.array_equal(first, same)
    assert not np.array_equal(first, other)


def test_planes_unpack_with_the_players_first_rank_first() -> None:
    boards = RbcBoardSet.of([Rbc().initial()], 1)
    planes = unpack_planes(compute_synopsis(boards, SynopsisContext(moving=True)))
    assert planes.shape == (104, 8, 8)
    assert planes.dtype == np.float32
    assert planes[17].argmax() == chess.E1  # Black's own king, as Black sees it
    assert planes[12, 1].sum() == 8
    assert planes[10].all()


def test_no_boards_have_no_synopsis() -> None:
    boards = Tracker(1).boards.after_sense([(chess.E4, "P")])
    with pytest.raises(ValueError, match="at least one board"):
        compute_synopsis(boards, SynopsisContext(moving=True))
    with pytest.raises(ValueError, match="104 planes"):
        compute_synopsis(Tracker(1).boards, SynopsisContext(moving=True), np.zeros(3, np.uint64))


def test_the_docs_show_the_list_of_planes() -> None:
    text = (Path(__file__).parents[2] / "docs" / "rbc.md").read_text(encoding="utf-8")
    for number, plane in enumerate(PLANES):
        assert f"| {number} | {plane.name} | {plane.fold} | {plane.meaning} |" in text
