"""Best-first minimax and Descent: the native trees against plain Python, and proofs against known answers."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from sparring._core import (
    BreakthroughMinimaxForest,
    BreakthroughNetwork,
    BreakthroughState,
    ExpendibotsMinimaxForest,
    ExpendibotsState,
    IllegalMove,
)
from sparring.expendibots.tables import shipped_tables
from sparring.games import describe, load_game
from tests.reference.minimax import ReferenceMinimax

FORESTS: dict[str, Any] = {
    "breakthrough": BreakthroughMinimaxForest,
    "expendibots": ExpendibotsMinimaxForest,
}


def guess(state: Any) -> float:
    """An evaluation that knows nothing, the same for equal positions."""
    return float(np.float32((state.key * 0x9E3779B97F4A7C15 >> 40) % 2**24 / 2**23 - 1) * np.float32(0.5))


def search(forest: Any, evaluations: int) -> None:
    while len(states := forest.select(evaluations)):
        forest.evaluate(np.array([guess(state) for state in states], np.float32))


def random_network(seed: int = 0) -> BreakthroughNetwork:
    rng = np.random.default_rng(seed)
    shapes = ((BreakthroughNetwork.places, 8), (0, 8), (8,), (8, 4), (4,), (4,))
    layers = [rng.normal(0, 0.3, shape).astype(np.float32) for shape in shapes]
    network: BreakthroughNetwork = describe("breakthrough").network_class(*layers, 0.0)
    return network


def random_states(game: str, count: int, plies: int) -> list[Any]:
    rng = np.random.default_rng(1)
    states: list[Any] = []
    while len(states) < count:
        state = load_game(game).initial()
        for _ in range(plies):
            moves = state.legal_moves()
            state = state.play(moves[int(rng.integers(len(moves)))])
            if state.outcome is not None:
                break
        else:
            states.append(state)
    return states


@pytest.mark.parametrize("descend", [False, True])
@pytest.mark.parametrize(("game", "plies"), [("breakthrough", 24), ("expendibots", 6)])
def test_the_tree_is_that_of_plain_python(game: str, plies: int, descend: bool) -> None:
    states = random_states(game, 4, plies)
    forest = FORESTS[game](states, descend=descend, horizon=100)
    for evaluations in (1, 300, 1500):
        search(forest, evaluations)
        for tree, state in enumerate(states):
            reference = ReferenceMinimax(
                state, guess, descend=descend, merge=game == "breakthrough", horizon=100
            )
            for limit in (1, 300, 1500):
                if limit <= evaluations:
                    reference.search(limit)
            sign = 1 if state.to_move == 0 else -1
            moves, values, visits, completions, resolved = forest.root_moves(tree)
            known = reference.root.moves
            assert moves.tolist() == list(known)
            assert values.tolist() == [sign * entry.value for entry in known.values()]
            assert visits.tolist() == [reference.root.visits.get(move, 0) for move in known]
            assert completions.tolist() == [sign * entry.completion for entry in known.values()]
            assert resolved.tolist() == [entry.resolved for entry in known.values()]
            assert forest.evaluations[tree] == reference.evaluations
            assert forest.nodes(tree) == reference.nodes


@cache
def wins(text: str) -> bool:
    """Whether the side to move of a Breakthrough position wins, by plain search."""
    state = BreakthroughState.parse(text)
    if state.outcome is not None:
        return bool(state.outcome.winner == state.to_move)
    return any(not wins(state.play(move).text()) for move in state.legal_moves())


def board_text(pieces: dict[int, str]) -> str:
    """The rows of a board with pieces by square."""
    rows = ["".join(pieces.get(8 * row + column, ".") for column in range(8)) for row in range(8)]
    fen = "/".join(rows)
    for empty in range(8, 0, -1):
        fen = fen.replace("." * empty, str(empty))
    return fen


def endings(count: int) -> list[str]:
    """Random positions with two or three pieces a side, far enough from the goal."""
    rng = np.random.default_rng(5)
    made: list[str] = []
    while len(made) < count:
        squares = rng.choice(np.arange(16, 48), size=int(rng.integers(4, 7)), replace=False).tolist()
        text = board_text({square: "Pp"[number % 2] for number, square in enumerate(squares)})
        made.append(f"{text} {'wb'[int(rng.integers(2))]}")
    return made


@pytest.mark.parametrize("descend", [False, True])
def test_proofs_agree_with_plain_search(descend: bool) -> None:
    texts = endings(40)
    assert 10 < sum(map(wins, texts)) < 35  # both results occur
    forest = BreakthroughMinimaxForest([BreakthroughState.parse(text) for text in texts], descend=descend)
    forest.search(random_network(), 300_000)
    for tree, text in enumerate(texts):
        _, completion, resolved = forest.value(tree)
        assert resolved, text
        assert completion == (1 if wins(text) else -1), text
        after = BreakthroughState.parse(text).play(forest.safest(tree))
        if completion == 1:
            assert after.outcome is not None or not wins(after.text())


def test_proofs_of_expendibots_agree_with_the_endgame_tables() -> None:
    rng, proven = np.random.default_rng(3), []
    for _ in range(40):
        text = board_text(dict(zip(rng.choice(64, 3, replace=False).tolist(), "AAa", strict=True)))
        state = ExpendibotsState.parse(f"{text} w 0")
        forest = ExpendibotsMinimaxForest([state])
        search(forest, 1500)
        _, completion, resolved = forest.value(0)
        if resolved and completion:
            assert np.sign(shipped_tables().probe(state) or 0) == completion
            proven.append(completion)
    assert len(proven) >= 5


def test_a_draw_is_proven_when_every_move_draws_or_loses() -> None:
    state = ExpendibotsState.parse("8/8/8/8/8/8/1a6/A7 w 498")
    forest = ExpendibotsMinimaxForest([state])
    search(forest, 100_000)
    assert forest.value(0) == (0.0, 0, True)
    after = state.play(forest.safest(0))
    assert after.outcome is None or after.outcome.winner is None


def test_a_faster_win_is_worth_more() -> None:
    forest = BreakthroughMinimaxForest([BreakthroughState.parse("8/3P4/8/8/8/8/5p2/7P w")], horizon=50)
    forest.search(random_network(), 1000)
    assert forest.value(0)[0] == pytest.approx(1 - 1 / 100)
    assert forest.value(0)[1:] == (1, True)
    lost = BreakthroughMinimaxForest([BreakthroughState.parse("8/3P4/8/8/8/5p2/8/7P b")], horizon=50)
    lost.search(random_network(), 1000)
    assert lost.value(0)[0] == pytest.approx(-(1 - 2 / 100))
    assert lost.value(0)[1:] == (-1, True)


def test_trees_in_lockstep_are_searched_as_if_alone() -> None:
    states = random_states("breakthrough", 3, 10)
    together, network = BreakthroughMinimaxForest(states), random_network()
    search(together, 2000)
    for tree, state in enumerate(states):
        alone = BreakthroughMinimaxForest([state])
        search(alone, 2000)
        assert alone.pv(0) == together.pv(tree)
        assert alone.root_moves(0)[2].tolist() == together.root_moves(tree)[2].tolist()
    native = BreakthroughMinimaxForest(states)
    native.search(network, 2000)
    batched = BreakthroughMinimaxForest(states)
    while len(leaves := batched.select(2000)):
        batched.evaluate(np.array([network.value(leaf) for leaf in leaves], np.float32))
    assert [native.root_moves(i)[1].tolist() for i in range(3)] == [
        batched.root_moves(i)[1].tolist() for i in range(3)
    ]


def test_the_tree_below_a_move_is_kept() -> None:
    forest, network = BreakthroughMinimaxForest([BreakthroughState.initial()]), random_network()
    forest.search(network, 20_000)
    moves, _, visits, _, _ = forest.root_moves(0)
    move, nodes = int(moves[visits.argmax()]), forest.nodes(0)
    assert move == forest.safest(0)
    forest.advance(0, move)
    known = [column.tolist() for column in forest.root_moves(0)]
    assert forest.evaluations[0] == 0
    forest.compact(0)
    assert [column.tolist() for column in forest.root_moves(0)] == known
    assert 0 < forest.nodes(0) < nodes
    forest.search(network, 1000)
    assert sum(forest.root_moves(0)[2]) > sum(known[2])
    with pytest.raises(IllegalMove):
        forest.advance(0, move)


def line(state: Any) -> tuple[int, ...]:
    """The moves before a state."""
    return () if state.previous is None else (*line(state.previous), state.last_move)


@pytest.mark.parametrize("descend", [False, True])
def test_targets_are_the_minimax_values_of_the_whole_tree(descend: bool) -> None:
    """Also above the root, which has moved on."""
    board = board_text({0: "A", 9: "a", 3: "A", 21: "a", 20: "A"})
    forest = ExpendibotsMinimaxForest([ExpendibotsState.parse(f"{board} w 0")], descend=descend)
    for _ in range(2):
        search(forest, 400)
        forest.advance(0, forest.safest(0))
    states, targets, proven = forest.targets(0)
    known = {line(state): row for row, state in enumerate(states)}
    assert len(known) == len(targets) > 10
    assert proven.any()
    assert not proven.all()

    def completed(state: Any) -> tuple[int, float]:
        """Completion and value of a state for its side to move."""
        if (row := known.get(line(state))) is not None:
            value = float(targets[row])
            return (int(np.sign(value)) if proven[row] else 0), value
        if state.outcome is None:
            return 0, guess(state)
        winner, score = state.outcome.winner, float(np.float32(1) - np.float32(state.ply) / np.float32(400))
        return (0, 0.0) if winner is None else (1, score) if winner == state.to_move else (-1, -score)

    for state, target in zip(states, targets, strict=True):
        replies = [completed(state.play(move)) for move in state.legal_moves()]
        assert float(target) == max((-completion, -value) for completion, value in replies)[1]


def test_a_full_tree_is_searched_no_further() -> None:
    forest = BreakthroughMinimaxForest([BreakthroughState.initial()], megabytes=1)
    forest.search(random_network(), 10**9)
    assert 1 << 20 <= forest.bytes(0) < 2 << 20
    assert forest.safest(0) in BreakthroughState.initial().legal_moves()


def test_wrong_calls_are_refused() -> None:
    forest = BreakthroughMinimaxForest([BreakthroughState.initial()])
    with pytest.raises(RuntimeError, match="not expanded"):
        forest.safest(0)
    with pytest.raises(IndexError):
        forest.value(1)
    assert len(forest.select(10)) == 22
    with pytest.raises(RuntimeError, match="not evaluated"):
        forest.select(10)
    with pytest.raises(ValueError, match="one value for each"):
        forest.evaluate(np.zeros(3, np.float32))
    forest.evaluate(np.zeros(22, np.float32))
    with pytest.raises(ValueError, match="horizon"):
        BreakthroughMinimaxForest([], horizon=0)
    assert not describe("chess").has_native("MinimaxForest")
