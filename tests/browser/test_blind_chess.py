"""Blind chess in a tab: possible boards and bots are those of the native core, and a game on the page."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from sparring._core import RbcState
from sparring.rbc.bots import ATTACKS, BOTS
from sparring.rbc.game import (
    MoveResult,
    Observation,
    OpponentMoveResult,
    OpponentSense,
    Rbc,
    SenseResult,
    observed_steps,
)
from sparring.rbc.history import read_history
from sparring.rbc.tracker import Guess, Tracker, TrackerOptions, winning_request, winning_senses
from tests.browser.conftest import in_node
from tests.browser.native_moves import SharedPolicies, rows
from tests.browser.pages import served
from tests.browser.test_tab_in_chromium import PHONE, context

__all__ = ["context"]


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    with served(site) as (found, _):
        yield found


def observations(player: int, seed: int, falsified: float) -> list[Observation]:
    """What a player observes in a random game; a share of its senses shows wrong pieces of the opponent."""
    rng, state = random.Random(seed), RbcState.initial()
    while state.outcome is None and state.ply < 60:
        state = state.play(rng.choice(state.legal_moves()))
    found: list[Observation] = []
    for step in observed_steps(state):
        seen = step.seen[player]
        if isinstance(seen, OpponentSense) or step.after.outcome is not None:
            continue
        if isinstance(seen, SenseResult) and rng.random() < falsified:
            own = "pnbrqk" if player else "PNBRQK"
            wrong = "NBRQ" if player else "nbrq"
            seen = SenseResult(
                tuple(
                    (square, piece if piece and piece in own + "kK" else rng.choice([*wrong, None, None]))
                    for square, piece in seen.pieces
                )
            )
        found.append(seen)
    return found


def as_json(seen: Observation) -> dict[str, Any]:
    match seen:
        case SenseResult(pieces):
            return {"kind": "sense", "pieces": pieces}
        case MoveResult(request, taken, capture):
            return {"kind": "move", "request": request, "taken": taken or 0, "capture": capture}
        case OpponentMoveResult(capture):
            return {"kind": "opponent", "capture": capture}
    raise AssertionError(seen)


def test_possible_boards_are_those_of_the_native_core(site: Path) -> None:
    """Complete sets, samples of large ones, and boards that were edited after false observations."""
    games = [
        (seed % 2, limit, seed, observations(seed % 2, seed, falsified))
        for limit, falsified in ((5_000, 0.0), (200, 0.0), (200, 0.3))
        for seed in range(2 if limit > 200 else 4)
    ]
    found = in_node({"kind": "boards", "games": [[*game[:3], [*map(as_json, game[3])]] for game in games]})
    samples = 0
    for (player, limit, seed, seen), tab in zip(games, found, strict=True):
        options = TrackerOptions(limit=limit, past_limit=2 * limit, seed=seed, repair=True)
        tracker, guess = Tracker(player, options), Guess(player)
        for observation, known in zip(seen, tab, strict=True):
            tracker.observe(observation)
            guess.observe(observation)
            boards = tracker.boards
            assert known["size"] == len(boards)
            assert known["exact"] == tracker.exact
            assert known["known"] == boards.known_pieces()
            assert known["guess"] == guess.state.text()
            assert known["senses"] == boards.undominated_senses()
            samples += not tracker.exact
            if boards.to_move != player:
                continue
            requests, scores, _ = boards.evaluate_requests(1, 700)
            assert (known["requests"], known["score"]) == (len(requests), int(scores.sum()))
            assert known["request"] == winning_request(boards)
            assert known["sense"] == next(iter(winning_senses(boards)), None)
    assert samples > 50


def test_bots_sense_and_move_as_the_native_ones(site: Path) -> None:
    """Whole games; each bot draws from its seed all the time."""
    bots = ["random", "attacker", "guesser", "inference-1", "inference-2", "cautious", "sneaky"]
    policies = SharedPolicies()
    native = [made for bot in bots for made in rows("rbc", {}, [{"bot": bot}], 40, policies)]
    found = in_node({"kind": "moves", "rows": [made.row for made in native]})
    pairs = list(zip(native, found, strict=True))
    different = [(made.row[2], made.move, tab["move"]) for made, tab in pairs if made.move != tab["move"]]
    assert len(different) <= 2, different


def test_a_tab_has_the_bots_that_need_no_clock(site: Path) -> None:
    content = json.loads(gzip.decompress((site / "tab" / "data.json.gz").read_bytes()))
    (offer,) = (offer for offer in content["offers"] if offer["name"] == "rbc")
    names = [bot["name"] for bot in offer["bots"]]
    assert {*names} == {*content["games"]["rbc"]["bots"]["configs"]}
    assert "planner" not in names
    assert {*names} < {*BOTS}


SENSE, MOVE = "Tap a square to sense", "Your move."


def begin(page: Page, address: str, bot: str) -> None:
    """Begins a game of blind chess as White; the bot answers at once."""
    choice = json.dumps({"think_time": "none", "kind": "bot", "bot": bot})
    stored = {"game": "rbc", "opponent-rbc": choice}
    page.add_init_script(f"Object.assign(localStorage, {json.dumps(stored)})")
    page.goto(address)
    page.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_url("**/#/game/*")
    expect(page.get_by_text(bot, exact=True).first).to_be_visible()


def act(page: Page, sense: str, move: str) -> None:
    """A turn of the person, typed."""
    for phase, text in ((SENSE, sense), (MOVE, move)):
        expect(page.locator(".status")).to_contain_text(phase)
        field = page.locator(".move-field input")
        field.fill(text)
        field.press("Enter")


def shown_boards(page: Page) -> int:
    """The number of possible boards that the page shows."""
    return int(page.locator(".blind .number").inner_text().replace(",", ""))


def test_a_person_sees_what_it_observes_and_a_reload_keeps_it(context: BrowserContext, address: str) -> None:
    """The page's default bot answers; the number of boards is that of the native tracker."""
    page = context.new_page()
    begin(page, address, "guesser")
    tracker, state = Tracker(0), RbcState.initial()
    assert shown_boards(page) == 1
    for sense, move in (("none", "e4"), ("c7", "Nf3")):
        act(page, sense, move)
        expect(page.locator(".status")).to_contain_text(SENSE)
        if sense == "none":
            request = Rbc().parse_move(state.play(state.parse_move("sense none")), move)
            tracker.observe(SenseResult(()))
            tracker.observe(MoveResult(request, request, None))
            tracker.observe(OpponentMoveResult(None))
            assert shown_boards(page) == len(tracker.boards)
    expect(page.get_by_text("e2e4").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    before = shown_boards(page)
    page.reload()
    expect(page.locator(".status")).to_contain_text(SENSE)
    assert shown_boards(page) == before
    assert page.get_by_role("button", name="Take back").count() == 0
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("button", name="Really resign").click()
    expect(page.locator(".result")).to_have_text("You lost: you resigned.")


def test_a_whole_game_ends_with_the_truth(context: BrowserContext, address: str, tmp_path: Path) -> None:
    """The attacker takes a king that stands still. Then there are both sides' moves, a replay, and a file."""
    page = context.new_page()
    begin(page, address, "attacker")
    for _ in range(30):
        act(page, "none", "pass")
        page.wait_for_function(
            f"""document.querySelector('.result') ||
            document.querySelector('.status').textContent.includes('{SENSE}')"""
        )
        if page.locator(".result").count():
            break
    expect(page.locator(".result")).to_have_text("You lost: king capture.")
    expect(page.get_by_role("heading", name="Who knew what?")).to_be_visible()
    expect(page.locator(".replay-boards figure")).to_have_count(3)
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as JSON").click()
    content = Path(download.value.path()).read_bytes()
    (parsed,) = read_history([content])
    assert parsed.record is not None, parsed
    assert (parsed.record.first, parsed.record.second, parsed.record.result) == ("You", "attacker", 0.0)
    state = RbcState.initial().unpack_moves(parsed.record.moves, 2)
    taken = [step.seen[1] for step in observed_steps(state)]
    words = [state.move_text(seen.request) for seen in taken if isinstance(seen, MoveResult)]
    attacks = [[mirrored(word) for word in attack.split()] for attack in ATTACKS]
    assert any(words[: len(attack)] == attack for attack in attacks)
    page.goto(f"{address}#/games")
    expect(page.locator(".game-cards .card")).to_have_count(1)


def mirrored(word: str) -> str:
    """A move seen by the other side."""
    return "".join(str(9 - int(letter)) if letter.isdigit() else letter for letter in word)


def test_blind_chess_works_without_a_network_after_the_first_load(
    context: BrowserContext, site: Path
) -> None:
    with served(site) as (address, sent):
        page = context.new_page()
        begin(page, address, "guesser")
        expect(page.locator(".status")).to_contain_text(SENSE)
        page.wait_for_function("caches.match('./tab/core.wasm.gz').then(Boolean)")
        assert sum(size for _, size in sent) < 2e6
    page.reload()
    act(page, "e7", "d4")
    expect(page.locator(".status")).to_contain_text(SENSE)
