"""Configurations: what is shipped loads, what is wrong is named."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from sparring.training import BadTrainingConfig, load_training_config, shipped_training_configs
from sparring.training.config import parse
from tests.training.factories import small_config

WRONG: list[tuple[str, str]] = [
    ("", "the file needs game"),
    ("game = 3", "the file game is a text, not 3"),
    ('game = "poker"', "game is one of chess, go, shogi, not 'poker'"),
    ('game = "chess"\ncolour = 1', "the file has no entry 'colour'; it has name, game, network"),
    ('game = "chess"\nnetwork = 1', "[network] is a table, not 1"),
    ('game = "chess"\nteachers = 1', "write [[teachers]]"),
    ('game = "chess"\nteachers = [1]', "[[teachers]] 1 is a table, not 1"),
    ('game = "chess"\n[network]\ndepth = 1', "[network] has no entry 'depth'; it has kind, blocks, width"),
    (
        'game = "chess"\n[network]\nkind = "dense"',
        "[network] kind is one of residual, attention, not 'dense'",
    ),
    ('game = "chess"\n[network]\nblocks = 0', "[network] blocks is at least 1, not 0"),
    ('game = "chess"\n[network]\nblocks = "6"', "[network] blocks is a whole number, not '6'"),
    ('game = "chess"\n[network]\nblocks = 6.5', "[network] blocks is a whole number, not 6.5"),
    ('game = "chess"\n[network]\nclock = 1', "[network] clock is true or false, not 1"),
    ('game = "chess"\n[network]\nratings = [600]', "[network] ratings is a list of 2 numbers, not [600]"),
    ('game = "chess"\n[network]\nratings = 600', "[network] ratings is a list of 2 numbers, not 600"),
    ('game = "chess"\n[network]\nratings = [2600, 600]', "ratings goes up, not from 2600.0 to 600.0"),
    ('game = "chess"\n[network]\nratings = [600, inf]', "ratings goes up, not from 600.0 to inf"),
    ('game = "chess"\n[network]\nratings = [nan, 600]', "ratings goes up"),
    ('game = "chess"\n[network]\nhistory = 2', "history is for shogi"),
    ('game = "chess"\n[network]\nkind = "attention"\nheads = 7', "width 64 is not a multiple of heads 7"),
    ('game = "go"\n[network]\nkind = "attention"', "attention is for boards of one size"),
    ('game = "chess"\n[data]\ngroups = [1200, 1100]', "[data] groups goes up, not from 1200 to 1100"),
    ('game = "chess"\n[data]\ngroups = [1100.5, 1200]', "[data] groups is a whole number, not 1100.5"),
    (
        'game = "chess"\n[data]\nconditioning_dropout = 1.5',
        "[data] conditioning_dropout is at least 0 and below 1, not 1.5",
    ),
    (
        'game = "chess"\n[training]\ncache_teachers = true',
        "cache_teachers needs teachers, and mirrored = false",
    ),
    (
        'game = "chess"\n[data]\nrandom_ratings = 0.5',
        "random_ratings needs teachers, and a network that is told ratings",
    ),
    ('game = "chess"\n[data]\nskip_plies = -1', "[data] skip_plies is at least 0, not -1"),
    ('game = "chess"\n[training]\nsteps = 0', "[training] steps is at least 1, not 0"),
    ('game = "chess"\n[training]\nbatch = 1', "[training] batch is at least 2, not 1"),
    ('game = "chess"\n[training]\nlearning_rate = nan', "[training] learning_rate is at least 0, not nan"),
    ('game = "chess"\n[training]\nschedule = "x"', "[training] schedule is one of paper, cosine, not 'x'"),
    ('game = "chess"\n[training]\noptimiser = "x"', "[training] optimiser is one of adamw, sgd, not 'x'"),
    ('game = "chess"\n[training]\naverage = 1', "[training] average is at least 0 and below 1, not 1.0"),
    ('game = "chess"\n[[teachers]]\nmodel = "x"', "[[teachers]] 1 needs weight"),
    ('game = "chess"\n[[teachers]]\nmodel = "x"\nweight = 0', "weights are above 0"),
    ('game = "chess"\n[[teachers]]\nmodel = "x"\nweight = 1.1', "add up to at most 1"),
    ('game = "chess"\n[[teachers]]\nmodel = "x"\nweight = 1\nresults = 2', "results are not below 0"),
    ("game = ", "Invalid value"),
]


@pytest.mark.parametrize(("text", "message"), WRONG)
def test_what_is_wrong_is_named(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(BadTrainingConfig, match=f"^mine.toml: .*{re.escape(message)}"):
        load_training_config(path)


def test_a_name_that_is_nothing_gets_the_names_that_are() -> None:
    with pytest.raises(
        BadTrainingConfig, match=r"there is no configuration 'maia'.*maia-s-1100.*people-chess"
    ):
        load_training_config("maia")


@pytest.mark.parametrize("name", shipped_training_configs())
def test_shipped_ones_load_and_come_back_from_plain_values(name: str) -> None:
    config = load_training_config(name)
    assert config.name == name
    assert config.about
    assert parse(name, config.as_dict()) == config
    assert load_training_config(f"{name}.toml") == config


def test_single_values_are_changed_and_others_stay() -> None:
    config = small_config()
    assert config.changed() == config
    changed = config.changed(steps=5, seed=6, trial=7)
    assert (changed.training.steps, changed.training.seed, changed.data.trial) == (5, 6, 7)
    assert changed.changed(steps=8, seed=0, trial=0) == config


def test_whole_numbers_do_for_numbers() -> None:
    entries: dict[str, Any] = {"game": "chess", "training": {"learning_rate": 1}}
    assert parse("x", entries).training.learning_rate == 1.0
