"""Rule sets by name, and their group taxes."""

from __future__ import annotations

import pytest

from sparring._core import GoState
from sparring.games import ParseError
from sparring.go.game import RULE_SETS, Go

SEKI = "1XXO1/XX1OO/XXXOO/XXXOO/XXXOO"
"""Both sides have an eye at the top, and neither may fill the neutral point on C4."""


@pytest.mark.parametrize(
    "name", ["chinese", "Chinese-OGS", "chinese_kgs", "Tromp Taylor", "tromptaylor", "NZ", "stone scoring"]
)
def test_rule_set_names_are_recognised_in_any_spelling(name: str) -> None:
    assert Go.by_rules(name).size == 19


def test_rule_sets_are_what_katago_takes_them_for() -> None:
    assert Go.by_rules("chinese", size=9) == Go(size=9, komi=7.5, ko="simple")
    assert Go.by_rules("tromp-taylor") == Go(komi=7.5, ko="positional", suicide=True)
    japanese = Go(komi=6.5, ko="simple", scoring="territory", tax="seki")
    assert Go.by_rules("japanese") == Go.by_rules("korean") == japanese
    assert Go.by_rules("new-zealand", komi=6) == Go(komi=6, ko="situational", suicide=True)
    assert Go.by_rules("stone-scoring") == Go(komi=7.5, ko="simple", tax="all")


@pytest.mark.parametrize(("name", "komi"), [("chinese", 3.5), ("aga", 2.5), ("tromp-taylor", 0.5)])
def test_handicap_stones_may_cost_black_points(name: str, komi: float) -> None:
    go = Go.by_rules(name, size=9, komi=0.5, handicap=3)
    assert (go.komi, go.handicap) == (komi, 3)
    assert Go.by_rules(name, komi=0.5).komi == 0.5


def test_an_error_for_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(ParseError, match="rules 'klingon' are not known; there are tromp-taylor, chinese"):
        Go.by_rules("klingon")


@pytest.mark.parametrize("name", RULE_SETS)
def test_states_carry_their_rules_through_text(name: str) -> None:
    go = Go.by_rules(name, size=7)
    state = go.initial()
    assert GoState.parse(state.text()) == state
    assert Go.of(GoState.parse(state.text())) == go


def test_tax_is_part_of_the_text_and_of_what_states_are() -> None:
    taxed = GoState.parse("5/5/5/5/5 b - 0 0 0 7.5 simple territory tax-seki")
    assert taxed.tax == "seki"
    assert taxed.text().endswith("simple territory tax-seki")
    assert taxed != GoState.parse("5/5/5/5/5 b - 0 0 0 7.5 simple territory")
    with pytest.raises(ParseError, match="tax 'some' is not none, seki or all"):
        Go(tax="some")  # type: ignore[arg-type]  # what is tested
    with pytest.raises(ParseError, match="given twice"):
        GoState.parse("5/5/5/5/5 b - 0 0 0 7.5 tax-seki tax-all")


def test_eyes_in_seki_are_taxed() -> None:
    stones = (13, 9)
    assert GoState.parse(f"{SEKI} b - 0 0 0 0").score() == (stones[0] + 1, stones[1] + 1)
    assert GoState.parse(f"{SEKI} b - 0 0 0 0 tax-seki").score() == stones
    assert GoState.parse(f"{SEKI} b - 3 2 0 0 territory").score() == (3 + 1, 2 + 1)
    assert GoState.parse(f"{SEKI} b - 3 2 0 0 territory tax-seki").score() == (3, 2)


def test_every_other_group_pays_two_points_where_all_are_taxed() -> None:
    text = "1X1XO/XXXXO/OOOOO/OOO1O/1OO2"
    plain, taxed = (GoState.parse(f"{text} b - 0 0 0 0{tax}").score() for tax in ("", " tax-all"))
    assert plain == (6 + 2, 13 + 4)
    assert taxed == (6 + 2 - 2, 13 + 4 - 2)
