"""Workers in processes on this machine."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import signal
import threading
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from multiprocessing.reduction import ForkingPickler
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
                    answer = connection.recv_bytes()
                except (EOFError, ConnectionError):
                    status, name = self._reap(connection), self._name(task)
                    deaths[name] = deaths.get(name, 0) + 1
                    if deaths[name] >= _MAX_DEATHS:
                        raise WorkerDied(
                            f"{name} crashed {_MAX_DEATHS} worker processes (exit status {status})"
                        ) from None
                    self._give(task)
                    continue
                result = self._result(answer)
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

    def _result(self, answer: bytes) -> Any:
        """The result or the failure in an answer; a failure also if the answer cannot be unpickled."""
        try:
            return pickle.loads(answer)
        except Exception as error:
            return _failure(error)

    def _give(self, task: T) -> None:
        for idle in [each for each in self._processes if each not in self._busy]:
            try:
                idle.send(task)
                self._busy[idle] = task
                return
            except ConnectionError:  # it died while idle
                self._reap(idle)
        connection = self._spawn()
        with contextlib.suppress(ConnectionError):  # the worker has failed already: its answer says why
            connection.send(task)
        self._busy[connection] = task

    def _spawn(self) -> Connection:
        ours, theirs = self._context.Pipe()
        made_by = ForkingPickler.dumps(self._spawn_worker)  # unpickled where an error can be reported
        process = self._context.Process(target=_worker_main, args=(theirs, bytes(made_by)), daemon=False)
        with _interrupts_blocked():
            process.start()
        theirs.close()
        self._processes[ours] = process
        return ours

    def _reap(self, connection: Connection) -> int | None:
        """Waits for the process to end; returns its exit status."""
        connection.close()
        process = self._processes.pop(connection)
        process.join()
        return process.exitcode


@contextlib.contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Blocks SIGINT in processes that are started in the context, so that Ctrl-C cannot interrupt them before
    they ignore it. In this process it takes effect after the context."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    resource_tracker.ensure_running()  # its start, otherwise in the context, would unblock the signal
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _worker_main(connection: Connection, spawn: bytes) -> None:
    """Makes a worker by a pickled function and does tasks until the parent closes the connection."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C is for the parent process
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])  # blocked since the start of the process
    try:
        worker: Worker[Any, Any] = pickle.loads(spawn)()
    except (Exception, SystemExit) as error:
        connection.send(_failure(error))  # the answer to the first task
        return

    def leave(*_: object) -> None:
        worker.terminate()
        os._exit(1)

    signal.signal(signal.SIGTERM, leave)
    threading.Thread(target=_exit_with_parent, args=(leave,), daemon=True).start()
    try:
        while True:
            task = connection.recv_bytes()
            try:
                answer = ForkingPickler.dumps(worker.work(pickle.loads(task)))
            except (Exception, SystemExit) as error:
                answer = ForkingPickler.dumps(_failure(error))
            connection.send_bytes(answer)
    except (EOFError, ConnectionError):
        worker.close()


def _failure(error: BaseException) -> _Failure:
    return _Failure(f"{type(error).__name__}: {error}", "".join(traceback.format_exception(error)))


def _exit_with_parent(leave: Callable[[], None]) -> None:
    """Ends this process with its parent, even if that was killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        leave()
