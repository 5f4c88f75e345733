"""Prints how many trials each surface had, and how many of them broke."""

from __future__ import annotations

from collections import Counter

import pytest


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    trials: Counter[str] = Counter()
    broken: Counter[str] = Counter()
    for report in (*terminalreporter.stats.get("passed", ()), *terminalreporter.stats.get("failed", ())):
        for surface, (tried, failed) in report.user_properties:
            trials[surface] += tried
            broken[surface] += failed
    if trials:
        terminalreporter.section("robustness trials")
        for surface, count in sorted(trials.items()):
            terminalreporter.line(f"{surface:12} {count:6,} trials {broken[surface]:4,} broken")
        terminalreporter.line(f"{'all':12} {trials.total():6,} trials {broken.total():4,} broken")
