"""Workers on a Ray cluster, an actor each. Needs `sparring[scale]`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any, Generic, Self

from sparring.workers.pool import R, T, TaskFailed, Worker, WorkerDied


class RayUnavailable(Exception):
    """Ray is not installed, or there is no cluster at the address."""


class RayWorkerPool(Generic[T, R]):
    """Actors of a Ray cluster. The machines need everything that the workers use.

    `spawn` makes a worker in its actor and must be picklable. `size` is the number of actors. `address` is
    that of the cluster, "auto" or "local". `name` names a task in errors. Raises RayUnavailable.
    """

    def __init__(
        self, spawn: Callable[[], Worker[T, R]], size: int, address: str, name: Callable[[T], str] = str
    ) -> None:
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
        self._name = name

    def run(self, tasks: Iterator[T]) -> Iterator[R]:
        """Yields results in the order in which they are ready. A task is taken when a worker is free for it.

        Raises TaskFailed if a worker raises an exception, and WorkerDied if an actor is lost.
        """
        idle = list(self._actors)
        busy: dict[Any, tuple[Any, T]] = {}
        while True:
            while idle and (task := next(tasks, None)) is not None:
                actor = idle.pop()
                busy[actor.work.remote(task)] = actor, task
            if not busy:
                return
            done, _ = self._ray.wait(list(busy), num_returns=1)
            for reference in done:
                actor, task = busy.pop(reference)
                idle.append(actor)
                yield self._result(reference, task)

    def _result(self, reference: Any, task: T) -> R:
        errors = self._ray.exceptions
        try:
            result: R = self._ray.get(reference)
        except errors.RayActorError as error:
            raise WorkerDied(f"{self._name(task)}: {str(error).splitlines()[0]}") from None
        except errors.RayTaskError as error:
            cause = error.cause
            failed = TaskFailed(f"{self._name(task)}: {type(cause).__name__}: {cause}")
            failed.add_note(str(error))
            raise failed from None
        return result

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # After an error, workers end what would outlive them; a lost actor cannot.
        ended = [(actor.close if kind is None else actor.terminate).remote() for actor in self._actors]
        self._ray.wait(ended, num_returns=len(ended), timeout=30)
        self._ray.shutdown()


class _RayWorker:
    """A worker in an actor."""

    def __init__(self, spawn: Callable[[], Worker[Any, Any]]) -> None:
        self._worker = spawn()

    def work(self, task: Any) -> Any:
        return self._worker.work(task)

    def close(self) -> None:
        self._worker.close()

    def terminate(self) -> None:
        self._worker.terminate()
