"""Claims of the Expendibots report: the orders of moves, the counted search, the options of training."""

from __future__ import annotations

from pathlib import Path

import pytest

from sparring._core import ExpendibotsSearch
from sparring.expendibots.game import Expendibots
from sparring.search.linear_evaluation import open_evaluation
from studies.expendibots.report_claims import (
    CountedSearch,
    few_of_a_stack,
    measure_book,
    measure_ordering,
    report_order,
    sample_positions,
)
from studies.expendibots.training_options import MATCHES, OPTIONS, match_score


def test_the_report_s_order_has_booms_first_and_then_moves_forward() -> None:
    rules = Expendibots()
    state = rules.initial()
    ordered = [state.action(move) for move in report_order(state, state.legal_moves())]
    kinds = [len(action) == 2 for action in ordered]
    assert kinds == sorted(kinds, reverse=True)
    steps = [action[3][1] - action[2][1] for action in ordered if len(action) == 4]
    assert steps == sorted(steps, reverse=True)


def test_the_order_of_moves_does_not_change_a_search_s_value() -> None:
    weights = open_evaluation("expendibots").weights
    for state in sample_positions(4, seed=1):
        values, nodes = [], []
        for order in (report_order, lambda _, moves: moves[::-1]):
            counted = CountedSearch(ExpendibotsSearch(weights, 1), order)
            values.append(counted.value(state, 2, -400.0, 400.0))
            nodes.append(counted.nodes)
        assert values[0] == pytest.approx(values[1])
        assert min(nodes) > 1


def test_of_a_stack_one_all_or_all_but_one_tokens_move() -> None:
    rules = Expendibots()
    state = rules.initial()
    for text in ("1a1-b1", "1h8-g8", "2b1-b3", "1a8-a7", "1a2-b2", "1a7-a6", "1b2-b3", "1a6-a5"):
        state = rules.play(state, rules.parse_move(state, text))
    heights = {state.action(move)[1] for move in state.legal_moves() if len(state.action(move)) == 4}
    kept = few_of_a_stack(state, state.legal_moves())
    assert heights == {1, 2, 3}
    assert {state.action(move)[1] for move in kept if len(state.action(move)) == 4} == {1, 2, 3}
    assert len(kept) == len(state.legal_moves())  # a stack of three moves 1, n - 1 or n tokens: all of them


def test_claims_are_reported_with_intervals(tmp_path: Path) -> None:
    ordering = measure_ordering(tmp_path, positions=3, depth=2, seed=0, command="test")
    value, low, high = ordering["ratios"][0]["nodes"]
    assert low <= value <= high
    book = measure_book(tmp_path, games=2, nodes=200, command="test")
    assert book["games"] == 2
    assert {path.name for path in tmp_path.iterdir()} == {"move-ordering.json", "book.json"}


def test_every_option_of_training_plays_the_hand_picked_weights() -> None:
    assert [new for new, old in MATCHES if old == "hand-picked"] == list(OPTIONS)
    assert match_score([1.0, 0.5, 0.0, 1.0])["score"] == 0.625
