"""Training batches: inputs and targets from records and teachers."""

from __future__ import annotations

import dataclasses
import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from sparring import networks
from sparring.base.errors import BadConfig, BadFile
from sparring.games import describe, load_game
from sparring.records import Batch, Batches
from sparring.records.batches import NO_LABEL
from sparring.training.batches import (
    IGNORE_INDEX,
    Conditioning,
    losses,
    make_training_batch,
    masked,
    randomised,
    rating_groups,
    recorded_conditioning,
)
from sparring.training.config import TeacherConfig, TrainingConfig
from sparring.training.export import export
from sparring.training.model import PolicyValueNetwork, layout_of
from sparring.training.teachers import CACHED_MOVES, Teacher, TeacherCache, TeacherOutput, make_teacher_cache
from tests.matching.tables import write_table
from tests.networks.katago_files import KataGoWriter, small_network
from tests.networks.tiny_networks import tiny_network, write
from tests.training.factories import line_record, small_config, write_maia3_network

CPU = torch.device("cpu")
CONDITIONED: dict[str, Any] = {"network": {"rating_range": [600, 2600], "clock": True}}


def one_batch(games: Path, size: int = 6, extra_encodings: tuple[str, ...] = ()) -> Batch:
    return next(
        iter(
            Batches(
                [games],
                size=size,
                encoding="lc0",
                packed=True,
                extra_encodings=extra_encodings,
                split=None,
                seed=3,
            )
        )
    )


def distillation_config(model: Path, weight: float = 0.5, **data: Any) -> TrainingConfig:
    teachers: Any = [{"model": str(model), "policy_weight": weight}]
    return small_config(**CONDITIONED, data={"mirrored": False, **data}, teachers=teachers)


def test_a_training_batch_has_the_data_of_its_batch(games: Path) -> None:
    batch = one_batch(games)
    batch = dataclasses.replace(batch, result=np.array([1, 0.5, 0, np.nan, 1, 1], np.float32))
    minibatch = make_training_batch(batch, recorded_conditioning(batch), small_config(), (), CPU)
    plain = next(iter(Batches([games], size=6, encoding="lc0", split=None, seed=3)))
    np.testing.assert_array_equal(minibatch.planes.numpy(), plain.planes)
    for i in range(6):
        labels = batch.labels[batch.offsets[i] : batch.offsets[i + 1]]
        assert minibatch.legal[i].nonzero().flatten().tolist() == sorted(labels.tolist())
        assert minibatch.played[i] == labels[batch.index[i]]
    assert minibatch.result.tolist() == [0, 1, 2, IGNORE_INDEX, 0, 0]
    assert minibatch.teacher_policy.shape == (6, 0)


def test_a_move_without_a_label_does_not_count(games: Path) -> None:
    batch = one_batch(games)
    labels = batch.labels.copy()
    labels[batch.offsets[2] + batch.index[2]] = NO_LABEL
    without = dataclasses.replace(batch, labels=labels)
    config = small_config()
    whole, minibatch = (
        make_training_batch(each, recorded_conditioning(each), config, (), CPU) for each in (batch, without)
    )
    assert minibatch.played[2] == IGNORE_INDEX
    assert int(whole.legal.sum() - minibatch.legal.sum()) == 1
    policy, result = torch.randn(6, 1858), torch.randn(6, 3)
    one, other = (losses((policy, result), each, 0.0) for each in (whole, minibatch))
    kept = [0, 1, 3, 4, 5]
    assert float(other.total) == pytest.approx(float(one.nll[kept].mean()), rel=1e-6)


def test_the_loss_is_that_of_legal_moves_alone(games: Path) -> None:
    batch = one_batch(games)
    minibatch = make_training_batch(batch, recorded_conditioning(batch), small_config(), (), CPU)
    torch.manual_seed(1)
    policy, result = torch.randn(6, 1858), torch.randn(6, 3)
    found = losses((policy, result), minibatch, 0.25)
    expected = []
    for i in range(6):
        legal = policy[i][minibatch.legal[i]].double()
        expected.append(float(legal.exp().sum().log() - policy[i][minibatch.played[i]]))
    assert found.nll.tolist() == pytest.approx(expected, rel=1e-5)
    value = -result.log_softmax(1)[torch.arange(6), minibatch.result].mean()
    assert float(found.total) == pytest.approx(np.mean(expected) + 0.25 * float(value), rel=1e-5)


def test_a_teachers_probabilities_are_mixed_into_the_target(games: Path, tmp_path: Path) -> None:
    config = distillation_config(write_maia3_network(tmp_path), weight=0.6)
    teacher = Teacher(config.teachers[0], config, CPU)
    batch = one_batch(games, extra_encodings=("maia3",))
    conditioning = recorded_conditioning(batch)
    conditioning = dataclasses.replace(conditioning, randomised=np.array([False, True] * 3))
    minibatch = make_training_batch(batch, conditioning, config, [teacher], CPU)
    tokens = next(
        iter(Batches([games], size=6, encoding="lc0", extra_encodings=("maia3",), split=None, seed=3))
    ).extra_encodings["maia3"]
    ratings = torch.from_numpy(conditioning.ratings).float()
    said = teacher.query(torch.from_numpy(tokens.planes), ratings, minibatch.context, ratings[:, :0])
    torch.manual_seed(2)
    policy, result = torch.randn(6, 1858), torch.randn(6, 3)
    total = 0.0
    for i in range(6):
        begin, end = batch.offsets[i], batch.offsets[i + 1]
        indices, named = batch.labels[begin:end].astype(int), tokens.labels[begin:end].astype(int)
        probabilities = said.logits[i, named].softmax(0)
        teacher_weight = 1.0 if i % 2 else 0.6
        target = torch.zeros(1858)
        target[indices] = teacher_weight * probabilities
        assert torch.allclose(minibatch.teacher_policy[i], target, atol=1e-6)
        assert float(minibatch.teacher_weight[i]) == pytest.approx(teacher_weight)
        target[minibatch.played[i]] += 1 - teacher_weight
        total -= float((target[indices] * policy[i, indices].log_softmax(0)).sum()) / 6
    assert float(losses((policy, result), minibatch, 0.0).total) == pytest.approx(total, rel=1e-5)


def test_katago_teaches_what_it_would_play(tmp_path: Path) -> None:
    """KataGo's rows run from the other end, and it has global inputs."""
    path = tmp_path / "small.bin.gz"
    path.write_bytes(gzip.compress(KataGoWriter(small_network(8)).file()))
    teachers: Any = [{"model": str(path), "policy_weight": 0.5, "value_weight": 0.4}]
    config = small_config("go", data={"mirrored": False}, teachers=teachers)
    teacher = Teacher(config.teachers[0], config, CPU)
    record = line_record(
        "go", ["Q16", "D4", "C16", "pass", "R4"], "katago", first_rank="3d", second_rank="1k"
    )
    folder = write_table(tmp_path / "t", "go", [record])
    options: Any = {
        "encoding": "katago",
        "extra_encodings": ("katago-global",),
        "packed": True,
        "split": None,
    }
    batch = next(iter(Batches([folder], **options)))
    minibatch = make_training_batch(batch, recorded_conditioning(batch), config, [teacher], CPU)
    state = load_game("go").initial().unpack_moves(record.moves, 2)
    states = []
    while state.previous is not None:
        state = state.previous
        states.append(state)
    by_ply = {each.ply: each for each in states}
    network = networks.load_network(path)
    for i, ply in enumerate(batch.ply.tolist()):
        prediction = network.predict([by_ply[ply]])[0]
        expected = torch.zeros(362)
        expected[list(prediction.moves)] = torch.from_numpy(prediction.probabilities) * 0.5
        assert torch.allclose(minibatch.teacher_policy[i], expected, atol=1e-5)
        assert minibatch.teacher_wdl[i].tolist() == pytest.approx(
            [x * 0.4 for x in prediction.wdl or ()], abs=1e-5
        )


def test_a_teachers_wdl_is_mixed_into_the_value_target(games: Path, tmp_path: Path) -> None:
    config = distillation_config(write_maia3_network(tmp_path))
    teacher = Teacher(dataclasses.replace(config.teachers[0], value_weight=0.7), config, CPU)
    batch = one_batch(games, extra_encodings=("maia3",))
    conditioning = dataclasses.replace(recorded_conditioning(batch), randomised=np.array([False, True] * 3))
    minibatch = make_training_batch(batch, conditioning, config, [teacher], CPU)
    assert minibatch.teacher_wdl_weight.tolist() == pytest.approx([0.7, 1.0] * 3)
    assert torch.allclose(minibatch.teacher_wdl.sum(dim=1), minibatch.teacher_wdl_weight)
    policy, result = torch.zeros(6, 1858), torch.randn(6, 3)
    target = minibatch.teacher_wdl.clone()
    target[torch.arange(6), minibatch.result] += 1 - minibatch.teacher_wdl_weight
    expected = -float((target * result.log_softmax(1)).sum(dim=1).mean())
    found = [float(losses((policy, result), minibatch, weight).total) for weight in (0.0, 1.0)]
    assert found[1] - found[0] == pytest.approx(expected, rel=1e-5)


def test_two_teachers_add_up(games: Path, tmp_path: Path) -> None:
    config = distillation_config(write_maia3_network(tmp_path))
    one, other = (Teacher(TeacherConfig(config.teachers[0].model, w), config, CPU) for w in (0.25, 0.5))
    batch = one_batch(games, extra_encodings=("maia3",))
    minibatch = make_training_batch(batch, recorded_conditioning(batch), config, [one, other], CPU)
    alone = make_training_batch(batch, recorded_conditioning(batch), config, [other], CPU)
    assert torch.allclose(minibatch.teacher_policy, 1.5 * alone.teacher_policy)
    assert torch.allclose(minibatch.teacher_policy.sum(dim=1), torch.tensor(0.75))


def changed(conditioning: Conditioning, config: TrainingConfig, seed: int) -> Conditioning:
    random = np.random.default_rng(seed)
    return masked(randomised(conditioning, config, random), config, random)


def test_chance_follows_from_the_seed(games: Path, tmp_path: Path) -> None:
    config = distillation_config(write_maia3_network(tmp_path), random_ratings=0.5, conditioning_dropout=0.3)
    batch = one_batch(games, size=300)
    true = recorded_conditioning(batch)
    one, again, other = (changed(true, config, seed) for seed in (1, 1, 2))
    for field in dataclasses.fields(Conditioning):
        np.testing.assert_array_equal(getattr(one, field.name), getattr(again, field.name))
        if field.name != "clocks":  # these games have none
            assert not np.array_equal(getattr(one, field.name), getattr(other, field.name), equal_nan=True)


def test_conditioning_is_randomised_and_masked(games: Path, tmp_path: Path) -> None:
    config = distillation_config(write_maia3_network(tmp_path), random_ratings=0.5, conditioning_dropout=0.3)
    batch = one_batch(games, size=1000)
    true = dataclasses.replace(recorded_conditioning(batch), clocks=np.full(len(batch), 60.0))
    conditioning = changed(true, config, 1)
    n = len(batch)
    told = conditioning.ratings[conditioning.randomised]
    assert 0.45 < len(told) / n < 0.55
    assert ((told >= 600) & (told <= 2600)).all()
    assert 20 < np.abs(told[:, 0] - told[:, 1]).mean() < 150
    rest = ~conditioning.randomised
    unrated: Any = np.isnan(conditioning.ratings).all(axis=1)
    assert not unrated[conditioning.randomised].any()
    assert 0.25 < unrated[rest].mean() < 0.35
    np.testing.assert_array_equal(conditioning.ratings[rest & ~unrated], true.ratings[rest & ~unrated])
    assert 0.25 < np.isnan(conditioning.clocks).mean() < 0.35
    assert 0.25 < (~conditioning.history).mean() < 0.35


def test_masked_boards_are_empty_for_the_network_and_not_for_the_teacher(games: Path) -> None:
    config = small_config(data={"conditioning_dropout": 0.5})
    batch = one_batch(games)
    conditioning = dataclasses.replace(recorded_conditioning(batch), history=np.array([True, False] * 3))
    shown: list[torch.Tensor] = []

    class RecordingTeacher:
        encoding, global_inputs, weight, results, fact_share = "lc0", None, 0.5, 0.0, 0.0

        def query(self, planes: torch.Tensor, *_: torch.Tensor) -> TeacherOutput:
            shown.append(planes.clone())
            nothing = torch.zeros(len(planes), 0)
            return TeacherOutput(
                torch.zeros(len(planes), 1858), torch.zeros(len(planes), 3), nothing, nothing
            )

    teachers: Any = [RecordingTeacher()]
    minibatch = make_training_batch(batch, conditioning, config, teachers, CPU)
    assert minibatch.planes[1::2, 13:104].sum() == 0
    assert torch.equal(minibatch.planes[0::2], shown[0][0::2])
    assert shown[0][:, 13:104].flatten(1).any(dim=1).sum() >= 5  # but a game's first position
    assert torch.equal(minibatch.planes[:, :13], shown[0][:, :13])


def test_masked_ratings_are_not_masked_for_the_teacher(games: Path, tmp_path: Path) -> None:
    config = distillation_config(write_maia3_network(tmp_path), conditioning_dropout=0.5)
    teacher = Teacher(config.teachers[0], config, CPU)
    batch = one_batch(games, extra_encodings=("maia3",))
    unmasked = recorded_conditioning(batch)
    unrated = dataclasses.replace(unmasked, ratings=np.full((6, 2), np.nan))
    told, minibatch = (
        make_training_batch(batch, conditioning, config, [teacher], CPU, unmasked=unmasked)
        for conditioning in (unmasked, unrated)
    )
    assert torch.equal(told.teacher_policy, minibatch.teacher_policy)
    assert not torch.equal(told.context, minibatch.context)


class CountingTeacher:
    """A teacher that counts the positions it evaluates."""

    def __init__(self, teacher: Teacher) -> None:
        self.teacher, self.queries = teacher, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.teacher, name)

    def query(self, *told: torch.Tensor) -> TeacherOutput:
        self.queries += len(told[0])
        return self.teacher.query(*told)


def test_cached_predictions_are_not_computed_again(games: Path, tmp_path: Path) -> None:
    config = distillation_config(write_maia3_network(tmp_path), weight=0.6, random_ratings=0.5)
    teacher: Any = CountingTeacher(
        Teacher(dataclasses.replace(config.teachers[0], value_weight=0.4), config, CPU)
    )
    teacher_cache = make_teacher_cache([games], "chess", 0, CPU)
    options: Any = {"size": 16, "encoding": "lc0", "packed": True, "extra_encodings": ("maia3",), "seed": 3}
    batches = list(Batches([games], **options))[:4]

    def minibatches(
        conditioning: Any = recorded_conditioning, teacher_cache: TeacherCache | None = teacher_cache
    ) -> list[Any]:
        teacher.queries = 0
        return [
            make_training_batch(each, conditioning(each), config, [teacher], CPU, teacher_cache=teacher_cache)
            for each in batches
        ]

    plain, first = minibatches(teacher_cache=None), minibatches()
    assert teacher.queries == 64
    again = minibatches()
    assert teacher.queries == 0
    for one, other, query in zip(first, again, plain, strict=True):
        assert all(torch.equal(*pair) for pair in zip(one, other, strict=True))
        few = query.legal.sum(dim=1) <= CACHED_MOVES
        assert torch.allclose(one.teacher_policy[few], query.teacher_policy[few], atol=1e-3)
        assert torch.allclose(one.teacher_wdl, query.teacher_wdl, atol=1e-3)

    def others(batch: Batch) -> Conditioning:
        return randomised(recorded_conditioning(batch), config, np.random.default_rng(5))

    plain, known = minibatches(others, None), minibatches(others)
    count = sum(int(others(each).randomised.sum()) for each in batches)
    assert count <= teacher.queries < count + 8, "two at a time, so many of four batches"
    for one, query in zip(known, plain, strict=True):
        few = query.legal.sum(dim=1) <= CACHED_MOVES
        assert torch.allclose(one.teacher_policy[few], query.teacher_policy[few], atol=1e-3)
        assert torch.allclose(
            one.teacher_policy[one.randomised], query.teacher_policy[one.randomised], atol=1e-6
        )


def test_of_many_moves_the_likeliest_are_cached() -> None:
    teacher_cache = TeacherCache(np.array([4, 9]), np.array([3, 2]), CPU)
    indices = teacher_cache.indices(np.array([9, 4]), np.array([1, 0], np.int32))
    assert indices.tolist() == [4, 0]
    probabilities = torch.rand(2, 50, generator=torch.Generator().manual_seed(1))
    probabilities /= 2 * probabilities.sum(dim=1, keepdim=True)
    assert teacher_cache.reserve(indices, np.array([True, False])).tolist() == [True, False]
    assert teacher_cache.reserve(indices, np.array([True, True])).tolist() == [False, True]
    teacher_cache.store(torch.from_numpy(indices), probabilities, torch.zeros(2, 0))
    kept, results = teacher_cache.lookup(torch.from_numpy(indices), 50, 0)
    assert results.shape == (2, 0)
    assert torch.allclose(kept.sum(dim=1), torch.tensor(0.5), atol=1e-3)
    for row, answer in zip(probabilities, kept, strict=True):
        likeliest = row.topk(CACHED_MOVES).indices
        assert set(answer.nonzero().flatten().tolist()) == set(likeliest.tolist())


def test_groups_are_hundreds_and_ranks(tmp_path: Path) -> None:
    folder = write_table(
        tmp_path / "go",
        "go",
        [
            line_record("go", ["Q16", "D4"], "a", first_rank="3k", second_rank="3k"),
            line_record("go", ["Q16", "D4"], "b", first_rank="9p", second_rank="9p"),
            line_record("go", ["Q16", "D4"], "c", first_rank="1d", second_rank="2d"),
        ],
    )
    batch = next(iter(Batches([folder], split=None)))
    groups = rating_groups(batch, "go")
    assert (
        sorted(describe("go").ratings.format(round(group)) for group in groups if group == group)
        == ["3k"] * 2 + ["9p"] * 2
    )
    assert np.isnan(groups).sum() == 2
    assert describe("chess").ratings.format(1100) == "1100"
    assert describe("go").ratings.format(6) == "6d"


def test_our_own_networks_teach_those_that_see_the_same(games: Path, tmp_path: Path) -> None:
    config = small_config(**CONDITIONED)
    model = PolicyValueNetwork(config.network, layout_of(config)).eval()
    path = write(
        export(model, config, {"source": "a test", "licence": "GPL-3.0-or-later"}), tmp_path / "own.onnx"
    )
    teacher = Teacher(TeacherConfig(str(path), 0.5), config, CPU)
    batch = one_batch(games)
    minibatch = make_training_batch(batch, recorded_conditioning(batch), config, [teacher], CPU)
    with torch.no_grad():
        policy, _ = model(minibatch.planes, minibatch.context)
    expected = policy.masked_fill(~minibatch.legal, -1e4).softmax(dim=1) * 0.5
    assert torch.allclose(minibatch.teacher_policy, expected, atol=1e-3)
    with pytest.raises(BadConfig, match="another rating range or history"):
        Teacher(TeacherConfig(str(path), 0.5), small_config(network={"rating_range": [800, 2000]}), CPU)


def test_teachers_that_cannot_teach_are_refused(tmp_path: Path, model_store: Path) -> None:
    maia3 = write_maia3_network(tmp_path)
    with pytest.raises(BadConfig, match="plays chess, not shogi"):
        Teacher(TeacherConfig(str(maia3), 0.5), small_config("shogi"), CPU)
    with pytest.raises(BadConfig, match="cannot teach in the mirror"):
        Teacher(TeacherConfig(str(maia3), 0.5), small_config(), CPU)
    with pytest.raises(BadFile, match="there is no network 'nobody'"):
        Teacher(TeacherConfig("nobody", 0.5), small_config(), CPU)
    plain = write(tiny_network("chess"), tmp_path / "plain.onnx")
    with pytest.raises(BadConfig, match="family plain cannot teach yet"):
        Teacher(TeacherConfig(str(plain), 0.5), small_config(), CPU)
