"""The board in the hand: premoves, promotion, arrows, wheel, sounds, themes, clock, confirmation, help."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Locator, Page, WebSocketRoute, expect

from tests.page.conftest import watch
from tests.page.steps import begin, choose, from_position, settings, tap, type_move, weak
from tests.page.test_other_pages import serious_faults
from tests.waiting import wait_until

LONG = "Nf3 Nf6 Ng1 Ng8 Nc3 Nc6 Nb1 Nb8 e3 e6 d3 d6 c3 c6 b3 b6 a3 a6 g3 g6 f3 f6 h3 h6 Ra2 Ra7 Rb2 Rb7"


@contextmanager
def held_answers(page: Page) -> Iterator[list[tuple[WebSocketRoute, str]]]:
    """Messages of the server about a game, which reach the page only afterwards."""
    held: list[tuple[WebSocketRoute, str]] = []
    waiting = [False]

    def live(socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()

        def message(text: str | bytes) -> None:
            if waiting[0]:
                held.append((socket, str(text)))
            else:
                socket.send(text)

        server.on_message(message)

    page.route_web_socket("**/live", live)
    page.reload()
    waiting[0] = True
    yield held
    waiting[0] = False
    for socket, text in held:
        socket.send(text)


def wait_for(page: Page, condition: Callable[[], object], what: str) -> None:
    """Waits for what Playwright's own handlers do: they run while the page is asked something."""
    wait_until(lambda: (page.evaluate("0"), condition())[1], what)


def colour(element: Locator, name: str) -> str:
    found: str = element.evaluate(f"element => getComputedStyle(element).{name}")
    return found


def brightness(shown: str) -> float:
    return sum(float(value) for value in re.findall(r"[\d.]+", shown)[:3])


@pytest.mark.parametrize("flipped", [False, True])
def test_coordinates_are_light_on_dark_and_dark_on_light(page: Page, flipped: bool) -> None:
    choose(page, "chess")
    begin(page)
    if flipped:
        page.get_by_role("button", name="Flip the board").click()
        expect(page.locator(".square-board.orientation-black")).to_be_visible()
    ranks, files = page.locator("coords.ranks coord"), page.locator("coords.files coord")
    for number in range(8):
        # a1 is dark; the numbers stand on the left file, the letters on the lowest rank.
        dark_rank = (number % 2 == 0) != flipped
        dark_file = (number % 2 == 0) != flipped
        assert (brightness(colour(ranks.nth(number), "color")) > 500) == dark_rank, number
        assert (brightness(colour(files.nth(number), "color")) > 500) == dark_file, number


def test_a_move_is_chosen_while_the_opponent_thinks(page: Page) -> None:
    with held_answers(page):
        choose(page, "chess")
        weak(page)
        begin(page)
        tap(page, "e2")
        tap(page, "e4")
        expect(page.get_by_text("Thinking…")).to_be_visible()
        tap(page, "a2")
        tap(page, "a3")
        expect(page.locator("square.current-premove")).to_have_count(2)
    expect(page.locator(".moves button").nth(2)).to_have_text("a3")


def test_a_shogi_move_is_chosen_while_the_opponent_thinks(page: Page) -> None:
    with held_answers(page):
        choose(page, "shogi")
        weak(page)
        begin(page)
        tap(page, "7g")
        tap(page, "7f")
        expect(page.get_by_text("Thinking…")).to_be_visible()
        tap(page, "1g")
        tap(page, "1f")
        expect(page.locator("sq.current-pre")).to_have_count(2)
    expect(page.locator(".moves button").nth(2)).to_contain_text("P-1f")


def test_the_queen_is_first_and_on_the_square(page: Page) -> None:
    choose(page, "chess")
    weak(page)
    from_position(page, "8/P5k1/8/8/8/8/6K1/8 w - - 0 1")
    begin(page)
    tap(page, "a7")
    tap(page, "a8")
    buttons = page.get_by_role("dialog").get_by_role("button")
    expect(buttons).to_have_count(4)
    assert [button.get_attribute("aria-label") for button in buttons.all()] == [
        "queen",
        "knight",
        "rook",
        "bishop",
    ]
    queen, square = buttons.first.bounding_box(), page.locator('[data-square="a8"]').bounding_box()
    assert queen is not None
    assert square is not None
    assert abs(queen["x"] - square["x"]) < 4
    assert abs(queen["y"] - square["y"]) < 4
    page.keyboard.press("Escape")
    expect(page.locator('[data-square="a7"]')).to_have_attribute("aria-label", "a7 white pawn")
    tap(page, "a7")
    tap(page, "a8")
    expect(buttons.first).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".moves button").first).to_have_text("a8=Q")


def test_own_arrows_stay_beside_a_hint(page: Page) -> None:
    choose(page, "chess")
    begin(page)
    boxes = [page.locator(f'[data-square="{square}"]').bounding_box() for square in ("b1", "c3")]
    (start, end) = ((box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in boxes if box)
    page.mouse.move(*start)
    page.mouse.down(button="right")
    page.mouse.move(*end)
    lines = page.locator(".cg-shapes line")
    expect(lines).to_have_count(1)  # chessground follows the mouse in the next frame
    page.mouse.up(button="right")
    expect(lines).to_have_count(1)
    page.get_by_role("button", name="Hint").click()
    expect(page.locator(".hint")).to_be_visible()
    expect(lines.nth(1)).to_be_attached()
    assert len({line.get_attribute("stroke") for line in lines.all()}) > 1


def test_the_wheel_steps_through_the_moves(page: Page) -> None:
    choose(page, "chess")
    weak(page)
    page.get_by_label("Opening").select_option("typed")
    page.get_by_label("Moves", exact=True).fill("e4 c5")
    begin(page)
    expect(page.locator(".moves .current")).to_have_text("c5")
    page.locator(".board-side").hover()
    page.mouse.wheel(0, -100)
    expect(page.locator(".moves .current")).to_have_text("e4")
    expect(page.get_by_text("You look at an earlier position.")).to_be_visible()
    page.mouse.wheel(0, 100)
    expect(page.locator(".moves .current")).to_have_text("c5")
    expect(page.get_by_text("You look at an earlier position.")).to_have_count(0)


def test_the_move_list_follows_the_last_move(page: Page) -> None:
    choose(page, "chess")
    weak(page)
    page.get_by_label("Opening").select_option("typed")
    page.get_by_label("Moves", exact=True).fill(LONG)
    begin(page)
    last = page.locator(".moves li").last
    expect(last).to_be_in_viewport()
    page.get_by_role("button", name="Hint").click()
    expect(page.locator(".hint")).to_be_visible()
    expect(last).to_be_in_viewport(ratio=0.95)  # also not cut off by its list, which follows in a frame


def test_an_own_clock(page: Page) -> None:
    choose(page, "chess")
    weak(page)
    page.get_by_role("combobox", name="Clock").select_option("own")
    page.get_by_label("Your clock").fill("2+7")
    with page.expect_request(lambda asked: asked.method == "POST") as asked:
        begin(page)
    wanted = asked.value.post_data_json
    assert wanted is not None
    assert wanted["clock"] == "2+7"
    expect(page.locator(".clock").first).to_have_text("2:00")


def test_a_move_waits_for_confirmation(page: Page) -> None:
    with settings(page):
        page.get_by_label("Confirm each move").check()
    choose(page, "chess")
    weak(page)
    begin(page)
    tap(page, "e2")
    tap(page, "e4")
    expect(page.get_by_role("button", name="Play e4")).to_be_visible()
    expect(page.locator(".moves button")).to_have_count(0)
    page.get_by_role("button", name="Cancel").click()
    tap(page, "d2")
    tap(page, "d4")
    page.get_by_role("button", name="Play d4").click()
    expect(page.locator(".moves button").first).to_have_text("d4")


def test_a_view_that_comes_again_leaves_what_was_chosen(page: Page) -> None:
    with settings(page):
        page.get_by_label("Confirm each move").check()
    with held_answers(page) as held:
        choose(page, "chess")
        weak(page)
        begin(page)  # the page has asked for the view; the socket's first message has the same
        page.get_by_role("button", name="Hint").click()
        expect(page.locator(".hint")).to_be_visible()
        tap(page, "e2")
        tap(page, "e4")
        expect(page.get_by_role("button", name="Play e4")).to_be_visible()
        wait_for(page, lambda: held, "the socket's first message")
    page.evaluate("new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve)))")
    expect(page.locator(".hint")).to_be_visible()
    page.get_by_role("button", name="Play e4").click()
    expect(page.locator(".moves button").first).to_have_text("e4")


def test_sounds_are_off_until_switched_on(page: Page) -> None:
    page.add_init_script(
        "const Real = AudioContext; window.heard = 0;"
        "window.AudioContext = class extends Real {"
        " createBufferSource() { window.heard += 1; return super.createBufferSource(); } };"
    )
    page.reload()
    choose(page, "breakthrough")
    weak(page)
    begin(page)
    type_move(page, "b2b3")
    expect(page.locator(".moves button")).to_have_count(2)
    assert page.evaluate("window.heard") == 0
    with settings(page):
        page.get_by_label("Sounds").check()
    type_move(page, "c2c3")
    expect(page.locator(".moves button")).to_have_count(4)
    page.wait_for_function("window.heard > 0")


def test_boards_and_pieces_are_chosen_and_kept(page: Page) -> None:
    choose(page, "chess")
    begin(page)
    board, piece = page.locator("cg-board"), page.locator("cg-board piece.king").first
    before = colour(board, "backgroundImage"), colour(piece, "backgroundImage")
    seen = {before}
    for theme, pieces in (("green", "plain"), ("blue", "letters")):
        with settings(page):
            page.get_by_role("radiogroup", name="Boards").get_by_label(theme).check()
            page.get_by_role("radiogroup", name="Chess pieces").get_by_label(pieces).check()
        seen.add((colour(board, "backgroundImage"), colour(piece, "backgroundImage")))
    assert len(seen) == len({board for board, _ in seen}) == len({piece for _, piece in seen}) == 3
    page.reload()
    assert colour(board, "backgroundImage") != before[0]


def test_shogi_pieces_are_chosen(page: Page) -> None:
    choose(page, "shogi")
    begin(page)
    piece = page.locator("sg-pieces piece.silver").first
    seen = {colour(piece, "backgroundImage")}
    for pieces in ("dark kanji", "letters", "with their moves"):
        with settings(page):
            page.get_by_role("radiogroup", name="Shogi pieces").get_by_label(pieces).check()
        seen.add(colour(piece, "backgroundImage"))
    assert len(seen) == 4


@pytest.mark.parametrize("game", ["chess", "rbc", "go", "breakthrough"])
def test_help_is_reachable_in_a_game(page: Page, game: str) -> None:
    choose(page, game)
    begin(page)
    page.keyboard.press("?")
    help_box = page.get_by_role("dialog", name="Help")
    expect(help_box.get_by_text("the rules in a minute")).to_be_visible()
    expect(help_box.get_by_text("What is this number?")).to_be_visible()
    page.keyboard.press("Escape")
    expect(help_box).to_have_count(0)
    page.get_by_role("button", name="Help").click()
    expect(help_box).to_be_visible()
    assert serious_faults(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_settings_have_no_serious_fault(page: Page, scheme: str) -> None:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    page.get_by_role("button", name="Settings").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    assert serious_faults(page) == []


@pytest.mark.parametrize("locale", ["en-US", "de-DE", "ja-JP"])
def test_a_phone_shows_all_pages(browser: Browser, address: str, locale: str) -> None:
    context = browser.new_context(locale=locale, viewport={"width": 360, "height": 740}, has_touch=True)
    page = context.new_page()
    page.goto(address)
    links = page.locator("nav a")
    expect(links).to_have_count(7)
    for link in links.all():
        box = link.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 360
        assert link.evaluate("link => link.scrollWidth <= link.clientWidth + 1")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    context.close()


@pytest.mark.parametrize("page", ["phone"], indirect=True)
def test_on_a_phone_the_review_has_its_board_above(page: Page) -> None:
    page.get_by_role("link", name="Understand").click()
    page.get_by_role("button", name="Paste").click()
    page.get_by_label("A position or a whole game").fill("1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0")
    page.get_by_role("button", name="Look").click()
    move = page.locator(".missed button").first
    move.scroll_into_view_if_needed()
    board, listed = page.locator(".insight-board").bounding_box(), move.bounding_box()
    assert board is not None
    assert listed is not None
    assert board["y"] + board["height"] <= listed["y"]
    move.tap()
    expect(page.locator(".insight-board cg-board")).to_be_in_viewport()


def test_shogi_in_japanese(browser: Browser, address: str) -> None:
    context = browser.new_context(locale="ja-JP")
    page = context.new_page()
    faults: list[str] = []
    watch(page, address, faults)
    page.goto(address)
    page.get_by_label("将棋", exact=True).check()
    page.get_by_label("探索プログラム").check()
    page.get_by_label("強さ").fill("1")
    page.get_by_role("button", name="対局", exact=True).click()
    expect(page.get_by_role("region", name="ゲーム")).to_be_visible()
    tap(page, "7g")
    tap(page, "7f")
    expect(page.locator(".moves button").first).to_have_text("７六歩")
    expect(page.locator(".strip.bottom .about")).to_have_text("先手")
    expect(page.locator(".moves button")).to_have_count(2)
    assert serious_faults(page) == []
    context.close()
    assert faults == []
