"""The loader: the same batches from any cursor, and clear errors without data."""

from __future__ import annotations

import random
import threading
from collections.abc import Generator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
import torch

from sparring.base.errors import BadConfig
from sparring.records import Split
from sparring.training.loader import Cursor, RecordLoader, _prefetch
from tests.matching.tables import random_record, write_table
from tests.training.factories import repeated_games, small_config

CPU = torch.device("cpu")


def loader(games: Path, replica: tuple[int, int] = (0, 1), **parts: Any) -> RecordLoader:
    return RecordLoader(small_config(**parts), [games], CPU, replica=replica, threads=1)


def minibatches(loader: RecordLoader, begin: Cursor, count: int) -> list[tuple[torch.Tensor, ...]]:
    return [(*prefetched.tensors,) for prefetched in islice(loader.training(begin), count)]


def test_training_resumes_from_any_cursor(games: Path) -> None:
    config: dict[str, Any] = {"data": {"conditioning_dropout": 0.3}, "network": {"rating_range": [600, 2600]}}
    source = loader(games, **config)
    prefetched = list(islice(source.training(Cursor()), 110))  # more than a pass
    assert max(each.cursor.epoch for each in prefetched) >= 1
    for at in (
        0,
        10,
        *(i for i in range(109) if prefetched[i].cursor.epoch != prefetched[i + 1].cursor.epoch),
    ):
        rest = minibatches(source, prefetched[at].cursor, 2)
        for one, other in zip(rest, prefetched[at + 1 :], strict=False):
            assert all(map(torch.equal, one, other.tensors))


def test_passes_and_seeds_differ(games: Path) -> None:
    source = loader(games)
    first, second = (minibatches(source, Cursor(epoch), 1)[0] for epoch in (0, 1))
    assert not torch.equal(first[0], second[0])
    other = loader(games, training={"seed": 1})
    assert not torch.equal(first[0], minibatches(other, Cursor(), 1)[0][0])


def test_processes_share_what_one_would_have(games: Path) -> None:
    whole = minibatches(loader(games), Cursor(), 6)
    for rank in (0, 1):
        part = minibatches(loader(games, replica=(rank, 2)), Cursor(), 3)
        assert all(torch.equal(a[0], b[0]) for a, b in zip(part, whole[rank::2], strict=True))
    later = minibatches(loader(games, replica=(1, 2)), Cursor(0, 2), 1)
    assert torch.equal(later[0][0], whole[5][0])


def test_validation_is_the_same_each_time_and_untouched(games: Path) -> None:
    source = loader(games, data={"conditioning_dropout": 0.5}, network={"rating_range": [600, 2600]})
    one, two = list(source.validation()), list(source.validation())
    assert sum(len(minibatch.played) for minibatch, _ in one) == 64
    for (minibatch, _), (again, _) in zip(one, two, strict=True):
        assert all(map(torch.equal, minibatch, again))
        assert (minibatch.context[:, 1] == 1).all(), "ratings are told"


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (
            {"data": {"rating_range": [1500, 1600]}},
            "no games with both ratings from 1500 to 1599 for training",
        ),
        ({"training": {"batch": 5000}}, r"2,\d{3} positions of games to train on, not one batch of 5,000"),
        (
            {"training": {"batch": 2000}, "data": {"rating_range": [1100, 1200]}},
            r"1,\d{3} positions of games with both ratings from 1100 to 1199 to train on, not one batch",
        ),
    ],
)
def test_too_few_games_are_named(parts: dict[str, Any], message: str, games: Path) -> None:
    with pytest.raises(BadConfig, match=message):
        loader(games, **parts).check()


def test_too_few_for_all_processes(games: Path) -> None:
    with pytest.raises(BadConfig, match="not one batch of 1,600 for each of 2 processes"):
        loader(games, (0, 2), training={"batch": 1600}).check()


def test_no_games_for_validation(tmp_path: Path) -> None:
    records = repeated_games("chess", ["e2e4"], Split.TRAIN, 40)
    table = write_table(tmp_path / "t", "chess", records)
    with pytest.raises(BadConfig, match=r"no games for validation \(trial 0\)"):
        loader(table).check()


def test_records_of_another_game_or_board_are_refused(games: Path, tmp_path: Path) -> None:
    with pytest.raises(BadConfig, match="holds games of chess; the configuration small is for shogi"):
        RecordLoader(small_config("shogi"), [games], CPU).check()
    with pytest.raises(BadConfig, match="no records"):
        RecordLoader(small_config(), [], CPU).check()
    rng = random.Random(1)
    small = write_table(tmp_path / "t", "go", [random_record("go", rng, 30) for _ in range(60)])
    with pytest.raises(BadConfig, match="boards of 19 by 19 expected"):
        next(iter(RecordLoader(small_config("go"), [small], CPU).training(Cursor())))


def test_items_are_made_ahead_and_errors_come_through() -> None:
    made: list[tuple[int, int]] = []

    def items() -> Generator[int]:
        for number in range(1, 6):
            made.append((number, threading.get_ident()))
            yield number
        raise BadConfig("the end")

    stream = _prefetch(items())
    assert next(stream) == 1
    assert all(thread != threading.get_ident() for _, thread in made)
    assert list(islice(stream, 4)) == [2, 3, 4, 5]
    with pytest.raises(BadConfig, match="the end"):
        next(stream)


def test_leaving_ends_the_thread() -> None:
    closed = threading.Event()

    def items() -> Generator[int]:
        try:
            while True:
                yield 1
        finally:
            closed.set()

    before = threading.active_count()
    stream = _prefetch(items())
    assert next(stream) == 1
    stream.close()  # type: ignore[attr-defined]  # a generator
    assert closed.is_set()
    assert threading.active_count() == before
