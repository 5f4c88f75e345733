"""Configuration of a training run: a TOML file with network, data, optimisation and teachers."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeVar

from msgspec import Meta

from sparring import data
from sparring.base.config import (
    Count,
    NonNegative,
    PositiveInt,
    Seed,
    Source,
    bad_value,
    from_table,
    is_file,
    read_toml,
)
from sparring.base.errors import BadConfig
from sparring.games import GAMES

Probability = Annotated[float, Meta(ge=0, lt=1)]


@dataclass(frozen=True)
class NetworkConfig:
    """`[network]`: architecture and inputs."""

    kind: Literal["residual", "attention", "geometric"] = "residual"
    """residual: convolutions with squeeze-and-excitation, for any game. attention: a transformer over the
    squares, for boards of one size. geometric: one with Maia-3's attention bias, for chess."""
    blocks: Annotated[int, Meta(ge=1, le=1000)] = 6
    """Residual or transformer blocks."""
    width: Annotated[int, Meta(ge=1, le=65_536)] = 64
    """Channels, or the size of a square's embedding."""
    se_ratio: Annotated[int, Meta(ge=1, le=65_536)] = 8
    """Residual: `width` divided by this is the size of the squeeze layer."""
    heads: Annotated[int, Meta(ge=1, le=65_536)] = 8
    """Attention and geometric: number of heads, a divisor of `width`."""
    ffn_multiplier: Annotated[int, Meta(ge=1, le=1000)] = 2
    """Attention and geometric: size of the feed-forward layers as a multiple of `width`."""
    smolgen_size: Annotated[int, Meta(ge=0, le=65_536)] = 16
    """Attention: size a head of smolgen's compressed board, which gives attention biases; 0 for none."""
    history: Annotated[int, Meta(ge=1, le=100)] = 1
    """Positions in the input, for an encoding that leaves the choice (shogi)."""
    rating_range: tuple[float, float] | None = None
    """Range of the ratings that the network is conditioned on (in Go ranks: 1 is 1d, -1 is 1k). Ratings
    outside count as the nearer end. Without it the network is not conditioned on ratings."""
    clock: bool = False
    """Conditions the network on the seconds that the mover has left."""
    facts: bool = False
    """Heads of ownership and of the lead, and komi as an input, for Go. A teacher with `fact_share` teaches
    them."""
    servers: tuple[Annotated[str, Meta(pattern=r"^[a-z0-9-]+$")], ...] = ()
    """Servers whose ratings the network tells apart, such as `["fox", "kgs"]`. A game is of the first one
    that its site or its source file names; play means the first."""

    def __post_init__(self) -> None:
        _check_range("rating_range", self.rating_range)
        if self.kind != "residual" and self.width % self.heads:
            raise ValueError(f"width {self.width} is not a multiple of heads {self.heads}")


@dataclass(frozen=True)
class DataConfig:
    """`[data]`: positions of the records and augmentation."""

    rating_range: tuple[int, int] | None = None
    """Only games with both ratings in this range, the second excluded: `[1100, 1200]`."""
    skip_plies: Count | None = None
    """Plies at the start of each game that are left out; without it, as in the table's preset."""
    mirrored: bool = True
    """Adds mirrored positions where the game allows it."""
    conditioning_dropout: Probability = 0.0
    """Probability of masking ratings, clock and history, each separately."""
    random_ratings: Probability = 0.0
    """Probability of showing a position with random ratings; only the teachers' policy is the target then."""
    trial: Seed = 0
    """Seed of the split into training, validation and test."""

    def __post_init__(self) -> None:
        _check_range("rating_range", self.rating_range)


@dataclass(frozen=True)
class OptimizationConfig:
    """`[training]`: optimiser, loss and validation."""

    steps: PositiveInt = 10_000
    """Optimiser steps."""
    batch: Annotated[int, Meta(ge=2, le=1 << 24)] = 1024
    """Positions a step and process; batch normalisation needs two."""
    schedule: Literal["paper", "cosine", "linear"] = "cosine"
    """paper: the rate is divided by 10 after 1/5, 1/2 and 9/10 of the steps. cosine: warm-up, then a cosine
    down to `final_rate`. linear: warm-up, the highest rate up to `flat`, then a line down to `final_rate`."""
    optimiser: Literal["adamw", "muon", "sgd", "adam"] = "adamw"
    """adamw; muon for the matrices and convolutions of the tower with adamw for the rest; sgd with
    momentum 0.9; or adam with PyTorch's defaults and without weight decay."""
    learning_rate: NonNegative = 1e-3
    """Highest learning rate."""
    warmup: Probability = 0.02
    """Fraction of the steps in which the rate rises to its maximum (cosine, linear)."""
    flat: Probability = 0.4
    """Fraction of the steps after which the rate begins to fall (linear)."""
    final_rate: Probability = 0.01
    """Last learning rate as a fraction of the highest (cosine, linear)."""
    weight_decay: NonNegative = 0.01
    """Weight decay of weights; biases and scales have none."""
    ema_decay: Probability = 0.0
    """Decay a step of an exponential moving average of the weights, which is then exported; 0 for none."""
    value_weight: NonNegative = 0.25
    """Weight of the value loss beside the policy loss."""
    fact_weight: NonNegative = 0.5
    """Weight of the losses of ownership and lead beside the policy loss."""
    max_grad_norm: NonNegative = 1.0
    """Gradient clipping by norm; 0 for none."""
    bfloat16: bool = False
    """Forward passes in bfloat16 on a CPU too, as always on a GPU. Faster on processors with AVX512-BF16."""
    cache_teachers: bool = False
    """Keeps the teachers' outputs on the device, so that each position is evaluated once. Needs
    `mirrored = false`; positions with random ratings are evaluated every time."""
    seed: Seed = 0
    """Seed of weights, order and augmentation."""
    validate_every: PositiveInt = 1000
    """Steps between validations, each with a checkpoint."""
    validation_positions: PositiveInt = 20_000
    """Positions of a validation."""


@dataclass(frozen=True)
class TeacherConfig:
    """`[[teachers]]`: a network whose outputs are part of the target (distillation)."""

    model: str
    """A model name or a network file."""
    policy_weight: Annotated[float, Meta(ge=0, le=1)] = 0.0
    """Weight of its policy in the target; the moves played have the rest of 1."""
    value_weight: Annotated[float, Meta(ge=0, le=1)] = 0.0
    """Weight of its win, draw and loss probabilities in the target; the results have the rest of 1."""
    fact_share: Annotated[float, Meta(ge=0, le=1)] = 0.0
    """Share of a batch in which it teaches ownership, lead and value; 0 for a teacher of the policy, which
    sees all positions."""


@dataclass(frozen=True)
class TrainingConfig:
    """A training run: the keys of its TOML file. It decides everything but the records."""

    name: str
    """Name of the model; that of the file by default."""
    game: str
    """Name of the game."""
    network: NetworkConfig = field(default_factory=NetworkConfig)
    """`[network]`."""
    data: DataConfig = field(default_factory=DataConfig)
    """`[data]`."""
    training: OptimizationConfig = field(default_factory=OptimizationConfig)
    """`[training]`."""
    teachers: tuple[TeacherConfig, ...] = ()
    """`[[teachers]]`."""
    about: str = ""
    """A sentence for the model card."""

    def __post_init__(self) -> None:
        network, data = self.network, self.data
        trainable = {name: game.layout for name, game in GAMES.items() if game.layout is not None}
        if self.game not in trainable:
            raise bad_value("game", self.game, f"one of {', '.join(trainable)}")
        layout = trainable[self.game](network.history)
        if network.kind != "residual" and layout.any_board_size:
            raise bad_value(
                "network.kind", network.kind, f"residual: {self.game} has boards of several sizes"
            )
        if network.kind == "geometric" and layout.head != "from-to":
            raise bad_value("network.kind", network.kind, "residual or attention: geometric is for chess")
        if network.history > 1 and layout.fixed_history:
            raise bad_value("network.history", network.history, f"1: the history of {self.game} is fixed")
        if network.facts and layout.points is None:
            raise bad_value("network.facts", True, f"false: {self.game} has no owners of points")
        for teacher in self.teachers:
            if bool(teacher.fact_share) == bool(teacher.policy_weight):
                raise ValueError("a teacher has either a policy_weight or a fact_share")
            if teacher.fact_share and not network.facts:
                raise ValueError("a teacher's fact_share needs network.facts")
        if sum(teacher.policy_weight for teacher in self.teachers) > 1:
            raise ValueError("the policy_weight of all teachers must add up to at most 1")
        if sum(teacher.value_weight for teacher in self.teachers) > 1:
            raise ValueError("the value_weight of all teachers must add up to at most 1")
        if data.random_ratings and not (self.teachers and network.rating_range):
            raise ValueError("data.random_ratings needs teachers and network.rating_range")
        if self.training.cache_teachers and (data.mirrored or not self.teachers):
            raise ValueError("training.cache_teachers needs teachers and data.mirrored = false")
        if self.training.cache_teachers and any(teacher.fact_share for teacher in self.teachers):
            raise ValueError("training.cache_teachers does not keep ownership: it needs fact_share = 0")

    def as_dict(self) -> dict[str, Any]:
        """Plain values for checkpoints; `parse_training_config` makes the same configuration from them."""
        return dataclasses.asdict(self)

    def changed(self, *, steps: int | None = None, seed: int | None = None, trial: int | None = None) -> Self:
        """A copy with other steps, another seed or another trial, where given."""
        new: dict[str, Any] = {"steps": steps, "seed": seed}
        new = {key: value for key, value in new.items() if value is not None}
        data = self.data if trial is None else dataclasses.replace(self.data, trial=trial)
        return dataclasses.replace(self, training=dataclasses.replace(self.training, **new), data=data)


@dataclass(frozen=True)
class FreshConfig:
    """`[fresh]`: games that the teachers play, whose positions are trained on beside the recorded ones."""

    share: Annotated[float, Meta(gt=0, lt=1)] = 0.75
    """Share of fresh positions in a batch; the others are recorded ones."""
    groups: Annotated[int, Meta(ge=1, le=64)] = 4
    """Groups of games that take turns: the moves of one are played while others are trained on."""
    max_plies: PositiveInt = 220
    """Plies after which a game ends."""
    opening_plies: tuple[Count, Count] = (4, 16)
    """Plies of a recorded training game that a fresh game begins with."""
    deep: Annotated[float, Meta(ge=0, le=1)] = 0.3
    """Share of games that begin anywhere in a recorded game."""
    random_ratings: Annotated[float, Meta(ge=0, le=1)] = 0.25
    """Share of games with random ratings instead of those of the recorded game."""
    random_moves: Annotated[float, Meta(ge=0, le=1)] = 0.02
    """Share of moves that are random; the others are drawn from the teachers' policy."""
    resignations: Annotated[float, Meta(ge=0, le=1)] = 0.1
    """Share of lost positions that end the game."""
    player: str = ""
    """A second network (model name or file). It plays a third of the groups, and in another third it or the
    teachers play each move."""


@dataclass(frozen=True)
class FinishConfig:
    """`[finish]`: what the last part of a student's training does differently."""

    share: Annotated[float, Meta(ge=0, le=1)] = 0.0
    """Fraction of the training, at its end; 0 for none."""
    fresh: Annotated[float, Meta(gt=0, lt=1)] = 0.25
    """Share of fresh positions in a batch."""
    teachers: Annotated[float, Meta(gt=0, le=1)] = 0.6
    """Weight of all teachers' policies in the target; the moves played have the rest of 1."""
    random_ratings: Probability = 0.0
    """Probability of showing a recorded position with random ratings."""
    quantised: bool = False
    """Trains the layers of a geometric network's blocks in 8 bits, in which they are exported."""


@dataclass(frozen=True)
class StudentConfig(TrainingConfig):
    """A student's training: the keys of `TrainingConfig`, of which it needs teachers, and two more."""

    fresh: FreshConfig = field(default_factory=FreshConfig)
    """`[fresh]`."""
    finish: FinishConfig = field(default_factory=FinishConfig)
    """`[finish]`."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not any(teacher.policy_weight for teacher in self.teachers):
            raise ValueError("a student needs [[teachers]] with a policy_weight")
        if self.data.mirrored or self.training.cache_teachers:
            raise ValueError("a student needs data.mirrored = false and no training.cache_teachers")
        if self.finish.quantised and self.network.kind != "geometric":
            raise bad_value("finish.quantised", True, "false: only geometric networks train in 8 bits")

    def finishing(self) -> StudentConfig:
        """A copy with the targets and shares of the finish."""
        weight = self.finish.teachers / sum(teacher.policy_weight for teacher in self.teachers)
        teachers = tuple(
            dataclasses.replace(teacher, policy_weight=weight * teacher.policy_weight)
            for teacher in self.teachers
        )
        data = dataclasses.replace(self.data, random_ratings=self.finish.random_ratings)
        fresh = dataclasses.replace(self.fresh, share=self.finish.fresh)
        return dataclasses.replace(self, teachers=teachers, data=data, fresh=fresh)


_C = TypeVar("_C", bound=TrainingConfig)


def shipped_training_configs() -> list[str]:
    """Names of the shipped configurations of `sparring train people`."""
    return data.names("training")


def shipped_student_configs() -> list[str]:
    """Names of the shipped configurations of `sparring train student`."""
    return data.names("student_training")


def load_training_config(name: str | Path) -> TrainingConfig:
    """Reads a shipped configuration by name, or a TOML file. Raises BadConfig."""
    return _load(TrainingConfig, name, "training")


def load_student_config(name: str | Path) -> StudentConfig:
    """Reads a student's shipped configuration by name, or a TOML file. Raises BadConfig."""
    return _load(StudentConfig, name, "student_training")


def _load(kind: type[_C], name: str | Path, folder: data.Kind) -> _C:
    path = find_config(name, folder)
    return from_table(kind, {"name": path.stem, **read_toml(path)}, Source(path))


def find_config(name: str | Path, kind: data.Kind) -> Path:
    """Returns the file of a configuration: a path, or the name of a shipped one in the data folder `kind`.

    Raises BadConfig.
    """
    text, path, shipped = str(name), Path(name), data.names(kind)
    if not is_file(path) and text.removesuffix(".toml") in shipped:
        path = data.path(kind, text.removesuffix(".toml"))
    if not is_file(path):
        raise BadConfig(f"there is no configuration '{text}': neither a file nor one of {', '.join(shipped)}")
    return path


def parse_training_config(name: str, table: Mapping[str, Any]) -> TrainingConfig:
    """Makes a configuration from TOML tables; `name` is the default name. Raises BadConfig."""
    return from_table(TrainingConfig, {"name": name, **table})


def _check_range(key: str, ends: tuple[float, float] | None) -> None:
    if ends is not None and not ends[0] < ends[1]:
        raise bad_value(key, list(ends), "two ascending numbers")
