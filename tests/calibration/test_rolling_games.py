"""Games of a calibration that roll in one process: engines in threads, networks for all games together."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pytest

from sparring.base.errors import WorkerError
from sparring.base.workers import LocalWorkerPool
from sparring.measure import calibration as run
from sparring.measure.calibration import (
    CalibrationPlan,
    GamesTask,
    RollingGames,
    calibration_pool,
    read_anchors,
)
from sparring.players import Decision, GameStart, PlayerConfig, Turn
from sparring.players.engines import EngineFailure, FailureReason

FAMILY = """
game = "chess"
[[anchor]]
name = "engine"
elo = 1000
protocol = "uci"
command = ["engine"]
nodes = 1
"""
GO_FAMILY = """
game = "go"
[[anchor]]
name = "weak"
protocol = "gtp"
command = ["engine"]
[[anchor]]
name = "gnugo"
elo = 1000
protocol = "gtp"
command = ["engine"]
"""
GAMES = GamesTask("ours", tuple(("engine", number) for number in range(8)))


class Engine:
    """Plays the first legal move, and counts its games."""

    opened: ClassVar[list[Engine]] = []

    def __init__(self) -> None:
        self.closed = False
        self.games = 0
        Engine.opened.append(self)

    def new_game(self, start: GameStart) -> None:
        self.games += 1

    def choose(self, turn: Turn) -> Decision:
        return Decision(turn.state.legal_moves()[0])

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CalibrationPlan:
    (tmp_path / "family.toml").write_text(FAMILY)
    Engine.opened.clear()
    monkeypatch.setattr(run, "open_participant", lambda *_: Engine())
    anchors = tuple(read_anchors(str(tmp_path / "family.toml"), "chess"))
    players = {"ours": PlayerConfig("chess", model="human", rating=1500)}
    return CalibrationPlan("chess", players, anchors, seed=7, max_plies=6)


def test_every_game_is_a_result_and_all_engines_are_closed(plan: CalibrationPlan) -> None:
    with RollingGames(plan, together=8, engines=2) as pool:
        results = list(pool.run(iter([GAMES])))
    assert sorted(game.number for (game,) in results) == list(range(8))
    assert all(game.plies == 6 and game.reason == "length limit" for (game,) in results)
    assert 1 <= len(Engine.opened) <= 2
    assert all(engine.closed for engine in Engine.opened)


def test_engines_think_at_the_same_time(plan: CalibrationPlan, monkeypatch: pytest.MonkeyPatch) -> None:
    meeting = threading.Barrier(2)

    def choose(self: Engine, turn: Turn) -> Decision:
        meeting.wait(20)  # an engine alone would wait here in vain
        return Decision(turn.state.legal_moves()[0])

    monkeypatch.setattr(Engine, "choose", choose)
    two = GamesTask("ours", (("engine", 1), ("engine", 3)))  # the engine begins
    with RollingGames(plan, together=2, engines=2) as pool:
        assert len(list(pool.run(iter([two])))) == 2
    assert len(Engine.opened) == 2


def test_a_task_is_taken_when_there_is_room(plan: CalibrationPlan) -> None:
    taken: list[int] = []

    def tasks() -> Iterator[GamesTask]:
        for number in range(5):
            taken.append(number)
            yield GamesTask("ours", (("engine", number),))

    ended = 0
    with RollingGames(plan, together=2, engines=2) as pool:
        for _ in pool.run(tasks()):
            ended += 1
            assert len(taken) - ended < 2
    assert ended == 5


def test_a_seed_gives_the_same_games(plan: CalibrationPlan) -> None:
    found = []
    for engines in (1, 3):
        with RollingGames(plan, together=4, engines=engines) as pool:
            found.append(sorted((game.number, game.score, game.plies) for (game,) in pool.run(iter([GAMES]))))
    assert found[0] == found[1]


def test_an_engine_that_fails_gives_up_and_one_that_cannot_be_started_ends_the_run(
    plan: CalibrationPlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> Decision:
        raise EngineFailure(FailureReason.CRASHED, "it has exited")

    monkeypatch.setattr(Engine, "choose", fail)
    with RollingGames(plan, together=4, engines=2) as pool:
        (first, *_) = [game for (game,) in pool.run(iter([GAMES]))]
    assert first.reason == "given up"

    def refuse(*_: object) -> Engine:
        raise EngineFailure(FailureReason.CRASHED, "it is not there")

    monkeypatch.setattr(run, "open_participant", refuse)
    with (
        RollingGames(plan, together=4, engines=2) as pool,
        pytest.raises(WorkerError, match="not there"),
    ):
        list(pool.run(iter([GAMES])))


def test_an_engine_that_keeps_a_board_plays_one_game_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "go.toml").write_text(GO_FAMILY)
    Engine.opened.clear()
    monkeypatch.setattr(run, "open_participant", lambda *_: Engine())
    anchors = tuple(read_anchors(str(tmp_path / "go.toml"), "go"))
    ours = {name: PlayerConfig("go", model="human") for name in ("a", "b")}
    plan = CalibrationPlan("go", ours, anchors, max_plies=4)
    tasks = [GamesTask(name, (("gnugo", 0), ("gnugo", 1))) for name in ours]
    tasks.append(GamesTask("weak", (("gnugo", 0), ("gnugo", 1))))  # both are engines
    with RollingGames(plan, together=6, engines=2) as pool:
        assert len(list(pool.run(iter(tasks)))) == 6
        assert len(Engine.opened) == 4 + 2 * 2
        assert all(engine.closed and engine.games == 1 for engine in Engine.opened)


def test_a_network_that_cannot_be_read_is_a_failed_task(plan: CalibrationPlan) -> None:
    lost = dataclasses.replace(plan, players={"ours": PlayerConfig("chess", model="nobody")})
    with RollingGames(lost, together=4, engines=2) as pool, pytest.raises(WorkerError, match="nobody"):
        list(pool.run(iter([GAMES])))


def test_without_engines_there_are_processes(plan: CalibrationPlan) -> None:
    assert isinstance(calibration_pool(plan, concurrency=2, together=4, engines=0), LocalWorkerPool)
    with calibration_pool(plan, concurrency=2, together=4, engines=1) as pool:
        assert isinstance(pool, RollingGames)
