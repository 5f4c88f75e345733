"""A run of Descent: rounds of games with the newest network, and learning from their states between them.

The trainer (`training.trainer`) makes the steps, checkpoints and the moving average of the weights. The task
plays a round of games whenever its batches need one. Files of the folder, beside those of the trainer:

- `games-000012.npz`: the positions of a round, as long as they are drawn from;
- `best.npz`: the network of the last finished round; `best.toml`: the player that has it.

Positions are drawn evenly from a window of rounds, so that each is drawn `reuse` times on average before it
leaves the window (the paper's smooth experience replay). A killed run resumes from the last finished round;
games of the round after it that are written are not played again. On a CPU the run ends with the same weights
as an uninterrupted one.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Generator, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import count
from pathlib import Path
from typing import ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from sparring.base.errors import BadConfig
from sparring.base.storage import atomic_write
from sparring.base.workers import WorkerPool, open_pool
from sparring.games import describe
from sparring.games.states import State
from sparring.search.value_network import GAMES_WITH_NETWORKS, network_file
from sparring.training.config import OptimizationConfig
from sparring.training.descent.games import (
    DescentGame,
    GamesConfig,
    GamesWorker,
    PlayedGames,
    RoundTask,
    TreePositions,
    read_positions,
    write_positions,
)
from sparring.training.task import StepLoss, Task, TaskBatch
from sparring.training.trainer import Trainer, TrainingProgress
from sparring.training.value_network import ValueNetwork

PLAYER, NETWORK = "best.toml", "best.npz"
_MEASURED = 8192
"""Positions of a round on which the network is measured before it learns from them."""
_PATIENCE, _LITTLE = 5, 0.02
"""Rounds after which the network should explain this part of the variance of the search's values."""


@dataclass(frozen=True)
class DescentRunConfig:
    """All options of a run. The same options give the same network. Raises BadConfig."""

    game: str
    """A game with a native value network."""
    rounds: int = 300
    """Rounds of games, each followed by learning."""
    games: int = 16
    """Games a round."""
    evaluations: int = 2000
    """Positions that the network evaluates for a move."""
    positions: int = 65_536
    """States of a round that are learned from, drawn evenly if there are more."""
    window: int = 16
    """Rounds that positions are drawn from."""
    reuse: float = 3.0
    """How often each position is drawn on average."""
    hidden: tuple[int, int] = (32, 16)
    """Units of the two hidden layers."""
    batch: int = 2048
    """Positions a step."""
    learning_rate: float = 2e-3
    """Initial learning rate of Adam; it falls along a cosine."""
    exploitation: float = 0.95
    """epsilon' of the ordinal law at the end of the run; it grows linearly from 0."""
    horizon: int = 200
    """Plies over which the score of a win falls from 1 to 1/2: wins are fast, losses slow."""
    max_plies: int = 200
    """Plies after which a game is stopped."""
    seed: int = 0

    def __post_init__(self) -> None:
        if self.game not in GAMES_WITH_NETWORKS:
            raise BadConfig(
                f"{self.game} has no native value network; games that have one: "
                f"{', '.join(GAMES_WITH_NETWORKS)}"
            )
        for name in ("rounds", "games", "evaluations", "window", "horizon", "max_plies"):
            if getattr(self, name) < 1:
                raise BadConfig(f"{name} = {getattr(self, name)}: expected an integer >= 1")
        if not 2 <= self.batch <= self.positions:
            raise BadConfig(f"batch = {self.batch}: expected 2 to positions ({self.positions})")
        for name in ("reuse", "learning_rate"):
            if not 0 < getattr(self, name) < float("inf"):
                raise BadConfig(f"{name} = {getattr(self, name)}: expected a number > 0")
        if not 0 <= self.exploitation <= 1:
            raise BadConfig(f"exploitation = {self.exploitation}: expected a number from 0 to 1")
        if self.seed < 0:
            raise BadConfig(f"seed = {self.seed}: expected an integer >= 0")

    @property
    def steps_a_round(self) -> int:
        """Optimiser steps after each round of games."""
        return max(1, round(self.reuse * self.positions / self.batch))

    @property
    def name(self) -> str:
        """Name of the network."""
        return f"descent-{self.game}"

    @property
    def training(self) -> OptimizationConfig:
        """Adam with a cosine schedule, and a moving average over about two rounds."""
        return OptimizationConfig(
            steps=self.rounds * self.steps_a_round,
            batch=self.batch,
            schedule="cosine",
            optimiser="adam",
            learning_rate=self.learning_rate,
            warmup=0.0,
            final_rate=0.05,
            ema_decay=1 - 0.5 / self.steps_a_round,
            max_grad_norm=1.0,
            seed=self.seed,
            validate_every=self.steps_a_round,
        )

    def as_dict(self) -> dict[str, object]:
        """Plain values for checkpoints."""
        return {**asdict(self), "hidden": list(self.hidden)}


@dataclass(frozen=True)
class Round:
    """A round of games, and how well the network knew its values before it learned from them."""

    number: int
    games: int
    """Games of the run so far."""
    wins: tuple[int, int]
    """Games of the round won by the first and by the second player."""
    plies: float
    """Mean length of a game, up to where its result was proven."""
    states: int
    """Expanded states of the trees."""
    resolved: float
    """Fraction of them whose result was proven."""
    evaluations: int
    error: float
    """Root mean square of the search's value minus the network's."""
    explained: float
    """Fraction of the variance of the search's values that the network explains; 0 if it knows nothing."""


@dataclass
class _Window:
    """The positions of the newest rounds."""

    rounds: list[int] = field(default_factory=list)
    positions: TreePositions | None = None


class DescentTask(Task):
    """The task `descent`."""

    name: ClassVar[str] = "descent"
    output: ClassVar[str] = "network.npz"
    config: DescentRunConfig

    def __init__(
        self,
        config: DescentRunConfig,
        folder: Path,
        pool: WorkerPool[RoundTask, PlayedGames],
        on_round: Callable[[Round], None] = lambda played: None,
        workers: int = 1,
        origin: dict[str, object] | None = None,
    ) -> None:
        """`pool` plays the games, in `workers` processes; `origin` is stored in the network's file."""
        self.config, self._folder, self._pool, self._on_round = config, folder, pool, on_round
        self._workers, self._origin = workers, origin or {}
        self._done = 0.0
        self._player: dict[str, NDArray[np.float32]] | None = None
        self._round: Round | None = None
        self._window = _Window()
        game = describe(config.game)
        start = game.rules().initial()
        cells = [start.transformed_cells(symmetry) for symmetry in range(start.symmetries)]
        planes = np.arange(game.network_class.places).reshape(-1, len(cells[0]))
        self._symmetric = np.array(
            [np.append(planes[:, image].ravel(), game.network_class.places) for image in cells]
        )
        """[symmetries, places + 1]: the image of each place; padding is fixed."""

    def make_model(self) -> nn.Module:
        """Returns a network with random weights. Numbers are standardised by random positions."""
        game = describe(self.config.game)
        rng = np.random.default_rng(self.config.seed)
        states: list[State] = []
        while len(states) < 2000:
            state = game.rules().initial()
            while state.outcome is None:
                states.append(state)
                moves = state.legal_moves()
                state = state.play(moves[int(rng.integers(len(moves)))])
        measured = game.network_class.inputs(states)[1]
        std = measured.std(0)
        scale = np.divide(1, std, out=np.zeros_like(std), where=std > 1e-3)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Initializing zero-element tensors")  # a game without numbers
            return ValueNetwork(
                self.config.hidden,
                game.network_class.places,
                torch.from_numpy(measured.mean(0)),
                torch.from_numpy(scale),
            )

    def open(self, model: nn.Module, device: torch.device, replica: tuple[int, int]) -> None:
        """Takes the model that plays the first round, unless a checkpoint has a later one."""
        if replica[1] > 1:
            raise BadConfig("Descent learns in one process; --workers sets the processes that play")
        assert isinstance(model, ValueNetwork)
        self._model = model
        if self._player is None:
            self._player = model.layers()

    def stage(self, done: float) -> int:
        """Always 0; notes how far the run is, for the ordinal law."""
        self._done = done
        return 0

    def batches(self, begin: int) -> Generator[TaskBatch]:
        """Yields positions of the newest rounds, each turned by a random symmetry. Plays a round when it is
        due."""
        for step in count(begin):
            positions = self._positions(step // self.config.steps_a_round)
            rng = np.random.default_rng([self.config.seed, 1, step])
            rows = rng.integers(len(positions), size=self.config.batch)
            symmetry = rng.integers(len(self._symmetric), size=(len(rows), 1))
            tensors = (
                torch.from_numpy(self._symmetric[symmetry, positions.places[rows]]),
                torch.from_numpy(positions.measured[rows]),
                torch.from_numpy(positions.values[rows]),
            )
            yield TaskBatch(tensors, step + 1)

    def example(self, begin: int) -> TaskBatch:
        """Returns the batch after a step."""
        return next(self.batches(begin))

    def loss(self, forward: Callable[..., Tensor], batch: TaskBatch) -> StepLoss:
        """Returns the mean squared error."""
        places, measured, values = batch.tensors
        loss: Tensor = ((forward(places, measured) - values) ** 2).mean()
        return StepLoss(loss, {})

    def validate(self, model: nn.Module, step: int) -> dict[str, object]:
        """Returns the `Round` that ends at a step, as plain values. The averaged network plays the next."""
        assert isinstance(model, ValueNetwork)
        self._player = model.layers()
        for old in self._folder.glob("games-*.npz"):
            if int(old.stem.partition("-")[2]) <= step // self.config.steps_a_round - self.config.window:
                with contextlib.suppress(OSError):
                    old.unlink()
        return {} if self._round is None else {**asdict(self._round), "wins": list(self._round.wins)}

    def score(self, metrics: dict[str, object]) -> float | None:
        """The newest network is the best: rounds are not held-out data."""
        number = metrics.get("number", 0)
        assert isinstance(number, int)
        return -float(number)

    def export(self, model: nn.Module, metrics: dict[str, object] | None, step: int) -> bytes:
        """Returns the file of the network."""
        assert isinstance(model, ValueNetwork)
        about = {**self._origin, "config": self.config.as_dict(), "step": step, "round": metrics}
        return network_file(model.layers(), about, self.config.game)

    def state(self) -> dict[str, dict[str, Tensor]]:
        """Returns the network that plays."""
        assert self._player is not None
        return {"player": {name: torch.from_numpy(layer) for name, layer in self._player.items()}}

    def load_state(self, state: dict[str, dict[str, Tensor]], model: nn.Module) -> None:
        """Loads the network that plays."""
        self._player = {name: layer.numpy() for name, layer in state["player"].items()}

    def _positions(self, number: int) -> TreePositions:
        """The positions of the rounds up to `number` that are in the window."""
        wanted = list(range(max(0, number - self.config.window + 1), number + 1))
        window = self._window
        if window.positions is None or window.rounds != wanted:
            newest = self._play_round(number)
            earlier = [read_positions(self._file(other))[0] for other in wanted[:-1]]
            self._window = _Window(wanted, TreePositions.join([*earlier, newest]))
        assert self._window.positions is not None
        return self._window.positions

    def _file(self, number: int) -> Path:
        return self._folder / f"games-{number:06}.npz"

    def _play_round(self, number: int) -> TreePositions:
        """Plays a round, or reads its file, and measures the network on its positions."""
        path, config = self._file(number), self.config
        if not path.exists():
            assert self._player is not None
            first = number * config.games
            numbers = np.array_split(np.arange(first, first + config.games), min(self._workers, config.games))
            exploitation = config.exploitation * min(1.0, self._done)
            tasks = [RoundTask(tuple(part.tolist()), self._player, exploitation) for part in numbers]
            played = sorted(self._pool.run(iter(tasks)), key=lambda part: part.summaries[0].number)
            positions = TreePositions.join([states for part in played for states in part.positions])
            if len(positions) > config.positions:
                rng = np.random.default_rng([config.seed, 2, number])
                positions = positions.take(rng.permutation(len(positions))[: config.positions])
            write_positions(path, positions, [game for part in played for game in part.summaries])
        positions, games = read_positions(path)
        self._round = self._measured(number, positions, games)
        self._on_round(self._round)
        return positions

    def _measured(self, number: int, positions: TreePositions, games: Sequence[DescentGame]) -> Round:
        values = positions.values[:_MEASURED]
        with torch.no_grad():
            places = torch.from_numpy(positions.places[:_MEASURED].astype(np.int64))
            known = self._model(places, torch.from_numpy(positions.measured[:_MEASURED])).numpy()
        error, states = float(((values - known) ** 2).mean()), sum(game.states for game in games)
        return Round(
            number,
            (number + 1) * self.config.games,
            (sum(game.winner == 0 for game in games), sum(game.winner == 1 for game in games)),
            float(np.mean([game.plies for game in games])),
            states,
            sum(game.resolved for game in games) / max(states, 1),
            sum(game.evaluations for game in games),
            error**0.5,
            1 - error / max(float(values.var()), 1e-9),
        )


def nothing_learned(played: Round) -> str:
    """A warning if the network knows next to nothing of the search's values after some rounds; else empty."""
    if played.number < _PATIENCE or played.explained > _LITTLE:
        return ""
    return (
        f"nothing is learned: after {played.number} rounds the network explains "
        f"{max(played.explained, 0):.0%} of the search's values; choose another --learning-rate, more "
        "--evaluations or more --games"
    )


def descent_pool(
    config: DescentRunConfig, workers: int = 1, ray: str | None = None
) -> WorkerPool[RoundTask, PlayedGames]:
    """Returns the pool that plays games: this process, local processes, or actors of a Ray cluster."""
    games = GamesConfig(config.game, config.evaluations, config.horizon, config.max_plies, config.seed)
    spawn = partial(GamesWorker, games)
    return open_pool(spawn, workers, lambda task: f"games {task.numbers[0]} to {task.numbers[-1]}", ray)


def train_descent(
    config: DescentRunConfig,
    folder: Path,
    pool: WorkerPool[RoundTask, PlayedGames],
    *,
    workers: int = 1,
    minutes: float = 0.0,
    origin: dict[str, object] | None = None,
    on_round: Callable[[Round], None] = lambda played: None,
    on_progress: Callable[[TrainingProgress], None] = lambda progress: None,
    on_start: Callable[[Trainer], None] = lambda run: None,
) -> bool:
    """Starts a run in a folder, or resumes the one there. Returns whether it came to its end.

    `minutes` ends the run after a time instead of the configuration's rounds. `on_start` receives the
    trainer, whose `stop` ends the run with a checkpoint. Raises TrainingDiverged, BadConfig or OSError.
    """
    torch.set_num_threads(1)  # more threads only add overhead for so small a network
    folder.mkdir(parents=True, exist_ok=True)
    task = DescentTask(config, folder, pool, on_round, workers, origin)
    run = Trainer(task, folder, device="cpu", seconds=60 * minutes)
    write_player(config, folder)
    on_start(run)
    return run.train(on_progress)


def write_player(config: DescentRunConfig, folder: Path) -> None:
    """Writes the file of the player that has the run's newest network."""
    lines = (
        f"# `sparring play {config.game} --player` opens this file.",
        f'game = "{config.game}"',
        f'value_network = "{NETWORK}"',
        "seconds = 1.0",
    )
    atomic_write(folder / PLAYER, "\n".join(lines) + "\n")
