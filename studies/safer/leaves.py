"""Values after people's moves with the results of their games: what the calibration of leaves is fitted
to."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sparring.base.storage import atomic_writer
from sparring.measure.expectation import ExpectationTree, LeafCalibration, grow, result_score
from sparring.networks import Position
from sparring.policies import Policy, load_policy
from sparring.records import RecordedGame, Split
from studies.safer.games import held_out_games, ply_order

PART = 50
"""Games of a part."""
LEAVES = 5
"""Positions of a game whose values are taken."""
TREE = 8
"""Positions of the tree below the first of them."""


def write_leaves(files: Sequence[Path], folder: Path, most: int, backend: str) -> None:
    """Writes the values after moves of validation games, part by part: a run that was stopped continues."""
    human = load_policy("human", "chess", backend=backend)
    strong = load_policy("strong", "chess", backend=backend)
    folder.mkdir(parents=True, exist_ok=True)
    games = held_out_games(files, Split.VALIDATION)[:most]
    for number in range(-(-len(games) // PART)):
        target = folder / f"leaves-{number:04}.npz"
        if not target.exists():
            columns = _values(games[number * PART : (number + 1) * PART], human, strong)
            with atomic_writer(target) as temporary, temporary.open("wb") as file:
                np.savez(file, **columns)


def _values(games: Sequence[RecordedGame], human: Policy, strong: Policy) -> dict[str, Any]:
    rows, trees, sizes = [], [], []
    for game in games:
        first, second = game.ratings
        taken = 0
        for ply in ply_order(game):
            if taken == LEAVES:
                break
            before, after = game.states[ply], game.states[ply + 1]
            if result_score(before) is not None or result_score(after) is not None:
                continue
            sizes.append(TREE if taken == 0 else 1)
            taken += 1
            trees.append(ExpectationTree(after, (first, second)))
            rows.append((game.identity, ply, before.to_move, first, second, game.result))
    small = [tree for tree, size in zip(trees, sizes, strict=True) if size == 1]
    large = [tree for tree, size in zip(trees, sizes, strict=True) if size > 1]
    grow(small, 1, human, LeafCalibration())
    grow(large, TREE, human, LeafCalibration())
    names = ("game", "ply", "mover", "first", "second", "result")
    columns: dict[str, Any] = {
        name: np.array(values) for name, values in zip(names, zip(*rows, strict=True), strict=True)
    }
    nodes = [(at, node) for at, tree in enumerate(trees) for node in tree.nodes]
    going = [node for _, node in nodes if result_score(node.state) is None]
    predicted = strong.predict([Position(node.state) for node in going])
    by_strong = {
        id(node): (1 + (1 if node.state.to_move == 0 else -1) * (prediction.value or 0.0)) / 2
        for node, prediction in zip(going, predicted, strict=True)
    }
    return columns | {
        "node_tree": np.array([at for at, _ in nodes], np.int32),
        "node_parent": np.array([node.parent for _, node in nodes], np.int32),
        "node_share": np.array([node.share for _, node in nodes], np.float32),
        "node_human": np.array([node.leaf for _, node in nodes], np.float32),
        "node_strong": np.array([by_strong.get(id(node), node.leaf) for _, node in nodes], np.float32),
        "node_ended": np.array([result_score(node.state) is not None for _, node in nodes]),
    }
