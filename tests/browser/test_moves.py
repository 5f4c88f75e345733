"""Players of a tab play the moves of the native players for a seed.

Rows of Go, shogi, Breakthrough and Expendibots agree without exception. The networks of chess round their
activations to 8 bits, so that the last digit of a sum decides about whole steps: a few moves in a hundred
differ there, as they do between two ways to run them natively (results/browser/README.md).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import in_node
from tests.browser.native_moves import SharedPolicies, rows

CASES: dict[str, tuple[dict[str, Any], list[dict[str, Any]], int, int]] = {
    "chess": ({}, [{"level": 1500}, {"level": 1000}, {"rating": 1400, "style": 0.5}], 24, 20),
    "go": ({"size": 9}, [{"level": -3}, {"strength": 2}, {"rating": "8d"}], 30, 30),
    "shogi": ({}, [{"level": 50}, {"level": 3}, {"strength": 2}], 30, 30),
    "breakthrough": ({}, [{"strength": 3}, {"strength": 1}], 40, 40),
    "expendibots": ({}, [{"strength": 2}], 30, 30),
}
"""Options, opponents, positions, and how many moves must be equal."""


@pytest.mark.parametrize("game", CASES)
def test_moves_are_those_of_the_native_player(site: Path, game: str) -> None:
    options, opponents, count, needed = CASES[game]
    native = list(rows(game, options, opponents, count, SharedPolicies()))
    found = in_node({"kind": "moves", "rows": [made.row for made in native]})
    pairs = list(zip(native, found, strict=True))
    different = [(made.row[2], made.move, tab["move"]) for made, tab in pairs if made.move != tab["move"]]
    assert count - len(different) >= needed, different
    assert sum(made.resigns != tab["resign"] for made, tab in pairs) <= count - needed
