"""Think time in engines: the wait is real, ends with `stop`, and belongs to the clock alone."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import pytest

from sparring.base.errors import BadConfig
from sparring.engines import search_thread
from sparring.engines.options import EngineSettings, find_option
from sparring.go import gtp as gtp_search
from sparring.search.limits import wait_out
from tests.engines.engine_client import engine

BEST = r"bestmove .*"


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds for which the engines would wait; they do not."""
    waited: list[float] = []

    def wait(seconds: float, *_: Any) -> None:
        waited.append(seconds)

    monkeypatch.setattr(search_thread, "wait_out", wait)
    monkeypatch.setattr(gtp_search, "wait_out", wait)
    return waited


def test_a_uci_engine_waits_with_a_clock_and_the_option(waits: list[float], small: dict[str, Path]) -> None:
    with engine("uci", small["chess"], seed=1) as session:
        session.ask("go wtime 600000 btime 600000", until=BEST)
        session.send("setoption name ThinkTime value true")
        session.ask("go nodes 1", until=BEST)
        assert not waits
        session.ask("go wtime 600000 btime 600000", until=BEST)
        (seconds,) = waits
        assert 0 <= seconds <= 120


def test_stop_ends_the_wait(small: dict[str, Path]) -> None:
    with engine("uci", small["chess"], think_time="human") as session:
        for _ in range(3):
            session.send("go wtime 36000000 btime 36000000")
            assert session.ask("stop", until=BEST)


def test_a_gtp_engine_waits_too(waits: list[float], small: dict[str, Path]) -> None:
    with engine("gtp", small["go"]) as session:
        session.gtp("time_settings 600 0 0")
        assert session.gtp("genmove b").startswith("=")
        assert not waits
        assert session.gtp("kata-set-param think-time true").startswith("=")
        assert session.gtp("genmove w").startswith("=")
        assert len(waits) == 1


class Waiting(threading.Event):
    """Remembers how long it was waited for, and returns at once."""

    def __init__(self) -> None:
        super().__init__()
        self.waited: list[float | None] = []

    def wait(self, timeout: float | None = None) -> bool:
        self.waited.append(timeout)
        return True


def test_waiting_out_a_decision_waits_for_what_is_left_of_its_time() -> None:
    stop = Waiting()
    wait_out(None, 0.0, stop)
    wait_out(1.0, time.perf_counter() - 2.0, stop)
    assert not stop.waited
    wait_out(100.0, time.perf_counter() - 40.0, stop)
    assert stop.waited == [pytest.approx(60.0, abs=5.0)]


def test_an_engine_cannot_adapt(tmp_path: Path) -> None:
    file = tmp_path / "adapting.toml"
    file.write_text('game = "chess"\nadapt = true\n')
    with pytest.raises(BadConfig, match="which GUIs do not send"):
        find_option("uci", "Player").apply(EngineSettings.of("chess"), str(file))
