"""Infostates: samples of one player's possible boards."""

from __future__ import annotations

import itertools
from collections import Counter
from itertools import product

from sparring._core import (
    RbcBoardSet,
    RbcInfostate,
    RbcState,
)
from sparring.rbc.game import NO_SENSE, PASS, MoveResult, OpponentMoveResult, Rbc, SenseResult
from sparring.rbc.tracker import Tracker, TrackerOptions, replay
from tests.belief.games import random_game


def tracked_game(seed: int, turns: int) -> tuple[Tracker, RbcState]:
    """The tracker of White, and the true state at White's sense."""
    game = random_game(seed, turns)
    tracker = Tracker(0, TrackerOptions(limit=100_000, threads=1))
    truth = game
    for step in replay(game, tracker):
        truth = step.truth
    return tracker, truth


def test_an_infostate_has_exactly_as_many_boards_as_asked_with_the_true_one_among_them() -> None:
    tracker, truth = tracked_game(3, 4)
    assert len(tracker.boards) > 200
    for seed in range(20):
        state = RbcInfostate(tracker.boards, False, truth, 128, seed)
        assert len(state) == 128
        assert truth in state.boards
        assert len(state.boards.intersection(tracker.boards)) == 128


def test_a_reply_gives_a_uniform_sample_of_exact_size() -> None:
    state = Rbc().initial().play(NO_SENSE).play(PASS).play(NO_SENSE)
    everything = RbcBoardSet.of([state], 0).after_opponent(None)
    counts: Counter[str] = Counter()
    truth = state.play(PASS)
    for seed in range(1500):
        infostate = RbcInfostate(RbcBoardSet.of([state], 0), False)
        infostate.reply(None, truth, 6, seed)
        assert len(infostate) == 6
        assert truth in infostate.boards
        counts.update(infostate.boards.fens())
    assert set(counts) == set(everything.fens())
    others = [count for fen, count in counts.items() if fen not in RbcBoardSet.of([truth], 0).fens()]
    assert max(others) / min(others) < 1.5


def test_infostates_follow_sense_move_and_reply_as_board_sets_do() -> None:
    game = random_game(11, 5)
    line = [game]
    while line[-1].previous is not None:
        line.append(line[-1].previous)
    line.reverse()
    tracker = Tracker(0, TrackerOptions(limit=100_000, threads=1))
    infostate = RbcInfostate(tracker.boards, False, line[0], 100_000)
    for before, after in itertools.pairwise(line):
        move = after.last_move
        assert move is not None
        observation = Rbc().observe(before, 0, move)
        if isinstance(observation, SenseResult):
            infostate.sense(move, before)
        elif isinstance(observation, MoveResult):
            infostate.move(move, before)
        elif isinstance(observation, OpponentMoveResult):
            infostate.reply(observation.capture_square, after, 100_000)
        if after.outcome is not None:
            break
        tracker.observe(observation)
        assert set(infostate.boards.fens()) == set(tracker.boards.fens())


def test_the_key_does_not_depend_on_the_order_of_the_boards_but_on_the_phase() -> None:
    tracker, truth = tracked_game(3, 2)
    count = len(tracker.boards)
    first, second = (RbcInfostate(tracker.boards, False, truth, count, seed) for seed in (1, 2))
    assert first.key == second.key
    assert first.key != RbcInfostate(tracker.boards, True, truth, count).key
    assert first.key != RbcInfostate(tracker.boards, False, truth, count - 1).key


def test_the_sets_of_both_players_share_the_true_board_only() -> None:
    unfinished = 0
    for seed in range(5):
        game = random_game(seed, 4)
        trackers = [Tracker(player, TrackerOptions(limit=100_000, threads=1)) for player in (0, 1)]
        for tracker in trackers:
            truth = [step.truth for step in replay(game, tracker)][-1]
        if game.outcome is None:
            unfinished += 1
            shared = trackers[0].boards.intersection(trackers[1].boards)
            assert len(shared) == 1
            assert truth in shared
    assert unfinished >= 3


def test_the_cheap_test_of_wins_finds_only_certain_wins() -> None:
    found = tested = 0
    for seed, turns in [*product(range(40), [6]), *product(range(6), [12])]:
        everything = tracked_game(seed, turns)[0].boards
        few = [everything.subsample(size, draw) for size in (1, 2, 4) for draw in range(10)]
        for boards, moving in product((everything, *few), (False, True)):
            tested += 1
            if boards.to_move == 0 and RbcInfostate(boards, moving, None, 100_000).wins:
                found += len(boards) > 1
                if moving:
                    assert boards.king_captures()[0][1] == len(boards)
                else:
                    assert max(boards.wins_after_sense()) == len(boards)
    board = Rbc().parse("4k3/8/8/8/8/8/4R3/4K3 w - - 0 1 move")
    assert RbcInfostate(RbcBoardSet.of([board], 0), True).wins
    assert 0 < found < tested / 2
