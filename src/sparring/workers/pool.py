"""Pools of workers: the protocols, the errors, and a pool of one worker in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Generic, Protocol, Self, TypeVar

T = TypeVar("T")
R = TypeVar("R")
T_contra = TypeVar("T_contra", contravariant=True)
R_co = TypeVar("R_co", covariant=True)


class WorkerError(Exception):
    """A task that a pool could not do; the message names the task."""


class WorkerDied(WorkerError):
    """The process of a worker ended during a task, several times in a row."""


class TaskFailed(WorkerError):
    """A worker raised an exception. The message has its type and text, the notes its traceback."""


class Worker(Protocol[T_contra, R_co]):
    """Does one task after the other, in a process of its own."""

    def work(self, task: T_contra, /) -> R_co:
        """Returns the result of a task."""
        ...

    def close(self) -> None:
        """Called after the last task."""
        ...

    def terminate(self) -> None:
        """Called before the process exits at once: ends child processes that would outlive it, such as an
        engine."""
        ...


class WorkerPool(Protocol[T_contra, R_co]):
    """A context manager that has several workers do tasks."""

    def run(self, tasks: Iterator[T_contra]) -> Iterator[R_co]:
        """Yields results in the order in which they are ready. A task is taken when a worker is free for it.

        Raises WorkerError.
        """
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class SerialWorkerPool(Generic[T, R]):
    """One worker in this process. Exceptions of the worker are not wrapped.

    `spawn` makes the worker.
    """

    def __init__(self, spawn: Callable[[], Worker[T, R]]) -> None:
        self._worker = spawn()

    def run(self, tasks: Iterator[T]) -> Iterator[R]:
        """Yields results in the order of the tasks."""
        return map(self._worker.work, tasks)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._worker.close()
        else:
            self._worker.terminate()
