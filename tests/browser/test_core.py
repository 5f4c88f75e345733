"""The core in WebAssembly computes what the native core computes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sparring.games import GAMES, load_game
from sparring.players.player_config import shipped_levels
from tests.browser.conftest import in_node

DEPTHS = {"chess": 4, "shogi": 3, "go": 2, "breakthrough": 4, "expendibots": 2, "rbc": 2}
SEEDS = list(range(40))
OPTIONS: dict[str, dict[str, Any]] = {"go": {"size": 9}}


def test_rules_are_those_of_the_native_core(site: Path) -> None:
    """Perft, and random games of every game, move for move by the same seed."""
    found = in_node(
        {
            "kind": "rules",
            "games": [[game, OPTIONS.get(game, {}), SEEDS, depth] for game, depth in DEPTHS.items()],
        }
    )
    assert set(DEPTHS) == set(GAMES)
    for (game, depth), tab in zip(DEPTHS.items(), found, strict=True):
        start = load_game(game, **OPTIONS.get(game, {})).initial()
        assert tab["perft"] == start.perft(depth), game
        for seed, ended in zip(SEEDS, tab["games"], strict=True):
            outcome, plies = start.playout(seed, 1000)
            winner = -1 if outcome is None or outcome.winner is None else outcome.winner
            assert ended == f"{winner} {'' if outcome is None else outcome.reason} {plies}", (game, seed)


VARIANTS: list[tuple[str, dict[str, Any]]] = [
    *((game, {}) for game in DEPTHS),
    ("go", {"size": 9, "rules": "japanese"}),
    ("go", {"size": 5, "rules": "new-zealand", "komi": 0.0}),
    ("go", {"size": 13, "komi": 0.5, "handicap": 4}),
]
TEXTS = ["", " ", "nonsense", "/", "0", "\x00", "♔", "9" * 10_000]
"""Texts that are no state and no move, as in tests/conformance; JavaScript replaces half of a character."""


@pytest.mark.parametrize(("game", "options"), VARIANTS, ids=lambda value: str(value))
def test_a_game_keeps_its_promises(site: Path, game: str, options: dict[str, Any]) -> None:
    """The conformance suite of every game (tests/conformance), in WebAssembly."""
    native = {name: value for name, value in options.items() if name != "rules"}
    moves = load_game(game, **native).spec.moves
    (found,) = in_node({"kind": "promises", "games": [[game, options, moves, TEXTS]]})
    assert {name: promise["broken"] for name, promise in found.items()} == dict.fromkeys(found, "")
    assert len(found) == 9
    assert all(promise["tried"] >= 6 for promise in found.values())
    assert found["texts that are no state and no move are refused"]["tried"] == len(TEXTS)


def test_random_numbers_are_those_of_numpy(site: Path) -> None:
    seeds = [
        [0, 0, 0],
        [1, 1, 7],
        [2**53 - 1, 0, 240],
        [123456789012345, 1, 7],
        [5, 7],
        [2**40, 11, 11, 3, 9],
    ]
    for seed, tab in zip(seeds, in_node({"kind": "numbers", "seeds": seeds}), strict=True):
        rng = np.random.default_rng(seed)
        shuffled = list(range(9))
        expected: list[object] = [rng.random(), int(rng.integers(20)), int(rng.integers(3)), rng.random()]
        expected += [int(rng.choice(4, p=[0.1, 0.2, 0.3, 0.4])), str(rng.integers(2**63))]
        rng.shuffle(shuffled)
        assert tab == [*expected, shuffled], seed


@pytest.mark.parametrize("game", ["chess", "go", "shogi"])
def test_levels_are_those_of_the_level_table(site: Path, game: str) -> None:
    table = shipped_levels(game)
    assert table is not None
    low, high = table.range
    levels = list(range(low, high + 1))
    for level, tab in zip(levels, in_node({"kind": "levels", "game": game, "levels": levels}), strict=True):
        row = table.row(level)
        assert tab == {name: getattr(row, name) for name in tab}, level
