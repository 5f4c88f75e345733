"""Positions in which people chose between the engine's first choice and the safer move.

Whether a position counts is decided by the position and not by what came of it:

1. Windows of plies of held-out games, at a place that the game's identity decides; games in the order of a
   hash, so a run that is stopped has a random sample of them.
2. The engine's likely choice is the likeliest move of `strong`; Stockfish confirms it later
   (`confirmation.py`). Positions count in which people play it with a probability within `ENGINE_SHARE`:
   elsewhere nearly everybody or nobody plays it, and nothing can be compared.
3. The other move is the one that people play most beside it, with a probability of at least `LEAST_SHARE`.
4. The other move is safer: `human` values the position after it higher, between players of these ratings.
   Trees of `TREE` positions below both moves say it too, or not; both numbers are written.
5. The played move is one of both.

Step 5 is taken before step 4, because trees are dear: that changes no row. The prediction for the position
after the played move serves twice, as the next position of the window and as the root of its tree.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sparring.base.storage import atomic_writer
from sparring.measure.expectation import ExpectationTree, grow, result_score, shipped_calibration
from sparring.networks import Position, Prediction
from sparring.policies import Policy, load_policy
from sparring.records import RecordedGame
from studies.safer.games import FIRST_PLY

PART = 25
"""Games of a part."""
WINDOW = 16
"""Plies of a game that are looked at."""
ENGINE_SHARE = (0.05, 0.75)
"""Probabilities of the engine's move for people."""
LEAST_SHARE = 0.08
"""Least probability of the other move."""
UNDECIDED = (0.04, 0.96)
"""Expected scores between people, before the move."""
TREE = 3
"""Positions of the trees that follow both moves."""


@dataclass
class _Choice:
    """A position on its way through the steps."""

    game: RecordedGame
    source: int
    state: Any
    ply: int
    moves: tuple[int, int]
    """The engine's and the other one."""
    played: int
    """Place in `moves`."""
    prediction: Prediction
    strong: float
    """Expected score of the mover by `strong`, at a glance."""
    trees: tuple[ExpectationTree, ExpectationTree]
    leaves: tuple[float, float] = (0.0, 0.0)

    def expectations(self) -> tuple[float, float]:
        """Those of both moves for the mover, by the trees as they are."""
        first, second = (tree.expectation(self.state.to_move) for tree in self.trees)
        return first, second


def write_choices(
    games: Sequence[tuple[int, RecordedGame]],
    folder: Path,
    backend: str,
    threads: int,
    stop_at: float,
) -> None:
    """Writes the choices of games (each with the number of its source), part by part, until the time
    `stop_at`."""
    human = load_policy("human", "chess", backend=backend, threads=threads)
    strong = load_policy("strong", "chess", backend=backend, threads=threads)
    folder.mkdir(parents=True, exist_ok=True)
    for start in range(0, len(games), PART):
        target = folder / f"choices-{start // PART:04}.npz"
        if target.exists():
            continue
        if time.time() > stop_at:
            return
        columns = _choices(games[start : start + PART], human, strong)
        with atomic_writer(target) as temporary, temporary.open("wb") as file:
            np.savez(file, **columns)


def _choices(games: Sequence[tuple[int, RecordedGame]], human: Policy, strong: Policy) -> dict[str, Any]:
    funnel: Counter[str] = Counter()
    choices = _both_moves(games, human, strong, funnel)
    grow([tree for choice in choices for tree in choice.trees], 1, human)
    followed = []
    for choice in choices:
        choice.leaves = choice.expectations()
        if choice.leaves[1] > choice.leaves[0]:
            followed.append(choice)
    funnel["safer at the leaf"] += len(followed)
    grow([tree for choice in followed for tree in choice.trees], TREE, human)
    rows = [_row(choice, *choice.expectations()) for choice in followed]
    funnel["safer by the tree"] += sum(row["safer_tree"] > row["engine_tree"] for row in rows)
    names = list(rows[0]) if rows else []
    columns: dict[str, Any] = {name: np.array([row[name] for row in rows]) for name in names}
    return columns | {f"count_{name}": np.array(count) for name, count in funnel.items()}


def window(game: RecordedGame) -> range:
    """The plies of a game that are looked at."""
    last = max(len(game) - WINDOW, FIRST_PLY)
    start = int(np.random.default_rng(game.identity).integers(FIRST_PLY, last + 1))
    return range(start, min(start + WINDOW, len(game)))


def _both_moves(
    games: Sequence[tuple[int, RecordedGame]], human: Policy, strong: Policy, funnel: Counter[str]
) -> list[_Choice]:
    """Steps 1, 2, 3 and 5."""
    asked: dict[tuple[int, int], Position] = {}
    for number, (_, game) in enumerate(games):
        plies = window(game)
        for ply in range(plies.start, plies.stop + 1):
            state = game.states[ply]
            if state.outcome is None:
                mover = state.to_move
                asked[number, ply] = Position(state, game.ratings[mover], game.ratings[1 - mover])
    predicted = dict(zip(asked, human.predict(list(asked.values())), strict=True))
    open_keys = []
    for number, (_, game) in enumerate(games):
        for ply in window(game):
            if (number, ply) not in predicted:
                continue
            funnel["looked"] += 1
            prediction = predicted[number, ply]
            likely = prediction.top(2)
            if len(likely) < 2 or not UNDECIDED[0] <= _score(prediction) <= UNDECIDED[1]:
                continue
            if likely[0].probability > max(1 - LEAST_SHARE, ENGINE_SHARE[1]):
                continue
            played = game.states[ply + 1].last_move
            if _share(prediction, played) >= min(ENGINE_SHARE[0], LEAST_SHARE):
                open_keys.append((number, ply))
    by_strong = strong.predict([Position(asked[key].state) for key in open_keys])
    choices = []
    for (number, ply), engine in zip(open_keys, by_strong, strict=True):
        prediction, (source, game) = predicted[number, ply], games[number]
        first = engine.moves[int(engine.probabilities.argmax())]
        other = next(move.move for move in prediction.top(2) if move.move != first)
        if not ENGINE_SHARE[0] <= _share(prediction, first) <= ENGINE_SHARE[1]:
            continue
        if _share(prediction, other) < LEAST_SHARE:
            continue
        after = game.states[ply + 1]
        if after.last_move not in (first, other):
            continue
        state, ratings = asked[number, ply].state, game.ratings
        trees = ExpectationTree(state.play(first), ratings), ExpectationTree(state.play(other), ratings)
        played = (first, other).index(after.last_move)
        _add_root(trees[played], predicted.get((number, ply + 1)), human.game)
        choices.append(
            _Choice(game, source, state, ply, (first, other), played, prediction, _score(engine), trees)
        )
    funnel["played one of both"] += len(choices)
    return choices


def _add_root(tree: ExpectationTree, prediction: Prediction | None, game: str) -> None:
    """Adds the first position of a tree, which was predicted before; None at the end of the game."""
    (node,) = tree.take(1)
    if prediction is None:
        ended = result_score(node.state)
        assert ended is not None
        tree.add(node, None, ended)
        return
    score = shipped_calibration(game).score(_score(prediction), tree.rating)
    tree.add(node, prediction, score if node.state.to_move == 0 else 1 - score)


def _score(prediction: Prediction) -> float:
    assert prediction.value is not None
    return (1 + prediction.value) / 2


def _share(prediction: Prediction, move: int) -> float:
    return float(prediction.probabilities[prediction.moves.index(move)])


def _row(choice: _Choice, engine: float, safer: float) -> dict[str, Any]:
    """The columns of a counted position."""
    game, state, shares = choice.game, choice.state, choice.prediction.probabilities
    mover = state.to_move
    first, other = choice.moves
    clock = game.clocks[choice.ply - 2]
    result = game.result
    assert result is not None
    logs = np.log(np.maximum(shares, 1e-12))
    return {
        "game": game.identity,
        "source": choice.source,
        "ply": choice.ply,
        "mover": mover,
        "rating": game.ratings[mover],
        "opponent": game.ratings[1 - mover],
        "clock": np.nan if clock is None else clock,
        "score": result if mover == 0 else 1 - result,
        "played_safer": choice.played == 1,
        "engine_share": _share(choice.prediction, first),
        "safer_share": _share(choice.prediction, other),
        "value": _score(choice.prediction),
        "strong_value": choice.strong,
        "entropy": float(-(shares * logs).sum()),
        "engine_leaf": choice.leaves[0],
        "safer_leaf": choice.leaves[1],
        "engine_tree": engine,
        "safer_tree": safer,
        "fen": state.text(),
        "engine_move": state.move_text(first),
        "safer_move": state.move_text(other),
    }
