"""Calls of many threads, served together."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from sparring.base.combining import FlatCombiner
from tests.waiting import wait_until


class Doubling:
    """Doubles numbers; refuses 13. The first batch waits for `go`."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []
        self.go, self.entered = threading.Event(), threading.Event()

    def serve(self, numbers: list[int]) -> list[int | BaseException]:
        self.entered.set()
        assert self.go.wait(30)
        self.batches.append(numbers)
        if 0 in numbers:
            raise OSError("the disk is full")
        return [ValueError("unlucky") if number == 13 else 2 * number for number in numbers]


def test_calls_that_wait_are_served_together() -> None:
    doubling = Doubling()
    combiner = FlatCombiner(doubling.serve)
    with ThreadPoolExecutor(11) as threads:
        first = threads.submit(combiner.call, 1)
        assert doubling.entered.wait(30)
        others = [threads.submit(combiner.call, each) for each in range(10, 20)]
        wait_until(lambda: combiner.waiting == 10)
        doubling.go.set()
        assert first.result() == 2
        for number, other in zip(range(10, 20), others, strict=True):
            if number == 13:
                with pytest.raises(ValueError, match="unlucky"):
                    other.result()
            else:
                assert other.result() == 2 * number
    assert [len(batch) for batch in doubling.batches] == [1, 10]


def test_an_exception_is_for_all_of_the_batch_and_the_next_works() -> None:
    doubling = Doubling()
    doubling.go.set()
    combiner = FlatCombiner(doubling.serve)
    with pytest.raises(OSError, match="full"):
        combiner.call(0)
    assert combiner.call(4) == 8


def test_every_call_of_many_threads_gets_its_own_result() -> None:
    doubling = Doubling()
    doubling.go.set()
    combiner = FlatCombiner(doubling.serve, take=lambda waiting: min(3, len(waiting)))
    with ThreadPoolExecutor(16) as threads:
        assert list(threads.map(combiner.call, range(100, 1100))) == [2 * each for each in range(100, 1100)]
    assert max(map(len, doubling.batches)) <= 3
