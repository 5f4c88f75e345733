"""Pools of workers: results, crashes, exceptions and ends, for each kind of pool."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from sparring.base.errors import MissingExtra, WorkerError
from sparring.base.workers import LocalWorkerPool, RayWorkerPool, SerialWorkerPool
from tests.waiting import wait_until
from tests.workers.squarer import Squarer, Unreadable, UnreadableSpawn, broken


def local(folder: Path, size: int = 2) -> LocalWorkerPool[int, int]:
    return LocalWorkerPool(partial(Squarer, folder), size, lambda task: f"task {task}")


POOLS: dict[str, Any] = {
    "serial": lambda folder: SerialWorkerPool(partial(Squarer, folder)),
    "local": local,
    "one process": partial(local, size=1),
}


@pytest.mark.parametrize("kind", POOLS)
def test_every_task_has_its_result_and_workers_are_closed(kind: str, tmp_path: Path) -> None:
    with POOLS[kind](tmp_path) as pool:
        assert sorted(pool.run(iter(range(9)))) == [n * n for n in range(9)]
        assert list(pool.run(iter([]))) == []
        assert list(pool.run(iter([12]))) == [144]
    assert (tmp_path / "closed").exists()
    assert not (tmp_path / "terminated").exists()


def test_tasks_are_taken_when_a_worker_is_free(tmp_path: Path) -> None:
    taken: list[int] = []

    def tasks() -> Iterator[int]:
        for n in count():
            taken.append(n)
            yield n

    with local(tmp_path) as pool:
        results = pool.run(tasks())
        for _ in range(3):
            next(results)
    assert len(taken) <= 6


def test_an_exception_is_passed_on_with_its_text(tmp_path: Path) -> None:
    with (
        pytest.raises(WorkerError, match=r"^task 13: ValueError: thirteen is unlucky\n") as caught,
        local(tmp_path) as pool,
    ):
        list(pool.run(iter([1, 13])))
    assert any("in work" in note for note in caught.value.__notes__)


def test_a_result_that_cannot_be_sent_is_a_failure(tmp_path: Path) -> None:
    with pytest.raises(WorkerError, match=r"^task 16: .*pickle"), local(tmp_path) as pool:
        list(pool.run(iter([16])))


@pytest.mark.parametrize(
    ("task", "said"),
    [
        (18, "ConnectionResetError: the engine hung up"),
        (19, "SystemExit: no licence"),
        (20, "ValueError: invalid literal"),
    ],
)
def test_no_exception_of_a_worker_is_taken_for_a_crash(task: int, said: str, tmp_path: Path) -> None:
    with pytest.raises(WorkerError, match=f"^task {task}: {said}"), local(tmp_path) as pool:
        list(pool.run(iter([1, task])))


def test_tasks_and_workers_that_cannot_be_unpickled_say_why(tmp_path: Path) -> None:
    with pytest.raises(WorkerError, match="ValueError: invalid literal"), local(tmp_path) as pool:
        list(pool.run(iter([Unreadable()])))  # type: ignore[list-item]
    unmade: LocalWorkerPool[int, int] = LocalWorkerPool(UnreadableSpawn(), 1)
    with pytest.raises(WorkerError, match=r"^3: ValueError: invalid literal"), unmade as pool:
        list(pool.run(iter([3])))


def test_a_worker_that_cannot_be_made_says_why(tmp_path: Path) -> None:
    pool = LocalWorkerPool[int, int](partial(broken, tmp_path / "x"), 1, lambda task: f"task {task}")
    with pytest.raises(WorkerError, match=r"^task 3: OSError: x has no network\n"), pool:
        list(pool.run(iter([3])))


def test_a_task_whose_worker_dies_once_is_done_by_another(tmp_path: Path) -> None:
    with local(tmp_path) as pool:
        assert sorted(pool.run(iter([1, 15, 2]))) == [1, 4, 225]


def test_a_task_that_ends_three_processes_is_given_up(tmp_path: Path) -> None:
    with pytest.raises(WorkerError, match="task 14 crashed 3 worker processes"), local(tmp_path) as pool:
        list(pool.run(iter([1, 14])))


def test_busy_workers_are_terminated_when_the_pool_is_left(tmp_path: Path) -> None:
    start = time.monotonic()
    with local(tmp_path) as pool:
        results = pool.run(iter([17, 2, 3]))
        assert next(results) in (4, 9)
        wait_until((tmp_path / "working").exists)
    assert (tmp_path / "terminated").exists()
    assert time.monotonic() - start < 30


PARENT = """
import sys
from functools import partial
from pathlib import Path
from tests.workers.test_workers import local
if __name__ == "__main__":
    with local(Path(sys.argv[1]), 1) as pool:
        list(pool.run(iter([17])))
"""


def test_workers_end_with_a_parent_that_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(PARENT)
    root = Path(__file__).parents[2]
    parent = subprocess.Popen(
        [sys.executable, str(script), str(tmp_path)], env={**os.environ, "PYTHONPATH": str(root)}
    )
    wait_until((tmp_path / "working").exists)
    parent.kill()
    parent.wait()
    wait_until((tmp_path / "terminated").exists)


def test_without_ray_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtra, match=r"pip install 'sparring\[scale\]'"):
        RayWorkerPool(partial(Squarer, tmp_path), 1, "auto")


def test_a_ray_cluster_does_tasks_and_passes_exceptions_on(tmp_path: Path) -> None:
    pytest.importorskip("ray")

    def pool() -> AbstractContextManager[RayWorkerPool[int, int]]:
        return RayWorkerPool(partial(Squarer, tmp_path), 2, "local", lambda task: f"task {task}")

    with pool() as done:
        assert sorted(done.run(iter(range(5)))) == [0, 1, 4, 9, 16]
    assert (tmp_path / "closed").exists()
    with pytest.raises(WorkerError, match=r"^task 13: ValueError: thirteen is unlucky\n"), pool() as failing:
        list(failing.run(iter([1, 13])))
    assert (tmp_path / "terminated").exists()
