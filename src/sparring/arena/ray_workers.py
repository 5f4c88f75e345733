"""Games played on a Ray cluster: one actor a table. Needs `sparring[scale]`."""

from __future__ import annotations

from collections.abc import Iterator
from types import TracebackType
from typing import Any

from sparring.arena.results import Result
from sparring.arena.tournament import BadTournament, Tournament
from sparring.arena.workers import Table, Task
from sparring.records import GameRecord


class RayWorkers:
    """Tables on the machines of a cluster; engines must be installed there."""

    def __init__(self, tournament: Tournament, concurrency: int, address: str) -> None:
        try:
            import ray
        except ImportError:
            raise BadTournament("--ray needs Ray: pip install 'sparring[scale]'") from None
        self._ray: Any = ray
        try:
            self._ray.init(address=address, ignore_reinit_error=True, log_to_driver=False)
        except (ConnectionError, ValueError, RuntimeError) as error:
            raise BadTournament(f"no Ray at {address}: {error}") from None
        actor: Any = self._ray.remote(num_cpus=1)(Table)
        self._tables = [actor.remote(tournament) for _ in range(concurrency)]

    def play(self, tasks: Iterator[Task]) -> Iterator[tuple[Result, GameRecord | None]]:
        """The games as they end."""
        idle = list(self._tables)
        busy: dict[Any, Any] = {}
        while True:
            while idle and (task := next(tasks, None)) is not None:
                table = idle.pop()
                busy[table.play.remote(task)] = table
            if not busy:
                return
            done, _ = self._ray.wait(list(busy), num_returns=1)
            for reference in done:
                idle.append(busy.pop(reference))
                yield self._ray.get(reference)

    def __enter__(self) -> RayWorkers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._ray.get([table.close.remote() for table in self._tables])
        self._ray.shutdown()
