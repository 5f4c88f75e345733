"""The navigation of the documentation site (mkdocs.yml). `make docs` itself checks all links."""

from __future__ import annotations

import re

from tests.docs.markdown import PAGES, RESULTS, ROOT
from tests.docs.notebooks import NOTEBOOKS


def navigation() -> list[str]:
    """The pages of the navigation, as paths on the site."""
    _, _, nav = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")
    return re.findall(r"[\w./-]+\.md$", nav, re.M)


def test_the_navigation_has_every_page_of_docs_and_every_report_once() -> None:
    listed = navigation()
    docs = {page.removeprefix("docs/") for page in PAGES if page.startswith("docs/")}
    reports = {page for page in RESULTS if re.fullmatch(r"results/([^/]+/)?README.md", page)}
    notebooks = {path.relative_to(ROOT).with_suffix(".md").as_posix() for path in NOTEBOOKS}
    assert set(listed) >= docs | reports | notebooks
    assert len(listed) == len(set(listed))


def test_the_tracks_are_those_of_the_readers() -> None:
    tabs = re.findall(r"^  - ([^:]+):", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.M)
    tracks = ["Sparring", "Play", "GUIs and engines", "Python", "Research", "Development"]
    assert [tab for tab in tabs if tab in tracks] == tracks
