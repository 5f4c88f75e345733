"""Figures and pages: labels that do not overlap, light and dark pages, escaped HTML."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest

from sparring.base.plot_style import INK_COLOR, open_pyplot, save_svg, spread_labels
from sparring.measure import page


@pytest.mark.parametrize(
    "values", [[], [1.0], [1.0, 1.0, 1.0], [3.0, 0.1, 0.0, 0.2, 2.9], [0.0, 0.9, 1.8, 9.0]]
)
def test_names_are_moved_apart_and_keep_their_order(values: list[float]) -> None:
    places = spread_labels(values, 1.0)
    order = sorted(range(len(values)), key=lambda i: places[i])
    assert [values[i] for i in order] == sorted(values)
    assert all(b - a >= 1 - 1e-9 for a, b in pairwise(sorted(places)))
    if values:
        assert sum(places) == pytest.approx(sum(values)), "apart, but around the same middle"


def test_names_far_apart_stay_where_they_are() -> None:
    assert spread_labels([0.0, 5.0, 2.0], 1.0) == [0.0, 5.0, 2.0]


def test_a_figure_is_an_svg_file_that_follows_light_and_dark_pages(tmp_path: Path) -> None:
    figure, axis = open_pyplot().subplots()
    axis.plot([0, 1], [0, 1], marker="o", color="#b5502b")
    path = save_svg(figure, tmp_path, "line")
    assert path == tmp_path / "line.svg"
    assert ElementTree.fromstring(path.read_text()).attrib["style"] == "background: white"
    assert INK_COLOR in path.read_text()
    inline = page.inline_svg(path.read_text(), "line")
    assert INK_COLOR not in inline
    assert "currentColor" in inline
    drawing = ElementTree.fromstring(inline)
    assert not {"width", "height", "style"} & drawing.attrib.keys()
    ids = {each.attrib["id"] for each in drawing.iter() if "id" in each.attrib}
    assert all(each.startswith("line-") for each in ids)
    used = set(re.findall(r'(?:url\(#|href="#)([^")]+)', inline))
    assert used
    assert used <= ids
    assert "#b5502b" in inline


def test_a_page_is_one_file_that_loads_nothing_and_believes_no_text() -> None:
    text = page.page(
        "A <b>title</b>",
        [page.heading("h&m"), page.table(["<i>", "x"], [["a|<u>", "1"]]), page.code("<script>")],
    )
    assert "<b>" not in text.split("</style>")[1]
    for tag in ("<i>", "<u>", "<script", "src=", "href=", "@import"):
        assert tag not in text
    assert "prefers-color-scheme: dark" in text
    assert 'name="viewport"' in text
