"""What is chosen before a game, and what is said about it: bots, levels, rules, how the opponent behaves."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page, Route, expect

from sparring.players.player_config import shipped_levels
from tests.page.steps import (
    begin,
    choose,
    from_position,
    held_answer,
    resign,
    result,
    settings,
    tap,
    type_move,
    visit,
    weak,
)  # fmt: skip
from tests.page.test_other_pages import look, serious_faults
from tests.waiting import wait_until


def begun_with(page: Page) -> dict[str, Any]:
    """What the page asks for when the game begins."""
    with page.expect_request(lambda asked: asked.method == "POST") as asked:
        begin(page)
    wanted = asked.value.post_data_json
    assert wanted is not None
    return dict(wanted)


def test_bots_have_a_line_a_rating_and_the_planner_its_time(page: Page) -> None:
    def rated(route: Route) -> None:
        offers = route.fetch().json()
        for offer in offers:
            for place, bot in enumerate(offer["bots"]):
                rating = {"rating": 100 * place + 0.3, "interval": [100 * place - 40, 100 * place + 40]}
                seconds = bot["default_budget"]
                bot["ratings"] = [{**rating, "games": 300, "seconds": seconds}]
        route.fulfill(json=offers)

    page.route("**/api/catalogue", rated)
    page.reload()
    choose(page, "rbc")
    bots = page.get_by_role("radiogroup", name="Bot", exact=True).locator(".bot")
    expect(bots.last).to_be_visible()
    names = [bot.locator("strong").inner_text() for bot in bots.all()]
    assert (names[0], names[-1]) == ("random", "planner")
    assert [bot.locator(".number").inner_text() for bot in bots.all()] == [
        str(100 * place) for place in range(len(names))
    ]
    assert all(len(bot.locator(".note").inner_text()) > 20 for bot in bots.all())
    default = page.locator(".bot:has(:checked) strong").inner_text()
    assert names.index(default) < len(names) / 2  # a beginner can beat it
    page.get_by_label("planner", exact=True).check()
    expect(page.get_by_text("in 300 games between the bots")).to_be_visible()
    page.get_by_label("0.5 s a turn").check()
    assert serious_faults(page) == []
    assert begun_with(page)["opponent"] == {"kind": "bot", "bot": "planner", "seconds": 0.5}


def test_a_level_of_shogi_is_a_day_of_people(page: Page) -> None:
    choose(page, "shogi")
    level, note = page.get_by_label("Level", exact=True), page.locator(".dial .note").first
    expect(note).to_contain_text(
        "Errs about as people do on a bad day (three-minute games of one shogi site)"
    )
    level.fill("0")
    expect(note).to_contain_text("Errs about as people do on a terrible day")
    expect(note).to_contain_text("on such a day people")


def test_a_level_of_shogi_has_an_opening_style_and_chess_has_none(page: Page) -> None:
    choose(page, "chess")
    expect(page.get_by_label("Opening style")).to_have_count(0)
    choose(page, "shogi")
    style = page.get_by_label("Opening style")
    expect(style).to_have_value("")
    style.select_option("Ranging rook")
    asked = begun_with(page)["opponent"]
    assert (asked["kind"], asked["opening_style"]) == ("level", "ranging-rook")
    expect(page.get_by_text("Ranging rook.").first).to_be_attached()


def test_a_level_of_chess_says_whom_it_errs_like(page: Page) -> None:
    choose(page, "chess")
    level, note = page.get_by_label("Level", exact=True), page.locator(".dial .note").first
    table = shipped_levels("chess")
    assert table is not None
    known = [row for row in table.levels if row.people_interval is not None]
    measured = known[3]
    expect(page.get_by_text("the level's own mixture of both networks")).to_be_visible()
    level.fill(str(measured.level))
    expect(note).to_contain_text(f"Errs about as people of {measured.level} do (Lichess rapid): measured in")
    low, high = measured.people_interval or (0.0, 0.0)
    expect(note).to_contain_text(
        f"{100 * (measured.loss or 0):.1f} % of a win a move; such people "
        f"{100 * (measured.people or 0):.1f} % ({100 * low:.1f} % to {100 * high:.1f} %)."
    )
    level.fill(str(measured.level + 100))
    expect(note).to_contain_text("It lies between two levels that were measured")
    for unmeasured in (table.range[0], table.range[1]):
        level.fill(str(unmeasured))
        expect(note).to_contain_text(
            f"Not measured: continues the trend of the levels {known[0].level} to {known[-1].level}"
        )


def test_shogi_begins_in_the_middle_of_its_levels(page: Page) -> None:
    choose(page, "shogi")
    level = page.get_by_label("Level", exact=True)
    low, high = (int(level.get_attribute(name) or 0) for name in ("min", "max"))
    value = int(level.input_value())
    assert low + 0.25 * (high - low) <= value <= high - 0.25 * (high - low)


def test_a_slow_level_says_so_before_the_game(page: Page) -> None:
    def slow(route: Route) -> None:
        offers = route.fetch().json()
        for estimate in offers[0]["levels"]["estimates"]:
            estimate["seconds"] = 12.4 if estimate["level"] >= 2000 else 0.5
        route.fulfill(json=offers)

    page.route("**/api/catalogue", slow)
    page.reload()
    choose(page, "chess")
    page.get_by_label("Level", exact=True).fill("1500")
    expect(page.get_by_text("On this machine it thinks")).to_have_count(0)
    page.get_by_label("Level", exact=True).fill("2200")
    expect(page.get_by_text("On this machine it thinks for about 12 s a move.")).to_be_visible()


def test_go_has_19_lines_and_its_rules_are_chosen(page: Page) -> None:
    choose(page, "go")
    expect(page.get_by_label("19x19")).to_be_checked()
    weak(page)
    page.get_by_label("9x9", exact=True).check()
    page.get_by_role("combobox", name="Rules", exact=True).select_option("japanese")
    page.get_by_label("Komi").fill("5.5")
    wanted = begun_with(page)
    assert wanted["options"] == {"size": 9, "rules": "japanese", "komi": 5.5}
    facts = page.locator(".game-line")
    expect(facts).to_contain_text("Prisoners: Black 0, White 0.")
    expect(facts).to_contain_text("Komi 5.5.")
    expect(facts).to_contain_text("Japanese rules.")


def test_games_without_draws_have_no_draw(page: Page) -> None:
    for game, count in (("breakthrough", 0), ("chess", 1)):
        choose(page, game)
        weak(page)
        begin(page)
        expect(page.get_by_role("button", name="Resign")).to_be_visible()
        expect(page.get_by_role("button", name="Offer a draw")).to_have_count(count)
        page.goto(page.url.split("#")[0])


def test_the_opponent_answers_at_once_and_never_resigns(page: Page) -> None:
    choose(page, "chess")
    page.get_by_label("The opponent answers at once").check()
    page.get_by_label("The opponent never resigns").check()
    wanted = begun_with(page)
    assert wanted["resigns"] is False
    assert wanted["opponent"]["think_time"] == "none"
    page.goto(page.url.split("#")[0])
    expect(page.get_by_label("The opponent never resigns")).to_be_checked()
    page.get_by_label("The opponent never resigns").uncheck()
    page.get_by_label("The opponent answers at once").uncheck()
    again = begun_with(page)
    assert "resigns" not in again
    assert "think_time" not in again["opponent"]


def test_the_box_for_a_position_stays_open_while_its_text_is_changed(page: Page) -> None:
    choose(page, "chess")
    from_position(page, "7k/8/6K1/8/8/8/8/1Q6 w - - 0 1")
    box = page.get_by_label("A position or a whole game")
    box.focus()
    page.keyboard.press("Home")
    page.keyboard.type("no ")
    expect(page.get_by_role("alert")).to_be_visible()
    expect(box).to_be_focused()
    for _ in range(3):
        page.keyboard.press("Backspace")
    expect(page.get_by_text("Recognised: a position")).to_be_visible()


def test_you_won_and_you_lost(page: Page) -> None:
    choose(page, "chess")
    weak(page)
    from_position(page, "7k/8/6K1/8/8/8/8/1Q6 w - - 0 1")
    begin(page)
    tap(page, "b1")
    tap(page, "b8")
    assert result(page) == "You won: checkmate."
    page.goto(page.url.split("#")[0])
    weak(page)
    begin(page)
    type_move(page, "e4")
    resign(page)
    assert result(page).startswith("You lost")


def test_a_hint_names_the_best_move_and_that_of_people(page: Page) -> None:
    choose(page, "chess")
    begin(page)
    page.get_by_role("button", name="Hint").click()
    advice = page.locator(".advice")
    expect(advice).to_contain_text("The best move")
    expect(advice.get_by_label("Your rating")).to_have_value("1500")
    expect(page.locator(".cg-shapes line").first).to_be_attached()
    assert serious_faults(page) == []
    with page.expect_request("**/hint?rating=1000"):
        advice.get_by_label("Your rating").select_option("1000")
    expect(advice.get_by_label("Your rating")).to_have_value("1000")
    page.reload()
    page.get_by_role("button", name="Hint").click()
    expect(advice.get_by_label("Your rating")).to_have_value("1000")


def test_a_hint_that_comes_late_is_not_shown_for_the_next_position(page: Page) -> None:
    choose(page, "chess")
    weak(page)
    begin(page)
    with held_answer(page, "**/hint*"):
        page.get_by_role("button", name="Hint").click()
        type_move(page, "e4")
        expect(page.locator(".moves button")).to_have_count(2)
        expect(page.get_by_text("Your move.")).to_be_visible()
    expect(page.locator(".hint")).to_have_count(0)
    page.get_by_role("button", name="Hint").click()
    expect(page.locator(".hint")).to_be_visible()


def test_the_first_opponent_of_go_is_the_weakest_that_was_measured(page: Page) -> None:
    table = shipped_levels("go")
    assert table is not None
    choose(page, "go")
    dial = page.get_by_label("Level", exact=True)
    expect(dial).to_have_attribute("aria-valuetext", "5k")
    expect(page.get_by_text("Errs about as people of 5k do (Fox): measured in games")).to_be_visible()
    dial.press("ArrowLeft")
    expect(dial).to_have_attribute("aria-valuetext", "6k")
    expect(page.get_by_text("Not measured: continues the trend of the levels 5k to 9d")).to_be_visible()
    dial.press("ArrowRight")
    assert begun_with(page)["opponent"] == {"kind": "level", "level": table.default_level}
    page.goto(page.url.split("#")[0])
    expect(page.get_by_label("Go", exact=True)).to_be_checked()
    page.get_by_label("People of a rank").check()  # what was chosen last is kept
    begun_with(page)
    page.goto(page.url.split("#")[0])
    expect(page.get_by_label("People of a rank")).to_be_checked()


def test_how_long_a_level_thinks_is_shown_once_it_is_measured(page: Page) -> None:
    answers: list[bool] = []

    def note(route: Route) -> None:
        answer = route.fetch()
        steps = [
            step for offer in answer.json() for step in (offer["levels"] or {"estimates": []})["estimates"]
        ]
        answers.append(all(step["seconds"] is not None for step in steps))
        route.fulfill(response=answer)

    page.route("**/api/catalogue", note)
    page.reload()
    choose(page, "shogi")
    wait_until(lambda: (page.evaluate("0"), answers and answers[-1])[1], "the times of moves")
    asked = len(answers)
    page.evaluate("new Promise(resolve => setTimeout(resolve, 4500))")
    assert len(answers) == asked  # known times are not asked for again


def test_the_own_rating_is_asked_for_once_and_used_everywhere(page: Page, address: str) -> None:
    choose(page, "chess")
    field = page.get_by_label("Do you have a rating (Lichess rapid)?")
    field.fill("1730")
    field.press("Enter")
    expect(field).to_have_count(0)
    level = page.get_by_label("Level", exact=True)
    expect(level).to_have_value("1750")
    assert serious_faults(page) == []
    page.reload()
    expect(level).to_have_value("1750")
    expect(field).to_have_count(0)
    begin(page)
    page.get_by_role("button", name="Hint").click()
    expect(page.locator(".hint").get_by_label("Your rating")).to_have_value("1750")
    visit(page, address, "#/understand")
    look(page, "1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0")
    expect(page.get_by_text("reviewed as 1750").first).to_be_visible()
    expect(page.get_by_label("Your rating")).to_have_value("1750")


def test_the_own_rating_and_name_are_in_the_games_file(page: Page, address: str) -> None:
    choose(page, "chess")
    field = page.get_by_label("Do you have a rating (Lichess rapid)?")
    field.fill("1730")
    field.press("Enter")
    with settings(page):
        page.get_by_label("Your name in saved games").fill("Ann")
    page.reload()
    begin(page)
    record = f"{address}/api/games/{page.url.rpartition('/')[2]}/record?format=pgn"
    text = page.request.get(record).text()
    assert '[White "Ann"]' in text
    assert '[WhiteElo "1730"]' in text
    expect(page.get_by_text("You", exact=True).first).to_be_visible()


def test_who_has_no_rating_is_not_asked_again(page: Page) -> None:
    choose(page, "shogi")
    expect(page.get_by_text("Do you have a rating")).to_have_count(0)  # its levels are no ratings
    choose(page, "chess")
    level = page.get_by_label("Level", exact=True).input_value()
    page.get_by_role("button", name="I have none").click()
    page.reload()
    expect(page.get_by_label("Level", exact=True)).to_have_value(level)
    expect(page.get_by_text("Do you have a rating")).to_have_count(0)
