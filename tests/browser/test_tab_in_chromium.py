"""The built site behind a plain web server, in Chromium: games, offline, one host, phone size, keyboard."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import BrowserContext, Download, FilePayload, Page, ViewportSize, expect

from sparring.games import load_game
from tests.browser.pages import served
from tests.page.browser import launched

expect.set_options(timeout=60_000)
PHONE: ViewportSize = {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    with served(site) as (found, _):
        yield found


@pytest.fixture
def context(address: str) -> Iterator[BrowserContext]:
    """A new visitor on a phone. An error of a page, or a request to another host, fails the test."""
    context = launched().new_context(viewport=PHONE, accept_downloads=True)
    context.set_default_timeout(60_000)
    faults: list[str] = []
    context.on("weberror", lambda error: faults.append(str(error.error)))
    context.on("console", lambda line: faults.append(line.text) if line.type == "error" else None)
    context.on("request", lambda asked: None if is_own(asked.url) else faults.append(asked.url))
    yield context
    context.close()
    assert not faults


def is_own(url: str) -> bool:
    return url.startswith("blob:") or urlsplit(url).hostname == "127.0.0.1"


TURN_OR_END = """document.querySelector('.result, .counting') ||
    document.querySelector('.status')?.textContent.includes('Your move.')"""
MOVES = "[...document.querySelectorAll('ol.moves button')].map((each) => each.textContent)"


def start(page: Page, address: str, game: str, opponent: dict[str, object], size: int = 0) -> None:
    """Begins a game whose opponent answers at once; `size` is that of a Go board."""
    page.goto(address)
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    choice = json.dumps({"think_time": "none", **opponent})
    page.evaluate(
        "([game, choice]) => {localStorage.setItem('game', game);"
        " localStorage.setItem(`opponent-${game}`, choice);}",
        [game, choice],
    )
    page.reload()
    if size:
        page.get_by_label(f"{size}x{size}", exact=True).check()
    page.get_by_role("switch", name="The opponent answers at once").or_(
        page.get_by_label("The opponent answers at once")
    ).first.check()
    page.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_url("**/#/game/*")


def type_move(page: Page, text: str) -> None:
    """Types a move and waits until it is played."""
    played = len(page.evaluate(MOVES))
    field = page.locator(".move-field input")
    field.fill(text)
    field.press("Enter")
    page.wait_for_function(f"{MOVES}.length > {played}")


def expect_turn(page: Page) -> None:
    expect(page.locator(".status")).to_contain_text("Your move.")


def test_chess_is_played_kept_and_exported(context: BrowserContext, address: str) -> None:
    """Moves, a hint, taking back, resigning; the game is there after a reload, as PGN and as a file."""
    page = context.new_page()
    start(page, address, "chess", {"kind": "level", "level": 1000})
    expect(page.locator(".about", has_text="Errs about as people of 1000 do").first).to_be_visible()
    for move in ("e4", "Nf3", "Bc4"):
        expect_turn(page)
        type_move(page, move)
    expect_turn(page)
    page.get_by_role("button", name="Hint").click()
    expect(page.get_by_text("Best", exact=False).first).to_be_visible()
    page.get_by_role("button", name="Take back").click()
    expect_turn(page)
    page.reload()
    expect_turn(page)
    expect(page.get_by_text("Sparring, level 1000").first).to_be_visible()
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("button", name="Really resign").click()
    expect(page.locator(".result")).to_have_text("You lost: you resigned.")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as PGN").click()
    record = text_of(download.value)
    assert "1. e4 " in record
    assert '[Result "0-1"]' in record
    page.goto(f"{address}#/games")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save all games in a file").click()
    games = download.value.path()
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Delete the game").click()
    expect(page.locator(".game-cards .card")).to_have_count(0)
    file: FilePayload = {"name": "games.json", "mimeType": "application/json", "buffer": games.read_bytes()}
    page.locator("input[type=file]").set_input_files(files=[file])
    expect(page.get_by_text("1 game was read.")).to_be_visible()
    expect(page.locator(".game-cards .card")).to_have_count(1)


def text_of(download: Download) -> str:
    return Path(download.path()).read_text(encoding="utf-8")


@pytest.mark.parametrize("game", ["chess", "shogi", "go", "breakthrough", "expendibots"])
def test_a_whole_game_is_played(context: BrowserContext, address: str, game: str) -> None:
    """Random moves of a person, which the native rules choose, to the end of the game by the rules."""
    page = context.new_page()
    options = {"size": 9} if game == "go" else {}
    start(page, address, game, {"kind": "strength", "strength": 2}, **options)
    rules, rng = load_game(game, **options), random.Random(1)
    for _ in range(150):
        page.wait_for_function(TURN_OR_END)
        if page.locator(".result, .counting").count():
            break
        state = rules.initial()
        for name in page.evaluate(MOVES):
            state = rules.play(state, rules.parse_move(state, name))
        legal = rules.legal_moves(state)
        move = legal[-1] if game == "go" else rng.choice(legal)  # in Go a pass
        type_move(page, rules.move_text(state, move))
    if game == "go":
        page.get_by_role("button", name="Agree on the score").click()
    expect(page.locator(".result")).to_contain_text("You lost")


def test_a_tab_works_without_a_network_after_the_first_load(context: BrowserContext, site: Path) -> None:
    with served(site) as (address, _):
        page = context.new_page()
        start(page, address, "chess", {"kind": "level", "level": 1000})
        expect_turn(page)
        kept = False  # the networks are read while the person looks at the page
        for _ in range(600):
            kept = page.evaluate("caches.match('./tab/strong-chess.onnx.gz').then(Boolean)")
            if kept:
                break
            page.wait_for_timeout(100)
        assert kept
    page.reload()
    expect_turn(page)
    type_move(page, "e4")
    expect(page.locator(".status")).to_contain_text("plays")
    page.goto(f"{address}#/games")
    expect(page.locator(".game-cards .card")).to_have_count(1)


def test_what_a_tab_lacks_is_hidden_or_says_so(context: BrowserContext, address: str) -> None:
    page = context.new_page()
    page.goto(address)
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    pages = page.get_by_role("navigation").get_by_role("link").all_inner_texts()
    assert pages == ["Play", "Understand", "My games"]
    page.goto(f"{address}#/watch")
    expect(page.get_by_text("A tab cannot do this: it needs the installed program.")).to_be_visible()
    page.goto(f"{address}licences.html")
    expect(page.get_by_text("AGPL-3.0-only")).to_be_visible()


def test_a_game_is_played_with_the_keyboard_alone(context: BrowserContext, address: str) -> None:
    page = context.new_page()
    start(page, address, "breakthrough", {"kind": "strength", "strength": 1})
    expect_turn(page)
    page.keyboard.press("m")
    page.keyboard.type("b2b3")
    page.keyboard.press("Enter")
    expect(page.locator(".status")).to_contain_text("plays")
    expect_turn(page)
    page.keyboard.press("Escape")
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_a_clock_runs_and_falls(context: BrowserContext, address: str) -> None:
    """The flag of the person falls while the page is open."""
    page = context.new_page()
    page.goto(address)
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    page.evaluate("localStorage.setItem('game', 'breakthrough')")
    page.reload()
    page.get_by_role("combobox", name="Clock").select_option("own")
    page.get_by_label("Your clock").fill("0.05")
    page.get_by_role("button", name="Play", exact=True).click()
    expect_turn(page)
    type_move(page, "b2b3")
    expect_turn(page)
    expect(page.locator(".result")).to_contain_text("You lost: time ran out.")


def test_understand_shows_what_people_play(context: BrowserContext, address: str) -> None:
    page = context.new_page()
    page.goto(f"{address}#/understand")
    expect(page.locator(".insight-board")).to_be_visible()
    expect(page.get_by_text("e4", exact=True).first).to_be_visible()
