"""A stand-in for a Ray cluster: workers, tasks and results are pickled, as on the way to another machine.

`test_workers.py` and `tests/arena/test_run_tournament.py` use a real cluster.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

from sparring.base.workers import SerialWorkerPool


class PickledPool(SerialWorkerPool[Any, Any]):
    """Does all tasks in this process, with the arguments of a `RayWorkerPool`."""

    made: ClassVar[list[tuple[int, str]]] = []
    """The size and the address of every pool; a test empties it."""

    def __init__(
        self, spawn: Callable[[], Any], size: int, address: str, name: Callable[[Any], str] = str
    ) -> None:
        super().__init__(pickle.loads(pickle.dumps(spawn)))
        self.made.append((size, address))

    def run(self, tasks: Iterator[Any]) -> Iterator[Any]:
        for result in super().run(pickle.loads(pickle.dumps(task)) for task in tasks):
            yield pickle.loads(pickle.dumps(result))
