from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from sparring.base.errors import BadConfig
from sparring.engines import EngineSettings, options_of
from sparring.engines.options import (
    OPTIONS,
    PROTOCOLS,
    EngineOptions,
    Option,
    OptionKind,
    declaration,
    declared_options,
    find_option,
)
from sparring.players.player_config import level_range, parse_player_config
from sparring.policies import load_policy, rating_range

PAGE = Path(__file__).parents[2] / "docs" / "engines.md"


def engine_options_table() -> str:
    """All options as a Markdown table, for docs/engines.md."""
    head = "| option | on the command line | default | meaning |\n|---|---|---|---|\n"
    return head + "".join(f"{_row(option)}\n" for option in OPTIONS)


def _row(option: Option) -> str:
    names = dict.fromkeys(f"`{name}`" for name in option.names.values())
    where = "" if len(option.names) == len(PROTOCOLS) else f" ({', '.join(option.names)})"
    flag = "" if option.kind is OptionKind.BUTTON else f"`--{option.flag}` {option.range_text()}"
    usual = option.value(EngineSettings.of(PROTOCOLS[next(iter(option.names))]))
    return f"| {', '.join(names)}{where} | {flag} | {usual} | {option.help} |"


def test_the_table_in_the_docs_is_current() -> None:
    assert engine_options_table() in PAGE.read_text(), (
        "docs/engines.md is old: put in what engine_options_table() gives"
    )


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.flag)
def test_a_value_that_is_read_can_be_set_again(option: Option) -> None:
    for protocol in option.names:
        settings = EngineSettings.of(PROTOCOLS[protocol])
        assert option.apply(settings, option.value(settings)) == settings


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_names_are_unique_without_regard_to_case(protocol: str) -> None:
    names = [option.names[protocol].lower() for option in options_of(protocol)]
    assert len(set(names)) == len(names)
    for option in options_of(protocol):
        assert find_option(protocol, option.names[protocol].upper()) is option


def test_every_option_is_explained_in_one_sentence() -> None:
    for option in OPTIONS:
        assert option.help.endswith(".")
        assert option.help.count(". ") == 0


def test_numbers_that_are_not_whole_are_texts_in_uci() -> None:
    settings = EngineSettings.of("chess")
    assert declaration(find_option("uci", "Temperature"), "uci", settings) == (
        "option name Temperature type string default 1"
    )
    assert find_option("uci", "Temperature").apply(settings, "0.7").player_config.temperature == 0.7


def test_the_rating_of_the_opponent_is_taken_from_its_introduction() -> None:
    option = find_option("uci", "UCI_Opponent")
    settings = option.apply(EngineSettings.of("chess"), "GM 2800 human Gary Kasparov")
    assert settings.player_config.opponent_rating == 2800
    assert option.apply(settings, "none none computer Shredder").player_config.opponent_rating is None


def test_the_slider_of_a_gui_says_the_rating_only_when_it_is_switched_on() -> None:
    settings = find_option("uci", "UCI_Elo").apply(EngineSettings.of("chess"), "1200")
    assert settings.effective_config().rating == 1500
    assert find_option("uci", "UCI_LimitStrength").apply(settings, "true").effective_config().rating == 1200


def test_a_book_can_be_switched_off() -> None:
    settings = find_option("uci", "Book").apply(EngineSettings.of("chess"), "lines.pgn")
    assert settings.effective_config().book == "lines.pgn"
    assert find_option("uci", "OwnBook").apply(settings, "false").effective_config().book == ""


@pytest.mark.parametrize("text", ["", "1e3", "0x10", "٣", "5.0", "-1", "99999999999999999999"])
def test_whole_numbers_out_of_range_or_form_are_refused(text: str) -> None:
    option = find_option("uci", "Threads")
    assert option.kind is OptionKind.INTEGER
    if text == "٣":  # a digit to Python, and so to us
        assert option.apply(EngineSettings.of("chess"), text).player_config.threads == 3
        return
    with pytest.raises(BadConfig, match="threads is a whole number, 1 to 1024"):
        option.apply(EngineSettings.of("chess"), text)


def test_ranges_are_those_of_the_players_configuration() -> None:
    settings = EngineSettings.of("chess")
    for name, field in (("Temperature", "temperature"), ("CPuct", "c_puct"), ("Nodes", "nodes")):
        option = find_option("uci", name)
        for value in (option.low, min(option.high, 1e9)):
            taken = option.apply(settings, f"{value:.0f}").player_config
            assert parse_player_config({"game": "chess", field: getattr(taken, field)})
        with pytest.raises(BadConfig):
            option.apply(settings, "-1")
    with pytest.raises(BadConfig, match="policy-temperature is a number, above 0 and up to 1000, not '0'"):
        find_option("uci", "PolicyTemperature").apply(settings, "0")
    assert find_option("uci", "Seconds").apply(settings, "0").player_config.seconds is None


def test_uci_elo_has_the_range_of_the_shipped_network() -> None:
    option = find_option("uci", "UCI_Elo")
    assert (option.low, option.high) == rating_range(load_policy("blend", "chess")) == (600, 2600)
    assert declaration(option, "uci", EngineSettings.of("chess")) == (
        "option name UCI_Elo type spin default 1500 min 600 max 2600"
    )


@pytest.mark.parametrize(("protocol", "name"), [("uci", "Skill Level"), ("usi", "USI_SkillLevel")])
def test_skill_levels_rise_from_the_lowest_to_the_highest_level(protocol: str, name: str) -> None:
    game = PROTOCOLS[protocol]
    option, start = find_option(protocol, name), EngineSettings.of(game)
    levels = [option.apply(start, str(skill)).player_config.level or 0 for skill in range(21)]
    assert (levels[0], levels[-1]) == level_range(game, "engine")
    assert all(low < high for low, high in itertools.pairwise(levels))
    assert option.apply(start, "-1") == start


def test_the_elo_slider_counts_more_than_the_skill_level() -> None:
    options = EngineOptions("uci", EngineSettings.of("chess"))
    options.set("UCI_LimitStrength", "true")
    options.set("UCI_Elo", "1200")
    options.set("Skill Level", "20")
    assert options.settings.effective_config().level == 1200
    options.set("UCI_LimitStrength", "false")
    assert options.settings.effective_config().level == 2600
    options.set("Skill Level", "-1")
    assert options.settings.effective_config() == EngineSettings.of("chess").effective_config()


def test_an_engine_with_a_strength_of_its_own_declares_no_skill_level() -> None:
    """PyChess sends the highest Skill Level with every game: the level of a launcher would be lost."""
    default = EngineSettings.of("chess")
    skill = find_option("uci", "Skill Level")
    assert skill in declared_options("uci", default)
    assert skill in declared_options("uci", find_option("uci", "Threads").apply(default, "2"))
    for name, value in (("Level", "1200"), ("Rating", "1900"), ("Nodes", "100"), ("Model", "human")):
        assert skill not in declared_options("uci", find_option("uci", name).apply(default, value))


def test_numbers_of_one_digit_are_checks_too() -> None:
    option, settings = find_option("usi", "USI_Ponder"), EngineSettings.of("shogi")
    assert option.apply(settings, "1").ponder
    assert not option.apply(settings, "0").ponder
    with pytest.raises(BadConfig, match="true or false"):
        option.apply(settings, "2")
