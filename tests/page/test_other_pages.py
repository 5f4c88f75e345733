"""The pages besides the board: understanding, the gallery, and what screen readers get."""

from __future__ import annotations

from pathlib import Path

import axe_core_python
import pytest
from playwright.sync_api import Page, expect

AXE = Path(axe_core_python.__file__).parent / "axe.min.js"
MATE = "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4"


def test_a_position_is_explained(page: Page) -> None:
    page.get_by_role("link", name="Understand").click()
    page.get_by_role("button", name="Paste").click()
    page.get_by_label("A position or a whole game").fill(MATE)
    page.get_by_role("button", name="Look").click()
    expect(page.locator(".moves-table tbody tr").first).to_contain_text("Qxf7#")
    page.get_by_label("Rating").fill("0")
    expect(page.get_by_text("chance of a blunder")).to_be_visible()
    page.get_by_label("Strong half").fill("1")
    expect(page.locator(".moves-table tbody tr").first).to_contain_text("Qxf7#")


def test_a_game_is_reviewed(page: Page) -> None:
    page.get_by_role("link", name="Understand").click()
    page.get_by_role("button", name="Paste").click()
    page.get_by_label("A position or a whole game").fill("1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0")
    page.get_by_role("button", name="Look").click()
    blunder = page.locator(".missed button")
    expect(blunder).to_contain_text("Nf6")
    blunder.click()
    expect(page.get_by_text("Black to move")).to_be_visible()


def test_the_gallery_shows_figures(page: Page) -> None:
    page.get_by_role("link", name="Measured").click()
    figure = page.locator(".gallery img").first
    figure.scroll_into_view_if_needed()
    expect(figure).to_have_js_property("complete", True)


@pytest.mark.parametrize("path", ["", "#/watch", "#/understand", "#/games", "#/reports", "game"])
def test_axe_finds_no_serious_fault(page: Page, address: str, path: str) -> None:
    if path == "game":
        page.get_by_label("Shogi", exact=True).check()
        page.get_by_role("button", name="Play", exact=True).click()
        expect(page.get_by_role("region", name="Game")).to_be_visible()
    else:
        page.goto(f"{address}/{path}")
        expect(page.locator("h1")).to_be_visible()
    found = page.evaluate(AXE.read_text() + ";axe.run()")
    serious = [each for each in found["violations"] if each["impact"] in ("serious", "critical")]
    assert [(each["id"], each["nodes"][0]["html"][:200]) for each in serious] == []
