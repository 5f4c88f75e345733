"""Alpha-beta on Expendibots: against plain minimax, on positions whose answer is known, and its promises."""

from __future__ import annotations

import random
import threading
import time

import numpy as np
import pytest

from sparring._core import ExpendibotsSearch, ExpendibotsState
from sparring.expendibots.game import Expendibots
from sparring.search.linear_evaluation import AlphaBetaSearcher, open_evaluation

GAME = Expendibots()


@pytest.fixture(scope="module")
def searcher() -> AlphaBetaSearcher:
    return open_evaluation("expendibots", "start").searcher(megabytes=4)


def boom(move: int) -> bool:
    return move < 64


def played(searcher: AlphaBetaSearcher, seed: int, plies: int) -> ExpendibotsState:
    """A position after sensible random moves; an earlier one where the game ended."""
    rng = random.Random(seed)
    state = GAME.initial()
    for _ in range(plies):
        after = state.play(rng.choice(searcher.candidate_moves(state)))
        if after.outcome is not None:
            break
        state = after
    return state


def tokens(state: ExpendibotsState) -> tuple[int, int]:
    """Of the side to move and of the other."""
    signed = [height for row in state.heights for height in row]
    white, black = sum(h for h in signed if h > 0), -sum(h for h in signed if h < 0)
    return (black, white) if state.to_move else (white, black)


def plain(searcher: AlphaBetaSearcher, state: ExpendibotsState, depth: int, path: tuple[int, ...]) -> float:
    """Minimax to a depth and over booms beyond it, in the order of the definitions."""
    if state.outcome is not None:
        winner = state.outcome.winner
        return 0.0 if winner is None else 100.0 if winner == state.to_move else -100.0
    if state.key in path:
        return 0.0
    line = (*path, state.key)
    moves = searcher.candidate_moves(state)
    if depth > 0:
        return max(-plain(searcher, state.play(move), depth - 1, line) for move in moves)
    own, other = tokens(state)
    best = searcher.evaluate(state)
    for move in moves:
        if boom(move):
            left = tokens(state.play(move))
            if left[0] == 0 or left[1] * other >= own * left[0]:  # after it the other side is to move
                best = max(best, -plain(searcher, state.play(move), 0, line))
    return best


@pytest.mark.parametrize("seed", range(12))
def test_the_value_is_plain_minimax(searcher: AlphaBetaSearcher, seed: int) -> None:
    state = played(searcher, seed, 40 + 10 * seed)
    depth = 3 if len(state.legal_moves()) < 12 else 2
    searcher.clear()
    found = searcher.analyse(state, depth=depth, reduce=False)
    expected = plain(searcher, state, depth, ())
    assert found.value == pytest.approx(expected, abs=2e-3)
    # And so is that of a search without any pruning, which learning from minimax takes.
    assert _minimax(searcher, state, depth) == pytest.approx(expected, abs=2e-3)


def _minimax(searcher: AlphaBetaSearcher, state: ExpendibotsState, depth: int) -> float:
    analysis, *_ = searcher.treestrap(
        state,
        depth=depth,
        all_nodes=True,
        minimax=True,
        min_depth=1,
        decay=1.0,
        max_error=100.0,
        skip_draws=False,
        staged=False,
    )
    return analysis.value


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("pruned", [False, True])
def test_booms_are_tried_once_a_component_and_only_where_they_touch_an_enemy(seed: int, pruned: bool) -> None:
    searcher = ExpendibotsSearch(open_evaluation("expendibots", "start").weights, 1)
    searcher.set_prune_booms(pruned)
    state = played(searcher, seed, 5 * seed)
    own, other = tokens(state)
    candidate_moves = searcher.candidate_moves(state)
    assert candidate_moves
    assert [m for m in candidate_moves if not boom(m)] == [m for m in state.legal_moves() if not boom(m)]
    results = [state.play(move) for move in candidate_moves if boom(move)]
    assert len(set(results)) == len(results)
    expected = set()
    for move in filter(boom, state.legal_moves()):
        after = state.play(move)
        other_left, own_left = tokens(after)
        improves = other_left == 0 or own_left * other > own * other_left
        if improves if pruned else other_left < other:
            expected.add(after)
    assert set(results) == expected


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("8/1A3aA1/8/8/8/8/aA6/1a6 w 0", "boom g7"),  # one for one, then one for two
        ("8/8/8/2A3Aa/8/8/5A2/4a1B1 w 0", "boom f2"),  # three for one, then one for one
    ],
)
def test_a_win_after_a_boom_that_does_not_improve_the_ratio_is_found(text: str, move: str) -> None:
    searcher = ExpendibotsSearch(open_evaluation("expendibots", "start").weights, 1)
    found = searcher.analyse(GAME.parse(text), depth=3)
    assert (GAME.parse(text).move_text(found.moves[0][0]), found.plies_to_end) == (move, 3)
    searcher.set_prune_booms(True)
    assert searcher.analyse(GAME.parse(text), depth=3).value < 100


def test_an_enclosed_token_still_has_its_boom(searcher: AlphaBetaSearcher) -> None:
    state = GAME.parse("8/8/8/8/7a/8/a7/Aa6 w 0")  # which loses, and is all it can do
    assert searcher.candidate_moves(state) == [0]
    assert searcher.analyse(state, depth=3).value == -100


def test_a_win_is_found_with_its_distance(searcher: AlphaBetaSearcher) -> None:
    state = GAME.parse("7a/8/8/4B3/5A2/8/8/8 w 0")
    found = searcher.analyse(state, depth=6)
    assert found.value == 100
    assert found.plies_to_end is not None
    assert found.plies_to_end % 2 == 1
    after = state
    for move in found.pv:
        after = after.play(move)
    assert after.outcome is not None
    assert after.outcome.winner == 0
    assert after.ply == found.plies_to_end


def test_a_boom_that_destroys_all_tokens_draws_a_lost_position(searcher: AlphaBetaSearcher) -> None:
    found = searcher.analyse(GAME.parse("8/8/8/8/8/8/8/Ab6 w 0"), depth=2)
    assert boom(found.moves[0][0])
    assert found.value == 0


def test_the_turn_limit_is_seen(searcher: AlphaBetaSearcher) -> None:
    text = "7a/8/8/4B3/5A2/8/8/8 w"
    assert searcher.analyse(GAME.parse(f"{text} 480"), depth=6).plies_to_end == 5
    assert searcher.analyse(GAME.parse(f"{text} 495"), depth=6).value == 100
    assert searcher.analyse(GAME.parse(f"{text} 496"), depth=6).value == 0


def test_the_fourth_visit_is_a_draw_despite_stored_scores(searcher: AlphaBetaSearcher) -> None:
    start = GAME.parse("8/8/6aa/8/8/8/8/AAA4B w 0")
    back_and_forth = ["1b1-b2", "1g6-g5", "1b2-b1", "1g5-g6"]
    searcher.clear()
    state = start
    for _ in range(2):
        for text in back_and_forth:
            searcher.analyse(state, depth=4)
            state = state.play(state.parse_move(text))
    for text in back_and_forth[:-1]:
        state = state.play(state.parse_move(text))
    # Black to move: going back makes the fourth visit and the draw, which saves it against more tokens.
    found = searcher.analyse(state, depth=4)
    assert state.move_text(found.moves[0][0]) == "1g5-g6"
    assert found.value == 0
    fresh = open_evaluation("expendibots", "start").searcher(megabytes=4).analyse(state, depth=4)
    assert fresh.value == found.value


def test_one_thread_gives_the_same_answer_for_the_same_nodes() -> None:
    def answers() -> list[tuple[float, list[int], int]]:
        search = open_evaluation("expendibots", "start").searcher(megabytes=1)
        state, found = GAME.initial(), []
        for _ in range(6):
            analysis = search.analyse(state, nodes=3000, margin=0.5)
            found.append((analysis.value, analysis.pv, analysis.nodes))
            state = state.play(analysis.moves[0][0])
        return found

    assert answers() == answers()


def test_moves_within_the_margin_have_exact_values(searcher: AlphaBetaSearcher) -> None:
    state = played(searcher, 3, 60)
    wide = searcher.analyse(state, depth=3, margin=200.0, reduce=False)
    searcher.clear()
    narrow = searcher.analyse(state, depth=3, margin=1.0, reduce=False)
    exact = dict(wide.moves)
    within = [move for move, value in narrow.moves if value >= narrow.value - 1.0]
    assert 0 < len(within) < len(narrow.moves)
    for move, value in narrow.moves:
        if move in within:
            assert value == pytest.approx(exact[move])
        else:
            assert exact[move] <= narrow.value - 1.0


def test_several_threads_find_the_same_win(searcher: AlphaBetaSearcher) -> None:
    state = GAME.parse("7a/8/8/4B3/5A2/8/8/8 w 0")
    searcher.clear()
    found = searcher.analyse(state, depth=8, threads=3)
    assert found.value == 100


def test_a_search_is_stopped_from_another_thread(searcher: AlphaBetaSearcher) -> None:
    def stop() -> None:
        while not done.is_set():
            searcher.stop()
            time.sleep(0.01)

    done = threading.Event()
    thread = threading.Thread(target=stop)
    thread.start()
    found = searcher.analyse(GAME.initial(), depth=40)
    done.set()
    thread.join()
    assert 1 <= found.depth < 40


def test_the_line_is_playable_and_ends_in_its_value(searcher: AlphaBetaSearcher) -> None:
    ends = 0
    for seed in range(6):
        state = played(searcher, seed, 30)
        searcher.clear()
        analysis = searcher.analyse(state, depth=4, reduce=False)
        leaf = state
        assert len(analysis.pv) >= 1
        for move in analysis.pv:
            leaf = leaf.play(move)
        sign = 1 if leaf.to_move == state.to_move else -1
        if leaf.outcome is None and analysis.value != 0:
            ends += 1
            assert sign * searcher.evaluate(leaf) == pytest.approx(analysis.value, abs=2e-3)
    assert ends >= 3, "most lines end in a position with a value"


def test_bad_questions_are_refused(searcher: AlphaBetaSearcher) -> None:
    with pytest.raises(ValueError, match="needs a depth"):
        searcher.analyse(GAME.initial())
    with pytest.raises(ValueError, match="at least 1"):
        searcher.analyse(GAME.initial(), depth=0)
    with pytest.raises(ValueError, match="over"):
        searcher.analyse(GAME.parse("8/8/8/8/8/8/8/A7 w 0"), depth=1)
    with pytest.raises(ValueError, match="4 stages of 159"):
        ExpendibotsSearch(np.zeros((4, 158)))
    with pytest.raises(ValueError, match="finite"):
        ExpendibotsSearch(np.full((4, 159), np.nan))
