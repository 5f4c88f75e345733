"""Lessons: what the network sees and should say, as the batch and its teachers have it."""

from __future__ import annotations

import dataclasses
import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from sparring import networks
from sparring.games import load
from sparring.learn.configuration import BadConfiguration, Configuration, TeacherPart
from sparring.learn.export import export
from sparring.learn.layouts import layout_of
from sparring.learn.lessons import IGNORED, make_lesson
from sparring.learn.memory import KEPT, Memory, memory_of
from sparring.learn.model import People
from sparring.learn.objective import losses
from sparring.learn.seats import Seats, group_name, groups_of, hidden, imagined, seats_of
from sparring.learn.teachers import Answer, Teacher
from sparring.networks import BadNetwork
from sparring.records import Batch, Batches
from sparring.records.batches import NO_LABEL
from tests.learn.small import line_record, small_config, write_maia3
from tests.matching.tables import write_table
from tests.networks.katago_files import Writer, small_network
from tests.networks.small import plain_network, write

CPU = torch.device("cpu")
TOLD: dict[str, Any] = {"network": {"ratings": [600, 2600], "clock": True}}


def one_batch(games: Path, size: int = 6, also: tuple[str, ...] = ()) -> Batch:
    return next(iter(Batches([games], size=size, encoding="lc0", packed=True, also=also, split=None, seed=3)))


def taught_config(model: Path, weight: float = 0.5, **data: Any) -> Configuration:
    teachers: Any = [{"model": str(model), "weight": weight}]
    return small_config(**TOLD, data={"mirrored": False, **data}, teachers=teachers)


def test_a_lesson_is_what_the_batch_says(games: Path) -> None:
    batch = one_batch(games)
    batch = dataclasses.replace(batch, result=np.array([1, 0.5, 0, np.nan, 1, 1], np.float32))
    lesson = make_lesson(batch, seats_of(batch), small_config(), (), CPU)
    plain = next(iter(Batches([games], size=6, encoding="lc0", split=None, seed=3)))
    np.testing.assert_array_equal(lesson.planes.numpy(), plain.planes)
    for i in range(6):
        labels = batch.labels[batch.offsets[i] : batch.offsets[i + 1]]
        assert lesson.legal[i].nonzero().flatten().tolist() == sorted(labels.tolist())
        assert lesson.played[i] == labels[batch.index[i]]
    assert lesson.result.tolist() == [0, 1, 2, IGNORED, 0, 0]
    assert lesson.taught.shape == (6, 0)


def test_a_move_without_a_label_does_not_count(games: Path) -> None:
    batch = one_batch(games)
    labels = batch.labels.copy()
    labels[batch.offsets[2] + batch.index[2]] = NO_LABEL
    without = dataclasses.replace(batch, labels=labels)
    config = small_config()
    whole, lesson = (make_lesson(each, seats_of(each), config, (), CPU) for each in (batch, without))
    assert lesson.played[2] == IGNORED
    assert int(whole.legal.sum() - lesson.legal.sum()) == 1
    policy, result = torch.randn(6, 1858), torch.randn(6, 3)
    one, other = (losses(policy, result, each, 0.0) for each in (whole, lesson))
    kept = [0, 1, 3, 4, 5]
    assert float(other.total) == pytest.approx(float(one.likelihoods[kept].mean()), rel=1e-6)


def test_the_loss_is_that_of_legal_moves_alone(games: Path) -> None:
    batch = one_batch(games)
    lesson = make_lesson(batch, seats_of(batch), small_config(), (), CPU)
    torch.manual_seed(1)
    policy, result = torch.randn(6, 1858), torch.randn(6, 3)
    found = losses(policy, result, lesson, 0.25)
    expected = []
    for i in range(6):
        legal = policy[i][lesson.legal[i]].double()
        expected.append(float(legal.exp().sum().log() - policy[i][lesson.played[i]]))
    assert found.likelihoods.tolist() == pytest.approx(expected, rel=1e-5)
    value = -result.log_softmax(1)[torch.arange(6), lesson.result].mean()
    assert float(found.total) == pytest.approx(np.mean(expected) + 0.25 * float(value), rel=1e-5)


def test_a_teachers_probabilities_are_mixed_into_the_target(games: Path, tmp_path: Path) -> None:
    config = taught_config(write_maia3(tmp_path), weight=0.6)
    teacher = Teacher(config.teachers[0], config, CPU)
    batch = one_batch(games, also=("maia3",))
    seats = seats_of(batch)
    seats = dataclasses.replace(seats, imagined=np.array([False, True] * 3))
    lesson = make_lesson(batch, seats, config, [teacher], CPU)
    tokens = next(iter(Batches([games], size=6, encoding="lc0", also=("maia3",), split=None, seed=3))).also[
        "maia3"
    ]
    ratings = torch.from_numpy(seats.ratings).float()
    said = teacher.asked(torch.from_numpy(tokens.planes), ratings, lesson.context, ratings[:, :0])
    torch.manual_seed(2)
    policy, result = torch.randn(6, 1858), torch.randn(6, 3)
    total = 0.0
    for i in range(6):
        begin, end = batch.offsets[i], batch.offsets[i + 1]
        places, named = batch.labels[begin:end].astype(int), tokens.labels[begin:end].astype(int)
        probabilities = said.logits[i, named].softmax(0)
        share = 1.0 if i % 2 else 0.6
        target = torch.zeros(1858)
        target[places] = share * probabilities
        assert torch.allclose(lesson.taught[i], target, atol=1e-6)
        assert float(lesson.share[i]) == pytest.approx(share)
        target[lesson.played[i]] += 1 - share
        total -= float((target[places] * policy[i, places].log_softmax(0)).sum()) / 6
    assert float(losses(policy, result, lesson, 0.0).total) == pytest.approx(total, rel=1e-5)


def test_katago_teaches_what_it_would_play(tmp_path: Path) -> None:
    """Its rows run from the other end, and it is told more than the board."""
    path = tmp_path / "small.bin.gz"
    path.write_bytes(gzip.compress(Writer(small_network(8)).file()))
    teachers: Any = [{"model": str(path), "weight": 0.5, "results": 0.4}]
    config = small_config("go", data={"mirrored": False}, teachers=teachers)
    teacher = Teacher(config.teachers[0], config, CPU)
    record = line_record(
        "go", ["Q16", "D4", "C16", "pass", "R4"], "katago", first_rank="3d", second_rank="1k"
    )
    folder = write_table(tmp_path / "t", "go", [record])
    options: Any = {"encoding": "katago", "also": ("katago-global",), "packed": True, "split": None}
    batch = next(iter(Batches([folder], **options)))
    lesson = make_lesson(batch, seats_of(batch), config, [teacher], CPU)
    state = load("go").initial().unpack_line(record.moves, 2)
    states = []
    while state.previous is not None:
        state = state.previous
        states.append(state)
    by_ply = {each.ply: each for each in states}
    network = networks.load(path)
    for i, ply in enumerate(batch.ply.tolist()):
        prediction = network.predict([by_ply[ply]])[0]
        expected = torch.zeros(362)
        expected[list(prediction.moves)] = torch.from_numpy(prediction.probabilities) * 0.5
        assert torch.allclose(lesson.taught[i], expected, atol=1e-5)
        assert lesson.foretold[i].tolist() == pytest.approx([x * 0.4 for x in prediction.wdl or ()], abs=1e-5)


def test_what_a_teacher_expects_is_mixed_into_the_result(games: Path, tmp_path: Path) -> None:
    config = taught_config(write_maia3(tmp_path))
    teacher = Teacher(dataclasses.replace(config.teachers[0], results=0.7), config, CPU)
    batch = one_batch(games, also=("maia3",))
    seats = dataclasses.replace(seats_of(batch), imagined=np.array([False, True] * 3))
    lesson = make_lesson(batch, seats, config, [teacher], CPU)
    assert lesson.foretold_share.tolist() == pytest.approx([0.7, 1.0] * 3)
    assert torch.allclose(lesson.foretold.sum(dim=1), lesson.foretold_share)
    policy, result = torch.zeros(6, 1858), torch.randn(6, 3)
    target = lesson.foretold.clone()
    target[torch.arange(6), lesson.result] += 1 - lesson.foretold_share
    expected = -float((target * result.log_softmax(1)).sum(dim=1).mean())
    found = [float(losses(policy, result, lesson, weight).total) for weight in (0.0, 1.0)]
    assert found[1] - found[0] == pytest.approx(expected, rel=1e-5)


def test_two_teachers_add_up(games: Path, tmp_path: Path) -> None:
    config = taught_config(write_maia3(tmp_path))
    one, other = (Teacher(TeacherPart(config.teachers[0].model, w), config, CPU) for w in (0.25, 0.5))
    batch = one_batch(games, also=("maia3",))
    lesson = make_lesson(batch, seats_of(batch), config, [one, other], CPU)
    alone = make_lesson(batch, seats_of(batch), config, [other], CPU)
    assert torch.allclose(lesson.taught, 1.5 * alone.taught)
    assert torch.allclose(lesson.taught.sum(dim=1), torch.tensor(0.75))


def changed(seats: Seats, config: Configuration, seed: int) -> Seats:
    random = np.random.default_rng(seed)
    return hidden(imagined(seats, config, random), config, random)


def test_chance_follows_from_the_seed(games: Path, tmp_path: Path) -> None:
    config = taught_config(write_maia3(tmp_path), imagine=0.5, forget=0.3)
    batch = one_batch(games, size=300)
    true = seats_of(batch)
    one, again, other = (changed(true, config, seed) for seed in (1, 1, 2))
    for field in dataclasses.fields(Seats):
        np.testing.assert_array_equal(getattr(one, field.name), getattr(again, field.name))
        if field.name != "clocks":  # these games have none
            assert not np.array_equal(getattr(one, field.name), getattr(other, field.name), equal_nan=True)


def test_what_is_imagined_and_what_is_hidden(games: Path, tmp_path: Path) -> None:
    config = taught_config(write_maia3(tmp_path), imagine=0.5, forget=0.3)
    batch = one_batch(games, size=1000)
    true = dataclasses.replace(seats_of(batch), clocks=np.full(len(batch), 60.0))
    seats = changed(true, config, 1)
    n = len(batch)
    told = seats.ratings[seats.imagined]
    assert 0.45 < len(told) / n < 0.55
    assert ((told >= 600) & (told <= 2600)).all()
    assert 20 < np.abs(told[:, 0] - told[:, 1]).mean() < 150
    rest = ~seats.imagined
    untold: Any = np.isnan(seats.ratings).all(axis=1)
    assert not untold[seats.imagined].any()
    assert 0.25 < untold[rest].mean() < 0.35
    np.testing.assert_array_equal(seats.ratings[rest & ~untold], true.ratings[rest & ~untold])
    assert 0.25 < np.isnan(seats.clocks).mean() < 0.35
    assert 0.25 < (~seats.past).mean() < 0.35


def test_hidden_boards_are_empty_for_the_pupil_and_not_for_the_teacher(games: Path) -> None:
    config = small_config(data={"forget": 0.5})
    batch = one_batch(games)
    seats = dataclasses.replace(seats_of(batch), past=np.array([True, False] * 3))
    shown: list[torch.Tensor] = []

    class Onlooker:
        encoding, beside, weight, results = "lc0", None, 0.5, 0.0

        def asked(self, planes: torch.Tensor, *_: torch.Tensor) -> Answer:
            shown.append(planes.clone())
            return Answer(torch.zeros(len(planes), 1858), torch.zeros(len(planes), 3))

    teachers: Any = [Onlooker()]
    lesson = make_lesson(batch, seats, config, teachers, CPU)
    assert lesson.planes[1::2, 13:104].sum() == 0
    assert torch.equal(lesson.planes[0::2], shown[0][0::2])
    assert shown[0][:, 13:104].flatten(1).any(dim=1).sum() >= 5  # but a game's first position
    assert torch.equal(lesson.planes[:, :13], shown[0][:, :13])


def test_hidden_ratings_are_not_hidden_from_the_teacher(games: Path, tmp_path: Path) -> None:
    config = taught_config(write_maia3(tmp_path), forget=0.5)
    teacher = Teacher(config.teachers[0], config, CPU)
    batch = one_batch(games, also=("maia3",))
    seated = seats_of(batch)
    untold = dataclasses.replace(seated, ratings=np.full((6, 2), np.nan))
    told, lesson = (
        make_lesson(batch, seats, config, [teacher], CPU, seated=seated) for seats in (seated, untold)
    )
    assert torch.equal(told.taught, lesson.taught)
    assert not torch.equal(told.context, lesson.context)


class Counting:
    """A teacher who counts what it is asked."""

    def __init__(self, teacher: Teacher) -> None:
        self.teacher, self.asked_of = teacher, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.teacher, name)

    def asked(self, *told: torch.Tensor) -> Answer:
        self.asked_of += len(told[0])
        return self.teacher.asked(*told)


def test_what_is_remembered_is_not_asked_again(games: Path, tmp_path: Path) -> None:
    config = taught_config(write_maia3(tmp_path), weight=0.6, imagine=0.5)
    teacher: Any = Counting(Teacher(dataclasses.replace(config.teachers[0], results=0.4), config, CPU))
    memory = memory_of([games], "chess", 0, CPU)
    options: Any = {"size": 16, "encoding": "lc0", "packed": True, "also": ("maia3",), "seed": 3}
    batches = list(Batches([games], **options))[:4]

    def lessons(seats: Any = seats_of, memory: Memory | None = memory) -> list[Any]:
        teacher.asked_of = 0
        return [make_lesson(each, seats(each), config, [teacher], CPU, memory=memory) for each in batches]

    plain, first = lessons(memory=None), lessons()
    assert teacher.asked_of == 64
    again = lessons()
    assert teacher.asked_of == 0
    for one, other, asked in zip(first, again, plain, strict=True):
        assert all(torch.equal(*pair) for pair in zip(one, other, strict=True))
        few = asked.legal.sum(dim=1) <= KEPT
        assert torch.allclose(one.taught[few], asked.taught[few], atol=1e-3)
        assert torch.allclose(one.foretold, asked.foretold, atol=1e-3)

    def others(batch: Batch) -> Seats:
        return imagined(seats_of(batch), config, np.random.default_rng(5))

    plain, known = lessons(others, None), lessons(others)
    count = sum(int(others(each).imagined.sum()) for each in batches)
    assert count <= teacher.asked_of < count + 8, "two at a time, so many of four batches"
    for one, asked in zip(known, plain, strict=True):
        few = asked.legal.sum(dim=1) <= KEPT
        assert torch.allclose(one.taught[few], asked.taught[few], atol=1e-3)
        assert torch.allclose(one.taught[one.imagined], asked.taught[one.imagined], atol=1e-6)


def test_of_many_moves_the_likeliest_are_remembered() -> None:
    memory = Memory(np.array([4, 9]), np.array([3, 2]), CPU)
    places = memory.places(np.array([9, 4]), np.array([1, 0], np.int32))
    assert places.tolist() == [4, 0]
    chances = torch.rand(2, 50, generator=torch.Generator().manual_seed(1))
    chances /= 2 * chances.sum(dim=1, keepdim=True)
    assert memory.claim(places, np.array([True, False])).tolist() == [True, False]
    assert memory.claim(places, np.array([True, True])).tolist() == [False, True]
    memory.keep(torch.from_numpy(places), chances, torch.zeros(2, 0))
    kept, results = memory.recall(torch.from_numpy(places), 50, 0)
    assert results.shape == (2, 0)
    assert torch.allclose(kept.sum(dim=1), torch.tensor(0.5), atol=1e-3)
    for row, answer in zip(chances, kept, strict=True):
        likeliest = row.topk(KEPT).indices
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
    groups = groups_of(batch, "go")
    assert sorted(group_name(group, "go") for group in groups if group == group) == ["3k"] * 2 + ["9p"] * 2
    assert np.isnan(groups).sum() == 2
    assert group_name(1100.0, "chess") == "1100"
    assert group_name(6.0, "go") == "6d"


def test_our_own_networks_teach_those_that_see_the_same(games: Path, tmp_path: Path) -> None:
    config = small_config(**TOLD)
    model = People(config.network, layout_of(config)).eval()
    path = write(
        export(model, config, {"source": "a test", "licence": "GPL-3.0-or-later"}), tmp_path / "own.onnx"
    )
    teacher = Teacher(TeacherPart(str(path), 0.5), config, CPU)
    batch = one_batch(games)
    lesson = make_lesson(batch, seats_of(batch), config, [teacher], CPU)
    with torch.no_grad():
        policy, _ = model(lesson.planes, lesson.context)
    expected = policy.masked_fill(~lesson.legal, -1e4).softmax(dim=1) * 0.5
    assert torch.allclose(lesson.taught, expected, atol=1e-3)
    with pytest.raises(BadConfiguration, match="told other ratings or boards"):
        Teacher(TeacherPart(str(path), 0.5), small_config(network={"ratings": [800, 2000]}), CPU)


def test_teachers_that_cannot_teach_are_refused(tmp_path: Path, shelf: Path) -> None:
    maia3 = write_maia3(tmp_path)
    with pytest.raises(BadConfiguration, match="plays chess, not shogi"):
        Teacher(TeacherPart(str(maia3), 0.5), small_config("shogi"), CPU)
    with pytest.raises(BadConfiguration, match="cannot teach in the mirror"):
        Teacher(TeacherPart(str(maia3), 0.5), small_config(), CPU)
    with pytest.raises(BadNetwork, match="there is no network 'nobody'"):
        Teacher(TeacherPart("nobody", 0.5), small_config(), CPU)
    plain = write(plain_network("chess"), tmp_path / "plain.onnx")
    with pytest.raises(BadConfiguration, match="family plain cannot teach yet"):
        Teacher(TeacherPart(str(plain), 0.5), small_config(), CPU)
