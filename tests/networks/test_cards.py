"""Model cards of shipped networks: accuracy on the test split with intervals and by phase, and weaknesses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sparring import data
from sparring.networks.card import ModelCard, read_card_from_file
from studies.student.card_accuracy import accuracy_text

ROOT = Path(__file__).parents[2]
CARDS = {name: read_card_from_file(data.path("networks", name)) for name in data.names("networks")}
GROUPED = (
    "human-chess",
    "human-go",
    "human-dan-go",
    "human-shogi",
    "strong-chess",
    "strong-go",
    "strong-shogi",
)


@pytest.mark.parametrize("name", GROUPED)
def test_a_card_has_accuracy_on_the_test_split_by_group_and_phase(name: str) -> None:
    text = CARDS[name].accuracy
    for part in ("Test split", "95 % intervals over games", "By group", "By phase", "opening", "endgame"):
        assert part in text, f"{name}: {part}"


@pytest.mark.parametrize("card", CARDS.values(), ids=CARDS)
def test_a_card_says_what_the_network_is_weak_at(card: ModelCard) -> None:
    assert len(card.limitations) > 50


@pytest.mark.parametrize("path", sorted((ROOT / "studies" / "student").glob("*.json")), ids=lambda p: p.stem)
def test_a_shipped_network_has_the_card_of_its_study(path: Path) -> None:
    card = CARDS[path.stem]
    for key, value in json.loads(path.read_text()).items():
        assert getattr(card, key) == value, key


def test_the_accuracy_is_written_from_a_report() -> None:
    part = {"top1": 0.5, "low": 0.4, "high": 0.6, "nll": 1.25, "nll_low": 1.2, "nll_high": 1.3}
    groups = {"1100": part, "1200": part}
    policy = {"groups": groups, "mean": part, "kinds": {"phase": {"opening": part}}}
    report = {"split": "test", "positions": 1234, "games": 12, "policies": {"human": policy}}
    assert accuracy_text(report, "human") == (
        "Test split, 1,234 positions of 12 games, 95 % intervals over games: top-1 0.500 (0.400 to 0.600), "
        "1.250 nats a move (1.200 to 1.300), mean of 2 groups. By group: 1100 0.500 (0.400 to 0.600), "
        "1200 0.500 (0.400 to 0.600). By phase: opening 0.500 (0.400 to 0.600)."
    )
