"""Positions for a network to learn from: an agent's games against itself, each with what its search thought.

Starts are as diverse as the report's. A game ends where an endgame table knows its result. Blocks of games
are kept as they are played, so that a run that was killed goes on with the next.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring._core import ExpendibotsNetwork, ExpendibotsState
from sparring.games import load_game
from sparring.search.expendibots.endgame_tables import shipped_tables
from sparring.search.linear_evaluation import LinearEvaluation
from sparring.search.random_opening import random_start
from sparring.storage import atomic_writer

BLOCK = 50
"""Games in a file."""
_RANDOM_PLIES = 32
_LONGEST = 200
_WIN = 100.0


@dataclass(frozen=True)
class PositionSet:
    """n positions, each seen by its side to move."""

    places: NDArray[np.int16]
    """[n, 24] of the stacks, filled up with `ExpendibotsNetwork.places`."""
    measured: NDArray[np.float32]
    """[n, 40]"""
    values: NDArray[np.float32]
    """[n], of the search: from -1 to 1."""
    outcomes: NDArray[np.float32]
    """[n], of the game: -1, 0 or 1."""
    passed: NDArray[np.float32]
    """[n], how much of its game was over: from 0 to 1."""

    def __len__(self) -> int:
        return len(self.values)


def generate_games(
    folder: Path,
    evaluation: LinearEvaluation,
    *,
    games: int,
    nodes: int,
    seed: int,
    network: ExpendibotsNetwork | None = None,
) -> Iterator[tuple[int, int]]:
    """Plays the games that the folder lacks; tells after each block how many games and positions it has."""
    folder.mkdir(parents=True, exist_ok=True)
    searcher: Any = evaluation.searcher(megabytes=4)
    searcher.set_endgame_tables(shipped_tables())
    if network is not None:
        searcher.set_network(network)
    positions = 0
    for first in range(0, games, BLOCK):
        path = folder / f"games-{first:06}.npz"
        if not path.exists():
            found = [
                _play(searcher, nodes, seed, number) for number in range(first, min(first + BLOCK, games))
            ]
            with atomic_writer(path) as part, part.open("wb") as file:
                np.savez_compressed(file, **vars(_joined(found)))
        with np.load(path) as block:
            positions += len(block["values"])
        yield min(first + BLOCK, games), positions


def read_positions(folders: Sequence[Path]) -> PositionSet:
    """All that was gathered there."""
    blocks = []
    for path in (each for folder in folders for each in sorted(folder.glob("games-*.npz"))):
        with np.load(path) as block:
            blocks.append(PositionSet(**{name: block[name] for name in PositionSet.__annotations__}))
    return _joined(blocks)


def _play(searcher: Any, nodes: int, seed: int, number: int) -> PositionSet:
    """Game `number`, which depends on its arguments alone."""
    rng = np.random.default_rng([seed, number])
    searcher.clear()
    state = random_start(load_game("expendibots"), searcher, _RANDOM_PLIES, rng)
    tables = shipped_tables()
    states: list[ExpendibotsState] = []
    values: list[float] = []
    while state.outcome is None and len(states) < _LONGEST and tables.probe(state) is None:
        found = searcher.analyse(state, nodes=nodes)
        states.append(state)
        values.append(found.value / _WIN)
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
    """For player 0: by the rules, by a table, or a draw where the game was given up."""
    if state.outcome is not None:
        return 0 if state.outcome.winner is None else 1 if state.outcome.winner == 0 else -1
    value = shipped_tables().probe(state) or 0
    sign = (value > 0) - (value < 0)
    return sign if state.to_move == 0 else -sign


def _joined(blocks: list[PositionSet]) -> PositionSet:
    names = PositionSet.__annotations__
    return PositionSet(**{name: np.concatenate([getattr(each, name) for each in blocks]) for name in names})
