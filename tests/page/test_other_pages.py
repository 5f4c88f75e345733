"""The pages besides the board: understanding, reviews, tournaments, human or not, the gallery."""

from __future__ import annotations

import re
from pathlib import Path

import axe_core_python
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.page.steps import begin, choose, held_answer, resign, type_move, visit, weak

AXE_SOURCE = (Path(axe_core_python.__file__).parent / "axe.min.js").read_text()
MATE = "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4"
BLUNDER = "1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0"
PAGES = (
    "", "#/watch", "#/watch/tournament", "#/understand", "#/train", "#/progress", "#/turing", "#/games",
    "#/reports",
)  # fmt: skip


def serious_faults(page: Page) -> list[tuple[str, str]]:
    """What axe-core finds on the page: names of rules, and the first element of each. Colours that are in the
    middle of a transition are no fault: the page ends transitions for a person who wants less motion."""
    page.emulate_media(reduced_motion="reduce")
    found = page.evaluate(AXE_SOURCE + ";axe.run({resultTypes: ['violations']})")
    serious = [
        violation for violation in found["violations"] if violation["impact"] in ("serious", "critical")
    ]
    return [(violation["id"], violation["nodes"][0]["html"][:200]) for violation in serious]


def look(page: Page, text: str) -> None:
    """Pastes a position or a game into the page that explains it."""
    page.get_by_role("link", name="Understand").click()
    page.get_by_role("button", name="Paste").click()
    page.get_by_label("A position or a whole game").fill(text)
    page.get_by_role("button", name="Look").click()


def test_a_position_is_explained(page: Page) -> None:
    look(page, MATE)
    expect(page.locator(".moves-table tbody tr").first).to_contain_text("Qxf7#")
    page.get_by_label("Rating").fill("0")
    expect(page.get_by_text("chance of a blunder")).to_be_visible()
    page.get_by_label("Share of the strong network").fill("1")
    expect(page.locator(".moves-table tbody tr").first).to_contain_text("Qxf7#")


def test_a_tapped_candidate_is_played_on(page: Page) -> None:
    page.get_by_role("link", name="Understand").click()
    page.get_by_role("button", name="e4", exact=True).click()
    expect(page.get_by_text("Black to move")).to_be_visible()
    page.get_by_role("button", name="Take back").click()
    expect(page.get_by_text("White to move")).to_be_visible()


def test_understand_says_where_the_network_of_go_is_weak(page: Page, address: str) -> None:
    look(page, "(;GM[1]SZ[9];B[ee];W[ce])")
    expect(page.get_by_text("The network learned from games on 19x19")).to_be_visible()
    page.get_by_label("This position").check()
    page.get_by_label("Rank").fill("0")
    offered = page.request.get(f"{address}/api/catalogue").json()
    weakest = next(each["ratings"] for each in offered if each["name"] == "go")["weakest"]
    note = page.get_by_text("a lower rank hardly plays weaker")
    expect(note).to_have_count(0 if weakest is None else 1)


def test_why_a_move_is_refused_is_said_in_german(browser: Browser, address: str) -> None:
    context = browser.new_context(locale="de-DE", base_url=address)
    page = context.new_page()
    page.goto("/")
    page.get_by_role("button", name="Spielen", exact=True).click()
    page.get_by_label("Dein Zug").fill("Dh5")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Dame nach h5 geht nicht")).to_be_visible()
    context.close()


def test_a_game_is_reviewed(page: Page) -> None:
    look(page, BLUNDER)
    blunder = page.locator(".missed button").filter(has_text="gave away 50 %")
    expect(blunder).to_have_count(
        1
    )  # a moment that mattered is not repeated among the moves that gave much away
    expect(blunder.first).to_contain_text("Nf6")
    expect(page.locator(".level-card").first).to_contain_text("by the review's search")
    expect(page.get_by_text("is estimated from the moves alone")).to_be_visible()
    blunder.first.click()
    expect(page.get_by_text("Black to move")).to_be_visible()
    expect(page.locator(".level-card")).to_have_count(2)
    page.get_by_label("Your rating").select_option("1000")
    expect(page.get_by_text("between people of 1000")).to_be_visible()
    page.get_by_label("This position").check()
    expect(page.locator(".curves")).to_be_visible()


def test_a_finished_game_is_reviewed_from_its_page(page: Page) -> None:
    choose(page, "chess")
    weak(page)
    begin(page)
    type_move(page, "e4")
    expect(page.locator(".moves button")).to_have_count(2)
    resign(page)
    page.get_by_role("link", name="Review").click()
    expect(page.get_by_role("region", name="Review")).to_be_visible()
    expect(page.get_by_text("e4 was played")).to_be_visible()


def test_a_tournament_is_played_live(page: Page) -> None:
    page.get_by_role("link", name="Watch").click()
    page.get_by_label("A tournament").check()
    page.locator(".watch-head select").first.select_option("breakthrough")
    page.get_by_label("Remove player 3").click()
    page.get_by_label("Games").fill("2")
    page.get_by_label("Pace").fill("0")
    page.get_by_role("button", name="Start the tournament").click()
    expect(page.locator(".standings tbody tr")).to_have_count(2)
    expect(page.get_by_text("2 of 2 games, finished")).to_be_visible()
    expect(page.locator(".interval")).to_have_count(2)
    page.locator(".results button").first.click()
    expect(page.get_by_role("region", name=re.compile(r"Game \d"))).to_be_visible()
    page.get_by_role("link", name="New tournament").click()
    expect(page.get_by_text("2 of 2 games").first).to_be_visible()


def test_human_or_not_keeps_a_score(page: Page) -> None:
    page.get_by_role("link", name="Human or not?").click()
    expect(page.locator(".turing-games figure")).to_have_count(2)
    page.reload()
    page.get_by_role("button", name="People played this one (left)").click()
    expect(page.locator(".verdict")).to_have_count(2)
    score = page.get_by_role("region", name="Your score")
    expect(score).to_contain_text(re.compile(r"\d of 1\b"))
    page.get_by_role("button", name="Next").click()
    page.get_by_label("One game").check()
    expect(page.locator(".turing-games figure")).to_have_count(1)
    page.get_by_role("button", name="A computer").click()
    expect(score).to_contain_text(re.compile(r"\d of 2\b"))
    page.reload()
    expect(score).to_contain_text(re.compile(r"\d of 2\b"))


def test_the_kind_of_question_that_was_chosen_last_is_shown(page: Page) -> None:
    page.get_by_role("link", name="Human or not?").click()
    expect(page.locator(".turing-games figure")).to_have_count(2)
    with held_answer(page, "**/api/turing/rounds*"):
        with page.expect_request("**/api/turing/rounds*"):
            page.get_by_label("Level of the players").select_option(index=1)
        page.get_by_label("One game").check()
        expect(page.locator(".turing-games figure")).to_have_count(1)
    expect(page.locator(".turing-games figure")).to_have_count(1)


def test_the_gallery_shows_figures(page: Page) -> None:
    page.get_by_role("link", name="Measured").click()
    figure = page.locator(".gallery img").first
    figure.scroll_into_view_if_needed()
    expect(figure).to_have_js_property("complete", True)
    for each in page.get_by_text("Whole report").all():
        each.click()
    expect(page.locator(".markdown table").first).to_be_visible()


@pytest.mark.parametrize("path", [*PAGES, "game"])
def test_axe_finds_no_serious_fault(page: Page, address: str, path: str) -> None:
    if path == "game":
        choose(page, "shogi")
        begin(page)
    else:
        visit(page, address, path)
        expect(page.locator("h1")).to_be_visible()
    assert serious_faults(page) == []


def test_axe_finds_no_serious_fault_in_the_dark(page: Page, address: str) -> None:
    page.emulate_media(color_scheme="dark")
    for path in PAGES:
        visit(page, address, path)
        expect(page.locator("h1")).to_be_visible()
        assert serious_faults(page) == []


@pytest.mark.parametrize("page", ["phone"], indirect=True)
def test_no_page_is_wider_than_a_phone(page: Page, address: str) -> None:
    for path in PAGES:
        visit(page, address, path)
        expect(page.locator("h1")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, path


def test_the_safer_move_and_a_trap_are_shown_and_can_be_played(page: Page) -> None:
    """After 3. Qh5 the trap 3... Nf6 is mated on f7."""
    look(page, "1. e4 e5 2. Bc4 Nc6 3. Qh5 *")
    page.get_by_label("This position").check()
    page.get_by_role("button", name="Last position").click()
    card = page.get_by_role("region", name="The safer move")
    expect(card).to_contain_text("engine's first choice")
    page.get_by_label("Rating").fill("0")
    expect(card.get_by_text(re.compile("Trap: .* play Nf6, which gives away"))).to_be_visible()
    card.get_by_role("button", name="Nf6", exact=True).click()
    expect(page.get_by_text("White to move")).to_be_visible()
