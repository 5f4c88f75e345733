"""No trial breaks a surface of the package (see `tests/robustness/trials.py`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.robustness.trials import TRIALS, load_surfaces, run_trial, trials_of

_BLOCK = 20


def blocks() -> list[tuple[str, range]]:
    """Trials of every surface in blocks, which run in parallel."""
    return [
        (name, range(begin, min(begin + _BLOCK, count)))
        for name in load_surfaces()
        for count in [trials_of(name, TRIALS)]
        for begin in range(0, count, _BLOCK)
    ]


@pytest.mark.parametrize(("surface", "numbers"), blocks(), ids=lambda each: getattr(each, "start", each))
def test_no_trial_breaks_it(
    surface: str, numbers: range, record_property: Callable[[str, Any], None]
) -> None:
    broken = [text for number in numbers if (text := run_trial(surface, number))]
    record_property(surface, (len(numbers), len(broken)))
    assert not broken, "\n".join(broken)
