"""Games of Descent with itself, and the states of their search trees as training positions.

Cohen-Solal 2020, "Learning to play two-player perfect-information games without knowledge":

- a tree is searched by Descent (core/search/minimax_tree.hpp) and kept through the game;
- moves are drawn by the ordinal law, which knows the order of the moves only;
- at the end all expanded states of the tree are targets, each with its minimax value. Other leaves have the
  value of the network itself and would teach nothing; finished states are never evaluated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sparring.base.errors import BadFile
from sparring.base.storage import atomic_writer, read_npz
from sparring.base.workers import Worker
from sparring.games import describe
from sparring.search.value_network import NativeNetwork, make_network


@dataclass(frozen=True)
class TreePositions:
    """n states of search trees, each from the view of its side to move."""

    places: NDArray[np.int16]
    """[n, most]: indices of the one-hot inputs of the network, padded."""
    measured: NDArray[np.float32]
    """[n, numbers]: the other inputs."""
    values: NDArray[np.float32]
    """[n]: minimax values, from -1 to 1."""

    def __len__(self) -> int:
        return len(self.values)

    def take(self, rows: NDArray[np.int64]) -> TreePositions:
        """The positions with these indices."""
        return TreePositions(self.places[rows], self.measured[rows], self.values[rows])

    @classmethod
    def join(cls, parts: Sequence[TreePositions]) -> TreePositions:
        """The positions of all parts, in their order."""
        names = cls.__dataclass_fields__
        return cls(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in names})


@dataclass(frozen=True)
class DescentGame:
    """What happened in a game."""

    number: int
    """Index in the run, from 0."""
    winner: int | None
    """0 or 1; None for a draw or a stopped game."""
    plies: int
    evaluations: int
    """Positions that the network evaluated."""
    states: int
    """Expanded states of its tree."""
    resolved: int
    """Those whose result was proven."""


@dataclass(frozen=True)
class RoundTask:
    """Games to be played with a network."""

    numbers: tuple[int, ...]
    """Indices of the games in the run."""
    layers: Mapping[str, NDArray[np.float32]]
    """Layers of the network, see `search.value_network`."""
    exploitation: float
    """The paper's epsilon': 0 draws moves uniformly, 1 plays the best."""


@dataclass(frozen=True)
class PlayedGames:
    """Games of a `RoundTask`, with the states of their trees."""

    summaries: tuple[DescentGame, ...]
    positions: tuple[TreePositions, ...]
    """Of each game."""


@dataclass(frozen=True)
class GamesConfig:
    """How games are played. The same configuration, task and network give the same games."""

    game: str
    evaluations: int
    """Positions that the network evaluates for a move."""
    horizon: int
    """Plies over which the score of a win falls from 1 to 1/2."""
    max_plies: int
    """Plies after which a game is stopped."""
    seed: int


def ordinal_probabilities(moves: int, exploitation: float) -> NDArray[np.float64]:
    """Probabilities [moves] of the moves from the best to the worst, by the ordinal law.

    P(i) = (epsilon' + (1 - epsilon') / (n - i)) (1 - sum_(j < i) P(j)) with the exploitation epsilon':
    uniform for 0, always the best for 1.
    """
    chances = exploitation + (1 - exploitation) / (moves - np.arange(moves))
    left = np.concatenate([[1.0], np.cumprod(1 - chances[:-1])])
    return np.asarray(chances * left)


def play_game(
    config: GamesConfig, network: NativeNetwork, number: int, exploitation: float
) -> tuple[DescentGame, TreePositions]:
    """Plays game `number` of a run with a native network. The result depends on the arguments alone.

    The game ends early when its result is proven.
    """
    game = describe(config.game)
    rng = np.random.default_rng([config.seed, number])
    start = game.rules().initial()
    forest = game.minimax_forest_class([start], descend=True, horizon=config.horizon)
    root, evaluations = start, 0
    while root.ply < config.max_plies:
        forest.search(network, config.evaluations)
        evaluations += int(forest.evaluations[0])
        if forest.value(0)[2]:
            break
        moves, values, _, completions, _ = forest.root_moves(0)
        best_first = np.lexsort((-values, -completions))
        law = ordinal_probabilities(len(moves), exploitation)
        forest.advance(0, int(moves[best_first[rng.choice(len(moves), p=law)]]))
        root = forest.root(0)
    completion = forest.value(0)[1]
    winner = None if completion == 0 else root.to_move if completion > 0 else 1 - root.to_move
    states, values, resolved = forest.targets(0)
    places, measured = game.network_class.batch_inputs(states)
    summary = DescentGame(number, winner, root.ply, evaluations, len(values), int(resolved.sum()))
    return summary, TreePositions(places.astype(np.int16), measured, values)


class GamesWorker(Worker[RoundTask, PlayedGames]):
    """Plays the games of a run."""

    def __init__(self, config: GamesConfig) -> None:
        self._config = config

    def work(self, task: RoundTask) -> PlayedGames:
        """Plays the games of a task."""
        network = make_network(self._config.game, task.layers)
        played = [play_game(self._config, network, number, task.exploitation) for number in task.numbers]
        return PlayedGames(tuple(summary for summary, _ in played), tuple(states for _, states in played))


# Files of positions: one for the games of a round.


def write_positions(path: Path, positions: TreePositions, summaries: Sequence[DescentGame]) -> None:
    """Writes the positions of a round, atomically."""
    games = [vars(game) | {"winner": -1 if game.winner is None else game.winner} for game in summaries]
    columns = {
        f"games_{name}": np.array([game[name] for game in games]) for name in DescentGame.__dataclass_fields__
    }
    with atomic_writer(path) as part, part.open("wb") as file:
        np.savez(file, **vars(positions), **columns)  # type: ignore[arg-type]


def read_positions(path: Path) -> tuple[TreePositions, list[DescentGame]]:
    """Reads a file of `write_positions`. Raises BadFile or OSError."""
    arrays = read_npz(path, 1 << 31)
    try:
        positions = TreePositions(**{name: arrays[name] for name in TreePositions.__dataclass_fields__})
        columns = [arrays[f"games_{name}"].tolist() for name in DescentGame.__dataclass_fields__]
    except KeyError as error:
        raise BadFile(f"{path} has no positions of search trees: {error} is missing") from None
    rows = [DescentGame(*row) for row in zip(*columns, strict=True)]
    return positions, [
        DescentGame(**{**vars(row), "winner": None if row.winner == -1 else row.winner}) for row in rows
    ]
