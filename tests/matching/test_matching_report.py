"""Pages and figures of matching reports: a finding first, four lines at most, readable at 400 pixels."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from sparring.base.plot_style import most_telling, save_svg
from sparring.measure.matching_report import finding, report_figures, shown_policies
from sparring.measure.page import page
from sparring.measure.reports import reader_name
from studies.blend.figures import report_figures as blend_figures
from studies.blend.report import finding as blend_finding

RESULTS = Path(__file__).parents[2] / "results"
PAGE, PADDING = 400, 16
"""Pixels of a phone, and of the page's margin at each side."""


def content_of(folder: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((RESULTS / folder / "report.json").read_text())
    return content


FIGURES = [
    *report_figures(content_of("people-chess/all-policies")),
    *blend_figures(content_of("blend-chess")),
]


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.name)
def test_figures_have_four_lines_at_most_and_fit_a_phone(figure: Any, tmp_path: Path) -> None:
    drawn = figure.draw()
    for axis in drawn.axes:
        assert len(axis.get_legend_handles_labels()[1]) <= 4
    text = save_svg(drawn, tmp_path, "figure").read_text()
    width = float(re.findall(r'viewBox="0 0 ([0-9.]+) ', text)[0])
    smallest = min(map(float, re.findall(r"font-size: ([0-9.]+)px", text)))
    assert smallest * (PAGE - 2 * PADDING) / width >= 8, "text of at least 8 pixels"


def test_pages_do_not_force_a_width() -> None:
    assert "min-width" not in page("x", [])


def test_the_finding_names_the_best_and_its_lead() -> None:
    content = content_of("people-chess/all-policies")
    best = max(content["policies"], key=lambda name: content["policies"][name]["mean"]["top1"])
    assert finding(content).startswith(f"{reader_name(best)} predicts ")
    assert "percentage points" in finding(content)
    alone = {**content, "policies": {best: content["policies"][best]}}
    assert "percentage points" not in finding(alone)
    assert "blended with Lc0 T1 predicts more" in blend_finding(content_of("blend-chess"))


def test_the_reference_and_the_best_are_shown() -> None:
    assert most_telling(["a", "b", "c", "d", "e"], [0.1, 0.5, 0.2, 0.3, 0.4]) == ["a", "b", "d", "e"]
    assert most_telling(["a"], [0.0]) == ["a"]
    content = content_of("people-chess/all-policies")
    assert len(shown_policies(content)) == 4
    assert shown_policies(content)[0] == next(iter(content["policies"]))


@pytest.mark.parametrize(
    ("name", "known"),
    [("maia-1500", "Maia 1500"), ("g170-b6c96", "KataGo b6c96"), ("mine", "mine"), ("maia3-5m", "Maia-3 5M")],
)
def test_names_are_those_that_readers_know(name: str, known: str) -> None:
    assert reader_name(name) == known
