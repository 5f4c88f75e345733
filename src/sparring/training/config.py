"""What to train and how: a short TOML file that people can read, copy and change."""

from __future__ import annotations

import dataclasses
import math
import tomllib
import typing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from sparring import data
from sparring.entries import TypeMismatch, coerce, missing_fields

T = TypeVar("T")


class BadTrainingConfig(Exception):
    """A configuration that cannot be used; the message says why."""


@dataclass(frozen=True)
class NetworkConfig:
    """[network]: the shape of the network and what it sees."""

    kind: str = "residual"
    """residual: convolutions with squeeze-and-excitation; attention: squares that look at one another."""
    blocks: int = 6
    width: int = 64
    squeeze: int = 8
    """Residual: the width of a squeeze-and-excitation unit's middle is the width divided by this."""
    heads: int = 8
    """Attention: how many ways each square looks at the others."""
    hidden: int = 2
    """Attention: the feed-forward layers are this many times as wide."""
    smolgen_size: int = 16
    """Attention: numbers a head from which each board makes its own map of who looks where; 0 for one map
    for all boards."""
    history: int = 1
    """Boards that are seen, where the encoding leaves the choice: shogi."""
    ratings: tuple[float, float] | None = None
    """The range of ratings (ranks) that the network is told of both players; without it, it is not told."""
    clock: bool = False
    """Whether it is told the mover's clock where that is known."""


@dataclass(frozen=True)
class DataConfig:
    """[data]: which of the records' positions are learned from."""

    groups: tuple[int, int] | None = None
    """Only games with both ratings between these, the second excluded."""
    skip_plies: int | None = None
    """The first plies of each game are left out; without it, as the table's preset says."""
    mirrored: bool = True
    """Whether positions are also seen in the mirror, where the game allows."""
    conditioning_dropout: float = 0.0
    """How often ratings, clock and earlier boards are hidden, each by itself, so that the network can do
    without them."""
    random_ratings: float = 0.0
    """How often positions are shown as if players of other ratings sat there, for teachers to say what those
    would play; the people's move does not count then."""
    trial: int = 0
    """The seed of the split into training, validation and test."""


@dataclass(frozen=True)
class OptimizationConfig:
    """[training]: the way down."""

    steps: int = 10_000
    batch: int = 1024
    schedule: str = "cosine"
    """paper: divided by 10 at 1/5, 1/2 and 9/10 of the steps; cosine: warmed up, then down to a hundredth."""
    optimiser: str = "adamw"
    """adamw, or sgd with momentum 0.9."""
    learning_rate: float = 1e-3
    warm_up: float = 0.02
    """The share of the steps in which the rate rises to its full height (cosine)."""
    weight_decay: float = 0.01
    """Of weights, not of biases and scales."""
    average: float = 0.0
    """Keeps a running average of the weights with this decay a step, and gives that away; 0 for none."""
    value: float = 0.25
    """The weight of the game's result beside the move."""
    clip: float = 1.0
    """The greatest length of a gradient; 0 for any."""
    cache_teachers: bool = False
    """Keeps what teachers said of each position of the records on the device, so that they are asked once;
    imagined players are another thing each time. Not with `mirrored`."""
    seed: int = 0
    validate_every: int = 1000
    """Steps between measurements on the validation split, and between checkpoints."""
    validation: int = 20_000
    """Positions in each."""


@dataclass(frozen=True)
class TeacherConfig:
    """[[teachers]]: a network whose probabilities are learned beside the moves that people played."""

    model: str
    """A model's name or file."""
    weight: float
    """Its share in the target; the people's moves have what is left of 1."""
    results: float = 0.0
    """The share of what it expects in the target of how the game ends; what happened has the rest."""


@dataclass(frozen=True)
class TrainingConfig:
    """Everything that decides what comes out, but for the records."""

    name: str
    game: str
    network: NetworkConfig = field(default_factory=NetworkConfig)
    data: DataConfig = field(default_factory=DataConfig)
    training: OptimizationConfig = field(default_factory=OptimizationConfig)
    teachers: tuple[TeacherConfig, ...] = ()
    about: str = ""
    """A sentence for the model's card."""

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for checkpoints; `parse` makes the same configuration of them again."""
        return dataclasses.asdict(self)

    def changed(
        self, *, steps: int | None = None, seed: int | None = None, trial: int | None = None
    ) -> TrainingConfig:
        """The same with other steps, another seed or another trial, where given."""
        part, data = self.training, self.data
        if steps is not None:
            part = dataclasses.replace(part, steps=steps)
        if seed is not None:
            part = dataclasses.replace(part, seed=seed)
        if trial is not None:
            data = dataclasses.replace(data, trial=trial)
        return dataclasses.replace(self, training=part, data=data)


GAMES = ("chess", "go", "shogi")
_CHOICES = {"kind": ("residual", "attention"), "schedule": ("paper", "cosine"), "optimiser": ("adamw", "sgd")}
_SHARES = ("conditioning_dropout", "random_ratings", "warm_up", "average")
_LEAST = {
    "blocks": 1, "width": 1, "squeeze": 1, "heads": 1, "hidden": 1, "history": 1, "steps": 1, "batch": 2,
    "validate_every": 1, "validation": 1,
}  # fmt: skip
"""Of numbers that may not be 0; batch normalisation needs two positions."""


def shipped_training_configs() -> list[str]:
    """The names of those that come with Sparring."""
    return data.names("training")


def load_training_config(name: str | Path) -> TrainingConfig:
    """A shipped configuration by name, or a TOML file. Raises BadTrainingConfig or OSError."""
    text = str(name)
    path = Path(text)
    if not path.is_file() and text.removesuffix(".toml") in shipped_training_configs():
        path = data.path("training", text.removesuffix(".toml"))
    if not path.is_file():
        names = ", ".join(shipped_training_configs())
        raise BadTrainingConfig(f"there is no configuration '{text}': neither a file nor one of {names}")
    try:
        entries = tomllib.loads(path.read_text(encoding="utf-8"))
        return parse(path.stem, entries)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, BadTrainingConfig) as error:
        raise BadTrainingConfig(f"{path.name}: {error}") from None


def parse(name: str, entries: dict[str, Any]) -> TrainingConfig:
    """A configuration from TOML's tables. Raises BadTrainingConfig."""
    whole = dict(entries)
    teachers = whole.pop("teachers", [])
    if not isinstance(teachers, list | tuple):
        raise BadTrainingConfig("teachers are tables of their own: write [[teachers]]")
    parts: dict[str, Any] = {
        "network": _part(NetworkConfig, whole.pop("network", {}), "[network]"),
        "data": _part(DataConfig, whole.pop("data", {}), "[data]"),
        "training": _part(OptimizationConfig, whole.pop("training", {}), "[training]"),
        "teachers": tuple(
            _part(TeacherConfig, each, f"[[teachers]] {number}") for number, each in enumerate(teachers, 1)
        ),
    }
    return _checked(_part(TrainingConfig, {"name": name, **whole, **parts}, "the file"))


def _part(kind: type[T], entries: Any, where: str) -> T:
    """A dataclass from a table, its entries' types checked."""
    if not isinstance(entries, dict):
        raise BadTrainingConfig(f"{where} is a table, not {entries!r}")
    kinds = typing.get_type_hints(kind)
    for key in entries:
        if key not in kinds:
            raise BadTrainingConfig(f"{where} has no entry '{key}'; it has {', '.join(kinds)}")
    values = {key: _value(kinds[key], value, f"{where} {key}") for key, value in entries.items()}
    if needed := missing_fields(kind, values):
        raise BadTrainingConfig(f"{where} needs {', '.join(needed)}")
    return kind(**values)


def _value(kind: Any, value: Any, where: str) -> Any:
    if typing.get_origin(kind) is tuple and dataclasses.is_dataclass(typing.get_args(kind)[0]):
        return value
    try:
        return coerce(kind, list(value) if isinstance(value, tuple) else value)
    except TypeMismatch as error:
        raise BadTrainingConfig(f"{where} {error}") from None


def _checked(config: TrainingConfig) -> TrainingConfig:
    """Raises BadTrainingConfig for values that make no sense."""
    if config.game not in GAMES:
        raise BadTrainingConfig(f"game is one of {', '.join(GAMES)}, not '{config.game}'")
    for name in ("network", "data", "training"):
        for key, value in vars(getattr(config, name)).items():
            _check_value(value, key, f"[{name}] {key}")
    network, data = config.network, config.data
    if network.kind == "attention" and network.width % network.heads:
        raise BadTrainingConfig(f"[network] width {network.width} is not a multiple of heads {network.heads}")
    if network.kind == "attention" and config.game == "go":
        raise BadTrainingConfig("[network] attention is for boards of one size: go has several")
    if network.history > 1 and config.game != "shogi":
        raise BadTrainingConfig(f"[network] history is for shogi; {config.game} has boards of its own choice")
    weights = [teacher.weight for teacher in config.teachers]
    if not all(weight > 0 for weight in weights) or sum(weights) > 1:
        raise BadTrainingConfig("the teachers' weights are above 0 and add up to at most 1")
    results = [teacher.results for teacher in config.teachers]
    if not all(share >= 0 for share in results) or sum(results) > 1:
        raise BadTrainingConfig("the teachers' results are not below 0 and add up to at most 1")
    if data.random_ratings and not (config.teachers and network.ratings):
        raise BadTrainingConfig("[data] random_ratings needs teachers, and a network that is told ratings")
    if config.training.cache_teachers and (data.mirrored or not config.teachers):
        raise BadTrainingConfig("[training] cache_teachers needs teachers, and mirrored = false in [data]")
    return config


def _check_value(value: Any, key: str, where: str) -> None:
    if key in _CHOICES and value not in _CHOICES[key]:
        raise BadTrainingConfig(f"{where} is one of {', '.join(_CHOICES[key])}, not '{value}'")
    if isinstance(value, tuple):
        low, high = value
        if not -math.inf < low < high < math.inf:
            raise BadTrainingConfig(f"{where} goes up, not from {low} to {high}")
    elif key in _SHARES:
        if not 0 <= value < 1:
            raise BadTrainingConfig(f"{where} is at least 0 and below 1, not {value}")
    elif isinstance(value, int | float) and not (least := _LEAST.get(key, 0)) <= value < math.inf:
        raise BadTrainingConfig(f"{where} is at least {least}, not {value}")
