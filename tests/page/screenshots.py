"""Takes the screenshots of docs/screenshots: `python -m tests.page.screenshots` needs Debian's Chromium."""

from __future__ import annotations

import io
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, ViewportSize, expect, sync_playwright

from tests.page.browser import CHROMIUM
from tests.page.conftest import serve
from tests.page.steps import begin, choose, resign, tap, type_move, weak

FOLDER = Path(__file__).parents[2] / "docs" / "screenshots"
LARGEST = 150_000
"""Bytes of a screenshot."""
GAME = (
    "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. c3 Nf6 5. d4 exd4 6. cxd4 Bb4+ 7. Nc3 Nxe4 8. O-O Bxc3 9. d5 Bf6 "
    "10. Re1 Ne7 11. Rxe4 d6 12. Bg5 Bxg5 13. Nxg5 h6 14. Qh5 O-O 15. Rae1 hxg5 16. Rh4 f5 17. Qh7+ Kf7 "
    "18. Rh6 Rg8 19. Rxe7+ 1-0"
)
SMALL: ViewportSize = {"width": 390, "height": 844}
LARGE: ViewportSize = {"width": 1366, "height": 700}


def play(game: str, moves: str) -> Callable[[Page], None]:
    """A game after some moves of the person."""

    def go(page: Page) -> None:
        choose(page, game)
        begin(page)
        for number, move in enumerate(moves.split(), 1):
            type_move(page, move)
            expect(page.locator(".moves button").nth(2 * number - 1)).to_be_visible()
        page.mouse.move(0, 0)

    return go


def blind(page: Page) -> None:
    """Blind chess after two senses."""
    choose(page, "rbc")
    begin(page)
    for sense, move in (("e7", "e2e4"), ("d6", "d2d4")):
        tap(page, sense)
        expect(page.get_by_text("Your move.")).to_be_visible()
        type_move(page, move)
        expect(page.get_by_text("Tap a square to sense it")).to_be_visible()
    tap(page, "c6")
    expect(page.get_by_text("Your move.")).to_be_visible()


def blind_replay(page: Page) -> None:
    """Blind chess afterwards."""
    blind(page)
    resign(page)
    replay = page.get_by_role("region", name="Replay")
    expect(replay).to_be_visible()
    replay.get_by_role("button", name="One move back").click()
    page.wait_for_timeout(1000)
    replay.scroll_into_view_if_needed()
    page.evaluate("document.getElementById('replay').scrollIntoView()")


def visit(path: str, shown: str) -> Callable[[Page], None]:
    """A page of the menu."""

    def go(page: Page) -> None:
        page.goto(page.url.split("#")[0] + path)
        expect(page.locator(shown).first).to_be_visible()

    return go


def review(page: Page) -> None:
    """A reviewed game."""
    visit("#/understand", ".curves")(page)
    page.get_by_role("button", name="Paste").click()
    page.get_by_label("A position or a whole game").fill(GAME)
    page.get_by_role("button", name="Look").click()
    expect(page.locator(".estimate")).to_have_count(2)
    page.locator(".missed button").first.click()


def practise(page: Page) -> None:
    """A mistake of a reviewed game, tried again."""
    review(page)
    page.get_by_label("Your side").select_option("1")
    page.get_by_role("button", name="Find better").click()
    expect(page.get_by_role("heading", name="Find a better move")).to_be_visible()
    page.locator(".move-field input").fill("a6")
    page.keyboard.press("Enter")
    expect(page.locator(".verdict")).to_be_visible()


def deck(page: Page) -> None:
    """The deck, with the mistakes of a game."""
    review(page)
    for side in ("0", "1"):
        page.get_by_label("Your side").select_option(side)
        page.get_by_role("button", name="Into my deck").click()
        expect(page.get_by_role("link", name="To the deck")).to_be_visible()
    page.get_by_role("link", name="To the deck").click()
    expect(page.locator(".game-cards li").first).to_be_visible()


def tournament(page: Page) -> None:
    """A tournament of four levels."""
    visit("#/watch/tournament", "form")(page)
    page.get_by_label("Pace").fill("0")
    page.get_by_role("button", name="Start the tournament").click()
    expect(page.locator(".results li").nth(5)).to_be_visible(timeout=180_000)


def turing(page: Page) -> None:
    """Human or not, in the middle of two games."""
    visit("#/turing", ".turing-games")(page)
    page.get_by_label("Fast").check()
    page.wait_for_timeout(9000)


def games(page: Page) -> None:
    """My games, after three of them."""
    for game, move in (("chess", "e4"), ("go", "Q16"), ("breakthrough", "c2c3")):
        choose(page, game)
        weak(page)
        begin(page)
        type_move(page, move)
        expect(page.locator(".moves button").nth(1)).to_be_visible()
        page.goto(page.url.split("#")[0] + "#/")
    visit("#/games", ".game-cards li")(page)


SCENES: dict[str, tuple[Callable[[Page], None], ViewportSize, bool]] = {
    "play": (visit("#/", ".games"), LARGE, False),
    "chess": (play("chess", "e4 Nf3 d4"), LARGE, False),
    "chess-dark": (play("chess", "d4 c4 Nc3"), LARGE, True),
    "chess-phone": (play("chess", "e4 Nf3"), SMALL, False),
    "shogi": (play("shogi", "7g7f 2g2f 2f2e"), LARGE, False),
    "shogi-phone": (play("shogi", "7g7f"), SMALL, False),
    "go": (play("go", "Q16 D4 R3"), LARGE, False),
    "rbc": (blind, LARGE, False),
    "rbc-replay": (blind_replay, LARGE, False),
    "expendibots": (play("expendibots", "b2b3 e2e3"), LARGE, False),
    "breakthrough": (play("breakthrough", "c2c3 f2f3"), LARGE, False),
    "watch": (visit("#/watch", "form"), LARGE, False),
    "tournament": (tournament, LARGE, False),
    "understand": (visit("#/understand", ".curves"), LARGE, False),
    "review": (review, LARGE, False),
    "deck": (deck, LARGE, False),
    "find-better": (practise, LARGE, False),
    "find-better-phone": (practise, SMALL, True),
    "turing": (turing, LARGE, True),
    "games": (games, LARGE, False),
    "reports": (visit("#/reports", ".gallery img"), LARGE, False),
}


def main(names: list[str]) -> None:
    """Takes the named screenshots, or all."""
    with (
        tempfile.TemporaryDirectory() as folder,
        serve(Path(folder)) as address,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for name in names or SCENES:
            scene, size, dark = SCENES[name]
            context = browser.new_context(viewport=size, color_scheme="dark" if dark else "light")
            page = context.new_page()
            page.goto(address)
            scene(page)
            page.wait_for_timeout(1200)  # animations
            picture = Image.open(io.BytesIO(page.screenshot()))
            path = FOLDER / f"{name}.webp"
            picture.save(path, quality=82, method=6)
            assert path.stat().st_size < LARGEST, path
            print(path.name, path.stat().st_size)
            context.close()
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
