"""What a person does on the page, in the words of the tests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import APIResponse, Page, Route, expect

from tests.waiting import wait_until

TITLES = {
    "chess": "Chess",
    "rbc": "Reconnaissance blind chess",
    "shogi": "Shogi",
    "go": "Go",
    "expendibots": "Expendibots",
    "breakthrough": "Breakthrough",
}


def visit(page: Page, address: str, path: str) -> None:
    """Follows an address of the page, such as #/games, and returns once its part of the page is shown. The
    browser itself does not wait: what comes next might still meet the part before."""
    page.evaluate(
        """url => new Promise(resolve => {
            if (new URL(url).href === location.href) return resolve();
            const shown = () => requestAnimationFrame(() => setTimeout(resolve));
            addEventListener("hashchange", shown, { once: true });
            location.href = url;
        })""",
        f"{address}/{path or '#/'}",
    )


def choose(page: Page, game: str) -> None:
    """Chooses a game."""
    page.get_by_label(TITLES[game], exact=True).check()


def begin(page: Page) -> None:
    """Begins the game."""
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.get_by_role("region", name="Game", exact=True)).to_be_visible()


def type_move(page: Page, move: str) -> None:
    """Types a move."""
    field = page.locator(".move-field input")
    field.fill(move)
    field.press("Enter")


def tap(page: Page, square: str) -> None:
    """Taps a square of any board."""
    box = page.locator(f'[data-square="{square}"]').bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def from_position(page: Page, position: str) -> None:
    """Gives the first position."""
    page.get_by_text("Begin from a position").click()
    page.get_by_label("A position or a whole game").fill(position)
    expect(page.get_by_text("Recognised: a position")).to_be_visible()


def weak(page: Page) -> None:
    """Chooses the weakest search player."""
    choice, strength = page.get_by_label("A search player"), page.get_by_label("Strength")
    expect(choice.or_(strength).first).to_be_attached()  # the form is there
    if choice.count():
        choice.check()
    strength.fill("1")


@contextmanager
def held_answer(page: Page, url: str) -> Iterator[None]:
    """The first answer of the server to requests of an address reaches the page afterwards, when the page has
    dealt with all the rest. What the page makes of it is done when this returns."""
    asked: list[Route] = []
    held: list[tuple[Route, APIResponse]] = []

    def hold(route: Route) -> None:
        asked.append(route)
        answer = route.fetch()  # answers to later requests may come first
        if route is asked[0]:
            held.append((route, answer))
        else:
            route.fulfill(response=answer)

    page.route(url, hold)
    yield
    wait_until(lambda: (page.evaluate("0"), held)[1], "the answer")
    (route, answer) = held[0]
    with page.expect_response(url):
        route.fulfill(response=answer)
    page.evaluate("new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve)))")


def resign(page: Page) -> None:
    """Resigns, and is sure."""
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("button", name="Really resign").click()


def result(page: Page) -> str:
    """The result of the game, once it is over."""
    shown = page.locator(".result")
    expect(shown).to_be_visible()
    return shown.inner_text()


@contextmanager
def settings(page: Page) -> Iterator[None]:
    """Opens the settings and closes them."""
    page.get_by_role("button", name="Settings").click()
    yield
    page.get_by_role("dialog").get_by_role("button", name="Close").click()
    expect(page.get_by_role("dialog")).to_have_count(0)


def plain(text: str) -> dict[str, object]:
    """A sentence of the server without values."""
    return {"text": text, "template": text, "values": {}}
