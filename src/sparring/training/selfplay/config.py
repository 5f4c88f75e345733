"""Configuration of self-play training: how games are played, learned from and measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from msgspec import Meta

from sparring import data
from sparring.base.config import (
    Count,
    Fraction,
    NonNegative,
    PositiveInt,
    Source,
    bad_value,
    from_table,
    read_toml,
)
from sparring.games import Game, describe, load_game
from sparring.measure.ratings import Sprt
from sparring.training.config import DataConfig, TrainingConfig, find_config

Rules: TypeAlias = Mapping[str, bool | int | float | str]
_Share = Annotated[float, Meta(gt=0, le=1)]


@dataclass(frozen=True)
class PlayConfig:
    """`[play]`: how games are played."""

    search: Literal["gumbel", "puct"] = "gumbel"
    """gumbel: sequential halving over Gumbel-top-k moves at the root and PUCT below it, with the improved
    policy as target. puct: PUCT with Dirichlet noise at the root, with the shares of visits as target."""
    visits: Annotated[int, Meta(ge=2, le=1_000_000)] = 16
    """Visits of the root's moves in a full search."""
    considered: PositiveInt = 8
    """Gumbel: moves of the root that are searched at first."""
    c_visit: NonNegative = 50.0
    """Gumbel: sigma(q) = (c_visit + max N) c_scale q, with q from -1 to 1."""
    c_scale: NonNegative = 0.3
    """Gumbel: see `c_visit`."""
    c_puct: NonNegative = 1.5
    """Exploration constant of PUCT."""
    noise: Fraction = 0.25
    """PUCT: share of Dirichlet noise in the root's priors."""
    noise_moves: Annotated[float, Meta(gt=0)] = 10.0
    """PUCT: the noise's concentration is this number divided by the number of legal moves."""
    temperature_plies: Count = 20
    """PUCT: plies in which moves are drawn in proportion to visits; afterwards the most visited is played."""
    reuse_tree: bool = False
    """PUCT: keeps the tree from move to move; `visits` then counts those that were kept."""
    full_share: _Share = 1.0
    """Playout-cap randomisation: share of searches with all visits. Only they give policy targets."""
    fast_visits: Annotated[int, Meta(ge=2, le=1_000_000)] = 4
    """Visits of the other searches, which are without noise."""
    random_plies: Count = 0
    """A game begins with up to so many moves drawn from the network's policy, which are not learned from."""
    resign_below: Fraction = 0.0
    """A side resigns when its expected score is below this in two consecutive searches; 0 never resigns."""
    play_out: Fraction = 0.1
    """Share of the games without resignation; they tell how often a resigned game would have been saved."""
    max_plies: PositiveInt = 512
    """Plies after which a game ends as a draw."""
    games: PositiveInt = 256
    """Games of a generation."""
    block: PositiveInt = 64
    """Games of a file: the task of a worker."""
    parallel: PositiveInt = 64
    """Games that a worker plays at once; each step evaluates a leaf of each."""
    leash: str = ""
    """Policy that the network stays near: a model name or a file, such as `human`; none without."""
    leash_weight: NonNegative = 1.0
    """Weight of the KL divergence from the leash in the policy target (piKL)."""


@dataclass(frozen=True)
class LearnConfig:
    """`[learn]`: what the learner samples."""

    window: PositiveInt = 20_000
    """Positions of the window at first; `window_exponent` lets it grow."""
    window_exponent: _Share = 0.75
    """The window has window * (1 + growth * ((n / window)^exponent - 1) / exponent) of n positions, as in
    KataGo; 1 and growth 1 keep all."""
    window_growth: Fraction = 0.4
    """See `window_exponent`."""
    search_value: Fraction = 0.5
    """Share of the search's value in the value target; the result of the game has the rest."""
    symmetries: bool = True
    """Shows positions under random symmetries of the board where the game has them."""
    lag: Annotated[int, Meta(ge=0, le=1)] = 0
    """1: workers play a generation with the network before the newest, while the learner trains. With
    several workers nobody waits then."""


@dataclass(frozen=True)
class EvaluationConfig:
    """`[evaluation]`: matches over time."""

    every: PositiveInt = 4
    """Generations between evaluations."""
    games: Annotated[int, Meta(ge=2, le=10_000)] = 20
    """Games of each match; every opening is played with both colours."""
    visits: Count = 32
    """Visits of the network's searches."""
    opening_plies: Count = 2
    """Random plies at the start of a game."""
    random: bool = True
    """Plays the likeliest moves of the policy, without search, against random moves."""
    strengths: tuple[Annotated[int, Meta(ge=1, le=9)], ...] = (1,)
    """Plays against the small search players of these strengths."""
    earlier: bool = True
    """Plays against the network of the evaluation before."""
    patience: PositiveInt = 2
    """Evaluations after which it is said that nothing is learned, unless something is."""


@dataclass(frozen=True)
class GateConfig:
    """`[gate]`: a new network plays only after it has won a match by a sequential test."""

    games: Count = 0
    """Most games of the match; 0 for no gate. Without a decision the new network is refused."""
    sprt: Sprt = field(default_factory=lambda: Sprt(elo0=-20, elo1=20))
    """Hypotheses of the test."""


@dataclass(frozen=True)
class SelfPlayConfig(TrainingConfig):
    """Training by self-play: the keys of `TrainingConfig` without teachers and data, and these."""

    rules: Rules = field(default_factory=dict)
    """`[rules]`: options of the game, such as `size = 9` in Go."""
    minutes: NonNegative = 0.0
    """Length of a run in minutes; 0 for the steps of `[training]`. A generation has `validate_every`
    steps."""
    play: PlayConfig = field(default_factory=PlayConfig)
    """`[play]`."""
    learn: LearnConfig = field(default_factory=LearnConfig)
    """`[learn]`."""
    evaluation: EvaluationConfig = field(default_factory=EvaluationConfig)
    """`[evaluation]`."""
    gate: GateConfig = field(default_factory=GateConfig)
    """`[gate]`."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.teachers or self.data != DataConfig():
            raise ValueError("self-play has no [[teachers]] and no [data]")
        if self.network.rating_range or self.network.clock or self.network.facts or self.network.servers:
            raise ValueError("a network of self-play has no ratings, clock, servers and facts")
        if self.play.reuse_tree and self.play.search == "gumbel":
            raise bad_value(
                "play.reuse_tree", True, "false: sequential halving begins with moves without visits"
            )
        from_table(describe(self.game).rules, self.rules, Source().inside("rules"))
        if self.load_game().spec.hidden:
            raise bad_value("game", self.game, "a game without hidden information")

    def load_game(self) -> Game[Any]:
        """The game with its rules."""
        return load_game(self.game, **self.rules)

    @property
    def generation_steps(self) -> int:
        """Steps of the learner in a generation."""
        return self.training.validate_every


def shipped_selfplay_configs() -> list[str]:
    """Names of the shipped configurations of `sparring train selfplay`."""
    return data.names("selfplay_training")


def load_selfplay_config(name: str | Path, game: str, rules: Rules) -> SelfPlayConfig:
    """Reads a shipped configuration by name, or a TOML file, for a game with these rules.

    An empty name takes the game's own configuration, else `small` or `large` by the size of the board. A file
    without the key `game` is for any game. Raises BadConfig.
    """
    path = find_config(name or default_config(game, rules), "selfplay_training")
    table = read_toml(path)
    if table.setdefault("game", game) != game:
        raise Source(path).bad_value("game", table["game"], f"{game}, or no game")
    if isinstance(table.setdefault("rules", {}), Mapping):
        table["rules"] = {**table["rules"], **rules}
    return from_table(SelfPlayConfig, {"name": f"{game}-selfplay", **table}, Source(path))


def default_config(game: str, rules: Rules) -> str:
    """The shipped configuration for a game: its own, or that of boards of its size."""
    if game in shipped_selfplay_configs():
        return game
    rows, columns = load_game(game, **rules).spec.board
    return "tiny" if rows * columns <= 25 else "small" if rows * columns <= 100 else "large"


def with_changes(config: SelfPlayConfig, **changes: object) -> SelfPlayConfig:
    """A copy with these values; a table of values changes single keys of a part. Raises BadConfig."""
    table = config.as_dict()
    for key, value in changes.items():
        table[key] = {**table[key], **value} if isinstance(value, Mapping) else value
    return from_table(SelfPlayConfig, table)
