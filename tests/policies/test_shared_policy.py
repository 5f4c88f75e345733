"""A policy that many threads share."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from sparring.chess.game import Chess
from sparring.networks import Position, Prediction
from sparring.policies.policy import SharedPolicy
from tests.waiting import wait_until

START = Chess().initial()


class Echo:
    """Predicts the rating as the value, and remembers the batches. The first batch waits for `go`."""

    name, game = "echo", "chess"

    def __init__(self) -> None:
        self.batches: list[int] = []
        self.go = threading.Event()
        self.entered = threading.Event()

    def predict(self, positions: Sequence[Position]) -> list[Prediction]:
        self.entered.set()
        assert self.go.wait(90)
        self.batches.append(len(positions))
        if any(position.rating == -1 for position in positions):
            raise ValueError("no such rating")
        return [
            Prediction((), np.zeros(0, np.float32), float(position.rating or 0)) for position in positions
        ]


def ask(policy: SharedPolicy, *ratings: int) -> list[float | None]:
    return [
        prediction.value for prediction in policy.predict([Position(START, rating) for rating in ratings])
    ]


def test_requests_that_wait_together_are_one_batch() -> None:
    echo = Echo()
    policy = SharedPolicy(echo)
    with ThreadPoolExecutor(9) as pool:
        first = pool.submit(ask, policy, 1)
        assert echo.entered.wait(30)
        others = [pool.submit(ask, policy, 10 * k, 10 * k + 1) for k in range(8)]
        wait_until(lambda: policy.waiting == 8)
        echo.go.set()
        assert first.result() == [1]
        assert [each.result() for each in others] == [[10 * k, 10 * k + 1] for k in range(8)]
    assert echo.batches == [1, 16]


def test_a_batch_has_a_largest_size() -> None:
    echo = Echo()
    policy = SharedPolicy(echo, largest_batch=3)
    with ThreadPoolExecutor(5) as pool:
        asked = [pool.submit(ask, policy, 1)]
        assert echo.entered.wait(30)
        asked += [pool.submit(ask, policy, 2, 3) for _ in range(3)]
        wait_until(lambda: policy.waiting == 3)
        echo.go.set()
        for each in asked:
            each.result()
    assert echo.batches == [1, 2, 2, 2]
    assert ask(policy, *range(5)) == list(range(5)), "one large request is one batch"


def test_an_exception_reaches_its_batch_and_the_next_works() -> None:
    echo = Echo()
    echo.go.set()
    policy = SharedPolicy(echo)
    with pytest.raises(ValueError, match="no such rating"):
        ask(policy, -1)
    assert ask(policy, 7) == [7]
    assert policy.predict([]) == []
