"""Games on the page, in a real browser, from the first click to the result."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, WebSocketRoute, expect

from tests.page.conftest import SCREENS, serve, watch
from tests.page.steps import begin, choose, from_position, plain, resign, result, tap, type_move, weak
from tests.waiting import wait_until


def test_chess_by_clicks_to_mate(page: Page) -> None:
    choose(page, "chess")
    weak(page)
    from_position(page, "7k/8/6K1/8/8/8/8/1Q6 w - - 0 1")
    begin(page)
    tap(page, "b1")
    tap(page, "b8")
    assert result(page) == "You won: checkmate."
    page.get_by_role("button", name="One move back").click()
    expect(page.locator("cg-board piece.queen")).to_have_count(1)
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as PGN").click()
    assert "Qb8#" in download.value.path().read_text()


def test_shogi_by_a_drop_to_mate(page: Page) -> None:
    choose(page, "shogi")
    from_position(page, "4k4/9/4P4/9/9/9/9/9/4K4 b G 1")
    begin(page)
    page.locator(".hand-bottom piece.gold").click()
    tap(page, "5b")
    assert result(page).startswith("You won")


def test_shogi_asks_whether_to_promote(page: Page) -> None:
    choose(page, "shogi")
    from_position(page, "4k4/9/9/2S6/9/9/9/9/4K4 b - 1")
    begin(page)
    tap(page, "7d")
    tap(page, "7c")
    page.locator("sg-promotion piece.promotedsilver").click()
    expect(page.locator(".moves button").first).to_contain_text("S-7c+")
    page.get_by_role("button", name="Letters on pieces").click()
    expect(page.get_by_role("button", name="Kanji on pieces")).to_be_visible()


def test_chess_asks_what_a_pawn_becomes(page: Page) -> None:
    choose(page, "chess")
    weak(page)
    from_position(page, "8/P5k1/8/8/8/8/6K1/8 w - - 0 1")
    begin(page)
    tap(page, "a7")
    tap(page, "a8")
    page.get_by_role("dialog").get_by_role("button", name="knight").click()
    expect(page.locator(".moves button").first).to_have_text("a8=N")


def test_go_ends_with_dead_stones_and_a_score(browser: Browser, tmp_path: Path) -> None:
    context = browser.new_context(viewport=SCREENS["desktop"])
    context.set_default_timeout(60_000)
    page = context.new_page()
    faults: list[str] = []
    with serve(tmp_path) as address:
        watch(page, address, faults)
        page.goto(address)
        crosses = count_dead_stones(page)
        page.reload()
        assert_counted(page, crosses)
        game = page.url.removeprefix(address)
        assert faults == []
    with serve(tmp_path) as address:
        page.goto(address + game)
        assert_counted(page, crosses)
        page.keyboard.press("ArrowLeft")
        expect(page.locator(".cross")).to_have_count(0)
        page.keyboard.press("ArrowRight")
        assert_counted(page, crosses)
    context.close()


def count_dead_stones(page: Page) -> int:
    """Plays Go to its end with dead stones; gives their number."""
    choose(page, "go")
    weak(page)
    from_position(page, "9/9/2O6/9/4X4/9/6X2/9/9 b - 0 0 1 7.5")
    begin(page)
    page.get_by_role("button", name="Pass").click()
    expect(page.get_by_text("Both passed")).to_be_visible()
    crosses = page.locator(".cross").count()
    tap(page, "A1")  # an empty point: nothing happens
    tap(page, "C7")
    expect(page.locator(".cross")).not_to_have_count(crosses)
    expect(page.get_by_role("alert")).to_have_count(0)
    if page.locator('[data-square="C7"] .cross').count() == 0:
        tap(page, "C7")
    expect(page.locator('[data-square="C7"] .cross')).to_have_count(1)
    crosses = page.locator(".cross").count()
    page.get_by_role("button", name="Agree on the score").click()
    assert_counted(page, crosses)
    return crosses


def assert_counted(page: Page, crosses: int) -> None:
    """The game is over by points, its dead stones are crossed out, and the score stands there once."""
    assert "points" in result(page)
    assert page.locator(".cross").count() == crosses > 0
    expect(page.locator('[data-square="C7"] .cross')).to_have_count(1)
    expect(page.get_by_text("Black has")).to_have_count(0)


def test_blind_chess_senses_moves_and_shows_the_truth(page: Page) -> None:
    choose(page, "rbc")
    page.get_by_label("random", exact=True).check()
    begin(page)
    expect(page.get_by_text("Tap a square to sense it")).to_be_visible()
    tap(page, "e6")
    expect(page.locator("square.sensed").first).to_be_attached()
    type_move(page, "e2e4")
    expect(page.get_by_text("possible boards")).to_be_visible()
    type_move(page, "e6")
    resign(page)
    assert result(page) == "You lost: you resigned."
    replay = page.get_by_role("region", name="Replay")
    expect(replay.get_by_text("White (You): ")).to_be_visible()
    replay.get_by_role("button", name="First position").click()
    expect(replay.get_by_text("Before the first move")).to_be_visible()
    expect(replay.get_by_text("1 possible board")).to_have_count(2)
    expect(page.locator(".board-side cg-board piece")).to_have_count(32)
    replay.get_by_role("button", name="One move forward").click()
    expect(replay.get_by_text("White: sense e6")).to_be_visible()


def test_blind_chess_shows_a_piece_that_is_certain_once(page: Page) -> None:
    choose(page, "rbc")
    begin(page)
    expect(page.get_by_text("Tap a square to sense it")).to_be_visible()
    tap(page, "e7")
    expect(page.locator("square.sensed").first).to_be_attached()
    type_move(page, "e2e4")
    expect(page.get_by_text("Tap a square to sense it")).to_be_visible()
    expect(page.locator("cg-auto-pieces piece").first).to_be_attached()
    places = """where => [...document.querySelectorAll(`.board-side ${where} piece`)]
        .map(piece => piece.style.transform.replace(/ scale.*/, ""))"""
    assert not set(page.evaluate(places, "cg-auto-pieces")) & set(page.evaluate(places, "cg-board"))


def test_expendibots_by_taps(page: Page) -> None:
    choose(page, "expendibots")
    weak(page)
    begin(page)
    page.locator('[data-square="b2"]').click()
    page.locator('[data-square="b3"]').click()
    expect(page.locator(".moves button")).to_have_count(2)
    resign(page)
    assert result(page) == "You lost: you resigned."


def test_breakthrough_by_taps_to_the_end(page: Page) -> None:
    choose(page, "breakthrough")
    weak(page)
    begin(page)
    page.locator('[data-square="c2"]').click()
    page.locator('[data-square="c3"]').click()
    expect(page.locator(".moves button")).to_have_count(2)
    page.get_by_role("button", name="Hint").click()
    expect(page.get_by_text("The best move")).to_be_visible()
    page.get_by_role("button", name="Take back").click()
    expect(page.locator(".moves button")).to_have_count(0)
    resign(page)
    assert result(page) == "You lost: you resigned."


def test_a_rematch_changes_sides(page: Page) -> None:
    choose(page, "breakthrough")
    weak(page)
    begin(page)
    resign(page)
    assert result(page) == "You lost: you resigned."
    first = page.url
    page.get_by_role("button", name="Rematch").click()
    expect(page.locator(".strip.bottom .about")).to_have_text("Black")
    assert page.url != first
    expect(page.locator(".moves button")).to_have_count(1)


def test_an_opening_is_played_before_the_game(page: Page) -> None:
    choose(page, "chess")
    weak(page)
    page.get_by_label("Opening").select_option("typed")
    page.get_by_label("Moves", exact=True).fill("e4 c5")
    begin(page)
    expect(page.locator(".moves button")).to_have_text(["e4", "c5"])
    page.goto(re.sub("#.*", "#/", page.url))
    page.get_by_label("Opening").select_option(label="Sicilian Defence, Open")
    begin(page)
    expect(page.locator(".moves button").nth(1)).to_have_text("c5")


@pytest.mark.parametrize(
    ("game", "typed", "moves"),
    [
        ("chess", "1. e4 e5", ["e4", "e5"]),
        ("chess", "1.e4! e5 2.Nf3?! *", ["e4", "e5", "Nf3"]),
        ("chess", '[White "Anna"]\n\n1. d4 {a comment} d5 (1... f5) 2. c4 1-0', ["d4", "d5", "c4"]),
        ("go", "(;GM[1]SZ[9]KM[7];B[ee];W[gc])", ["E5", "G7"]),
        ("shogi", "1. 7g7f 2. 3c3d", ["P-7f", "P-3d"]),
    ],
)  # fmt: skip
def test_an_opening_is_typed_or_pasted_in_any_way(
    page: Page, game: str, typed: str, moves: list[str]
) -> None:
    choose(page, game)
    weak(page)
    page.get_by_label("Opening").select_option("typed")
    page.get_by_label("Moves", exact=True).fill(typed)
    if len(moves) % 2:
        page.get_by_label("Black", exact=True).check()  # the person is to move
    begin(page)
    buttons = page.locator(".moves button")
    for number, move in enumerate(moves):
        expect(buttons.nth(number)).to_have_text(move)


def test_a_handicap_is_taken(page: Page) -> None:
    choose(page, "shogi")
    weak(page)
    page.get_by_label("Handicap").select_option(index=1)
    expect(page.get_by_text("Your opponent gives it.")).to_be_visible()
    begin(page)
    expect(page.locator(".moves button").first).to_be_visible()
    expect(page.locator("sg-pieces piece.gote")).not_to_have_count(20)


def test_a_reload_and_a_second_tab_show_the_game(page: Page) -> None:
    choose(page, "breakthrough")
    weak(page)
    begin(page)
    type_move(page, "c2c3")
    expect(page.locator(".moves button")).to_have_count(2)
    page.reload()
    expect(page.locator(".moves button")).to_have_count(2)
    other = page.context.new_page()
    other.goto(page.url)
    expect(other.locator(".moves button")).to_have_count(2)
    type_move(other, "b2b3")
    expect(page.locator(".moves button")).to_have_count(4)
    other.goto(re.sub("#.*", "#/games", page.url))
    expect(other.locator(".game-cards li", has_text="Breakthrough").first).to_contain_text("Your move")


def test_by_keyboard_only(page: Page) -> None:
    page.get_by_label("Chess", exact=True).focus()
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    expect(page.get_by_label("Breakthrough", exact=True)).to_be_checked()
    button = page.get_by_role("button", name="Play", exact=True)
    for _ in range(40):
        if button.evaluate("each => each === document.activeElement"):
            break
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("region", name="Game")).to_be_visible()
    page.locator('[data-square="a1"]').focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(page.locator(".moves button")).to_have_count(2)


def test_chess_by_the_keyboard_on_the_board(page: Page) -> None:
    choose(page, "chess")
    weak(page)
    begin(page)
    page.locator('[data-square="e2"]').focus()
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(page.locator(".moves button").first).to_have_text("e4")


@pytest.mark.parametrize("page", ["laptop"], indirect=True)
@pytest.mark.parametrize("game", ["chess", "shogi", "go", "expendibots"])
def test_a_laptop_shows_the_whole_table(page: Page, game: str) -> None:
    button = page.get_by_role("button", name="Play", exact=True).bounding_box()
    assert button is not None
    assert button["y"] + button["height"] <= 650
    choose(page, game)
    begin(page)
    expect(page.get_by_text("Your move.")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollHeight") <= 650
    box = page.locator("[data-square]").first.bounding_box()
    assert box is not None
    assert box["x"] >= 0
    board = page.locator(".board-side").bounding_box()
    assert board is not None
    assert board["height"] > 500


@pytest.mark.parametrize("page", ["phone"], indirect=True)
def test_on_a_phone(page: Page) -> None:
    choose(page, "breakthrough")
    begin(page)
    page.locator('[data-square="c2"]').tap()
    page.locator('[data-square="c3"]').tap()
    expect(page.locator(".moves button")).to_have_count(2)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_two_players_are_watched(page: Page) -> None:
    page.get_by_role("link", name="Watch").click()
    page.get_by_role("combobox", name="Game", exact=True).select_option("breakthrough")
    page.get_by_label("Pace").fill("0")
    page.get_by_role("button", name="Watch").click()
    assert "wins" in result(page)


def test_a_refused_move_says_why(page: Page) -> None:
    choose(page, "chess")
    begin(page)
    type_move(page, "e5")
    expect(page.get_by_role("alert")).to_contain_text("not legal")


def test_a_level_that_follows_your_results(page: Page) -> None:
    choose(page, "chess")
    page.get_by_label("Your level").check()
    expect(page.get_by_text("Begins in the middle")).to_be_visible()
    begin(page)
    type_move(page, "e4")
    expect(page.locator(".moves button")).to_have_count(2)
    resign(page)
    expect(page.get_by_text("Your strength is now estimated at")).to_be_visible()
    page.get_by_role("link", name="New game").click()
    expect(page.get_by_text("Your strength after 1 game")).to_be_visible()


def test_a_person_of_the_catalogue_is_asked_for(page: Page) -> None:
    """Persons are files of the user: here the catalogue says that there is one."""

    def with_person(route: Route) -> None:
        offers = route.fetch().json()
        offers[0]["persons"] = [{"name": "chess-anna", "title": "Anna", "about": plain("From 40 games.")}]
        route.fulfill(json=offers)

    page.route("**/api/catalogue", with_person)
    page.reload()
    choose(page, "chess")
    page.get_by_label("A person").check()
    expect(page.get_by_text("From 40 games.")).to_be_visible()
    with page.expect_request(lambda asked: asked.method == "POST") as asked:
        page.get_by_role("button", name="Play", exact=True).click()
    wanted = asked.value.post_data_json
    assert wanted is not None
    assert wanted["opponent"] == {"kind": "person", "person": "chess-anna"}
    expect(page.get_by_role("alert")).to_be_visible()  # no such file


def test_an_offered_draw_is_in_sight(page: Page) -> None:
    """Opponents offer draws rarely: here every message of the server says that one was offered."""

    def offered(text: str) -> str:
        return json.dumps(
            {**json.loads(text), "draw_offered": True, "message": plain("The opponent offers a draw.")}
        )

    def live(socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()
        server.on_message(lambda text: socket.send(offered(str(text))))

    def asked(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, body=offered(answer.text()))

    page.route_web_socket("**/live", live)
    page.route("**/api/games/*", asked)
    choose(page, "chess")
    begin(page)
    expect(page.get_by_text("The opponent offers a draw.")).to_be_visible()
    with page.expect_request("**/draw"):
        page.get_by_role("button", name="Accept the draw").click()


def test_a_server_that_answers_again_is_not_said_to_be_silent(browser: Browser, address: str) -> None:
    context = browser.new_context()
    page = context.new_page()  # without the watch: the browser logs a request that fails
    open_sockets: list[WebSocketRoute] = []

    def live(socket: WebSocketRoute) -> None:
        def message(text: str | bytes) -> None:
            socket.send(text)
            open_sockets.append(socket)

        socket.connect_to_server().on_message(message)

    page.route_web_socket("**/live", live)
    page.goto(address)
    choose(page, "chess")
    weak(page)
    begin(page)
    page.route("**/moves*", lambda route: route.abort())
    type_move(page, "e4")
    alert = page.get_by_role("alert")
    expect(alert).to_have_text("The server does not answer. Is it running?")
    wait_until(lambda: (page.evaluate("0"), open_sockets)[1], "the socket's first message")
    open_sockets[-1].close(code=1012)
    expect(page.get_by_text("The connection is lost.")).to_have_count(0)
    expect(alert).to_have_count(0)
    context.close()


def test_a_game_that_was_deleted_elsewhere_says_so(page: Page, address: str) -> None:
    choose(page, "chess")
    weak(page)
    begin(page)
    expect(page.get_by_text("Your move.")).to_be_visible()
    page.request.delete(f"{address}/api/games/{page.url.rpartition('/')[2]}")
    expect(page.get_by_role("alert")).to_have_text("There is no such game of yours.")
    expect(page.get_by_text("The connection is lost.")).to_have_count(0)
