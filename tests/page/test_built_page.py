"""The built page is that of its sources."""

from __future__ import annotations

from sparring import data
from tests.page.sources import STAMP, source_hash


def test_the_page_was_built_from_its_sources() -> None:
    assert data.page() is not None
    assert STAMP.read_text().strip() == source_hash(), "run `make page`"
