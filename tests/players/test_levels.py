"""Levels: the table, and the players that come from it."""

import itertools
from pathlib import Path

import pytest

from sparring import data
from sparring.base.errors import BadConfig
from sparring.engines import EngineSettings
from sparring.engines.options import find_option
from sparring.measure.calibration import read_anchors
from sparring.play.opponent import Opponent
from sparring.players import (
    LevelTable,
    PolicyPlayer,
    SearchPlayer,
    load_player_config,
    read_level_table,
    shipped_levels,
)
from sparring.players.player_config import (
    LEVEL_KEYS,
    Level,
    at_level,
    default_player_config,
    level_of_rating,
    parse_player_config,
    results_scale,
    shipped_table_name,
)

TABLE = LevelTable(
    "chess",
    (Level(800, 900, 1.5), Level(1200, 1300, 1.0, 1, 1.0), Level(1600, 1700, 0.5, 100, 2.0)),
    policy="human",
)

ENGINE = default_player_config("chess", scale="engine")
"""The default player of engines: their numbers are on the scale of engines."""


def test_a_row_of_the_table_is_the_player_of_its_level() -> None:
    config = TABLE.at(800, name="Novice")
    assert (config.name, config.level, config.model) == ("Novice", 800, "human")
    assert (config.rating, config.temperature, config.nodes) == (900, 1.5, 0)


@pytest.mark.parametrize("name", data.names("levels"))
def test_a_newcomer_meets_neither_the_weakest_nor_the_strongest_level(name: str) -> None:
    table = read_level_table(data.path("levels", name))
    assert table.range[0] < table.default_level < table.range[1]


def test_between_rows_parameters_are_linear_and_nodes_geometric() -> None:
    row = TABLE.row(1400)
    assert (row.rating, row.temperature, row.nodes, row.cpuct) == (1500, 0.75, 10, 1.5)
    assert TABLE.row(1000).nodes == 0


def test_a_row_can_have_a_policy_of_its_own() -> None:
    table = LevelTable("chess", (Level(800, 800), Level(1200, 1200, policy="strong")), policy="human")
    assert [table.at(level).model for level in (800, 1199, 1200)] == ["human", "human", "strong"]


def test_levels_beyond_the_table_are_refused() -> None:
    with pytest.raises(BadConfig, match="levels of chess are 800 to 1600"):
        TABLE.at(1601)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('game = "chess"', "levels"),
        ('game = "chess"\nlevels = []', "at least one"),
        ('game = "ludo"\n[[levels]]\nlevel = 1', "game"),
        ('game = "chess"\n[[levels]]\nlevel = 2\n[[levels]]\nlevel = 1', "ascending"),
        ('game = "chess"\n[[levels]]\nlevel = 1\n[[levels]]\nlevel = 2\nrating = 9', "rating"),
        ('game = "chess"\n[[levels]]\nlevel = 1\nnodes = -1', r"levels\[1\]\.nodes"),
    ],
)
def test_faults_of_a_table_are_named(tmp_path: Path, text: str, fault: str) -> None:
    (tmp_path / "levels.toml").write_text(text)
    with pytest.raises(BadConfig, match=fault):
        read_level_table(tmp_path / "levels.toml")


def test_a_level_in_a_players_file_sets_the_keys_that_the_file_does_not(tmp_path: Path) -> None:
    (tmp_path / "club.toml").write_text('game = "chess"\nlevel = 1500\ntemperature = 0.123')
    config, shipped = load_player_config(tmp_path / "club.toml"), shipped_levels("chess")
    assert shipped is not None
    assert config.temperature == 0.123
    assert (config.rating, config.nodes) == (shipped.row(1500).rating, shipped.row(1500).nodes)


def test_a_game_without_a_level_table_refuses_levels() -> None:
    with pytest.raises(BadConfig, match="breakthrough has no levels"):
        parse_player_config({"game": "breakthrough", "level": 1500})


def test_strength_sliders_of_guis_set_the_level() -> None:
    settings = find_option("uci", "UCI_Elo").apply(EngineSettings.of("chess"), "1200")
    assert settings.effective_config() == ENGINE
    limited = find_option("uci", "UCI_LimitStrength").apply(settings, "true").effective_config()
    assert limited == at_level(ENGINE, 1200)


def test_the_option_level_sets_the_dials_and_later_options_change_them() -> None:
    option, default = find_option("uci", "Level"), EngineSettings.of("chess")
    settings = option.apply(default, "1200")
    assert settings.effective_config() == at_level(ENGINE, 1200)
    changed = find_option("uci", "Nodes").apply(settings, "77").effective_config()
    assert (changed.level, changed.nodes) == (1200, 77)
    assert option.apply(settings, "0").effective_config() == ENGINE
    with pytest.raises(BadConfig, match="levels of chess"):
        option.apply(default, "5000")


def test_every_shipped_table_is_monotone_in_what_makes_a_player_strong() -> None:
    table = shipped_levels("chess", "engine")
    assert table is not None
    low, high = table.range
    rows = [table.row(level) for level in range(low, high + 1, 50)]
    assert set(table.keys(low)) == {"level", "model", *LEVEL_KEYS}
    assert all(row.rating == row.level for row in table.levels)  # a rating and a level of one number agree
    for weaker, stronger in itertools.pairwise(rows):
        assert weaker.nodes <= stronger.nodes or weaker.temperature > stronger.temperature
    for name in {row.policy for row in table.levels}:
        nodes = [row.nodes for row in table.levels if row.policy == name]
        assert nodes == sorted(nodes)
    measured = [row.measured for row in table.levels if row.measured is not None]
    assert len(measured) >= 8
    assert measured == sorted(measured)


def test_levels_of_go_are_ranks_that_lose_less_the_higher_they_are() -> None:
    table = shipped_levels("go")
    assert table is not None
    assert (table.scale, table.family, table.has_ranks) == ("people", "Fox", True)
    assert [table.text(row.level) for row in table.levels] == [
        *(f"{rank}k" for rank in range(15, 0, -1)), *(f"{rank}d" for rank in range(1, 10))
    ]  # fmt: skip
    # The network knows ranks from 10k on.
    assert all(row.rating == max(row.level, -10) for row in table.levels)
    for weaker, stronger in itertools.pairwise(table.levels):
        assert weaker.loss is not None
        assert stronger.loss is not None
        assert weaker.loss > stronger.loss - 0.02  # rounded temperatures
    assert [row.extrapolated for row in table.levels] == [row.level < -5 for row in table.levels]
    assert all((row.people_interval is None) == row.extrapolated for row in table.levels)
    assert table.text(table.default_level) == "5k"  # the weakest that was measured


def test_a_rank_is_the_opponent_of_its_level() -> None:
    rank = Opponent("go", rating="3k").completed().make()
    assert isinstance(rank, PolicyPlayer)
    table = shipped_levels("go")
    assert table is not None
    assert (rank.config.level, rank.config.rating_number("rating")) == (-3, -3)
    assert rank.config.temperature == table.row(-3).temperature
    beginner = Opponent("go", rating="15k").completed().make()
    assert isinstance(beginner, PolicyPlayer)
    assert (beginner.config.level, beginner.config.rating_number("rating")) == (-15, -10)
    assert beginner.config.temperature > rank.config.temperature
    with pytest.raises(BadConfig, match=r"the ranks 15k to 9d; on the scale of engines 950 to 2260"):
        Opponent("go", level=1550).completed()


def test_a_level_that_follows_results_is_on_a_scale_of_results() -> None:
    adaptive = Opponent("go", adapt=True).completed()
    assert adaptive.scale == "engine"
    table = shipped_levels("go", "engine")
    assert table is not None
    assert adaptive.level == table.default_level
    assert Opponent("chess", adapt=True).completed().scale == "people"


def test_engines_levels_of_go_are_measured_and_conditioned_on_ranks_that_people_have() -> None:
    """The network has seen games of 6d to 9d: a weaker player is warmer, not of a lower rank."""
    table = shipped_levels("go", "engine")
    assert table is not None
    assert table.family == read_anchors("gnugo", "go")[0].family
    assert all(row.rating in (6, 7, 8, 9) for row in table.levels)
    for weaker, stronger in itertools.pairwise(table.levels):
        assert weaker.nodes <= stronger.nodes
        assert weaker.temperature > stronger.temperature or weaker.nodes < stronger.nodes
        assert weaker.measured is not None
        assert stronger.measured is not None
        assert weaker.measured < stronger.measured
    assert table.levels[0].level <= 1200 < 1600 < table.levels[-1].level


def test_the_level_of_a_go_engine_sets_its_dials() -> None:
    settings = find_option("gtp", "level").apply(EngineSettings.of("go"), "1300")
    config = settings.effective_config()
    assert config == at_level(default_player_config("go", scale="engine"), 1300)
    assert (config.level, config.model, config.rule) == (1300, "blend-dan", "regularised")


def test_a_rating_has_the_level_of_its_number_where_levels_are_on_its_scale() -> None:
    assert level_of_rating("chess", 1500) == 1500
    assert level_of_rating("chess", 99) is None
    assert level_of_rating("chess", None) is None
    assert level_of_rating("shogi", 1000) is None
    assert level_of_rating("rbc", 1500) is None


def test_a_rank_is_a_level_where_the_levels_are_ranks(monkeypatch: pytest.MonkeyPatch) -> None:
    ranks = LevelTable("go", tuple(Level(rank, rank, 0.8) for rank in (-5, -1, 1, 3)), scale="people")
    monkeypatch.setattr("sparring.players.player_config.shipped_levels", lambda game: ranks)
    assert level_of_rating("go", "3d") == 3
    assert level_of_rating("go", "3k") == -3
    assert level_of_rating("go", "6k") is None
    assert level_of_rating("go", "no rank") is None


def test_there_is_no_rank_between_1k_and_1d() -> None:
    table = LevelTable("go", (Level(1000, -10), Level(2000, 9)))
    ranks = [table.row(level).rating for level in range(1000, 2001, 50)]
    assert 0 not in ranks
    assert ranks[0] == -10
    assert ranks[-1] == 9


def test_a_level_is_on_the_scale_that_is_asked_for() -> None:
    people = Opponent("chess", level=2000).completed().make()
    engine = Opponent("chess", level=2000, scale="engine").completed().make()
    assert isinstance(people, PolicyPlayer)
    assert isinstance(engine, SearchPlayer)
    tables = shipped_levels("chess"), shipped_levels("chess", "engine")
    for player, table in zip((people, engine), tables, strict=True):
        assert table is not None
        assert player.config.model == table.keys(2000)["model"]
        assert at_level(player.config, 1000).model == table.keys(1000)["model"]
    with pytest.raises(BadConfig, match="people or engine"):
        Opponent("chess", level=2000, scale="elo").completed()  # type: ignore[arg-type]


def test_a_players_file_names_the_scale_of_its_level() -> None:
    table = shipped_levels("chess", "engine")
    assert table is not None
    config = parse_player_config({"game": "chess", "level": 2000, "scale": "engine"})
    assert (config.nodes, config.model) == (table.row(2000).nodes, table.keys(2000)["model"])


def test_a_game_with_one_table_has_it_for_both_scales(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shipped_table_name("shogi", "engine") == "shogi-engine"
    assert shipped_table_name("shogi") == "shogi"
    monkeypatch.setattr(data, "names", lambda kind: ["shogi"])
    assert shipped_table_name("shogi", "engine") == shipped_table_name("shogi") == "shogi"
    assert shipped_levels("breakthrough", "engine") is None


def test_levels_of_shogi_are_days_of_people_that_lose_less_and_less() -> None:
    table = shipped_levels("shogi")
    assert table is not None
    assert (table.scale, table.has_names, table.range) == ("people", True, (3, 50))
    assert [row.name for row in table.levels] == [
        "a terrible day", "a very bad day", "a bad day", "an average day"
    ]  # fmt: skip
    for row in table.levels:
        assert None not in (row.loss, row.people, row.people_interval)
    losses = [(row.loss, row.people) for row in table.levels]
    assert losses == sorted(losses, reverse=True)
    assert results_scale("shogi") == "engine"  # a day says nothing about results


def test_the_levels_of_people_change_nothing_abruptly() -> None:
    """Neighbours on people's scale are the same kind of player, a little stronger."""
    table = shipped_levels("chess")
    assert table is not None
    assert table.range == (600, 2600)
    assert all(row.rating == row.level for row in table.levels)  # a rating and a level of one number agree
    for weaker, stronger in itertools.pairwise(map(table.row, range(600, 2601, 20))):
        assert weaker.policy == stronger.policy
        assert abs(weaker.temperature - stronger.temperature) <= 0.05
        assert 0 <= stronger.nodes - weaker.nodes <= max(2, 0.2 * weaker.nodes)


def test_levels_with_names_in_words_are_called_by_the_nearest() -> None:
    rows = (Level(10, temperature=2.0, name="weak"), Level(50, name="middle"), Level(90, name="strong"))
    table = LevelTable("shogi", rows, policy="human", scale="people")
    assert [table.text(level) for level in (10, 29, 40, 80, 90)] == [
        "weak",
        "weak",
        "middle",
        "strong",
        "strong",
    ]
    assert table.has_names
    assert table.row(30).temperature == 1.5
    with pytest.raises(BadConfig, match="levels of shogi are 10 to 90; on the scale of engines 120 to 1090"):
        table.row(480)


def test_all_levels_of_a_table_have_names_or_none() -> None:
    with pytest.raises(ValueError, match="name"):
        LevelTable("shogi", (Level(10, name="weak"), Level(50)))
