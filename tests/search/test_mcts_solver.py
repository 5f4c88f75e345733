"""MCTS-Solver: proofs are correct, equal to those of plain Python, and used in move selection."""

from __future__ import annotations

import math
import random
from typing import Any

import chess
import numpy as np
import pytest

from sparring import games
from sparring.chess.game import Chess
from sparring.go.game import Go
from sparring.search import (
    Puct,
    PuctConfig,
    SearchLimits,
    SearchResult,
    by_visits,
    kl_regularised,
    prefer_proven,
)
from tests.reference.puct import ReferencePuct
from tests.search.test_puct import hashed_evaluator, material_evaluator, search_result_of

SETTINGS = [
    PuctConfig(batch=1),
    PuctConfig(batch=8, c_puct=3.0),
    PuctConfig(batch=32, c_puct=0.7, policy_temperature=2.0),
]
EXPLORING = PuctConfig(c_puct=4)
MATES_IN_ONE = [
    ("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", "d1d8"),
    ("6k1/5ppp/8/8/8/8/1r3PPP/6K1 b - - 0 1", "b2b1"),
    ("r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4", "h5f7"),
    ("6rk/6pp/7N/8/8/8/8/6K1 w - - 0 1", "h6f7"),
]
MATES_IN_TWO = [
    "7k/8/5K2/8/8/8/8/6R1 w - - 0 1",
    "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1",  # Morphy's problem
    "6k1/8/8/8/8/8/R7/1R4K1 w - - 0 1",  # a ladder
    "1r4k1/r7/8/8/8/8/8/6K1 b - - 0 1",
]


def near_the_end(name: str, rng: random.Random) -> Any:
    """A position shortly before the end of a random game; in chess with a cornered king."""
    if name == "chess":
        return _cornered_king(rng)
    rules = games.load_game(name)
    line = [rules.initial()]
    while line[-1].outcome is None:
        line.append(line[-1].play(rng.choice(line[-1].legal_moves())))
    return line[max(len(line) - rng.randint(2, 6), 0)]


def _cornered_king(rng: random.Random) -> Any:
    board = chess.Board.empty()
    while not board.is_valid() or board.is_game_over():
        board.clear()
        edge, inside = chess.SquareSet(chess.BB_BACKRANKS), chess.SquareSet(chess.BB_CENTER | chess.BB_RANK_6)
        squares = [rng.choice(list(edge)), rng.choice(list(inside)), *rng.sample(chess.SQUARES, 2)]
        for square, piece in zip(squares, "kKQQ", strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(piece))
        board.turn = rng.random() < 0.5
    return Chess().parse(board.fen())


def wins_within(state: Any, player: int, plies: int) -> bool:
    """True if a player can force a win in so many plies, by brute force."""
    if state.outcome is not None:
        return bool(state.outcome.winner == player)
    if plies == 0:
        return False
    following = (wins_within(state.play(move), player, plies - 1) for move in state.legal_moves())
    return any(following) if state.to_move == player else all(following)


@pytest.mark.parametrize("name", ["chess", "breakthrough", "expendibots"])
def test_near_the_end_visits_and_proofs_are_those_of_a_plain_search(name: str) -> None:
    rng = random.Random(name)
    proved = 0
    for number in range(45):
        state = near_the_end(name, rng)
        settings = SETTINGS[number % len(SETTINGS)]
        reference = ReferencePuct(state, hashed_evaluator, settings)
        reference.run(150)
        found = Puct(hashed_evaluator, settings).search(state, SearchLimits(nodes=150))
        assert found.visits.tolist() == reference.root_visits()
        assert found.forced.tolist() == reference.root_forced()
        assert found.value == pytest.approx(reference.root_value(), abs=1e-12)
        proved += any(reference.root_forced())
    assert proved > 12


@pytest.mark.parametrize("name", ["chess", "breakthrough"])
def test_proven_results_are_correct(name: str) -> None:
    rng = random.Random(name)
    checked = 0
    for _ in range(25):
        state = near_the_end(name, rng)
        found = Puct(hashed_evaluator, PuctConfig(batch=8, c_puct=4)).search(state, SearchLimits(nodes=900))
        for move, forced, value in zip(
            found.moves.tolist(), found.forced.tolist(), found.values, strict=True
        ):
            if forced:
                assert value == math.copysign(1, forced)
            if 0 < abs(forced) <= 3:
                winner = state.to_move if forced > 0 else 1 - state.to_move
                assert wins_within(state.play(move), winner, abs(forced) - 1)
                checked += 1
    assert checked > 15


@pytest.mark.parametrize("evaluator", [material_evaluator, hashed_evaluator])
@pytest.mark.parametrize("temperature", [0.0, 1.0])
@pytest.mark.parametrize(("fen", "best"), MATES_IN_ONE)
def test_a_mate_in_one_is_found_and_played(fen: str, best: str, temperature: float, evaluator: Any) -> None:
    state = Chess().parse(fen)
    found = Puct(evaluator).search(state, SearchLimits(nodes=400))
    assert played(found, temperature) == state.parse_move(best)
    assert found.forced.max() == 1
    assert found.value == 1


@pytest.mark.parametrize("temperature", [0.0, 1.0])
@pytest.mark.parametrize("fen", MATES_IN_TWO)
def test_a_mate_in_two_is_found_and_played(fen: str, temperature: float) -> None:
    state = Chess().parse(fen)
    assert wins_within(state, state.to_move, 3)
    found = Puct(material_evaluator, EXPLORING).search(state, SearchLimits(nodes=20_000))
    move = played(found, temperature)
    line = found.principal_variation(move)
    assert len(line) == 3
    for each in line:
        state = state.play(each)
    assert state.outcome is not None
    assert state.outcome.reason == "checkmate"


def played(found: SearchResult, temperature: float) -> int:
    shares = prefer_proven(by_visits(temperature))(found)
    assert shares.max() == 1
    return int(found.moves[shares.argmax()])


def test_a_forced_win_is_brought_home_by_the_tree_that_is_kept() -> None:
    """Every move of the winner shortens the mate, for all defences."""
    rng = random.Random(3)
    for fen in MATES_IN_TWO:
        state = Chess().parse(fen)
        search = Puct(material_evaluator, EXPLORING)
        left = 3
        for nodes in (20_000, 20):
            found = search.search(state, SearchLimits(nodes=nodes))
            best = int(found.ranked()[0])
            assert found.forced[best] == left
            state = state.play(int(found.moves[best]))
            if state.outcome is None:
                state = state.play(rng.choice(state.legal_moves()))
            left -= 2
        assert state.outcome is not None
        assert state.outcome.reason == "checkmate"


def test_the_longest_defence_is_played_in_a_lost_position() -> None:
    state = Chess().parse("7k/5K2/8/8/8/8/8/6R1 b - - 0 1")
    found = Puct(material_evaluator).search(state, SearchLimits(nodes=5000))
    assert found.forced.tolist() == [-2]
    assert found.value == -1
    assert found.nodes < 5000  # nothing is left to find out
    assert len(found.principal_variation(int(found.moves[0]))) == 2


def test_a_proof_among_searchmoves_ends_the_search() -> None:
    state = Chess().parse(MATES_IN_ONE[0][0])
    mate = state.parse_move("d1d8")
    found = Puct(material_evaluator).search(state, SearchLimits(nodes=1000, searchmoves=(mate,)))
    assert found.nodes < 20
    assert found.forced.sum() == 1


def test_a_proved_position_can_be_searched_on() -> None:
    """A reply leads to a proven node, which is expanded again as the root."""
    state = Chess().parse(MATES_IN_TWO[0])
    search = Puct(material_evaluator)
    search.search(state, SearchLimits(nodes=4000))
    mated = state.play(state.parse_move("f6f7"))
    assert search.search(mated, SearchLimits(nodes=0)).value == -1
    mating = mated.play(mated.parse_move("h8h7"))
    found = search.search(mating, SearchLimits(nodes=300))
    assert found.forced.max() == 1
    assert (found.visits > 0).sum() > 5


def test_repetitions_prove_nothing() -> None:
    """With two bare kings and a rook that gives up its checks, draws in the tree are no wins."""
    state = Chess().parse("8/8/8/8/8/5k2/8/5K1R b - - 0 1")
    found = Puct(hashed_evaluator, PuctConfig(draw_value=1.0)).search(state, SearchLimits(nodes=800))
    assert not (found.forced > 0).any()


def test_a_pass_that_loses_a_game_of_go_is_proved_to() -> None:
    """On an empty board White wins by komi as soon as Black passes."""
    state = Go(size=5).initial()
    settings = PuctConfig(c_puct=10, repetition_draws=False)
    found = Puct(hashed_evaluator, settings).search(
        state, SearchLimits(nodes=600, searchmoves=(state.legal_moves()[-1],))
    )
    assert found.forced[-1] == -2


def test_choices_see_the_end() -> None:
    drawn = by_visits(1)
    winning = search_result_of([6, 3, 1], [0.2, 0.3, 0.5], [0.5, 1, 1], 1, [0, 5, 3])
    assert prefer_proven(drawn)(winning).tolist() == [0, 0, 1]
    assert by_visits(0)(winning).tolist() == [0, 0, 1]
    losing = search_result_of([6, 3, 1], [0.2, 0.3, 0.5], [-1, 0.2, 0.1], 0.1, [-2, 0, 0])
    np.testing.assert_allclose(prefer_proven(drawn)(losing), [0, 0.75, 0.25])
    assert by_visits(0)(losing).tolist() == [0, 1, 0]
    unknown = search_result_of([6, 3, 0], [0.2, 0.3, 0.5], [-1, -1, math.nan], -0.8, [-2, -4, 0])
    assert prefer_proven(drawn)(unknown).tolist() == [0, 0, 1]
    lost = search_result_of([6, 3], [0.4, 0.6], [-1, -1], -1, [-2, -4])
    np.testing.assert_allclose(prefer_proven(drawn)(lost), [6 / 9, 3 / 9])
    assert by_visits(0)(lost).tolist() == [0, 1]
    assert prefer_proven(kl_regularised(0))(losing).tolist() == [0, 1, 0]


def test_lines_are_ranked_wins_first_and_losses_last() -> None:
    found = search_result_of([9, 8, 7, 6, 5], [0.2] * 5, [0.0] * 5, 0.0, [-2, 0, 5, 3, -6])
    assert found.ranked().tolist() == [3, 2, 1, 4, 0]
