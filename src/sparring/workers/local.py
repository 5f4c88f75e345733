"""Workers in processes on this machine."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from types import TracebackType
from typing import Any, Generic, Self

from sparring.workers.pool import R, T, TaskFailed, Worker, WorkerDied

_MAX_DEATHS = 3
"""Processes that a task may end before the pool gives up."""
_EXIT_SECONDS = 30
"""Time in which a worker may close before it is killed."""


@dataclass(frozen=True)
class _Failure:
    """An exception of a worker, as text: the exception itself may not be picklable."""

    message: str
    traceback: str


class LocalWorkerPool(Generic[T, R]):
    """Processes on this machine. They end with the process that started them, however that ends.

    `spawn` makes a worker in its process and must be picklable. `size` is the number of processes. `name`
    names a task in errors.
    """

    def __init__(self, spawn: Callable[[], Worker[T, R]], size: int, name: Callable[[T], str] = str) -> None:
        self._spawn_worker, self._size, self._name = spawn, size, name
        self._context = multiprocessing.get_context("spawn")
        self._processes: dict[Connection, BaseProcess] = {}
        self._busy: dict[Connection, T] = {}

    def run(self, tasks: Iterator[T]) -> Iterator[R]:
        """Yields results in the order in which they are ready. A task is taken when a worker is free for it.

        Raises TaskFailed if a worker raises an exception, and WorkerDied if a task crashes three processes.
        """
        deaths: dict[str, int] = {}
        while True:
            while len(self._busy) < self._size and (task := next(tasks, None)) is not None:
                self._give(task)
            if not self._busy:
                return
            for connection in wait(list(self._busy)):
                assert isinstance(connection, Connection)
                task = self._busy.pop(connection)
                try:
                    result = connection.recv()
                except (EOFError, ConnectionError):
                    self._reap(connection)
                    name = self._name(task)
                    deaths[name] = deaths.get(name, 0) + 1
                    if deaths[name] >= _MAX_DEATHS:
                        raise WorkerDied(f"{name} crashed {_MAX_DEATHS} worker processes") from None
                    self._give(task)
                    continue
                if isinstance(result, _Failure):
                    failed = TaskFailed(f"{self._name(task)}: {result.message}")
                    failed.add_note(result.traceback)
                    raise failed
                yield result

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for connection, process in self._processes.items():
            connection.close()  # an idle worker then closes and exits
            if connection in self._busy:
                process.terminate()
        for process in self._processes.values():
            process.join(_EXIT_SECONDS)
            if process.is_alive():
                process.kill()
                process.join()

    def _give(self, task: T) -> None:
        for idle in [each for each in self._processes if each not in self._busy]:
            try:
                idle.send(task)
                self._busy[idle] = task
                return
            except ConnectionError:  # it died while idle
                self._reap(idle)
        connection = self._spawn()
        connection.send(task)
        self._busy[connection] = task

    def _spawn(self) -> Connection:
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=_worker_main, args=(theirs, self._spawn_worker), daemon=False)
        process.start()
        theirs.close()
        self._processes[ours] = process
        return ours

    def _reap(self, connection: Connection) -> None:
        connection.close()
        self._processes.pop(connection).join()


def _worker_main(connection: Connection, spawn: Callable[[], Worker[Any, Any]]) -> None:
    """Makes a worker and does tasks until the parent closes the connection."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C is for the parent process
    try:
        worker = spawn()
    except Exception as error:
        connection.send(_failure(error))  # the answer to the first task
        return

    def leave(*_: object) -> None:
        worker.terminate()
        os._exit(1)

    signal.signal(signal.SIGTERM, leave)
    threading.Thread(target=_exit_with_parent, args=(leave,), daemon=True).start()
    try:
        while True:
            task = connection.recv()
            try:
                connection.send(worker.work(task))
            except ConnectionError:
                raise
            except Exception as error:
                connection.send(_failure(error))
    except (EOFError, ConnectionError):
        worker.close()


def _failure(error: Exception) -> _Failure:
    return _Failure(f"{type(error).__name__}: {error}", "".join(traceback.format_exception(error)))


def _exit_with_parent(leave: Callable[[], None]) -> None:
    """Ends this process with its parent, even if that was killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        leave()
