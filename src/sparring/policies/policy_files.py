"""Reads policies from TOML files.

    # Maia-1500 with a strong network, which weighs more for strong players.
    game = "chess"
    kind = "geometric"          # or "arithmetic", or "power" with its beta
    temperature = 1.0           # of the whole pool

    [[policy]]
    use = "maia-1500.pb.gz"     # a model name, a file (relative to this one), or another policy file
    weight = { 1100 = 0.91, 1900 = 0.68 }   # or one number; linear between the ratings

    [[policy]]
    use = "t1.pb.gz"
    weight = { 1100 = 0.09, 1900 = 0.32 }
    temperature = 1.2           # of this policy alone

In Go the ratings are ranks: { 6k = 0.9, 9d = 0.5 }. A blend of two policies may have `alpha = 0.8` instead of
weights: alpha is the weight of the first policy and 1 - alpha that of the second. Weights that depend on the
position are a kind of their own:

    kind = "position"

    [features]                  # mean and standard deviation of each
    ply = [50, 30]
    ...

    [[policy]]
    use = "human"
    weight = { 1100 = 0.9, 1900 = 0.7 }     # in a position with mean features
    feature_weights = { ply = 0.01, divergence = -0.1, entropy-1 = 0.0, entropy-2 = 0.02 }
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from sparring.base.config import PositiveInt, Source, bad_value, from_table, read_toml
from sparring.games import GAMES, describe
from sparring.policies.policy import Curve
from sparring.policies.pool import FeatureScaler, PoolKind, position_feature_names

CurveValue: TypeAlias = float | Mapping[str, float]
"""A number, or numbers by rating (in Go by rank)."""


@dataclass(frozen=True)
class PolicyEntry:
    """A `[[policy]]`: one member of the pool."""

    use: str
    """A model name, a network file relative to this one, or another policy file."""
    weight: CurveValue | None = None
    """Weight in the pool; 1 by default. Linear between the ratings and constant beyond them."""
    temperature: CurveValue | None = None
    """Temperature of this policy."""
    feature_weights: Mapping[str, float] | None = None
    """Change of the weight for one standard deviation of each feature, for kind position."""

    def __post_init__(self) -> None:
        if not self.use:
            raise bad_value("use", self.use, "a model name or a file")


@dataclass(frozen=True)
class PolicyFile:
    """A pool of policies: the keys of its TOML file."""

    game: str
    """Name of the game."""
    policy: tuple[PolicyEntry, ...]
    """At least one `[[policy]]`."""
    kind: Literal["geometric", "arithmetic", "power", "position"] = "geometric"
    """Formula of the pool; see the next table."""
    beta: float | None = None
    """Exponent of kind power."""
    alpha: CurveValue | None = None
    """Weight of the first of two policies, from 0 to 1; the second has the rest."""
    temperature: CurveValue | None = None
    """Temperature of the whole pool."""
    features: Mapping[str, tuple[float, float]] | None = None
    """Mean and standard deviation of each position feature, for kind position."""
    move_numbering: PositiveInt = 1
    """Version of the game's move numbering with which the weights were fitted. Another version is refused."""

    def __post_init__(self) -> None:
        if self.game not in GAMES:
            raise bad_value("game", self.game, f"one of {', '.join(GAMES)}")
        if self.move_numbering != (expected := describe(self.game).move_numbering):
            raise bad_value("move_numbering", self.move_numbering, f"{expected}: fit the weights again")
        if not self.policy:
            raise ValueError("at least one [[policy]] is needed")
        if (self.beta is not None) != (self.kind == "power"):
            raise ValueError("kind power needs 'beta', and no other kind has it")
        if (self.features is not None) != (self.kind == "position"):
            raise ValueError("kind position needs [features], and no other kind has it")
        if self.alpha is not None:
            if self.kind == "position":
                raise ValueError("kind position has no 'alpha'")
            if len(self.policy) != 2 or any(member.weight is not None for member in self.policy):
                raise ValueError("'alpha' is for two policies without weights")


@dataclass(frozen=True)
class MemberConfig:
    """A member of a pool with its weight and temperature as curves over ratings."""

    use: str
    temperature: Curve | None
    weight: Curve
    by: tuple[float, ...] = ()
    """Change of the weight for one standard deviation of each feature; empty if weights ignore positions."""


@dataclass(frozen=True)
class PolicyConfig:
    """The content of a policy file."""

    game: str
    kind: PoolKind
    beta: float
    temperature: Curve | None
    members: tuple[MemberConfig, ...]
    scale: FeatureScaler | None
    """Means and standard deviations of the features; None if weights ignore positions."""


def read_policy_config(path: Path) -> PolicyConfig:
    """Reads a policy's TOML file. Raises BadConfig."""
    source = Source(path)
    file = from_table(PolicyFile, read_toml(path), source)
    names, scale = position_feature_names(len(file.policy)), None
    if file.features is not None:
        if set(file.features) != set(names):
            wanted = f"mean and deviation of {', '.join(names)}"
            raise source.bad_value("features", dict(file.features), wanted)
        for name, (mean, deviation) in file.features.items():
            if not deviation > 0:
                wanted = "a mean and a deviation > 0, such as [0.5, 0.2]"
                raise source.bad_value(f"features.{name}", [mean, deviation], wanted)
        means, stds = zip(*(file.features[name] for name in names), strict=True)
        scale = FeatureScaler(means, stds)
    weights = _weights(file, source)
    members = []
    for number, (entry, weight) in enumerate(zip(file.policy, weights, strict=True), 1):
        place, by = source.inside(f"policy[{number}]"), entry.feature_weights
        if file.kind != "position" and by is not None:
            raise place.fault(f"{place.key_path('feature_weights')} is for kind position")
        if file.kind == "position" and (by is None or set(by) != set(names)):
            raise place.bad_value("feature_weights", by, f"a table of numbers for {', '.join(names)}")
        temperature = _curve(entry.temperature, "temperature", file.game, place)
        coefficients = tuple(by[name] for name in names) if by else ()
        members.append(MemberConfig(entry.use, temperature, weight, coefficients))
    return PolicyConfig(
        file.game,
        "geometric" if file.kind == "position" else file.kind,
        1.0 if file.beta is None else file.beta,
        _curve(file.temperature, "temperature", file.game, source),
        tuple(members),
        scale,
    )


def _weights(file: PolicyFile, source: Source) -> list[Curve]:
    """The weights of the members; by `alpha` those of the blend paper, alpha and 1 - alpha."""
    if (alpha := _curve(file.alpha, "alpha", file.game, source)) is not None:
        for value in alpha.values:
            if not 0 <= value <= 1:
                raise source.bad_value("alpha", value, "a number from 0 to 1")
        return [alpha, Curve(tuple((rating, 1 - value) for rating, value in alpha.knots))]
    weights = []
    for number, entry in enumerate(file.policy, 1):
        curve = _curve(entry.weight, "weight", file.game, source.inside(f"policy[{number}]"))
        weights.append(Curve.constant(1) if curve is None else curve)
    return weights


def _curve(value: CurveValue | None, key: str, game: str, source: Source) -> Curve | None:
    """The curve of a key; None if the file does not have it."""
    if not isinstance(value, Mapping):
        return None if value is None else Curve.constant(value)
    if not value:
        raise source.bad_value(key, {}, "a number or a table of ratings and numbers")
    system, knots = describe(game).ratings, {}
    for text, number in value.items():
        if (rating := system.parse(text)) is None:
            raise source.bad_value(key, text, f"{system.word}s as keys, such as {system.example}")
        knots[rating] = number
    return Curve.through(knots)
