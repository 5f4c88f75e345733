"""The report of the attack's findings names tests that exist, and no surface has fewer trials than there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.robustness.report import ATTACK, REPORT
from tests.robustness.trials import load_surfaces, trials_of

TESTS = Path(__file__).parents[1]
TOTAL = 6_000
"""Trials of `make fuzz`."""
IN_A_BROWSER = 17
"""Ways, texts or names at least that one trial in a browser tries."""


@pytest.mark.parametrize("entry", ATTACK, ids=lambda entry: entry[3][0])
def test_a_surface_has_at_least_the_trials_of_the_attack(
    entry: tuple[str, int, int, tuple[str, ...]],
) -> None:
    title, tried, _, names = entry
    trials = sum(trials_of(name, TOTAL) for name in names)
    assert trials * (IN_A_BROWSER if "Chromium" in title else 1) >= tried


def test_every_surface_is_in_the_report() -> None:
    assert {name for _, _, _, names in ATTACK for name in names} == set(load_surfaces())


def test_the_tests_of_the_report_exist() -> None:
    text, found, file = (REPORT / "details.md").read_text(), 0, ""
    for path, name in re.findall(r"`([\w/]*(?:\.py)?)::(\w+)`", text):
        file = path or file
        assert re.search(rf"^def {name}\(", (TESTS / file).read_text(), re.MULTILINE), f"{file}::{name}"
        found += 1
    assert found > 90


def test_every_finding_has_a_row() -> None:
    text = (REPORT / "details.md").read_text()
    findings = [f"H{n}" for n in range(1, 7)] + [f"M{n}" for n in range(1, 7)]
    findings += [f"L{n}" for n in range(1, 11)] + [str(n) for n in range(1, 32)]
    assert [each for each in findings if not re.search(rf"^\| {each} .*\| (closed|open)", text, re.M)] == []
