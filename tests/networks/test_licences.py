"""Shipped networks state what is known of their licence and teachers, and no more (docs/networks.md)."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from sparring import data
from sparring.networks.card import ModelCard, read_card_from_file

ROOT = Path(__file__).parents[2]
CARDS = {name: read_card_from_file(data.path("networks", name)) for name in data.names("networks")}
TEACHER = re.compile(r"[\w.+ -]+ \([^();]+; (?:licence not stated|[A-Z][\w.-]*-\d[\w.-]*)\)")
"""A teacher: name (origin; licence)."""


def table() -> dict[str, str]:
    """The licence of each network in LICENSES/README.md."""
    rows = re.findall(
        r"^\| `src/sparring/data/networks/([\w-]+)\.onnx` \| (.+?) \|",
        (ROOT / "LICENSES" / "README.md").read_text(),
        re.MULTILINE,
    )
    return dict(rows)


def test_the_table_has_every_network_with_the_licence_of_its_card() -> None:
    assert table() == {name: card.licence for name, card in CARDS.items()}


@pytest.mark.parametrize("card", CARDS.values(), ids=CARDS)
def test_a_card_names_teachers_with_origin_and_licence(card: ModelCard) -> None:
    facts = f"{card.trained_on} {card.source}".lower().replace("no teacher", "")
    learned = re.search(r"teacher|distilled|against itself", facts)
    assert card.teachers or not learned, "list the teachers in `teachers`"
    if card.teachers:
        assert TEACHER.search(card.teachers), card.teachers
    assert len(TEACHER.findall(card.teachers)) == card.teachers.count("(")


@pytest.mark.parametrize("card", CARDS.values(), ids=CARDS)
def test_a_licence_claims_no_more_than_is_known(card: ModelCard) -> None:
    assert card.licence not in ("", "not stated", "unknown"), "a shipped network has a licence"
    if "AGPL" in card.teachers:
        assert card.licence.startswith("AGPL-3.0")
    if "licence not stated" in card.teachers:
        assert "teacher is not stated" in card.licence


def test_every_licence_has_its_text_and_is_in_the_metadata() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    expression = set(project["license"].split(" AND "))
    assert {card.licence.partition(" ")[0] for card in CARDS.values()} <= expression
    assert project["license-files"] == ["LICENSE", "LICENSES/*"]
    texts = {path.stem for path in (ROOT / "LICENSES").glob("*.txt")}
    assert texts | {"GPL-3.0-or-later"} == expression


@pytest.mark.parametrize("card", CARDS.values(), ids=CARDS)
def test_a_card_says_what_its_licence_means_for_who_ships_it(card: ModelCard) -> None:
    assert "pass" in card.redistribution
    assert ("AGPL" in card.redistribution) == card.licence.startswith("AGPL")
    assert ("not settled" in card.redistribution) == ("not stated" in card.teachers)
    labels = [label for label, _ in card.describe()]
    assert labels.index("redistribution") > labels.index("licence")


def test_a_card_of_an_unknown_licence_promises_nothing() -> None:
    card = ModelCard("a", "chess", "plain", "residual 1x1", 1, "a test")
    assert card.redistribution == ""
    assert "redistribution" not in dict(card.describe())
