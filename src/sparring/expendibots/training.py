"""Value network of Expendibots and its training on self-play positions.

In the report the network collapsed to 0. Two measures prevent that: a draw is slightly bad for
both sides, and later positions of a game may have larger weights.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import chain, count
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from sparring._core import ExpendibotsNetwork, ExpendibotsSearch, ExpendibotsState
from sparring.base.storage import atomic_write, atomic_writer
from sparring.base.workers import Worker, open_pool
from sparring.expendibots.agent import open_network
from sparring.expendibots.tables import shipped_tables
from sparring.games import load_game
from sparring.search.linear_evaluation import WIN_VALUE, LinearEvaluation, random_start
from sparring.search.value_network import network_file
from sparring.training.config import OptimizationConfig
from sparring.training.task import StepLoss, Task, TaskBatch
from sparring.training.trainer import Trainer, TrainingProgress, read_metrics
from sparring.training.value_network import ValueNetwork

# Self-play positions for the value network, with the values of the search and the outcomes of the games.
#
# Games start from the report's random openings and end where an endgame table has the result. Blocks of games
# are written as they are finished, so that an interrupted run resumes with the next block.

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
    finished = [block for block in blocks if block not in missing]
    played = positions = 0
    spawn = partial(_BlockWorker, folder, evaluation, network, nodes, seed)
    with open_pool(spawn, workers, lambda block: f"games {block[0]} to {block[1]}") as pool:
        for block in chain(finished, pool.run(iter(missing))):
            with np.load(_block_file(folder, block)) as arrays:
                played, positions = played + block[1] - block[0], positions + len(arrays["values"])
            yield played, positions


class _BlockWorker(Worker[_Block, _Block]):
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
        position_sets = [_play(self._searcher, self._nodes, self._seed, number) for number in range(*block)]
        with atomic_writer(_block_file(self._folder, block)) as part, part.open("wb") as file:
            np.savez_compressed(file, **vars(_concatenate(position_sets)))
        return block


def _block_file(folder: Path, block: _Block) -> Path:
    return folder / f"games-{block[0]:06}.npz"


def read_positions(folders: Sequence[Path]) -> PositionSet:
    """Reads the positions of all blocks in the folders."""
    blocks = []
    for path in (file for folder in folders for file in sorted(folder.glob("games-*.npz"))):
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
        analysis = searcher.analyse(state, nodes=nodes)
        states.append(state)
        values.append(analysis.value / WIN_VALUE)
        state = state.play(analysis.moves[0][0])
    outcome = _result(state)
    movers = np.array([position.to_move for position in states], int)
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
    return PositionSet(**{name: np.concatenate([getattr(block, name) for block in blocks]) for name in names})


_SYMMETRIES = 8


@dataclass(frozen=True)
class ValueNetworkConfig:
    """Hyperparameters of the training."""

    hidden: tuple[int, int] = (32, 16)
    """Units of the two hidden layers."""
    epochs: int = 12
    batch: int = 1024
    rate: float = 2e-3
    """Initial learning rate of Adam; it falls to 0 along a cosine."""
    outcome_weight: float = 0.3
    """Weight of the game's outcome in the target; the rest is the value of the search."""
    draw_value: float = -0.1
    """Target of a drawn game for both sides."""
    late_weight: float = 0.0
    """Additional weight of the last position of a game; it grows linearly from 0 at the first."""
    validation_share: float = 0.05
    """Fraction of the positions held out for validation: the last ones, so that games stay whole."""
    seed: int = 0


@dataclass(frozen=True)
class Epoch:
    """Weighted mean squared errors of an epoch."""

    number: int
    loss: float
    validation_loss: float
    std: float
    """Standard deviation of the outputs on held-out positions; near 0 the network has collapsed."""


@dataclass(frozen=True)
class _RunConfig:
    name: str
    recipe: ValueNetworkConfig
    positions: int
    training: OptimizationConfig

    def as_dict(self) -> dict[str, object]:
        """Plain values for checkpoints."""
        return asdict(self)


class ValueTask(Task):
    """The task `expendibots`: training of a value network on self-play positions."""

    name: ClassVar[str] = "expendibots"
    output: ClassVar[str] = "network.npz"

    def __init__(self, recipe: ValueNetworkConfig, positions: PositionSet) -> None:
        self._recipe, self._positions = recipe, positions
        self._size = int(len(positions) * (1 - recipe.validation_share))
        self.batches_an_epoch = -(-self._size // recipe.batch)
        training = OptimizationConfig(
            steps=recipe.epochs * self.batches_an_epoch,
            batch=recipe.batch,
            schedule="cosine",
            optimiser="adam",
            learning_rate=recipe.rate,
            warmup=0.0,
            final_rate=0.0,
            max_grad_norm=0.0,
            seed=recipe.seed,
            validate_every=self.batches_an_epoch,
        )
        self.config = _RunConfig("expendibots", recipe, len(positions), training)
        self._targets, self._weights = _targets(positions, recipe)
        self._loss = [0.0, 0]
        """Sum of the losses of positions since the last validation, and their number."""

    def make_model(self) -> nn.Module:
        """Returns a network with random weights that standardises features as in the training positions."""
        measured = self._positions.measured[: self._size]
        std = measured.std(0)
        scale = np.divide(1, std, out=np.zeros_like(std), where=std > 1e-3)
        return ValueNetwork(
            self._recipe.hidden, ExpendibotsNetwork.places, _tensor(measured.mean(0)), _tensor(scale)
        )

    def batches(self, begin: Any) -> Generator[TaskBatch]:
        """Yields the positions in a new order in each epoch, each turned by a random symmetry."""
        rng, turned, positions = np.random.default_rng(self._recipe.seed), symmetric_places(), self._positions
        for epoch in count():
            order = rng.permutation(self._size)
            for number in range(self.batches_an_epoch):
                step = epoch * self.batches_an_epoch + number
                chosen = order[number * self._recipe.batch :][: self._recipe.batch]
                symmetry = rng.integers(_SYMMETRIES, size=(len(chosen), 1))
                if step < begin:
                    continue
                tensors = (
                    torch.from_numpy(turned[symmetry, positions.places[chosen]]),
                    torch.from_numpy(positions.measured[chosen]),
                    _tensor(self._weights[chosen]),
                    _tensor(self._targets[chosen]),
                )
                yield TaskBatch(tensors, step + 1)

    def example(self, begin: Any) -> TaskBatch:
        """Returns the batch after a step."""
        return next(self.batches(begin))

    def loss(self, forward: Callable[..., Any], batch: TaskBatch) -> StepLoss:
        """Returns the weighted mean squared error."""
        places, measured, weights, targets = batch.tensors
        loss = (weights * (forward(places, measured) - targets) ** 2).mean()
        self._loss[0] += loss.item() * len(places)
        self._loss[1] += len(places)
        return StepLoss(loss, {})

    def validate(self, model: nn.Module, step: int) -> dict[str, object]:
        """Returns the `Epoch` that ends at a step, as plain values."""
        begin, positions = self._size, self._positions
        places = torch.from_numpy(positions.places[begin:].astype(np.int64))
        values = model(places, torch.from_numpy(positions.measured[begin:])).numpy()
        errors = self._weights[begin:] * (values - self._targets[begin:]) ** 2
        loss, self._loss = self._loss[0] / max(self._loss[1], 1), [0.0, 0]
        number = step // self.batches_an_epoch
        return asdict(Epoch(number, loss, float(errors.mean()), float(values.std())))

    def export(self, model: nn.Module, metrics: dict[str, Any] | None, step: int) -> bytes:
        """Returns the file of the network."""
        assert isinstance(model, ValueNetwork)
        return network_file(model.layers(), {"recipe": asdict(self._recipe), "step": step})


def train(
    positions: PositionSet,
    recipe: ValueNetworkConfig,
    folder: Path,
    learned: Callable[[Epoch], None] = lambda epoch: None,
) -> ValueNetwork:
    """Trains a network in the folder of a run, which is resumed. `learned` is called after each epoch.

    Raises TrainingDiverged or OSError.
    """
    torch.set_num_threads(1)  # more threads only add overhead for so small a network
    run = Trainer(ValueTask(recipe, positions), folder, device="cpu")
    last = run.metrics

    def report(progress: TrainingProgress) -> None:
        nonlocal last
        if progress.validation is not None and progress.validation is not last:
            last = progress.validation
            learned(Epoch(**last))

    run.train(report)
    assert isinstance(run.model, ValueNetwork)
    return run.model


def symmetric_places() -> NDArray[np.int64]:
    """Returns [8, places + 1]: the image of each stack index under each symmetry; padding is fixed."""
    squares = np.arange(64).reshape(8, 8)
    images = [np.rot90(board, turns) for board in (squares, squares.T) for turns in range(4)]
    planes = np.arange(ExpendibotsNetwork.places).reshape(-1, 64)
    return np.array(
        [np.append(planes[:, image.reshape(64)].reshape(-1), ExpendibotsNetwork.places) for image in images]
    )


def _targets(
    positions: PositionSet, config: ValueNetworkConfig
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    outcomes = np.where(positions.outcomes == 0, config.draw_value, positions.outcomes)
    targets = (1 - config.outcome_weight) * positions.values + config.outcome_weight * outcomes
    weights = 1 + config.late_weight * positions.passed
    return targets.astype(np.float32), (weights / weights.mean()).astype(np.float32)


def _tensor(array: NDArray[np.floating]) -> Tensor:
    return torch.from_numpy(np.asarray(array, np.float32))


def train_value_network(
    folder: Path,
    evaluation: LinearEvaluation,
    config: ValueNetworkConfig,
    *,
    generations: int,
    games: int,
    nodes: int,
    origin: dict[str, Any],
    played: Callable[[int, int, int], None],
    learned: Callable[[int, Epoch], None],
    workers: int = 1,
) -> Path:
    """Trains `generations` networks in a folder and returns the file of the last one.

    Games and networks that the folder already has are kept, so that an interrupted run resumes. The first
    generation plays with `evaluation`, the others with the network before them, `nodes` per move, in
    `workers` processes. `played` is called with generation, games and positions; `learned` with generation
    and epoch. `origin` is stored in the files.
    """
    network: Path | None = None
    for generation in range(generations):
        path = folder / f"network-{generation}.npz"
        if not path.exists():
            generated = generate_games(
                folder / f"games-{generation}",
                evaluation,
                games=games,
                nodes=nodes,
                seed=config.seed + generation,
                network=network,
                workers=workers,
            )
            for number, count in generated:
                played(generation, number, count)
            positions = read_positions([folder / f"games-{earlier}" for earlier in range(generation + 1)])
            run = folder / f"training-{generation}"
            trained = train(positions, config, run, partial(learned, generation))
            epochs = [{name: entry[name] for name in Epoch.__annotations__} for entry in read_metrics(run)]
            about = {**origin, "generation": generation, "positions": len(positions), "epochs": epochs}
            atomic_write(path, network_file(trained.layers(), about))
        network = path
    assert network is not None  # there is at least one generation
    return network
