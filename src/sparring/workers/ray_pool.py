"""Workers on a Ray cluster: an actor each. Needs `sparring[scale]`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

from sparring.workers.local import Worker

T = TypeVar("T")
R = TypeVar("R")


class RayUnavailable(Exception):
    """Ray is not installed, or not where it was said to be."""


class RayWorkerPool(Generic[T, R]):
    """Workers on the machines of a cluster; what they need must be installed there. Raises RayUnavailable."""

    def __init__(self, spawn: Callable[[], Worker[T, R]], size: int, address: str) -> None:
        try:
            import ray
        except ImportError:
            raise RayUnavailable("--ray needs Ray: pip install 'sparring[scale]'") from None
        self._ray: Any = ray
        try:
            self._ray.init(address=address, ignore_reinit_error=True, log_to_driver=False)
        except (ConnectionError, ValueError, RuntimeError) as error:
            raise RayUnavailable(f"no Ray at {address}: {error}") from None
        actor: Any = self._ray.remote(num_cpus=1)(_RayWorker)
        self._actors = [actor.remote(spawn) for _ in range(size)]

    def run(self, tasks: Iterator[T]) -> Iterator[R]:
        """Results as they come; a task is taken only when somebody is free for it."""
        idle = list(self._actors)
        busy: dict[Any, Any] = {}
        while True:
            while idle and (task := next(tasks, None)) is not None:
                actor = idle.pop()
                busy[actor.work.remote(task)] = actor
            if not busy:
                return
            done, _ = self._ray.wait(list(busy), num_returns=1)
            for reference in done:
                idle.append(busy.pop(reference))
                yield self._ray.get(reference)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._ray.get([actor.close.remote() for actor in self._actors])
        self._ray.shutdown()


class _RayWorker:
    """A worker that is made where it works."""

    def __init__(self, spawn: Callable[[], Worker[Any, Any]]) -> None:
        self._worker = spawn()

    def work(self, task: Any) -> Any:
        return self._worker.work(task)

    def close(self) -> None:
        self._worker.close()
