"""Workers in processes on this machine."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from types import TracebackType
from typing import Any, Generic, Protocol, Self, TypeVar

_DEATHS = 3

T = TypeVar("T")
R = TypeVar("R")
T_contra = TypeVar("T_contra", contravariant=True)
R_co = TypeVar("R_co", covariant=True)


class WorkerDied(Exception):
    """A process of ours ended in the middle of a task, again and again."""


class Worker(Protocol[T_contra, R_co]):
    """Does one task after the other, in a process of its own."""

    def work(self, task: T_contra, /) -> R_co:
        """A task's result."""
        ...

    def close(self) -> None:
        """There is nothing more to do."""
        ...

    def terminate(self) -> None:
        """The process ends at once: whatever would go on without it must end too."""
        ...


class LocalWorkerPool(Generic[T, R]):
    """Processes on this machine. They end with the one that started them, however that ends.

    `spawn` makes a worker in its process, so it must be something that can be pickled.
    """

    def __init__(self, spawn: Callable[[], Worker[T, R]], size: int, name: Callable[[T], str] = str) -> None:
        self._spawn_worker, self._size, self._name = spawn, size, name
        self._context = multiprocessing.get_context("spawn")
        self._processes: dict[Connection, BaseProcess] = {}
        self._busy: dict[Connection, T] = {}

    def run(self, tasks: Iterator[T]) -> Iterator[R]:
        """Results as they come; a task is taken only when somebody is free for it. Raises WorkerDied."""
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
                    yield connection.recv()
                except (EOFError, ConnectionError):
                    self._reap(connection)
                    name = self._name(task)
                    deaths[name] = deaths.get(name, 0) + 1
                    if deaths[name] >= _DEATHS:
                        raise WorkerDied(f"{name} ended {_DEATHS} processes") from None
                    self._give(task)

    def __enter__(self) -> Self:
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

    def _give(self, task: T) -> None:
        for idle in [each for each in self._processes if each not in self._busy]:
            try:
                idle.send(task)
                self._busy[idle] = task
                return
            except ConnectionError:  # it died while it had nothing to do
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
    """A worker's life: tasks until nobody asks for more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C is for the process that started this one
    worker = spawn()

    def leave(*_: object) -> None:
        worker.terminate()
        os._exit(1)

    signal.signal(signal.SIGTERM, leave)
    threading.Thread(target=_exit_with_parent, args=(leave,), daemon=True).start()
    try:
        while True:
            connection.send(worker.work(connection.recv()))
    except (EOFError, ConnectionError):
        worker.close()


def _exit_with_parent(leave: Callable[[], None]) -> None:
    """Ends this process with its parent, even where that was killed and cannot say so."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        leave()
