"""The tracker: complete sets, sound samples, backward filtering (algorithm 4)."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import chess
import pytest

from sparring._core import RbcBoardSet, RbcState
from sparring.rbc.game import NO_SENSE, PASS, MoveResult, Rbc, board_fen
from sparring.rbc.tracker import Contradiction, ReplayStep, Tracker, TrackerOptions, replay
from tests.belief.games import keys, random_game
from tests.reference.tracker import ReferenceTracker

SPECIAL = [
    "r3k2r/pppq1ppp/2n5/3pP3/8/8/PPP2PPP/R3K2R w KQkq d6 0 1",  # castling and en passant at once
    "8/PPPPPPPP/1k6/8/8/1K6/pppppppp/8 w - - 0 1",  # promotions of every kind
    "4k3/3p1p2/8/4P3/4p3/8/3P1P2/4K3 b - - 0 1",  # pawns that may pass one another
    "r3k2r/1P4P1/8/8/8/8/1p4p1/R3K2R b KQkq - 0 1",  # rooks that are captured where they may castle
]


def start_of(game: RbcState) -> RbcState:
    while game.previous is not None:
        game = game.previous
    return game


def compare(game: RbcState, player: int, most: int) -> int:
    """Compares both trackers through a game, up to `most` boards. Returns the observations compared."""
    start = start_of(game)
    tracker = Tracker(player, TrackerOptions(threads=1), start)
    plain = ReferenceTracker(player, chess.Board(board_fen(start)))
    compared = 0
    for step in replay(game, tracker):
        if len(tracker.boards) > most:
            break
        plain.observe(step.observation, step.truth)
        assert keys(tracker.boards.fens()) == plain.fens()
        assert step.truth in tracker.boards
        assert step.change.exact
        compared += 1
    return compared


@pytest.mark.parametrize("player", [0, 1])
def test_the_set_is_the_one_of_a_plain_tracker(player: int) -> None:
    assert sum(compare(random_game(seed, 30), player, 1500) for seed in range(12)) > 60


@pytest.mark.parametrize("fen", SPECIAL)
@pytest.mark.parametrize("player", [0, 1])
def test_special_moves_are_those_of_a_plain_tracker(fen: str, player: int) -> None:
    for seed in range(6):
        compare(random_game(seed, 8, fen=fen), player, 800)


def test_several_threads_find_the_same_boards_in_the_same_order() -> None:
    game = random_game(3, 6, sensing=0)
    alone, together = Tracker(0, TrackerOptions(threads=1)), Tracker(0, TrackerOptions(threads=4))
    for one, other in zip(replay(game, alone), replay(game, together), strict=True):
        assert one.change == other.change
    assert len(alone.boards) > 100_000
    assert alone.boards.fens(1000) == together.boards.fens(1000)
    assert [s.text() for s in alone.boards.sample(50, 7)] == [s.text() for s in together.boards.sample(50, 7)]


def test_past_sets_lead_to_the_current_boards() -> None:
    game = random_game(11, 5)
    tracker = Tracker(1)
    sets: list[RbcBoardSet] = []
    steps = []
    for step in replay(game, tracker):
        steps.append(step)
        if isinstance(step.observation, MoveResult):
            sets.append(tracker.past(tracker.turns - 1))
    narrowed = 0
    for turn in range(tracker.turns):
        before, now = keys(sets[turn].fens()), keys(tracker.past(turn).fens())
        assert tracker.past_exact(turn)
        assert now <= before
        narrowed += now < before
        assert now == {fen for fen in before if survives(fen, turn, steps)}
    assert narrowed


def survives(fen: str, turn: int, steps: Sequence[ReplayStep]) -> bool:
    """True if a board of the player's turn is consistent with all later observations, by brute force."""
    plain = ReferenceTracker(1, chess.Board(f"{fen} 0 1"))
    moves = [i for i, step in enumerate(steps) if isinstance(step.observation, MoveResult)]
    for step in steps[moves[turn] :]:
        plain.observe(step.observation, step.truth)
    return bool(plain.boards)


def test_a_set_beyond_the_limit_is_sampled_until_the_sense_and_then_complete_again() -> None:
    game = random_game(11, 5)
    everything = Tracker(1)
    # As many as ever remain after a sense: more come up before it.
    limit = max(step.change.after for step in replay(game, everything) if step.change.event != "opponent")
    everything, few = Tracker(1), Tracker(1, TrackerOptions(limit=limit))
    sampled = 0
    for full, some in zip(replay(game, everything), replay(game, few), strict=True):
        if full.change.after > limit:
            assert not few.exact
            assert "of which a sample is kept" in some.change.note
            assert keys(few.boards.fens()) < keys(everything.boards.fens())
            sampled += 1
        else:
            assert few.exact
            assert keys(few.boards.fens()) == keys(everything.boards.fens())
    assert sampled


def test_every_board_of_a_sample_fits_all_that_was_observed() -> None:
    sampled = 0
    for seed in range(4):
        game = random_game(seed, 5, sensing=0.5)
        everything, sample = Tracker(1), Tracker(1, TrackerOptions(limit=200, seed=seed))
        for _ in zip(replay(game, everything), replay(game, sample), strict=True):
            sampled += len(sample.boards) < len(everything.boards)
            assert 0 < len(sample.boards) <= len(everything.boards)
            assert keys(sample.boards.fens()) <= keys(everything.boards.fens())
    assert sampled >= 4


def test_a_sample_is_uniform() -> None:
    boards = Tracker(1).boards
    for _ in range(3):
        boards = boards.after_opponent(None).after_move(PASS, PASS, None)
    every = sorted(boards.after_opponent(None).fens())
    counts = dict.fromkeys(every, 0)
    draws = 200
    for seed in range(draws):
        drawn = boards.after_opponent(None, limit=len(every) // 3, seed=seed)
        assert drawn.level >= 1
        for fen in drawn.fens():
            counts[fen] += 1
    share = sum(counts.values()) / draws / len(every)
    assert 0.2 < share < 0.34
    # Each count is binomial: four standard deviations hold nearly all of them.
    spread = 4 * (draws * share * (1 - share)) ** 0.5
    outside = sum(abs(count - draws * share) > spread for count in counts.values())
    assert outside < len(every) / 500


def test_a_sample_that_lost_the_truth_is_drawn_anew() -> None:
    found = 0
    for seed in range(12):
        tracker = Tracker(seed % 2, TrackerOptions(limit=60, seed=seed))
        with suppress(Contradiction):
            for step in replay(random_game(seed, 12), tracker):
                found += "; resampled " in step.change.note
        assert len(tracker.boards)
    assert found


def test_a_contradiction_says_whether_the_set_was_complete() -> None:
    with pytest.raises(Contradiction) as complete:
        Tracker(0).sensed([(chess.E4, "k")])
    assert not complete.value.sampled
    tracker = Tracker(1, TrackerOptions(limit=30, threads=1))
    for _ in replay(random_game(4, 6, sensing=0), tracker):
        pass
    assert not tracker.exact
    with pytest.raises(Contradiction, match="found no others") as sampled:
        tracker.opponent_moved(chess.E1) if tracker.boards.to_move == 0 else tracker.sensed(
            [(chess.E8, None)]
        )
    assert sampled.value.sampled


def test_the_same_seed_keeps_the_same_sample() -> None:
    game = random_game(2, 6, sensing=0.3)
    trackers = [Tracker(0, TrackerOptions(limit=500, seed=seed)) for seed in (1, 1, 2)]
    for tracker in trackers:
        list(replay(game, tracker))
    first, same, other = (tracker.boards.fens() for tracker in trackers)
    assert first == same
    assert first != other


def test_the_past_is_thinned_out_beyond_its_limit() -> None:
    game = random_game(4, 6, sensing=0)
    tracker = Tracker(1, TrackerOptions(limit=2000, past_limit=3000))
    list(replay(game, tracker))
    assert sum(len(tracker.past(turn)) for turn in range(tracker.turns)) <= 3000
    assert tracker.past_exact(0)
    assert not tracker.past_exact(tracker.turns - 1)


def test_reconchess_tells_white_of_no_capture_before_its_first_turn() -> None:
    tracker = Tracker(0)
    assert tracker.opponent_moved(None).after == 1
    tracker.sensed([])
    with pytest.raises(ValueError, match="opponent's move was reported where a move is due"):
        tracker.opponent_moved(None)


def test_a_contradiction_says_where_and_changes_nothing() -> None:
    game = random_game(1, 3)
    tracker = Tracker(1)
    list(replay(game, tracker))
    boards, turn = len(tracker.boards), tracker.turns + 1
    if tracker.boards.to_move == 1:
        tracker = Tracker(1)
        boards, turn = 1, 1
    with pytest.raises(Contradiction, match=rf"Black's turn {turn}: none of the {boards} possible boards"):
        tracker.opponent_moved(chess.E1)
    assert len(tracker.boards) == boards
    assert tracker.opponent_moved(None).after > boards
    with pytest.raises(Contradiction, match="the result of the sense"):
        tracker.sensed([(chess.E4, "k")])
    with pytest.raises(Contradiction, match="the result of the sense"):
        tracker.sensed([(chess.E8, None)])
    tracker.sensed([])
    with pytest.raises(Contradiction, match="the result of the move"):
        tracker.moved(RbcState.initial().parse_move("a2a3"), None, None)


def test_a_king_that_is_captured_at_home_castles_no_more() -> None:
    start = Rbc().parse("r3k2r/8/8/8/8/8/4R3/4K3 w kq - 0 1")
    move = start.parse_move("e2e8")
    game = start.play(NO_SENSE).play(move)
    tracker = Tracker(0, start=start)
    steps = list(replay(game, tracker))
    assert steps[-1].truth.outcome is not None
    assert steps[-1].truth in tracker.boards


def test_a_captured_king_has_no_successors() -> None:
    start = Rbc().parse("4k3/8/8/8/8/8/4R3/4K3 w - - 0 1")
    tracker = Tracker(0, start=start)
    tracker.sensed([])
    move = start.parse_move("e2e8")
    assert tracker.moved(move, move, chess.E8).after == 1
    with pytest.raises(Contradiction):
        tracker.opponent_moved(None)


@pytest.mark.parametrize("wrong", [{"limit": 0}, {"past_limit": -1}, {"threads": -2}])
def test_impossible_options_are_named(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        TrackerOptions(**wrong)


def test_boards_of_different_knowledge_are_no_set() -> None:
    initial = RbcState.initial()
    moved = initial.play(NO_SENSE).play(initial.parse_move("e2e4"))
    with pytest.raises(ValueError, match="differ in what the player knows"):
        RbcBoardSet.of([initial, moved], 1)
    with pytest.raises(ValueError, match="at least one board"):
        RbcBoardSet.of([], 0)
    with pytest.raises(ValueError, match="0 \\(White\\) or 1"):
        RbcBoardSet.of([initial], 2)
