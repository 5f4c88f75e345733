"""Trains a style network: the features with which a few games of a person predict their later moves best.

Each step draws people. Their vector is fitted to some of their games by two steps of Newton's method from
zero, with a standard normal prior, and the loss is the likelihood of moves of their later games. The gradient
goes through the fit (a differentiable closed-form solver, Bertinetto et al. 2019): features that would
overfit are punished, and the scale of the prior is learned with them."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import asdict, dataclass
from itertools import count, pairwise
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor, nn

from sparring.games import load_game
from sparring.networks.style import StyleNetwork
from sparring.training.config import OptimizationConfig
from sparring.training.task import StepLoss, Task, TaskBatch
from sparring.training.trainer import Trainer, TrainingProgress, read_metrics
from studies.person.trunk_features import DevicePositions, TrunkReader, squares_of_labels

_LEAST_POSITIONS = 12
"""Positions of a person who can be drawn: enough for a fit and a loss."""
_CHECKED = 10
"""One person in so many validates."""
_CHECK_EVERY = 200
"""Steps between validations."""
_USUAL_STEPS = 2000
"""First guess of the number of steps, if the time is limited."""


@dataclass(frozen=True)
class StyleOptions:
    """Size and training of a style network."""

    hidden: int = 128
    dimensions: int = 32
    seconds: float = 90.0
    steps: int | None = None
    """Steps of the training, in place of a time."""
    people: int = 24
    """People of a step."""
    support: int = 640
    """Most positions to which a vector is fitted."""
    query: int = 128
    """Positions of the loss, later than these."""
    rate: float = 2e-3
    weight_decay: float = 0.02
    dropout: float = 0.3
    """Of the hidden layer."""
    seed: int = 0


class StyleModel(nn.Module):
    """The style network in PyTorch. The first feature is the network's log-probability: the person's
    sharpness."""

    def __init__(self, channels: int, head: str, options: StyleOptions, device: torch.device) -> None:
        super().__init__()
        d, h = options.dimensions, options.hidden
        self.head = head
        self.shift = nn.Parameter(torch.zeros(channels), requires_grad=False)
        self.scale = nn.Parameter(torch.ones(channels), requires_grad=False)
        self.hidden = nn.Linear(channels, h)
        self.dropout = nn.Dropout(options.dropout)
        self.output = nn.Linear(h, 4 * d if head == "from-to" else d, bias=False)
        self.passing = nn.Linear(channels, d, bias=False)
        self.sharpness = nn.Parameter(torch.tensor(0.1))
        deviation = 0.1 / h**0.5
        nn.init.normal_(self.output.weight, 0, deviation)
        if head == "from-to":
            nn.init.normal_(self.output.weight.data[: 2 * d], 0, 4 * deviation)
        nn.init.normal_(self.passing.weight, 0, 0.1 / channels**0.5)
        if head == "from-to":
            self.squares = squares_of_labels(device)

    def forward(self, at: DevicePositions, rows: Tensor) -> Tensor:
        """The features [rows, candidates, 1 + d]; 0 where there is no candidate."""
        cells = (at.cells[rows].float() - self.shift) * self.scale
        labels = at.labels[rows].long()
        found = self.output(self.dropout(torch.relu(self.hidden(cells))))
        if self.head == "from-to":
            start, end = (square[labels.clamp(min=0)] for square in self.squares)
            q, k, f, t = found.chunk(4, dim=2)
            found = _take(q, start) * _take(k, end) + _take(f, start) + _take(t, end)
        else:
            mean = at.mean[rows].float() * self.scale
            found = torch.where((labels == 361)[:, :, None], self.passing(mean)[:, None], found)
        logs = at.logs[rows].float().clamp(min=-12)
        found = torch.cat([logs[:, :, None] * self.sharpness, found], dim=2)
        return found * (labels >= 0)[:, :, None]

    def export(self, game: str, probe: np.ndarray[Any, Any]) -> StyleNetwork:
        """The network for ONNX graphs; the scaling of its inputs becomes a part of the weights."""
        scaled = self.hidden.weight * self.scale
        bias = self.hidden.bias - scaled @ self.shift
        passing = (self.passing.weight * self.scale).T if self.head == "points" else torch.zeros(0, 0)
        squares = self.squares if self.head == "from-to" else torch.zeros(2, 0)
        arrays = [scaled.T, bias, self.output.weight.T, passing, squares, self.sharpness.abs()[None]]
        numbers = [array.detach().float().cpu().numpy() for array in arrays]
        return StyleNetwork(game, self.head, *numbers, probe)  # type: ignore[call-arg]


def _take(values: Tensor, cells: Tensor) -> Tensor:
    """The values [rows, moves, d] of cells [rows, moves], from [rows, cells, d]."""
    return values.gather(1, cells[:, :, None].expand(-1, -1, values.shape[2]))


def fit_vectors(
    features: Tensor, logs: Tensor, mask: Tensor, steps: int = 2, precision: float = 1.0
) -> Tensor:
    """Vectors [people, d] from features [people, positions, candidates, d], by Newton's method from zero.

    The move played is the first candidate; `mask` [people, positions] marks the positions that count.
    """
    people, _, _, d = features.shape
    z = features.new_zeros(people, d)
    prior = precision * torch.eye(d, device=features.device)
    for _ in range(steps):
        shares = torch.softmax(logs + torch.einsum("pnmd,pd->pnm", features, z), dim=2) * mask[:, :, None]
        means = torch.einsum("pnm,pnmd->pnd", shares, features)
        gradient = (features[:, :, 0] * mask[:, :, None] - means).sum(1) - precision * z
        second = torch.einsum("pnm,pnmd,pnme->pde", shares, features, features)
        bend = second - torch.einsum("pnd,pne->pde", means, means) + prior
        z = z + torch.linalg.solve(bend, gradient)
    return z


def negative_log_likelihood(features: Tensor, logs: Tensor, z: Tensor) -> Tensor:
    """[people, positions]: in nats, among the candidates."""
    return -torch.log_softmax(logs + torch.einsum("pnmd,pd->pnm", features, z), dim=2)[:, :, 0]


@dataclass(frozen=True)
class _RunConfig:
    """Configuration of a run."""

    name: str
    options: StyleOptions
    training: OptimizationConfig

    def as_dict(self) -> dict[str, Any]:
        """Plain values for checkpoints."""
        return asdict(self)


class StyleTask(Task):
    """The task `style`: one person in ten only validates, and the best network on them is exported."""

    name: ClassVar[str] = "style"
    output: ClassVar[str] = "style.npz"

    def __init__(self, reader: TrunkReader, at: DevicePositions, options: StyleOptions) -> None:
        self._reader, self._at, self._options = reader, at, options
        persons = _ranges(at)
        self._checked = persons[::_CHECKED]
        self._persons = [each for i, each in enumerate(persons) if i % _CHECKED]
        training = OptimizationConfig(
            steps=options.steps or _USUAL_STEPS,
            batch=max(options.people, 2),
            optimiser="adamw",
            schedule="linear",
            learning_rate=options.rate,
            warmup=0.02,
            flat=0.0,
            final_rate=0.0,
            weight_decay=options.weight_decay,
            seed=options.seed,
            validate_every=_CHECK_EVERY,
        )
        self.config = _RunConfig("style", options, training)

    def make_model(self) -> nn.Module:
        """Returns a network with random weights that standardises features as in the positions."""
        generator = torch.Generator(device="cpu").manual_seed(self._options.seed)
        cells = self._at.cells
        some = cells[torch.randperm(len(cells), generator=generator)[:4096].to(cells.device)].float()
        model = StyleModel(some.shape[-1], self._reader.layout.head, self._options, cells.device)
        model.shift.data = some.mean((0, 1))
        model.scale.data = 1 / some.std((0, 1)).clamp(min=1e-3)
        return model

    def open(self, model: nn.Module, device: torch.device, replica: tuple[int, int]) -> None:
        """Does nothing: the positions are on the device."""

    @property
    def first_cursor(self) -> Any:
        """The number of the step."""
        return 0

    def batches(self, begin: Any) -> Generator[TaskBatch]:
        """Yields rows and masks of people who are drawn."""
        return (self.example(step) for step in count(begin))

    def example(self, begin: Any) -> TaskBatch:
        """Draws the people of a step."""
        random = np.random.default_rng([self._options.seed, begin])
        drawn = _draw(self._persons, self._options, random)
        device = self._at.logs.device
        return TaskBatch(tuple(torch.from_numpy(array).to(device) for array in drawn), begin + 1)

    def loss(self, forward: Callable[..., Any], batch: TaskBatch) -> StepLoss:
        """Returns the negative gain."""
        return StepLoss(-_gain(forward, self._at, *batch.tensors).mean(), {})

    def validate(self, model: nn.Module, step: int) -> dict[str, Any]:
        """Returns the mean gain on people who do not train."""
        return {"gain": validate(model, self._at, self._checked, self._options)}

    def score(self, metrics: dict[str, Any]) -> float | None:
        """Returns the negative gain."""
        return -float(metrics["gain"])

    def export(self, model: nn.Module, metrics: dict[str, Any] | None, step: int) -> bytes:
        """Returns the file of the style network."""
        assert isinstance(model, StyleModel)
        return model.export(self._reader.codec.game, probe(self._reader)).to_bytes()


def train_style(
    reader: TrunkReader,
    at: DevicePositions,
    options: StyleOptions,
    folder: Path,
    log: Callable[[str], None] = print,
) -> float:
    """Trains a style network on positions of many people in the folder of a run; `style.npz` there is the
    result.

    Returns the nats that it gains on people who did not train it.
    """
    seconds = options.seconds if options.steps is None else 0.0
    run = Trainer(StyleTask(reader, at, options), folder, device=str(at.logs.device), seconds=seconds)

    def report(progress: TrainingProgress) -> None:
        if progress.validation is not None and progress.step % _CHECK_EVERY == 0:
            gain = progress.validation["gain"]
            log(f"step {progress.step}: loss {progress.loss:.5f}, gain on unseen people {gain:.5f}")

    run.train(report)
    return max(float(entry["gain"]) for entry in read_metrics(folder))


def _ranges(at: DevicePositions) -> list[tuple[int, int]]:
    """The first and the last row, exclusive, of everybody with enough positions."""
    count = int(at.person[-1]) + 2
    begins = torch.searchsorted(at.person, torch.arange(count, device=at.person.device)).tolist()
    return [(begin, end) for begin, end in pairwise(begins) if end - begin >= _LEAST_POSITIONS]


def _gain(model: Callable[..., Tensor], at: DevicePositions, rows: Tensor, mask: Tensor) -> Tensor:
    """[people, query]: nats that vectors fitted to the support gain on the query."""
    support = mask.shape[1]
    flat = rows.flatten()
    features = model(at, flat)
    features = features.reshape(*rows.shape, *features.shape[1:])
    logs = at.logs[flat].float().reshape(*rows.shape, -1)
    z = fit_vectors(features[:, :support], logs[:, :support], mask)
    after = negative_log_likelihood(features[:, support:], logs[:, support:], z)
    return -torch.log_softmax(logs[:, support:], dim=2)[:, :, 0] - after


def validate(
    model: nn.Module, at: DevicePositions, persons: list[tuple[int, int]], options: StyleOptions
) -> float:
    """The mean gain on people who do not train, always on the same positions."""
    random, gains = np.random.default_rng(1), []
    with torch.no_grad():
        for i in range(0, len(persons), options.people):
            drawn = _draw(persons[i : i + options.people], options, random, everybody=True)
            rows, mask = (torch.from_numpy(array).to(at.logs.device) for array in drawn)
            gains.append(_gain(model, at, rows, mask).mean(1))
    return torch.cat(gains).mean().item()


def _draw(
    persons: list[tuple[int, int]],
    options: StyleOptions,
    random: np.random.Generator,
    *,
    everybody: bool = False,
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Rows [people, support + query], the query later than the support, and a mask [people, support]. People
    are drawn, or all are taken."""
    count = len(persons) if everybody else options.people
    rows = np.zeros((count, options.support + options.query), np.int64)
    mask = np.zeros((count, options.support), np.float32)
    for i in range(count):
        begin, end = persons[i if everybody else int(random.integers(len(persons)))]
        query = min(options.query, (end - begin) // 3)
        cut = int(random.integers(begin + (end - begin) // 4, end - query + 1))
        size = int(min(options.support, np.exp(random.uniform(np.log(60), np.log(1200))), cut - begin))
        rows[i, :size] = random.choice(np.arange(begin, cut), size, replace=False)
        mask[i, :size] = 1
        rows[i, options.support :] = random.integers(cut, min(end, cut + 3 * options.query), options.query)
    return rows, mask


def probe(reader: TrunkReader) -> np.ndarray[Any, Any]:
    """The mean of the trunk's features in the initial position, without ratings."""
    from sparring.networks.codec import Position

    inputs = reader.codec.encode([Position(load_game(reader.codec.game).initial())])
    _, cells = reader.run(np.asarray(inputs["planes"]), np.asarray(inputs["context"]))
    return cells[0].mean(0).cpu().numpy()
