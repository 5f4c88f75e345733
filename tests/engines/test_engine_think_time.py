"""Think time in engines: the wait is real, ends with `stop`, and belongs to the clock alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sparring.engines import gtp_search, search_thread
from sparring.engines.option import BadOption
from sparring.engines.options import find_option
from sparring.engines.settings import EngineSettings
from sparring.players.time_management import wait_out
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


def test_waiting_out_a_decision_that_took_longer_returns_at_once() -> None:
    wait_out(None, 0.0)
    wait_out(1.0, -1e9)


def test_an_engine_cannot_adapt(tmp_path: Path) -> None:
    file = tmp_path / "adapting.toml"
    file.write_text('game = "chess"\nadapt = true\n')
    with pytest.raises(BadOption, match="which GUIs do not send"):
        find_option("uci", "Player").apply(EngineSettings.of("chess"), str(file))
