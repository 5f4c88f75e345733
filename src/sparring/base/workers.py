"""Pools of workers: in this process, in processes of this machine, and on a Ray cluster."""

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
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from multiprocessing.reduction import ForkingPickler
from typing import Any, Generic, Protocol, Self, TypeVar

from sparring.base.errors import MissingExtra, WorkerError

T = TypeVar("T")
R = TypeVar("R")
T_contra = TypeVar("T_contra", contravariant=True)
R_co = TypeVar("R_co", covariant=True)


class Worker(Protocol[T_contra, R_co]):
    """Does one task after the other, in a process of its own. A subclass closes what it opens."""

    def work(self, task: T_contra, /) -> R_co:
        """Returns the result of a task."""

    def close(self) -> None:
        """Called after the last task."""
        return

    def terminate(self) -> None:
        """Called before the process exits at once: ends child processes that would outlive it, such as an
        engine."""
        return


class WorkerPool(Protocol[T_contra, R_co]):
    """A context manager that has several workers do tasks."""

    def run(self, tasks: Iterator[T_contra]) -> Iterator[R_co]:
        """Yields results in the order in which they are ready. A task is taken when a worker is free for it.

        Raises WorkerError.
        """

    def __enter__(self) -> Self: ...

    def __exit__(self, kind: Any, error: Any, trace: Any, /) -> None: ...


class SerialWorkerPool(Generic[T, R]):
    """One worker, which `spawn` makes, in this process. Exceptions of the worker are not wrapped."""

    def __init__(self, spawn: Callable[[], Worker[T, R]]) -> None:
        self._worker = spawn()

    def run(self, tasks: Iterator[T]) -> Iterator[R]:
        """Yields results in the order of the tasks."""
        return map(self._worker.work, tasks)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self._worker.close()
        else:
            self._worker.terminate()


# Workers in processes on this machine.


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

        Raises WorkerError if a worker raises an exception, and WorkerError if a task crashes three processes.
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
                        raise WorkerError(
                            f"{name} crashed {_MAX_DEATHS} worker processes (exit status {status})"
                        ) from None
                    self._give(task)
                    continue
                try:
                    result = pickle.loads(answer)
                except Exception as error:
                    result = _failure(error)
                if isinstance(result, _Failure):
                    failed = WorkerError(f"{self._name(task)}: {result.message}")
                    failed.add_note(result.traceback)
                    raise failed
                yield result

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
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
        for idle in [process for process in self._processes if process not in self._busy]:
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
    from multiprocessing import resource_tracker

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


# Workers on a Ray cluster, an actor each. Needs `sparring[scale]`.


class RayWorkerPool(Generic[T, R]):
    """Actors of a Ray cluster. The machines need everything that the workers use.

    `spawn` makes a worker in its actor and must be picklable. `size` is the number of actors. `address` is
    that of the cluster, "auto" or "local". `name` names a task in errors. Raises MissingExtra.
    """

    def __init__(
        self, spawn: Callable[[], Worker[T, R]], size: int, address: str, name: Callable[[T], str] = str
    ) -> None:
        try:
            import ray
        except ImportError:
            raise MissingExtra("--ray needs Ray: pip install 'sparring[scale]'") from None
        self._ray: Any = ray
        try:
            self._ray.init(address=address, ignore_reinit_error=True, log_to_driver=False)
        except (ConnectionError, ValueError, RuntimeError) as error:
            raise MissingExtra(f"no Ray at {address}: {error}") from None
        self._actor: Any = self._ray.remote(num_cpus=1)(_RayWorker)
        self._spawn = spawn
        self._actors = [self._actor.remote(spawn) for _ in range(size)]
        self._name = name

    def run(self, tasks: Iterator[T]) -> Iterator[R]:
        """Yields results in the order in which they are ready. A task is taken when a worker is free for it.

        Another actor takes the place and the task of one that is lost. Raises WorkerError if a worker raises
        an exception, and WorkerError if a task is lost with three actors.
        """
        idle = list(self._actors)
        busy: dict[Any, tuple[Any, T]] = {}
        losses: dict[str, int] = {}
        while True:
            while idle and (task := next(tasks, None)) is not None:
                actor = idle.pop()
                busy[actor.work.remote(task)] = actor, task
            if not busy:
                return
            done, _ = self._ray.wait(list(busy), num_returns=1)
            for reference in done:
                actor, task = busy.pop(reference)
                try:
                    result = self._result(reference, task)
                except self._ray.exceptions.RayActorError as error:
                    name = self._name(task)
                    losses[name] = losses.get(name, 0) + 1
                    if losses[name] >= _MAX_DEATHS:
                        message = str(error).splitlines()[0]
                        raise WorkerError(f"{name} was lost with {_MAX_DEATHS} actors ({message})") from None
                    self._actors.remove(actor)
                    self._actors.append(actor := self._actor.remote(self._spawn))
                    busy[actor.work.remote(task)] = actor, task
                    continue
                idle.append(actor)
                yield result

    def _result(self, reference: Any, task: T) -> R:
        errors = self._ray.exceptions
        try:
            result: R = self._ray.get(reference)
        except errors.RayTaskError as error:
            cause = error.cause
            failed = WorkerError(f"{self._name(task)}: {type(cause).__name__}: {cause}")
            failed.add_note(str(error))
            raise failed from None
        return result

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        # After an error, workers end what would outlive them; a lost actor cannot.
        ended = [(actor.close if kind is None else actor.terminate).remote() for actor in self._actors]
        self._ray.wait(ended, num_returns=len(ended), timeout=30)
        self._ray.shutdown()


class _RayWorker:
    def __init__(self, spawn: Callable[[], Worker[Any, Any]]) -> None:
        self._worker = spawn()

    def work(self, task: Any) -> Any:
        return self._worker.work(task)

    def close(self) -> None:
        self._worker.close()

    def terminate(self) -> None:
        self._worker.terminate()


def open_pool(
    spawn: Callable[[], Worker[T, R]], size: int, name: Callable[[T], str] = str, ray: str | None = None
) -> WorkerPool[T, R]:
    """Workers on the Ray cluster at the address `ray`, or on this machine; a single one in this process."""
    if ray is not None:
        return RayWorkerPool(spawn, size, ray, name)
    return SerialWorkerPool(spawn) if size == 1 else LocalWorkerPool(spawn, size, name)
