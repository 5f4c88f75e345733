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
        page.get_by_role("button", name="Save all games and settings in a file").click()
    games = download.value.path()
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Delete the game").click()
    expect(page.locator(".game-cards .card")).to_have_count(0)
    file: FilePayload = {"name": "games.json", "mimeType": "application/json", "buffer": games.read_bytes()}
    page.locator("input[type=file]").set_input_files(files=[file])
    expect(page.get_by_text("1 game was read.")).to_be_visible()
    expect(page.locator(".game-cards .card")).to_have_count(1)


def tap(page: Page, square: str) -> None:
    """Touches a square of any board."""
    box = page.locator(f'[data-square="{square}"]').bounding_box()
    assert box is not None
    page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def moves_of(page: Page) -> list[str]:
    found: list[str] = page.evaluate(MOVES)
    return found


def resign(page: Page) -> None:
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("button", name="Really resign").click()
    expect(page.locator(".result")).to_contain_text("you resigned")


def text_of(download: Download) -> str:
    return Path(download.path()).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("game", "opponent"),
    [
        ("chess", {"kind": "level", "level": 2000}),
        ("shogi", {"kind": "level", "level": 10}),
        ("breakthrough", {"kind": "strength", "strength": 2}),
        ("expendibots", {"kind": "strength", "strength": 2}),
    ],
)
def test_a_whole_game_is_played(
    context: BrowserContext, address: str, game: str, opponent: dict[str, object]
) -> None:
    """Random moves of a person, which the native rules choose, to the end of the game by the rules."""
    page = context.new_page()
    start(page, address, game, opponent)
    rules, rng = load_game(game), random.Random(1)
    for _ in range(150):
        page.wait_for_function(TURN_OR_END)
        if page.locator(".result").count():
            break
        state = rules.initial()
        for name in moves_of(page):
            state = rules.play(state, rules.parse_move(state, name))
        type_move(page, rules.move_text(state, rng.choice(rules.legal_moves(state))))
    expect(page.locator(".result")).to_contain_text("You lost")


def test_a_game_of_go_is_played_and_counted_with_its_dead_stones(
    context: BrowserContext, address: str
) -> None:
    """Stones, passes until the opponent passes too, a stone marked as dead, and the score."""
    page = context.new_page()
    start(page, address, "go", {"kind": "level", "level": -3}, size=9)
    rules = load_game("go", size=9)
    for wanted in ("E5", "E3", "E7", "C5", "G5", "E1", "E9", "C3"):
        expect_turn(page)
        state = rules.initial()
        for name in moves_of(page):
            state = rules.play(state, rules.parse_move(state, name))
        legal = [rules.move_text(state, move) for move in rules.legal_moves(state)]
        type_move(page, next(move for move in (wanted, *legal) if move in legal))
    for _ in range(100):
        page.wait_for_function(TURN_OR_END)
        if page.locator(".counting").count():
            break
        type_move(page, "pass")
    else:
        pytest.fail("the opponent never passes")
    state = rules.initial()
    for name in moves_of(page):
        state = rules.play(state, rules.parse_move(state, name))
    black, white = state.stones
    assert len(black) >= 4, "stones of the person are there"
    assert white, "and of the opponent"
    standing = rules.move_text(rules.initial(), black[0])
    score = page.locator(".counting").inner_text()
    crosses = page.locator("svg .cross").count()
    box = page.locator(f'[data-square="{standing}"]').bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page.locator("svg .cross")).not_to_have_count(crosses)
    expect(page.locator(".counting")).not_to_have_text(score)
    page.get_by_role("button", name="Agree on the score").click()
    expect(page.locator(".result")).to_contain_text("by")


def test_the_first_load_of_chess_is_small_and_a_second_game_needs_no_network(
    context: BrowserContext, site: Path
) -> None:
    """At most 25 MB are sent until chess is ready. Then the server is gone: the game goes on, and another one
    begins."""
    with served(site) as (address, sent):
        page = context.new_page()
        start(page, address, "chess", {"kind": "level", "level": 1000})
        expect_turn(page)
        expect_kept(page, "tab/human-chess.onnx.gz", "tab/strong-chess.onnx.gz")
        assert 5_000_000 < sum(size for _, size in sent) <= 25_000_000
        assert not any("go.onnx" in path for path, _ in sent)
    page.reload()
    expect_turn(page)
    type_move(page, "e4")
    expect(page.locator(".status")).to_contain_text("plays")
    resign(page)
    page.get_by_role("button", name="Rematch").click()
    expect(page.locator(".result")).to_have_count(0)
    expect_turn(page)
    assert moves_of(page), "the opponent began"
    page.goto(f"{address}#/games")
    expect(page.locator(".game-cards .card")).to_have_count(2)


def expect_kept(page: Page, *names: str) -> None:
    """Waits until the service worker keeps files."""
    query = """names => Promise.all(names.map((name) => caches.match(`./${name}`)))
        .then((kept) => kept.every(Boolean))"""
    for _ in range(1200):
        if page.evaluate(query, list(names)):
            return
        page.wait_for_timeout(100)
    pytest.fail(f"not kept: {names}")


def test_all_games_are_kept_for_offline_use_on_a_wish(context: BrowserContext, site: Path) -> None:
    """Shogi and Go were never opened when the network goes."""
    with served(site) as (address, _):
        page = context.new_page()
        page.goto(address)
        page.get_by_role("button", name="Keep all games for offline use").click()
        expect(page.get_by_text("All games are kept for offline use.")).to_be_visible(timeout=120_000)
    start(page, address, "shogi", {"kind": "level", "level": 30})
    expect_turn(page)
    type_move(page, "7g7f")
    expect(page.locator(".status")).to_contain_text("plays")
    start(page, address, "go", {"kind": "level", "level": -3}, size=9)
    expect_turn(page)
    type_move(page, "E5")
    expect(page.locator(".status")).to_contain_text("plays")


def test_the_page_says_which_opponents_of_any_game_are_slow(context: BrowserContext, address: str) -> None:
    """Also of a game that is chosen later than the first one: Go's strongest search player takes minutes."""
    page = context.new_page()
    page.goto(address)
    slow = page.get_by_text("On this machine it thinks for about")
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    page.get_by_label("A search player").check()
    expect(slow).to_have_count(0)
    page.get_by_label("Go", exact=True).check()
    page.get_by_label("A search player").check()
    page.get_by_label("Strength").fill("9")
    expect(slow).to_be_visible()
    page.get_by_label("Strength").fill("1")
    expect(slow).to_have_count(0)


@pytest.mark.parametrize(
    ("game", "opponent", "squares", "name"),
    [
        ("chess", {"kind": "level", "level": 1000}, ("e2", "e4"), "e4"),
        ("shogi", {"kind": "level", "level": 30}, ("7g", "7f"), "P-7f"),
        ("go", {"kind": "strength", "strength": 1}, ("E5",), "E5"),
    ],
)
def test_a_board_is_touched_on_a_phone(
    address: str, game: str, opponent: dict[str, object], squares: tuple[str, ...], name: str
) -> None:
    context = launched().new_context(viewport=PHONE, has_touch=True, is_mobile=True)
    context.set_default_timeout(60_000)
    page = context.new_page()
    start(page, address, game, opponent, size=9 if game == "go" else 0)
    expect_turn(page)
    for square in squares:
        tap(page, square)
    page.wait_for_function(f"{MOVES}.length > 1")
    assert moves_of(page)[0] == name
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    context.close()


CROSS_ORIGIN = {"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp"}


@pytest.mark.parametrize("headers", [{}, CROSS_ORIGIN], ids=["plain", "isolated"])
def test_isolated_pages_use_more_threads(site: Path, headers: dict[str, str]) -> None:
    """Networks use a thread for each core, up to four, where the server isolates the page; else one."""
    browser = launched()
    context = browser.new_context(viewport=PHONE)
    context.set_default_timeout(60_000)
    with served(site, headers) as (address, _):
        page = context.new_page()
        start(page, address, "chess", {"kind": "level", "level": 1000})
        expect_turn(page)
        type_move(page, "e4")
        expect(page.locator(".status")).to_contain_text("plays")
        expect_turn(page)
        assert page.evaluate("crossOriginIsolated") == bool(headers)
        cores = page.evaluate("navigator.hardwareConcurrency")
        targets = browser.new_browser_cdp_session().send("Target.getTargets")["targetInfos"]
        workers = [target for target in targets if "ort-wasm-simd-threaded" in target["url"]]
        assert len(workers) == (min(4, cores) - 1 if headers else 0)
    context.close()


def test_what_a_tab_lacks_is_hidden_or_says_so(context: BrowserContext, address: str) -> None:
    page = context.new_page()
    page.goto(address)
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    pages = page.get_by_role("navigation").get_by_role("link").all_inner_texts()
    assert pages == ["Play", "Understand", "My games"]
    expect(page.get_by_text("Only the installed program has the deck of your mistakes")).to_be_visible()
    for path, sentence in (
        ("watch", "Watching games and tournaments needs the installed program."),
        ("train", "The deck of your mistakes and problems need the installed program."),
        ("progress", "The page of your progress needs the installed program."),
        ("turing", "The Turing test needs the installed program."),
        ("person", "Persons, made of somebody's games, need the installed program."),
        ("reports", "The pages of what was measured need the installed program."),
    ):
        page.goto(f"{address}#/{path}")
        expect(page.get_by_text("A tab cannot do this: it needs the installed program.")).to_be_visible()
        expect(page.get_by_text(sentence)).to_be_visible()
    page.goto(f"{address}licences.html")
    expect(page.get_by_text("AGPL-3.0-only")).to_be_visible()
    assert page.request.get(f"{address}source.tar.gz", headers={"Range": "bytes=0-1"}).ok
    expect(page.get_by_role("link", name="Here is the source")).to_have_attribute("href", "source.tar.gz")


def test_settings_travel_with_the_games(context: BrowserContext, address: str) -> None:
    page = context.new_page()
    page.goto(f"{address}#/games")
    page.evaluate("localStorage.setItem('language', 'de'); localStorage.setItem('rating-chess', '1400')")
    page.reload()
    with page.expect_download() as download:
        page.get_by_role("button", name="Alle Partien und Einstellungen in einer Datei speichern").click()
    file: FilePayload = {
        "name": "games.json",
        "mimeType": "application/json",
        "buffer": download.value.path().read_bytes(),
    }
    page.evaluate("localStorage.clear(); localStorage.setItem('other', 'stays')")
    page.reload()
    expect(page.get_by_role("heading", name="Keep your games")).to_be_visible()
    page.locator("input[type=file]").set_input_files(files=[file])
    expect(page.get_by_text("The settings are those of the file.")).to_be_visible()
    expect(page.get_by_role("heading", name="Partien sichern")).to_be_visible()
    assert page.evaluate("[localStorage['rating-chess'], localStorage.other]") == ["1400", "stays"]


PASTED = """[White "Ann"]
[Black "Bob"]

1. e4 e5 2. Nf3 Nc6 3. Bc4 h6 4. O-O Nd4 5. Nxe5 Qg5 6. Bxf7+ Ke7 7. Nf3 Nxf3+ 8. Qxf3 d6 9. d4 Qg6 *
"""


def test_a_pasted_game_is_reviewed(context: BrowserContext, address: str) -> None:
    """The moments, the chances curve, and the better line, which is played on the board."""
    page = context.new_page()
    page.goto(f"{address}#/understand")
    page.get_by_role("button", name="Paste a position or a game").click()
    page.get_by_label("A position or a whole game").fill(PASTED)
    expect(page.get_by_text("Recognised: a game of Chess (PGN).")).to_be_visible()
    page.get_by_role("button", name="Look", exact=True).click()
    review = page.get_by_role("region", name="Review")
    expect(review.get_by_role("heading", name="The moments that mattered")).to_be_visible(timeout=300_000)
    expect(review.locator("polyline.score")).to_be_attached()
    expect(review.get_by_text("A tab does not estimate how strong")).to_be_visible()
    expect(page.get_by_text("Learn from it")).to_have_count(0)
    moments = review.locator("ol.missed li button")
    assert 1 <= moments.count() <= 3
    moments.first.click()
    line = page.get_by_role("group", name="The best line").get_by_role("button")
    assert line.count() >= 3
    line.first.click()
    expect(page.get_by_role("button", name="Back to the game")).to_be_visible()


@pytest.mark.parametrize(
    ("game", "opponent", "moves", "judgement"),
    [
        ("shogi", {"kind": "level", "level": 30}, ("7g7f", "2g2f"), "What moves cost is not shown"),
        ("go", {"kind": "strength", "strength": 1}, ("E5", "C3"), "Moves that gave much away"),
    ],
)
def test_the_game_just_played_is_reviewed(
    context: BrowserContext,
    address: str,
    game: str,
    opponent: dict[str, object],
    moves: tuple[str, ...],
    judgement: str,
) -> None:
    page = context.new_page()
    start(page, address, game, opponent, size=9 if game == "go" else 0)
    for move in moves:
        expect_turn(page)
        type_move(page, move)
    expect_turn(page)
    resign(page)
    page.get_by_role("link", name="Review").click()
    review = page.get_by_role("region", name="Review")
    expect(review).to_be_visible()
    expect(review.get_by_text("Looked at")).to_have_count(0, timeout=300_000)
    expect(review.get_by_role("alert")).to_have_count(0)
    expect(review.get_by_text(judgement)).to_be_visible()
    expect(review.locator("polyline.score")).to_be_attached()


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
