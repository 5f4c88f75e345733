"""Headsets are those of the players of the training games."""

from __future__ import annotations

from pathlib import Path

import pytest

from sparring.base.errors import BadConfig
from sparring.rbc.bots import BOTS
from sparring.rbc.history import to_history
from sparring.rbc.synopsis import TOP, recognise
from sparring.rbc.training import load_rbc_config
from sparring.rbc.training.config import HeadsetConfig, with_headsets_of
from sparring.rbc.training.examples import player_names
from tests.belief.games import random_game
from tests.training.rbc.rbc_factories import record_of, small_examples, small_rbc_config


@pytest.mark.parametrize("player", ["trout", "TroutBot", "Trout Bot", "somebody", "", "Top", "trout-2"])
def test_training_and_play_recognise_the_same_names(player: str) -> None:
    assert HeadsetConfig("trout").includes(player) == (recognise(player, ["trout"]) == "trout")


def test_a_pattern_matches_letters_exactly() -> None:
    headset = HeadsetConfig("inference", ("inference-*", "LaSalle Bot"))
    assert all(map(headset.includes, ("inference-3", "inference-stockfish", "lasalle")))
    assert not any(map(headset.includes, ("Inference-3", "inference", "inference3")))


def test_a_headset_named_top_is_not_every_player() -> None:
    assert not HeadsetConfig(TOP).includes("anna")


def test_names_are_read_without_replaying_the_games(tmp_path: Path) -> None:
    record = record_of(random_game(1, 2), 1.0, first="Ännä" * 10, second="ben")
    line = to_history(record)
    impossible = line.replace('"ben"', '"carl"').replace('"senses"', '"no senses"')
    (tmp_path / "many.jsonl").write_text("\ufeff" + line + "\n{broken\n\n[]\n" + impossible + "\n")
    (tmp_path / "one.json").write_text(line.replace('"ben"', "null"))
    assert player_names([tmp_path]) == ["", "ben", "carl", "ÄnnäÄnnäÄnnäÄnnä"]


def test_headsets_without_players_are_left_out() -> None:
    config = with_headsets_of(load_rbc_config("penumbra"), ["RandomBot", "planner-old", "guest-7"])
    assert config.headset_names == ("All", "Top", "Human", "random", "planner")


@pytest.mark.parametrize(
    ("players", "advice"),
    [(["guesser", "inference-1"], "use --config local"), (["Oracle"], "use --config penumbra or rbc-small"),
     (["random"], "`players` in a configuration of your own"), ([""], "`players` in a configuration")],
)  # fmt: skip
def test_games_without_a_player_of_top_say_which_configuration_fits(players: list[str], advice: str) -> None:
    with pytest.raises(BadConfig, match="no player of the headset Top") as raised:
        with_headsets_of(small_rbc_config(), players)
    assert advice in str(raised.value)


def test_the_local_configuration_has_a_headset_for_each_bot() -> None:
    config = load_rbc_config("local")
    named = [headset for headset in config.headsets if headset.name not in ("All", "Top")]
    for bot in (*BOTS, "SparringBot", "TroutBot", "AttackerBot", "RandomBot"):
        assert sum(headset.includes(bot) for headset in named) == 1, bot


def test_headsets_whose_games_are_all_held_out_say_so() -> None:
    from sparring.rbc.training.task import validation_rows, with_trained_headsets

    examples = small_examples(games=1)
    trial = next(n for n in range(1000) if validation_rows(examples.games, n).all())
    with pytest.raises(BadConfig, match="held out for validation: add games"):
        with_trained_headsets(small_rbc_config(data={"trial": trial}), examples)
