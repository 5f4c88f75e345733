"""Configuration of a synopsis network and its training: a TOML file. Headsets that the training games
allow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Any, ClassVar

from msgspec import Meta

from sparring import data
from sparring.base.config import (
    NonNegative,
    Positive,
    PositiveInt,
    Seed,
    Source,
    bad_value,
    from_table,
    read_toml,
)
from sparring.base.errors import BadConfig
from sparring.rbc.plugin import DESCRIPTION
from sparring.rbc.synopsis import ALL, TOP, recognise
from sparring.training.config import OptimizationConfig, Probability, find_config


@dataclass(frozen=True)
class SynopsisNetworkConfig:
    """`[network]`: size of the network."""

    blocks: Annotated[int, Meta(ge=1, le=1000)] = 10
    """Residual blocks of the tower."""
    width: Annotated[int, Meta(ge=1, le=65_536)] = 128
    """Channels of the tower."""
    policy_blocks: Annotated[int, Meta(ge=0, le=100)] = 1
    """Residual blocks of each policy head; the paper has one."""
    policy_width: Annotated[int, Meta(ge=1, le=65_536)] = 32
    """Size of the queries and keys, whose product is the logit of a move."""
    value_width: Annotated[int, Meta(ge=1, le=65_536)] = 64
    """Hidden units of the value heads."""
    dropout: Probability = 0.0
    """Probability of dropping a channel in each block and before the heads while training."""


@dataclass(frozen=True)
class ExampleConfig:
    """`[data]`: how examples are made of games."""

    boards: Annotated[int, Meta(ge=1, le=10**8)] = 4_000
    """Boards that are tracked; a sample if more are possible."""
    sampled: Annotated[int, Meta(ge=1, le=10**6)] = 128
    """Boards of a synopsis, drawn from the tracked ones (the paper's l)."""
    draws: Annotated[int, Meta(ge=1, le=1000)] = 4
    """Examples of each decision, each with a new sample of the boards."""
    soon: PositiveInt = 5
    """Actions of both players within which a win or loss counts as soon."""
    clean: bool = True
    """Ends a game where its loser did not see a forced win, as won by that player."""
    clean_boards: PositiveInt = 512
    """Before a sense, forced wins are searched if at most so many boards are possible."""
    mirrored: bool = True
    """Mirrors half of the training examples from left to right."""
    trial: Seed = 0
    """Seed of the split into training and validation."""


@dataclass(frozen=True)
class HeadsetConfig:
    """`[[headsets]]`: one set of heads, trained on the decisions of some players."""

    name: str
    """Name of the headset; an opponent of this name is recognised."""
    players: tuple[str, ...] = ()
    """Names of players; the headset's own name by default. Names match as opponents are recognised: TroutBot
    is `trout`. With `*`, for any characters, letters match exactly."""
    weight: Positive = 1.0
    """Share of the training steps, relative to the other headsets."""
    stop_gradient: bool = False
    """Trains the heads but not the tower."""

    def __post_init__(self) -> None:
        if not self.name or "," in self.name:
            raise bad_value("name", self.name, "a name without commas")

    def includes(self, player: str) -> bool:
        """Returns True if the decisions of this player belong to the headset."""
        return any(
            fnmatchcase(player, name) if "*" in name else recognise(player, (name,)) != TOP
            for name in self.players or (self.name,)
        )


@dataclass(frozen=True)
class LossConfig:
    """`[loss]`: weights of the auxiliary losses; that of the value is `training.value_weight`."""

    soon: NonNegative = 0.1
    """Cross-entropy of winning soon and of losing soon."""
    pieces: NonNegative = 0.05
    """Cross-entropy of the numbers of the opponent's pieces, the mean over the types."""
    label_smoothing: Probability = 0.0
    """Share of the policy's target that is spread evenly over the possible actions."""
    teacher: Annotated[float, Meta(ge=0, le=1)] = 0.5
    """Share of the targets of policy and value that the teachers give, if there are any (distillation)."""
    distilled: Annotated[float, Meta(ge=0, le=1)] = 0.0
    """Share of the examples of a step that are decisions of any player, with the teachers' targets alone, if
    there are teachers."""


@dataclass(frozen=True)
class RbcTrainingConfig:
    """A training run: the keys of its TOML file. It decides everything but the records."""

    game: ClassVar[str] = DESCRIPTION.name

    name: str
    """Name of the network; that of the file by default."""
    headsets: tuple[HeadsetConfig, ...]
    """`[[headsets]]`."""
    network: SynopsisNetworkConfig = field(default_factory=SynopsisNetworkConfig)
    """`[network]`."""
    data: ExampleConfig = field(default_factory=ExampleConfig)
    """`[data]`."""
    loss: LossConfig = field(default_factory=LossConfig)
    """`[loss]`."""
    training: OptimizationConfig = field(default_factory=OptimizationConfig)
    """`[training]`."""
    keep_best: bool = True
    """Exports the network of the best validation, by the likelihood of Top's actions and the error of All's
    values, not that of the last step (early stopping)."""
    about: str = ""
    """A sentence for the model card."""
    licence: str = "not stated"
    """Licence of the network, for the model card."""

    def __post_init__(self) -> None:
        names = self.headset_names
        for name in (ALL, TOP):
            if name not in names:
                raise bad_value("headsets", list(names), f"a headset {name} among them")
        if len(set(names)) < len(names):
            raise bad_value("headsets", list(names), "different names")
        if self.training.cache_teachers:
            raise ValueError("training.cache_teachers: a synopsis network has no teachers")

    @property
    def headset_names(self) -> tuple[str, ...]:
        """The names of the headsets in order."""
        return tuple(headset.name for headset in self.headsets)

    def as_dict(self) -> dict[str, Any]:
        """Plain values for checkpoints."""
        return asdict(self)

    def changed(self, *, steps: int | None = None, seed: int | None = None) -> RbcTrainingConfig:
        """A copy with other steps or another seed, where given."""
        values = {"steps": steps, "seed": seed}
        given: dict[str, Any] = {name: value for name, value in values.items() if value is not None}
        return replace(self, training=replace(self.training, **given))


def shipped_rbc_configs() -> list[str]:
    """Names of the shipped configurations."""
    return data.names("synopsis_training")


def load_rbc_config(name: str | Path) -> RbcTrainingConfig:
    """Reads a shipped configuration by name, or a TOML file. Raises BadConfig."""
    path = find_config(name, "synopsis_training")
    return from_table(RbcTrainingConfig, {"name": path.stem, **read_toml(path)}, Source(path))


_NAMED = 10
"""Players that an error message names, at most."""


def with_headsets_of(config: RbcTrainingConfig, players: Sequence[str]) -> RbcTrainingConfig:
    """Returns the configuration without headsets to which none of the players belongs. Raises
    BadConfig if All or Top is among them."""
    kept = tuple(headset for headset in config.headsets if any(map(headset.includes, players)))
    for headset in config.headsets:
        if headset.name in (ALL, TOP) and headset not in kept:
            raise BadConfig(_missing(headset, players))
    return replace(config, headsets=kept)


def _missing(headset: HeadsetConfig, players: Sequence[str]) -> str:
    wanted, names = ", ".join(headset.players or (headset.name,)), ", ".join(players[:_NAMED])
    fitting = [name for name in shipped_rbc_configs() if _has_top(load_rbc_config(name), players)]
    advice = (
        f"use --config {' or '.join(fitting)}, or add games"
        if fitting
        else "add games, or change the headset's `players` in a configuration of your own"
    )
    return (
        f"the training games have no player of the headset {headset.name} ({wanted}), "
        f"only {names or 'players without names'}: {advice}"
    )


def _has_top(config: RbcTrainingConfig, players: Sequence[str]) -> bool:
    return any(headset.name == TOP and any(map(headset.includes, players)) for headset in config.headsets)
