"""The page for people without a mouse: every board by axe-core, and what is done with the keyboard alone."""

from __future__ import annotations

from typing import Literal

import pytest
from playwright.sync_api import Browser, FileChooser, Locator, Page, expect

from tests.page.steps import TITLES, begin, choose, from_position, visit, weak
from tests.page.test_history_and_review import THREE, Making, resigned
from tests.page.test_other_pages import serious_faults
from tests.waiting import wait_until

MOST_TABS = 150


@pytest.fixture(scope="module")
def boards(browser: Browser, address: str) -> dict[str, str]:
    """Ids of games in which the person is to move, one of each game."""
    context = browser.new_context(base_url=address)
    page = context.new_page()
    page.goto("/")
    ids: dict[str, str] = page.evaluate(
        """async games => Object.fromEntries(await Promise.all(games.map(async game => {
            const opponent = game === "rbc" ? { bot: "random" } : { strength: 1 };
            const headers = { "Content-Type": "application/json" };
            const body = JSON.stringify({ game, opponent, you: 0 });
            const answer = await fetch("/api/games", { method: "POST", headers, body });
            return [game, (await answer.json()).id];
        })))""",
        list(TITLES),
    )
    context.close()
    return ids


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("page", ["desktop", "phone"], indirect=True)
def test_axe_finds_no_serious_fault_on_any_board(
    page: Page, address: str, boards: dict[str, str], scheme: Literal["light", "dark"]
) -> None:
    page.emulate_media(color_scheme=scheme)
    for game, game_id in boards.items():
        visit(page, address, f"#/game/{game_id}")
        expect(page.locator(f".table.{game} [data-square]").first).to_be_attached()
        assert serious_faults(page) == [], game


def tab_to(page: Page, target: Locator) -> None:
    """Presses Tab until an element has the focus."""
    expect(target).to_be_visible()
    for _ in range(MOST_TABS):
        if target.evaluate("element => element === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not reach {target}")


def press(page: Page, target: Locator) -> None:
    """Goes to a button or a link and presses it."""
    tab_to(page, target)
    page.keyboard.press("Enter")


@pytest.mark.parametrize("page", ["desktop", "phone"], indirect=True)
def test_a_hint_needs_only_the_keyboard(page: Page) -> None:
    choose(page, "chess")
    weak(page)
    begin(page)
    press(page, page.get_by_role("button", name="Hint"))
    hint = page.locator(".hint")
    expect(hint).to_contain_text("The best move")
    rating = hint.get_by_label("Your rating")
    tab_to(page, rating)
    before = rating.input_value()
    page.keyboard.press("ArrowDown")
    expect(rating).not_to_have_value(before)
    press(page, page.get_by_role("button", name="Close the hint"))
    expect(hint).to_have_count(0)


@pytest.mark.parametrize("page", ["desktop", "phone"], indirect=True)
def test_a_promotion_needs_only_the_keyboard(page: Page) -> None:
    choose(page, "chess")
    weak(page)
    from_position(page, "8/P6k/8/8/8/8/8/K7 w - - 0 1")
    begin(page)
    page.keyboard.press("b")  # to the board
    for key in (*("ArrowLeft",) * 4, *("ArrowUp",) * 6, "Enter", "ArrowUp", "Enter"):
        page.keyboard.press(key)
    box = page.get_by_role("dialog", name="Promote to")
    expect(box.get_by_role("button", name="queen")).to_be_focused()
    page.keyboard.press("Escape")
    expect(box).to_have_count(0)
    expect(page.locator(".moves button")).to_have_count(0)
    page.keyboard.press("b")
    for key in ("ArrowDown", "Enter", "ArrowUp", "Enter"):
        page.keyboard.press(key)
    press(page, box.get_by_role("button", name="rook"))
    expect(page.locator(".moves button").first).to_have_text("a8=R")


@pytest.mark.parametrize("page", ["desktop", "phone"], indirect=True)
def test_a_person_is_made_with_the_keyboard_alone(page: Page, address: str) -> None:
    making = Making(page)
    opened: list[FileChooser] = []
    page.on("filechooser", lambda chooser: opened.append(chooser))  # from here on none is asked
    visit(page, address, "#/person")
    press(page, page.get_by_role("button", name="Open a file"))
    wait_until(lambda: (page.evaluate("0"), opened)[1], "the choice of a file")
    opened[0].set_files({"name": "games.pgn", "mimeType": "text/plain", "buffer": THREE.encode()})
    names = page.get_by_role("radiogroup", name="Who?").get_by_role("radio")
    expect(names.first).to_be_checked()
    tab_to(page, names.first)
    page.keyboard.press("ArrowDown")
    expect(names.nth(1)).to_be_checked()
    name = names.nth(1).get_attribute("aria-label")
    press(page, page.get_by_role("button", name="Make a player like"))
    expect(page.get_by_text("25 %")).to_be_visible()
    assert making.wanted["name"] == name
    press(page, page.get_by_role("button", name="Cancel"))
    expect(page.get_by_role("button", name="Open a file")).to_be_visible()
    assert making.stopped


@pytest.mark.parametrize("page", ["desktop", "phone"], indirect=True)
def test_the_history_needs_only_the_keyboard(page: Page, address: str) -> None:
    page.on("dialog", lambda question: question.accept())
    resigned(page, "breakthrough")
    finished = page.url
    press(page, page.get_by_role("link", name="My games"))
    cards = page.locator(".game-cards li")
    expect(cards.first).to_contain_text("Lost")
    tab_to(page, page.get_by_role("combobox", name="Game"))
    page.keyboard.type("Breakthrough")
    expect(cards.filter(has_text="Chess")).to_have_count(0)
    tab_to(page, page.get_by_role("radiogroup", name="Result").get_by_role("radio").first)
    page.keyboard.press("ArrowRight")
    expect(page.get_by_label("won", exact=True)).to_be_checked()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_label("lost", exact=True)).to_be_checked()
    press(page, cards.first.get_by_role("link").first)
    expect(page.get_by_role("region", name="Game", exact=True)).to_be_visible()
    assert page.url == finished
    visit(page, address, "#/games")
    expect(cards.first).to_be_visible()
    count = cards.count()
    press(page, cards.first.get_by_role("button", name="Delete the game"))
    expect(cards).to_have_count(count - 1)


@pytest.mark.parametrize("page", ["desktop", "phone"], indirect=True)
def test_the_settings_need_only_the_keyboard(page: Page) -> None:
    opener = page.get_by_role("button", name="Settings")
    press(page, opener)
    box = page.get_by_role("dialog")
    tab_to(page, box.get_by_label("Language"))
    page.keyboard.type("Deutsch")
    expect(page.locator("html")).to_have_attribute("lang", "de")
    page.keyboard.press("Home")  # that of the browser
    expect(page.locator("html")).to_have_attribute("lang", "en")
    tab_to(page, box.get_by_label("of the system"))
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    tab_to(page, box.get_by_label("Sounds"))
    page.keyboard.press("Space")
    expect(box.get_by_label("Sounds")).to_be_checked()
    page.keyboard.press("Escape")
    expect(box).to_have_count(0)
    expect(opener).to_be_focused()
