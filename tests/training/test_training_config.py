"""Training configurations: shipped files load, errors name the key."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from sparring.base.errors import BadConfig
from sparring.training import load_training_config, shipped_training_configs
from sparring.training.config import parse_training_config
from tests.training.factories import small_config

WRONG: list[tuple[str, str]] = [
    ("", "missing key 'game': expected a string"),
    ("game = 3", "game = 3: expected a string"),
    ('game = "poker"', "game = 'poker': expected one of chess, shogi, go"),
    ('game = "chess"\ncolour = 1', "unknown key 'colour'. Known keys: name, game, network"),
    ('game = "chess"\nnetwork = 1', "network = 1: expected a table"),
    ('game = "chess"\nteachers = 1', "teachers = 1: expected a list of tables"),
    ('game = "chess"\nteachers = [1]', "teachers[1] = 1: expected a table"),
    ('game = "chess"\n[network]\ndepth = 1', "unknown key 'network.depth'. Known keys: kind, blocks, width"),
    (
        'game = "chess"\n[network]\nkind = "dense"',
        "network.kind = 'dense': expected one of residual, attention",
    ),
    ('game = "chess"\n[network]\nblocks = 0', "network.blocks = 0: expected an integer from 1 to 1000"),
    ('game = "chess"\n[network]\nblocks = "6"', "network.blocks = '6': expected an integer"),
    ('game = "chess"\n[network]\nblocks = 6.5', "network.blocks = 6.5: expected an integer"),
    ('game = "chess"\n[network]\nclock = 1', "network.clock = 1: expected true or false"),
    (
        'game = "chess"\n[network]\nrating_range = [600]',
        "network.rating_range = [600]: expected a list of 2 numbers",
    ),
    (
        'game = "chess"\n[network]\nrating_range = 600',
        "network.rating_range = 600: expected a list of 2 numbers",
    ),
    (
        'game = "chess"\n[network]\nrating_range = [2600, 600]',
        "network.rating_range = [2600.0, 600.0]: expected two ascending numbers",
    ),
    (
        'game = "chess"\n[network]\nrating_range = [600, inf]',
        "network.rating_range = [600, inf]: expected a list of 2 numbers",
    ),
    (
        'game = "chess"\n[network]\nrating_range = [nan, 600]',
        "network.rating_range = [nan, 600]: expected a list of 2 numbers",
    ),
    ('game = "chess"\n[network]\nhistory = 2', "network.history = 2: expected 1"),
    (
        'game = "chess"\n[network]\nkind = "attention"\nheads = 7',
        "network: width 64 is not a multiple of heads 7",
    ),
    ('game = "go"\n[network]\nkind = "attention"', "network.kind = 'attention': expected residual"),
    (
        'game = "chess"\n[data]\nrating_range = [1200, 1100]',
        "data.rating_range = [1200, 1100]: expected two ascending numbers",
    ),
    (
        'game = "chess"\n[data]\nrating_range = [1100.5, 1200]',
        "data.rating_range = [1100.5, 1200]: expected a list of 2 integers",
    ),
    (
        'game = "chess"\n[data]\nconditioning_dropout = 1.5',
        "data.conditioning_dropout = 1.5: expected a number >= 0 and < 1",
    ),
    (
        'game = "chess"\n[training]\ncache_teachers = true',
        "training.cache_teachers needs teachers and data.mirrored = false",
    ),
    (
        'game = "chess"\n[data]\nrandom_ratings = 0.5',
        "data.random_ratings needs teachers and network.rating_range",
    ),
    ('game = "chess"\n[data]\nskip_plies = -1', "data.skip_plies = -1: expected an integer from 0"),
    ('game = "chess"\n[training]\nsteps = 0', "training.steps = 0: expected an integer from 1"),
    ('game = "chess"\n[training]\nbatch = 1', "training.batch = 1: expected an integer from 2"),
    ('game = "chess"\n[training]\nseed = -1', "training.seed = -1: expected an integer from 0"),
    (
        'game = "chess"\n[training]\nlearning_rate = nan',
        "training.learning_rate = nan: expected a number >= 0",
    ),
    ('game = "chess"\n[training]\nschedule = "x"', "training.schedule = 'x': expected one of paper, cosine"),
    (
        'game = "chess"\n[training]\noptimiser = "x"',
        "training.optimiser = 'x': expected one of adamw, muon, sgd",
    ),
    ('game = "chess"\n[training]\nema_decay = 1', "training.ema_decay = 1: expected a number >= 0 and < 1"),
    ('game = "chess"\n[[teachers]]\nmodel = "x"', "a teacher has either a policy_weight or a fact_share"),
    (
        'game = "go"\n[[teachers]]\nmodel = "x"\nfact_share = 0.5',
        "a teacher's fact_share needs network.facts",
    ),
    ('game = "chess"\n[network]\nfacts = true', "network.facts = true: expected false"),
    ('game = "go"\n[network]\nservers = ["a,b"]', "network.servers"),
    (
        'game = "chess"\n[[teachers]]\nmodel = "x"\npolicy_weight = -1',
        "teachers[1].policy_weight = -1: expected a number from 0 to 1",
    ),
    (
        'game = "chess"\n[[teachers]]\nmodel = "x"\npolicy_weight = 1.1',
        "teachers[1].policy_weight = 1.1: expected",
    ),
    (
        'game = "chess"\n' + 2 * '[[teachers]]\nmodel = "x"\npolicy_weight = 0.6\n',
        "the policy_weight of all teachers must add up to at most 1",
    ),
    (
        'game = "chess"\n' + 2 * '[[teachers]]\nmodel = "x"\npolicy_weight = 0.1\nvalue_weight = 0.6\n',
        "the value_weight of all teachers must add up to at most 1",
    ),
    (
        'game = "chess"\n[[teachers]]\nmodel = "x"\npolicy_weight = 1\nvalue_weight = 2',
        "teachers[1].value_weight = 2: expected a number from 0 to 1",
    ),
    ("game = ", "not TOML: Invalid value"),
]


@pytest.mark.parametrize(("text", "message"), WRONG)
def test_errors_name_file_and_key(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(BadConfig, match=f"^{re.escape(f'{path}: {message}')}"):
        load_training_config(path)


def test_a_name_that_is_nothing_gets_the_names_that_are() -> None:
    with pytest.raises(BadConfig, match=r"there is no configuration 'maia'.*maia-s-1100.*people-chess"):
        load_training_config("maia")


@pytest.mark.parametrize("name", shipped_training_configs())
def test_shipped_ones_load_and_come_back_from_plain_values(name: str) -> None:
    config = load_training_config(name)
    assert config.name == name
    assert config.about
    assert parse_training_config(name, config.as_dict()) == config
    assert load_training_config(f"{name}.toml") == config


def test_single_values_are_changed_and_others_stay() -> None:
    config = small_config()
    assert config.changed() == config
    changed = config.changed(steps=5, seed=6, trial=7)
    assert (changed.training.steps, changed.training.seed, changed.data.trial) == (5, 6, 7)
    assert changed.changed(steps=8, seed=0, trial=0) == config


def test_integers_serve_as_floats() -> None:
    entries: dict[str, Any] = {"game": "chess", "training": {"learning_rate": 1}}
    assert parse_training_config("x", entries).training.learning_rate == 1.0
