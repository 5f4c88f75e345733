"""Counts the trials of each surface: prints them, and writes those of a long run to build/robustness."""

from __future__ import annotations

import os
from collections import Counter
from typing import Any

import pytest

from tests.robustness.report import add_count
from tests.robustness.trials import TRIALS, trials_of

_TRIALS: Counter[str] = Counter()
_BROKEN: Counter[str] = Counter()


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Counts a block. A surface of a long run is written when its last block has ended."""
    if report.when != "call" or "PYTEST_XDIST_WORKER" in os.environ:
        return
    counts: list[tuple[str, Any]] = report.user_properties
    for surface, (tried, failed) in counts:
        _TRIALS[surface] += tried
        _BROKEN[surface] += failed
        if TRIALS and _TRIALS[surface] == trials_of(surface, TRIALS):
            add_count(surface, _TRIALS[surface], _BROKEN[surface])


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Prints the counts."""
    if not _TRIALS:
        return
    terminalreporter.section("robustness trials")
    for surface, count in sorted(_TRIALS.items()):
        terminalreporter.line(f"{surface:22} {count:6,} trials {_BROKEN[surface]:4,} broken")
    terminalreporter.line(f"{'all':22} {_TRIALS.total():6,} trials {_BROKEN.total():4,} broken")
