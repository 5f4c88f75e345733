"""The estimated score of a game of Go, and territory on the board."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.page.steps import begin, choose, from_position, resign, tap, weak
from tests.page.test_other_pages import serious_faults

TWO_SIDES = "3XO4/3XO1X2/O2XO4/1X1XO4/2XXO1O2/1O1XO4/1X1XO4/3XO1O2/3XO4 b - 0 0 0 7.5"


def start(page: Page) -> None:
    choose(page, "go")
    from_position(page, TWO_SIDES)
    weak(page)
    begin(page)


@pytest.mark.parametrize("page", ["desktop", "phone"], indirect=True)
def test_the_score_is_shown_until_the_next_move(page: Page) -> None:
    start(page)
    button = page.get_by_role("button", name="Estimate the score")
    button.click()
    score, squares = page.locator(".score"), page.locator(".grid-board .owner")
    expect(score).to_contain_text("White leads by about ")
    expect(score).to_contain_text("it can be wrong")
    expect(score).to_be_in_viewport()
    expect(button).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("button", name="B2 empty, Black's point")).to_be_visible()
    expect(page.locator('[data-square="G8"] .owner.white')).to_have_count(1)  # on a dead black stone
    expect(page.locator('[data-square="D9"] .owner')).to_have_count(0)  # on a living one
    assert serious_faults(page) == []
    button.click()
    expect(squares.or_(score)).to_have_count(0)
    page.keyboard.press("e")
    expect(score).to_be_visible()
    tap(page, "C2")
    expect(page.locator('[data-square="C2"] .piece.black')).to_be_visible()
    expect(squares.or_(score)).to_have_count(0)
    expect(button).to_have_attribute("aria-pressed", "false")


def test_it_follows_the_position_that_is_shown_also_after_the_game(page: Page) -> None:
    start(page)
    tap(page, "C2")
    expect(page.locator(".moves button").nth(1)).to_be_visible()
    resign(page)
    page.keyboard.press("e")
    expect(page.locator(".score")).to_contain_text("White leads")
    with page.expect_response("**/score/1"):
        page.keyboard.press("ArrowLeft")
    expect(page.locator(".score")).to_be_visible()
    page.get_by_role("button", name="Hide the score").click()
    expect(page.locator(".score")).to_have_count(0)
    page.evaluate("localStorage.setItem('language', 'de')")
    page.reload()
    page.get_by_role("button", name="Stand schätzen").click()
    expect(page.locator(".score")).to_contain_text("Weiß führt mit etwa ")


def test_after_two_passes_it_is_the_score(page: Page) -> None:
    start(page)
    page.get_by_role("button", name="Pass").click()
    expect(page.get_by_role("button", name="Agree on the score")).to_be_visible()
    page.keyboard.press("e")
    expect(page.locator(".score")).to_contain_text("White wins by 16.5")
    expect(page.locator(".score")).not_to_contain_text("estimate")
    expect(page.locator('[data-square="G8"] .owner.white')).to_have_css("opacity", "1")
