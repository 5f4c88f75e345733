"""Every text of the page has a translation: those of web/src, and those that the server gives."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from sparring.games import GAMES, describe, load_game
from sparring.server.new_game import opening_table
from tests.page.conftest import watch
from tests.page.steps import visit
from tests.page.test_other_pages import PAGES, serious_faults

ROOT = Path(__file__).parents[2]
LANGUAGES = ROOT / "web" / "src" / "languages"
TRANSLATED = ("de", "ja")
CALL = re.compile(r"(?<![\w.])(t|word|phrase|counted|sentence|refuse)\(")
STRING = re.compile(r"\"((?:[^\"\\]|\\.)*)\"")
COMPARED = re.compile(r"[!=]== \"[^\"]*\"")
TEMPLATES = {"t": (0,), "word": (0,), "phrase": (0,), "counted": (1, 2), "sentence": (0,), "refuse": (0,)}
"""Arguments of the page's functions that are texts."""


def table(language: str) -> dict[str, str]:
    found: dict[str, str] = json.loads((LANGUAGES / f"{language}.json").read_text(encoding="utf-8"))
    return found


def arguments(source: str, start: int) -> list[str]:
    """The arguments of a call whose parenthesis opens before `start`."""
    depth, quote, parts = 0, "", [""]
    at = start
    while at < len(source):
        letter = source[at]
        if quote:
            if letter == "\\":
                parts[-1] += letter
                at += 1
                letter = source[at]
            elif letter == quote:
                quote = ""
        elif letter in "\"'`":
            quote = letter
        elif letter in "([{":
            depth += 1
        elif letter in ")]}":
            if depth == 0:
                break
            depth -= 1
        elif letter == "," and depth == 0:
            parts.append("")
            at += 1
            continue
        parts[-1] += letter
        at += 1
    return parts


def strings(argument: str) -> list[str]:
    """The strings of an argument, without those that something is compared with."""
    return [json.loads(f'"{text}"') for text in STRING.findall(COMPARED.sub("", argument))]


def texts_of_the_page() -> set[str]:
    found = set()
    for path in (ROOT / "web" / "src").rglob("*.ts*"):
        source = path.read_text(encoding="utf-8")
        for call in CALL.finditer(source):
            given = arguments(source, call.end())
            for position in TEMPLATES[call[1]]:
                if position < len(given):
                    found |= set(strings(given[position]))
    return found


def texts_of_the_server() -> set[str]:
    """The templates of all calls of `Sentence`, the games' rules, and names of openings and handicaps."""
    rules = {str(describe(game).rules_summary) for game in GAMES} - {""}
    tables = [opening_table(game) for game in GAMES]
    titles = {offer.title for table in tables for offer in table.openings}
    titles |= {offer.title for table in tables for offer in table.handicaps}
    sources = (ROOT / "src" / "sparring").rglob("*.py")
    return rules | titles | {text for path in sources for text in sentences(path)}


def sentences(path: Path) -> Iterator[str]:
    source = path.read_text(encoding="utf-8")
    if "Sentence(" not in source:
        return
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Sentence" and node.args:
            template = node.args[0]
            for text in (template.body, template.orelse) if isinstance(template, ast.IfExp) else (template,):
                if isinstance(text, ast.Constant):
                    yield str(text.value)


def names(text: str) -> list[str]:
    """The placeholders of a text, in order of the alphabet."""
    return sorted(set(re.findall(r"\{(\w+)\}", text)))


def without_context(template: str) -> str:
    return re.sub(r"^[a-z]+\|", "", template)


def test_the_english_table_has_every_text() -> None:
    wanted = texts_of_the_page() | texts_of_the_server()
    assert len(wanted) > 250
    english = table("en")
    assert wanted - english.keys() == set()
    assert english.keys() - wanted == set()
    assert {key: without_context(key) for key in english} == english


@pytest.mark.parametrize("language", TRANSLATED)
def test_a_language_has_every_text(language: str) -> None:
    english, found = table("en"), table(language)
    assert english.keys() - found.keys() == set()
    assert found.keys() - english.keys() == set()
    assert [key for key, text in found.items() if not text.strip()] == []
    assert [key for key, text in found.items() if names(key) != names(text)] == []


@pytest.mark.parametrize("language", TRANSLATED)
def test_games_sides_and_rules_are_translated(language: str) -> None:
    found = table(language)
    for game in GAMES:
        spec = load_game(game).spec
        assert spec.title in found
        assert describe(game).rules_summary in ("", *found)
        for side in spec.players:
            assert side in found or f"{game}|{side}" in found


def test_a_text_that_is_missing_would_be_found() -> None:
    source = (
        't(late === "no" ? "Too {late}" : "Early", { late }); counted(n, "{count} move", "{count} moves")'
    )
    texts = [
        [strings(arguments(source, call.end())[position]) for position in TEMPLATES[call[1]]]
        for call in CALL.finditer(source)
    ]
    assert texts == [[["Too {late}", "Early"]], [["{count} move"], ["{count} moves"]]]


@pytest.mark.parametrize(
    ("locale", "language", "title"), [("ja-JP", "ja", "チェス"), ("de-AT", "de", "Schach")]
)
def test_the_browser_chooses_the_language(
    browser: Browser, address: str, locale: str, language: str, title: str
) -> None:
    context = browser.new_context(locale=locale)
    page = context.new_page()
    faults: list[str] = []
    watch(page, address, faults)
    page.goto(address)
    expect(page.get_by_text(title, exact=True).first).to_be_visible()
    assert page.evaluate("document.documentElement.lang") == language
    assert serious_faults(page) == []
    context.close()
    assert faults == []


def test_the_language_is_changed_and_kept(page: Page) -> None:
    page.get_by_role("button", name="Settings").click()
    page.get_by_label("Language").select_option("de")
    expect(page.get_by_role("heading", name="Einstellungen")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("heading", name="Gegen wen möchtest du spielen?")).to_be_visible()
    page.reload()
    expect(page.get_by_role("heading", name="Gegen wen möchtest du spielen?")).to_be_visible()
    assert page.evaluate("document.documentElement.lang") == "de"


@pytest.mark.parametrize("language", TRANSLATED)
def test_no_page_shows_english_or_is_wider_than_a_phone(
    browser: Browser, address: str, language: str
) -> None:
    context = browser.new_context(locale=language, viewport={"width": 390, "height": 844}, has_touch=True)
    page = context.new_page()
    faults: list[str] = []
    watch(page, address, faults)
    found = table(language)
    english = {text for text in table("en").values() if len(text) > 3 and "{" not in text}
    english -= set(found.values())
    page.goto(address)
    for path in PAGES:
        if path == "#/reports":
            continue  # the reports themselves are English
        visit(page, address, path)
        expect(page.locator("h1")).to_be_visible()
        assert english & set(page.inner_text("body").split("\n")) == set(), path
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, path
    page.goto(address)
    page.get_by_role("button", name=found["Play"], exact=True).click()
    expect(page.locator(".table")).to_be_visible()
    page.get_by_role("button", name=found["Resign"]).click()
    page.get_by_role("button", name=found["Really resign"]).click()
    expect(page.locator(".result")).to_have_text(found["You lost: you resigned."])
    assert english & set(page.inner_text("body").split("\n")) == set()
    context.close()
    assert faults == []
