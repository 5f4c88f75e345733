"""Self-play positions for the value network, with the values of the search and the outcomes of the games.

Games start from the report's random openings and end where an endgame table has the result. Blocks of games
are written as they are finished, so that an interrupted run resumes with the next block.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sparring._core import ExpendibotsNetwork, ExpendibotsSearch, ExpendibotsState
from sparring.games import load_game
from sparring.search.expendibots.endgame_tables import shipped_tables
from sparring.search.expendibots.value_network_files import open_network
from sparring.search.linear_evaluation import WIN_VALUE, LinearEvaluation
from sparring.search.random_opening import random_start
from sparring.storage import atomic_writer
from sparring.workers import LocalWorkerPool, SerialWorkerPool, WorkerPool

BLOCK = 50
"""Games per file."""
_Block: TypeAlias = tuple[int, int]
"""The numbers of a file's games: the first, and the one after the last."""
_RANDOM_PLIES = 32
_MAX_PLIES = 200


@dataclass(frozen=True)
class PositionSet:
    """n positions from the view of the side to move."""

    places: NDArray[np.int16]
    """[n, 24]: indices of the stacks, padded with `ExpendibotsNetwork.places`."""
    measured: NDArray[np.float32]
    """[n, 40]: features."""
    values: NDArray[np.float32]
    """[n]: values of the search, from -1 to 1."""
    outcomes: NDArray[np.float32]
    """[n]: outcomes of the game, -1, 0 or 1."""
    passed: NDArray[np.float32]
    """[n]: fraction of the game that was over, from 0 to 1."""

    def __len__(self) -> int:
        return len(self.values)


def generate_games(
    folder: Path,
    evaluation: LinearEvaluation,
    *,
    games: int,
    nodes: int,
    seed: int,
    network: Path | None = None,
    workers: int = 1,
) -> Iterator[tuple[int, int]]:
    """Plays the games that the folder does not have yet, `nodes` per move, in `workers` processes.

    `network` is the file of a value network that replaces the evaluation. The games do not depend on the
    number of workers. Yields the numbers of games and positions after each block. Raises WorkerError.
    """
    folder.mkdir(parents=True, exist_ok=True)
    blocks = [(first, min(first + BLOCK, games)) for first in range(0, games, BLOCK)]
    missing = [block for block in blocks if not _block_file(folder, block).exists()]
    played = positions = 0
    for block in blocks:
        if block not in missing:
            played, positions = played + block[1] - block[0], positions + _count(folder, block)
            yield played, positions
    if not missing:
        return
    spawn = partial(_BlockWorker, folder, evaluation, network, nodes, seed)
    pool: WorkerPool[_Block, _Block] = (
        SerialWorkerPool(spawn)
        if workers == 1
        else LocalWorkerPool[_Block, _Block](spawn, workers, lambda block: f"games {block[0]} to {block[1]}")
    )
    with pool:
        for block in pool.run(iter(missing)):
            played, positions = played + block[1] - block[0], positions + _count(folder, block)
            yield played, positions


class _BlockWorker:
    """Plays blocks of games and writes their files."""

    def __init__(
        self, folder: Path, evaluation: LinearEvaluation, network: Path | None, nodes: int, seed: int
    ) -> None:
        self._folder, self._nodes, self._seed = folder, nodes, seed
        self._searcher = ExpendibotsSearch(evaluation.weights, 4)
        self._searcher.set_endgame_tables(shipped_tables())
        if network is not None:
            self._searcher.set_network(open_network(network))

    def work(self, block: _Block) -> _Block:
        """Plays a block and returns it."""
        found = [_play(self._searcher, self._nodes, self._seed, number) for number in range(*block)]
        with atomic_writer(_block_file(self._folder, block)) as part, part.open("wb") as file:
            np.savez_compressed(file, **vars(_concatenate(found)))
        return block

    def close(self) -> None:
        """Does nothing: the worker holds no external resources."""

    def terminate(self) -> None:
        """Does nothing: the worker holds no external resources."""


def _block_file(folder: Path, block: _Block) -> Path:
    return folder / f"games-{block[0]:06}.npz"


def _count(folder: Path, block: _Block) -> int:
    with np.load(_block_file(folder, block)) as arrays:
        return len(arrays["values"])


def read_positions(folders: Sequence[Path]) -> PositionSet:
    """Reads the positions of all blocks in the folders."""
    blocks = []
    for path in (each for folder in folders for each in sorted(folder.glob("games-*.npz"))):
        with np.load(path) as block:
            blocks.append(PositionSet(**{name: block[name] for name in PositionSet.__annotations__}))
    return _concatenate(blocks)


def _play(searcher: ExpendibotsSearch, nodes: int, seed: int, number: int) -> PositionSet:
    """Plays game `number`; the result depends on the arguments alone."""
    rng = np.random.default_rng([seed, number])
    searcher.clear()
    state = random_start(load_game("expendibots"), searcher, _RANDOM_PLIES, rng)
    tables = shipped_tables()
    states: list[ExpendibotsState] = []
    values: list[float] = []
    while state.outcome is None and len(states) < _MAX_PLIES and tables.probe(state) is None:
        found = searcher.analyse(state, nodes=nodes)
        states.append(state)
        values.append(found.value / WIN_VALUE)
        state = state.play(found.moves[0][0])
    outcome = _result(state)
    movers = np.array([each.to_move for each in states], int)
    places, measured = ExpendibotsNetwork.inputs(states)
    return PositionSet(
        places.astype(np.int16),
        measured,
        np.array(values, np.float32),
        np.where(movers == 0, outcome, -outcome).astype(np.float32),
        (np.arange(len(states)) / max(len(states), 1)).astype(np.float32),
    )


def _result(state: Any) -> int:
    """Returns the result for player 0: of the rules, of a table, or a draw if the game was stopped."""
    if state.outcome is not None:
        return 0 if state.outcome.winner is None else 1 if state.outcome.winner == 0 else -1
    value = shipped_tables().probe(state) or 0
    sign = (value > 0) - (value < 0)
    return sign if state.to_move == 0 else -sign


def _concatenate(blocks: list[PositionSet]) -> PositionSet:
    names = PositionSet.__annotations__
    return PositionSet(**{name: np.concatenate([getattr(each, name) for each in blocks]) for name in names})
