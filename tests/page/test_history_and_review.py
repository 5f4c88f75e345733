"""My games, pasted texts, a person made of games, the review's moves, what a level means."""

from __future__ import annotations

import io
import json
import re
import zipfile
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from tests.page.conftest import SCREENS, watch
from tests.page.steps import begin, choose, held_answer, plain, resign, result, type_move, visit, weak
from tests.page.test_other_pages import BLUNDER, look, serious_faults

BOX = "A position or a whole game"
THREE = """[White "Anna"]
[Black "Ben"]
[Result "1-0"]

1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0

[White "Carl"]
[Black "Dora"]
[Result "0-1"]

1. f3 e5 2. g4 Qh4# 0-1

[White "Eve"]
[Black "Fred"]
[Result "*"]

1. e4 e5 2. Ke3 d5 *
"""
SFEN = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"
BOTH = pytest.mark.parametrize("page", ["desktop", "phone"], indirect=True)


def drop(page: Page, box: str, name: str, text: str) -> None:
    """Drops a file on the page, once the box that takes it shows that it does: the part of the page that was
    there before may have taken one too."""
    page.wait_for_function(
        """box => {
            const data = new DataTransfer();
            data.items.add(new File([""], "over"));
            document.body.dispatchEvent(
                new DragEvent("dragover", { dataTransfer: data, bubbles: true, cancelable: true }));
            return document.querySelector(`${box}.over`);
        }""",
        arg=box,
    )
    page.evaluate(
        """([name, text]) => {
            const data = new DataTransfer();
            data.items.add(new File([text], name));
            document.body.dispatchEvent(
                new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
        }""",
        [name, text],
    )


def resigned(page: Page, game: str) -> None:
    """Plays a move and resigns."""
    page.goto(page.url.split("#")[0])
    choose(page, game)
    weak(page)
    begin(page)
    type_move(page, {"chess": "e4", "breakthrough": "a2a3"}[game])
    expect(page.locator(".moves button").first).to_be_visible()
    resign(page)
    result(page)


def overlap(one: Locator, other: Locator) -> bool:
    """Whether two elements cover each other."""
    a, b = one.bounding_box(), other.bounding_box()
    assert a is not None
    assert b is not None
    return (
        a["x"] < b["x"] + b["width"]
        and b["x"] < a["x"] + a["width"]
        and a["y"] < b["y"] + b["height"]
        and b["y"] < a["y"] + a["height"]
    )


# My games.


@BOTH
def test_my_games_have_results_and_filters(page: Page) -> None:
    resigned(page, "chess")
    resigned(page, "breakthrough")
    page.get_by_role("link", name="My games").click()
    cards = page.locator(".game-cards li")
    expect(cards.first).to_contain_text("Lost")
    expect(cards.first).to_contain_text("against Strength 1")
    expect(cards.first.locator("time")).to_be_visible()
    expect(cards.filter(has_text="1 move").first).to_be_visible()
    page.get_by_role("combobox", name="Game").select_option("breakthrough")
    expect(cards.filter(has_text="Chess")).to_have_count(0)
    expect(cards.filter(has_text="Breakthrough").first).to_be_visible()
    page.get_by_label("drawn").check()
    expect(page.get_by_text("No game of yours is like that.")).to_be_visible()
    page.get_by_label("lost").check()
    expect(cards.first).to_contain_text("Lost")
    assert serious_faults(page) == []


def test_all_games_are_saved_in_one_file(page: Page) -> None:
    resigned(page, "chess")
    page.get_by_role("link", name="My games").click()
    expect(page.get_by_role("region", name="Keep your games")).to_contain_text("sparring backup FILE")
    with page.expect_download() as zipped:
        page.get_by_role("link", name="All finished games (zip)").click()
    archive = zipfile.ZipFile(io.BytesIO(zipped.value.path().read_bytes()))
    assert "sparring-chess.pgn" in archive.namelist()
    page.get_by_role("combobox", name="Game").select_option("chess")
    with page.expect_download() as single:
        page.get_by_role("link", name="All finished games of Chess in one file").click()
    assert single.value.suggested_filename == "sparring-chess.pgn"
    assert "1. e4" in single.value.path().read_text()


def test_older_games_are_shown_on_demand(page: Page) -> None:
    resigned(page, "chess")
    games: list[dict[str, Any]] = []

    def many(route: Route) -> None:
        if "before=" in route.request.url:
            assert "before=977" in route.request.url
            route.fulfill(json=[{**games[0], "id": "older", "updated": 5.0}])
        else:
            games.extend(route.fetch().json())
            route.fulfill(json=[{**games[0], "id": f"g{n}", "updated": 1000.0 - n} for n in range(24)])

    page.route("**/api/games?*", many)
    page.get_by_role("link", name="My games").click()
    expect(page.locator(".game-cards li")).to_have_count(24)
    page.get_by_role("button", name="Show more").click()
    expect(page.locator(".game-cards li")).to_have_count(25)
    expect(page.get_by_role("button", name="Show more")).to_have_count(0)


# Pasted texts.


@BOTH
def test_one_of_several_games_is_chosen_and_the_bad_move_named(page: Page) -> None:
    page.get_by_role("link", name="Understand").click()
    page.get_by_role("button", name="Paste").click()
    page.get_by_label(BOX).fill(THREE)
    expect(page.get_by_text("Recognised: 3 games of Chess (PGN).")).to_be_visible()
    page.get_by_label("Which game?").select_option("2")
    expect(
        page.get_by_text("Move 2 of White, Ke3, is not legal. The game is read up to there.")
    ).to_be_visible()
    page.get_by_label("Which game?").select_option("1")
    assert serious_faults(page) == []
    page.get_by_role("button", name="Look").click()
    expect(page.get_by_role("region", name="Review")).to_contain_text("Dora")


def test_what_is_not_recognised_stays_in_the_box(page: Page) -> None:
    look(page, "this is nothing")
    expect(page.get_by_role("alert")).to_contain_text("No position and no game")
    expect(page.get_by_label(BOX)).to_have_value("this is nothing")


def test_the_legal_part_of_a_broken_game_is_reviewed(page: Page) -> None:
    page.get_by_role("link", name="Understand").click()
    page.get_by_role("button", name="Paste").click()
    page.get_by_label(BOX).fill("1. e4 e5 2. Ke3 d5 *")
    expect(page.locator(".paste-result .slow")).to_contain_text("Ke3")
    page.get_by_role("button", name="Look").click()
    expect(page.get_by_role("region", name="Review")).to_be_visible()
    expect(page.locator(".page > .slow")).to_contain_text("Ke3")
    expect(page.locator(".review-moves li button")).to_have_count(3)  # two moves, and the final position


def test_a_dropped_file_is_played_on(page: Page) -> None:
    choose(page, "chess")
    weak(page)
    drop(page, ".paste", "games.pgn", "1. e4 e5 2. Nf3 Nc6 *")
    expect(page.get_by_text("Recognised: a game of Chess (PGN). 2 moves")).to_be_visible()
    begin(page)
    expect(page.locator(".moves button")).to_have_count(4)


def test_a_text_of_another_game_leads_to_it(page: Page) -> None:
    choose(page, "chess")
    page.get_by_text("Begin from a position").click()
    page.get_by_label(BOX).fill(SFEN)
    expect(page.get_by_text("Recognised: a position of Shogi.")).to_be_visible()
    page.get_by_role("button", name="Play Shogi").click()
    expect(page.get_by_label("Shogi", exact=True)).to_be_checked()
    expect(page.get_by_label(BOX)).to_have_value(SFEN)
    weak(page)
    begin(page)
    expect(page.locator("sg-board").first).to_be_visible()


# A person.


class Making:
    """The server's answers while a person is made."""

    def __init__(self, page: Page) -> None:
        self.stopped, self.share, self.end = False, 0.25, dict[str, Any]()
        self.wanted: dict[str, Any] = {}
        page.route("**/api/persons", self._begin)
        page.route("**/api/persons/jobs/*", self._job)

    def _begin(self, route: Route) -> None:
        self.wanted = json.loads(route.request.post_data or "")
        route.fulfill(status=201, json={"job": "one"})

    def _job(self, route: Route) -> None:
        if route.request.method == "DELETE":
            self.stopped = True
            route.fulfill(status=204)
            return
        view = {"done": bool(self.end), "share": self.share, "message": plain("Trying ratings.")}
        route.fulfill(json={**view, "person": None, "error": None, **self.end})


@BOTH
def test_a_person_is_made_of_a_file(page: Page, address: str) -> None:
    making = Making(page)
    visit(page, address, "#/person")
    expect(page.get_by_role("heading", name="Make a person")).to_be_visible()
    expect(page.get_by_text("Not for Reconnaissance blind chess")).to_be_visible()
    drop(page, ".drop", "games.pgn", THREE.split('[White "Eve"]')[0] + THREE.split('\n\n[White "Carl"]')[0])
    expect(page.locator(".bot").first).to_contain_text("2 games")
    page.get_by_label("Dora").check()
    assert serious_faults(page) == []
    page.get_by_role("button", name="Make a player like Dora").click()
    expect(page.get_by_text("25 %")).to_be_visible()
    assert (making.wanted["game"], making.wanted["name"]) == ("chess", "Dora")
    page.reload()  # the work goes on
    expect(page.get_by_role("progressbar")).to_be_visible()
    making.end = {"person": "dora-chess", "message": plain("Learned from 2 games.")}
    expect(page.get_by_text("Learned from 2 games.")).to_be_visible()
    expect(page.get_by_text("nats")).to_have_count(0)
    with page.expect_request(
        lambda asked: asked.method == "POST" and asked.url.endswith("/api/games")
    ) as asked:
        page.get_by_role("button", name="Play against Dora").click()
    assert json.loads(asked.value.post_data or "")["opponent"] == {"kind": "person", "person": "dora-chess"}


def test_the_game_of_a_person_s_file_is_recognised(page: Page, address: str) -> None:
    Making(page)
    visit(page, address, "#/person")
    page.get_by_role("radio", name="Shogi").check()
    drop(page, ".drop", "games.pgn", THREE.split('[White "Eve"]')[0])
    expect(page.get_by_text("This is a file of games of Chess: it was chosen.")).to_be_visible()
    expect(page.get_by_role("radio", name="Chess", exact=True)).to_be_checked()
    expect(page.locator(".bot").first).to_contain_text("1 game")
    page.get_by_role("button", name="Make a player like").click()
    expect(page.get_by_text("This page may be closed meanwhile.")).to_be_visible()


def test_making_a_person_is_cancelled(page: Page, address: str) -> None:
    making = Making(page)
    visit(page, address, "#/person")
    drop(page, ".drop", "games.pgn", THREE)
    page.get_by_role("button", name="Make a player like").click()
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("Drop a file of games here")).to_be_visible()
    assert making.stopped


def test_where_no_person_can_be_made_one_sentence_says_so(page: Page, address: str) -> None:
    def without(route: Route) -> None:
        offers = route.fetch().json()
        for offer in offers:
            offer["can_make_persons"] = plain("This needs more libraries.")
        route.fulfill(json=offers)

    page.route("**/api/catalogue", without)
    visit(page, address, "#/person")
    page.reload()
    expect(page.get_by_text("This needs more libraries.")).to_have_count(1)
    expect(page.get_by_role("button", name="Open a file")).to_have_count(0)


# The review.


@BOTH
def test_the_review_has_a_move_list_with_marks(page: Page) -> None:
    look(page, BLUNDER)
    moves = page.get_by_role("list", name="Moves", exact=True)
    expect(moves.get_by_role("button", name="Final position")).to_be_visible()
    expect(moves.locator("button")).to_have_count(8)
    expect(moves.locator(".blunder")).to_contain_text("3…Nf6??")
    moves.locator(".blunder").click()
    expect(page.get_by_text("3… Nf6 was played")).to_be_visible()
    shown = page.get_by_role("list", name="Moves on the board")
    expect(shown).to_contain_text("played: Nf6")
    expect(shown).to_contain_text("play most")
    expect(shown).to_contain_text("the search's best: g6")
    expect(shown).not_to_contain_text("network")
    named = set(shown.locator("b").all_inner_texts())
    expect(page.locator(".insight-board .cg-shapes g line")).to_have_count(len(named))
    for sign in "▲●■":
        expect(page.locator(".insight-board .cg-custom-svgs text").filter(has_text=sign)).to_have_count(1)
    for text in (shown, page.locator(".insight-panel")):
        assert not overlap(page.locator(".insight-board cg-board"), text)
    assert serious_faults(page) == []


def test_who_resigned_while_ahead_is_told(page: Page) -> None:
    def ahead(route: Route) -> None:
        view = route.fetch().json()
        for move in view["moves"]:
            move["chance"] = 0.78
        route.fulfill(json=view)

    page.route("**/api/reviews", ahead)
    page.route("**/api/reviews/*", ahead)
    resigned(page, "chess")
    page.get_by_role("link", name="Review").first.click()
    expect(page.get_by_text("You resigned at 78 %")).to_be_visible()


def test_a_move_is_not_drawn_into_the_position_before(page: Page) -> None:
    look(page, BLUNDER)
    expect(page.get_by_role("button", name="Final position")).to_be_visible()
    shown = page.get_by_role("list", name="Moves on the board")
    expect(shown).to_contain_text("played: e4")
    with held_answer(page, "**/api/understand"):
        page.locator(".review-moves .blunder").click()
        expect(page.locator(".insight-steps")).to_contain_text("3… Nf6 was played")
        expect(page.get_by_text("White to move")).to_be_visible()  # the answer is not there yet
        expect(shown).not_to_contain_text("played:")
    expect(shown).to_contain_text("played: Nf6")


def test_the_review_is_stepped_through_by_keys_and_wheel(page: Page) -> None:
    look(page, BLUNDER)
    steps = page.locator(".insight-steps")
    expect(page.get_by_role("button", name="Final position")).to_be_visible()
    expect(steps).to_contain_text("1. e4 was played")
    page.locator("h1").click()
    page.keyboard.press("ArrowRight")
    expect(steps).to_contain_text("1… e5 was played")
    page.keyboard.press("ArrowLeft")
    expect(steps).to_contain_text("1. e4 was played")
    page.keyboard.press("End")
    expect(steps).to_contain_text("Final position")
    expect(page.get_by_text("The game is over in this position.")).to_be_visible()
    expect(page.locator(".insight-board cg-board piece")).to_have_count(31)
    page.keyboard.press("Home")
    expect(steps).to_contain_text("1. e4 was played")
    page.locator(".insight-board cg-board").hover()
    page.mouse.wheel(0, 120)
    expect(steps).to_contain_text("1… e5 was played")


@pytest.mark.parametrize("page", ["phone"], indirect=True)
def test_on_a_phone_the_board_covers_no_list(page: Page) -> None:
    look(page, BLUNDER)
    final = page.get_by_role("button", name="Final position")
    final.scroll_into_view_if_needed()
    expect(final).to_be_visible()
    box = page.locator(".missed").last
    box.scroll_into_view_if_needed()
    assert not overlap(page.locator(".insight-board"), box)


LINE = """[White "Anna"]
[Black "Ben"]

1. e4 e5 2. Nf3 Nc6 3. Bc4 Nd4 4. Nxe5 Qg5 5. Nxf7 Qxg2 6. Rf1 Qxe4+ 7. Be2 Nf3# 0-1
"""


@BOTH
def test_a_marked_move_has_a_line_that_is_tried_on_the_board(page: Page) -> None:
    look(page, LINE)
    final = page.get_by_role("button", name="Final position")
    expect(final).to_be_visible()
    page.locator(".review-moves .blunder").click()
    line = page.get_by_role("group", name="The best line")
    expect(line.get_by_role("button").nth(2)).to_be_visible()
    line.get_by_role("button").nth(1).click()
    expect(line.locator(".current")).to_have_count(1)
    expect(page.get_by_text("White to move")).to_be_visible()
    page.get_by_role("button", name="Back to the game").click()
    expect(page.get_by_text("5. Nxf7 was played")).to_be_visible()
    final.click()
    expect(page.locator(".insight-board cg-board square.check")).to_have_count(1)
    shown, listed = final.bounding_box(), page.locator(".review-moves ol").bounding_box()
    assert shown is not None
    assert listed is not None
    assert shown["y"] + shown["height"] <= listed["y"] + listed["height"] + 1
    assert serious_faults(page) == []


def test_the_missed_moves_are_those_of_one_side(page: Page) -> None:
    look(page, LINE)
    expect(page.get_by_role("button", name="Final position")).to_be_visible()
    card = page.locator(".card").filter(has_text="Moves that people of your level miss")
    marked = {name: page.locator(".review-moves li button").filter(has_text=name) for name in ("Nxf7", "Nd4")}
    for name, other, side in (("Nxf7", "Nd4", "Anna"), ("Nd4", "Nxf7", "Ben")):
        card.get_by_label("Whose moves").select_option(label=side)
        expect(card.get_by_text(f"Played: {other}")).to_have_count(0)
        expect(marked[name]).to_have_count(1)
    card.get_by_label("Whose moves").select_option(label="Ben")
    expect(card).to_contain_text("Ben missed nothing in this game that people of this level usually miss.")


@pytest.mark.parametrize(
    ("game", "text", "sign"),
    [
        ("chess", "e4 e5 Nf3", ".cg-custom-svgs text"),
        ("go", "(;GM[1]SZ[9]KM[7.5];B[ee];W[ca];B[gc])", ".grid-board .sign.played"),
        ("shogi", "7g7f 3c3d 2g2f", "sq.played.target"),
    ],
)
def test_the_played_move_has_a_sign_on_each_board(page: Page, game: str, text: str, sign: str) -> None:
    look(page, text)
    expect(page.get_by_role("button", name="Final position")).to_be_visible()
    page.locator(".review-moves li button").nth(1).click()
    keys = page.get_by_role("list", name="Moves on the board")
    expect(keys).to_contain_text("played:")
    for key in ("▲", "●", "■"):
        expect(keys).to_contain_text(key)
    signs = page.locator(".insight-board").locator(sign)
    if game == "chess":
        expect(signs.filter(has_text="▲")).to_have_count(1)
    else:
        expect(signs).to_have_count(1)


def test_a_position_is_shown_at_the_rating_of_the_review(page: Page) -> None:
    look(page, LINE)
    expect(page.get_by_text("reviewed as 1500").first).to_be_visible()
    expect(page.get_by_text("people of 1500 play most")).to_be_visible()
    page.get_by_label("Your rating").select_option("1250")
    expect(page.get_by_text("reviewed as 1250").first).to_be_visible()
    expect(page.get_by_text("people of 1250 play most")).to_be_visible()
    page.get_by_label("This position").check()
    expect(page.locator(".dial output").first).to_have_text("1250")


def test_a_small_board_of_go_has_its_notice_before_the_game(page: Page) -> None:
    choose(page, "go")
    notice = page.get_by_text("On this board they are not measured")
    expect(notice).to_have_count(0)
    page.get_by_label("A level").check()
    expect(page.get_by_text("Errs about as people of 5k do (Fox)")).to_be_visible()
    page.get_by_label("9x9").check()
    expect(notice).to_be_visible()
    expect(page.get_by_text("Measured on 19x19 only.")).to_be_visible()
    expect(page.get_by_text("Errs about as people of 5k do (Fox)")).to_have_count(0)
    page.get_by_label("People of a rank").check()
    expect(page.get_by_text("Learned from games on 19x19.")).to_be_visible()
    page.get_by_label("A search player").check()
    expect(notice).to_have_count(0)


# What is measured, and numbers.


@BOTH
def test_measured_begins_with_what_a_level_means(page: Page) -> None:
    page.get_by_role("link", name="Measured").click()
    meaning = page.get_by_role("region", name="What a level means")
    expect(meaning.get_by_role("img")).to_have_js_property("complete", True)
    expect(meaning.get_by_text("In chess an opponent of level 1500 errs")).to_be_visible()
    expect(meaning.get_by_text("in shogi it is a day of people")).to_be_visible()
    first = page.locator(".gallery article").first
    expect(first).to_contain_text("Chess levels err as people of that rating do")
    expect(page.get_by_text("sparring calibrate").first).to_be_hidden()
    page.get_by_role("button", name="What is this number?").click()
    expect(page.get_by_role("dialog")).to_contain_text("A level is a strength.")
    assert serious_faults(page) == []


def test_standings_have_an_axis_and_numbers(page: Page, address: str) -> None:
    visit(page, address, "#/watch/tournament")
    page.locator(".watch-head select").first.select_option("breakthrough")
    page.get_by_label("Remove player 3").click()
    page.get_by_label("Games").fill("2")
    page.get_by_label("Pace").fill("0")
    page.get_by_role("button", name="Start the tournament").click()
    expect(page.get_by_text("2 of 2 games, finished")).to_be_visible()
    expect(page.locator(".axis i").filter(has_text=re.compile("^0$"))).to_be_visible()
    expect(page.locator("tbody .interval-text").first).to_contain_text(
        re.compile(r"[+−]\d+ to [+−]\d+|not known yet")
    )
    page.get_by_role("button", name="What is this number?").click()
    expect(page.get_by_role("dialog")).to_contain_text("Elo in a tournament")
    page.keyboard.press("Escape")
    assert serious_faults(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("locale", ["de-DE", "ja-JP"])
def test_the_pages_fit_a_phone_in_every_language(
    browser: Browser, address: str, locale: str, scheme: Any
) -> None:
    context = browser.new_context(
        viewport=SCREENS["phone"], locale=locale, color_scheme=scheme, has_touch=True
    )
    page = context.new_page()
    faults: list[str] = []
    watch(page, address, faults)
    page.goto(address)
    for path in ("#/games", "#/person", "#/reports", "#/understand"):
        visit(page, address, path)
        expect(page.locator("h1")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, path
        assert serious_faults(page) == []
    context.close()
    assert faults == []


def test_the_review_needs_only_the_keyboard(page: Page) -> None:
    page.get_by_role("link", name="Understand").press("Enter")
    page.get_by_role("button", name="Paste").press("Enter")
    expect(page.get_by_label(BOX)).to_be_focused()
    page.keyboard.type("e4 e5 Nf3")
    expect(page.get_by_label(BOX)).to_have_value("e4 e5 Nf3")
    expect(page.get_by_text("Recognised: a game of Chess")).to_be_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("region", name="Review")).to_be_visible()
    page.keyboard.press("End")
    expect(page.locator(".insight-steps")).to_contain_text("Final position")


def test_a_key_pressed_the_moment_that_the_review_appears_counts(page: Page) -> None:
    page.get_by_role("link", name="Understand").click()
    page.evaluate(
        """() => {
            const seen = new MutationObserver(() => {
                if (!document.querySelector("section.review")) return;
                seen.disconnect();
                const key = { key: "End", bubbles: true, cancelable: true };
                document.body.dispatchEvent(new KeyboardEvent("keydown", key));
            });
            seen.observe(document.body, { childList: true, subtree: true });
        }"""
    )
    page.get_by_role("button", name="Paste").click()
    page.get_by_label(BOX).fill("e4 e5 Nf3")
    expect(page.get_by_text("Recognised: a game of Chess")).to_be_visible()
    page.get_by_role("button", name="Look", exact=True).click()
    expect(page.locator(".insight-steps")).to_contain_text("Final position")


def test_a_key_counts_while_the_page_draws_itself_again(page: Page) -> None:
    page.evaluate(
        """() => addEventListener("keydown", ({ key }) => {
            if (key === "End") document.querySelector(".review-moves li:nth-child(2) button").click();
        })"""  # the page is drawn again before its own listener has the key
    )
    look(page, "e4 e5 Nf3")
    expect(page.get_by_role("button", name="Final position")).to_be_visible()
    page.locator("h1").click()
    page.keyboard.press("End")
    expect(page.locator(".insight-steps")).to_contain_text("Final position")


def test_who_steps_quickly_through_a_game_asks_one_question_at_a_time(page: Page) -> None:
    look(page, LINE)
    expect(page.get_by_role("button", name="Final position")).to_be_visible()
    page.evaluate(
        """() => {
            const fetched = window.fetch;
            window.running = window.most = 0;
            window.fetch = async (url, options) => {
                if (!String(url).endsWith("/understand")) return fetched(url, options);
                window.most = Math.max(window.most, ++window.running);
                try { return await fetched(url, options); } finally { window.running -= 1; }
            };
        }"""
    )
    page.locator("h1").click()
    for _ in range(14):
        page.keyboard.press("ArrowRight")
    expect(page.locator(".insight-steps")).to_contain_text("Final position")
    expect(page.get_by_text("The game is over in this position.")).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)
    assert page.evaluate("window.most") == 1
