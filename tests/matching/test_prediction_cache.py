"""The prediction cache: each game is predicted once, also after a kill, and shared between samples."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from sparring.base.errors import NotFound
from sparring.measure.metrics import metric_columns
from sparring.measure.samples import GameSelection, read_sample
from sparring.measure.scores import (
    CachedPolicy,
    ChoiceData,
    cached_log_probabilities,
    collect_choice_data,
    gather_choice_data,
    score,
)
from sparring.networks import Position, Prediction
from sparring.policies import load_policy
from sparring.records import Split
from studies.blend.weights import score_logs
from tests.matching.tables import chess_table, random_record, write_table
from tests.networks.tiny_networks import tiny_network, write
from tests.policies.fixed_policy import FixedPolicy


@pytest.fixture
def folder(tmp_path: Path, model_store: Path) -> Path:
    chess_table(tmp_path / "table", 20)
    write(tiny_network("chess", 1), tmp_path / "human.onnx")
    return tmp_path


def selection(folder: Path, **settings: object) -> GameSelection:
    return GameSelection("chess", (folder / "table",), **{"split": None, **settings})  # type: ignore[arg-type]


def network(folder: Path, name: str = "human") -> CachedPolicy:
    return CachedPolicy.open(name, str(folder / "human.onnx"), "chess")


def test_cached_choices_equal_computed_ones(folder: Path) -> None:
    sample = read_sample(selection(folder))
    asked = collect_choice_data([load_policy(str(folder / "human.onnx"), "chess")], sample)
    for _ in range(2):
        kept = gather_choice_data([network(folder)], sample, folder / "cache")
        np.testing.assert_allclose(kept.log_probabilities, asked.log_probabilities, atol=1e-5)
        np.testing.assert_array_equal(kept.played, asked.played)


def test_a_game_is_predicted_once_for_all_samples_and_names(folder: Path) -> None:
    cache = folder / "cache"
    cached_log_probabilities(network(folder), read_sample(selection(folder)), cache)
    size = network(folder).path(cache).stat().st_size
    for trial, split in ((0, Split.TRAIN), (3, Split.TRAIN)):
        heard: list[int] = []
        subset = read_sample(selection(folder, split=split, trial=trial, groups=("1900",)))
        cached_log_probabilities(network(folder, "other"), subset, cache, heard.append)
        assert heard == [len(subset)], "all were known"
    assert network(folder).path(cache).stat().st_size == size
    thinned = read_sample(selection(folder, every=3))
    heard = []
    cached_log_probabilities(network(folder), thinned, cache, heard.append)
    assert heard[0] == 0, "other positions of a game are other questions"


class StoppingError(Exception):
    """What stops a policy in the middle."""


class Stopping(FixedPolicy):
    """Stops when it has been asked about so many positions."""

    left = 250

    def predict(self, positions: Sequence[Position]) -> list[Prediction]:
        self.left -= len(positions)
        if self.left < 0:
            raise StoppingError
        return super().predict(positions)


@pytest.mark.parametrize("broken", [0, 3, 40])
def test_a_killed_run_goes_on_with_the_games_that_are_whole(folder: Path, broken: int) -> None:
    sample, cache = read_sample(selection(folder)), folder / "cache"
    with pytest.raises(StoppingError):
        cached_log_probabilities(CachedPolicy(Stopping([0.5, 0.5]), "key"), sample, cache)
    path = CachedPolicy(FixedPolicy([]), "key").path(cache)
    if broken:  # a part of a record, as a kill in the middle of writing leaves
        path.write_bytes(path.read_bytes()[:-broken])
    policy = FixedPolicy([0.5, 0.5])
    resumed = cached_log_probabilities(CachedPolicy(policy, "key"), sample, cache)
    assert 0 < len(policy.positions) < len(sample)
    fresh = cached_log_probabilities(CachedPolicy(FixedPolicy([0.5, 0.5]), "key"), sample, folder / "fresh")
    np.testing.assert_array_equal(resumed, fresh)
    assert path.stat().st_size == CachedPolicy(policy, "key").path(folder / "fresh").stat().st_size


def test_scores_of_choices_are_those_of_predictions(folder: Path) -> None:
    sample = read_sample(selection(folder))
    policy = load_policy(str(folder / "human.onnx"), "chess")
    choices = collect_choice_data([policy], sample)
    found = score_logs(choices, 7.0 + choices.log_probabilities[0].astype(np.float64))
    predictions = [p for _, positions in sample.batches(0, 512) for p in policy.predict(positions)]
    expected = score(predictions, sample.metadata["played"])
    np.testing.assert_allclose(metric_columns(found), metric_columns(expected), atol=1e-4)
    np.testing.assert_allclose(found["entropy"], expected["entropy"], atol=1e-4)


def test_a_part_of_choices_is_that_of_its_positions(folder: Path) -> None:
    sample = read_sample(selection(folder))
    choices = collect_choice_data([FixedPolicy([0.6, 0.3]), FixedPolicy([0.1, 0.9])], sample)
    which = np.array([5, 2, 77])
    subset = choices.subset(which)
    assert isinstance(subset, ChoiceData)
    whole = choices.negative_log_likelihood([0.4, 0.6])
    np.testing.assert_allclose(subset.negative_log_likelihood([0.4, 0.6]), whole[which])


def test_one_players_moves_can_be_taken_alone(tmp_path: Path) -> None:
    import random

    rng = random.Random(3)
    records = [
        random_record("chess", rng, 12, first="ann", second="bob", first_rating=1500, second_rating=1900),
        random_record("chess", rng, 12, first="bob", second="ann", first_rating=1900, second_rating=1500),
        random_record("chess", rng, 12, first="eve", second="bob", first_rating=1100, second_rating=1100),
    ]
    table = write_table(tmp_path / "t", "chess", records)
    sample = read_sample(GameSelection("chess", (table,), split=None, player="ann"))
    assert sample.groups == ["player ann"]
    games, movers = sample.metadata["game"].tolist(), sample.metadata["mover"].tolist()
    assert sorted(zip(games, movers, strict=True)) == sorted(
        [(number, names.index("ann")) for number, names in enumerate(
            [(game.record.first, game.record.second) for game in sample.games]) for _ in range(6)]
    )  # fmt: skip
    assert set(sample.metadata["rating"].tolist()) == {1500}
    with pytest.raises(NotFound, match="there are no games of zoe"):
        read_sample(GameSelection("chess", (table,), split=None, player="zoe"))


def test_one_position_in_so_many_leaves_that_share_of_every_game(folder: Path) -> None:
    whole, thin = read_sample(selection(folder)), read_sample(selection(folder, every=5))
    assert len(thin.games) == len(whole.games)
    assert len(thin) == pytest.approx(len(whole) / 5, rel=0.1)
    gaps = np.diff(thin.metadata["ply"])[np.diff(thin.metadata["game"]) == 0]
    assert set(gaps.tolist()) == {5}


class Counting(FixedPolicy):
    """Notes how many positions each call has."""

    def __init__(self) -> None:
        super().__init__([0.5, 0.5])
        self.sizes: list[int] = []

    def predict(self, positions: Sequence[Position]) -> list[Prediction]:
        self.sizes.append(len(positions))
        return super().predict(positions)


def test_short_games_are_predicted_together(folder: Path) -> None:
    sample, policy = read_sample(selection(folder)), Counting()
    together = cached_log_probabilities(CachedPolicy(policy, "together"), sample, folder / "cache")
    assert len(policy.sizes) < len(sample.games)
    assert all(size >= 128 for size in policy.sizes[:-1])
    assert sum(policy.sizes) == len(sample)
    assert len(together) == int(sample.metadata["legal"].astype(int).sum())
