"""Learning from one's own mistakes: find better, the deck, warnings while playing, progress."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.page.steps import held_answer, plain, resign, tap, type_move, visit
from tests.page.test_other_pages import BLUNDER, look, serious_faults
from tests.waiting import wait_until

BOTH = pytest.mark.parametrize("page", ["desktop", "phone"], indirect=True)
MATED = ["e4", "e5", "Bc4", "Nc6", "Qh5"]
"""Black is to parry the mate."""


@pytest.fixture(autouse=True)
def empty_deck(page: Page, address: str) -> None:
    """The tests share a server: each begins with an empty deck."""
    for card in page.request.get(f"{address}/api/deck").json()["cards"]:
        page.request.delete(f"{address}/api/deck/cards/{card['id']}")


def reviewed(page: Page) -> None:
    """Reviews a game in which Black overlooks a mate, as Black."""
    look(page, BLUNDER)
    page.get_by_label("Your side").select_option("1")


@pytest.fixture(scope="module")
def review(address: str, browser: Browser) -> str:
    """The id of a review of this game that is done."""
    asked = browser.new_context().request
    wanted = {"game": "chess", "record": BLUNDER}
    found: str = asked.post(f"{address}/api/reviews", data=wanted).json()["id"]
    wait_until(lambda: bool(asked.get(f"{address}/api/reviews/{found}").json()["done"]))
    return found


@pytest.fixture
def card(page: Page, address: str, empty_deck: None, review: str) -> str:
    """The id of a card with the mistake of this game."""
    kept = page.request.post(f"{address}/api/deck/reviews", data={"review": review, "side": 1}).json()
    found: str = kept["cards"][0]
    return found


def position(page: Page, address: str, **more: Any) -> dict[str, Any]:
    """A game in which the person is to parry the mate."""
    opponent = {"strength": 1, "think_time": "none"}
    wanted = {"game": "chess", "you": 1, "opening": MATED, "opponent": opponent, **more}
    view: dict[str, Any] = page.request.post(f"{address}/api/games", data=wanted).json()
    visit(page, address, f"#/game/{view['id']}")
    expect(page.get_by_role("region", name="Game", exact=True)).to_be_visible()
    return view


# Find better.


@BOTH
def test_a_mistake_is_tried_again_until_it_is_right(page: Page) -> None:
    reviewed(page)
    page.get_by_role("button", name="Find better: 1 move").click()
    expect(page.get_by_role("heading", name="Find a better move")).to_be_visible()
    expect(page.get_by_text("You played 3… Nf6, which gave away")).to_be_visible()
    expect(page.get_by_text("Puzzle rating about")).to_be_visible()
    tap(page, "g8")
    tap(page, "f6")
    expect(page.locator(".verdict.wrong")).to_contain_text("Nf6 gives away")
    line = page.get_by_role("group", name="The line")
    expect(line.locator(".current")).to_contain_text("Nf6")
    page.keyboard.press("ArrowRight")
    expect(line.locator(".current")).to_contain_text("Qxf7#")
    expect(page.locator(".insight-board cg-board square.check")).to_have_count(1)
    assert serious_faults(page) == []
    page.get_by_role("button", name="Try again").click()
    type_move(page, "g6")
    expect(page.locator(".verdict.right")).to_contain_text("Right: g6")
    assert serious_faults(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("button", name="Next", exact=True).click()
    expect(page.get_by_text("0 of 1 found at the first try.")).to_be_visible()
    page.get_by_role("button", name="The missed one again").click()
    page.get_by_role("button", name="Show the answer").click()
    expect(page.get_by_text("This was better:")).to_be_visible()
    expect(line.get_by_role("button")).not_to_have_count(0)


@pytest.mark.usefixtures("card")
def test_a_practice_needs_the_keyboard_alone(page: Page, address: str) -> None:
    visit(page, address, "#/train")
    page.get_by_role("link", name="Find better", exact=True).focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Find a better move")).to_be_visible()
    page.locator('.keys [data-square="g7"]').focus()
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowUp")  # towards White: Black is below
    page.keyboard.press("Enter")
    expect(page.locator(".verdict.right")).to_contain_text("g6")
    expect(page.get_by_text("It comes again in 1 day.")).to_be_visible()
    expect(page.get_by_text("Your puzzle rating:")).to_be_visible()
    expect(page.get_by_role("button", name="Next", exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_text("1 of 1 found at the first try.")).to_be_visible()


SFEN = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"


@pytest.mark.parametrize(
    ("game", "place", "move", "taps"),
    [("shogi", SFEN, "7g7f", ["7g", "7f"]), ("go", "9/9/9/9/9/9/9/9/9 b - 0 0 0 7.5", "C5", ["C5"])],
)
def test_other_boards_are_practised_on(
    page: Page, address: str, game: str, place: str, move: str, taps: list[str]
) -> None:
    found = page.request.post(f"{address}/api/understand", data={"game": game, "position": place}).json()
    legal = [{"text": each["text"], "name": each["name"]} for each in found["moves"]]
    played = legal[-1]
    card = {
        "id": "one", "game": game, "position": place, "board": found["board"], "turn": 0, "ply": 0,
        "sides": found["sides"], "last": None, "check": False, "legal": legal, "played": played, "loss": 0.25,
        "mark": "blunder", "kind": plain("It hangs a piece."), "source": "", "title": "", "puzzle": None,
        "created": 0, "due": 0, "days": 0, "answered": 0, "solved": 0, "played_on": 0, "held": 0,
    }  # fmt: skip
    tried: list[Any] = []

    def answer(route: Route) -> None:
        tried.append(json.loads(route.request.post_data or "")["move"])
        step = {"text": move, "name": move, "position": place, "board": found["board"], "check": False}
        told = {"right": True, "best": True, "loss": 0, "name": move, "line": [step], "counted": True}
        route.fulfill(json={**told, "days": 6.0, "rating": None})

    page.route("**/api/deck/cards/one", lambda route: route.fulfill(json=card))
    page.route("**/api/deck/cards/one/try", answer)
    visit(page, address, "#/train/one")
    expect(page.get_by_text("It hangs a piece.")).to_be_visible()
    for square in taps:
        tap(page, square)
    expect(page.locator(".verdict.right")).to_be_visible()
    expect(page.get_by_text("It comes again in 6 days.")).to_be_visible()
    assert tried == [move]


def test_a_card_that_is_gone_is_one_sentence(page: Page, address: str) -> None:
    visit(page, address, "#/train/none")
    expect(page.get_by_role("alert")).to_have_text("There is no such card of yours.")
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_role("heading", name="Done")).to_be_visible()


# The deck.


def test_a_review_puts_its_mistakes_into_the_deck(page: Page, address: str) -> None:
    visit(page, address, "#/train")
    expect(page.get_by_text("Your deck is empty.")).to_be_visible()
    reviewed(page)
    page.get_by_role("button", name="Into my deck").click()
    expect(page.get_by_text("1 move is in your deck now.")).to_be_visible()
    page.get_by_role("link", name="To the deck").click()
    expect(page.get_by_role("region", name="Due now")).to_contain_text("1 due now, of 1 in the deck")


@BOTH
@pytest.mark.usefixtures("card")
def test_the_deck_says_what_is_due_and_is_saved_and_cleared(page: Page, address: str) -> None:
    visit(page, address, "#/train")
    expect(page.get_by_role("region", name="Due now")).to_contain_text("1 due now, of 1 in the deck")
    card = page.locator(".game-cards li")
    expect(card).to_contain_text("3… Nf6")
    expect(card).to_contain_text("puzzle rating about")
    page.get_by_label("Order").select_option("level")
    expect(page.get_by_role("link", name="Practise problems of my level")).to_be_visible()
    assert serious_faults(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for name, file, head in (
        ("Chess as PGN", "sparring-deck-chess.pgn", "[Event"),
        ("Chess for Anki", "sparring-deck-chess.tsv", "#separator:tab"),
    ):
        with page.expect_download() as saved:
            page.get_by_role("link", name=name).click()
        assert saved.value.suggested_filename == file
        assert saved.value.path().read_text().startswith(head)
    page.once("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Take Nf6 out of the deck").click()
    expect(page.get_by_text("Your deck is empty.")).to_be_visible()


def test_mistakes_of_own_games_go_into_the_deck_by_a_switch(page: Page, address: str) -> None:
    visit(page, address, "#/train")
    page.get_by_label("Put mistakes of my games into the deck by themselves").check()
    view = position(page, address)
    type_move(page, "Nf6")
    expect(page.locator(".moves button").nth(5)).to_contain_text("Nf6")
    page.request.post(f"{address}/api/games/{view['id']}/resign")
    visit(page, address, f"#/understand/{view['id']}")
    expect(page.get_by_text("1 move is in your deck now.")).to_be_visible()
    visit(page, address, "#/progress")
    expect(page.get_by_role("heading", name="Where you lose points")).to_be_visible()
    row = page.locator("tr").filter(has_text="Opening").filter(has_text="%").first
    expect(row).to_be_visible()
    assert serious_faults(page) == []


def test_a_position_is_played_on_and_again(page: Page, address: str, card: str) -> None:
    visit(page, address, f"#/train/{card}")
    page.get_by_role("button", name="Show the answer").click()
    page.get_by_role("button", name="Play on from here").click()
    expect(page.get_by_text("Your move.")).to_be_visible()
    resign(page)
    page.get_by_role("button", name="The same position again").click()
    expect(page.get_by_text("Your move.")).to_be_visible()
    resign(page)
    page.get_by_role("link", name="Back to my mistakes").click()
    expect(page.locator(".game-cards li")).to_contain_text("played on 2 times, held 0")


# While playing.


@BOTH
def test_a_person_is_warned_only_if_they_want(page: Page, address: str) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/warning" in request.url else None)
    position(page, address)
    expect(page.get_by_label("Warn me")).to_have_value("off")
    type_move(page, "Nf6")
    expect(page.locator(".moves button").nth(5)).to_contain_text("Nf6")
    assert asked == []
    position(page, address)
    page.get_by_label("Warn me").select_option("blunders")
    type_move(page, "Nf6")
    question = page.get_by_role("group", name="Take it back?")
    expect(question).to_contain_text("Nf6 gives away")
    assert serious_faults(page) == []
    question.get_by_role("button", name="Take back").click()
    expect(question).to_have_count(0)
    expect(page.locator(".moves button")).to_have_count(5)
    tap(page, "g8")
    tap(page, "f6")
    question.get_by_role("button", name="Play it").click()
    expect(page.locator(".moves button").nth(5)).to_contain_text("Nf6")
    assert len(asked) == 2


def test_a_good_move_is_played_without_a_question(page: Page, address: str) -> None:
    position(page, address)
    page.get_by_label("Warn me").select_option("mistakes")
    type_move(page, "g6")
    expect(page.locator(".moves button").nth(5)).to_contain_text("g6")
    expect(page.get_by_role("group", name="Take it back?")).to_have_count(0)


def test_a_move_that_is_cancelled_while_it_is_judged_is_not_played(page: Page, address: str) -> None:
    position(page, address)
    page.get_by_label("Warn me").select_option("mistakes")
    played: list[str] = []
    page.on("request", lambda request: played.append(request.url) if request.url.endswith("/moves") else None)
    with held_answer(page, "**/warning*"):
        type_move(page, "g6")
        expect(page.get_by_text("Looking at your move…")).to_be_visible()
        page.locator(".brand").focus()
        page.keyboard.press("Escape")
        expect(page.get_by_text("Looking at your move…")).to_have_count(0)
    assert played == []
    type_move(page, "g6")
    expect(page.locator(".moves button").nth(5)).to_contain_text("g6")


def test_a_refusal_goes_with_the_next_move_and_escape_leaves_the_field(page: Page, address: str) -> None:
    position(page, address)
    type_move(page, "Qh9")
    expect(page.get_by_role("alert")).to_be_visible()
    page.get_by_label("Your move").fill("g")
    expect(page.get_by_role("alert")).to_have_count(0)
    page.keyboard.press("Escape")
    expect(page.get_by_label("Your move")).not_to_be_focused()


def test_a_game_with_a_clock_begins_without_warnings(page: Page, address: str) -> None:
    position(page, address)
    page.get_by_label("Warn me").select_option("blunders")
    position(page, address, clock="10")
    expect(page.get_by_label("Warn me")).to_have_value("off")
    type_move(page, "Nf6")
    expect(page.locator(".moves button").nth(5)).to_contain_text("Nf6")


# Progress.


@BOTH
def test_the_level_over_time_is_shown_with_its_interval(page: Page, address: str) -> None:
    opponent = {"kind": "level", "level": 800, "think_time": "none"}
    view = page.request.post(f"{address}/api/games", data={"game": "chess", "opponent": opponent}).json()
    page.request.post(f"{address}/api/games/{view['id']}/moves", data={"move": "e4", "ply": 0})
    page.request.post(f"{address}/api/games/{view['id']}/resign")
    page.get_by_role("link", name="Train").click()
    page.get_by_role("link", name="Progress").click()
    card = page.locator(".card").filter(has_text="Your level")
    expect(card).to_contain_text("(95 %), from")
    expect(card.get_by_role("img", name="Your level after each game")).to_be_visible()
    expect(card.locator(".result-sign.lost").last).to_have_text("−")
    assert serious_faults(page) == []
    page.get_by_label("Go", exact=True).check()
    expect(page.get_by_text("Play games against a level")).to_be_visible()


def test_the_moments_of_a_review_are_shown(page: Page) -> None:
    """A review may name the moments that mattered, and the kind of a mistake."""

    def with_moments(route: Route) -> None:
        review = route.fetch().json()
        for move in review["moves"]:
            found = move["name"] == "Nf6"
            move["kind_text"] = plain("It overlooks a mate.") if found else None
            move["answer"] = [{"text": "h5f7", "name": "Qxf7#"}] if found else []
        route.fulfill(json={**review, "moments": [5] if review["done"] else []})

    page.route("**/api/reviews", with_moments)  # one that is stored is answered at once
    page.route("**/api/reviews/*", with_moments)
    look(page, BLUNDER)
    card = page.locator(".card").filter(has_text="The moments that mattered")
    expect(card).to_contain_text("3… Nf6 gave away")
    expect(card).to_contain_text("It overlooks a mate.")
    card.get_by_role("button").click()
    expect(page.get_by_text("3… Nf6 was played")).to_be_visible()
    answer = page.get_by_role("group", name="The answer")
    expect(answer.get_by_role("button")).to_have_text(["3… Nf6", "4. Qxf7#"])
    answer.get_by_role("button").last.click()
    expect(page.locator(".insight-board cg-board square.check")).to_have_count(1)


def test_the_score_at_each_level_is_beside_what_the_rating_promises(page: Page, address: str) -> None:
    def played(route: Route) -> None:
        games = [(1400, 1.0), (1400, 1.0), (1400, 0.5), (1600, 0.0)]
        course = [
            {
                "played": 1.7e9 + 1000 * at,
                "level": level,
                "score": score,
                "rating": 1500,
                "interval": [1300, 1700],
            }
            for at, (level, score) in enumerate(games)
        ]
        route.fulfill(json={**route.fetch().json(), "course": course})

    page.route("**/api/progress/chess", played)
    visit(page, address, "#/progress")
    card = page.get_by_role("region", name="Your score at each level")
    rows = card.locator("tbody tr")
    expect(rows.first).to_have_text(re.compile(r"1400\s*3\s*83\s%\s*\d+\s% to \d+\s%"))
    expect(card.get_by_text("Promised")).to_have_count(0)  # nobody said how strong they are
    card.get_by_label("Your rating").select_option("1400")
    expect(rows.first).to_contain_text("50 %")
    expect(rows.nth(1)).to_contain_text("24 %")
    expect(card).to_contain_text("65 of 100 points (55 to 74, in 96 games) instead of 76.")
    with page.expect_download() as download:
        card.get_by_text("Save as CSV").click()
    head, first, second = download.value.path().read_text().splitlines()
    assert head == "game,own_rating,level,won,drawn,lost,score,low,high,promised"
    assert first.startswith("chess,1400,1400,2,1,0,0.8333,")
    assert first.endswith(",0.5000")
    assert second.startswith("chess,1400,1600,0,0,1,0.0000,")
    assert serious_faults(page) == []
