"""The timer that stops a search."""

from __future__ import annotations

import threading
from threading import Event

import pytest

from sparring.search.limits import stop_timer


def test_the_event_is_set_after_the_time() -> None:
    stop = Event()
    with stop_timer(0.01, stop):
        assert stop.wait(60)


@pytest.mark.parametrize("seconds", [None, 1e9, 1e18, 1e300, float("inf")])
def test_a_timer_of_any_length_waits_and_is_cancelled(
    seconds: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed: list[object] = []
    monkeypatch.setattr(threading, "excepthook", failed.append)
    stop = Event()
    before = set(threading.enumerate())
    with stop_timer(seconds, stop):
        timers = set(threading.enumerate()) - before
        assert len(timers) == (seconds is not None)
        assert not stop.wait(0.05)
    for timer in timers:
        timer.join(60)
    assert failed == []
    assert not stop.is_set()
