"""Games of a calibration in one process: a game that ends makes room for the next.

Engines think in threads while the networks evaluate the positions of all other games together. So a GPU gets
large batches, and the cores are left to the engines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from functools import partial
from itertools import islice
from types import TracebackType
from typing import Self

from sparring.calibration.lockstep_games import LockstepGame, Mover
from sparring.calibration.run import (
    CalibrationGame,
    CalibrationPlan,
    CalibrationWorker,
    GamesTask,
    engine_of,
)
from sparring.games import Move
from sparring.workers import LocalWorkerPool, TaskFailed, WorkerPool


def calibration_pool(
    plan: CalibrationPlan, *, concurrency: int, together: int, engines: int
) -> WorkerPool[GamesTask, list[CalibrationGame]]:
    """`concurrency` processes; with `engines`, RollingGames in this one."""
    if engines:
        return RollingGames(plan, together, engines)
    return LocalWorkerPool(
        partial(CalibrationWorker, plan), concurrency, lambda task: f"games of {task.player}"
    )


class RollingGames:
    """A pool of workers for `play_rounds`, in this process. Each game is a result of its own."""

    def __init__(self, plan: CalibrationPlan, together: int, engines: int) -> None:
        """
        Args:
            together: games at a time.
            engines: engines that think at a time.
        """
        self._worker, self._together, self._max_plies = CalibrationWorker(plan), together, plan.length_limit
        self._threads = ThreadPoolExecutor(engines, "engine")

    def run(self, tasks: Iterator[GamesTask]) -> Iterator[list[CalibrationGame]]:
        """Yields games as they end. A task is taken when there is room for its next game.

        Raises TaskFailed.
        """
        waiting = ((task.player, *game) for task in tasks for game in self._worker.games(task))
        names: dict[LockstepGame, tuple[str, str]] = {}
        thinking: dict[Future[list[Move]], LockstepGame] = {}
        ready: list[LockstepGame] = []
        try:
            while True:
                for player, anchor, game in islice(waiting, self._together - len(names)):
                    names[game] = player, anchor
                    ready.append(game)
                if not names:
                    return
                moved = self._move(ready, thinking)
                ready = [game for game in moved if not game.ended(self._max_plies)]
                for game in moved:
                    if game.ended(self._max_plies):
                        yield [self._worker.ended(*names.pop(game), game)]
        except Exception as error:
            raise TaskFailed(f"{type(error).__name__}: {error}") from error

    def _move(
        self, ready: Sequence[LockstepGame], thinking: dict[Future[list[Move]], LockstepGame]
    ) -> list[LockstepGame]:
        """Has our players move in their games and asks the engines in theirs; the games in which a move was
        played, at least one."""
        batches: dict[Mover, list[LockstepGame]] = {}
        for game in ready:
            if engine_of(game.mover) is None:
                batches.setdefault(game.mover, []).append(game)
            else:
                thinking[self._threads.submit(game.mover.choose, [game])] = game
        moved = []
        for mover, games in batches.items():
            for game, move in zip(games, mover.choose(games), strict=True):
                game.play(move)
                moved.append(game)
        finished = [each for each in thinking if each.done()]
        if not moved and not finished:
            finished = list(wait(thinking, return_when=FIRST_COMPLETED).done)
        for each in finished:
            game = thinking.pop(each)
            game.play(each.result()[0])
            moved.append(game)
        return moved

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self._worker.terminate()  # threads that wait for an engine end with it
        self._threads.shutdown(cancel_futures=True)
        self._worker.close()
