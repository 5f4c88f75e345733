"""Games played side by side: processes on this machine, each at its own table."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from types import TracebackType
from typing import Any, Protocol

from sparring.arena.contestants import Contestant, open_contestant
from sparring.arena.match import play_game, record_of
from sparring.arena.process import kill_all
from sparring.arena.results import Result
from sparring.arena.schedule import Pairing, seeds_of
from sparring.arena.tournament import Tournament
from sparring.records import GameRecord

_DEATHS = 3


class WorkerDied(Exception):
    """A process of ours ended in the middle of a game, again and again."""


@dataclass(frozen=True)
class Task:
    """A game to be played."""

    pairing: Pairing
    start: Any
    """The state after the opening."""


class Workers(Protocol):
    """Whatever plays games: here, or on other machines."""

    def play(self, tasks: Iterator[Task]) -> Iterator[tuple[Result, GameRecord | None]]:
        """The games as they end; a task is taken only when somebody is free for it."""
        ...


class Table:
    """Plays one game after the other; engines stay from game to game."""

    def __init__(self, tournament: Tournament) -> None:
        self._tournament = tournament
        self._game = tournament.load_rules()
        self._seats: dict[int, Contestant] = {}

    def play(self, task: Task) -> tuple[Result, GameRecord | None]:
        """A game and its record."""
        pairing = task.pairing
        names = [self._tournament.entries[player].name for player in (pairing.first, pairing.second)]
        seats = (self._seat(pairing.first), self._seat(pairing.second))
        seeds = seeds_of(self._tournament, pairing.number)
        played = play_game(self._game, task.start, seats, seeds, self._tournament)
        verdict = played.verdict
        result = Result(
            number=pairing.number,
            first=names[0],
            second=names[1],
            opening=pairing.opening,
            result=verdict.result,
            reason=str(verdict.reason),
            detail=verdict.detail,
            plies=played.state.ply,
            seconds=round(played.seconds, 3),
        )
        return result, record_of(played, self._tournament, pairing.number, names)

    def close(self) -> None:
        """Lets every engine quit."""
        for seat in self._seats.values():
            seat.close()
        self._seats.clear()

    def _seat(self, player: int) -> Contestant:
        if player not in self._seats:
            self._seats[player] = open_contestant(self._tournament.entries[player], self._game)
        return self._seats[player]


class LocalWorkers:
    """Processes on this machine. They end with the one that started them, however that ends."""

    def __init__(self, tournament: Tournament, concurrency: int) -> None:
        self._tournament = tournament
        self._concurrency = concurrency
        self._context = multiprocessing.get_context("spawn")
        self._processes: dict[Connection, BaseProcess] = {}
        self._busy: dict[Connection, Task] = {}

    def play(self, tasks: Iterator[Task]) -> Iterator[tuple[Result, GameRecord | None]]:
        """The games as they end."""
        deaths: dict[int, int] = {}
        while True:
            while len(self._busy) < self._concurrency and (task := next(tasks, None)) is not None:
                self._give(task)
            if not self._busy:
                return
            for connection in wait(list(self._busy)):
                assert isinstance(connection, Connection)
                task = self._busy.pop(connection)
                try:
                    yield connection.recv()
                except (EOFError, ConnectionError):
                    self._bury(connection)
                    deaths[task.pairing.number] = deaths.get(task.pairing.number, 0) + 1
                    if deaths[task.pairing.number] >= _DEATHS:
                        raise WorkerDied(
                            f"game {task.pairing.number + 1} ended {_DEATHS} processes"
                        ) from None
                    self._give(task)

    def __enter__(self) -> LocalWorkers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for connection, process in self._processes.items():
            connection.close()  # who waits for a task now ends by itself
            if connection in self._busy:
                process.terminate()
        for process in self._processes.values():
            process.join(30)
            if process.is_alive():
                process.kill()
                process.join()

    def _give(self, task: Task) -> None:
        for idle in [each for each in self._processes if each not in self._busy]:
            try:
                idle.send(task)
                self._busy[idle] = task
                return
            except ConnectionError:  # it died while it had nothing to do
                self._bury(idle)
        connection = self._hire()
        connection.send(task)
        self._busy[connection] = task

    def _hire(self) -> Connection:
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=_work, args=(theirs, self._tournament), daemon=False)
        process.start()
        theirs.close()
        self._processes[ours] = process
        return ours

    def _bury(self, connection: Connection) -> None:
        connection.close()
        self._processes.pop(connection).join()


def _work(connection: Connection, tournament: Tournament) -> None:
    """A worker's life: games until nobody asks for more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C is for the process that started this one
    signal.signal(signal.SIGTERM, lambda *_: _leave())
    threading.Thread(target=_follow_parent, daemon=True).start()
    table = Table(tournament)
    try:
        while True:
            connection.send(table.play(connection.recv()))
    except (EOFError, ConnectionError):
        table.close()


def _follow_parent() -> None:
    """Ends this process with its parent, even where that was killed and cannot say so."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        _leave()


def _leave() -> None:
    kill_all()
    os._exit(1)
