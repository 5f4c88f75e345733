"""The docs: tables of options are those of the classes, old keys are listed, examples are read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import pytest

from sparring.base.config import read_toml
from sparring.games import GAMES
from sparring.players.player_config import load_player_config
from sparring.policies.loading import read_policy_config
from sparring.rbc.bots import load_bot_config
from sparring.records.presets import game_filter
from tests.config.option_tables import DOCS, documented_classes, with_tables
from tests.robustness.test_config_files import covered

PAGES = sorted(DOCS.glob("*.md"))
FILTERS = [game_filter(game) for game in GAMES]
CLASSES: list[type[Any]] = list(dict.fromkeys([*(cls for cls, _ in covered()), *FILTERS]))


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_tables_are_those_of_the_classes(page: Path) -> None:
    text = page.read_text()
    assert with_tables(text) == text, "run `make tables`"


def test_every_configuration_class_has_a_table() -> None:
    shown = {resolve_name(name) for page in PAGES for name in documented_classes(page.read_text())}
    assert not [cls.__name__ for cls in CLASSES if cls not in shown]


def test_every_key_has_a_docstring() -> None:
    for page in PAGES:
        for line in page.read_text().splitlines():
            assert not (line.startswith("| `") and line.endswith("|  |")), f"{page.name}: {line}"


@pytest.mark.parametrize(
    ("page", "number", "read"),
    [
        ("players.md", 0, load_player_config),
        ("policies.md", 0, read_policy_config),
        ("policies.md", 1, read_policy_config),
        ("rbc-bots.md", 0, lambda path: load_bot_config(str(path))),
    ],
)
def test_examples_are_read(page: str, number: int, read: Callable[[Path], Any], tmp_path: Path) -> None:
    blocks = (DOCS / page).read_text().split("```toml\n")[1:]
    path = tmp_path / "example.toml"
    path.write_text(blocks[number].split("```")[0])
    assert read(path)
    assert read_toml(path)
