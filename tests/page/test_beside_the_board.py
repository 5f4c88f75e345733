"""What stands beside the board: buttons that keep their place, questions, clocks, the field for moves."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Page, Route, WebSocketRoute, expect

from sparring.players.game_players import bot_ratings
from tests.page.conftest import SCREENS, watch
from tests.page.steps import begin, choose, settings, tap, type_move, weak
from tests.page.test_board import held_answers
from tests.page.test_other_pages import serious_faults


def places(page: Page) -> list[tuple[str | None, float]]:
    """The buttons below the moves and where they stand."""
    buttons = page.locator(".action")
    boxes = buttons.evaluate_all("buttons => buttons.map(button => button.getBoundingClientRect().x)")
    return [(button.get_attribute("aria-label"), x) for button, x in zip(buttons.all(), boxes, strict=True)]


@pytest.mark.parametrize("game", ["chess", "go"])
def test_buttons_keep_their_place_while_the_opponent_thinks(page: Page, game: str) -> None:
    with held_answers(page):
        choose(page, game)
        weak(page)
        begin(page)
        expect(page.get_by_role("button", name="Hint")).to_be_enabled()
        expect(page.get_by_role("button", name="Take back")).to_be_disabled()
        before = places(page)
        type_move(page, "e4" if game == "chess" else "D4")
        expect(page.get_by_text("Thinking…")).to_be_visible()
        for name in ("Hint", "Offer a draw" if game == "chess" else "Pass"):
            expect(page.get_by_role("button", name=name)).to_be_disabled()
        expect(page.get_by_role("button", name="Resign")).to_be_enabled()
        assert places(page) == before
    expect(page.get_by_role("button", name="Hint")).to_be_enabled()
    assert places(page) == before


def test_shogi_has_no_draw_offers(page: Page) -> None:
    choose(page, "shogi")
    begin(page)
    expect(page.get_by_role("button", name="Resign")).to_be_visible()
    expect(page.get_by_role("button", name="Offer a draw")).to_have_count(0)


def test_a_sense_on_an_own_piece_is_asked_twice(page: Page) -> None:
    choose(page, "rbc")
    begin(page)
    expect(page.get_by_text("Tap a square to sense it")).to_be_visible()
    tap(page, "e2")
    expect(page.get_by_text("You move after the sense. Tap e2 again")).to_be_visible()
    expect(page.locator("square.aim")).to_have_count(9)
    expect(page.locator("square.sensed")).to_have_count(0)
    page.keyboard.press("Escape")
    expect(page.locator("square.aim")).to_have_count(0)
    tap(page, "e2")
    tap(page, "d2")
    expect(page.get_by_text("Tap d2 again")).to_be_visible()
    assert serious_faults(page) == []
    page.get_by_role("button", name="Sense around d2").click()
    expect(page.locator("square.sensed")).to_have_count(9)
    expect(page.get_by_text("Your move.")).to_be_visible()


def test_confirmation_holds_for_a_sense_of_any_square(page: Page) -> None:
    with settings(page):
        page.get_by_label("Confirm each move").check()
    choose(page, "rbc")
    begin(page)
    tap(page, "e6")
    expect(page.get_by_role("button", name="Sense around e6")).to_be_visible()
    expect(page.locator("square.sensed")).to_have_count(0)
    tap(page, "e6")
    expect(page.locator("square.sensed")).to_have_count(9)


def renamed(text: str) -> str:
    """An answer of the server in which blind chess has another name."""
    return re.sub(r'"(name|game)": ?"rbc"', r'"\1": "dark"', text)


def test_another_hidden_game_is_played_as_blind_chess_is(page: Page) -> None:
    """The page asks what a game is like, and not for its name: here the game has another one."""

    def live(socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()
        server.on_message(lambda text: socket.send(renamed(str(text))))

    def asked(route: Route) -> None:
        answer = route.fetch(post_data=(route.request.post_data or "").replace('"dark"', '"rbc"') or None)
        route.fulfill(response=answer, body=renamed(answer.text()))

    page.route_web_socket("**/live", live)
    page.route("**/api/**", asked)
    page.reload()
    choose(page, "rbc")
    begin(page)
    assert page.locator(".table.dark").count() == 1
    tap(page, "e6")
    expect(page.locator("square.sensed")).to_have_count(9)
    type_move(page, "e2e4")
    expect(page.get_by_text("possible boards")).to_be_visible()
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("button", name="Really resign").click()
    expect(page.get_by_role("region", name="Replay")).to_be_visible()


def test_a_stack_explodes_by_the_mouse_and_nothing_covers_the_board(page: Page) -> None:
    choose(page, "expendibots")
    weak(page)
    begin(page)
    tap(page, "b2")
    button = page.get_by_role("button", name="Explode the stack")
    board, box = page.locator(".board-side").bounding_box(), button.bounding_box()
    assert board is not None
    assert box is not None
    assert box["x"] >= board["x"] + board["width"]
    button.click()
    expect(page.locator(".moves button").first).to_have_text("boom b2")
    expect(button).to_have_count(0)


def ghost_of_chess(page: Page) -> None:
    expect(page.locator("cg-auto-pieces piece.pawn")).to_have_count(1)


def ghost_of_shogi(page: Page) -> None:
    expect(page.locator("sg-free-pieces piece.pawn")).to_have_count(1)


def ghost_of_squares(page: Page) -> None:
    expect(page.locator(".placed .piece")).to_have_count(1)


@pytest.mark.parametrize("page", ["phone"], indirect=True)
@pytest.mark.parametrize(
    ("game", "squares", "ghost"),
    [
        ("chess", ["e2", "e4"], ghost_of_chess),
        ("shogi", ["7g", "7f"], ghost_of_shogi),
        ("go", ["D4"], ghost_of_squares),
        ("breakthrough", ["c2", "c3"], ghost_of_squares),
    ],
)
def test_a_move_that_waits_is_shown_pale_with_its_buttons_at_the_board(
    page: Page, game: str, squares: list[str], ghost: Callable[[Page], None]
) -> None:
    with settings(page):
        page.get_by_label("Confirm each move").check()
    choose(page, game)
    weak(page)
    begin(page)
    before = page.locator(".board-side").bounding_box()
    for square in squares:
        tap(page, square)
    ghost(page)
    button, board = page.locator(".confirm button.main"), page.locator(".board-side").bounding_box()
    expect(button).to_be_in_viewport()
    box = button.bounding_box()
    assert board == before
    assert board is not None
    assert box is not None
    assert board["y"] + board["height"] <= box["y"] < board["y"] + board["height"] + 40
    assert serious_faults(page) == []
    button.click()
    expect(page.locator(".moves button")).to_have_count(2)


@pytest.mark.parametrize("page", ["phone"], indirect=True)
@pytest.mark.parametrize("game", ["chess", "shogi"])
def test_a_phone_has_a_margin_to_scroll_beside_the_board(page: Page, game: str) -> None:
    choose(page, game)
    begin(page)
    board = page.locator(".board-side").bounding_box()
    assert board is not None
    assert board["x"] >= 16
    assert board["x"] + board["width"] <= SCREENS["phone"]["width"] - 16
    assert board["width"] > 300


def begun_with_clock(page: Page, clock: str) -> None:
    """Begins a game of Breakthrough with a clock of one's own."""
    choose(page, "breakthrough")
    weak(page)
    page.get_by_label("The opponent answers at once").check()
    page.get_by_role("combobox", name="Clock").select_option("own")
    page.get_by_label("Your clock").fill(clock)
    begin(page)


def test_a_short_clock_is_not_low_from_the_start(page: Page) -> None:
    begun_with_clock(page, "0.1")
    expect(page.locator(".clock")).to_have_text(["6.0", "6.0"])
    expect(page.locator(".clock.low")).to_have_count(0)
    type_move(page, "c2c3")
    expect(page.locator(".strip.bottom .clock.low")).to_be_visible()


def test_a_clock_in_byoyomi_shows_its_period(page: Page) -> None:
    begun_with_clock(page, "0+3x30")
    clock = page.locator(".strip.bottom .clock")
    expect(clock).to_have_text("0:30 ×3")
    type_move(page, "c2c3")
    expect(clock).to_have_text(re.compile("^0:2[0-9] ×3$"))  # each number is there for a second only


def test_a_clock_that_cannot_be_read_is_refused(page: Page) -> None:
    choose(page, "chess")
    page.get_by_role("combobox", name="Clock").select_option("own")
    page.get_by_label("Your clock").fill("a while")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("'a while' is no clock")


def test_the_field_gives_an_example_only_before_the_first_move(page: Page) -> None:
    choose(page, "chess")
    weak(page)
    begin(page)
    field = page.locator(".move-field input")
    expect(field).to_have_attribute("placeholder", re.compile(r"^Or type a move, such as [a-h][34]$"))
    type_move(page, "e4")
    expect(page.locator(".moves button")).to_have_count(2)
    expect(field).to_have_attribute("placeholder", "Or type a move")


def test_keys_lead_to_the_field_and_to_the_board(page: Page) -> None:
    choose(page, "chess")
    weak(page)
    begin(page)
    page.keyboard.press("m")
    expect(page.locator(".move-field input")).to_be_focused()
    page.keyboard.type("bc4 m")
    expect(page.locator(".move-field input")).to_have_value("bc4 m")
    page.locator(".brand").focus()
    page.keyboard.press("b")
    expect(page.locator(".board-side [data-square]:focus")).to_have_count(1)
    page.reload()
    expect(page.get_by_text("Your move.")).to_be_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the board")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".board-side [data-square]:focus")).to_have_count(1)


@contextmanager
def visitor(browser: Browser, address: str, locale: str) -> Iterator[Page]:
    """A visitor with a language; the page logs no errors."""
    context = browser.new_context(locale=locale)
    page = context.new_page()
    faults: list[str] = []
    watch(page, address, faults)
    page.goto(address)
    yield page
    context.close()
    assert faults == []


def test_chess_in_german_has_german_letters(browser: Browser, address: str) -> None:
    with visitor(browser, address, "de-DE") as page:
        page.get_by_label("Schach", exact=True).check()
        page.get_by_role("button", name="Spielen", exact=True).click()
        moves = page.locator(".moves button")
        type_move(page, "Sf3")
        expect(moves).to_have_count(2)
        type_move(page, "Nc3")
        expect(moves).to_have_count(4)
        expect(moves.nth(0)).to_have_text("Sf3")
        expect(moves.nth(2)).to_have_text("Sc3")
        with page.expect_download() as download:
            page.get_by_role("button", name="Als PGN speichern").click()
        assert "1. Nf3 " in download.value.path().read_text()
        page.goto(re.sub("#.*", "#/", page.url))
        expect(page.locator(".unfinished")).to_contain_text("Sparring, Stufe 1500")
        page.goto(re.sub("#.*", "#/games", page.url))
        expect(page.locator(".game-cards")).to_contain_text("Sparring, Stufe 1500")


def test_shogi_in_japanese_is_written_and_read_in_kanji(browser: Browser, address: str) -> None:
    with visitor(browser, address, "ja-JP") as page:
        page.get_by_label("将棋", exact=True).check()
        page.get_by_role("button", name="対局", exact=True).click()
        expect(page.locator("coords.ranks coord").last).to_have_text("一")
        expect(page.locator("coords.files coord").first).to_have_text("9")
        expect(page.locator('[data-square="7g"]')).to_have_attribute("aria-label", re.compile("^７七 "))
        field = page.locator(".move-field input")
        expect(field).to_have_attribute("placeholder", re.compile("[１-９][一二三四五六七八九]"))
        for count, move in enumerate(("７六歩", "2g2f", "P-1f", "P9f"), 1):
            type_move(page, move)
            expect(page.locator(".moves button")).to_have_count(2 * count)
        expect(page.locator(".moves button").nth(2)).to_have_text("２六歩")


def test_shogi_players_choose_how_moves_are_written(page: Page) -> None:
    choose(page, "shogi")
    begin(page)
    ranks = page.locator("coords.ranks coord")
    expect(ranks.last).to_have_text("a")
    with settings(page):
        page.get_by_label("７六歩").check()
    expect(ranks.last).to_have_text("一")
    type_move(page, "P-7f")
    expect(page.locator(".moves button").first).to_have_text("７六歩")
    with settings(page):
        page.get_by_label("P-7f").check()
    expect(ranks.last).to_have_text("a")
    expect(page.locator(".moves button").first).to_have_text("P-7f")


@pytest.mark.parametrize(("game", "premoves"), [("chess", 1), ("shogi", 1), ("go", 0), ("rbc", 0)])
def test_the_help_is_about_the_game(page: Page, game: str, premoves: int) -> None:
    choose(page, game)
    page.keyboard.press("?")
    box = page.get_by_role("dialog", name="Help")
    expect(box.get_by_text("A move chosen while the opponent thinks")).to_have_count(premoves)
    expect(box.locator("strong")).to_contain_text(
        {
            "chess": "errs about as often",
            "go": "loses about as many points",
            "shogi": "on one of their days",
        }.get(game, "was measured")
    )
    expect(box.get_by_text("A rating or rank of people")).not_to_be_visible()
    box.get_by_text("More about the numbers").click()
    expect(box.get_by_text("A rating or rank of people")).to_be_visible()
    if game == "chess":
        expect(box.locator(".rules-text")).to_contain_text("En passant")


def test_each_budget_of_a_bot_has_its_own_measured_rating(page: Page) -> None:
    choose(page, "rbc")
    expect(page.get_by_text("The weakest first, by measured strength.")).to_be_visible()
    page.get_by_label("planner", exact=True).check()
    for (name, seconds), row in bot_ratings("rbc").items():
        if name != "planner" or seconds is None or row.interval is None:
            continue
        page.get_by_label(f"{seconds:g} s a turn").check()
        low, high = (round(end) for end in row.interval)
        expect(page.get_by_text(f"Measured with {seconds:g} s a turn: {row.rating:.0f}")).to_contain_text(
            f"({low} to {high}) in {row.games} games between the bots."
        )
    expect(page.get_by_text("inference-4 overlap: which of them is stronger is not certain.")).to_be_visible()
    expect(page.get_by_text("Nor is it certain that more time makes it stronger.")).to_be_visible()
    page.get_by_label("inference-3", exact=True).check()
    expect(page.get_by_text("The scale rests on it: it has 1500 by definition.")).to_be_visible()
    expect(page.get_by_text("it was not measured")).to_have_count(0)


def test_a_budget_that_was_not_measured_says_so(page: Page) -> None:
    def without(route: Route) -> None:
        offers = route.fetch().json()
        (planner,) = [bot for offer in offers for bot in offer["bots"] if bot["name"] == "planner"]
        planner["ratings"] = [row for row in planner["ratings"] if row["seconds"] != 8]
        route.fulfill(json=offers)

    page.route("**/api/catalogue", without)
    page.reload()
    choose(page, "rbc")
    page.get_by_label("planner", exact=True).check()
    expect(page.get_by_text("Measured with 2 s a turn:")).to_be_visible()
    page.get_by_label("8 s a turn").check()
    expect(page.get_by_text("With 8 s a turn it was not measured.")).to_be_visible()
